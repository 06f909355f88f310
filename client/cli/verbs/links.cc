// torquectl links: how do all links stand and move? Poses, and the velocities and accelerations of
// the outward recursion.
#include "client/cli/subject.h"
#include "client/cli/verbs/poses.h"
#include "client/cli/verbs/verbs.h"
#include "torqued/v1/kinematics.pb.h"

namespace torqued::cli {
namespace {

class Links : public Verb {
 public:
  VerbText Text() const override {
    return {"links",
            kKinematics,
            "poses, velocities and accelerations of all links and frames",
            {"links three-link --q 60,-60,-90 --deg",
             "links ur5e --q 0.3,-1.2,1.4,-0.7,0.9,0.5 --v 1,1,1,1,1,1 --a 1,1,1,1,1,1 "
             "--expression body"},
            "Velocities and accelerations are those of each link frame's origin, and the link's "
            "angular ones."};
  }

  void Declare(OptionSet& options) override {
    subject_.Declare(options, StateOptions::kV | StateOptions::kA, false, false);
    options.Group("Question");
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
    request.set_all_frames(true);
    request.set_expression(ParseExpression(expression_));
    return ShowPoses(session, *subject, request, "links");
  }

 private:
  SubjectOptions subject_;
  std::string expression_;
};

}  // namespace

std::unique_ptr<Verb> MakeLinks() { return std::make_unique<Links>(); }

}  // namespace torqued::cli
