// The compute methods through a real server: right values, which agree with each other.
#include "tests/contract/contract.h"

#include <cmath>

namespace torqued {
namespace {

using ::testing::HasSubstr;
using testing::Contract;
using testing::kG;

// Two rods in the vertical plane, axes -y: at angle q the centre of a rod of half length 0.5 stands at 0.5 sin q above
// its joint. tau_1 = g (0.5 m c1 + m (c1 + 0.5 c12)), tau_2 = g 0.5 m c12.
TEST_F(Contract, StaticTorqueOfTwoRods) {
  const double q1 = 0.3, q2 = 0.4;
  v1::ComputeStaticTorqueResponse response;
  ASSERT_TRUE(Ask(About<v1::ComputeStaticTorqueRequest>("two", {q1, q2}), &response).ok());
  ASSERT_EQ(response.efforts().values_size(), 2);
  EXPECT_NEAR(response.efforts().values(0), kG * (1.5 * std::cos(q1) + 0.5 * std::cos(q1 + q2)), 1e-12);
  EXPECT_NEAR(response.efforts().values(1), kG * 0.5 * std::cos(q1 + q2), 1e-12);
  EXPECT_THAT(response.info().revision(), ::testing::MatchesRegex("models/two/revisions/[0-9a-f]+"));
  EXPECT_EQ(response.info().joint_names(1), "elbow");
}

TEST_F(Contract, AWrenchHasTwoSigns) {
  for (const auto exerter : {v1::EXERTER_ROBOT, v1::EXERTER_ENVIRONMENT}) {
    auto request = About<v1::ComputeStaticTorqueRequest>("bare", {0.0, M_PI / 2});
    request.mutable_context()->add_terms(v1::TERM_SPRINGS);
    for (const double x : {0.0, 10.0, 0.0, 0.0, 0.0, 0.0}) request.mutable_wrench()->add_values(x);
    request.mutable_wrench()->set_exerter(exerter);
    v1::ComputeStaticTorqueResponse response;
    const absl::Status status = Ask(request, &response);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_NEAR(response.efforts().values(0), exerter == v1::EXERTER_ROBOT ? 10 : -10, 1e-12);
    EXPECT_EQ(response.exerter(), exerter);
  }
  auto request = About<v1::ComputeStaticTorqueRequest>("bare", {0, 0});
  request.mutable_context()->add_terms(v1::TERM_SPRINGS);
  for (int i = 0; i < 6; ++i) request.mutable_wrench()->add_values(1);
  v1::ComputeStaticTorqueResponse response;
  ExpectError(Ask(request, &response), absl::StatusCode::kInvalidArgument, "wrench.exerter: not said", "EXERTER_UNSPECIFIED");
}

TEST_F(Contract, ForwardIsTheInverseOfInverse) {
  auto request = About<v1::ComputeInverseDynamicsRequest>("two", {0.3, 0.4, -1, 2});
  for (const double x : {1.0, -0.5, 0.2, 0.7}) request.mutable_velocities()->add_values(x);
  for (const double x : {2.0, 3.0, -1.0, 0.1}) request.mutable_accelerations()->add_values(x);
  request.mutable_context()->set_check(true);
  v1::ComputeInverseDynamicsResponse inverse;
  ASSERT_TRUE(Ask(request, &inverse).ok());
  EXPECT_EQ(inverse.info().sample_count(), 2);
  EXPECT_LT(inverse.info().check().newton_euler_vs_lagrange(), 1e-12);
  EXPECT_LT(inverse.info().check().mass_rate_vs_coriolis(), 1e-12);
  EXPECT_LT(inverse.info().check().power_balance(), 1e-12);
  v1::ComputeForwardDynamicsRequest back;
  *back.mutable_context() = request.context();
  *back.mutable_positions() = request.positions();
  *back.mutable_velocities() = request.velocities();
  *back.mutable_efforts() = inverse.efforts();
  v1::ComputeForwardDynamicsResponse forward;
  ASSERT_TRUE(Ask(back, &forward).ok());
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(forward.accelerations().values(i), request.accelerations().values(i), 1e-10);
}

TEST_F(Contract, APayloadWeighsAtItsPlace) {
  auto request = About<v1::ComputeStaticTorqueRequest>("two", {0, 0});
  auto* payload = request.mutable_context()->add_payloads();
  payload->set_frame("fore");
  payload->set_mass(2);
  payload->mutable_center_of_mass()->set_x(1);
  v1::ComputeStaticTorqueResponse response;
  ASSERT_TRUE(Ask(request, &response).ok());
  EXPECT_NEAR(response.efforts().values(0), kG * (2 + 2 * 2), 1e-12);
  EXPECT_NEAR(response.efforts().values(1), kG * (0.5 + 2), 1e-12);
}

TEST_F(Contract, EveryMethodAnswersAndAgrees) {
  const std::vector<double> q{0.3, 0.4};
  v1::ComputeEquationOfMotionResponse eom;
  ASSERT_TRUE(Ask(About<v1::ComputeEquationOfMotionRequest>("two", q), &eom).ok());
  EXPECT_EQ(eom.mass_matrix().values_size(), 4);
  EXPECT_EQ(eom.mass_matrix().values(1), eom.mass_matrix().values(2));
  v1::ComputeDerivativesResponse derivatives;
  ASSERT_TRUE(Ask(About<v1::ComputeDerivativesRequest>("two", q), &derivatives).ok());
  EXPECT_NEAR(derivatives.mass_matrix().values(1), eom.mass_matrix().values(1), 1e-13);
  v1::ComputeRegressorResponse regressor;
  ASSERT_TRUE(Ask(About<v1::ComputeRegressorRequest>("two", q), &regressor).ok());
  const int columns = regressor.regressor().cols();
  for (int i = 0; i < 2; ++i) {
    double tau = 0;
    for (int k = 0; k < columns; ++k) tau += regressor.regressor().values(i * columns + k) * regressor.parameters(k);
    EXPECT_NEAR(tau, eom.gravity().values(i), 1e-12);
  }
  v1::ComputeEnergyResponse energy;
  ASSERT_TRUE(Ask(About<v1::ComputeEnergyRequest>("two", q), &energy).ok());
  EXPECT_NEAR(energy.potential(0), kG * (1.5 * std::sin(0.3) + 0.5 * std::sin(0.7)), 1e-12);
  EXPECT_NEAR(energy.total_mass(), 2, 1e-15);
  auto breakdown_request = About<v1::ComputeTorqueBreakdownRequest>("two", q);
  for (const double x : {1.0, 2.0}) breakdown_request.mutable_velocities()->add_values(x);
  for (const double x : {0.5, -1.0}) breakdown_request.mutable_accelerations()->add_values(x);
  v1::ComputeTorqueBreakdownResponse breakdown;
  ASSERT_TRUE(Ask(breakdown_request, &breakdown).ok());
  ASSERT_EQ(breakdown.joints_size(), 2);
  for (const auto& joint : breakdown.joints()) {
    double sum = 0;
    for (const auto& term : joint.terms()) sum += term.effort();
    EXPECT_NEAR(sum, joint.effort(), 1e-12);
  }
  v1::ComputeLinkForcesResponse forces;
  ASSERT_TRUE(Ask(About<v1::ComputeLinkForcesRequest>("two", q), &forces).ok());
  ASSERT_EQ(forces.forces_size(), 12);
  EXPECT_NEAR(std::hypot(forces.forces(0), forces.forces(2)), 2 * kG, 1e-12);
  v1::ComputeOperationalSpaceResponse operational;
  ASSERT_TRUE(Ask(About<v1::ComputeOperationalSpaceRequest>("two", q), &operational).ok());
  EXPECT_GE(operational.results(0).rank(), 1);
  v1::AnalyzeSingularityResponse singularity;
  ASSERT_TRUE(Ask(About<v1::AnalyzeSingularityRequest>("two", {0.3, 0.0}), &singularity).ok());
  auto simplified_request = About<v1::CompareSimplifiedRequest>("two", q);
  simplified_request.add_dropped(v1::TERM_GRAVITY);
  v1::CompareSimplifiedResponse simplified;
  ASSERT_TRUE(Ask(simplified_request, &simplified).ok());
  EXPECT_NEAR(simplified.largest_errors(0), std::abs(eom.gravity().values(0)), 1e-12);
  auto path_request = About<v1::ComputePathDynamicsRequest>("two", q);
  for (const double x : {1.0, 0.0}) path_request.mutable_first_derivatives()->add_values(x);
  for (const double x : {0.0, 0.0}) path_request.mutable_second_derivatives()->add_values(x);
  v1::ComputePathDynamicsResponse path;
  ASSERT_TRUE(Ask(path_request, &path).ok());
  EXPECT_NEAR(path.m().values(0), eom.mass_matrix().values(0), 1e-12);
  EXPECT_NEAR(path.g().values(1), eom.gravity().values(1), 1e-12);
}

TEST_F(Contract, InverseKinematicsFindsBothElbows) {
  v1::ComputeForwardKinematicsRequest forward = About<v1::ComputeForwardKinematicsRequest>("bare", {0.3, 0.8});
  forward.add_frames("fore");
  v1::ComputeForwardKinematicsResponse where;
  ASSERT_TRUE(Ask(forward, &where).ok());
  EXPECT_NEAR(where.poses().values(0), std::cos(0.3), 1e-15);
  v1::ComputeInverseKinematicsRequest request;
  request.mutable_context()->set_model("models/bare");
  *request.mutable_poses() = where.poses();
  v1::ComputeInverseKinematicsResponse response;
  const absl::Status status = Ask(request, &response);
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_EQ(response.results_size(), 1);
  EXPECT_TRUE(response.results(0).reached());
}

TEST_F(Contract, InverseStaticsFindsTheLoad) {
  auto loaded = About<v1::ComputeStaticTorqueRequest>("two", {0, 0.2, 0.5, -0.3});
  auto* payload = loaded.mutable_context()->add_payloads();
  payload->set_frame("fore");
  payload->set_mass(1.7);
  payload->mutable_center_of_mass()->set_x(0.8);
  v1::ComputeStaticTorqueResponse torques;
  ASSERT_TRUE(Ask(loaded, &torques).ok());
  auto request = About<v1::ComputeInverseStaticsRequest>("two", {0, 0.2, 0.5, -0.3});
  *request.mutable_efforts() = torques.efforts();
  request.mutable_payload()->set_frame("fore");
  request.mutable_payload()->mutable_center_of_mass()->set_x(0.8);
  v1::ComputeInverseStaticsResponse response;
  ASSERT_TRUE(Ask(request, &response).ok());
  EXPECT_NEAR(response.results(0).estimate(0), 1.7, 1e-12);
}

TEST_F(Contract, UnknownInertiasAreNamedNeverZero) {
  v1::ComputeStaticTorqueResponse response;
  const absl::Status status = Ask(About<v1::ComputeStaticTorqueRequest>("bare", {0, 0}), &response);
  ExpectError(status, absl::StatusCode::kFailedPrecondition, "inertia of upper, fore is unknown", "UNKNOWN_INERTIA");
  EXPECT_EQ(wire::GetPreconditionFailure(status)->violations(1).subject(), "link fore");
  v1::ComputeJacobianResponse jacobian;
  EXPECT_TRUE(Ask(About<v1::ComputeJacobianRequest>("bare", {0, 0}), &jacobian).ok());
}

TEST_F(Contract, LimitsAreReportedNotEnforced) {
  auto request = About<v1::ComputeStaticTorqueRequest>("two", {0, 0, 3.5, 0, 0, 1});
  request.mutable_context()->set_report_limits(true);
  v1::ComputeStaticTorqueResponse response;
  ASSERT_TRUE(Ask(request, &response).ok());
  ASSERT_EQ(response.info().samples_outside_limits_size(), 1);
  EXPECT_EQ(response.info().samples_outside_limits(0), 1);
}

TEST_F(Contract, AWholeTrajectoryInOneCall) {
  auto request = About<v1::ComputeInverseDynamicsRequest>("two", {});
  constexpr int kSamples = 20000;
  for (int i = 0; i < kSamples; ++i) {
    request.mutable_positions()->add_values(0.001 * i);
    request.mutable_positions()->add_values(0.3);
  }
  v1::ComputeInverseDynamicsResponse batch;
  ASSERT_TRUE(Ask(request, &batch).ok());
  ASSERT_EQ(batch.efforts().values_size(), 2 * kSamples);
  for (const int i : {0, 777, kSamples - 1}) {
    v1::ComputeInverseDynamicsResponse one;
    ASSERT_TRUE(Ask(About<v1::ComputeInverseDynamicsRequest>("two", {0.001 * i, 0.3}), &one).ok());
    EXPECT_NEAR(one.efforts().values(0), batch.efforts().values(2 * i), 1e-11) << "sample " << i;
  }
}

}  // namespace
}  // namespace torqued
