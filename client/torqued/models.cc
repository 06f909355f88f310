// Registration, listing and watching of models.
#include "client/torqued/client.h"
#include "client/torqued/methods.h"

namespace torqued {
namespace {

v1::ModelSource Source(const std::string& text, const Registration& how) {
  v1::ModelSource source;
  source.set_text(text);
  source.set_base(how.base);
  source.set_policy(how.policy);
  return source;
}

}  // namespace

absl::StatusOr<v1::Model> Client::RegisterModel(const std::string& id, const std::string& source,
                                                const Registration& how) {
  v1::CreateModelRequest request;
  request.set_model_id(id);
  *request.mutable_source() = Source(source, how);
  request.set_validate_only(how.validate_only);
  request.set_request_id(NewRequestId());
  auto answer = Ask<v1::CreateModelResponse>(request);
  if (!answer.ok()) return answer.status();
  return std::move(*answer->mutable_model());
}

absl::StatusOr<v1::Model> Client::UpdateModel(const std::string& id, const std::string& source,
                                              const Registration& how, const std::string& etag) {
  v1::UpdateModelRequest request;
  request.set_name(ModelResource(id));
  *request.mutable_source() = Source(source, how);
  request.set_validate_only(how.validate_only);
  request.set_etag(etag);
  auto answer = Ask<v1::UpdateModelResponse>(request);
  if (!answer.ok()) return answer.status();
  return std::move(*answer->mutable_model());
}

absl::StatusOr<v1::Model> Client::GetModel(const std::string& id, v1::ModelView view) {
  v1::GetModelRequest request;
  request.set_name(ModelResource(id));
  request.set_view(view);
  auto answer = Ask<v1::GetModelResponse>(request);
  if (!answer.ok()) return answer.status();
  return std::move(*answer->mutable_model());
}

absl::StatusOr<std::vector<v1::Model>> Client::ListModels() {
  std::vector<v1::Model> models;
  v1::ListModelsRequest request;
  request.set_page_size(1000);
  do {
    auto answer = Ask<v1::ListModelsResponse>(request);
    if (!answer.ok()) return answer.status();
    for (auto& model : *answer->mutable_models()) models.push_back(std::move(model));
    request.set_page_token(answer->next_page_token());
  } while (!request.page_token().empty());
  return models;
}

absl::Status Client::RemoveModel(const std::string& id) {
  v1::DeleteModelRequest request;
  request.set_name(ModelResource(id));
  return Ask<v1::DeleteModelResponse>(request).status();
}

absl::Status Client::WatchModels(int64_t resume_after,
                                 const std::function<bool(const v1::WatchModelsResponse&)>& each) {
  v1::WatchModelsRequest request;
  request.set_resume_after(resume_after);
  v1::WatchModelsResponse event;
  return Receive(request, event, [&] { return each(event); });
}

}  // namespace torqued
