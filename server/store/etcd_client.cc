#include "server/store/etcd_client.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/time/clock.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>

namespace torqued {
namespace {

constexpr int kKeepaliveMs = 10000, kKeepaliveTimeoutMs = 3000;

absl::StatusOr<std::string> ReadFile(const std::string& setting, const std::string& path) {
  if (path.empty()) return std::string();
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in || text.str().empty())
    return absl::InvalidArgumentError(absl::StrCat(setting, ": ", path, " cannot be read"));
  return text.str();
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> Credentials(const EtcdOptions& options) {
  const auto ca = ReadFile("store_ca", options.ca_file);
  const auto certificate = ReadFile("store_cert", options.certificate_file);
  const auto key = ReadFile("store_key", options.key_file);
  for (const auto* text : {&ca, &certificate, &key})
    if (!text->ok()) return text->status();
  if (ca->empty() && certificate->empty() && key->empty()) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({*ca, *key, *certificate});
}

}  // namespace

EtcdClient::EtcdClient(const EtcdOptions& options) : options_(options), answered_us_(absl::ToUnixMicros(absl::Now())) {}

absl::StatusOr<std::unique_ptr<EtcdClient>> EtcdClient::Open(const EtcdOptions& options) {
  const auto credentials = Credentials(options);
  if (!credentials.ok()) return credentials.status();
  std::unique_ptr<EtcdClient> client(new EtcdClient(options));
  for (const std::string& endpoint : options.endpoints) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1000);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetMaxReceiveMessageSize(-1);
    const auto channel = grpc::CreateCustomChannel(endpoint, *credentials, arguments);
    client->members_.push_back({endpoint, etcdserverpb::KV::NewStub(channel), etcdserverpb::Watch::NewStub(channel),
                                etcdserverpb::Lease::NewStub(channel), etcdserverpb::Auth::NewStub(channel)});
  }
  return client;
}

std::string EtcdClient::Members() const { return absl::StrJoin(options_.endpoints, ","); }

void EtcdClient::Next(size_t failed) {
  current_.compare_exchange_strong(failed, (failed + 1) % members_.size());
}

absl::Status EtcdClient::Translate(const Member& member, const grpc::Status& status) const {
  const std::string text = absl::StrCat("etcd at ", member.name, ": ", status.error_message());
  // After users or roles were changed, old tokens are refused in these words.
  if (status.error_message().find("auth store is old") != std::string::npos ||
      status.error_message().find("invalid auth token") != std::string::npos)
    return absl::UnauthenticatedError(text);
  switch (status.error_code()) {
    case grpc::StatusCode::OK: return absl::OkStatus();
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::DEADLINE_EXCEEDED:
    case grpc::StatusCode::CANCELLED: return absl::UnavailableError(text);
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return absl::ResourceExhaustedError(
          absl::StrCat(text, "; compact and defragment it, then disarm its alarm (etcdctl compact, defrag, alarm disarm)"));
    case grpc::StatusCode::UNAUTHENTICATED: return absl::UnauthenticatedError(text);
    case grpc::StatusCode::PERMISSION_DENIED: return absl::PermissionDeniedError(text);
    // A member that just elects or applies answers UNKNOWN or INTERNAL with a text; the next attempt meets a settled one.
    default: return absl::UnavailableError(text);
  }
}

absl::Status EtcdClient::Authenticate(Member& member, std::string* token) {
  const std::lock_guard<std::mutex> lock(token_mutex_);
  if (token_.empty() && !options_.user.empty()) {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + options_.attempt));
    etcdserverpb::AuthenticateRequest request;
    request.set_name(options_.user);
    request.set_password(options_.password);
    etcdserverpb::AuthenticateResponse response;
    const grpc::Status status = member.auth->Authenticate(&context, request, &response);
    if (status.error_code() == grpc::StatusCode::INVALID_ARGUMENT)
      return absl::UnauthenticatedError(
          absl::StrCat("etcd at ", member.name, " refuses user '", options_.user, "': ", status.error_message()));
    if (!status.ok()) return Translate(member, status);
    token_ = response.token();
  }
  *token = token_;
  return absl::OkStatus();
}

