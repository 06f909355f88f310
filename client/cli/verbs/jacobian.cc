// torquectl jacobian: how does the hand's velocity follow from the joints'?
#include "client/cli/subject.h"
#include "client/cli/verbs/verbs.h"
#include "torqued/v1/kinematics.pb.h"

namespace torqued::cli {
namespace {

class Jacobian : public Verb {
 public:
  VerbText Text() const override {
    return {"jacobian",
            kKinematics,
            "6 x nv Jacobian of a frame (with --v: Jdot v too)",
            {"jacobian ur5e --q 0.3,-1.2,1.4,-0.7,0.9,0.5",
             "jacobian two-link --q 30,-60 --deg --expression body"},
            "Rows: linear x y z, then angular. world-aligned: at the frame's origin in world axes; "
            "body: in the frame's axes;\n"
            "spatial: at the world's origin in world axes."};
  }

  void Declare(OptionSet& options) override {
    subject_.Declare(options, StateOptions::kV, false, false);
    options.Group("Question");
    options.Text("--frame", frame_, "NAME", "frame or link; default: the tool frame");
    options.Choice("--expression", expression_, {"world-aligned", "body", "spatial"},
                   "axes and point (default: world-aligned)");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto subject = subject_.Read(session);
    if (!subject.ok()) return subject.status();
    v1::ComputeJacobianRequest request;
    subject->Fill(request);
    if (subject->states.v.values_size() > 0) *request.mutable_velocities() = subject->states.v;
    request.set_frame(frame_);
    request.set_expression(ParseExpression(expression_));
    const auto answer = session.Ask<v1::ComputeJacobianResponse>(request);
    if (!answer.ok()) return answer.status();
    const std::vector<std::string> rows = {"vx", "vy", "vz", "wx", "wy", "wz"};
    const auto joints = Ids(Columns(subject->model, Quantity::kVelocity));
    std::vector<Sheet> sheets;
    for (int s = 0; s < answer->info().sample_count(); ++s) {
      const std::string title = KinematicHeadline("Jacobian", answer->info()) + ", " +
                                ExpressionName(answer->info().expression());
      sheets.push_back(MatrixSheet(SampleTitle(subject->states, s, title), answer->jacobians(), s,
                                   rows, joints));
      if (answer->jdot_v_size() == 0) continue;
      sheets.back().columns.push_back("Jdot v");
      for (int r = 0; r < 6; ++r)
        sheets.back().rows[static_cast<size_t>(r)].push_back(answer->jdot_v(6 * s + r));
    }
    session.Show(*answer, sheets);
    return Exit::kOk;
  }

 private:
  SubjectOptions subject_;
  std::string frame_, expression_;
};

}  // namespace

std::unique_ptr<Verb> MakeJacobian() { return std::make_unique<Jacobian>(); }

}  // namespace torqued::cli
