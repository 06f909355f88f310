// torquectl regressor: torque as a linear function of the links' inertial parameters.
#include <absl/strings/str_cat.h>

#include <array>

#include "client/cli/subject.h"
#include "client/cli/verbs/verbs.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued::cli {
namespace {

constexpr std::array kParameters = {"m",   "mcx", "mcy", "mcz", "Ixx",
                                    "Ixy", "Iyy", "Ixz", "Iyz", "Izz"};

class Regressor : public Verb {
 public:
  VerbText Text() const override {
    return {
        "regressor",
        kDynamics,
        "matrix Y with tau = Y pi (with --base-parameters: what motion can identify)",
        {"regressor two-link --q 0.3,0.7 --v 0.5,-0.4 --a 1,2",
         "regressor ur5e --states log.csv --base-parameters --json"},
        "Parameters per link: m, m c (3), Ixx Ixy Iyy Ixz Iyz Izz about the link frame's origin."};
  }

  void Declare(OptionSet& options) override {
    subject_.Declare(options, StateOptions::kV | StateOptions::kA, false, false);
    options.Group("Answer");
    options.Flag("--base-parameters", base_, "also the combinations that can be identified");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto subject = subject_.Read(session);
    if (!subject.ok()) return subject.status();
    v1::ComputeRegressorRequest request;
    subject->Fill(request);
    if (subject->states.v.values_size() > 0) *request.mutable_velocities() = subject->states.v;
    if (subject->states.a.values_size() > 0) *request.mutable_accelerations() = subject->states.a;
    request.set_base_parameters(base_);
    const auto answer = session.Ask<v1::ComputeRegressorResponse>(request);
    if (!answer.ok()) return answer.status();
    const auto columns = Columns(subject->model, Quantity::kVelocity);
    std::vector<Sheet> sheets;
    for (int s = 0; s < answer->info().sample_count(); ++s) {
      // People read it upright: a row per parameter, a column per joint.
      Sheet sheet{SampleTitle(subject->states, s, Headline("regressor", answer->info())),
                  {"link", "parameter", "value"},
                  {}};
      for (const Column& column : columns) sheet.columns.push_back(column.id);
      for (int p = 0; p < answer->parameters_size(); ++p) {
        std::vector<Cell> row = {answer->links(p / 10), kParameters[static_cast<size_t>(p % 10)],
                                 answer->parameters(p)};
        for (int i = 0; i < answer->regressor().rows(); ++i)
          row.push_back(answer->regressor().values(
              (s * answer->regressor().rows() + i) * answer->regressor().cols() + p));
        sheet.rows.push_back(std::move(row));
      }
      sheets.push_back(std::move(sheet));
    }
    session.Show(*answer, sheets);
    if (base_ && session.for_people())
      session.out() << "\n"
                    << answer->base_parameter_count()
                    << " base parameters (their map: --json, base_map)\n";
    return Exit::kOk;
  }

 private:
  SubjectOptions subject_;
  bool base_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeRegressor() { return std::make_unique<Regressor>(); }

}  // namespace torqued::cli
