// torquectl identify: which base parameters does a recorded motion reveal?
#include <absl/strings/str_cat.h>

#include "client/cli/numbers.h"
#include "client/cli/subject.h"
#include "client/cli/verbs/verbs.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued::cli {
namespace {

class Identify : public Verb {
 public:
  VerbText Text() const override {
    return {"identify",
            kDynamics,
            "inertial base parameters by least squares from a recorded motion",
            {"identify ur5e --states log.csv --friction", "identify scara --states log.csv --json"},
            "The log holds q, v, a and tau of every joint. Exit code 2 if no real bodies have the "
            "estimated parameters."};
  }

  void Declare(OptionSet& options) override {
    subject_.Declare(options, StateOptions::kV | StateOptions::kA | StateOptions::kTau, false,
                     false);
    options.Group("Question");
    options.Flag("--friction", friction_, "estimate viscous and Coulomb friction too");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto subject = subject_.Read(session);
    if (!subject.ok()) return subject.status();
    const States& states = subject->states;
    for (const auto& [flag, vectors] :
         {std::pair{"v", &states.v}, {"a", &states.a}, {"tau", &states.tau}})
      if (vectors->values_size() == 0)
        return absl::InvalidArgumentError(
            absl::StrCat("--states: no ", flag, " columns, want q, v, a and tau of every joint"));
    v1::IdentifyParametersRequest request;
    subject->Fill(request);
    *request.mutable_velocities() = states.v;
    *request.mutable_accelerations() = states.a;
    *request.mutable_efforts() = states.tau;
    request.set_friction(friction_);
    const auto answer = session.Ask<v1::IdentifyParametersResponse>(request);
    if (!answer.ok()) return answer.status();
    Sheet sheet{Headline("identification", answer->info()),
                {"parameter", "estimate", "standard deviation", "model's own"},
                {}};
    for (int i = 0; i < answer->names_size(); ++i)
      sheet.rows.push_back(
          {answer->names(i), answer->estimate(i),
           i < answer->standard_deviation_size() ? Cell(answer->standard_deviation(i)) : Cell(""),
           i < answer->expected_size() ? Cell(answer->expected(i)) : Cell("")});
    session.Show(*answer, {sheet});
    if (session.for_people())
      session.out() << "\ncondition "
                    << (answer->condition() < 0 ? "infinite (the motion does not show every parameter)"
                                                : Readable(answer->condition())) << ", residual "
                    << Readable(answer->residual_rms()) << " Nm RMS; physically "
                    << (answer->physically_feasible() ? "feasible" : "infeasible")
                    << (answer->feasibility().empty() ? "" : ": " + answer->feasibility()) << "\n";
    return answer->physically_feasible() ? Exit::kOk : Exit::kCheckFailed;
  }

 private:
  SubjectOptions subject_;
  bool friction_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeIdentify() { return std::make_unique<Identify>(); }

}  // namespace torqued::cli
