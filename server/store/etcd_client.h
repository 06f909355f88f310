// How is etcd asked? One channel per member, one second per attempt, and the next member when one does not answer.
//
// A member that died refuses at once, one that hangs or has lost the majority costs one attempt. Thread-safe.
#pragma once

#include <absl/status/statusor.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "etcd/rpc.grpc.pb.h"
#include "server/store/etcd_options.h"

namespace torqued {

class EtcdClient {
 public:
  // Does not connect. INVALID_ARGUMENT: a file that cannot be read.
  static absl::StatusOr<std::unique_ptr<EtcdClient>> Open(const EtcdOptions& options);

  // One attempt at the current member; where it does not answer, the next one becomes current. UNAVAILABLE: no answer,
  // or none within the attempt's time (a transaction may have been made all the same); RESOURCE_EXHAUSTED: etcd has no
  // space; PERMISSION_DENIED, UNAUTHENTICATED.
  absl::Status Range(const etcdserverpb::RangeRequest& request, etcdserverpb::RangeResponse* response);
  absl::Status Txn(const etcdserverpb::TxnRequest& request, etcdserverpb::TxnResponse* response);
  absl::Status Grant(std::int64_t seconds, std::int64_t* lease);

  // Repeats `work` while it is UNAVAILABLE, with growing pauses, until the budget is used up; where etcd has been away for
  // longer than a budget already, every member is tried once.
  absl::Status Patiently(const std::function<absl::Status()>& work) const;

  // A watch is read until it ends. Calls `each` for every response until it returns false or the watch breaks; then
  // says why. `context` may be cancelled by another thread.
  absl::Status Watch(grpc::ClientContext& context, const etcdserverpb::WatchCreateRequest& request,
                     const std::function<bool(const etcdserverpb::WatchResponse&)>& each);

  std::string Members() const;  // in words
  // From now on somebody waits: the budget is that of a server that serves.
  void Started() { started_ = true; }
  // Gives up pauses of Patiently, now and for ever.
  void Stop() { stopped_ = true; }

 private:
  struct Member {
    std::string name;
    std::unique_ptr<etcdserverpb::KV::Stub> kv;
    std::unique_ptr<etcdserverpb::Watch::Stub> watch;
    std::unique_ptr<etcdserverpb::Lease::Stub> lease;
    std::unique_ptr<etcdserverpb::Auth::Stub> auth;
  };

  explicit EtcdClient(const EtcdOptions& options);

  absl::Status Attempt(const std::function<grpc::Status(Member&, grpc::ClientContext*)>& call);
  absl::Status Authenticate(Member& member, std::string* token);
  absl::Status Translate(const Member& member, const grpc::Status& status) const;
  void Next(size_t failed);

  const EtcdOptions options_;
  std::vector<Member> members_;
  std::atomic<size_t> current_{0};
  std::atomic<bool> started_{false}, stopped_{false};
  std::atomic<std::int64_t> answered_us_;  // when a member last answered
  std::mutex token_mutex_;  // guards token_
  std::string token_;
};

}  // namespace torqued
