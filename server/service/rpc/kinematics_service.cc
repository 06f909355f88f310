#include "server/service/rpc/arena_allocator.h"
#include "server/service/rpc/services.h"
#include "torqued/v1/kinematics.grpc.pb.h"

namespace torqued {
namespace {

class KinematicsService final : public v1::KinematicsService::CallbackService {
 public:
  explicit KinematicsService(Host& host) : host_(host) {
    SetMessageAllocatorFor_ComputeForwardKinematics(&messages_of_compute_forward_kinematics_);
    SetMessageAllocatorFor_ComputeJacobian(&messages_of_compute_jacobian_);
    SetMessageAllocatorFor_AnalyzeVelocity(&messages_of_analyze_velocity_);
    SetMessageAllocatorFor_AnalyzeSingularity(&messages_of_analyze_singularity_);
    SetMessageAllocatorFor_ComputeInverseKinematics(&messages_of_compute_inverse_kinematics_);
  }

  grpc::ServerUnaryReactor* ComputeForwardKinematics(grpc::CallbackServerContext* context, const v1::ComputeForwardKinematicsRequest* request,
                                v1::ComputeForwardKinematicsResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* ComputeJacobian(grpc::CallbackServerContext* context, const v1::ComputeJacobianRequest* request,
                                v1::ComputeJacobianResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* AnalyzeVelocity(grpc::CallbackServerContext* context, const v1::AnalyzeVelocityRequest* request,
                                v1::AnalyzeVelocityResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* AnalyzeSingularity(grpc::CallbackServerContext* context, const v1::AnalyzeSingularityRequest* request,
                                v1::AnalyzeSingularityResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* ComputeInverseKinematics(grpc::CallbackServerContext* context, const v1::ComputeInverseKinematicsRequest* request,
                                v1::ComputeInverseKinematicsResponse* response) override {
    return host_.Unary(context, request, response);
  }

 private:
  Host& host_;
  ArenaAllocator<v1::ComputeForwardKinematicsRequest, v1::ComputeForwardKinematicsResponse> messages_of_compute_forward_kinematics_;
  ArenaAllocator<v1::ComputeJacobianRequest, v1::ComputeJacobianResponse> messages_of_compute_jacobian_;
  ArenaAllocator<v1::AnalyzeVelocityRequest, v1::AnalyzeVelocityResponse> messages_of_analyze_velocity_;
  ArenaAllocator<v1::AnalyzeSingularityRequest, v1::AnalyzeSingularityResponse> messages_of_analyze_singularity_;
  ArenaAllocator<v1::ComputeInverseKinematicsRequest, v1::ComputeInverseKinematicsResponse> messages_of_compute_inverse_kinematics_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeKinematicsService(Host& host) { return std::make_unique<KinematicsService>(host); }

}  // namespace torqued
