// Path timing against closed forms and numbers solved by other methods (bang-bang integration, quadrature).
#include "client/planning/time_optimal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "client/planning/path_timing.h"
#include "client/planning/polynomial_path.h"
#include "tests/planning/robots.h"

namespace torqued {
namespace {

using test::Dry;
using test::Local;
using test::Pendulum;
using test::TwoLink;

constexpr double kPi = 3.14159265358979323846;

class Circle : public Path {
 public:
  explicit Circle(double angle) : angle_(angle) {}
  int joint_count() const override { return 2; }
  double length() const override { return angle_; }
  const std::vector<Break>& breaks() const override { return breaks_; }
  void Evaluate(double s, Side, double* q, double* dq, double* ddq) const override {
    q[0] = std::cos(s), q[1] = std::sin(s);
    dq[0] = -q[1], dq[1] = q[0];
    ddq[0] = -q[0], ddq[1] = -q[1];
  }

 private:
  double angle_;
  std::vector<Break> breaks_;
};

MotionLimits Unlimited(int n) {
  MotionLimits l;
  l.lower = Eigen::VectorXd::Constant(n, -HUGE_VAL);
  l.upper = l.velocity = l.acceleration = l.jerk = l.torque = Eigen::VectorXd::Constant(n, HUGE_VAL);
  return l;
}

TimingSolution SolveKinematic(const Path& path, const Eigen::VectorXd& v, const Eigen::VectorXd& a, int intervals,
                              PathSpeed start = PathSpeed(0), PathSpeed end = PathSpeed(0)) {
  const std::vector<bool> dry(path.joint_count(), false);
  const PathGrid grid = MakeGrid(path, intervals, dry);
  TimingProblem p;
  p.grid = &grid;
  p.limits = Unlimited(path.joint_count());
  p.limits.velocity = v;
  p.limits.acceleration = a;
  p.friction.resize(path.joint_count());
  TimeOptimalSolver solver;
  return solver.Solve(p, {start, end, 0});
}

TimingSolution SolveTorque(std::shared_ptr<Model> model, const Path& path, int intervals) {
  auto source = Local(model);
  const RobotFacts facts = source->Facts().value();
  std::vector<bool> dry;
  for (const Friction& f : facts.friction) dry.push_back(f.coulomb_positive > 0);
  const PathGrid grid = MakeGrid(path, intervals, dry);
  const PathCoefficients k = source->PathDynamics(grid.q, grid.dq, grid.ddq).value();
  TimingProblem p;
  p.grid = &grid;
  p.m = k.m, p.c = k.c, p.g = k.g;
  p.limits = ScaledLimits(facts, {}).value();
  p.friction = facts.friction;
  TimeOptimalSolver solver;
  return solver.Solve(p, {});
}

std::shared_ptr<const Path> Line(std::vector<double> from, std::vector<double> to) {
  return JointLine(Eigen::Map<Eigen::VectorXd>(from.data(), from.size()), Eigen::Map<Eigen::VectorXd>(to.data(), to.size()))
      ->path;
}

Eigen::VectorXd Same(int n, double value) { return Eigen::VectorXd::Constant(n, value); }

// |a| <= 1 on both axes of the unit circle. On the grid of a plan within 0.02 %, on a fine one to 1e-6.
TEST(TimeOptimal, CircleRestToRest) {
  const struct { double angle, duration; } cases[] = {{kPi / 2, 2.5492881074}, {2 * kPi, 7.1431052929}};
  for (const auto& c : cases) {
    const TimingSolution plan = SolveKinematic(Circle(c.angle), Same(2, HUGE_VAL), Same(2, 1), 500);
    ASSERT_TRUE(plan.feasible);
    EXPECT_NEAR(plan.duration_s, c.duration, 2e-4 * c.duration);
    const TimingSolution fine = SolveKinematic(Circle(c.angle), Same(2, HUGE_VAL), Same(2, 1), 8000);
    ASSERT_TRUE(fine.feasible);
    EXPECT_NEAR(fine.duration_s, c.duration, 1e-6 * c.duration);
  }
}

// Lap after lap: eight arcs on each of which one axis has its full acceleration. 1 - cos s = t^2 / 2 until s = pi / 4.
TEST(TimeOptimal, CircleFlyingLap) {
  const double lap = 16 * std::sin(kPi / 8);
  EXPECT_NEAR(lap, 6.1229349, 5e-8);
  for (const auto& [intervals, tolerance] : {std::pair<int, double>{500, 2e-5}, {1000, 1e-6}}) {
    const TimingSolution t = SolveKinematic(Circle(2 * kPi), Same(2, HUGE_VAL), Same(2, 1), intervals, PathSpeed(1), PathSpeed(1));
    ASSERT_TRUE(t.feasible);
    EXPECT_NEAR(t.duration_s, lap, tolerance * lap);
  }
}

// The start speed is a speed, not its square: 2 sqrt((2 a d + v0^2) / 2) / a - v0 / a.
TEST(TimeOptimal, StartsAtSpeed) {
  const TimingSolution t = SolveKinematic(*Line({0}, {1}), Same(1, 2), Same(1, 1), 500, PathSpeed(0.5));
  ASSERT_TRUE(t.feasible);
  EXPECT_NEAR(t.duration_s, 1.6213203435596424, 2e-6);
  EXPECT_DOUBLE_EQ(std::sqrt(t.x[0]), 0.5);
}

TEST(TimeOptimal, MicronsAreNotCapped) {
  Eigen::VectorXd from(6), to(6);
  from << -9.089468271438139e-07, -0.46400441351211447, -0.5760014655483718, -3.9375206752326924e-07, -1.6999970211081608,
      5.429519493702008e-06;
  to << 0, -0.464, -0.576, 0, -1.7, 0;
  const auto path = JointLine(from, to)->path;
  const TimingSolution t = SolveKinematic(*path, Same(6, 3), Same(6, 4), 300);
  ASSERT_TRUE(t.feasible);
  EXPECT_NEAR(t.duration_s, 0.0023301329347704624, 1e-6 * 0.00233);
}

TEST(TimeOptimal, ReversalStopsAndOnlyThere) {
  Eigen::MatrixXd w(3, 3);
  w << 0, 1, 0, 0, 0, 0, 0, 0, 0;
  const auto built = Polyline(w, std::vector<BlendSize>(3, {0, 0.01}));
  ASSERT_TRUE(built.ok());
  const TimingSolution t = SolveKinematic(*built->path, Same(3, 0.1), Same(3, 0.5), 400);
  ASSERT_TRUE(t.feasible);
  EXPECT_NEAR(t.duration_s, 20.4, 1e-3);
}

TEST(TimeOptimal, PendulumSwingsUp) {
  const auto path = Line({-kPi / 2}, {kPi / 2});
  const struct { double torque, duration; } cases[] = {{15, 0.9554663610}, {12, 1.1014432660}, {9, 1.4000962719}};
  for (const auto& c : cases) {
    const TimingSolution t = SolveTorque(Pendulum(c.torque), *path, 500);
    ASSERT_TRUE(t.feasible) << c.torque;
    EXPECT_NEAR(t.duration_s, c.duration, 2e-3 * c.duration) << c.torque;
  }
  // Full torque T all the way gives the largest kinetic energy at every angle, E(q) = T (q + pi/2) - 9.81 (1 + sin q). With
  // T < 9.81 it falls while gravity wins and is least at q* = +acos(T / 9.81): without falling back, E(q*) >= 0 is necessary,
  // and enough, since E rises from there. E(q*) = 0 where cos q* (q* + pi/2) = 1 + sin q*: T = 7.1084 Nm. The energy at the very
  // top, E(pi/2) >= 0, asks for 19.62 / pi = 6.2452 Nm only: necessary, but E(q*) is -2.06 J there.
  const auto least_energy = [](double torque) {
    const double q = std::acos(torque / 9.81);
    return torque * (q + kPi / 2) - 9.81 * (1 + std::sin(q));
  };
  EXPECT_NEAR(least_energy(19.62 / kPi), -2.06, 0.01);
  EXPECT_LT(least_energy(7.108), 0);
  EXPECT_GT(least_energy(7.109), 0);
  double lo = 0.5, hi = 1.2;
  for (int k = 0; k < 60; ++k) {
    const double q = 0.5 * (lo + hi);
    (std::cos(q) * (q + kPi / 2) > 1 + std::sin(q) ? lo : hi) = q;
  }
  const double least = 9.81 * std::cos(lo);
  EXPECT_GT(least, 19.62 / kPi);
  EXPECT_NEAR(least, 7.1084, 5e-5);
  for (double torque : {6.0, 6.24, 6.25, 7.0, 0.999 * least}) EXPECT_FALSE(SolveTorque(Pendulum(torque), *path, 500).feasible) << torque;
  EXPECT_TRUE(SolveTorque(Pendulum(1.003 * least), *path, 500).feasible);
}

TEST(TimeOptimal, PendulumWithFriction) {
  const auto path = Line({-kPi / 2}, {kPi / 2});
  const TimingSolution t = SolveTorque(Pendulum(15, Dry(1, 0.5)), *path, 500);
  ASSERT_TRUE(t.feasible);
  EXPECT_NEAR(t.duration_s, 1.0251470407, 2e-3 * 1.0251470407);
}

TEST(TimeOptimal, TwoLinkJointLine) {
  const auto path = Line({-kPi / 2, 0}, {kPi / 4, -kPi / 3});
  const struct { double fc, fv, duration; } cases[] = {
      {0, 0, 0.7358280221}, {0.5, 0, 0.7401995770}, {0.5, 0.4, 0.7488226982}, {0.5, 4, 0.8575099614}};
  for (const auto& c : cases) {
    const TimingSolution t = SolveTorque(TwoLink(35, 12, Dry(c.fc, c.fv)), *path, 500);
    ASSERT_TRUE(t.feasible) << c.fc << " " << c.fv;
    EXPECT_NEAR(t.duration_s, c.duration, 2e-3 * c.duration) << c.fc << " " << c.fv;
  }
}

// A straight joint line of the 2R arm keeps m_j of one sign or the other; where it changes, the grid has a point.
TEST(TimeOptimal, GridHasZeroInertiaPoints) {
  Eigen::MatrixXd w(2, 4);
  w << 0, 1, 0.2, 1.4, 0, -1, 1, 0.3;
  const auto path = JointSpline(w, SplineKind::kCubic)->path;
  auto source = Local(TwoLink(60, 30));
  TimingOptions options;
  options.intervals = 300;
  const auto m = TimePath(*source, path, options);
  ASSERT_TRUE(m.ok()) << m.status();
  const PathGrid& grid = *m->timed.grid;
  const PathCoefficients exact = source->PathDynamics(grid.q, grid.dq, grid.ddq).value();
  EXPECT_LE((exact.m - m->timed.problem.m).cwiseAbs().maxCoeff(), 1e-6 * exact.m.cwiseAbs().maxCoeff());
  EXPECT_LE((exact.c - m->timed.problem.c).cwiseAbs().maxCoeff(), 1e-6 * exact.c.cwiseAbs().maxCoeff());
  EXPECT_LE((exact.g - m->timed.problem.g).cwiseAbs().maxCoeff(), 1e-6 * exact.g.cwiseAbs().maxCoeff());
  int crossings = 0;
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i + 1 < grid.intervals(); ++i) {
      const double before = exact.m(j, grid.right[i]), after = exact.m(j, grid.left[i + 1]);
      const double beyond = exact.m(j, grid.left[i + 2]), rounding = 1e-5 * exact.m.row(j).cwiseAbs().maxCoeff();
      // A change of sign comes about at a point of the grid, or within 2 % of an interval from one.
      if (before * beyond < 0 && std::abs(after) < rounding) ++crossings;
      if (before * after < 0) {
        EXPECT_LE(std::min(std::abs(before), std::abs(after)), std::max(rounding, 0.03 * std::abs(before - after)));
      }
    }
  EXPECT_GE(crossings, 2);
}

}  // namespace
}  // namespace torqued
