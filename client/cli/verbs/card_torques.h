// Where do the feed-forward torques of a motion come from? The plan's batch of inverse dynamics, or a question in every cycle.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "client/card/computed_torque.h"
#include "client/card/path_table.h"
#include "client/cli/session.h"
#include "client/torqued/client.h"
#include "client/torqued/stream.h"

namespace torqued::cli {

// Inverse dynamics of many states in one question to the session's backend. The session must outlive the function.
TorqueBatch AskedTorques(Session& session, const v1::Context& context);

// A source for ComputedTorque (computed_torque.h): a thread of its own asks StreamCompute, the cyclic thread leaves a question and
// looks for its answer, both without waiting, allocating or calling the system.
// The newest question wins: one that was not sent before the next came is never answered. Without an answer within `deadline` it is
// given up, so a slow server costs answers and never a backlog.
class StreamTorques {
 public:
  // REQUIRES: the client outlives it.
  StreamTorques(Client& client, const Question& about, int axes, std::chrono::nanoseconds deadline);
  ~StreamTorques();

  bool Ask(std::uint64_t sequence, const AxisArray& q, const AxisArray& v, const AxisArray& a) noexcept;
  bool Answer(std::uint64_t sequence, AxisArray* tau) noexcept;

  // Ends the thread; then: how many questions got no answer from the server, and the first reason.
  void Finish();
  std::uint64_t errors() const { return errors_; }
  const absl::Status& first_error() const { return first_error_; }
  // Waits until the first question is answered, so that connecting is not part of the motion. UNAVAILABLE and the like.
  absl::Status WarmUp(const AxisArray& q);

 private:
  // One writer, one reader; a reader that was overtaken finds the version changed.
  struct Mailbox {
    std::atomic<std::uint64_t> version{0}, sequence{0};
    std::array<std::atomic<double>, 3 * kMaxAxes> values{};
    void Put(std::uint64_t number, const double* from, int count) noexcept;
    bool Get(std::uint64_t* number, double* to, int count) const noexcept;  // false: empty or overtaken
  };
  void Run();

  const int axes_;
  std::unique_ptr<TorqueStream> stream_;
  Mailbox question_, answer_;
  std::atomic<bool> quit_{false};
  std::uint64_t errors_ = 0;   // the thread's until Finish
  absl::Status first_error_;   // likewise
  std::thread thread_;
};

}  // namespace torqued::cli
