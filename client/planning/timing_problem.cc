#include "client/planning/timing_problem.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/planning/infeasible.h"

namespace torqued {
namespace {

constexpr int kProbes = 6;  // columns of the self-test

const struct { double alpha, beta; } kProbe[2] = {{0.7, 0.4}, {1.6, -0.9}};

absl::Status CheckPositions(const PathGrid& grid, const Path& path, const RobotFacts& facts, const MotionLimits& limits) {
  for (Eigen::Index c = 0; c < grid.q.cols(); ++c)
    for (int j = 0; j < grid.joint_count(); ++j) {
      const double q = grid.q(j, c), slack = 1e-9 * std::max(1.0, std::abs(q));
      if (q < limits.lower(j) - slack || q > limits.upper(j) + slack)
        return UnreachableError(
            absl::StrFormat("joint %s: the path reaches %.6g at %.1f %%, allowed %.6g to %.6g", facts.joint_names[j], q,
                            100 * grid.column_s[c] / path.length(), limits.lower(j), limits.upper(j)));
    }
  return absl::OkStatus();
}

void FillTool(const PathGrid& grid, const TimingOptions& options, ToolMotion& tool) {
  if (!options.tool || (options.tool_speed == 0 && options.tool_acceleration == 0)) return;
  const int columns = static_cast<int>(grid.q.cols());
  tool.speed = options.tool_speed;
  tool.acceleration = options.tool_acceleration;
  tool.dp.resize(3, columns);
  tool.ddp.resize(3, columns);
  Eigen::Vector3d dp, ddp;
  for (size_t k = 0; k + 1 < grid.section_column.size(); ++k)
    for (int c = grid.section_column[k]; c < grid.section_column[k + 1]; ++c) {
      options.tool->Derivatives(grid.column_s[c], c + 1 == grid.section_column[k + 1] ? Side::kLeft : Side::kRight, dp, ddp);
      tool.dp.col(c) = dp;
      tool.ddp.col(c) = ddp;
    }
  tool.middle_dp.resize(3, grid.intervals());
  tool.middle_ddp.resize(3, grid.intervals());
  for (int i = 0; i < grid.intervals(); ++i) {
    options.tool->Derivatives(0.5 * (grid.s[i] + grid.s[i + 1]), Side::kRight, dp, ddp);
    tool.middle_dp.col(i) = dp;
    tool.middle_ddp.col(i) = ddp;
  }
}

absl::Status AskDynamics(DynamicsSource& source, const PathGrid& grid, const std::string& revision, TimingProblem& p) {
  const Eigen::Index columns = grid.q.cols();
  Eigen::MatrixXd q(grid.q.rows(), columns + kProbes), dq(q), ddq(q);
  q.leftCols(columns) = grid.q;
  dq.leftCols(columns) = grid.dq;
  ddq.leftCols(columns) = grid.ddq;
  for (int k = 0; k < kProbes; ++k) {
    const Eigen::Index at = columns * (k / 2 + 1) / 4;
    const auto [alpha, beta] = kProbe[k % 2];
    q.col(columns + k) = grid.q.col(at);
    dq.col(columns + k) = alpha * grid.dq.col(at);
    ddq.col(columns + k) = alpha * alpha * grid.ddq.col(at) + beta * grid.dq.col(at);
  }
  absl::StatusOr<PathCoefficients> answer = source.PathDynamics(q, dq, ddq);
  if (!answer.ok()) return answer.status();
  if (answer->revision != revision)
    return absl::AbortedError(absl::StrCat("model revision changed from ", revision, " to ", answer->revision,
                                           " while the path was planned"));
  for (const Eigen::MatrixXd* matrix : {&answer->m, &answer->c, &answer->g})
    if (matrix->rows() != q.rows() || matrix->cols() != q.cols() || !matrix->allFinite())
      return absl::InternalError("path dynamics answered coefficients of another size, or not finite");
  // tau must be quadratic in speed: c(alpha q', alpha^2 q'' + beta q') = alpha^2 c + beta m.
  for (int k = 0; k < kProbes; ++k) {
    const Eigen::Index at = columns * (k / 2 + 1) / 4;
    const auto [alpha, beta] = kProbe[k % 2];
    const Eigen::VectorXd want = alpha * alpha * answer->c.col(at) + beta * answer->m.col(at);
    const double scale = answer->c.col(at).norm() + answer->m.col(at).norm();
    if ((answer->c.col(columns + k) - want).norm() > 1e-9 * scale)
      return absl::FailedPreconditionError(absl::StrFormat(
          "the model's torque is not quadratic in speed (relative residual %.3g at column %d): path timing does not apply",
          (answer->c.col(columns + k) - want).norm() / scale, static_cast<int>(at)));
  }
  p.m = answer->m.leftCols(columns);
  p.c = answer->c.leftCols(columns);
  p.g = answer->g.leftCols(columns);
  return absl::OkStatus();
}

// Where m_j changes its sign between two points, from the cubic through four: there speed alone makes the torque of joint j.
std::vector<double> ZeroInertiaPoints(const PathGrid& grid, const TimingProblem& p) {
  std::vector<double> found;
  for (int j = 0; j < grid.joint_count(); ++j) {
    if (std::isinf(p.limits.torque(j))) continue;
    const double rounding = 1e-9 * p.m.row(j).cwiseAbs().maxCoeff();
    for (int i = 0; i < grid.intervals(); ++i) {
      const double from = p.m(j, grid.right[i]), to = p.m(j, grid.left[i + 1]);
      if (!((from > rounding && to < -rounding) || (from < -rounding && to > rounding))) continue;
      double lo = grid.s[i], hi = grid.s[i + 1];
      for (int step = 0; step < 40; ++step) {
        const double mid = 0.5 * (lo + hi);
        const ColumnWeights w = WeightsAt(grid, i, mid);
        double m = 0;
        for (int k = 0; k < w.count; ++k) m += w.weight[k] * p.m(j, w.first + k);
        ((m > 0) == (from > 0) ? lo : hi) = mid;
      }
      const double margin = 0.02 * (grid.s[i + 1] - grid.s[i]);
      if (lo > grid.s[i] + margin && lo < grid.s[i + 1] - margin) found.push_back(lo);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Adds them to the grid; the dynamics there from their neighbours by the same cubic (the finished plan is verified anyway).
void AlignToZeroInertia(const Path& path, PathGrid& grid, TimingProblem& p) {
  std::vector<double> extra;
  const double apart = 1e-4 * path.length() / grid.intervals();
  for (double s : ZeroInertiaPoints(grid, p))
    if (extra.empty() || s > extra.back() + apart) extra.push_back(s);
  if (extra.empty()) return;
  std::vector<int> source;
  PathGrid finer = WithPoints(path, grid, extra, source);
  for (Eigen::MatrixXd* coefficient : {&p.m, &p.c, &p.g}) {
    Eigen::MatrixXd more(coefficient->rows(), finer.q.cols());
    int interval = 0;
    for (Eigen::Index c = 0; c < more.cols(); ++c) {
      if (source[c] >= 0) {
        more.col(c) = coefficient->col(source[c]);
        continue;
      }
      while (grid.s[interval + 1] < finer.column_s[c]) ++interval;
      const ColumnWeights w = WeightsAt(grid, interval, finer.column_s[c]);
      more.col(c).setZero();
      for (int k = 0; k < w.count; ++k) more.col(c) += w.weight[k] * coefficient->col(w.first + k);
    }
    *coefficient = std::move(more);
  }
  grid = std::move(finer);
}

}  // namespace

absl::Status AskTimingProblem(DynamicsSource& source, const Path& path, const RobotFacts& facts, const MotionLimits& limits,
                              const TimingOptions& options, int intervals, std::shared_ptr<const PathGrid>& grid,
                              TimingProblem& problem) {
  std::vector<bool> dry;
  for (const Friction& f : facts.friction)
    dry.push_back(f.coulomb_positive != 0 || f.coulomb_negative != 0 || f.breakaway != 0);
  auto made = std::make_shared<PathGrid>(MakeGrid(path, std::clamp(intervals, 2, 100000), dry));
  if (!made->q.allFinite() || !made->dq.allFinite() || !made->ddq.allFinite())
    return absl::InvalidArgumentError("path: not finite somewhere, want numbers along its whole length");
  if (absl::Status s = CheckPositions(*made, path, facts, limits); !s.ok()) return s;
  problem = TimingProblem();
  problem.limits = limits;
  problem.friction = facts.friction;
  problem.caps = options.caps;
  problem.rest_start = options.start.value == 0;
  problem.rest_end = options.end.value == 0;
  if (!options.torque_limits) problem.limits.torque.setConstant(HUGE_VAL);
  if (problem.limits.torque.minCoeff() < HUGE_VAL) {
    if (absl::Status s = AskDynamics(source, *made, facts.revision, problem); !s.ok()) return s;
    AlignToZeroInertia(path, *made, problem);
  }
  FillTool(*made, options, problem.tool);
  problem.grid = made.get();
  grid = std::move(made);
  return absl::OkStatus();
}

}  // namespace torqued
