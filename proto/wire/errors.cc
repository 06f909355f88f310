#include "proto/wire/errors.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/strip.h>

#include <algorithm>

namespace torqued::wire {
namespace {

constexpr char kPrefix[] = "type.googleapis.com/";

template <class Detail>
std::string TypeUrl() {
  return absl::StrCat(kPrefix, Detail::descriptor()->full_name());
}

template <class Detail>
void Attach(absl::Status& status, const Detail& detail) {
  status.SetPayload(TypeUrl<Detail>(), absl::Cord(detail.SerializeAsString()));
}

template <class Detail>
std::optional<Detail> Find(const absl::Status& status) {
  const auto payload = status.GetPayload(TypeUrl<Detail>());
  Detail detail;
  if (!payload || !detail.ParseFromString(std::string(*payload))) return std::nullopt;
  return detail;
}

}  // namespace

absl::Status Error(absl::StatusCode code, const std::string& reason, const std::string& message,
                   const Metadata& metadata) {
  absl::Status status(code, message);
  google::rpc::ErrorInfo info;
  info.set_reason(reason);
  info.set_domain(kDomain);
  for (const auto& [key, value] : metadata) (*info.mutable_metadata())[key] = value;
  Attach(status, info);
  return status;
}

absl::Status BadField(const std::string& field, const std::string& what, const std::string& reason,
                      Metadata metadata) {
  metadata.emplace("field", field);
  absl::Status status =
      Error(absl::StatusCode::kInvalidArgument, reason, absl::StrCat(field, ": ", what), metadata);
  google::rpc::BadRequest bad;
  auto* violation = bad.add_field_violations();
  violation->set_field(field);
  violation->set_description(what);
  Attach(status, bad);
  return status;
}

absl::Status NotFound(const std::string& reason, const std::string& type, const std::string& name,
                      const std::string& message, const std::vector<std::string>& near) {
  Metadata metadata{{"name", name}};
  std::string words = message;
  if (!near.empty()) {
    metadata["near"] = absl::StrJoin(near, ", ");
    absl::StrAppend(&words, "; did you mean '", absl::StrJoin(near, "' or '"), "'?");
  }
  absl::Status status = Error(absl::StatusCode::kNotFound, reason, words, metadata);
  google::rpc::ResourceInfo info;
  info.set_resource_type(type);
  info.set_resource_name(name);
  info.set_description(message);
  Attach(status, info);
  return status;
}

absl::Status Precondition(const std::string& reason, const std::string& type,
                          const std::vector<std::string>& subjects, const std::string& message) {
  absl::Status status = Error(absl::StatusCode::kFailedPrecondition, reason, message,
                              {{type, absl::StrJoin(subjects, ", ")}});
  google::rpc::PreconditionFailure failure;
  for (const std::string& subject : subjects) {
    auto* violation = failure.add_violations();
    violation->set_type(reason);
    violation->set_subject(absl::StrCat(type, " ", subject));
    violation->set_description(message);
  }
  Attach(status, failure);
  return status;
}

absl::Status Exhausted(const std::string& reason, const std::string& subject,
                       const std::string& message, std::optional<absl::Duration> retry_after) {
  absl::Status status =
      Error(absl::StatusCode::kResourceExhausted, reason, message, {{"subject", subject}});
  google::rpc::QuotaFailure failure;
  auto* violation = failure.add_violations();
  violation->set_subject(subject);
  violation->set_description(message);
  Attach(status, failure);
  if (retry_after) {
    google::rpc::RetryInfo retry;
    const int64_t nanoseconds = absl::ToInt64Nanoseconds(*retry_after);
    retry.mutable_retry_delay()->set_seconds(nanoseconds / 1000000000);
    retry.mutable_retry_delay()->set_nanos(static_cast<int32_t>(nanoseconds % 1000000000));
    Attach(status, retry);
  }
  return status;
}

std::optional<google::rpc::ErrorInfo> GetErrorInfo(const absl::Status& status) {
  return Find<google::rpc::ErrorInfo>(status);
}
std::optional<google::rpc::BadRequest> GetBadRequest(const absl::Status& status) {
  return Find<google::rpc::BadRequest>(status);
}
std::optional<google::rpc::RetryInfo> GetRetryInfo(const absl::Status& status) {
  return Find<google::rpc::RetryInfo>(status);
}
std::optional<google::rpc::ResourceInfo> GetResourceInfo(const absl::Status& status) {
  return Find<google::rpc::ResourceInfo>(status);
}
std::optional<google::rpc::PreconditionFailure> GetPreconditionFailure(const absl::Status& status) {
  return Find<google::rpc::PreconditionFailure>(status);
}
std::optional<google::rpc::QuotaFailure> GetQuotaFailure(const absl::Status& status) {
  return Find<google::rpc::QuotaFailure>(status);
}

absl::Status WithErrorInfo(absl::Status status) {
  if (status.ok() || status.GetPayload(TypeUrl<google::rpc::ErrorInfo>())) return status;
  google::rpc::ErrorInfo info;
  info.set_reason(absl::StatusCodeToString(status.code()));
  info.set_domain(kDomain);
  Attach(status, info);
  return status;
}

google::rpc::Status ToProto(const absl::Status& status) {
  google::rpc::Status proto;
  proto.set_code(static_cast<int>(status.code()));
  proto.set_message(std::string(status.message()));
  status.ForEachPayload([&](absl::string_view type_url, const absl::Cord& payload) {
    auto* any = proto.add_details();
    any->set_type_url(std::string(type_url));
    any->set_value(std::string(payload));
  });
  // ErrorInfo first, the rest by name: payloads come in no particular order.
  std::sort(proto.mutable_details()->begin(), proto.mutable_details()->end(),
            [](const auto& a, const auto& b) {
              const auto rank = [](const std::string& url) {
                return std::make_pair(url != TypeUrl<google::rpc::ErrorInfo>(), url);
              };
              return rank(a.type_url()) < rank(b.type_url());
            });
  return proto;
}

absl::Status FromProto(const google::rpc::Status& proto) {
  absl::Status status(static_cast<absl::StatusCode>(proto.code()), proto.message());
  for (const auto& any : proto.details()) status.SetPayload(any.type_url(), absl::Cord(any.value()));
  return status;
}

}  // namespace torqued::wire
