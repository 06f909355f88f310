// A message as proto3 JSON with the proto's own field names, for programs that read torquectl's
// answers.
//
// Departs from protobuf's printer in three ways: a double is the shortest text that reads back the
// same; lists of numbers stand on one line; scalars without presence are printed even where they
// are zero, so that a field can be relied on.
#pragma once

#include <google/protobuf/message.h>

#include <string>

namespace torqued::cli {

// Ends with a newline.
std::string ToJson(const google::protobuf::Message& message);
// On one line, for streams.
std::string ToJsonLine(const google::protobuf::Message& message);

// A JSON string with its quotes.
std::string JsonString(const std::string& text);

}  // namespace torqued::cli
