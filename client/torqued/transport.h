// One channel and the three ways to use it. The only header of this folder that names gRPC; not for
// users.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <google/protobuf/message.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "client/torqued/options.h"

namespace torqued {

class Transport {
 public:
  // Does not connect yet. INVALID_ARGUMENT: a TLS file that cannot be read.
  static absl::StatusOr<std::unique_ptr<Transport>> Open(const ClientOptions& options);

  // One attempt. Thread-safe, blocks.
  absl::Status Unary(const std::string& path, const google::protobuf::Message& request,
                     google::protobuf::Message& response,
                     std::chrono::system_clock::time_point deadline) const;

  // Calls `each` for every message until it returns false (then the call is cancelled: OK).
  // DEADLINE_EXCEEDED: no message for `patience` (max: waits for ever). Thread-safe, blocks.
  absl::Status ServerStream(const std::string& path, const google::protobuf::Message& request,
                            google::protobuf::Message& part,
                            std::chrono::milliseconds patience,
                            const std::function<bool()>& each) const;

  // Identity and wait-for-ready of a call.
  void Prepare(grpc::ClientContext& context) const;
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }

 private:
  Transport(std::shared_ptr<grpc::Channel> channel, const ClientOptions& options);

  std::shared_ptr<grpc::Channel> channel_;
  std::string authorization_, traceparent_;
  bool wait_for_ready_;
};

// A call that was broken off (by a server that ends, or a proxy whose server died) is UNAVAILABLE.
absl::Status FromGrpc(const grpc::Status& status);

// True for unix sockets, localhost, 127.0.0.0/8 and ::1: nothing may stand between a client and
// these.
bool IsLoopback(const std::string& server);

}  // namespace torqued
