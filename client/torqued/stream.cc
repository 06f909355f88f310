#include "client/torqued/stream.h"

#include <absl/strings/str_cat.h>

#include <map>

#include "client/torqued/status.h"
#include "client/torqued/transport.h"
#include "torqued/v1/stream.grpc.pb.h"

namespace torqued {
namespace {

using TimePoint = std::chrono::system_clock::time_point;

enum Event : intptr_t { kStarted = 1, kWritten, kRead, kFinished };

void* Tag(Event event) { return reinterpret_cast<void*>(event); }

// After so many openings in a row without one answer the server's refusal is passed on.
constexpr int kOpeningsWithoutAnswer = 3;

void FillContext(const v1::Context& context, v1::StreamComputeRequest& request) {
  const auto* oneof = request.GetDescriptor()->oneof_decl(0);
  const auto* field = request.GetReflection()->GetOneofFieldDescriptor(request, oneof);
  if (field == nullptr) return;
  auto* question = request.GetReflection()->MutableMessage(&request, field);
  const auto* slot = question->GetDescriptor()->FindFieldByName("context");
  question->GetReflection()->MutableMessage(question, slot)->CopyFrom(context);
}

void Set(const Eigen::VectorXd& from, v1::JointVectors& to) {
  to.mutable_values()->Add(from.data(), from.data() + from.size());
}

Eigen::VectorXd Row(const v1::JointVectors& from) {
  return Eigen::Map<const Eigen::VectorXd>(from.values().data(), from.values_size());
}

}  // namespace

// Invariant: at most one read and one write are with gRPC at a time; `wanted` holds every question
// without an answer.
class TorqueStream::Call {
 public:
  explicit Call(const Transport& transport)
      : transport_(transport), stub_(v1::StreamService::NewStub(transport.channel())) {}

  ~Call() {
    if (context_ != nullptr) context_->TryCancel();
    queue_.Shutdown();
    void* tag;
    bool ok;
    while (queue_.Next(&tag, &ok)) {
    }
  }

  void Want(uint64_t sequence, v1::StreamComputeRequest request,
            const v1::Context& stream_context) {
    wanted_[sequence] = std::move(request);
    if (context_ == nullptr) Open();
    Write(stream_context);
  }

  void GiveUp(uint64_t sequence) {
    wanted_.erase(sequence);
    answers_.erase(sequence);
  }

  bool IsWanted(uint64_t sequence) const { return wanted_.count(sequence) > 0; }

  bool TakeAnswer(uint64_t sequence, v1::StreamComputeResponse& answer) {
    const auto found = answers_.find(sequence);
    if (found == answers_.end()) return false;
    answer = std::move(found->second);
    answers_.erase(found);
    return true;
  }

  // Handles one event, or returns when the deadline passes. An error means that the stream cannot
  // be had.
  absl::Status Pump(TimePoint deadline, bool busy_poll, const v1::Context& stream_context) {
    void* tag;
    bool ok;
    auto next = grpc::CompletionQueue::TIMEOUT;
    if (busy_poll) do
        next = queue_.AsyncNext(&tag, &ok, TimePoint::min());
      while (next == grpc::CompletionQueue::TIMEOUT && std::chrono::system_clock::now() < deadline);
    else
      next = queue_.AsyncNext(&tag, &ok, deadline);
    if (next != grpc::CompletionQueue::GOT_EVENT) return absl::OkStatus();
    switch (static_cast<Event>(reinterpret_cast<intptr_t>(tag))) {
      case kStarted:
        started_ = ok;
        if (!ok) return Finish();
        rpc_->Read(&incoming_, Tag(kRead));
        Write(stream_context);
        return absl::OkStatus();
      case kWritten:
        writing_ = false;
        if (finished_) return Reopen();
        if (ok) Write(stream_context);  // if not, the read fails too and ends the call
        return absl::OkStatus();
      case kRead:
        if (!ok) return Finish();
        openings_ = 0;
        if (wanted_.erase(incoming_.sequence()) > 0) {
          server_nanoseconds_ = incoming_.server_nanoseconds();
          answers_[incoming_.sequence()] = std::move(incoming_);
        }
        rpc_->Read(&incoming_, Tag(kRead));
        return absl::OkStatus();
      case kFinished:
        finished_ = true;
        // A write may still be with gRPC: the call lives until that has come back too.
        return writing_ ? absl::OkStatus() : Reopen();
    }
    return absl::OkStatus();
  }

  uint64_t reconnects() const { return reconnects_; }
  int64_t server_nanoseconds() const { return server_nanoseconds_; }

 private:
  void Open() {
    context_ = std::make_unique<grpc::ClientContext>();
    transport_.Prepare(*context_);
    context_->set_wait_for_ready(true);  // the answer deadline bounds the wait
    rpc_ = stub_->PrepareAsyncStreamCompute(context_.get(), &queue_);
    started_ = writing_ = broken_ = finished_ = false;
    written_up_to_ = 0;
    first_write_ = true;
    ++openings_;
    rpc_->StartCall(Tag(kStarted));
  }

  void Write(const v1::Context& stream_context) {
    if (!started_ || writing_ || broken_) return;
    const auto next = wanted_.upper_bound(written_up_to_);
    if (next == wanted_.end()) return;
    written_up_to_ = next->first;
    writing_ = true;
    if (first_write_) FillContext(stream_context, next->second);
    first_write_ = false;
    outgoing_ = next->second;
    rpc_->Write(outgoing_, Tag(kWritten));
  }

