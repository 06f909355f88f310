// May this message travel? Protobuf sends only strings in UTF-8; what it does otherwise helps nobody.
#pragma once

#include <absl/status/status.h>
#include <google/protobuf/message.h>

namespace torqued {

// INVALID_ARGUMENT naming the first string field (and its line) that is not UTF-8. Looks at set fields only.
absl::Status CheckStrings(const google::protobuf::Message& message);

}  // namespace torqued
