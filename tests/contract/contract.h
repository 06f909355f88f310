// One server for a suite, with the models "two" (two rods in the vertical plane) and "bare" (no inertias).
#pragma once

#include <grpcpp/grpcpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

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

namespace torqued::testing {

inline constexpr double kG = 9.81;

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
    EXPECT_TRUE(Create("two", TwoLink()).ok());
    EXPECT_TRUE(Create("bare", TwoLinkWithoutInertia()).ok());
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
    EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr(words));
    const auto info = wire::GetErrorInfo(status);
    ASSERT_TRUE(info.has_value()) << status;
    EXPECT_EQ(info->domain(), "torqued");
    EXPECT_EQ(info->reason(), reason);
  }

  inline static TempFolder* folder_ = nullptr;
  inline static ServerProcess* server_ = nullptr;
  inline static std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace torqued::testing
