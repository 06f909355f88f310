#include <absl/strings/str_cat.h>

#include <filesystem>

#include "client/cli/backend.h"
#include "client/torqued/client.h"
#include "client/torqued/status.h"

namespace torqued::cli {
namespace {

class RemoteBackend : public Backend {
 public:
  explicit RemoteBackend(std::unique_ptr<Client> client) : client_(std::move(client)) {}

  absl::Status Call(const google::protobuf::Message& request, google::protobuf::Message& response,
                    const Progress& progress) override {
    return Explain(client_->Call(request, response, progress));
  }

  absl::Status Receive(const google::protobuf::Message& request, google::protobuf::Message& part,
                       const std::function<bool()>& each) override {
    return Explain(client_->Receive(request, part, each));
  }

  absl::StatusOr<std::string> ModelName(const std::string& argument, v1::Base base) override {
    std::error_code ignored;
    if (argument.find_first_of("/.") != std::string::npos &&
        std::filesystem::is_regular_file(argument, ignored))
      return absl::InvalidArgumentError(
          absl::StrCat("MODEL: ", argument, " is a file: register it first (torquectl model add ",
                       argument, "), or ask without a server (--local)"));
    if (base != v1::BASE_UNSPECIFIED)
      return absl::InvalidArgumentError(
          "--base: a registered model has its base already; it goes with model add, or with "
          "--local and a file");
    return torqued::ModelResource(argument);
  }

  Client* client() override { return client_.get(); }

 private:
  // Says which server is meant where there is none.
  absl::Status Explain(const absl::Status& status) const {
    const bool away = status.code() == absl::StatusCode::kUnavailable ||
                      status.code() == absl::StatusCode::kDeadlineExceeded;
    if (!away) return status;
    const std::string& server = client_->options().server;
    // What a server says has a reason; without one nobody was reached.
    const bool nobody =
        status.code() == absl::StatusCode::kUnavailable && ErrorReason(status).empty();
    absl::Status result(
        status.code(),
        nobody ? absl::StrCat(
                     "no server answers at ", server,
                     "; start torqued, name another (--server), or compute here (--local). Cause: ",
                     status.message())
               : absl::StrCat("server ", server, ": ", status.message()));
    status.ForEachPayload([&result](absl::string_view url, const absl::Cord& payload) {
      result.SetPayload(url, payload);
    });
    return result;
  }

  const std::unique_ptr<Client> client_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> MakeRemoteBackend(const ClientOptions& options) {
  auto client = Client::Open(options);
  if (!client.ok()) return client.status();
  return std::make_unique<RemoteBackend>(*std::move(client));
}

}  // namespace torqued::cli
