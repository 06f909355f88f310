// How does a control loop ask once per cycle and never wait longer than its cycle allows?
//
//   auto stream = client->OpenStream("ur5e", std::chrono::microseconds(800));
//   auto tau = stream->InverseDynamics(q, v, a);   // within 0.8 ms, or DEADLINE_EXCEEDED: use the
//   last feed-forward
//
// One bidirectional call carries all questions; the server resolves the model once. Every question
// has a sequence number. A question whose deadline passed is given up: its late answer is dropped.
// If the connection breaks, the stream opens again by itself and repeats what is still wanted
// (questions change nothing, so a repeat is harmless).
//
// Thread-compatible: it belongs to one thread, which does all the work inside its calls (no thread
// of its own).
#pragma once

#include <absl/status/statusor.h>

#include <Eigen/Core>
#include <chrono>
#include <cstdint>
#include <memory>

#include "client/torqued/question.h"
#include "torqued/v1/stream.pb.h"

namespace torqued {

class Transport;

class TorqueStream {
 public:
  // REQUIRES: the transport outlives it. Connects at the first question.
  TorqueStream(const Transport& transport, const Question& about,
               std::chrono::nanoseconds answer_deadline);
  ~TorqueStream();

  absl::StatusOr<Eigen::VectorXd> StaticTorque(const Eigen::VectorXd& q);
  absl::StatusOr<Eigen::VectorXd> InverseDynamics(const Eigen::VectorXd& q,
                                                  const Eigen::VectorXd& v,
                                                  const Eigen::VectorXd& a);
  absl::StatusOr<Eigen::VectorXd> ForwardDynamics(const Eigen::VectorXd& q,
                                                  const Eigen::VectorXd& v,
                                                  const Eigen::VectorXd& tau);

  // Any question of the contract. Its sequence and context are filled in. The item's own error
  // becomes the status.
  absl::StatusOr<v1::StreamComputeResponse> Ask(v1::StreamComputeRequest request);

  // Asking without waiting: several questions under way. Returns the sequence number.
  uint64_t Send(v1::StreamComputeRequest request);
  // Waits for that question's answer until the answer deadline from now. DEADLINE_EXCEEDED gives
  // the question up; UNAVAILABLE: the server refused the stream several times in a row; NOT_FOUND:
  // no such question under way.
  absl::StatusOr<v1::StreamComputeResponse> Receive(uint64_t sequence);

  uint64_t reconnects() const;                   // so far
  std::chrono::nanoseconds server_time() const;  // the last answer's own duration in the server
  void set_answer_deadline(std::chrono::nanoseconds t) { answer_deadline_ = t; }
  // Polls instead of sleeping while it waits: less latency for a full core (hosts with a core to
  // spare).
  void set_busy_poll(bool on) { busy_poll_ = on; }

 private:
  class Call;  // one bidirectional call and what is under way on it

  const Transport& transport_;
  const v1::Context context_;
  std::chrono::nanoseconds answer_deadline_;
  bool busy_poll_ = false;
  uint64_t next_sequence_ = 1;
  std::unique_ptr<Call> call_;
};

}  // namespace torqued
