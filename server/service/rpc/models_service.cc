#include "server/service/rpc/arena_allocator.h"
#include "server/service/rpc/services.h"
#include "server/service/rpc/watch_stream.h"
#include "torqued/v1/models.grpc.pb.h"

namespace torqued {
namespace {

class ModelService final : public v1::ModelService::CallbackService {
 public:
  explicit ModelService(Host& host) : host_(host) {
    SetMessageAllocatorFor_CreateModel(&messages_of_create_model_);
    SetMessageAllocatorFor_GetModel(&messages_of_get_model_);
    SetMessageAllocatorFor_ListModels(&messages_of_list_models_);
    SetMessageAllocatorFor_UpdateModel(&messages_of_update_model_);
    SetMessageAllocatorFor_DeleteModel(&messages_of_delete_model_);
    SetMessageAllocatorFor_ListModelRevisions(&messages_of_list_model_revisions_);
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

  grpc::ServerWriteReactor<v1::WatchModelsResponse>* WatchModels(grpc::CallbackServerContext* context,
                                                                 const v1::WatchModelsRequest* request) override {
    return StartWatch(host_, context, *request);
  }

 private:
  Host& host_;
  ArenaAllocator<v1::CreateModelRequest, v1::CreateModelResponse> messages_of_create_model_;
  ArenaAllocator<v1::GetModelRequest, v1::GetModelResponse> messages_of_get_model_;
  ArenaAllocator<v1::ListModelsRequest, v1::ListModelsResponse> messages_of_list_models_;
  ArenaAllocator<v1::UpdateModelRequest, v1::UpdateModelResponse> messages_of_update_model_;
  ArenaAllocator<v1::DeleteModelRequest, v1::DeleteModelResponse> messages_of_delete_model_;
  ArenaAllocator<v1::ListModelRevisionsRequest, v1::ListModelRevisionsResponse> messages_of_list_model_revisions_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeModelService(Host& host) { return std::make_unique<ModelService>(host); }

}  // namespace torqued
