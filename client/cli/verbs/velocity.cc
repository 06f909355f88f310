// torquectl velocity: the hand's velocity from the joints', or the joints' from the hand's.
#include "client/cli/numbers.h"
#include "client/cli/subject.h"
#include "client/cli/verbs/verbs.h"
#include "torqued/v1/kinematics.pb.h"

namespace torqued::cli {
namespace {

class Velocity : public Verb {
 public:
  VerbText Text() const override {
    return {"velocity",
            kKinematics,
            "velocity of a frame from joint rates (--v), or joint rates from it (--twist)",
            {"velocity two-link --q 30,-60 --deg --twist -1,0,0,0,0,0",
             "velocity rp-arm --q 0.5236,0.8 --v 1.5,1.5"},
            "Near singularities damped least squares are used; the answer says with which damping "
            "and what it cost."};
  }

  void Declare(OptionSet& options) override {
    subject_.Declare(options, StateOptions::kV, false, false);
    options.Group("Question");
    options.Text("--twist", twist_, "VX,VY,VZ,WX,WY,WZ",
                 "wanted velocity of the frame [m/s], [rad/s]");
    options.Text("--frame", frame_, "NAME", "frame or link; default: the tool frame");
    options.Choice("--expression", expression_, {"world-aligned", "body", "spatial"},
                   "axes and point (default: world-aligned)");
    options.Text("--rows", rows_, "LIST",
                 "which rows are the task, such as x,y; default: all that the robot can move");
    options.Text("--damping", damping_, "LAMBDA", "of the damped least squares; default: adaptive");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto subject = subject_.Read(session);
    if (!subject.ok()) return subject.status();
    const bool inverse = !twist_.empty();
    if (inverse == (subject->states.v.values_size() > 0))
      return absl::InvalidArgumentError(
          "--v, --twist: want one of them (joint rates, or the frame's velocity)");
    v1::AnalyzeVelocityRequest request;
    subject->Fill(request);
    request.set_frame(frame_);
    request.set_expression(ParseExpression(expression_));
    const auto rows = ParseRows("--rows", rows_);
    if (!rows.ok()) return rows.status();
    for (const int row : *rows) request.mutable_task()->add_rows(row);
    if (!damping_.empty()) {
      const auto damping = ParseNumber("--damping", damping_);
      if (!damping.ok()) return damping.status();
      request.set_damping(*damping);
    }
    if (inverse) {
      const auto twist = ParseNumbers("--twist", twist_, 6, "VX,VY,VZ,WX,WY,WZ");
      if (!twist.ok()) return twist.status();
      for (int s = 0; s < subject->states.count; ++s)
        request.mutable_frame_velocities()->Add(twist->begin(), twist->end());
    } else {
      *request.mutable_velocities() = subject->states.v;
    }
    const auto answer = session.Ask<v1::AnalyzeVelocityResponse>(request);
    if (!answer.ok()) return answer.status();
    std::vector<Sheet> sheets;
    for (int s = 0; s < answer->info().sample_count(); ++s) {
      Sheet hand{
          SampleTitle(subject->states, s,
                      KinematicHeadline(inverse ? "velocity reached" : "velocity", answer->info()) +
                          ", " + ExpressionName(answer->info().expression())),
          {"vx[m/s]", "vy[m/s]", "vz[m/s]", "wx[rad/s]", "wy[rad/s]", "wz[rad/s]"},
          {{}}};
      for (int i = 0; i < 6; ++i) hand.rows[0].push_back(answer->frame_velocities(6 * s + i));
      sheets.push_back(hand);
      if (!inverse) continue;
      Sheet joints{"joint rates", {"joint", "rate", "unit"}, {}};
      const auto columns = Columns(subject->model, Quantity::kVelocity);
      for (size_t i = 0; i < columns.size(); ++i)
        joints.rows.push_back({columns[i].id,
                               answer->velocities().values(s * static_cast<int>(columns.size()) +
                                                           static_cast<int>(i)),
                               columns[i].unit});
      sheets.push_back(joints);
      sheets.push_back(
          {"what damping cost",
           {"damping", "not reached", "smallest singular value"},
           {{answer->damping(s), answer->residuals(s), answer->smallest_singular_values(s)}}});
    }
    session.Show(*answer, sheets);
    return Exit::kOk;
  }

 private:
  SubjectOptions subject_;
  std::string twist_, frame_, expression_, rows_, damping_;
};

}  // namespace

std::unique_ptr<Verb> MakeVelocity() { return std::make_unique<Velocity>(); }

}  // namespace torqued::cli
