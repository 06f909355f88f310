#include "client/cli/session.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "client/cli/json.h"
#include "client/cli/local_backend.h"
#include "client/cli/numbers.h"
#include "client/cli/progress.h"

namespace torqued::cli {
namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

absl::StatusOr<ClientOptions> Session::client_options() const {
  ClientOptions options;
  const std::string server =
      shared_.server.empty() ? Environment("TORQUED_SERVER") : shared_.server;
  if (!server.empty()) options.server = server;
  const auto timeout = ParseDuration("--timeout", shared_.timeout);
  if (!timeout.ok()) return timeout.status();
  options.deadline = std::max(std::chrono::milliseconds(1),
                              std::chrono::duration_cast<std::chrono::milliseconds>(*timeout));
  options.wait_for_ready = shared_.wait;
  options.tls = {shared_.tls_ca, shared_.tls_cert, shared_.tls_key};
  options.use_tls = shared_.tls || !shared_.tls_ca.empty() || !shared_.tls_cert.empty();
  options.traceparent = Environment("TRACEPARENT");
  options.token = Environment("TORQUED_TOKEN");
  if (!shared_.token_file.empty()) {
    std::ifstream file(shared_.token_file);
    if (!std::getline(file, options.token))
      return absl::InvalidArgumentError(
          absl::StrCat("--token-file: ", shared_.token_file, " cannot be read"));
  }
  return options;
}

absl::StatusOr<Backend*> Session::backend() {
  if (backend_ == nullptr) {
    if (shared_.local && !shared_.server.empty())
      return absl::InvalidArgumentError("--local and --server: want one of them");
    const auto options = client_options();
    if (!options.ok()) return options.status();
    auto made = shared_.local
                    ? MakeLocalBackend(shared_.robots.empty() ? Environment("TORQUED_ROBOTS")
                                                              : shared_.robots,
                                       absl::FromChrono(options->deadline))
                    : MakeRemoteBackend(*options);
    if (!made.ok()) return made.status();
    backend_ = *std::move(made);
  }
  return backend_.get();
}

absl::Status Session::Call(const google::protobuf::Message& request,
                           google::protobuf::Message& response) {
  const auto who = backend();
  if (!who.ok()) return who.status();
  ProgressBar bar("computing");
  return (*who)->Call(request, response,
                      [&bar](int64_t done, int64_t total) { bar.Show(done, total); });
}

absl::StatusOr<v1::Model> Session::GetModel(const std::string& argument, v1::Base base,
                                            v1::ModelView view) {
  const auto who = backend();
  if (!who.ok()) return who.status();
  const auto name = (*who)->ModelName(argument, base);
  if (!name.ok()) return name.status();
  v1::GetModelRequest request;
  request.set_name(*name);
  request.set_view(view);
  auto answer = Ask<v1::GetModelResponse>(request);
  if (!answer.ok()) return answer.status();
  return std::move(*answer->mutable_model());
}

void Session::Show(const google::protobuf::Message& answer, const std::vector<Sheet>& sheets) {
  if (!out_file_.empty()) {
    std::string text;
    if (absl::EndsWith(out_file_, ".json"))
      text = ToJson(answer);
    else
      for (const Sheet& sheet : sheets) text += (text.empty() ? "" : "\n") + ToCsv(sheet);
    written_ = WriteFile(out_file_, text);
    return;
  }
  if (shared_.json) {
    out_ << ToJson(answer);
    return;
  }
  bool first = true;
  for (const Sheet& sheet : sheets) {
    if (!first) out_ << "\n";
    first = false;
    out_ << (shared_.csv ? ToCsv(sheet) : ToTable(sheet));
  }
}

absl::Status WriteFile(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::cout << text;
    return absl::OkStatus();
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return absl::InvalidArgumentError(absl::StrCat(path, ": cannot be written"));
  return absl::OkStatus();
}

}  // namespace torqued::cli
