// The contract, asked through a real server: right values, right codes, right words, details always.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>

#include "grpc/health/v1/health.grpc.pb.h"
#include "proto/wire/errors.h"
#include "proto/wire/grpc_status.h"
#include "tests/contract/process.h"
#include "tests/contract/robots.h"
#include "torqued/v1/dynamics.grpc.pb.h"
#include "torqued/v1/kinematics.grpc.pb.h"
#include "torqued/v1/models.grpc.pb.h"
#include "torqued/v1/server.grpc.pb.h"
#include "torqued/v1/statics.grpc.pb.h"
#include "torqued/v1/stream.grpc.pb.h"

namespace torqued {
namespace {

using ::testing::HasSubstr;
using testing::ServerProcess;
using testing::TempFolder;

template <class Function, class Request, class Response>
absl::Status Do(const Function& function, const Request& request, Response* response) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
  return wire::FromGrpc(function(&context, request, response));
}

class Contract : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    server_ = new ServerProcess(folder_->path());
    channel_ = server_->Channel();
    EXPECT_TRUE(Create("two", testing::TwoLink()).ok());
    EXPECT_TRUE(Create("bare", testing::TwoLinkWithoutInertia()).ok());
  }
  static void TearDownTestSuite() {
    channel_.reset();
    delete server_;
    delete folder_;
  }

  static absl::Status Create(const std::string& id, const std::string& text, v1::Model* model = nullptr,
                             const std::string& request_id = "") {
    v1::CreateModelRequest request;
    request.set_model_id(id);
    request.mutable_source()->set_text(text);
    request.set_request_id(request_id);
    v1::CreateModelResponse response;
    const absl::Status status = Ask(request, &response);
    if (model) *model = response.model();
    return status;
  }

#define TORQUED_ASK(service, method)                                                            \
  static absl::Status Ask(const v1::method##Request& request, v1::method##Response* response) { \
    const auto stub = v1::service::NewStub(channel_);                                           \
    return Do([&](auto* c, const auto& q, auto* a) { return stub->method(c, q, a); }, request, response); \
  }
  TORQUED_ASK(ModelService, CreateModel)
  TORQUED_ASK(ModelService, GetModel)
  TORQUED_ASK(ModelService, ListModels)
  TORQUED_ASK(ModelService, UpdateModel)
  TORQUED_ASK(ModelService, DeleteModel)
  TORQUED_ASK(ModelService, ListModelRevisions)
  TORQUED_ASK(KinematicsService, ComputeForwardKinematics)
  TORQUED_ASK(KinematicsService, ComputeJacobian)
  TORQUED_ASK(KinematicsService, AnalyzeVelocity)
  TORQUED_ASK(KinematicsService, AnalyzeSingularity)
  TORQUED_ASK(KinematicsService, ComputeInverseKinematics)
  TORQUED_ASK(StaticsService, ComputeStaticTorque)
  TORQUED_ASK(StaticsService, ComputeInverseStatics)
  TORQUED_ASK(StaticsService, ComputeLinkForces)
  TORQUED_ASK(DynamicsService, ComputeInverseDynamics)
  TORQUED_ASK(DynamicsService, ComputeForwardDynamics)
  TORQUED_ASK(DynamicsService, ComputeEquationOfMotion)
  TORQUED_ASK(DynamicsService, ComputeTorqueBreakdown)
  TORQUED_ASK(DynamicsService, CompareSimplified)
  TORQUED_ASK(DynamicsService, ComputeOperationalSpace)
  TORQUED_ASK(DynamicsService, ComputeEnergy)
  TORQUED_ASK(DynamicsService, ComputeDerivatives)
  TORQUED_ASK(DynamicsService, ComputeRegressor)
  TORQUED_ASK(DynamicsService, ComputePathDynamics)
  TORQUED_ASK(ServerService, GetServerInfo)
  TORQUED_ASK(ServerService, GetStatistics)
#undef TORQUED_ASK

  template <class Request>
  static Request About(const std::string& model, const std::vector<double>& q) {
    Request request;
    request.mutable_context()->set_model("models/" + model);
    for (const double x : q) request.mutable_positions()->add_values(x);
    return request;
  }

  static void ExpectError(const absl::Status& status, absl::StatusCode code, const std::string& words,
                          const std::string& reason) {
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(words));
    const auto info = wire::GetErrorInfo(status);
    ASSERT_TRUE(info.has_value()) << status;
    EXPECT_EQ(info->domain(), "torqued");
    EXPECT_EQ(info->reason(), reason);
  }

  static TempFolder* folder_;
  static ServerProcess* server_;
  static std::shared_ptr<grpc::Channel> channel_;
};
TempFolder* Contract::folder_;
ServerProcess* Contract::server_;
std::shared_ptr<grpc::Channel> Contract::channel_;

