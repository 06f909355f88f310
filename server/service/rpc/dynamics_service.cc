#include "server/service/rpc/arena_allocator.h"
#include "server/service/rpc/services.h"
#include "torqued/v1/dynamics.grpc.pb.h"

namespace torqued {
namespace {

class DynamicsService final : public v1::DynamicsService::CallbackService {
 public:
  explicit DynamicsService(Host& host) : host_(host) {
    SetMessageAllocatorFor_ComputeInverseDynamics(&ComputeInverseDynamics_messages_);
  }

  grpc::ServerUnaryReactor* ComputeInverseDynamics(grpc::CallbackServerContext* context, const v1::ComputeInverseDynamicsRequest* request,
                                v1::ComputeInverseDynamicsResponse* response) override {
    return host_.Unary(context, request, response);
  }

 private:
  Host& host_;
  ArenaAllocator<v1::ComputeInverseDynamicsRequest, v1::ComputeInverseDynamicsResponse> ComputeInverseDynamics_messages_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeDynamicsService(Host& host) { return std::make_unique<DynamicsService>(host); }

}  // namespace torqued
