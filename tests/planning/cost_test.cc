// What does a plan cost? Two calls for dynamics, and no allocation in the solver once it knows its grid.
#include <gtest/gtest.h>

#include "client/planning/path_timing.h"
#include "client/planning/timing_problem.h"
#include "tests/dynamics/allocations.h"
#include "tests/planning/random_arms.h"

namespace torqued {
namespace {

using test::DrawCase;
using test::Local;

class Counted : public DynamicsSource {
 public:
  explicit Counted(DynamicsSource& inner) : inner_(inner) {}
  absl::StatusOr<RobotFacts> Facts() override { return ++facts, inner_.Facts(); }
  absl::StatusOr<PathCoefficients> PathDynamics(const Eigen::MatrixXd& q, const Eigen::MatrixXd& dq, const Eigen::MatrixXd& ddq) override {
    return ++path_dynamics, inner_.PathDynamics(q, dq, ddq);
  }
  absl::StatusOr<TorqueAnswer> InverseDynamics(const Eigen::MatrixXd& q, const Eigen::MatrixXd& v, const Eigen::MatrixXd& a) override {
    return ++inverse_dynamics, inner_.InverseDynamics(q, v, a);
  }
  absl::StatusOr<FrameAnswer> Frames(const Eigen::MatrixXd& q, bool jacobians) override { return ++others, inner_.Frames(q, jacobians); }
  absl::StatusOr<PoseAnswer> InverseKinematics(const Eigen::Isometry3d& X, const Eigen::VectorXd& seed) override {
    return ++others, inner_.InverseKinematics(X, seed);
  }
  int facts = 0, path_dynamics = 0, inverse_dynamics = 0, others = 0;

 private:
  DynamicsSource& inner_;
};

// One for the coefficients, one to verify; a second verification only where samples passed a limit by more than 0.09 %.
TEST(Cost, TwoDynamicsCallsPerPlan) {
  int planned = 0, verified = 0;
  for (int seed = 1; seed <= 40; ++seed) {
    const test::RandomCase c = DrawCase(seed);
    auto local = Local(c.model, c.options);
    Counted source(*local);
    TimingOptions options;
    options.intervals = 500;
    const auto m = TimePath(source, c.path, options);
    if (!m.ok() || m->timed.rung != Rung::kGrid) continue;
    ++planned;
    verified += source.inverse_dynamics;
    EXPECT_EQ(source.path_dynamics, 1) << c.what;
    EXPECT_EQ(source.others, 0) << c.what;
    EXPECT_LE(source.inverse_dynamics, 3) << c.what;
  }
  EXPECT_GE(planned, 25);
  EXPECT_LE(verified, planned * 1.2);
}

TEST(Cost, SolverDoesNotAllocate) {
  for (int seed : {1, 2, 4, 16}) {  // without friction, with viscous friction, with dry friction
    const test::RandomCase c = DrawCase(seed);
    auto source = Local(c.model, c.options);
    const RobotFacts facts = source->Facts().value();
    const MotionLimits limits = ScaledLimits(facts, {}).value();
    std::shared_ptr<const PathGrid> grid;
    TimingProblem problem;
    ASSERT_TRUE(AskTimingProblem(*source, *c.path, facts, limits, {}, 500, grid, problem).ok());
    TimeOptimalSolver solver;
    const double first = solver.Solve(problem, {}).duration_s;
    const long before = AllocationCount();
    const TimingSolution& again = solver.Solve(problem, {});
    const long during = AllocationCount() - before;
    EXPECT_EQ(during, 0) << c.what;
    EXPECT_TRUE(again.feasible);
    EXPECT_EQ(again.duration_s, first);
  }
}

}  // namespace
}  // namespace torqued
