// Where are models kept? One small interface: get, list, put if unchanged, delete, watch since.
//
// A *model* is an id with a current revision; a *revision* is a source text that never changes. Every change gets a
// *position*, a number that only grows; a model's position is that of its last change and serves as its etag.
// What a call has acknowledged survives the death of the process and of the machine.
//
// Errors of every call: UNAVAILABLE the medium refuses (disk full, read-only): what to do stands in the message;
// DATA_LOSS the file is damaged. Implementations are thread-safe.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace torqued {

struct StoredRevision {
  std::string revision;        // 12 hex digits
  std::string source;
  int base = 0;                // as registered; the store does not interpret it
  int policy = 0;
  std::int64_t create_us = 0;  // since 1970
};

struct StoredModel {
  std::string id;
  StoredRevision current;
  std::int64_t generation = 0;  // changes of the current revision, from 1
  std::int64_t position = 0;
  std::string owner;            // empty: nobody in particular
  std::string access;           // who may see and use it; empty: everybody
  std::map<std::string, std::string> labels;
  std::int64_t create_us = 0, update_us = 0;
};

struct StoreEvent {
  std::int64_t position = 0;
  bool deleted = false;
  std::string id;
};

struct StoreSnapshot {
  std::int64_t position = 0;
  std::vector<StoredModel> models;  // by id
};

struct StorePut {
  std::string id;
  StoredRevision revision;                 // becomes current; create_us is filled in
  std::string owner, access;               // of a new model; an existing one keeps its own
  std::map<std::string, std::string> labels;
  std::optional<std::int64_t> expected;    // position the model must have; 0: it must not exist; nullopt: whatever
  std::string request_id, request_digest;  // if given: remembered together with the change
};

struct StoredRequest {
  std::string model_id, revision, digest;
};

// What a shared store tells: changes that anybody makes, this process too. All calls come from one thread of the store.
// Models come without their sources. A status that is not OK: the change could not be taken over, all is told again.
class StoreFollower {
 public:
  virtual ~StoreFollower() = default;
  // Everything as it is now: first of all, and whenever changes may have been missed.
  virtual absl::Status Relisted(const StoreSnapshot& snapshot) = 0;
  // One change; null: the model was deleted.
  virtual absl::Status Changed(const StoreEvent& event, const StoredModel* model) = 0;
};

struct StoreState {
  std::string kind = "sqlite";
  bool writable = true;
  std::string problem;  // why not writable
};

class Store {
 public:
  virtual ~Store() = default;

  // NOT_FOUND.
  virtual absl::StatusOr<StoredModel> Get(const std::string& id) = 0;
  virtual absl::StatusOr<StoreSnapshot> List() = 0;
  // Newest first. NOT_FOUND: no such model.
  virtual absl::StatusOr<std::vector<StoredRevision>> Revisions(const std::string& id) = 0;
  // NOT_FOUND: never registered, or no longer kept.
  virtual absl::StatusOr<StoredRevision> Revision(const std::string& id, const std::string& revision) = 0;

  // The model as it is after the change. ABORTED: another position than expected; ALREADY_EXISTS: expected none;
  // NOT_FOUND: expected one. RESOURCE_EXHAUSTED: more models than the store keeps.
  virtual absl::StatusOr<StoredModel> Put(const StorePut& put) = 0;
  // The position of the deletion. NOT_FOUND, ABORTED.
  virtual absl::StatusOr<std::int64_t> Delete(const std::string& id, std::optional<std::int64_t> expected) = 0;

  // A request that made a change before; NOT_FOUND.
  virtual absl::StatusOr<StoredRequest> FindRequest(const std::string& request_id) = 0;

  // Changes after `position`, oldest first. OUT_OF_RANGE: compacted away; list again.
  virtual absl::StatusOr<std::vector<StoreEvent>> Since(std::int64_t position) = 0;

  // A store that several servers share tells its follower of every change, from now until Unfollow or destruction. False:
  // nobody else writes here, so nothing will be told. REQUIRES: the follower outlives that; at most one.
  virtual bool Follow(StoreFollower*) { return false; }
  virtual void Unfollow() {}
  virtual StoreState state() { return {}; }
};

}  // namespace torqued
