// torquectl support: does the legged robot stand, with which forces at its feet?
#include <absl/strings/str_cat.h>

#include "client/cli/numbers.h"
#include "client/cli/subject.h"
#include "client/cli/verbs/verbs.h"
#include "torqued/v1/statics.pb.h"

namespace torqued::cli {
namespace {

class Support : public Verb {
 public:
  VerbText Text() const override {
    return {"support",
            kStatics,
            "foot forces inside friction cones, joint torques, margin to tipping",
            {"support quadruped --q zero --feet fl_foot,fr_foot,hl_foot,hr_foot --friction 0.7"},
            "Floating base. If the feet cannot balance the robot the exit code is 3."};
  }

  void Declare(OptionSet& options) override {
    subject_.Declare(options, StateOptions::kQ, true, false);
    options.Group("Ground");
    options.Required("--feet", feet_, "F1,F2,...", "frames that touch the ground");
    options.Text("--friction", friction_, "MU", "friction coefficient, default 0.7");
    options.Text("--normal", normal_, "X,Y,Z",
                 "normal of the ground in world axes; default: opposite to gravity");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto subject = subject_.Read(session);
    if (!subject.ok()) return subject.status();
    v1::ComputeSupportRequest request;
    subject->Fill(request);
    const auto feet = SplitTrimmed(feet_, ',');
    for (const std::string& foot : feet) request.add_feet(foot);
    const auto friction = ParseNumber("--friction", friction_);
    if (!friction.ok()) return friction.status();
    request.set_friction_coefficient(*friction);
    if (!normal_.empty()) {
      const auto normal = ParseVector("--normal", normal_);
      if (!normal.ok()) return normal.status();
      *request.mutable_normal() = *normal;
    }
    const auto answer = session.Ask<v1::ComputeSupportResponse>(request);
    if (!answer.ok()) return answer.status();
    bool stands = true;
    std::vector<Sheet> sheets;
    const auto columns = Columns(subject->model, Quantity::kEffort);
    for (int s = 0; s < answer->results_size(); ++s) {
      const auto& result = answer->results(s);
      stands = stands && result.stands();
      sheets.push_back({SampleTitle(subject->states, s, Headline("support", answer->info())),
                        {"stands", "margin to tipping [m]", "not balanced [N, Nm]"},
                        {{result.stands() ? "yes" : "no", result.margin(), result.residual()}}});
      Sheet forces{"foot forces on the robot, world axes", {"foot", "fx[N]", "fy[N]", "fz[N]"}, {}};
      for (size_t f = 0; f < feet.size() && static_cast<int>(3 * f + 2) < result.foot_forces_size();
           ++f) {
        const int at = static_cast<int>(3 * f);
        forces.rows.push_back({feet[f], result.foot_forces(at), result.foot_forces(at + 1),
                               result.foot_forces(at + 2)});
      }
      sheets.push_back(forces);
      Sheet torques{"joint torques", {"joint", "torque", "unit"}, {}};
      for (size_t i = 0; i < columns.size() && static_cast<int>(i) < result.efforts_size(); ++i)
        torques.rows.push_back(
            {columns[i].id, result.efforts(static_cast<int>(i)), columns[i].unit});
      sheets.push_back(torques);
    }
    session.Show(*answer, sheets);
    return stands ? Exit::kOk : Exit::kInfeasible;
  }

 private:
  SubjectOptions subject_;
  std::string feet_, friction_ = "0.7", normal_;
};

}  // namespace

std::unique_ptr<Verb> MakeSupport() { return std::make_unique<Support>(); }

}  // namespace torqued::cli