  absl::Status Finish() {
    broken_ = true;
    rpc_->Finish(&final_, Tag(kFinished));
    return absl::OkStatus();
  }

  absl::Status Reopen() {
    const grpc::Status status = final_;
    rpc_.reset();
    context_.reset();
    const bool retry = status.ok() || absl::IsUnavailable(FromGrpc(status));
    if (!retry || openings_ >= kOpeningsWithoutAnswer) {
      openings_ = 0;
      wanted_.clear();
      return status.ok() ? absl::UnavailableError("the server ended the stream") : FromGrpc(status);
    }
    ++reconnects_;
    if (!wanted_.empty()) Open();
    return absl::OkStatus();
  }

  const Transport& transport_;
  std::unique_ptr<v1::StreamService::Stub> stub_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<
      grpc::ClientAsyncReaderWriter<v1::StreamComputeRequest, v1::StreamComputeResponse>>
      rpc_;
  v1::StreamComputeRequest outgoing_;
  v1::StreamComputeResponse incoming_;
  grpc::Status final_;
  std::map<uint64_t, v1::StreamComputeRequest> wanted_;
  std::map<uint64_t, v1::StreamComputeResponse> answers_;
  bool started_ = false, writing_ = false, first_write_ = true;
  bool broken_ = false;    // the read failed or the start did: no more writes
  bool finished_ = false;  // the final status is there
  uint64_t written_up_to_ = 0, reconnects_ = 0;
  int64_t server_nanoseconds_ = 0;
  int openings_ = 0;
};

TorqueStream::TorqueStream(const Transport& transport, const Question& about,
                           std::chrono::nanoseconds answer_deadline)
    : transport_(transport),
      context_(about.context()),
      answer_deadline_(answer_deadline),
      call_(std::make_unique<Call>(transport)) {}

TorqueStream::~TorqueStream() = default;

uint64_t TorqueStream::reconnects() const { return call_->reconnects(); }
std::chrono::nanoseconds TorqueStream::server_time() const {
  return std::chrono::nanoseconds(call_->server_nanoseconds());
}

uint64_t TorqueStream::Send(v1::StreamComputeRequest request) {
  const uint64_t sequence = next_sequence_++;
  request.set_sequence(sequence);
  call_->Want(sequence, std::move(request), context_);
  return sequence;
}

absl::StatusOr<v1::StreamComputeResponse> TorqueStream::Receive(uint64_t sequence) {
  const TimePoint deadline =
      std::chrono::system_clock::now() +
      std::chrono::duration_cast<std::chrono::system_clock::duration>(answer_deadline_);
  v1::StreamComputeResponse answer;
  while (!call_->TakeAnswer(sequence, answer)) {
    if (!call_->IsWanted(sequence))
      return absl::NotFoundError(
          absl::StrCat("sequence ", sequence, ": no such question under way"));
    if (std::chrono::system_clock::now() >= deadline) {
      call_->GiveUp(sequence);
      return absl::DeadlineExceededError(
          absl::StrCat("no answer within ",
                       std::chrono::duration<double, std::milli>(answer_deadline_).count(), " ms"));
    }
    if (absl::Status status = call_->Pump(deadline, busy_poll_, context_); !status.ok())
      return status;
  }
  if (!answer.has_error()) return answer;
  return absl::Status(static_cast<absl::StatusCode>(answer.error().code()),
                      answer.error().message());
}

absl::StatusOr<v1::StreamComputeResponse> TorqueStream::Ask(v1::StreamComputeRequest request) {
  return Receive(Send(std::move(request)));
}

absl::StatusOr<Eigen::VectorXd> TorqueStream::StaticTorque(const Eigen::VectorXd& q) {
  v1::StreamComputeRequest request;
  Set(q, *request.mutable_static_torque()->mutable_positions());
  const auto answer = Ask(std::move(request));
  if (!answer.ok()) return answer.status();
  return Row(answer->static_torque().efforts());
}

absl::StatusOr<Eigen::VectorXd> TorqueStream::InverseDynamics(const Eigen::VectorXd& q,
                                                              const Eigen::VectorXd& v,
                                                              const Eigen::VectorXd& a) {
  v1::StreamComputeRequest request;
  auto* question = request.mutable_inverse_dynamics();
  Set(q, *question->mutable_positions());
  Set(v, *question->mutable_velocities());
  Set(a, *question->mutable_accelerations());
  const auto answer = Ask(std::move(request));
  if (!answer.ok()) return answer.status();
  return Row(answer->inverse_dynamics().efforts());
}

absl::StatusOr<Eigen::VectorXd> TorqueStream::ForwardDynamics(const Eigen::VectorXd& q,
                                                              const Eigen::VectorXd& v,
                                                              const Eigen::VectorXd& tau) {
  v1::StreamComputeRequest request;
  auto* question = request.mutable_forward_dynamics();
  Set(q, *question->mutable_positions());
  Set(v, *question->mutable_velocities());
  Set(tau, *question->mutable_efforts());
  const auto answer = Ask(std::move(request));
  if (!answer.ok()) return answer.status();
  return Row(answer->forward_dynamics().accelerations());
}

}  // namespace torqued
