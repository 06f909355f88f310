#include "server/service/rpc/host.h"

#include <absl/strings/str_cat.h>

namespace torqued {

void Host::Add(Drainable* stream) {
  const std::lock_guard<std::mutex> lock(streams_mutex_);
  streams_.insert(stream);
  if (draining_) stream->Drain();
}

void Host::Remove(Drainable* stream) {
  const std::lock_guard<std::mutex> lock(streams_mutex_);
  streams_.erase(stream);
}

void Host::DrainAll() {
  const std::lock_guard<std::mutex> lock(streams_mutex_);
  draining_ = true;
  for (Drainable* stream : streams_) stream->Drain();
}

absl::Status Host::Draining() {
  return wire::Error(absl::StatusCode::kUnavailable, "DRAINING", "the server is shutting down; connect again");
}

absl::Status Host::QueueFull() const {
  return wire::Exhausted("QUEUE_FULL", "queue",
                         absl::StrCat("the server is busy: ", pool_.queue_length(), " requests wait already; try again"),
                         absl::Milliseconds(100));
}

}  // namespace torqued
