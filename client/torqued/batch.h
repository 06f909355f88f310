// How does a batch larger than the server takes become several calls and one answer?
//
// A request is split by rows of its per-sample fields, which are found by their type: JointVectors,
// Poses, wrenches with one row per sample, and plain six-vectors per sample. The parts' answers are
// joined in order.
#pragma once

#include <absl/status/status.h>
#include <google/protobuf/message.h>

#include <cstdint>
#include <functional>
#include <memory>

namespace torqued {

struct RowWidths {
  int nq = 0;  // positions
  int nv = 0;  // velocities, accelerations, efforts
};

struct BatchLimits {
  int64_t samples = 0;  // per request
  int64_t bytes = 0;    // per message, in both directions
};

// A request seen as rows. REQUIRES: the request outlives it and does not change.
class BatchRequest {
 public:
  BatchRequest(const google::protobuf::Message& request, RowWidths widths);

  // Rows; 0 where the answer is not one result per row (identification, simulation, ...).
  int64_t samples() const { return samples_; }
  const google::protobuf::Message& request() const { return request_; }

  // Rows per part that keep request and answer inside the limits; at least 1.
  int64_t SamplesPerPart(BatchLimits limits) const;

  // Rows [begin, begin + count). What stands once for all rows is kept.
  std::unique_ptr<google::protobuf::Message> Part(int64_t begin, int64_t count);

 private:
  const google::protobuf::Message& request_;
  RowWidths widths_;
  int64_t samples_ = 0;
  std::unique_ptr<google::protobuf::Message>
      frame_;  // the request without its rows, made for the first part
};

// Appends the per-sample contents of `part` to `whole`, an answer of the same type.
void JoinAnswer(const google::protobuf::Message& part, google::protobuf::Message& whole);

// Told after each part of a batch that was split.
using Progress = std::function<void(int64_t done, int64_t total)>;

// Asks `batch` by `ask`, in as many parts as the limits need, and joins the answers. All parts are
// answered by the revision that answered the first. An error says from which sample on its part
// begins.
absl::Status AskInParts(BatchRequest& batch, BatchLimits limits,
                        google::protobuf::Message& response,
                        const std::function<absl::Status(const google::protobuf::Message& part,
                                                         google::protobuf::Message& answer)>& ask,
                        const Progress& progress);

}  // namespace torqued
