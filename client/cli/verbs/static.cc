// torquectl static: which torques hold the robot still?
#include "client/cli/subject.h"
#include "client/cli/verbs/verbs.h"
#include "torqued/v1/statics.pb.h"

namespace torqued::cli {
namespace {

class Static : public Verb {
 public:
  VerbText Text() const override {
    return {"static",
            kStatics,
            "joint torques that hold the robot still: gravity, payload, wrench",
            {"static ur5e --q 0.3,-1.2,1.4,-0.7,0.9,0.5",
             "static two-link --q 30,-60 --deg --wrench-on-robot -10,0,0 --gravity 0,0,0",
             "static three-link --q 60,-60,-90 --deg --payload hand:mass=10",
             "--local static my.urdf --q zero"},
            "A wrench has no default sign: say whether the robot exerts it (tau = g + J^T F) or "
            "suffers it (tau = g - J^T F)."};
  }

  void Declare(OptionSet& options) override {
    subject_.Declare(options, StateOptions::kQ, true, false);
    options.Group("Answer");
    DeclarePlace(options, place_);
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto subject = subject_.Read(session);
    if (!subject.ok()) return subject.status();
    v1::ComputeStaticTorqueRequest request;
    subject->Fill(request);
    request.mutable_context()->set_effort_place(ParsePlace(place_));
    if (request.context().wrenches_size() >
        0) {  // the method's own field: its answer echoes how it was understood
      *request.mutable_wrench() = request.context().wrenches(0);
      request.mutable_context()->clear_wrenches();
    }
    const auto answer = session.Ask<v1::ComputeStaticTorqueResponse>(request);
    if (!answer.ok()) return answer.status();
    const absl::Status shown =
        ShowJoints(session, *answer, answer->info(), *subject, subject_.states(),
                   Headline("static torque", answer->info()),
                   {EffortPart(answer->info(), &answer->efforts().values())});
    if (!shown.ok()) return shown;
    return Exit::kOk;
  }

 private:
  SubjectOptions subject_;
  std::string place_;
};

}  // namespace

std::unique_ptr<Verb> MakeStatic() { return std::make_unique<Static>(); }

}  // namespace torqued::cli