constexpr double kG = 9.81;

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

TEST_F(Contract, MistakesAreNamed) {
  v1::ComputeInverseDynamicsResponse r;
  using Id = v1::ComputeInverseDynamicsRequest;
  ExpectError(Ask(About<Id>("two", {1}), &r), absl::StatusCode::kInvalidArgument, "positions: 1 value, want 2", "WRONG_SIZE");
  ExpectError(Ask(About<Id>("two", {0, std::nan("")}), &r), absl::StatusCode::kInvalidArgument,
              "positions[1]: nan (sample 0, joint 'elbow'), want a finite number", "NOT_FINITE");
  ExpectError(Ask(About<Id>("tow", {0, 0}), &r), absl::StatusCode::kNotFound, "did you mean 'two'?", "UNKNOWN_MODEL");
  ExpectError(Ask(About<Id>("two/revisions/000000000000", {0, 0}), &r), absl::StatusCode::kNotFound,
              "has no revision 000000000000", "UNKNOWN_REVISION");
  ExpectError(Ask(Id(), &r), absl::StatusCode::kInvalidArgument, "context.model: absent", "BAD_MODEL_NAME");
  auto lengths = About<Id>("two", {0, 0, 0, 0});
  lengths.mutable_accelerations()->add_values(1);
  ExpectError(Ask(lengths, &r), absl::StatusCode::kInvalidArgument, "accelerations: 1 value, want 4 = 2 x 2", "WRONG_SIZE");
  auto huge = About<Id>("two", {0, 0});
  for (int i = 0; i < 2; ++i) huge.mutable_velocities()->add_values(1e300);
  ExpectError(Ask(huge, &r), absl::StatusCode::kInvalidArgument, "result of sample 0 is not finite", "RESULT_NOT_FINITE");
  v1::ComputeJacobianResponse j;
  auto frame = About<v1::ComputeJacobianRequest>("two", {0, 0});
  frame.set_frame("foer");
  ExpectError(Ask(frame, &j), absl::StatusCode::kNotFound, "did you mean 'fore'?", "UNKNOWN_FRAME");
  auto motor = About<Id>("two", {0, 0});
  motor.set_report_motor(true);
  ExpectError(Ask(motor, &r), absl::StatusCode::kFailedPrecondition, "motors and gears", "NO_DRIVES");
  auto energy = About<v1::ComputeEnergyRequest>("two", {0, 0});
  auto* wrench = energy.mutable_context()->add_wrenches();
  for (int i = 0; i < 6; ++i) wrench->add_values(0);
  wrench->set_exerter(v1::EXERTER_ROBOT);
  v1::ComputeEnergyResponse e;
  ExpectError(Ask(energy, &e), absl::StatusCode::kInvalidArgument, "no use for external wrenches", "NOT_APPLICABLE");
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

TEST_F(Contract, AModelsLife) {
  v1::Model first;
  ASSERT_TRUE(Create("life", testing::TwoLink(1), &first, "req-1").ok());
  EXPECT_EQ(first.generation(), 1);
  v1::Model again;
  ASSERT_TRUE(Create("life", testing::TwoLink(1), &again, "req-1").ok());
  EXPECT_EQ(again.etag(), first.etag());
  ASSERT_TRUE(Create("life", testing::TwoLink(1), &again).ok()) << "the same source is no conflict";
  ExpectError(Create("life", testing::TwoLink(2)), absl::StatusCode::kAlreadyExists, "exists already", "MODEL_EXISTS");
  ExpectError(Create("other", testing::TwoLink(2), nullptr, "req-1"), absl::StatusCode::kInvalidArgument, "request_id",
              "REQUEST_ID_REUSED");

  v1::UpdateModelRequest update;
  update.set_name("models/life");
  update.mutable_source()->set_text(testing::TwoLink(2));
  update.set_etag(first.etag());
  v1::UpdateModelResponse updated;
  ASSERT_TRUE(Ask(update, &updated).ok());
  EXPECT_EQ(updated.model().generation(), 2);
  EXPECT_NE(updated.model().revision(), first.revision());
  update.mutable_source()->set_text(testing::TwoLink(3));
  ExpectError(Ask(update, &updated), absl::StatusCode::kAborted, "was changed meanwhile", "ETAG_MISMATCH");

  // Both revisions answer, each with its own mass.
  for (const auto& [revision, mass] : {std::make_pair(first.revision(), 1.0), std::make_pair(updated.model().revision(), 2.0)}) {
    v1::ComputeStaticTorqueResponse torque;
    ASSERT_TRUE(Ask(About<v1::ComputeStaticTorqueRequest>("life/revisions/" + revision, {0, 0}), &torque).ok());
    EXPECT_NEAR(torque.efforts().values(1), kG * 0.5 * mass, 1e-12);
    EXPECT_EQ(torque.info().revision(), "models/life/revisions/" + revision);
  }
  v1::ListModelRevisionsRequest list;
  list.set_name("models/life");
  list.set_page_size(1);
  v1::ListModelRevisionsResponse page;
  ASSERT_TRUE(Ask(list, &page).ok());
  ASSERT_EQ(page.revisions_size(), 1);
  EXPECT_TRUE(page.revisions(0).current());
  list.set_page_token(page.next_page_token());
  v1::ListModelRevisionsResponse rest;
  ASSERT_TRUE(Ask(list, &rest).ok());
  ASSERT_EQ(rest.revisions_size(), 1);
  EXPECT_EQ(rest.revisions(0).revision(), first.revision());
  EXPECT_TRUE(rest.next_page_token().empty());

  v1::DeleteModelRequest remove;
  remove.set_name("models/life");
  v1::DeleteModelResponse removed;
  ASSERT_TRUE(Ask(remove, &removed).ok());
  v1::GetModelRequest get;
  get.set_name("models/life");
  v1::GetModelResponse got;
  ExpectError(Ask(get, &got), absl::StatusCode::kNotFound, "no model 'life'", "UNKNOWN_MODEL");
}

TEST_F(Contract, ListsInPagesByLabel) {
  for (int i = 0; i < 5; ++i) {
    v1::CreateModelRequest request;
    request.set_model_id("page-" + std::to_string(i));
    request.mutable_source()->set_text(testing::TwoLink(1 + i));
    (*request.mutable_labels())["page"] = i % 2 ? "odd" : "even";
    v1::CreateModelResponse response;
    ASSERT_TRUE(Ask(request, &response).ok());
  }
  v1::ListModelsRequest list;
  (*list.mutable_labels())["page"] = "even";
  list.set_page_size(2);
  std::vector<std::string> names;
  do {
    v1::ListModelsResponse page;
    ASSERT_TRUE(Ask(list, &page).ok());
    EXPECT_LE(page.models_size(), 2);
    for (const auto& model : page.models()) names.push_back(model.name());
    list.set_page_token(page.next_page_token());
  } while (!list.page_token().empty());
  EXPECT_THAT(names, ::testing::ElementsAre("models/page-0", "models/page-2", "models/page-4"));
}

TEST_F(Contract, NamesAreChecked) {
  for (const char* id : {"../x", "A", "-a", "a/b", "ü", "a b"})
    ExpectError(Create(id, testing::TwoLink()), absl::StatusCode::kInvalidArgument, "model_id", "BAD_MODEL_ID");
  ExpectError(Create(std::string(64, 'a'), testing::TwoLink()), absl::StatusCode::kInvalidArgument, "model_id", "BAD_MODEL_ID");
  ExpectError(Create("broken", "<robot"), absl::StatusCode::kInvalidArgument, "source: ", "BAD_SOURCE");
  v1::Model named;
  ASSERT_TRUE(Create("", testing::TwoLink(9), &named).ok() || named.name().empty());
}

TEST_F(Contract, ValidateOnlyRegistersNothing) {
  v1::CreateModelRequest request;
  request.set_model_id("ghost");
  request.mutable_source()->set_text(testing::TwoLinkWithoutInertia());
  request.set_validate_only(true);
  v1::CreateModelResponse response;
  ASSERT_TRUE(Ask(request, &response).ok());
  EXPECT_FALSE(response.model().capabilities().dynamics());
  EXPECT_GT(response.model().findings_size(), 0);
  v1::GetModelRequest get;
  get.set_name("models/ghost");
  v1::GetModelResponse got;
  EXPECT_EQ(Ask(get, &got).code(), absl::StatusCode::kNotFound);
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

TEST_F(Contract, AStreamAnswersInOrderAndErrorsStayInTheirItem) {
  const auto stub = v1::StreamService::NewStub(channel_);
  grpc::ClientContext context;
  auto stream = stub->StreamCompute(&context);
  constexpr int kItems = 200;
  for (int i = 0; i < kItems; ++i) {
    v1::StreamComputeRequest item;
    item.set_sequence(1000 + i);
    auto* id = item.mutable_inverse_dynamics();
    if (i == 0) id->mutable_context()->set_model("models/two");
    id->mutable_positions()->add_values(0.01 * i);
    if (i % 10 != 3) id->mutable_positions()->add_values(0.2);  // every tenth has a value too few
    ASSERT_TRUE(stream->Write(item));
  }
  stream->WritesDone();
  v1::StreamComputeResponse answer;
  for (int i = 0; i < kItems; ++i) {
    ASSERT_TRUE(stream->Read(&answer)) << i;
    EXPECT_EQ(answer.sequence(), 1000u + i);
    EXPECT_GT(answer.server_nanoseconds(), 0);
    if (i % 10 == 3) {
      EXPECT_EQ(answer.error().message(), "positions: 1 value, want 2");
      EXPECT_EQ(answer.error().code(), 3);
      EXPECT_EQ(answer.error().reason(), "WRONG_SIZE");
    } else {
      ASSERT_EQ(answer.inverse_dynamics().efforts().values_size(), 2) << i;
      EXPECT_NEAR(answer.inverse_dynamics().efforts().values(1), kG * 0.5 * std::cos(0.01 * i + 0.2), 1e-12);
    }
  }
  EXPECT_FALSE(stream->Read(&answer));
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(Contract, AStreamWithoutContextSaysSo) {
  const auto stub = v1::StreamService::NewStub(channel_);
  grpc::ClientContext context;
  auto stream = stub->StreamCompute(&context);
  v1::StreamComputeRequest item;
  item.mutable_jacobian()->mutable_positions()->add_values(1);
  ASSERT_TRUE(stream->Write(item));
  v1::StreamComputeResponse answer;
  ASSERT_TRUE(stream->Read(&answer));
  EXPECT_THAT(answer.error().message(), HasSubstr("context: absent"));
  item.Clear();
  ASSERT_TRUE(stream->Write(item));
  ASSERT_TRUE(stream->Read(&answer));
  EXPECT_THAT(answer.error().message(), HasSubstr("request: none given"));
}

TEST_F(Contract, AWatchTellsSnapshotThenChangesAndResumes) {
  const auto stub = v1::ModelService::NewStub(channel_);
  grpc::ClientContext context;
  auto watch = stub->WatchModels(&context, v1::WatchModelsRequest());
  v1::WatchModelsResponse event;
  int present = 0;
  while (watch->Read(&event) && event.kind() != v1::WatchModelsResponse::KIND_SYNCED) {
    EXPECT_EQ(event.kind(), v1::WatchModelsResponse::KIND_PRESENT);
    ++present;
  }
  EXPECT_GE(present, 2);
  const std::int64_t synced = event.position();
  ASSERT_TRUE(Create("watched", testing::TwoLink(5)).ok());
  v1::DeleteModelRequest remove;
  remove.set_name("models/watched");
  v1::DeleteModelResponse removed;
  ASSERT_TRUE(Ask(remove, &removed).ok());
  ASSERT_TRUE(watch->Read(&event));
  EXPECT_EQ(event.kind(), v1::WatchModelsResponse::KIND_PUT);
  EXPECT_EQ(event.model().name(), "models/watched");
  ASSERT_TRUE(watch->Read(&event));
  EXPECT_EQ(event.kind(), v1::WatchModelsResponse::KIND_DELETED);
  EXPECT_EQ(event.model().name(), "models/watched");
  context.TryCancel();

  grpc::ClientContext later;
  v1::WatchModelsRequest resume;
  resume.set_resume_after(synced);
  auto resumed = stub->WatchModels(&later, resume);
  ASSERT_TRUE(resumed->Read(&event));
  EXPECT_EQ(event.kind(), v1::WatchModelsResponse::KIND_DELETED);
  ASSERT_TRUE(resumed->Read(&event));
  EXPECT_EQ(event.kind(), v1::WatchModelsResponse::KIND_SYNCED);
  later.TryCancel();

  grpc::ClientContext lost;
  resume.set_resume_after(1 << 30);
  auto gone = stub->WatchModels(&lost, resume);
  EXPECT_FALSE(gone->Read(&event));
  ExpectError(wire::FromGrpc(gone->Finish()), absl::StatusCode::kOutOfRange, "no longer kept", "WATCH_POSITION_LOST");
}

TEST_F(Contract, ASimulationStreamsAndKeepsItsEnergy) {
  const auto stub = v1::DynamicsService::NewStub(channel_);
  v1::SimulateRequest request = About<v1::SimulateRequest>("two", {0.5, 0.1});
  request.set_duration(2);
  request.set_step(1e-3);
  request.set_output_step(0.01);
  grpc::ClientContext context;
  auto stream = stub->Simulate(&context, request);
  v1::SimulateResponse piece;
  int rows = 0;
  double last = -1, drift = 1;
  while (stream->Read(&piece)) {
    rows += piece.times_size();
    last = piece.times(piece.times_size() - 1);
    drift = piece.energy_drift();
  }
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(rows, 201);
  EXPECT_NEAR(last, 2, 1e-9);
  EXPECT_LT(std::abs(drift), 1e-6);
}

TEST_F(Contract, TheServerKnowsItself) {
  v1::GetServerInfoResponse info;
  ASSERT_TRUE(Ask(v1::GetServerInfoRequest(), &info).ok());
  EXPECT_FALSE(info.version().empty());
  EXPECT_GE(info.model_count(), 2);
  EXPECT_GT(info.limits().message_bytes(), 1000000);
  v1::GetStatisticsRequest request;
  request.set_per_model(true);
  v1::GetStatisticsResponse statistics;
  ASSERT_TRUE(Ask(request, &statistics).ok());
  bool found = false;
  for (const auto& row : statistics.methods()) {
    std::int64_t sum = 0;
    for (const std::int64_t n : row.bucket_counts()) sum += n;
    EXPECT_EQ(sum, row.calls()) << row.method();
    EXPECT_EQ(row.bucket_counts_size(), statistics.bucket_edges_us_size() + 1);
    found = found || (row.method() == "/torqued.v1.ModelService/CreateModel" && row.calls() > 0);
  }
  EXPECT_TRUE(found);
  const auto health = grpc::health::v1::Health::NewStub(channel_);
  grpc::ClientContext context;
  grpc::health::v1::HealthCheckResponse answer;
  ASSERT_TRUE(health->Check(&context, grpc::health::v1::HealthCheckRequest(), &answer).ok());
  EXPECT_EQ(answer.status(), grpc::health::v1::HealthCheckResponse::SERVING);
}

TEST_F(Contract, AMessageTooLargeSaysTheLimit) {
  auto request = About<v1::ComputeInverseDynamicsRequest>("two", {});
  request.mutable_positions()->mutable_values()->Resize(9 << 20, 0.1);
  v1::ComputeInverseDynamicsResponse response;
  const absl::Status status = Ask(request, &response);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr(std::to_string(64 << 20)));
}

// Random bytes as requests, random fields in requests: refused or answered, and the server goes on.
TEST_F(Contract, AThousandMalformedRequestsLeaveTheServerAnswering) {
  constexpr unsigned kSeed = 20240229;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  const auto number = [&]() -> double {
    const double numbers[] = {0, 1, -1, 1e308, -1e308, 5e-324, HUGE_VAL, -HUGE_VAL, std::nan(""), 3.14};
    return numbers[random() % 10];
  };
  const auto word = [&]() -> std::string {
    const char* const words[] = {"", "two", "models/two", "models/", "models/two/revisions/", "models/two/revisions/zz",
                                 "fore", "\xc3\xbc", "../../etc", "models/bare"};
    return words[random() % 10];
  };
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    v1::ComputeStaticTorqueRequest request;
    request.mutable_context()->set_model(i % 3 ? "models/two" : word());
    for (unsigned k = random() % 6; k > 0; --k) request.mutable_positions()->add_values(number());
    if (random() % 2) request.mutable_positions()->add_joint_names(word());
    if (random() % 2) request.mutable_context()->set_tool_frame(word());
    if (random() % 2) request.mutable_context()->add_terms(static_cast<v1::Term>(random() % 40));
    if (random() % 2) request.mutable_context()->add_payloads()->set_mass(number());
    for (unsigned k = random() % 8; k > 0; --k) request.mutable_wrench()->add_values(number());
    request.mutable_wrench()->set_exerter(static_cast<v1::Exerter>(random() % 4));
    v1::ComputeStaticTorqueResponse response;
    const absl::Status status = Ask(request, &response);
    refused += !status.ok();
    ASSERT_NE(status.code(), absl::StatusCode::kUnavailable) << status;
    ASSERT_NE(status.code(), absl::StatusCode::kInternal) << status;
    if (!status.ok()) {
      ASSERT_TRUE(wire::GetErrorInfo(status).has_value()) << status;
    }
    for (const double x : response.efforts().values()) ASSERT_TRUE(std::isfinite(x));
  }
  EXPECT_GT(refused, 500);
  v1::ComputeStaticTorqueResponse response;
  EXPECT_TRUE(Ask(About<v1::ComputeStaticTorqueRequest>("two", {0, 0}), &response).ok());
}

}  // namespace
}  // namespace torqued
