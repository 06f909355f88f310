#include "client/torqued/transport.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <grpcpp/impl/client_unary_call.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/impl/rpc_method.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/support/async_stream.h>

#include <fstream>
#include <sstream>

#include "client/torqued/status.h"

namespace torqued {
namespace {

using google::protobuf::Message;
using google::protobuf::MessageLite;

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  if (path.empty()) return std::string();
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in || text.str().empty())
    return absl::InvalidArgumentError(absl::StrCat("TLS file ", path, ": cannot be read"));
  return text.str();
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> Credentials(
    const ClientOptions& options) {
  if (!options.use_tls) return grpc::InsecureChannelCredentials();
  const auto roots = ReadFile(options.tls.root_certificates_file);
  const auto certificate = ReadFile(options.tls.certificate_file);
  const auto key = ReadFile(options.tls.private_key_file);
  for (const auto* file : {&roots, &certificate, &key})
    if (!file->ok()) return file->status();
  return grpc::SslCredentials({*roots, *key, *certificate});
}

}  // namespace

bool IsLoopback(const std::string& server) {
  std::string host = server;
  for (const char* scheme : {"dns:///", "dns:", "ipv4:", "ipv6:"})
    if (absl::StartsWith(host, scheme)) {
      host = host.substr(std::string(scheme).size());
      break;
    }
  return absl::StartsWith(host, "unix:") || absl::StartsWith(host, "unix-abstract:") ||
         host == "localhost" || absl::StartsWith(host, "localhost:") ||
         absl::StartsWith(host, "127.") || absl::StartsWith(host, "[::1]") || host == "::1";
}

namespace {

// Nobody here cancels a call and then looks at its status: such a status comes from a server that
// is ending, or from a proxy whose server has died. It is the connection's, not an answer.
bool IsBroken(const grpc::Status& status) {
  if (status.error_code() == grpc::StatusCode::CANCELLED) return true;
  if (status.error_code() != grpc::StatusCode::INTERNAL &&
      status.error_code() != grpc::StatusCode::UNKNOWN)
    return false;
  return absl::StartsWith(status.error_message(), "Received RST_STREAM") ||
         absl::StartsWith(status.error_message(), "Stream removed") ||
         absl::StartsWith(status.error_message(), "No status received");
}

}  // namespace

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  if (IsBroken(status))
    return MakeStatus(grpc::StatusCode::UNAVAILABLE,
                      "the call was broken off: " + status.error_message(), "");
  return MakeStatus(status.error_code(), status.error_message(), status.error_details());
}

absl::StatusOr<std::unique_ptr<Transport>> Transport::Open(const ClientOptions& options) {
  auto credentials = Credentials(options);
  if (!credentials.ok()) return credentials.status();
  grpc::ChannelArguments arguments;
  const int keepalive_ms = static_cast<int>(std::chrono::milliseconds(options.keepalive).count());
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, keepalive_ms);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  arguments.SetInt(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, -1);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 50);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2'000);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES,
                   0);  // what may be repeated is decided per call, by Client
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  if (IsLoopback(options.server)) arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetLoadBalancingPolicyName("round_robin");
  auto channel = grpc::CreateCustomChannel(options.server, *credentials, arguments);
  return std::unique_ptr<Transport>(new Transport(std::move(channel), options));
}

Transport::Transport(std::shared_ptr<grpc::Channel> channel, const ClientOptions& options)
    : channel_(std::move(channel)),
      authorization_(options.token.empty() ? "" : "Bearer " + options.token),
      traceparent_(options.traceparent),
      wait_for_ready_(options.wait_for_ready) {}

void Transport::Prepare(grpc::ClientContext& context) const {
  context.set_wait_for_ready(wait_for_ready_);
  if (!authorization_.empty()) context.AddMetadata("authorization", authorization_);
  if (!traceparent_.empty()) context.AddMetadata("traceparent", traceparent_);
}

absl::Status Transport::Unary(const std::string& path, const Message& request, Message& response,
                              std::chrono::system_clock::time_point deadline) const {
  grpc::ClientContext context;
  Prepare(context);
  context.set_deadline(deadline);
  const grpc::internal::RpcMethod method(path.c_str(), grpc::internal::RpcMethod::NORMAL_RPC);
  return FromGrpc(grpc::internal::BlockingUnaryCall<Message, Message, MessageLite, MessageLite>(
      channel_.get(), method, &context, request, &response));
}

absl::Status Transport::ServerStream(const std::string& path, const Message& request, Message& part,
                                     std::chrono::milliseconds patience,
                                     const std::function<bool()>& each) const {
  grpc::ClientContext context;
  Prepare(context);
  const grpc::internal::RpcMethod method(path.c_str(), grpc::internal::RpcMethod::SERVER_STREAMING);
  grpc::CompletionQueue queue;
  const bool patient = patience == std::chrono::milliseconds::max();
  bool stopped = false, late = false;
  // Waits for the one operation under way: has it succeeded, and in time? What is late is cancelled.
  const auto succeeds = [&] {
    void* tag = nullptr;
    bool ok = false;
    if (!patient && !late) {
      const auto until = std::chrono::system_clock::now() + patience;
      if (queue.AsyncNext(&tag, &ok, until) != grpc::CompletionQueue::TIMEOUT) return ok;
      late = true;
      context.TryCancel();
    }
    return queue.Next(&tag, &ok) && ok && !late;
  };
  const std::unique_ptr<grpc::ClientAsyncReader<Message>> reader(
      grpc::internal::ClientAsyncReaderFactory<Message>::Create(
          channel_.get(), &queue, method, &context, request, true, nullptr));
  bool more = succeeds();
  while (more) {
    reader->Read(&part, nullptr);
    more = succeeds();
    if (more && !each()) {
      stopped = true;
      context.TryCancel();
      more = false;
    }
  }
  grpc::Status status;
  reader->Finish(&status, nullptr);
  succeeds();
  queue.Shutdown();
  void* tag = nullptr;
  for (bool ok = false; queue.Next(&tag, &ok);) {
  }
  if (late)
    return absl::DeadlineExceededError(
        absl::StrCat("no answer for ", patience.count(), " ms (the deadline of each answer of a stream)"));
  return stopped ? absl::OkStatus() : FromGrpc(status);
}

}  // namespace torqued
