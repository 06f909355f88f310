// Who answers: a server, or the same code in this process (--local). Verbs know only this.
#pragma once

#include <absl/status/statusor.h>
#include <google/protobuf/message.h>

#include <functional>
#include <memory>
#include <string>

#include "client/torqued/options.h"
#include "torqued/v1/models.pb.h"

namespace torqued {
class Client;
}

namespace torqued::cli {

class Backend {
 public:
  using Progress = std::function<void(int64_t done, int64_t total)>;

  virtual ~Backend() = default;

  // Any unary request of torqued.v1.
  virtual absl::Status Call(const google::protobuf::Message& request,
                            google::protobuf::Message& response, const Progress& progress) = 0;

  // A request answered by a stream: `part` holds each message while `each` runs; until it returns
  // false.
  virtual absl::Status Receive(const google::protobuf::Message& request,
                               google::protobuf::Message& part,
                               const std::function<bool()>& each) = 0;

  // The resource name of what the user typed as MODEL: an id, id@revision, a full name, in process
  // also a file.
  virtual absl::StatusOr<std::string> ModelName(const std::string& argument, v1::Base base) = 0;

  // The client behind it; null in process.
  virtual Client* client() { return nullptr; }

  template <class Response>
  absl::StatusOr<Response> Ask(const google::protobuf::Message& request,
                               const Progress& progress = nullptr) {
    Response response;
    if (absl::Status status = Call(request, response, progress); !status.ok()) return status;
    return response;
  }
};

absl::StatusOr<std::unique_ptr<Backend>> MakeRemoteBackend(const ClientOptions& options);

}  // namespace torqued::cli
