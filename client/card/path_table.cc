#include "client/card/path_table.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "absl/strings/str_cat.h"
#include "server/core/dynamics/inverse_dynamics.h"

namespace torqued {

TorqueBatch ModelTorques(const Prepared& model) {
  return [&model](const Eigen::MatrixXd& q, const Eigen::MatrixXd& v, const Eigen::MatrixXd& a) -> absl::StatusOr<Eigen::MatrixXd> {
    if (q.rows() != model.nq) return absl::InvalidArgumentError(absl::StrCat("torques: ", q.rows(), " joints, want ", model.nq));
    Workspace<double> ws(model);
    const Conditions conditions(model);
    Eigen::MatrixXd tau(model.nv, q.cols());
    for (Eigen::Index k = 0; k < q.cols(); ++k)
      InverseDynamics<double>(model, conditions, q.col(k).data(), v.col(k).data(), a.col(k).data(), ws, tau.col(k).data());
    return tau;
  };
}

namespace {

// Rows of the trajectory in the card's axis order.
absl::StatusOr<std::vector<int>> AxisRows(const Trajectory& t, const CardConfig& config) {
  std::vector<int> rows;
  for (const AxisConfig& axis : config.axes) {
    const auto at = std::find(t.joint_names.begin(), t.joint_names.end(), axis.name);
    if (at == t.joint_names.end())
      return absl::InvalidArgumentError(absl::StrCat("trajectory joint_names: no '", axis.name, "', which the card drives"));
    rows.push_back(static_cast<int>(at - t.joint_names.begin()));
  }
  if (t.joint_count() != config.axis_count())
    return absl::InvalidArgumentError(absl::StrCat("trajectory joint_names: ", t.joint_count(), " joints, the card drives ", config.axis_count()));
  return rows;
}

}  // namespace

absl::StatusOr<PathTable> PathTable::Make(const Trajectory& t, const CardConfig& config, const TorqueBatch& torques) {
  if (absl::Status s = CheckShape(t); !s.ok()) return s;
  const auto rows = AxisRows(t, config);
  if (!rows.ok()) return rows.status();
  const int n = t.sample_count(), axes = config.axis_count();
  for (int k : {0, n - 1})
    for (int i = 0; i < axes; ++i)
      if (std::abs(t.v((*rows)[i], k)) > config.axes[i].standstill)
        return absl::InvalidArgumentError(absl::StrCat("trajectory v[joint ", config.axes[i].name, ", sample ", k, "]: ", t.v((*rows)[i], k),
                                                       ", want 0 at both ends of a motion"));
  PathTable out;
  out.axes_ = axes;
  out.points_.resize(n);
  for (int k = 0; k < n; ++k) {
    out.time_.push_back(t.time_s[k] - t.time_s[0]);
    for (int i = 0; i < axes; ++i) {
      const int r = (*rows)[i];
      PathPoint& p = out.points_[k];
      p.q[i] = t.q(r, k);
      p.dq[i] = t.v(r, k);
      p.ddq[i] = t.a(r, k);
      if (t.has_tau()) {
        const double share = n > 1 ? out.time_[k] / (t.time_s[n - 1] - t.time_s[0]) : 0;
        p.a0[i] = (1 - share) * t.tau(r, 0) + share * t.tau(r, n - 1);
        p.a2[i] = t.tau(r, k) - p.a0[i];
      }
    }
  }
  out.knows_torque_ = t.has_tau();
  if (!torques) return out;

  const int joints = t.joint_count();
  const Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(joints, n);
  Eigen::MatrixXd q(joints, 5 * n), v(joints, 5 * n), a(joints, 5 * n);
  q << t.q, t.q, t.q, t.q, t.q;
  v << t.v, 0.5 * t.v, 0.25 * t.v, zero, zero;
  a << t.a, 0.25 * t.a, 0.0625 * t.a, t.v, zero;
  const auto tau = torques(q, v, a);
  if (!tau.ok()) return tau.status();
  if (tau->rows() != joints || tau->cols() != 5 * n || !tau->allFinite())
    return absl::InvalidArgumentError(absl::StrCat("torque source: ", tau->rows(), " x ", tau->cols(), " finite values wanted ", joints, " x ", 5 * n));
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < axes; ++i) {
      const int r = (*rows)[i];
      const double T1 = (*tau)(r, k), T2 = (*tau)(r, n + k), T4 = (*tau)(r, 2 * n + k);
      PathPoint& p = out.points_[k];
      p.a2[i] = 8.0 / 3.0 * (T1 - 3 * T2 + 2 * T4);
      p.a1[i] = 2 * (T1 - T2) - 1.5 * p.a2[i];
      p.a0[i] = T1 - p.a1[i] - p.a2[i];
      p.ad[i] = (*tau)(r, 3 * n + k) - (*tau)(r, 4 * n + k);
    }
  }
  out.knows_torque_ = out.exact_torque_ = true;
  return out;
}

void PathTable::At(double s, int* hint, PathPoint* out) const noexcept {
  const int n = static_cast<int>(time_.size());
  if (n == 1 || s <= 0) {
    *out = points_.front();
    return;
  }
  if (s >= time_.back()) {
    *out = points_.back();
    return;
  }
  int k = std::clamp(*hint, 0, n - 2);
  while (k + 2 < n && time_[k + 1] <= s) ++k;
  while (k > 0 && time_[k] > s) --k;
  *hint = k;
  const PathPoint &l = points_[k], &m = points_[k + 1];
  const double h = time_[k + 1] - time_[k], r = (s - time_[k]) / h;
  for (int i = 0; i < axes_; ++i) {
    // Quintic: the first three Taylor terms at the left, the rest meets position, slope and curvature at the right.
    const double v0 = l.dq[i] * h, c0 = l.ddq[i] * h * h;
    const double e0 = m.q[i] - l.q[i] - v0 - c0 / 2, e1 = m.dq[i] * h - v0 - c0, e2 = m.ddq[i] * h * h - c0;
    const double c3 = 10 * e0 - 4 * e1 + e2 / 2, c4 = -15 * e0 + 7 * e1 - e2, c5 = 6 * e0 - 3 * e1 + e2 / 2;
    out->q[i] = l.q[i] + r * (v0 + r * (c0 / 2 + r * (c3 + r * (c4 + r * c5))));
    out->dq[i] = (v0 + r * (c0 + r * (3 * c3 + r * (4 * c4 + r * 5 * c5)))) / h;
    out->ddq[i] = (c0 + r * (6 * c3 + r * (12 * c4 + r * 20 * c5))) / (h * h);
    out->a0[i] = l.a0[i] + r * (m.a0[i] - l.a0[i]);
    out->a1[i] = l.a1[i] + r * (m.a1[i] - l.a1[i]);
    out->a2[i] = l.a2[i] + r * (m.a2[i] - l.a2[i]);
    out->ad[i] = l.ad[i] + r * (m.ad[i] - l.ad[i]);
  }
}

}  // namespace torqued
