// What is asked of each method? Messages filled by their fields' names: whatever method is added is asked too.
#pragma once

#include <google/protobuf/message.h>

#include <memory>
#include <string>
#include <vector>

#include "client/cli/backend.h"

namespace torqued::testing {

struct Question {
  std::string method, model;
  std::unique_ptr<google::protobuf::Message> request, answer;  // the answer of one thread in this process
  bool server_streams = false;
  absl::Status status;  // of that answer
  std::string bytes;    // its messages, serialized, one after the other
};

// Asks about a model, filled with states of the model's widths. Null: the method's requests are about no model.
std::unique_ptr<google::protobuf::Message> FillRequest(const std::string& request_type, const std::string& model,
                                                       cli::Backend& local);

// Asks and keeps answer and status.
void AskOnce(cli::Backend& backend, const Question& question, absl::Status* status, std::string* bytes);

}  // namespace torqued::testing
