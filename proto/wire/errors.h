// What does an error carry besides its code and words? google.rpc details, held as payloads of an absl::Status.
//
// Every error has one ErrorInfo {reason, domain "torqued", metadata}: programs switch on the reason, and whatever is
// dynamic in the words stands in the metadata too. Each detail type occurs once. No gRPC here: grpc_status.h carries
// the payloads over the wire and back.
#pragma once

#include <absl/status/status.h>
#include <absl/time/time.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "google/rpc/error_details.pb.h"

namespace torqued::wire {

using Metadata = std::map<std::string, std::string>;

inline constexpr char kDomain[] = "torqued";

// An error of `code` with ErrorInfo.
absl::Status Error(absl::StatusCode code, const std::string& reason, const std::string& message,
                   const Metadata& metadata = {});

// INVALID_ARGUMENT "field: what" with ErrorInfo (metadata: field) and a BadRequest field violation.
absl::Status BadField(const std::string& field, const std::string& what,
                      const std::string& reason = "INVALID_FIELD", Metadata metadata = {});

// NOT_FOUND "what; did you mean ..." with ErrorInfo and ResourceInfo.
absl::Status NotFound(const std::string& reason, const std::string& type, const std::string& name,
                      const std::string& message, const std::vector<std::string>& near = {});

// FAILED_PRECONDITION with ErrorInfo and one PreconditionFailure violation per subject (a link, a joint).
absl::Status Precondition(const std::string& reason, const std::string& type,
                          const std::vector<std::string>& subjects, const std::string& message);

// RESOURCE_EXHAUSTED with ErrorInfo, QuotaFailure and, where waiting helps, RetryInfo.
absl::Status Exhausted(const std::string& reason, const std::string& subject, const std::string& message,
                       std::optional<absl::Duration> retry_after = std::nullopt);

// The details of a status, whoever made it; nullopt where it has none of that type.
std::optional<google::rpc::ErrorInfo> GetErrorInfo(const absl::Status& status);
std::optional<google::rpc::BadRequest> GetBadRequest(const absl::Status& status);
std::optional<google::rpc::RetryInfo> GetRetryInfo(const absl::Status& status);
std::optional<google::rpc::ResourceInfo> GetResourceInfo(const absl::Status& status);
std::optional<google::rpc::PreconditionFailure> GetPreconditionFailure(const absl::Status& status);
std::optional<google::rpc::QuotaFailure> GetQuotaFailure(const absl::Status& status);

// Gives an error that has no ErrorInfo (from a layer without protobuf) the reason its code stands for.
absl::Status WithErrorInfo(absl::Status status);

// google.rpc.Status of a status: code, message, details; and back.
google::rpc::Status ToProto(const absl::Status& status);
absl::Status FromProto(const google::rpc::Status& proto);

}  // namespace torqued::wire
