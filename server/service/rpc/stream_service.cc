// A control loop's stream: question, answer, question. The model is looked up once; each message is answered on the
// thread that read it where it is small, and costs no lock and, once warm, no allocation of ours.
#include <google/protobuf/arena.h>

#include "server/service/rpc/services.h"
#include "torqued/v1/stream.grpc.pb.h"

namespace torqued {
namespace {

using v1::StreamComputeRequest;
using v1::StreamComputeResponse;

void WriteError(const absl::Status& status, v1::StreamError* error) {
  const absl::Status full = wire::WithErrorInfo(status);
  error->set_code(static_cast<int>(full.code()));
  error->set_message(std::string(full.message()));
  if (const auto info = wire::GetErrorInfo(full)) {
    error->set_reason(info->reason());
    *error->mutable_metadata() = info->metadata();
  }
}

// One message is in work at a time: read, answer, write, read the next. state_ says who may end the stream.
class ComputeStream final : public grpc::ServerBidiReactor<StreamComputeRequest, StreamComputeResponse>,
                            public Lasting {
 public:
  ComputeStream(Host& host, grpc::CallbackServerContext* context)
      : host_(host), context_(context), caller_(*context), arena_(block_, sizeof block_) {
    if (const absl::Status s = host_.Admit(caller_, MethodNumber<StreamComputeRequest>(), Role::kViewer); !s.ok()) {
      host_.statistics().Count(MethodNumber<StreamComputeRequest>(), absl::ZeroDuration(), s.code(), 0);
      host_.Tell(caller_, context_, {MethodNumber<StreamComputeRequest>(), "", s, absl::ZeroDuration()});
      End(wire::ToGrpc(s));
      return;
    }
    Read();
    host_.Add(this);
  }

  void OnReadDone(bool ok) override {
    State reading = State::kReading;
    if (!state_.compare_exchange_strong(reading, State::kBusy)) return;  // ended by Drain
    if (!ok) return End(grpc::Status::OK);
    if (const absl::Status known = caller_.StillKnown(); !known.ok()) return End(wire::ToGrpc(known));
    begin_ = absl::Now();
    if (const absl::Status rate = host_.TakeRate(caller_); !rate.ok()) return Write(rate);
    bool small = false;
    const absl::Status status = Dispatch([&](auto& request, auto* response) {
      small = IsSmall(request) && Pin(request).ok();
      return small ? Ask(request, response) : absl::OkStatus();
    });
    if (small || !status.ok()) return Write(status);
    const absl::Status taken = host_.Submit(caller_, EstimateOfItem(), [this] {
      Write(Dispatch([&](auto& request, auto* response) {
        const absl::Status pinned = Pin(request);
        return pinned.ok() ? Ask(request, response) : pinned;
      }));
    });
    if (!taken.ok()) Write(taken);
  }

  void OnWriteDone(bool ok) override {
    if (!ok) return End(grpc::Status::CANCELLED);
    Read();
    // Stop looked at a busy stream: it is for us to end it.
    State reading = State::kReading;
    if (stopping_.load() && state_.compare_exchange_strong(reading, State::kEnded)) Finish(wire::ToGrpc(why_));
  }

  void OnCancel() override { interrupt_.Cancel(); }

  void OnDone() override {
    host_.Remove(this);
    delete this;
  }

  void Stop(const absl::Status& why) override {
    if (stopping_.load()) return;
    why_ = why;
    stopping_.store(true);
    State reading = State::kReading;
    if (state_.compare_exchange_strong(reading, State::kEnded)) Finish(wire::ToGrpc(why_));
  }

  absl::Status StillKnown() const override { return caller_.StillKnown(); }

 private:
  enum class State { kReading, kBusy, kEnded };

  void Read() {
    arena_.Reset();
    request_ = google::protobuf::Arena::CreateMessage<StreamComputeRequest>(&arena_);
    response_ = google::protobuf::Arena::CreateMessage<StreamComputeResponse>(&arena_);
    state_.store(State::kReading);
    StartRead(request_);
  }

  void End(const grpc::Status& status) {
    state_.store(State::kEnded);
    Finish(status);
  }

  // Finds the model of the question: the stream's own unless the question names another.
  template <class Request>
  absl::Status Pin(const Request& request) {
    if (request.has_context()) {
      const std::string& model = request.context().model();
      if (!entry_ || model != context_of_stream_.model()) {
        auto entry = host_.engine().registry().FindEntry("context.model", model);
        if (!entry.ok()) return entry.status();
        entry_ = std::move(*entry);
      }
      context_of_stream_ = request.context();
      return absl::OkStatus();
    }
    if (entry_) return absl::OkStatus();
    return wire::BadField("context", "absent, want it in the first request of a stream", "MISSING_FIELD");
  }

  // A question without context borrows the stream's for the time of the answer.
  template <class Request, class Response>
  absl::Status Ask(Request& request, Response* response) {
    const bool borrows = !request.has_context();
    if (borrows) request.unsafe_arena_set_allocated_context(&context_of_stream_);
    const absl::Status status = Answer(Call{*entry_, ThreadScratch(), &interrupt_}, request, response);
    if (borrows) request.unsafe_arena_release_context();
    std::int64_t samples = status.ok() ? response->info().sample_count() : 0;
    host_.statistics().Count(MethodNumber<StreamComputeRequest>(), absl::Now() - begin_, status.code(), samples);
    return status;
  }

  absl::Duration EstimateOfItem() {
    absl::Duration estimate;
    (void)Dispatch([&](auto& request, auto*) {
      estimate = Estimate(request);
      return absl::OkStatus();
    });
    return estimate;
  }

  template <class Function>
  absl::Status Dispatch(const Function& function) {
    switch (request_->request_case()) {
      case StreamComputeRequest::kForwardKinematics:
        return function(*request_->mutable_forward_kinematics(), response_->mutable_forward_kinematics());
      case StreamComputeRequest::kJacobian:
        return function(*request_->mutable_jacobian(), response_->mutable_jacobian());
      case StreamComputeRequest::kStaticTorque:
        return function(*request_->mutable_static_torque(), response_->mutable_static_torque());
      case StreamComputeRequest::kInverseDynamics:
        return function(*request_->mutable_inverse_dynamics(), response_->mutable_inverse_dynamics());
      case StreamComputeRequest::kForwardDynamics:
        return function(*request_->mutable_forward_dynamics(), response_->mutable_forward_dynamics());
      case StreamComputeRequest::kEquationOfMotion:
        return function(*request_->mutable_equation_of_motion(), response_->mutable_equation_of_motion());
      case StreamComputeRequest::kPathDynamics:
        return function(*request_->mutable_path_dynamics(), response_->mutable_path_dynamics());
      case StreamComputeRequest::kInverseKinematics:
        return function(*request_->mutable_inverse_kinematics(), response_->mutable_inverse_kinematics());
      case StreamComputeRequest::kVelocity:
        return function(*request_->mutable_velocity(), response_->mutable_velocity());
      default:
        return wire::BadField("request", "none given, or one that this server does not know", "MISSING_FIELD");
    }
  }

  void Write(const absl::Status& status) {
    if (!status.ok()) WriteError(status, response_->mutable_error());
    response_->set_sequence(request_->sequence());
    response_->set_server_nanoseconds(absl::ToInt64Nanoseconds(absl::Now() - begin_));
    StartWrite(response_);
  }

  Host& host_;
  grpc::CallbackServerContext* const context_;
  Caller caller_;
  Interrupt interrupt_;
  std::atomic<State> state_{State::kReading};
  std::atomic<bool> stopping_{false};
  absl::Status why_;  // written before stopping_

  alignas(16) char block_[8192];
  google::protobuf::Arena arena_;
  StreamComputeRequest* request_ = nullptr;
  StreamComputeResponse* response_ = nullptr;
  absl::Time begin_;

  EntryPtr entry_;
  v1::Context context_of_stream_;
};

class StreamService final : public v1::StreamService::CallbackService {
 public:
  explicit StreamService(Host& host) : host_(host) {}

  grpc::ServerBidiReactor<StreamComputeRequest, StreamComputeResponse>* StreamCompute(
      grpc::CallbackServerContext* context) override {
    return new ComputeStream(host_, context);
  }

 private:
  Host& host_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeStreamService(Host& host) { return std::make_unique<StreamService>(host); }

}  // namespace torqued
