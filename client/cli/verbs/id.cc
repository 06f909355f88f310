// torquectl id: which torques make this motion?
#include "client/cli/subject.h"
#include "client/cli/verbs/verbs.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued::cli {
namespace {

class Id : public Verb {
 public:
  VerbText Text() const override {
    return {
        "id",
        kDynamics,
        "inverse dynamics: torques from positions, velocities, accelerations",
        {"id ur5e --q 0.3,-1.2,1.4,-0.7,0.9,0.5 --v 0.1,0.2,0.3,0.1,0.1,0.1 --a 1,1,1,1,1,1",
         "id ur5e --states trajectory.csv --out torques.csv",
         "id puma560 --q 0,45,180,0,45,0 --deg --v 1,1,1,1,1,1 --a 1,1,1,1,1,1 --without friction",
         "id ur5e --states trajectory.csv --payload tool0:mass=3,com=0,0,0.05 --csv",
         "id puma560 --q 0,45,180,0,45,0 --deg --v 1,1,1,1,1,1 --a 1,1,1,1,1,1 --torque-at motor"},
        ""};
  }

  void Declare(OptionSet& options) override {
    subject_.Declare(options, StateOptions::kV | StateOptions::kA, true, true);
    options.Group("Answer");
    DeclarePlace(options, place_);
    options.Flag("--motor", motor_, "also the torque after the gear, at the motor");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto subject = subject_.Read(session);
    if (!subject.ok()) return subject.status();
    v1::ComputeInverseDynamicsRequest request;
    subject->Fill(request);
    if (subject->states.v.values_size() > 0) *request.mutable_velocities() = subject->states.v;
    if (subject->states.a.values_size() > 0) *request.mutable_accelerations() = subject->states.a;
    request.set_report_motor(motor_);
    request.mutable_context()->set_effort_place(ParsePlace(place_));
    const auto answer = session.Ask<v1::ComputeInverseDynamicsResponse>(request);
    if (!answer.ok()) return answer.status();
    std::vector<JointPart> parts = {EffortPart(answer->info(), &answer->efforts().values())};
    if (answer->motor_efforts().values_size() > 0)
      parts.push_back(
          {"at the motor", Quantity::kEffort, &answer->motor_efforts().values(), "motor", "Nm"});
    const absl::Status shown =
        ShowJoints(session, *answer, answer->info(), *subject, subject_.states(),
                   Headline("inverse dynamics", answer->info()), parts);
    if (!shown.ok()) return shown;
    return Exit::kOk;
  }

 private:
  SubjectOptions subject_;
  std::string place_;
  bool motor_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeId() { return std::make_unique<Id>(); }

}  // namespace torqued::cli
