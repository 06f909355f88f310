#include "server/service/registry.h"

#include <absl/strings/str_cat.h>

#include "proto/wire/errors.h"
#include "server/service/near.h"
#include "server/service/registry_follower.h"
#include "server/service/stored_entry.h"

namespace torqued {
namespace {

constexpr size_t kOldRevisionsInMemory = 64;
constexpr char kModels[] = "models/";
constexpr char kRevisions[] = "/revisions/";

bool Split(std::string_view name, ModelName& out) {
  if (name.substr(0, 7) != kModels) return false;
  name.remove_prefix(7);
  const size_t slash = name.find('/');
  out.id = name.substr(0, slash);
  out.revision = {};
  if (out.id.empty()) return false;
  if (slash == std::string_view::npos) return true;
  if (name.substr(slash, 11) != kRevisions) return false;
  out.revision = name.substr(slash + 11);
  return !out.revision.empty() && out.revision.find('/') == std::string_view::npos;
}

// A thread's reference to the last snapshot it saw, per registry.
struct Seen {
  std::uint64_t registry = 0, version = 0;
  std::shared_ptr<const RegistrySnapshot> snapshot;
};

}  // namespace

RegisteredPtr ToRegistered(StoredModel record, EntryPtr entry, const absl::Status& load_error) {
  record.current.source.clear();
  return std::make_shared<const Registered>(Registered{std::move(record), std::move(entry), load_error});
}

absl::Status Registry::WithDetails(const absl::Status& status, const std::string& id) {
  const std::string message(status.message());
  switch (status.code()) {
    case absl::StatusCode::kNotFound: return wire::NotFound("UNKNOWN_MODEL", "model", id, message);
    case absl::StatusCode::kAlreadyExists:
      return wire::Error(status.code(), "MODEL_EXISTS", message, {{"name", "models/" + id}});
    case absl::StatusCode::kAborted:
      return wire::Error(status.code(), "ETAG_MISMATCH", message, {{"name", "models/" + id}});
    case absl::StatusCode::kResourceExhausted: return wire::Exhausted("TOO_MANY_MODELS", "models", message);
    case absl::StatusCode::kUnavailable: return wire::Error(status.code(), "STORE_UNAVAILABLE", message);
    case absl::StatusCode::kDataLoss: return wire::Error(status.code(), "STORE_DAMAGED", message);
    default: return status;
  }
}

absl::StatusOr<ModelName> ParseModelName(const std::string& field, const std::string& name) {
  ModelName out;
  if (Split(name, out)) return out;
  return wire::BadField(field, name.empty() ? std::string("absent, want models/{model}")
                                            : absl::StrCat("'", name.substr(0, 100),
                                                           "', want models/{model} or "
                                                           "models/{model}/revisions/{revision}"),
                        "BAD_MODEL_NAME");
}

Registry::Registry(std::unique_ptr<Store> store, std::function<void(const ModelEntry&)> ready)
    : number_([] {
        static std::atomic<std::uint64_t> last{0};
        return ++last;
      }()),
      store_(std::move(store)),
      ready_(ready ? std::move(ready) : [](const ModelEntry&) {}) {}

Registry::~Registry() {
  if (follower_) store_->Unfollow();
}

absl::StatusOr<std::unique_ptr<Registry>> Registry::Open(std::unique_ptr<Store> store,
                                                         std::function<void(const ModelEntry&)> ready) {
  std::unique_ptr<Registry> registry(new Registry(std::move(store), std::move(ready)));
  auto stored = registry->store_->List();
  if (!stored.ok()) return stored.status();
  auto snapshot = std::make_shared<RegistrySnapshot>();
  snapshot->position = stored->position;
  for (StoredModel& model : stored->models) {
    const auto entry = MakeStoredEntry(model.id, model.current);
    const std::string id = model.id;
    if (entry.ok()) registry->ready_(**entry);
    snapshot->models[id] = ToRegistered(std::move(model), entry.ok() ? *entry : nullptr, entry.status());
  }
  {
    const std::lock_guard<std::mutex> lock(registry->writers_);
    registry->Publish(std::move(snapshot));
  }
  registry->follower_ = std::make_unique<Follower>(*registry);
  if (!registry->store_->Follow(registry->follower_.get())) registry->follower_.reset();
  return registry;
}

void Registry::Publish(std::shared_ptr<const RegistrySnapshot> next) {
  const std::lock_guard<std::mutex> lock(current_mutex_);
  current_ = std::move(next);
  version_.fetch_add(1, std::memory_order_release);
}

std::shared_ptr<const RegistrySnapshot> Registry::snapshot() const {
  thread_local Seen seen;
  const std::uint64_t version = version_.load(std::memory_order_acquire);
  if (seen.registry != number_ || seen.version != version) {
    const std::lock_guard<std::mutex> lock(current_mutex_);
    seen.registry = number_;
    seen.version = version_.load(std::memory_order_relaxed);
    seen.snapshot = current_;
  }
  return seen.snapshot;
}

EntryPtr Registry::FindReady(std::string_view name) const {
  ModelName parts;
  if (!Split(name, parts)) return nullptr;
  const auto now = snapshot();
  const auto model = now->models.find(parts.id);
  if (model == now->models.end()) return nullptr;
  const EntryPtr& current = model->second->entry;
  if (parts.revision.empty() || (current && current->revision == parts.revision)) return current;
  const auto old = now->old_revisions.find(name);
  return old == now->old_revisions.end() ? nullptr : old->second;
}

absl::Status Registry::NoSuchModel(const std::string& field, std::string_view id) const {
  std::vector<std::string> names;
  for (const auto& [name, model] : snapshot()->models) names.push_back(name);
  const std::string asked(id);
  return wire::NotFound("UNKNOWN_MODEL", "model", asked,
                        absl::StrCat(field, ": no model '", asked.substr(0, 100), "' is registered"),
                        NearNames(asked, names));
}

absl::StatusOr<RegisteredPtr> Registry::FindModel(const std::string& field, const std::string& name) const {
  const auto parts = ParseModelName(field, name);
  if (!parts.ok()) return parts.status();
  auto now = snapshot();
  auto model = now->models.find(parts->id);
  if (model == now->models.end() && follower_ && follower_->CatchUp(std::string(parts->id))) {
    now = snapshot();  // another server registered it a moment ago
    model = now->models.find(parts->id);
  }
  if (model == now->models.end()) return NoSuchModel(field, parts->id);
  return model->second;
}

absl::StatusOr<EntryPtr> Registry::FindEntry(const std::string& field, const std::string& name) {
  if (EntryPtr ready = FindReady(name)) return ready;
  const auto parts = ParseModelName(field, name);
  if (!parts.ok()) return parts.status();
  const auto model = FindModel(field, name);
  if (!model.ok()) return model.status();
  if (EntryPtr ready = FindReady(name)) return ready;
  const absl::Status& fault = (*model)->load_error;
  if (parts->revision.empty() && absl::IsDataLoss(fault)) return fault;
  if (parts->revision.empty())
    return wire::Error(absl::StatusCode::kFailedPrecondition, "UNREADABLE_MODEL",
                       absl::StrCat("model '", std::string(parts->id), "' was stored by another version and cannot be read: ",
                                    std::string(fault.message()), "; update it"));
  return LoadOldRevision(name, *parts);
}

absl::StatusOr<EntryPtr> Registry::LoadOldRevision(const std::string& name, const ModelName& parts) {
  const std::string id(parts.id), revision(parts.revision);
  const auto stored = store_->Revision(id, revision);
  if (absl::IsNotFound(stored.status()))
    return wire::NotFound("UNKNOWN_REVISION", "revision", revision, std::string(stored.status().message()));
  if (!stored.ok()) return WithDetails(stored.status(), id);
  auto entry = MakeStoredEntry(id, *stored);
  if (!entry.ok()) return entry.status();
  ready_(**entry);
  const std::lock_guard<std::mutex> lock(writers_);
  auto next = std::make_shared<RegistrySnapshot>(*snapshot());
  if (next->old_revisions.size() >= kOldRevisionsInMemory) next->old_revisions.clear();
  next->old_revisions[name] = *entry;
  Publish(std::move(next));
  return entry;
}

void Registry::Tell(const ModelEvent& event) {
  for (const auto& [number, listener] : listeners_) listener(event);
}

absl::StatusOr<RegisteredPtr> Registry::Put(const RegistryPut& put) {
  StorePut change;
  change.id = put.id;
  change.revision.revision = put.entry->revision;
  change.revision.source = put.entry->source;
  change.revision.base = static_cast<int>(put.entry->options.base);
  change.revision.policy = static_cast<int>(put.entry->options.policy);
  change.owner = put.owner;
  change.labels = put.labels;
  change.expected = put.expected;
  change.request_id = put.request_id;
  change.request_digest = put.request_digest;
  if (follower_) return PutShared(put, change);
  const std::lock_guard<std::mutex> lock(writers_);
  const auto now = snapshot();
  const auto before = now->models.find(put.id);
  const bool known = before != now->models.end() && before->second->entry == put.entry;
  auto stored = store_->Put(change);
  if (!stored.ok()) return WithDetails(stored.status(), put.id);
  const std::int64_t position = stored->position;
  const RegisteredPtr model = ToRegistered(std::move(*stored), put.entry, absl::OkStatus());
  if (!known) ready_(*put.entry);
  auto next = std::make_shared<RegistrySnapshot>(*snapshot());
  next->position = position;
  next->models[put.id] = model;
  Publish(std::move(next));
  Tell({position, put.id, model});
  return model;
}

absl::Status Registry::Delete(const std::string& id, std::optional<std::int64_t> expected) {
  if (follower_) return DeleteShared(id, expected);
  const std::lock_guard<std::mutex> lock(writers_);
  const auto position = store_->Delete(id, expected);
  if (!position.ok()) return WithDetails(position.status(), id);
  auto next = std::make_shared<RegistrySnapshot>(*snapshot());
  next->position = *position;
  next->models.erase(id);
  const std::string prefix = absl::StrCat(kModels, id, kRevisions);
  for (auto old = next->old_revisions.begin(); old != next->old_revisions.end();)
    old = old->first.compare(0, prefix.size(), prefix) == 0 ? next->old_revisions.erase(old) : std::next(old);
  Publish(std::move(next));
  Tell({*position, id, nullptr});
  return absl::OkStatus();
}

absl::StatusOr<std::vector<StoredRevision>> Registry::Revisions(const std::string& id) {
  auto revisions = store_->Revisions(id);
  if (!revisions.ok()) return WithDetails(revisions.status(), id);
  return revisions;
}

absl::StatusOr<StoredRequest> Registry::FindRequest(const std::string& request_id) {
  return store_->FindRequest(request_id);
}

absl::StatusOr<Registry::Watch> Registry::Subscribe(std::int64_t resume_after,
                                                    std::function<void(const ModelEvent&)> listener) {
  const std::lock_guard<std::mutex> lock(writers_);
  const auto now = snapshot();
  Watch watch;
  watch.position = now->position;
  if (resume_after == 0) {
    for (const auto& [id, model] : now->models) watch.first.push_back({model->record.position, id, model});
  } else {
    const auto events = store_->Since(resume_after);
    if (absl::IsOutOfRange(events.status()))
      return wire::Error(absl::StatusCode::kOutOfRange, "WATCH_POSITION_LOST",
                         absl::StrCat("resume_after: ", std::string(events.status().message())),
                         {{"position", absl::StrCat(resume_after)}});
    if (!events.ok()) return WithDetails(events.status(), "");
    for (const StoreEvent& event : *events) {
      if (event.position > now->position) continue;  // the listener will hear of it
      const auto model = now->models.find(event.id);
      // A change of a model that was deleted later is told by that deletion.
      if (event.deleted) watch.first.push_back({event.position, event.id, nullptr});
      else if (model != now->models.end()) watch.first.push_back({event.position, event.id, model->second});
    }
  }
  watch.number = ++last_listener_;
  listeners_[watch.number] = std::move(listener);
  return watch;
}

void Registry::Unsubscribe(std::int64_t number) {
  const std::lock_guard<std::mutex> lock(writers_);
  listeners_.erase(number);
}

}  // namespace torqued
