// The shared store: models in etcd, for several servers at once.
//
//   PREFIX models/{id}              ModelRecord; its mod_revision is the model's position and etag
//   PREFIX models/                  written with every change: the position of the last one
//   PREFIX revisions/{id}/{rev}     RevisionRecord: a source; rewritten when it becomes current again, so that its
//                                   mod_revision orders the revisions by use
//   PREFIX requests/{request id}    RequestRecord, with a lease of a day
//
// Every change is one transaction that compares the model's mod_revision. An attempt without an answer may have been made
// all the same: the repeat reads first, and knows its own write by the mark in the record. Positions are etcd's
// revisions, so they are the same numbers on every server.
//
// Following: list, then watch from that revision on; after any loss of the watch (member gone, majority lost, compacted)
// list again. The position of the last change is asked for every second as well: a watch that has fallen behind it is
// given up, and a store that does not answer is said to be read-only.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "server/store/etcd_client.h"
#include "server/store/etcd_options.h"
#include "server/store/etcd_records.h"
#include "server/store/store.h"

namespace torqued {

class EtcdStore final : public Store {
 public:
  // Asks etcd once. UNAVAILABLE: no member answers, or none has a majority; UNAUTHENTICATED, PERMISSION_DENIED.
  static absl::StatusOr<std::unique_ptr<EtcdStore>> Open(const EtcdOptions& options);
  ~EtcdStore() override;

  absl::StatusOr<StoredModel> Get(const std::string& id) override;
  absl::StatusOr<StoreSnapshot> List() override;
  absl::StatusOr<std::vector<StoredRevision>> Revisions(const std::string& id) override;
  absl::StatusOr<StoredRevision> Revision(const std::string& id, const std::string& revision) override;
  // Besides: INVALID_ARGUMENT a source beyond 1 MiB, which etcd does not take.
  absl::StatusOr<StoredModel> Put(const StorePut& put) override;
  absl::StatusOr<std::int64_t> Delete(const std::string& id, std::optional<std::int64_t> expected) override;
  absl::StatusOr<StoredRequest> FindRequest(const std::string& request_id) override;
  absl::StatusOr<std::vector<StoreEvent>> Since(std::int64_t position) override;
  bool Follow(StoreFollower* follower) override;
  void Unfollow() override;
  StoreState state() override;

 private:
  EtcdStore(const EtcdOptions& options, std::unique_ptr<EtcdClient> client);

  absl::Status Ask(const etcdserverpb::RangeRequest& request, etcdserverpb::RangeResponse* response);
  absl::StatusOr<StoreSnapshot> ListRecords();
  absl::StatusOr<StoredModel> GetRecord(const std::string& id);  // one attempt
  absl::StatusOr<StoredModel> PutOnce(const StorePut& put, const std::string& mark, bool repeated, std::int64_t lease);
  absl::StatusOr<std::int64_t> DeleteOnce(const std::string& id, std::optional<std::int64_t> expected, bool repeated);
  absl::StatusOr<std::vector<std::string>> TooOldRevisions(const std::string& id, const std::string& current);
  absl::StatusOr<std::int64_t> RequestLease();
  absl::StatusOr<std::int64_t> LastPosition();  // one attempt
  absl::Status Reword(absl::Status status);

  // etcd_follow.cc
  void FollowLoop();
  void ProbeLoop();
  absl::Status FollowOnce();
  bool Pause(absl::Duration time);  // false: stopped
  void Note(const absl::Status& status);

  const EtcdOptions options_;
  const std::unique_ptr<EtcdClient> client_;

  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  bool stop_ = false;
  std::string problem_;           // empty: etcd answers
  std::int64_t watched_ = 0;      // position up to which the follower knows everything
  grpc::ClientContext* watch_ = nullptr;
  std::int64_t lease_ = 0;
  absl::Time lease_since_ = absl::InfinitePast();
  StoreFollower* follower_ = nullptr;
  std::thread follow_thread_, probe_thread_;
};

}  // namespace torqued
