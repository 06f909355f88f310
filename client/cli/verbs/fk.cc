// torquectl fk: where is the hand (and how does it move)?
#include "client/cli/subject.h"
#include "client/cli/verbs/poses.h"
#include "client/cli/verbs/verbs.h"
#include "torqued/v1/kinematics.pb.h"

namespace torqued::cli {
namespace {

class Fk : public Verb {
 public:
  VerbText Text() const override {
    return {"fk",
            kKinematics,
            "pose of a frame (with --v, --a: its velocity and acceleration)",
            {"fk ur5e --q 0.3,-1.2,1.4,-0.7,0.9,0.5",
             "fk scara --q 30,45,0.05,0 --deg --frame tool0", "fk ur5e --states path.csv --csv"},
            ""};
  }

  void Declare(OptionSet& options) override {
    subject_.Declare(options, StateOptions::kV | StateOptions::kA, false, false);
    options.Group("Question");
    options.Repeated("--frame", frames_, "NAME", "frame or link; default: the tool frame");
    options.Choice("--expression", expression_, {"world-aligned", "body", "spatial"},
                   "axes and point of velocities and accelerations");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto subject = subject_.Read(session);
    if (!subject.ok()) return subject.status();
    v1::ComputeForwardKinematicsRequest request;
    subject->Fill(request);
    if (subject->states.v.values_size() > 0) *request.mutable_velocities() = subject->states.v;
    if (subject->states.a.values_size() > 0) *request.mutable_accelerations() = subject->states.a;
    for (const std::string& frame : frames_) request.add_frames(frame);
    request.set_expression(ParseExpression(expression_));
    return ShowPoses(session, *subject, request, "pose");
  }

 private:
  SubjectOptions subject_;
  std::vector<std::string> frames_;
  std::string expression_;
};

}  // namespace

std::unique_ptr<Verb> MakeFk() { return std::make_unique<Fk>(); }

}  // namespace torqued::cli
