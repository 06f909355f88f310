#include "client/torqued/status.h"

#include "google/rpc/error_details.pb.h"

namespace torqued {
namespace {

constexpr char kPrefix[] = "type.googleapis.com/";

template <class Detail>
std::optional<Detail> Find(const absl::Status& status) {
  const auto payload = status.GetPayload(kPrefix + Detail::descriptor()->full_name());
  Detail detail;
  if (!payload || !detail.ParseFromString(std::string(*payload))) return std::nullopt;
  return detail;
}

}  // namespace

std::string ErrorReason(const absl::Status& status) {
  const auto info = Find<google::rpc::ErrorInfo>(status);
  return info ? info->reason() : "";
}

std::map<std::string, std::string> ErrorMetadata(const absl::Status& status) {
  const auto info = Find<google::rpc::ErrorInfo>(status);
  std::map<std::string, std::string> result;
  if (info) result.insert(info->metadata().begin(), info->metadata().end());
  return result;
}

std::vector<FieldViolation> FieldViolations(const absl::Status& status) {
  std::vector<FieldViolation> result;
  if (const auto bad = Find<google::rpc::BadRequest>(status))
    for (const auto& v : bad->field_violations()) result.push_back({v.field(), v.description()});
  return result;
}

std::optional<std::chrono::milliseconds> RetryDelay(const absl::Status& status) {
  const auto info = Find<google::rpc::RetryInfo>(status);
  if (!info) return std::nullopt;
  return std::chrono::milliseconds(info->retry_delay().seconds() * 1000 +
                                   info->retry_delay().nanos() / 1000000);
}

absl::Status MakeStatus(int code, const std::string& message, const std::string& details) {
  absl::Status status(static_cast<absl::StatusCode>(code), message);
  google::rpc::Status rich;
  if (!details.empty() && rich.ParseFromString(details))
    for (const auto& any : rich.details())
      status.SetPayload(any.type_url(), absl::Cord(any.value()));
  return status;
}

}  // namespace torqued
