#include "server/service/registry_follower.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>

#include "server/service/stored_entry.h"

namespace torqued {
namespace {

constexpr std::chrono::seconds kPatience(2);
constexpr size_t kMostExpected = 64;

}  // namespace

absl::StatusOr<RegisteredPtr> Registry::Follower::Prepare(const StoredModel& model) {
  const std::string& revision = model.current.revision;
  const auto now = registry_.snapshot();
  if (const auto known = now->models.find(model.id); known != now->models.end() && known->second->entry &&
                                                     known->second->entry->revision == revision)
    return ToRegistered(model, known->second->entry, absl::OkStatus());
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const auto own = expected_.find({model.id, revision}); own != expected_.end()) {
      const EntryPtr entry = own->second;
      expected_.erase(own);
      registry_.ready_(*entry);
      return ToRegistered(model, entry, absl::OkStatus());
    }
  }
  const auto stored = registry_.store_->Revision(model.id, revision);
  if (!stored.ok()) return stored.status();
  const auto entry = MakeStoredEntry(model.id, *stored);
  if (entry.ok()) registry_.ready_(**entry);
  return ToRegistered(model, entry.ok() ? *entry : nullptr, entry.status());
}

void Registry::Follower::Apply(const ModelEvent& event) {
  const std::lock_guard<std::mutex> lock(registry_.writers_);
  auto next = std::make_shared<RegistrySnapshot>(*registry_.snapshot());
  next->position = std::max(next->position, event.position);
  if (event.model) {
    next->models[event.id] = event.model;
  } else {
    next->models.erase(event.id);
    const std::string prefix = absl::StrCat("models/", event.id, "/revisions/");
    for (auto old = next->old_revisions.begin(); old != next->old_revisions.end();)
      old = absl::StartsWith(old->first, prefix) ? next->old_revisions.erase(old) : std::next(old);
  }
  registry_.Publish(std::move(next));
  registry_.Tell(event);
}

absl::Status Registry::Follower::Changed(const StoreEvent& event, const StoredModel* model) {
  const auto now = registry_.snapshot();
  const auto known = now->models.find(event.id);
  const bool stale = known != now->models.end() && known->second->record.position >= event.position;
  if (!stale && event.deleted && known != now->models.end()) Apply({event.position, event.id, nullptr});
  if (!stale && model != nullptr) {
    const auto registered = Prepare(*model);
    // Deleted since: its deletion follows.
    if (!registered.ok() && !absl::IsNotFound(registered.status())) return registered.status();
    if (registered.ok()) Apply({event.position, event.id, *registered});
  }
  Reached(event.position);
  return absl::OkStatus();
}

absl::Status Registry::Follower::Relisted(const StoreSnapshot& snapshot) {
  std::vector<const StoredModel*> by_position;
  std::map<std::string, bool> there;
  for (const StoredModel& model : snapshot.models) {
    by_position.push_back(&model);
    there[model.id] = true;
  }
  std::sort(by_position.begin(), by_position.end(),
            [](const StoredModel* a, const StoredModel* b) { return a->position < b->position; });
  for (const StoredModel* model : by_position)
    if (absl::Status s = Changed({model->position, false, model->id}, model); !s.ok()) return s;
  const auto now = registry_.snapshot();
  // When a model was deleted meanwhile is not known: at the latest at the list's own position.
  for (const auto& [id, model] : now->models)
    if (!there.count(id)) Apply({snapshot.position, id, nullptr});
  Reached(snapshot.position);
  return absl::OkStatus();
}

void Registry::Follower::Expect(const EntryPtr& entry) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (expected_.size() >= kMostExpected) expected_.clear();
  expected_[{entry->id, entry->revision}] = entry;
}

void Registry::Follower::Reached(std::int64_t position) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    reached_ = std::max(reached_, position);
  }
  moved_.notify_all();
}

bool Registry::Follower::WaitFor(std::int64_t position) {
  std::unique_lock<std::mutex> lock(mutex_);
  return moved_.wait_for(lock, kPatience, [&] { return reached_ >= position; });
}

bool Registry::Follower::CatchUp(const std::string& id) {
  if (!registry_.store_->state().writable) return false;
  const auto model = registry_.store_->Get(id);
  return model.ok() && WaitFor(model->position);
}

absl::StatusOr<RegisteredPtr> Registry::PutShared(const RegistryPut& put, const StorePut& change) {
  follower_->Expect(put.entry);
  auto stored = store_->Put(change);
  if (!stored.ok()) return WithDetails(stored.status(), put.id);
  // Acknowledged by the store: it holds, whether or not the news has come back here yet.
  follower_->WaitFor(stored->position);
  return ToRegistered(*std::move(stored), put.entry, absl::OkStatus());
}

absl::Status Registry::DeleteShared(const std::string& id, std::optional<std::int64_t> expected) {
  const auto position = store_->Delete(id, expected);
  if (!position.ok()) return WithDetails(position.status(), id);
  follower_->WaitFor(*position);
  return absl::OkStatus();
}

}  // namespace torqued
