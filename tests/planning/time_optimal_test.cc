// Path timing against closed forms and numbers solved by other methods (bang-bang integration, quadrature).
#include "client/planning/time_optimal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

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

TEST(TimeOptimal, CircleRestToRest) {
  const TimingSolution quarter = SolveKinematic(Circle(kPi / 2), Same(2, HUGE_VAL), Same(2, 1), 500);
  ASSERT_TRUE(quarter.feasible);
  EXPECT_NEAR(quarter.duration_s, 2.5492881074, 2e-3 * 2.5492881074);
  const TimingSolution full = SolveKinematic(Circle(2 * kPi), Same(2, HUGE_VAL), Same(2, 1), 500);
  ASSERT_TRUE(full.feasible);
  EXPECT_NEAR(full.duration_s, 7.1431052929, 2e-3 * 7.1431052929);
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
  // Without falling back it must pass the second place where gravity equals the torque, q* > 0 with
  // cos q* (q* + pi/2) = 1 + sin q*: 7.1066 Nm. (The energy to the very top alone asks for 19.62 / pi = 6.2452 Nm.)
  double lo = 0.5, hi = 1.2;
  for (int k = 0; k < 60; ++k) {
    const double q = 0.5 * (lo + hi);
    (std::cos(q) * (q + kPi / 2) > 1 + std::sin(q) ? lo : hi) = q;
  }
  const double least = 9.81 * std::cos(lo);
  EXPECT_GT(least, 19.62 / kPi);
  for (double torque : {6.0, 6.24, 0.999 * least}) EXPECT_FALSE(SolveTorque(Pendulum(torque), *path, 500).feasible) << torque;
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

}  // namespace
}  // namespace torqued
