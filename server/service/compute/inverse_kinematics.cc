// Which joint positions bring the hand there?
#include "server/core/ik/inverse_kinematics.h"

#include <absl/strings/str_cat.h>

#include <cmath>

#include "server/core/dynamics/velocity_analysis.h"
#include "server/service/compute/compute.h"
#include "server/service/compute/question.h"
#include "server/service/ik_method.h"

namespace torqued {
namespace {

const char* MethodName(IkClass arm) {
  switch (arm) {
    case IkClass::kPlanar2R: return "2R";
    case IkClass::kPolarRP: return "RP";
    case IkClass::kPlanar3R: return "3R";
    case IkClass::kScara: return "SCARA";
    case IkClass::kSphericalWrist: return "spherical-wrist";
    case IkClass::kUr: return "UR";
    case IkClass::kNumeric: return "numeric";
  }
  return "";
}

absl::StatusOr<IkTask> ReadTask(const v1::ComputeInverseKinematicsRequest& request) {
  IkTask task;
  const auto expression = ReadExpression("expression", request.expression());
  if (!expression.ok()) return expression.status();
  if (*expression == Expression::kSpatial)
    return wire::BadField("expression", "SPATIAL, want WORLD_ALIGNED or BODY (the wanted frame's axes)");
  task.in_target_axes = *expression == Expression::kBody;
  const auto& rows = request.task().rows();
  if (rows.empty()) return task;
  task.on.fill(false);
  for (int i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || rows[i] > 5)
      return wire::BadField(absl::StrCat("task.rows[", i, "]"), absl::StrCat(rows[i], ", want 0 to 5 (vx vy vz wx wy wz)"));
    if (task.on[rows[i]]) return wire::BadField(absl::StrCat("task.rows[", i, "]"), absl::StrCat("row ", rows[i], " twice"));
    task.on[rows[i]] = true;
  }
  return task;
}

absl::StatusOr<double> ReadTolerance(const std::string& field, double value) {
  if (value == 0) return 1e-9;
  if (!(value > 0) || !std::isfinite(value)) return wire::BadField(field, absl::StrCat(value, ", want above 0, or 0 for 1e-9"));
  return value;
}

void ReadLimits(const ModelEntry& entry, IkOptions& options) {
  options.lower = Eigen::VectorXd::Constant(entry.nq(), -HUGE_VAL);
  options.upper = Eigen::VectorXd::Constant(entry.nq(), HUGE_VAL);
  for (const Coordinate& c : entry.model().coordinates) {
    if (PositionCount(c.kind) != 1) continue;
    if (c.limits.lower) options.lower[c.q_index] = *c.limits.lower;
    if (c.limits.upper) options.upper[c.q_index] = *c.limits.upper;
  }
}

Eigen::Isometry3d ToIsometry(const double* pose) {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.translation() = Eigen::Vector3d(pose[0], pose[1], pose[2]);
  X.linear() = ToEigen(QuaternionToRotation(pose + 3));
  return X;
}

void Write(const IkSolution& from, IkClass arm, const IkTask& task, v1::InverseKinematicsSolution* to) {
  Append(from.q.data(), static_cast<int>(from.q.size()), to->mutable_positions());
  const std::string branch = Name(from.branch);
  to->set_branch(arm == IkClass::kNumeric ? "numeric" : branch);
  to->set_within_limits(from.outside_limits.empty());
  to->set_position_error(from.position_error);
  to->set_rotation_error(from.rotation_error);
  if (task.whole()) return;
  for (int r = 0; r < 6; ++r)
    if (task.on[r]) to->add_task_errors(from.task_error[r]);
}

}  // namespace

std::string InverseKinematicsMethod(const Prepared& prepared) {
  if (prepared.nv == 0) return "";
  return MethodName(InverseKinematics(prepared, prepared.frames[prepared.tool_frame]).arm());
}

