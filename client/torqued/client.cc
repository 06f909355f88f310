#include "client/torqued/client.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <thread>

#include "client/torqued/methods.h"
#include "client/torqued/status.h"
#include "client/torqued/stream.h"
#include "client/torqued/text.h"
#include "client/torqued/transport.h"
#include "grpc/health/v1/health.pb.h"
#include "torqued/v1/server.pb.h"

namespace torqued {
namespace {

using Clock = std::chrono::system_clock;
using google::protobuf::Message;

// Below this no server's limits are in question: the call goes out as it is.
constexpr size_t kSmallRequestBytes = 64 * 1024;

std::chrono::milliseconds Backoff(std::chrono::milliseconds first, int attempt) {
  static thread_local std::minstd_rand random(std::random_device{}());
  const double full = std::min<double>(static_cast<double>(first.count()) * (1 << attempt), 1000.0);
  return std::chrono::milliseconds(
      std::llround(full * std::uniform_real_distribution<>(0.8, 1.2)(random)));
}

const v1::Context* FindContext(const Message& request) {
  const auto* field = request.GetDescriptor()->FindFieldByName("context");
  if (field == nullptr || field->message_type() != v1::Context::descriptor()) return nullptr;
  return &static_cast<const v1::Context&>(request.GetReflection()->GetMessage(request, field));
}

// gRPC says nothing when a server does not know a method.
absl::Status Named(const absl::Status& status, const std::string& path) {
  if (status.code() != absl::StatusCode::kUnimplemented || !status.message().empty()) return status;
  return absl::UnimplementedError(absl::StrCat("the server does not have ", path));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Client>> Client::Open(const ClientOptions& options) {
  auto transport = Transport::Open(options);
  if (!transport.ok()) return transport.status();
  return std::unique_ptr<Client>(new Client(options, *std::move(transport)));
}

Client::Client(const ClientOptions& options, std::unique_ptr<Transport> transport)
    : options_(options), transport_(std::move(transport)) {}

Client::~Client() = default;

absl::Status Client::Call(const Message& request, Message& response, const Progress& progress,
                          RowWidths widths) {
  if (absl::Status status = CheckStrings(request); !status.ok()) return status;
  if (request.ByteSizeLong() <= kSmallRequestBytes || FindContext(request) == nullptr)
    return CallOnce(request, response);
  return CallInParts(request, response, progress, widths);
}

absl::Status Client::CallOnce(const Message& request, Message& response) {
  const std::string path = MethodPath(*request.GetDescriptor());
  if (path.empty())
    return absl::InvalidArgumentError(
        absl::StrCat(request.GetDescriptor()->full_name(), ": no method takes it"));
  const auto deadline = Clock::now() + options_.deadline;
  const int attempts = IsIdempotent(request) ? std::max(1, options_.attempts) : 1;
  for (int attempt = 0;; ++attempt) {
    response.Clear();
    absl::Status status = transport_->Unary(path, request, response, deadline);
    if (status.code() != absl::StatusCode::kUnavailable || attempt + 1 >= attempts)
      return Named(status, path);
    auto pause = Backoff(options_.first_backoff, attempt);
    if (const auto asked = RetryDelay(status)) pause = std::max(pause, *asked);
    if (Clock::now() + pause >= deadline) return status;
    std::this_thread::sleep_for(pause);
  }
}

absl::Status Client::CallInParts(const Message& request, Message& response,
                                 const Progress& progress, RowWidths widths) {
  const auto limits = Limits();
  if (!limits.ok()) return limits.status();
  if (widths.nq == 0 || widths.nv == 0) {
    const auto asked = Widths(FindContext(request)->model());
    if (!asked.ok()) return asked.status();
    widths = *asked;
  }
  BatchRequest batch(request, widths);
  return AskInParts(
      batch, *limits, response,
      [this](const Message& part, Message& answer) { return CallOnce(part, answer); }, progress);
}

absl::StatusOr<BatchLimits> Client::Limits() {
  {
    const std::lock_guard lock(mutex_);
    if (limits_known_) return limits_;
  }
  v1::GetServerInfoResponse info;
  if (absl::Status status = CallOnce(v1::GetServerInfoRequest(), info); !status.ok()) return status;
  const std::lock_guard lock(mutex_);
  limits_ = {info.limits().samples_per_request(), info.limits().message_bytes()};
  limits_known_ = true;
  return limits_;
}

absl::StatusOr<RowWidths> Client::Widths(const std::string& model) {
  v1::GetModelRequest request;
  request.set_name(model);
  v1::GetModelResponse answer;
  if (absl::Status status = CallOnce(request, answer); !status.ok()) return status;
  return RowWidths{answer.model().position_count(), answer.model().velocity_count()};
}

absl::Status Client::Receive(const Message& request, Message& part,
                             const std::function<bool()>& each) {
  if (absl::Status status = CheckStrings(request); !status.ok()) return status;
  const std::string path = MethodPath(*request.GetDescriptor());
  if (path.empty())
    return absl::InvalidArgumentError(
        absl::StrCat(request.GetDescriptor()->full_name(), ": no method takes it"));
  // A watch is silent while nothing changes; whatever computes answers piece by piece.
  const bool may_be_silent = request.GetDescriptor() == v1::WatchModelsRequest::descriptor();
  const auto patience = may_be_silent ? std::chrono::milliseconds::max() : options_.deadline;
  return Named(transport_->ServerStream(path, request, part, patience, each), path);
}

absl::Status Client::CheckHealth() {
  grpc::health::v1::HealthCheckResponse answer;
  absl::Status status = CallOnce(grpc::health::v1::HealthCheckRequest(), answer);
  if (!status.ok()) return status;
  if (answer.status() == grpc::health::v1::HealthCheckResponse::SERVING) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(
      "server is ", grpc::health::v1::HealthCheckResponse::ServingStatus_Name(answer.status())));
}

std::unique_ptr<TorqueStream> Client::OpenStream(const Question& about,
                                                 std::chrono::nanoseconds answer_deadline) {
  return std::make_unique<TorqueStream>(*transport_, about, answer_deadline);
}

}  // namespace torqued
