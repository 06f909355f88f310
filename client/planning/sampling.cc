// Path states in time, and samples at a fixed cycle.
#include <algorithm>
#include <cmath>

#include "client/planning/interval_motion.h"
#include "client/planning/path_timing.h"

namespace torqued {

PathState PathStateAt(const TimedPath& timed, double t) {
  const TimingSolution& sol = timed.solution;
  const int n = static_cast<int>(sol.u.size());
  PathState at;
  if (n == 0) return at;
  if (t >= timed.time_s.back()) {
    at.s = timed.grid->s.back();
    at.speed = Root(PathSpeedSq(sol.x.back()));
    at.acceleration.value = sol.u.back() + sol.lean.back();
    return at;
  }
  const auto& time = timed.time_s;
  const int i = std::clamp(static_cast<int>(std::upper_bound(time.begin(), time.end(), t) - time.begin()) - 1, 0, n - 1);
  const double ds = timed.grid->s[i + 1] - timed.grid->s[i];
  const IntervalMotion motion(ds, sol.x[i], sol.u[i], sol.lean[i]);
  const double r = std::max(t - time[i], 0.0);
  at.s = std::min(timed.grid->s[i] + motion.Travel(r), timed.grid->s[i + 1]);
  at.speed.value = std::max(motion.Speed(r), 0.0);
  at.acceleration.value = motion.Acceleration(r);
  return at;
}

void JointMotionAt(const Path& path, const PathState& at, double* q, double* v, double* a) {
  const Side side = at.s < path.length() ? Side::kRight : Side::kLeft;
  path.Evaluate(at.s, side, q, v, a);
  const double x = Square(at.speed).value;
  for (int j = 0; j < path.joint_count(); ++j) {
    a[j] = a[j] * x + v[j] * at.acceleration.value;
    v[j] *= at.speed.value;
  }
}

Trajectory SampleTimedPath(const TimedPath& timed, double cycle_s) {
  Trajectory out;
  out.joint_names = timed.joint_names;
  const double duration = timed.duration_s();
  const int n = duration > 0 ? std::max(1, static_cast<int>(std::ceil(duration / cycle_s - 1e-9))) : 0;
  const double scale = n > 0 ? duration / (n * cycle_s) : 0;  // path time per sample time, at most 1
  const int joints = timed.path->joint_count();
  out.time_s.resize(n + 1);
  out.q.resize(joints, n + 1);
  out.v.resize(joints, n + 1);
  out.a.resize(joints, n + 1);
  for (int k = 0; k <= n; ++k) {
    out.time_s[k] = k * cycle_s;
    PathState at = PathStateAt(timed, k == n ? duration : k * cycle_s * scale);
    at.speed.value *= scale;
    at.acceleration.value *= scale * scale;
    if (k == n && at.speed.value == 0) at.acceleration.value = 0;  // arrived: at rest, not still braking
    JointMotionAt(*timed.path, at, out.q.col(k).data(), out.v.col(k).data(), out.a.col(k).data());
  }
  return out;
}

}  // namespace torqued
