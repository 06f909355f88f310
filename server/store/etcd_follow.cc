// How does a server hear of what the others change? The part of the etcd store that lists, watches and doubts.
#include <absl/strings/str_cat.h>
#include <absl/time/clock.h>

#include "server/store/etcd_store.h"

namespace torqued {
namespace {

using etcdserverpb::WatchCreateRequest;
using etcdserverpb::WatchResponse;

constexpr absl::Duration kProbeInterval = absl::Seconds(1);

WatchCreateRequest WatchModelsAfter(const EtcdOptions& options, std::int64_t position) {
  WatchCreateRequest request;
  request.set_key(etcd_keys::Model(options, ""));
  request.set_range_end(etcd_keys::EndOf(request.key()));
  request.set_start_revision(position + 1);
  return request;
}

}  // namespace

absl::StatusOr<std::int64_t> EtcdStore::LastPosition() {
  etcdserverpb::RangeRequest request;
  request.set_key(etcd_keys::Model(options_, ""));
  etcdserverpb::RangeResponse response;
  if (absl::Status s = client_->Range(request, &response); !s.ok()) return s;
  return response.kvs().empty() ? 0 : response.kvs(0).mod_revision();
}

absl::StatusOr<std::vector<StoreEvent>> EtcdStore::Since(std::int64_t position) {
  absl::StatusOr<std::int64_t> last = 0;
  absl::Status status = client_->Patiently([&] {
    last = LastPosition();
    return last.status();
  });
  if (!status.ok()) return Reword(status);
  const auto lost = [&] {
    return absl::OutOfRangeError(
        absl::StrCat("position ", position, " is no longer kept (last ", *last, "); list again"));
  };
  std::vector<StoreEvent> events;
  if (position == *last) return events;
  if (position > *last || position < 0) return lost();
  // Every change writes the position's own key too, so the history is complete when that key's last writing is read.
  bool compacted = false;
  status = client_->Patiently([&]() -> absl::Status {
    events.clear();
    bool complete = false;
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + options_.budget));
    const absl::Status broken =
        client_->Watch(context, WatchModelsAfter(options_, position), [&](const WatchResponse& response) {
          compacted = response.compact_revision() > 0;
          if (response.canceled()) return false;
          for (const mvccpb::Event& event : response.events()) {
            const std::int64_t at = event.kv().mod_revision();
            if (at > *last) return false;
            complete = complete || at == *last;
            const std::string id = event.kv().key().substr(etcd_keys::Model(options_, "").size());
            if (!id.empty()) events.push_back({at, event.type() == mvccpb::Event::DELETE, id});
          }
          return !complete;
        });
    if (complete || compacted) return absl::OkStatus();
    return broken.ok() ? absl::UnavailableError("the watch was cancelled") : broken;
  });
  if (!status.ok()) return Reword(status);
  if (compacted) return lost();
  return events;
}

bool EtcdStore::Follow(StoreFollower* follower) {
  client_->Started();
  follower_ = follower;
  follow_thread_ = std::thread([this] { FollowLoop(); });
  probe_thread_ = std::thread([this] { ProbeLoop(); });
  return true;
}

void EtcdStore::Unfollow() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
    if (watch_ != nullptr) watch_->TryCancel();
  }
  client_->Stop();
  changed_.notify_all();
  for (std::thread* thread : {&follow_thread_, &probe_thread_})
    if (thread->joinable()) thread->join();
}

StoreState EtcdStore::state() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return {"etcd", problem_.empty(), problem_};
}

void EtcdStore::Note(const absl::Status& status) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool refused = absl::IsUnavailable(status) || absl::IsUnauthenticated(status) || absl::IsPermissionDenied(status);
  problem_ = refused ? std::string(status.message()) : "";
}

bool EtcdStore::Pause(absl::Duration time) {
  std::unique_lock<std::mutex> lock(mutex_);
  return !changed_.wait_for(lock, absl::ToChronoNanoseconds(time), [this] { return stop_; });
}

void EtcdStore::FollowLoop() {
  absl::Duration pause = absl::Milliseconds(20);
  for (;;) {
    const absl::Time begin = absl::Now();
    const absl::Status status = FollowOnce();
    if (absl::IsUnavailable(status)) Note(status);
    if (absl::Now() - begin > absl::Seconds(5)) pause = absl::Milliseconds(20);
    if (!Pause(pause)) return;
    pause = std::min(pause * 2, absl::Seconds(1));
  }
}

absl::Status EtcdStore::FollowOnce() {
  const auto snapshot = ListRecords();
  if (!snapshot.ok()) return snapshot.status();
  if (absl::Status s = follower_->Relisted(*snapshot); !s.ok()) return s;
  grpc::ClientContext context;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stop_) return absl::OkStatus();
    watched_ = snapshot->position;
    watch_ = &context;
  }
  absl::Status taken = absl::OkStatus();
  const absl::Status broken =
      client_->Watch(context, WatchModelsAfter(options_, snapshot->position), [&](const WatchResponse& response) {
        if (response.canceled()) return false;  // compacted, or the member lost its leader: list again
        for (const mvccpb::Event& event : response.events()) {
          const StoreEvent change{event.kv().mod_revision(), event.type() == mvccpb::Event::DELETE,
                                  event.kv().key().substr(etcd_keys::Model(options_, "").size())};
          if (!change.id.empty()) {
            std::optional<StoredModel> model;
            if (!change.deleted) {
              auto read = ReadModelRecord(options_, event.kv());
              if (!read.ok()) continue;  // somebody else's key: not ours to judge
              model = *std::move(read);
            }
            taken = follower_->Changed(change, model ? &*model : nullptr);
            if (!taken.ok()) return false;
          }
          const std::lock_guard<std::mutex> lock(mutex_);
          watched_ = std::max(watched_, change.position);
        }
        return true;
      });
  const std::lock_guard<std::mutex> lock(mutex_);
  watch_ = nullptr;
  return taken.ok() ? broken : taken;
}

void EtcdStore::ProbeLoop() {
  std::int64_t behind = 0;  // a position that the watch had not reached one interval ago
  while (Pause(kProbeInterval)) {
    const auto last = LastPosition();
    Note(last.status());
    if (!last.ok()) continue;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (behind > watched_ && watch_ != nullptr) watch_->TryCancel();
    behind = *last > watched_ ? *last : 0;
  }
}

}  // namespace torqued
