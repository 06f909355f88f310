// torquectl fd: which motion do these torques make?
#include "client/cli/subject.h"
#include "client/cli/verbs/verbs.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued::cli {
namespace {

class Fd : public Verb {
 public:
  VerbText Text() const override {
    return {"fd",
            kDynamics,
            "forward dynamics: accelerations from positions, velocities, torques",
            {"fd ur5e --q 0.3,-1.2,1.4,-0.7,0.9,0.5 --tau 0,-30,-20,-1,0,0",
             "fd two-link --q 0,0 --v 1,-1", "fd ur5e --states log.csv --out accelerations.csv"},
            "Without --tau the joints are free: the robot falls."};
  }

  void Declare(OptionSet& options) override {
    subject_.Declare(options, StateOptions::kV | StateOptions::kTau, true, true);
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto subject = subject_.Read(session);
    if (!subject.ok()) return subject.status();
    v1::ComputeForwardDynamicsRequest request;
    subject->Fill(request);
    if (subject->states.v.values_size() > 0) *request.mutable_velocities() = subject->states.v;
    if (subject->states.tau.values_size() > 0) *request.mutable_efforts() = subject->states.tau;
    const auto answer = session.Ask<v1::ComputeForwardDynamicsResponse>(request);
    if (!answer.ok()) return answer.status();
    const absl::Status shown =
        ShowJoints(session, *answer, answer->info(), *subject, subject_.states(),
                   Headline("forward dynamics", answer->info()),
                   {{"acceleration", Quantity::kAcceleration, &answer->accelerations().values()}});
    if (!shown.ok()) return shown;
    return Exit::kOk;
  }

 private:
  SubjectOptions subject_;
};

}  // namespace

std::unique_ptr<Verb> MakeFd() { return std::make_unique<Fd>(); }

}  // namespace torqued::cli
