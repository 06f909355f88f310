// Which models are there right now? The store's contents, prepared, as an immutable snapshot that calls read.
//
// Readers look at one atomic number and, as long as it has not changed, at their thread's own reference to the
// snapshot: no lock, no contention. Writers parse and prepare before they take the writers' lock, commit to the store,
// then publish the next snapshot and tell the watchers, in the order of positions. Where several servers share the store,
// every change, also an own one, is taken over from what the store tells (registry_follower.h).
#pragma once

#include <absl/status/statusor.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "server/service/model_entry.h"
#include "server/store/store.h"

namespace torqued {

struct Registered {
  StoredModel record;       // without the source text, which the entry holds
  EntryPtr entry;           // null: this program cannot read the stored source (load_error says why)
  absl::Status load_error;
};
using RegisteredPtr = std::shared_ptr<const Registered>;

struct RegistrySnapshot {
  std::int64_t position = 0;
  std::map<std::string, RegisteredPtr, std::less<>> models;
  std::map<std::string, EntryPtr, std::less<>> old_revisions;  // by full name; those asked for lately
};

struct ModelEvent {
  std::int64_t position = 0;
  std::string id;
  RegisteredPtr model;  // null: deleted
};

// "models/{model}" or "models/{model}/revisions/{revision}". Views into the name.
struct ModelName {
  std::string_view id, revision;
};
// INVALID_ARGUMENT naming `field`.
absl::StatusOr<ModelName> ParseModelName(const std::string& field, const std::string& name);

struct RegistryPut {
  std::string id;
  EntryPtr entry;
  std::map<std::string, std::string> labels;
  std::string owner;
  std::optional<std::int64_t> expected;  // as StorePut
  std::string request_id, request_digest;
};

class Registry {
 public:
  // Loads every stored model. `ready` hears of each entry before anybody can ask it; it must return at once.
  static absl::StatusOr<std::unique_ptr<Registry>> Open(std::unique_ptr<Store> store,
                                                        std::function<void(const ModelEntry&)> ready = nullptr);
  ~Registry();

  std::shared_ptr<const RegistrySnapshot> snapshot() const;
  // Which store, and whether models can be changed right now.
  StoreState store_state() const { return store_->state(); }

  // The entry of a name, if it is in memory; null: FindEntry must be asked, which may block for milliseconds.
  EntryPtr FindReady(std::string_view name) const;
  // INVALID_ARGUMENT, NOT_FOUND (with near names), FAILED_PRECONDITION (the stored source cannot be read).
  absl::StatusOr<EntryPtr> FindEntry(const std::string& field, const std::string& name);
  absl::StatusOr<RegisteredPtr> FindModel(const std::string& field, const std::string& name) const;

  // Errors as Store's, with details.
  absl::StatusOr<RegisteredPtr> Put(const RegistryPut& put);
  absl::Status Delete(const std::string& id, std::optional<std::int64_t> expected);
  absl::StatusOr<std::vector<StoredRevision>> Revisions(const std::string& id);
  absl::StatusOr<StoredRequest> FindRequest(const std::string& request_id);
  absl::Status NoSuchModel(const std::string& field, std::string_view id) const;

  // Calls `listener` for every change from now on, in order, under the writers' lock: it must only take note.
  // Returns what to show first: with resume_after = 0 the snapshot (as events, plus its position), otherwise the
  // changes since; OUT_OF_RANGE: these are no longer kept.
  struct Watch {
    std::int64_t number = 0;
    std::int64_t position = 0;
    std::vector<ModelEvent> first;
  };
  absl::StatusOr<Watch> Subscribe(std::int64_t resume_after, std::function<void(const ModelEvent&)> listener);
  void Unsubscribe(std::int64_t number);

 private:
  Registry(std::unique_ptr<Store> store, std::function<void(const ModelEntry&)> ready);

  void Publish(std::shared_ptr<const RegistrySnapshot> next);  // holds writers_
  void Tell(const ModelEvent& event);  // holds writers_
  absl::StatusOr<EntryPtr> LoadOldRevision(const std::string& name, const ModelName& parts);
  absl::StatusOr<RegisteredPtr> PutShared(const RegistryPut& put, const StorePut& change);
  absl::Status DeleteShared(const std::string& id, std::optional<std::int64_t> expected);
  static absl::Status WithDetails(const absl::Status& status, const std::string& id);

  class Follower;  // registry_follower.h

  const std::uint64_t number_;  // of this registry in the process
  const std::unique_ptr<Store> store_;
  const std::function<void(const ModelEntry&)> ready_;
  std::unique_ptr<Follower> follower_;  // null: nobody else changes the store
  std::mutex writers_;  // guards the listeners
  std::map<std::int64_t, std::function<void(const ModelEvent&)>> listeners_;
  std::int64_t last_listener_ = 0;

  std::atomic<std::uint64_t> version_{1};
  mutable std::mutex current_mutex_;  // guards current_
  std::shared_ptr<const RegistrySnapshot> current_;
};

}  // namespace torqued
