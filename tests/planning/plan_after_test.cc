// What a plan does when the source misbehaves, when limits are missing, and after it stands: stops, override, explanation.
#include "client/planning/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/planning/explain.h"
#include "tests/planning/robots.h"

namespace torqued {
namespace {

using ::testing::HasSubstr;
using test::Dry;
using test::Local;
using test::TwoLink;
using test::Vector;

constexpr double kPi = 3.14159265358979323846;

// A source that changes its revision, or fails, at the n-th call.
class Restless : public DynamicsSource {
 public:
  Restless(std::unique_ptr<LocalDynamics> inner, int change_at, absl::Status failure = absl::OkStatus())
      : inner_(std::move(inner)), change_at_(change_at), failure_(failure) {}
  absl::StatusOr<RobotFacts> Facts() override { return Named(inner_->Facts()); }
  absl::StatusOr<PathCoefficients> PathDynamics(const Eigen::MatrixXd& q, const Eigen::MatrixXd& dq, const Eigen::MatrixXd& ddq) override {
    return Named(inner_->PathDynamics(q, dq, ddq));
  }
  absl::StatusOr<TorqueAnswer> InverseDynamics(const Eigen::MatrixXd& q, const Eigen::MatrixXd& v, const Eigen::MatrixXd& a) override {
    return Named(inner_->InverseDynamics(q, v, a));
  }
  absl::StatusOr<FrameAnswer> Frames(const Eigen::MatrixXd& q, bool jacobians) override { return Named(inner_->Frames(q, jacobians)); }
  absl::StatusOr<PoseAnswer> InverseKinematics(const Eigen::Isometry3d& X, const Eigen::VectorXd& seed) override {
    return Named(inner_->InverseKinematics(X, seed));
  }
  int calls = 0, dynamics_calls = 0;
  bool always = false;

