#include "client/cli/goal.h"

#include <absl/strings/str_cat.h>

#include <cmath>
#include <numbers>

#include "client/cli/numbers.h"
#include "client/cli/question_options.h"
#include "torqued/v1/kinematics.pb.h"

namespace torqued::cli {

void GoalOptions::Declare(OptionSet& options) {
  options.Group("From where to where");
  options.Text("--from", from_, "Q1,Q2,...", "start [rad], [m], in the model's joint order; 'zero'");
  options.Text("--to", to_, "Q1,Q2,...", "goal as joint positions");
  options.Text("--to-xyz", xyz_, "X,Y,Z", "goal of the hand's origin [m] in the world; it keeps its rotation unless --to-rpy");
  options.Text("--to-rpy", rpy_, "R,P,Y", "with --to-xyz: fixed axes x, y, z [rad]");
  options.Text("--to-pose", pose_, "X,Y,Z,QX,QY,QZ,QW", "goal of the hand");
  options.Text("--by", by_, "DX,DY,DZ", "goal of the hand: so far from where it starts [m], world axes");
  options.Flag("--deg", degrees_, "angles are in degrees; metres stay metres");
}

absl::StatusOr<Eigen::VectorXd> GoalOptions::From(const Mover& mover) const {
  return ParseJoints("--from", from_, mover.model, degrees_);
}

absl::Status GoalOptions::CheckOne() const {
  int given = 0;
  for (const std::string* way : {&to_, &xyz_, &pose_, &by_}) given += way->empty() ? 0 : 1;
  if (given != 1) return absl::InvalidArgumentError(absl::StrCat(given == 0 ? "no goal" : "more than one goal",
                                                                 ": want one of --to, --to-xyz, --to-pose, --by"));
  if (!rpy_.empty() && xyz_.empty()) return absl::InvalidArgumentError("--to-rpy: want it together with --to-xyz");
  return absl::OkStatus();
}

absl::StatusOr<Eigen::VectorXd> GoalOptions::Joints(const Mover& mover) const {
  return ParseJoints("--to", to_, mover.model, degrees_);
}

absl::StatusOr<Eigen::Isometry3d> GoalOptions::Pose(const Mover& mover, const Eigen::VectorXd& from) const {
  if (in_joints()) {
    const auto q = Joints(mover);
    if (!q.ok()) return q.status();
    return HandAt(mover, *q);
  }
  if (!pose_.empty()) {
    const auto values = ParseNumbers("--to-pose", pose_, 7, "X,Y,Z,QX,QY,QZ,QW");
    if (!values.ok()) return values.status();
    return ParsePose("--to-pose", *values);
  }
  auto X = HandAt(mover, from);
  if (!X.ok()) return X;
  const bool by = !by_.empty();
  const auto point = ParseNumbers(by ? "--by" : "--to-xyz", by ? by_ : xyz_, 3, by ? "DX,DY,DZ" : "X,Y,Z");
  if (!point.ok()) return point.status();
  const Eigen::Vector3d p((*point)[0], (*point)[1], (*point)[2]);
  X->translation() = by ? Eigen::Vector3d(X->translation() + p) : p;
  if (rpy_.empty()) return X;
  const auto angles = ParseNumbers("--to-rpy", rpy_, 3, "R,P,Y");
  if (!angles.ok()) return angles.status();
  const double unit = degrees_ ? std::numbers::pi / 180 : 1;
  X->linear() = (Eigen::AngleAxisd((*angles)[2] * unit, Eigen::Vector3d::UnitZ()) *
                 Eigen::AngleAxisd((*angles)[1] * unit, Eigen::Vector3d::UnitY()) *
                 Eigen::AngleAxisd((*angles)[0] * unit, Eigen::Vector3d::UnitX()))
                    .toRotationMatrix();
  return X;
}

absl::StatusOr<Eigen::Isometry3d> ParsePose(const std::string& flag, const std::vector<double>& v) {
  const Eigen::Quaterniond r(v[6], v[3], v[4], v[5]);
  if (!(std::abs(r.norm() - 1) < 1e-3))
    return absl::InvalidArgumentError(absl::StrCat(flag, ": quaternion of length ", r.norm(), ", want 1 (QX,QY,QZ,QW)"));
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.translation() << v[0], v[1], v[2];
  X.linear() = r.normalized().toRotationMatrix();
  return X;
}

absl::StatusOr<Eigen::Isometry3d> HandAt(const Mover& mover, const Eigen::VectorXd& q) {
  const auto frames = mover.dynamics().Frames(q, false);
  if (!frames.ok()) return frames.status();
  return frames->X_WF[0];
}

absl::StatusOr<TaskRows> RowsFor(Session& session, const Mover& mover, const std::string& rows, const Eigen::VectorXd& from) {
  TaskRows task;
  std::vector<int> on;
  if (!rows.empty()) {
    const auto parsed = ParseRows("--rows", rows);
    if (!parsed.ok()) return parsed.status();
    on = *parsed;
  } else {
    v1::AnalyzeSingularityRequest request;
    *request.mutable_context() = mover.context;
    request.mutable_positions()->mutable_values()->Add(from.data(), from.data() + from.size());
    const auto answer = session.Ask<v1::AnalyzeSingularityResponse>(request);
    if (!answer.ok()) return answer.status();
    on.assign(answer->task_rows().begin(), answer->task_rows().end());
  }
  task.on.fill(false);
  for (const int row : on) task.on[static_cast<size_t>(row)] = true;
  return task;
}

}  // namespace torqued::cli