absl::Status Answer(const Call& call, const v1::ComputeInverseKinematicsRequest& request,
                    v1::ComputeInverseKinematicsResponse* response) {
  const ModelEntry& entry = call.entry;
  const auto asked = ResolveContext(call, request.context());
  if (!asked.ok()) return asked.status();
  if (!asked->wrenches.empty())
    return wire::BadField("context.wrenches", "this method has no use for external wrenches; leave them out", "NOT_APPLICABLE");
  const auto frame = AskedFrame(call, *asked, "frame", request.frame());
  if (!frame.ok()) return frame.status();
  const auto poses = wire::ReadPoses("poses", request.poses(), call.scratch.numbers);
  if (!poses.ok()) return poses.status();
  constexpr int kMostPoses = 100000;
  if (poses->count > kMostPoses)
    return wire::Exhausted("TOO_MANY_SAMPLES", "samples",
                           absl::StrCat("poses: ", poses->count, ", at most ", kMostPoses, " in one request; split it"));
  const bool one_seed = request.seeds().values_size() == entry.nq();
  const auto seeds = wire::ReadRows("seeds", request.seeds(), entry.positions, one_seed ? 1 : poses->count, true,
                                    call.scratch.positions);
  if (!seeds.ok()) return seeds.status();
  IkOptions options;
  const auto task = ReadTask(request);
  if (!task.ok()) return task.status();
  options.task = *task;
  const auto position_tolerance = ReadTolerance("position_tolerance", request.position_tolerance());
  if (!position_tolerance.ok()) return position_tolerance.status();
  const auto rotation_tolerance = ReadTolerance("rotation_tolerance", request.rotation_tolerance());
  if (!rotation_tolerance.ok()) return rotation_tolerance.status();
  options.position_tolerance = *position_tolerance;
  options.rotation_tolerance = *rotation_tolerance;
  if (request.max_restarts() < 0 || request.max_restarts() > 10000)
    return wire::BadField("max_restarts", absl::StrCat(request.max_restarts(), ", want 0 (means 20) to 10000"));
  if (request.max_restarts() > 0) options.restarts = request.max_restarts();
  options.drop_outside_limits = request.respect_limits();
  ReadLimits(entry, options);

  InverseKinematics solver(entry.prepared, entry.prepared.frames[*frame]);
  response->set_method(MethodName(solver.arm()));
  for (int i = 0; i < poses->count; ++i) {
    if (call.interrupt)
      if (absl::Status s = call.interrupt->Check(); !s.ok()) return s;
    if (seeds->data) options.seed = Eigen::Map<const Eigen::VectorXd>(seeds->row_or_one(i), entry.nq());
    IkAnswer answer = solver.Solve(ToIsometry(poses->row(i)), options);
    if (!answer.reached && !answer.solutions.empty() &&
        !std::isfinite(answer.solutions[0].position_error + answer.solutions[0].rotation_error))
      return wire::BadField("poses", absl::StrCat("pose ", i, " (or its seed) is too far away for its distance to be a number"));
    if (seeds->data)
      std::stable_sort(answer.solutions.begin(), answer.solutions.end(), [&](const IkSolution& a, const IkSolution& b) {
        return (a.q - options.seed).squaredNorm() < (b.q - options.seed).squaredNorm();
      });
    auto* result = response->add_results();
    result->set_reached(answer.reached);
    std::string message = answer.note;
    if (answer.task != options.task && answer.task == IkTask::Position())
      message = absl::StrCat("this arm places its hand only: the orientation follows", message.empty() ? "" : "; ", message);
    if (!answer.reached && !answer.solutions.empty())
      message = absl::StrCat(message, "; off by ", answer.solutions[0].task_error.head<3>().norm(), " m and ",
                             answer.solutions[0].task_error.tail<3>().norm(), " rad");
    result->set_message(message);
    for (const IkSolution& solution : answer.solutions)
      Write(solution, answer.arm, answer.task, answer.reached ? result->add_solutions() : result->mutable_nearest());
  }
  Inform(call, *asked, request.context(), poses->count, response->mutable_info());
  response->mutable_info()->set_frame(entry.prepared.frame_names[*frame]);
  response->mutable_info()->set_expression(options.task.in_target_axes ? v1::EXPRESSION_BODY : v1::EXPRESSION_WORLD_ALIGNED);
  return absl::OkStatus();
}

}  // namespace torqued
