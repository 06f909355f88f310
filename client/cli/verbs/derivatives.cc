// torquectl derivatives: how do torques (or accelerations) change with the state?
#include "client/cli/subject.h"
#include "client/cli/verbs/verbs.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued::cli {
namespace {

class Derivatives : public Verb {
 public:
  VerbText Text() const override {
    return {"derivatives",
            kDynamics,
            "derivatives of inverse dynamics, or of forward dynamics (--forward)",
            {"derivatives ur5e --q 0.3,-1.2,1.4,-0.7,0.9,0.5 --v 0.1,0.2,0.3,0.1,0.1,0.1 --a "
             "1,1,1,1,1,1",
             "derivatives two-link --q 0.3,0.7 --v 0.5,-0.4 --tau 1,2 --forward --json"},
            ""};
  }

  void Declare(OptionSet& options) override {
    subject_.Declare(options, StateOptions::kV | StateOptions::kA | StateOptions::kTau, false,
                     true);
    options.Group("Answer");
    options.Flag("--inverse", inverse_, "of inverse dynamics (default)");
    options.Flag("--forward", forward_, "of forward dynamics, at --tau");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto subject = subject_.Read(session);
    if (!subject.ok()) return subject.status();
    v1::ComputeDerivativesRequest request;
    subject->Fill(request);
    if (subject->states.v.values_size() > 0) *request.mutable_velocities() = subject->states.v;
    if (subject->states.a.values_size() > 0) *request.mutable_accelerations() = subject->states.a;
    if (subject->states.tau.values_size() > 0) *request.mutable_efforts() = subject->states.tau;
    request.set_inverse(inverse_);
    request.set_forward(forward_);
    const auto answer = session.Ask<v1::ComputeDerivativesResponse>(request);
    if (!answer.ok()) return answer.status();
    const auto joints = Ids(Columns(subject->model, Quantity::kVelocity));
    std::vector<Sheet> sheets;
    for (int s = 0; s < answer->info().sample_count(); ++s) {
      const auto add = [&](const char* title, const v1::Matrices& matrices) {
        if (matrices.values_size() > 0)
          sheets.push_back(
              MatrixSheet(SampleTitle(subject->states, s, title), matrices, s, joints, joints));
      };
      add("d torque / d position", answer->effort_by_position());
      add("d torque / d velocity", answer->effort_by_velocity());
      add("d torque / d acceleration = mass matrix", answer->mass_matrix());
      add("d acceleration / d position", answer->acceleration_by_position());
      add("d acceleration / d velocity", answer->acceleration_by_velocity());
      add("d acceleration / d torque = inverse mass matrix", answer->inverse_mass_matrix());
    }
    session.Show(*answer, sheets);
    return Exit::kOk;
  }

 private:
  SubjectOptions subject_;
  bool inverse_ = false, forward_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeDerivatives() { return std::make_unique<Derivatives>(); }

}  // namespace torqued::cli
