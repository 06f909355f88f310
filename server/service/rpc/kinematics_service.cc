#include "server/service/rpc/arena_allocator.h"
#include "server/service/rpc/services.h"
#include "torqued/v1/kinematics.grpc.pb.h"

namespace torqued {
namespace {

class KinematicsService final : public v1::KinematicsService::CallbackService {
 public:
  explicit KinematicsService(Host& host) : host_(host) {
    SetMessageAllocatorFor_ComputeForwardKinematics(&ComputeForwardKinematics_messages_);
    SetMessageAllocatorFor_ComputeJacobian(&ComputeJacobian_messages_);
  }

  grpc::ServerUnaryReactor* ComputeForwardKinematics(grpc::CallbackServerContext* context, const v1::ComputeForwardKinematicsRequest* request,
                                v1::ComputeForwardKinematicsResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* ComputeJacobian(grpc::CallbackServerContext* context, const v1::ComputeJacobianRequest* request,
                                v1::ComputeJacobianResponse* response) override {
    return host_.Unary(context, request, response);
  }

 private:
  Host& host_;
  ArenaAllocator<v1::ComputeForwardKinematicsRequest, v1::ComputeForwardKinematicsResponse> ComputeForwardKinematics_messages_;
  ArenaAllocator<v1::ComputeJacobianRequest, v1::ComputeJacobianResponse> ComputeJacobian_messages_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeKinematicsService(Host& host) { return std::make_unique<KinematicsService>(host); }

}  // namespace torqued
