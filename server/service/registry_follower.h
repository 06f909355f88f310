// How does a registry keep up with a store that other servers change too? It takes over what the store tells, in the order
// of positions; a change of its own waits until it has been told, so that whoever made it finds it.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "server/service/registry.h"

namespace torqued {

// The record without the source text, which the entry holds.
RegisteredPtr ToRegistered(StoredModel record, EntryPtr entry, const absl::Status& load_error);

class Registry::Follower final : public StoreFollower {
 public:
  explicit Follower(Registry& registry) : registry_(registry) {}

  absl::Status Relisted(const StoreSnapshot& snapshot) override;
  absl::Status Changed(const StoreEvent& event, const StoredModel* model) override;

  // An entry that the next change will need: it is not made again.
  void Expect(const EntryPtr& entry);
  // Until everything up to `position` is taken over; false: not within a second or two.
  bool WaitFor(std::int64_t position);
  // Asks the store for a model that is not known here, and waits until it is. False: the store does not know it either, or
  // does not answer.
  bool CatchUp(const std::string& id);

 private:
  absl::StatusOr<RegisteredPtr> Prepare(const StoredModel& model);
  void Apply(const ModelEvent& event);
  void Reached(std::int64_t position);

  Registry& registry_;
  std::mutex mutex_;  // guards all below
  std::condition_variable moved_;
  std::int64_t reached_ = 0;
  std::map<std::pair<std::string, std::string>, EntryPtr> expected_;  // by id and revision
};

}  // namespace torqued
