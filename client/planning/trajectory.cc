#include "client/planning/trajectory.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace torqued {
namespace {

absl::Status CheckMatrix(const char* name, const Eigen::MatrixXd& m, int joints, int samples) {
  if (m.rows() != joints || m.cols() != samples)
    return absl::InvalidArgumentError(absl::StrCat("trajectory ", name, ": ", m.rows(), " x ", m.cols(), ", want ",
                                                   joints, " joints x ", samples, " samples"));
  for (int k = 0; k < samples; ++k)
    for (int j = 0; j < joints; ++j)
      if (!std::isfinite(m(j, k)))
        return absl::InvalidArgumentError(
            absl::StrCat("trajectory ", name, "[joint ", j, ", sample ", k, "]: not finite, want a number"));
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckShape(const Trajectory& t) {
  const int joints = t.joint_count(), samples = t.sample_count();
  if (joints == 0) return absl::InvalidArgumentError("trajectory joint_names: empty, want at least one joint");
  if (samples == 0) return absl::InvalidArgumentError("trajectory time_s: empty, want at least one sample");
  for (int k = 0; k < samples; ++k) {
    if (!std::isfinite(t.time_s[k]))
      return absl::InvalidArgumentError(absl::StrCat("trajectory time_s[", k, "]: not finite, want a number"));
    if (k > 0 && !(t.time_s[k] > t.time_s[k - 1]))
      return absl::InvalidArgumentError(absl::StrCat("trajectory time_s[", k, "]: ", t.time_s[k],
                                                     ", want more than its predecessor's ", t.time_s[k - 1]));
  }
  absl::Status status = CheckMatrix("q", t.q, joints, samples);
  status.Update(CheckMatrix("v", t.v, joints, samples));
  status.Update(CheckMatrix("a", t.a, joints, samples));
  if (t.tau.size() > 0) status.Update(CheckMatrix("tau", t.tau, joints, samples));
  return status;
}

void SampleAt(const Trajectory& trajectory, double t, TrajectorySample& out) {
  const int n = trajectory.sample_count();
  const bool has_tau = trajectory.has_tau();
  const auto& time = trajectory.time_s;
  if (n == 1 || !(t > time.front()) || !(t < time.back())) {
    const int k = n == 1 || !(t > time.front()) ? 0 : n - 1;
    out.q = trajectory.q.col(k);
    out.v = trajectory.v.col(k);
    out.a = trajectory.a.col(k);
    if (has_tau) out.tau = trajectory.tau.col(k);
    else out.tau.resize(0);
    return;
  }
  const int k = static_cast<int>(std::upper_bound(time.begin(), time.end(), t) - time.begin()) - 1;
  const double h = time[k + 1] - time[k], r = (t - time[k]) / h;
  const int joints = trajectory.joint_count();
  out.q.resize(joints);
  out.v.resize(joints);
  out.a.resize(joints);
  out.tau.resize(has_tau ? joints : 0);
  for (int j = 0; j < joints; ++j) {
    // q(r) = q0 + v0 h r + a0 h^2 r^2 / 2 + (10 A - 4 B + C/2) r^3 + (-15 A + 7 B - C) r^4 + (6 A - 3 B + C/2) r^5,
    // with A, B, C what the first three terms leave at r = 1 of position, rate and curvature.
    const double v0 = trajectory.v(j, k) * h, a0 = trajectory.a(j, k) * h * h;
    const double A = trajectory.q(j, k + 1) - trajectory.q(j, k) - v0 - a0 / 2;
    const double B = trajectory.v(j, k + 1) * h - v0 - a0;
    const double C = trajectory.a(j, k + 1) * h * h - a0;
    const double c3 = 10 * A - 4 * B + C / 2, c4 = -15 * A + 7 * B - C, c5 = 6 * A - 3 * B + C / 2;
    out.q(j) = trajectory.q(j, k) + r * (v0 + r * (a0 / 2 + r * (c3 + r * (c4 + r * c5))));
    out.v(j) = (v0 + r * (a0 + r * (3 * c3 + r * (4 * c4 + r * 5 * c5)))) / h;
    out.a(j) = (a0 + r * (6 * c3 + r * (12 * c4 + r * 20 * c5))) / (h * h);
    if (has_tau) out.tau(j) = (1 - r) * trajectory.tau(j, k) + r * trajectory.tau(j, k + 1);
  }
}

}  // namespace torqued