 private:
  template <class T>
  absl::StatusOr<T> Named(absl::StatusOr<T> answer) {
    ++calls;
    if (calls >= change_at_ && !failure_.ok()) return failure_;
    if (always || calls == change_at_) ++revision_;
    if (answer.ok()) answer->revision = "r" + std::to_string(revision_);
    return answer;
  }
  std::unique_ptr<LocalDynamics> inner_;
  int change_at_, revision_ = 0;
  absl::Status failure_;
};

TEST(Plan, ModelThatChangesIsPlannedAgain) {
  const auto from = Vector({-kPi / 2, 0}), to = Vector({kPi / 4, -kPi / 3});
  for (int at : {2, 3, 4, 5, 6, 7}) {
    Restless once(Local(TwoLink(35, 12)), at);
    const auto plan = PlanPtp(once, from, to);
    ASSERT_TRUE(plan.ok()) << at << plan.status();
    EXPECT_NEAR(plan->timed->duration_s(), 0.7358280221, 2e-3);
  }
  Restless restless(Local(TwoLink(35, 12)), 1000000);
  restless.always = true;
  const auto never = PlanPtp(restless, from, to);
  EXPECT_EQ(never.status().code(), absl::StatusCode::kAborted);
  EXPECT_THAT(std::string(never.status().message()), HasSubstr("revision changed"));
  for (int at = 1; at <= 4; ++at) {
    Restless lost(Local(TwoLink(35, 12)), at, absl::UnavailableError("draining"));
    EXPECT_EQ(PlanPtp(lost, from, to).status().code(), absl::StatusCode::kUnavailable) << at;
    Restless late(Local(TwoLink(35, 12)), at, absl::DeadlineExceededError("late"));
    EXPECT_EQ(PlanPtp(late, from, to).status().code(), absl::StatusCode::kDeadlineExceeded) << at;
  }
}

TEST(Plan, MissingLimitsAreSaid) {
  auto model = TwoLink(35, 12);
  auto source = Local(model);
  const auto plan = PlanPtp(*source, Vector({0, 0}), Vector({1, 1}));
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(plan->report.warnings, ::testing::Contains(HasSubstr("acceleration: the model has no limit for j1, j2")));
  PtpOptions trapezoid;
  trapezoid.kind = PtpKind::kTrapezoid;
  EXPECT_EQ(PlanPtp(*source, Vector({0, 0}), Vector({1, 1}), trapezoid).status().code(), absl::StatusCode::kFailedPrecondition);
  auto bare = std::make_shared<Model>(*model);
  for (Coordinate& c : bare->coordinates) c.limits.effort.reset();
  EXPECT_THAT(std::string(PlanPtp(*Local(bare), Vector({0, 0}), Vector({1, 1})).status().message()), HasSubstr("nothing limits"));
  auto narrow = std::make_shared<Model>(*model);
  narrow->coordinates[1].limits.upper = 0.5;
  EXPECT_THAT(std::string(PlanPtp(*Local(narrow), Vector({0, 0}), Vector({1, 1})).status().message()), HasSubstr("joint j2: the path reaches"));
}

TEST(Plan, StopsOnThePathFromAnywhere) {
  auto source = Local(TwoLink(35, 12));
  const auto plan = PlanPtp(*source, Vector({-kPi / 2, 0}), Vector({kPi / 4, -kPi / 3}));
  ASSERT_TRUE(plan.ok());
  const TimedPath& timed = *plan->timed;
  for (double share : {0.1, 0.3, 0.5, 0.7, 0.9}) {
    Trajectory stop = StopOnPath(timed, plan->stops, share * timed.duration_s(), 0.0005);
    ASSERT_GT(stop.sample_count(), 2);
    EXPECT_EQ(stop.v.rightCols(1).norm(), 0);
    const auto report = CheckTrajectory(*source, stop);
    ASSERT_TRUE(report.ok());
    EXPECT_LE(report->worst_torque_ratio, 1.01) << share;
    for (int k = 0; k < stop.sample_count(); ++k) {  // on the joint line
      const double r = (stop.q(0, k) + kPi / 2) / (0.75 * kPi);
      EXPECT_NEAR(stop.q(1, k), -kPi / 3 * r, 1e-9);
    }
    EXPECT_LT(stop.duration_s(), timed.duration_s());
  }
}

TEST(Plan, OverrideKnowsTheVertex) {
  OverrideTorque t{-1, 4, -3};  // A + B s + C s^2: peak 1/3 at s = 2/3, |A| = 1
  double sigma = -1;
  EXPECT_EQ(t.Worst(&sigma), 1);
  EXPECT_EQ(sigma, 0);
  t = {1, 4, -3};
  EXPECT_NEAR(t.Worst(&sigma), 1 + 4.0 / 3, 1e-12);
  EXPECT_NEAR(sigma, 2.0 / 3, 1e-12);
  auto source = Local(TwoLink(35, 12, Dry(0.5, 0.4)));
  const auto plan = PlanPtp(*source, Vector({-kPi / 2, 0}), Vector({kPi / 4, -kPi / 3}));
  ASSERT_TRUE(plan.ok());
  // The same motion at 60 %: full inverse dynamics agrees with A + B sigma + C sigma^2.
  const TimedPath& timed = *plan->timed;
  for (int point : {50, 200, 350}) {
    PathState at = PathStateAt(timed, timed.time_s[point]);
    at.speed.value *= 0.6, at.acceleration.value *= 0.36;
    Eigen::VectorXd q(2), v(2), a(2);
    JointMotionAt(*timed.path, at, q.data(), v.data(), a.data());
    const auto tau = source->InverseDynamics(q, v, a);
    for (int j = 0; j < 2; ++j) EXPECT_NEAR(OverrideTorqueAt(timed, point, j).At(0.6), tau->tau(j, 0), 1e-6);
    const RampRange ramp = OverrideRamp(timed, point, 0.6);
    EXPECT_LT(ramp.low, 0);
    EXPECT_GT(ramp.high, 0);
  }
}

TEST(Plan, ExplainsWhatAddsUp) {
  auto source = Local(TwoLink(35, 12, Dry(0.5, 0.4)));
  const auto plan = PlanPtp(*source, Vector({-kPi / 2, 0}), Vector({kPi / 4, -kPi / 3}));
  ASSERT_TRUE(plan.ok());
  const double t = 0.4 * plan->timed->duration_s();
  const auto why = ExplainAt(*plan->timed, t);
  ASSERT_TRUE(why.ok());
  Eigen::VectorXd q(2), v(2), a(2);
  JointMotionAt(*plan->timed->path, PathStateAt(*plan->timed, t), q.data(), v.data(), a.data());
  const auto tau = source->InverseDynamics(q, v, a);
  for (int j = 0; j < 2; ++j) EXPECT_NEAR(why->joints[j].torque, tau->tau(j, 0), 1e-3);
  EXPECT_THAT(why->text, HasSubstr("bound by: torque"));
  EXPECT_FALSE(ExplainAt(*plan->timed, 99).ok());
}

}  // namespace
}  // namespace torqued
