#include "server/service/models.h"

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "proto/wire/errors.h"
#include "server/robots/revision.h"
#include "server/service/describe.h"

namespace torqued {
namespace {

using wire::BadField;

constexpr size_t kIdLength = 63, kLabelLength = 128, kMostLabels = 64, kRequestIdLength = 128;
constexpr int kDefaultPage = 100, kLargestPage = 1000;

bool IsIdCharacter(char c) { return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '.' || c == '_' || c == '-'; }

absl::Status CheckId(const std::string& field, const std::string& id) {
  const bool starts = !id.empty() && (absl::ascii_islower(id[0]) || absl::ascii_isdigit(id[0]));
  if (starts && id.size() <= kIdLength && std::all_of(id.begin(), id.end(), IsIdCharacter)) return absl::OkStatus();
  return BadField(field, absl::StrCat("'", absl::CHexEscape(id.substr(0, 80)),
                                      "', want 1 to 63 of a-z 0-9 . _ - starting with a letter or digit"),
                  "BAD_MODEL_ID");
}

// "UR5e (rev. 2)" -> "ur5e-rev.-2".
std::string IdFromName(const std::string& name) {
  std::string id;
  for (const char c : name.substr(0, kIdLength)) {
    const char lower = absl::ascii_tolower(c);
    if (IsIdCharacter(lower)) id += lower;
    else if (!id.empty() && id.back() != '-') id += '-';
  }
  while (!id.empty() && !absl::ascii_isalnum(id[0])) id.erase(0, 1);
  while (!id.empty() && id.back() == '-') id.pop_back();
  return id;
}

template <class Labels>
absl::StatusOr<std::map<std::string, std::string>> ReadLabels(const Labels& labels) {
  std::map<std::string, std::string> out(labels.begin(), labels.end());
  if (out.size() > kMostLabels) return BadField("labels", absl::StrCat(out.size(), " labels, at most ", kMostLabels));
  for (const auto& [key, value] : out)
    if (key.empty() || key.size() > kLabelLength || value.size() > kLabelLength)
      return BadField("labels", absl::StrCat("'", key.substr(0, 40), "': want a key and a value of at most ", kLabelLength,
                                             " bytes"));
  return out;
}

absl::StatusOr<std::optional<std::int64_t>> ReadEtag(const std::string& etag) {
  if (etag.empty()) return std::optional<std::int64_t>();
  std::int64_t position = 0;
  if (!absl::SimpleAtoi(etag, &position) || position <= 0)
    return BadField("etag", absl::StrCat("'", absl::CHexEscape(etag.substr(0, 40)), "' was never an etag of this server"));
  return std::optional<std::int64_t>(position);
}

absl::StatusOr<int> ReadPageSize(int asked) {
  if (asked < 0) return BadField("page_size", absl::StrCat(asked, ", want 0 to ", kLargestPage));
  return asked == 0 ? kDefaultPage : std::min(asked, kLargestPage);
}

// The id a new model gets, and its entry.
absl::StatusOr<EntryPtr> ReadNewModel(const v1::CreateModelRequest& request) {
  if (request.source().text().empty()) return BadField("source.text", "absent, want URDF or a robot in YAML", "MISSING_FIELD");
  const auto options = ReadOptions(request.source());
  if (!options.ok()) return options.status();
  std::string id = request.model_id();
  if (id.empty()) {
    const auto loaded = LoadModel(request.source().text(), *options);
    if (!loaded.ok()) return loaded.status();
    id = IdFromName(loaded->model.name);
    if (id.empty()) return BadField("model_id", "absent, and the source has no usable name", "MISSING_FIELD");
  }
  if (absl::Status s = CheckId("model_id", id); !s.ok()) return s;
  return MakeModelEntry(id, request.source().text(), *options);
}

// A source that cannot become a model is a bad field of the request.
absl::Status AsBadSource(const absl::Status& status) {
  if (!absl::IsInvalidArgument(status) || wire::GetErrorInfo(status)) return status;
  return BadField("source", std::string(status.message()), "BAD_SOURCE");
}

absl::Status MayChange(const Registered& model, const Changer& by) {
  const std::string& owner = model.record.owner;
  if (by.admin || (!owner.empty() && owner == by.name)) return absl::OkStatus();
  return wire::Error(absl::StatusCode::kPermissionDenied, "NOT_OWNER",
                     absl::StrCat("model '", model.record.id, "' belongs to ", owner.empty() ? "nobody" : owner,
                                  "; only ", owner.empty() ? "" : "its owner or ", "an admin may change it"),
                     {{"name", "models/" + model.record.id}, {"owner", owner}, {"identity", by.name}});
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

absl::Status Answer(Registry& registry, const v1::CreateModelRequest& request, v1::CreateModelResponse* response,
                    const Changer& by) {
  const auto entry = ReadNewModel(request);
  if (!entry.ok()) return AsBadSource(entry.status());
  const auto labels = ReadLabels(request.labels());
  if (!labels.ok()) return labels.status();
  const std::string& id = (*entry)->id;
  if (request.validate_only()) {
    DescribeEntry(**entry, v1::MODEL_VIEW_BASIC, response->mutable_model());
    response->mutable_model()->set_name("models/" + id);
    return absl::OkStatus();
  }
  if (request.request_id().size() > kRequestIdLength)
    return BadField("request_id", absl::StrCat("longer than ", kRequestIdLength, " bytes"));

  RegistryPut put;
  put.id = id;
  put.entry = *entry;
  put.owner = by.name;
  put.labels = *labels;
  for (const auto& [key, value] : (*entry)->loaded.labels) put.labels.emplace(key, value);
  put.expected = 0;
  put.request_id = request.request_id();
  put.request_digest = absl::StrCat(id, " ", (*entry)->revision);
  if (!put.request_id.empty()) {
    const auto before = registry.FindRequest(put.request_id);
    if (before.ok()) {
      if (before->digest != put.request_digest)
        return BadField("request_id", "was used for another request", "REQUEST_ID_REUSED");
      const auto model = registry.FindModel("model_id", "models/" + id);
      if (!model.ok()) return model.status();
      Describe(**model, v1::MODEL_VIEW_BASIC, response->mutable_model());
      return absl::OkStatus();
    }
    if (!absl::IsNotFound(before.status())) return before.status();
  }
  auto model = registry.Put(put);
  if (absl::IsAlreadyExists(model.status())) {
    const auto existing = registry.FindModel("model_id", "models/" + id);
    if (existing.ok() && (*existing)->record.current.revision == (*entry)->revision) model = existing;
  }
  if (!model.ok()) return model.status();
  Describe(**model, v1::MODEL_VIEW_BASIC, response->mutable_model());
  return absl::OkStatus();
}

absl::Status Answer(Registry& registry, const v1::GetModelRequest& request, v1::GetModelResponse* response) {
  const auto model = registry.FindModel("name", request.name());
  if (!model.ok()) return model.status();
  const auto parts = ParseModelName("name", request.name());
  Describe(**model, request.view(), response->mutable_model());
  if (parts->revision.empty() || parts->revision == (*model)->record.current.revision) return absl::OkStatus();
  const auto entry = registry.FindEntry("name", request.name());
  if (!entry.ok()) return entry.status();
  response->mutable_model()->Clear();
  DescribeEntry(**entry, request.view(), response->mutable_model());
  response->mutable_model()->set_name((*entry)->name);
  return absl::OkStatus();
}

absl::Status Answer(Registry& registry, const v1::ListModelsRequest& request, v1::ListModelsResponse* response) {
  const auto size = ReadPageSize(request.page_size());
  if (!size.ok()) return size.status();
  // The token is the last id of the page before: a list goes on where it stood, whatever was added meanwhile.
  const auto now = registry.snapshot();
  auto next = request.page_token().empty() ? now->models.begin() : now->models.upper_bound(request.page_token());
  for (; next != now->models.end(); ++next) {
    const auto& labels = next->second->record.labels;
    const bool wanted = std::all_of(request.labels().begin(), request.labels().end(), [&](const auto& label) {
      const auto found = labels.find(label.first);
      return found != labels.end() && found->second == label.second;
    });
    if (!wanted) continue;
    if (response->models_size() == *size) {
      response->set_next_page_token(response->models(*size - 1).name().substr(7));
      break;
    }
    Describe(*next->second, v1::MODEL_VIEW_BASIC, response->add_models());
  }
  return absl::OkStatus();
}

absl::Status Answer(Registry& registry, const v1::UpdateModelRequest& request, v1::UpdateModelResponse* response,
                    const Changer& by) {
  auto model = registry.FindModel("name", request.name());
  if (!model.ok()) return model.status();
  if (absl::Status s = MayChange(**model, by); !s.ok()) return s;
  const StoredModel& record = (*model)->record;
  const auto etag = ReadEtag(request.etag());
  if (!etag.ok()) return etag.status();
  const auto labels = ReadLabels(request.labels());
  if (!labels.ok()) return labels.status();
  EntryPtr entry = (*model)->entry;
  if (request.has_source()) {
    const auto options = ReadOptions(request.source());
    if (!options.ok()) return options.status();
    const auto made = MakeModelEntry(record.id, request.source().text(), *options);
    if (!made.ok()) return AsBadSource(made.status());
    entry = *made;
  } else if (!entry) {
    return wire::Error(absl::StatusCode::kFailedPrecondition, "UNREADABLE_MODEL",
                       absl::StrCat("source: absent, and the stored one cannot be read: ",
                                    std::string((*model)->load_error.message())));
  }
  if (request.validate_only()) {
    DescribeEntry(*entry, v1::MODEL_VIEW_BASIC, response->mutable_model());
    response->mutable_model()->set_name("models/" + record.id);
    return absl::OkStatus();
  }
  RegistryPut put;
  put.id = record.id;
  put.entry = entry;
  put.labels = request.replace_labels() ? *labels : record.labels;
  for (const auto& [key, value] : *labels) put.labels[key] = value;
  put.expected = *etag ? **etag : record.position;
  auto changed = registry.Put(put);
  // Without an etag the change is meant for whatever is current: a change in between is overtaken, unless the model is
  // another's by now.
  while (!*etag && absl::IsAborted(changed.status())) {
    model = registry.FindModel("name", request.name());
    if (!model.ok()) return model.status();
    if (absl::Status s = MayChange(**model, by); !s.ok()) return s;
    put.expected = (*model)->record.position;
    changed = registry.Put(put);
  }
  if (!changed.ok()) return changed.status();
  Describe(**changed, v1::MODEL_VIEW_BASIC, response->mutable_model());
  return absl::OkStatus();
}

absl::Status Answer(Registry& registry, const v1::DeleteModelRequest& request, v1::DeleteModelResponse* response,
                    const Changer& by) {
  for (;;) {
    const auto model = registry.FindModel("name", request.name());
    if (!model.ok()) return model.status();
    if (!ParseModelName("name", request.name())->revision.empty())
      return BadField("name", "names a revision; want models/{model}: revisions are forgotten by themselves", "BAD_MODEL_NAME");
    if (absl::Status s = MayChange(**model, by); !s.ok()) return s;
    const auto etag = ReadEtag(request.etag());
    if (!etag.ok()) return etag.status();
    const absl::Status status = registry.Delete((*model)->record.id, *etag ? **etag : (*model)->record.position);
    if (*etag || !absl::IsAborted(status)) return status;
  }
}

absl::Status Answer(Registry& registry, const v1::ListModelRevisionsRequest& request,
                    v1::ListModelRevisionsResponse* response) {
  const auto model = registry.FindModel("name", request.name());
  if (!model.ok()) return model.status();
  const auto size = ReadPageSize(request.page_size());
  if (!size.ok()) return size.status();
  const auto revisions = registry.Revisions((*model)->record.id);
  if (!revisions.ok()) return revisions.status();
  size_t i = 0;
  if (!request.page_token().empty()) {
    while (i < revisions->size() && (*revisions)[i].revision != request.page_token()) ++i;
    if (i == revisions->size())
      return BadField("page_token", "is none of this list; begin again without one", "BAD_PAGE_TOKEN");
    ++i;
  }
  for (; i < revisions->size(); ++i) {
    if (response->revisions_size() == *size) {
      response->set_next_page_token(response->revisions(*size - 1).revision());
      break;
    }
    const StoredRevision& from = (*revisions)[i];
    auto* to = response->add_revisions();
    to->set_revision(from.revision);
    to->mutable_create_time()->set_seconds(from.create_us / 1000000);
    to->mutable_create_time()->set_nanos(static_cast<int>(from.create_us % 1000000) * 1000);
    to->set_current(from.revision == (*model)->record.current.revision);
  }
  return absl::OkStatus();
}

absl::Status RegisterFolder(Registry& registry, const std::string& folder,
                            const std::function<void(const std::string&)>& complain) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(folder, error)) {
    const std::string extension = file.path().extension();
    if (file.is_regular_file() &&
        (extension == ".urdf" || extension == ".xml" || extension == ".yaml" || extension == ".yml"))
      files.push_back(file.path());
  }
  if (error) return absl::NotFoundError(absl::StrCat("robots folder ", folder, ": ", error.message()));
  std::sort(files.begin(), files.end());
  for (const auto& path : files) {
    const std::string id = path.stem();
    const std::string source = ReadFile(path);
    const auto now = registry.snapshot();
    const auto existing = now->models.find(id);
    if (existing != now->models.end()) {
      const auto revisions = registry.Revisions(id);
      const std::string revision = Revision(source);
      if (revisions.ok() && std::any_of(revisions->begin(), revisions->end(),
                                        [&](const StoredRevision& r) { return r.revision == revision; }))
        continue;
    }
    if (absl::Status s = CheckId("file name", id); !s.ok()) {
      complain(absl::StrCat(path.string(), ": ", std::string(s.message())));
      continue;
    }
    const auto entry = MakeModelEntry(id, source, {});
    if (!entry.ok()) {
      complain(absl::StrCat(path.string(), ": ", std::string(entry.status().message())));
      continue;
    }
    RegistryPut put;
    put.id = id;
    put.entry = *entry;
    put.labels = existing != now->models.end() ? existing->second->record.labels : (*entry)->loaded.labels;
    // Where servers share a store they start with the same folder: whoever is first has done it.
    put.expected = existing != now->models.end() ? existing->second->record.position : 0;
    const auto model = registry.Put(put);
    if (!model.ok() && !absl::IsAlreadyExists(model.status()) && !absl::IsAborted(model.status()) &&
        !absl::IsNotFound(model.status()))
      return model.status();
  }
  return absl::OkStatus();
}

}  // namespace torqued
