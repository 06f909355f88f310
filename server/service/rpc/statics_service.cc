#include "server/service/rpc/arena_allocator.h"
#include "server/service/rpc/services.h"
#include "torqued/v1/statics.grpc.pb.h"

namespace torqued {
namespace {

class StaticsService final : public v1::StaticsService::CallbackService {
 public:
  explicit StaticsService(Host& host) : host_(host) {
    SetMessageAllocatorFor_ComputeStaticTorque(&messages_of_compute_static_torque_);
    SetMessageAllocatorFor_ComputeInverseStatics(&messages_of_compute_inverse_statics_);
    SetMessageAllocatorFor_ComputeLinkForces(&messages_of_compute_link_forces_);
    SetMessageAllocatorFor_ComputeSupport(&messages_of_compute_support_);
  }

  grpc::ServerUnaryReactor* ComputeStaticTorque(grpc::CallbackServerContext* context, const v1::ComputeStaticTorqueRequest* request,
                                v1::ComputeStaticTorqueResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* ComputeInverseStatics(grpc::CallbackServerContext* context, const v1::ComputeInverseStaticsRequest* request,
                                v1::ComputeInverseStaticsResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* ComputeLinkForces(grpc::CallbackServerContext* context, const v1::ComputeLinkForcesRequest* request,
                                v1::ComputeLinkForcesResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* ComputeSupport(grpc::CallbackServerContext* context, const v1::ComputeSupportRequest* request,
                                v1::ComputeSupportResponse* response) override {
    return host_.Unary(context, request, response);
  }

 private:
  Host& host_;
  ArenaAllocator<v1::ComputeStaticTorqueRequest, v1::ComputeStaticTorqueResponse> messages_of_compute_static_torque_;
  ArenaAllocator<v1::ComputeInverseStaticsRequest, v1::ComputeInverseStaticsResponse> messages_of_compute_inverse_statics_;
  ArenaAllocator<v1::ComputeLinkForcesRequest, v1::ComputeLinkForcesResponse> messages_of_compute_link_forces_;
  ArenaAllocator<v1::ComputeSupportRequest, v1::ComputeSupportResponse> messages_of_compute_support_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeStaticsService(Host& host) { return std::make_unique<StaticsService>(host); }

}  // namespace torqued
