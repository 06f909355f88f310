#include "server/service/rpc/arena_allocator.h"
#include "server/service/rpc/services.h"
#include "torqued/v1/models.grpc.pb.h"

namespace torqued {
namespace {

class ModelService final : public v1::ModelService::CallbackService {
 public:
  explicit ModelService(Host& host) : host_(host) {
    SetMessageAllocatorFor_CreateModel(&CreateModel_messages_);
    SetMessageAllocatorFor_GetModel(&GetModel_messages_);
    SetMessageAllocatorFor_ListModels(&ListModels_messages_);
    SetMessageAllocatorFor_UpdateModel(&UpdateModel_messages_);
    SetMessageAllocatorFor_DeleteModel(&DeleteModel_messages_);
    SetMessageAllocatorFor_ListModelRevisions(&ListModelRevisions_messages_);
  }

  grpc::ServerUnaryReactor* CreateModel(grpc::CallbackServerContext* context, const v1::CreateModelRequest* request,
                                v1::CreateModelResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* GetModel(grpc::CallbackServerContext* context, const v1::GetModelRequest* request,
                                v1::GetModelResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* ListModels(grpc::CallbackServerContext* context, const v1::ListModelsRequest* request,
                                v1::ListModelsResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* UpdateModel(grpc::CallbackServerContext* context, const v1::UpdateModelRequest* request,
                                v1::UpdateModelResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* DeleteModel(grpc::CallbackServerContext* context, const v1::DeleteModelRequest* request,
                                v1::DeleteModelResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* ListModelRevisions(grpc::CallbackServerContext* context, const v1::ListModelRevisionsRequest* request,
                                v1::ListModelRevisionsResponse* response) override {
    return host_.Unary(context, request, response);
  }

 private:
  Host& host_;
  ArenaAllocator<v1::CreateModelRequest, v1::CreateModelResponse> CreateModel_messages_;
  ArenaAllocator<v1::GetModelRequest, v1::GetModelResponse> GetModel_messages_;
  ArenaAllocator<v1::ListModelsRequest, v1::ListModelsResponse> ListModels_messages_;
  ArenaAllocator<v1::UpdateModelRequest, v1::UpdateModelResponse> UpdateModel_messages_;
  ArenaAllocator<v1::DeleteModelRequest, v1::DeleteModelResponse> DeleteModel_messages_;
  ArenaAllocator<v1::ListModelRevisionsRequest, v1::ListModelRevisionsResponse> ListModelRevisions_messages_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeModelService(Host& host) { return std::make_unique<ModelService>(host); }

}  // namespace torqued
