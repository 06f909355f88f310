// torquectl fk: where is the hand (and how does it move, and a point in it)?
#include <tuple>

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
             "fk scara --q 30,45,0.05,0 --deg --frame tool0", "fk ur5e --states path.csv --csv",
             "fk two-link --q 30,60 --deg --v 1,2 --frame hand --point 0.1,0,0 --point-v 0.2,0,0 --observer link1"},
            ""};
  }

  void Declare(OptionSet& options) override {
    subject_.Declare(options, StateOptions::kV | StateOptions::kA, false, false);
    options.Group("Question");
    options.Repeated("--frame", frames_, "NAME", "frame or link; default: the tool frame");
    options.Choice("--expression", expression_, {"world-aligned", "body", "spatial"},
                   "axes and point of velocities and accelerations");
    options.Group("A point carried along");
    options.Text("--point", point_, "X,Y,Z", "position [m] as seen from the frame, in its axes");
    options.Text("--point-v", point_v_, "X,Y,Z", "its velocity as seen from the frame [m/s]");
    options.Text("--point-a", point_a_, "X,Y,Z", "its acceleration as seen from there [m/s^2]");
    options.Text("--observer", observer_, "NAME",
                 "from which frame, itself moving, the point is looked at; default: the world");
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
    request.set_observer(observer_);
    if (absl::Status status = FillPoint(request); !status.ok()) return status;
    return ShowPoses(session, *subject, request, "pose");
  }

 private:
  absl::Status FillPoint(v1::ComputeForwardKinematicsRequest& request) const {
    const bool moves = !point_v_.empty() || !point_a_.empty();
    if (point_.empty())
      return moves || !observer_.empty()
                 ? absl::InvalidArgumentError("--point: want it with --point-v, --point-a, --observer")
                 : absl::OkStatus();
    auto* point = request.mutable_point();
    for (const auto& [flag, text, field] :
         {std::tuple("--point", &point_, point->mutable_position()),
          std::tuple("--point-v", &point_v_, point->mutable_velocity()),
          std::tuple("--point-a", &point_a_, point->mutable_acceleration())}) {
      if (text->empty()) continue;
      const auto vector = ParseVector(flag, *text);
      if (!vector.ok()) return vector.status();
      *field = *vector;
    }
    return absl::OkStatus();
  }

  SubjectOptions subject_;
  std::vector<std::string> frames_;
  std::string expression_, point_, point_v_, point_a_, observer_;
};

}  // namespace

std::unique_ptr<Verb> MakeFk() { return std::make_unique<Fk>(); }

}  // namespace torqued::cli
