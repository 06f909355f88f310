// ModelService without a server: register, look up, change, remove. One overload of Answer per request.
//
// May parse and may wait for the disk: milliseconds, so never on a thread that answers calls.
#pragma once

#include "server/service/registry.h"
#include "torqued/v1/models.pb.h"

namespace torqued {

// Who changes models: new ones are his; of the others he may change his own, an admin all.
struct Changer {
  std::string name;
  bool admin = true;
};

absl::Status Answer(Registry& registry, const v1::CreateModelRequest& request, v1::CreateModelResponse* response,
                    const Changer& by = {});
absl::Status Answer(Registry& registry, const v1::GetModelRequest& request, v1::GetModelResponse* response);
absl::Status Answer(Registry& registry, const v1::ListModelsRequest& request, v1::ListModelsResponse* response);
// PERMISSION_DENIED: the model is another's; as for Delete.
absl::Status Answer(Registry& registry, const v1::UpdateModelRequest& request, v1::UpdateModelResponse* response,
                    const Changer& by = {});
absl::Status Answer(Registry& registry, const v1::DeleteModelRequest& request, v1::DeleteModelResponse* response,
                    const Changer& by = {});
absl::Status Answer(Registry& registry, const v1::ListModelRevisionsRequest& request,
                    v1::ListModelRevisionsResponse* response);

// Registers every .urdf, .xml, .yaml and .yml file of a folder under its stem: new models are created; a file whose
// revision the model never had becomes its current revision; what users changed stays. Files that cannot be read are
// told to `complain` and left out.
absl::Status RegisterFolder(Registry& registry, const std::string& folder,
                            const std::function<void(const std::string&)>& complain);

}  // namespace torqued