absl::Status EtcdClient::Attempt(const std::function<grpc::Status(Member&, grpc::ClientContext*)>& call) {
  for (int with_new_token = 0;; ++with_new_token) {
    const size_t number = current_;
    Member& member = members_[number];
    std::string token;
    absl::Status status = Authenticate(member, &token);
    if (status.ok()) {
      grpc::ClientContext context;
      context.set_deadline(absl::ToChronoTime(absl::Now() + options_.attempt));
      if (!token.empty()) context.AddMetadata("token", token);
      status = Translate(member, call(member, &context));
    }
    if (absl::IsUnavailable(status)) Next(number);
    else answered_us_ = absl::ToUnixMicros(absl::Now());
    if (!absl::IsUnauthenticated(status) || token.empty() || with_new_token > 0) return status;
    const std::lock_guard<std::mutex> lock(token_mutex_);  // tokens expire
    if (token_ == token) token_.clear();
  }
}

absl::Status EtcdClient::Range(const etcdserverpb::RangeRequest& request, etcdserverpb::RangeResponse* response) {
  return Attempt([&](Member& m, grpc::ClientContext* context) { return m.kv->Range(context, request, response); });
}

absl::Status EtcdClient::Txn(const etcdserverpb::TxnRequest& request, etcdserverpb::TxnResponse* response) {
  return Attempt([&](Member& m, grpc::ClientContext* context) { return m.kv->Txn(context, request, response); });
}

absl::Status EtcdClient::Grant(std::int64_t seconds, std::int64_t* lease) {
  etcdserverpb::LeaseGrantRequest request;
  request.set_ttl(seconds);
  etcdserverpb::LeaseGrantResponse response;
  absl::Status status =
      Attempt([&](Member& m, grpc::ClientContext* context) { return m.lease->LeaseGrant(context, request, &response); });
  *lease = response.id();
  return status;
}

absl::Status EtcdClient::Patiently(const std::function<absl::Status()>& work) const {
  const absl::Time end = absl::Now() + (started_ ? options_.budget : options_.start_budget);
  absl::Duration pause = absl::Milliseconds(20);
  for (size_t attempt = 1;; ++attempt) {
    const bool long_away = started_ && absl::Now() - absl::FromUnixMicros(answered_us_) > options_.budget;
    absl::Status status = work();
    if (!absl::IsUnavailable(status) || stopped_ || absl::Now() + pause >= end) return status;
    if (long_away && attempt >= members_.size()) return status;
    absl::SleepFor(pause);
    pause = std::min(pause * 2, absl::Milliseconds(300));
  }
}

absl::Status EtcdClient::Watch(grpc::ClientContext& context, const etcdserverpb::WatchCreateRequest& request,
                               const std::function<bool(const etcdserverpb::WatchResponse&)>& each) {
  const size_t number = current_;
  Member& member = members_[number];
  std::string token;
  if (absl::Status status = Authenticate(member, &token); !status.ok()) {
    Next(number);
    return status;
  }
  if (!token.empty()) context.AddMetadata("token", token);
  context.AddMetadata("hasleader", "true");  // a member that loses the majority ends the watch instead of falling silent
  const auto stream = member.watch->Watch(&context);
  etcdserverpb::WatchRequest open;
  *open.mutable_create_request() = request;
  etcdserverpb::WatchResponse response;
  bool wanted = stream->Write(open);
  while (wanted && stream->Read(&response)) wanted = each(response);
  context.TryCancel();
  const grpc::Status status = stream->Finish();
  if (!wanted) return absl::OkStatus();
  Next(number);
  if (status.error_code() == grpc::StatusCode::UNAUTHENTICATED) {
    const std::lock_guard<std::mutex> lock(token_mutex_);
    token_.clear();
  }
  return Translate(member, status);
}

}  // namespace torqued
