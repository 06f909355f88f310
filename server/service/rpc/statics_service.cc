#include "server/service/rpc/arena_allocator.h"
#include "server/service/rpc/services.h"
#include "torqued/v1/statics.grpc.pb.h"

namespace torqued {
namespace {

class StaticsService final : public v1::StaticsService::CallbackService {
 public:
  explicit StaticsService(Host& host) : host_(host) {
    SetMessageAllocatorFor_ComputeStaticTorque(&ComputeStaticTorque_messages_);
  }

  grpc::ServerUnaryReactor* ComputeStaticTorque(grpc::CallbackServerContext* context, const v1::ComputeStaticTorqueRequest* request,
                                v1::ComputeStaticTorqueResponse* response) override {
    return host_.Unary(context, request, response);
  }

 private:
  Host& host_;
  ArenaAllocator<v1::ComputeStaticTorqueRequest, v1::ComputeStaticTorqueResponse> ComputeStaticTorque_messages_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeStaticsService(Host& host) { return std::make_unique<StaticsService>(host); }

}  // namespace torqued
