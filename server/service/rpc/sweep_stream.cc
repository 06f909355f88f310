#include "server/service/rpc/sweep_stream.h"

#include "server/service/sweep/sweep.h"

namespace torqued {
namespace {

constexpr absl::Duration kBetweenMessages = absl::Milliseconds(100);
constexpr absl::Duration kPiece = absl::Milliseconds(5);  // what one piece of a sweep takes, about

class SweepStream final : public grpc::ServerWriteReactor<v1::SweepResponse> {
 public:
  SweepStream(Host& host, grpc::CallbackServerContext* context, const v1::SweepRequest& request)
      : host_(host), context_(context), caller_(*context), interrupt_(absl::FromChrono(context->deadline())), begin_(absl::Now()) {
    absl::Status taken = host_.Admit(caller_, MethodNumber<v1::SweepRequest>(), Role::kViewer);
    tasks_ = 1;
    if (taken.ok()) taken = host_.Submit(caller_, kPiece, [this, &request] { Begin(request); });
    if (taken.ok()) return;
    std::unique_lock<std::mutex> lock(mutex_);
    tasks_ = 0;
    status_ = taken;
    Settle(std::move(lock));
  }

  void OnWriteDone(bool ok) override {
    std::unique_lock<std::mutex> lock(mutex_);
    writing_ = false;
    if (!ok) interrupt_.Cancel();
    Settle(std::move(lock));
  }
  void OnCancel() override { interrupt_.Cancel(); }
  void OnDone() override { delete this; }

 private:
  void Begin(const v1::SweepRequest& request) {
    const auto entry = host_.engine().registry().FindEntry("context.model", request.context().model());
    absl::Status status = entry.status();
    if (entry.ok()) {
      auto sweep = Sweep::Start(*entry, request, {.compile = host_.engine().compiles()}, &interrupt_);
      status = sweep.status();
      if (sweep.ok()) sweep_ = *std::move(sweep);
    }
    if (!status.ok()) {
      std::unique_lock<std::mutex> lock(mutex_);
      status_ = status;
      --tasks_;
      return Settle(std::move(lock));
    }
    Task();
  }

  // One piece, then back to the end of the queue: a sweep of minutes does not hold up others.
  void Task() {
    for (;;) {
      auto step = sweep_->Work(ThreadScratch(), &interrupt_);
      if (const absl::Status known = caller_.StillKnown(); !known.ok()) step = known;
      std::unique_lock<std::mutex> lock(mutex_);
      if (!step.ok() && status_.ok()) status_ = step.status();
      done_ |= step.ok() && *step == Sweep::Step::kDone;
      if (!step.ok() || done_ || *step == Sweep::Step::kIdle) {
        --tasks_;
        return Settle(std::move(lock));
      }
      WriteProgress();
      while (tasks_ < host_.pool().threads() && Again()) ++tasks_;
      if (Again()) return;
      // The queue is full: another task of this sweep goes on, or else this one.
      if (tasks_ > 1) {
        --tasks_;
        return;
      }
    }
  }

  bool Again() {
    return host_.Submit(caller_, kPiece, [this] { Task(); }).ok();
  }

  // REQUIRES: mutex_ is held.
  void WriteProgress() {
    if (writing_ || absl::Now() < next_message_) return;
    next_message_ = absl::Now() + kBetweenMessages;
    message_.Clear();
    sweep_->Progress(&message_);
    if (told_) message_.clear_info();
    told_ = true;
    writing_ = true;
    StartWrite(&message_);
  }

  // Ends the call once no task and no write is under way; then this object may be gone, and so the lock with it.
  void Settle(std::unique_lock<std::mutex> lock) {
    if (tasks_ > 0 || writing_ || ended_) return;
    ended_ = true;
    constexpr auto kMethod = &MethodNumber<v1::SweepRequest>;
    const absl::Duration open = absl::Now() - begin_;
    const std::int64_t samples = sweep_ ? sweep_->done() : 0;
    host_.statistics().Count(kMethod(), open, status_.code(), samples);
    host_.Tell(caller_, context_, {kMethod(), "", status_, open, samples});
    message_.Clear();
    if (status_.ok()) sweep_->Answer(&message_);
    lock.unlock();
    if (!status_.ok()) return Finish(wire::ToGrpc(status_));
    StartWriteAndFinish(&message_, grpc::WriteOptions(), grpc::Status::OK);
  }

  Host& host_;
  grpc::CallbackServerContext* const context_;
  Caller caller_;
  Interrupt interrupt_;
  const absl::Time begin_;
  std::mutex mutex_;  // guards the rest
  std::unique_ptr<Sweep> sweep_;
  v1::SweepResponse message_;
  absl::Time next_message_ = absl::InfinitePast();
  absl::Status status_;
  int tasks_ = 0;  // queued or running
  bool writing_ = false, told_ = false, done_ = false, ended_ = false;
};

}  // namespace

grpc::ServerWriteReactor<v1::SweepResponse>* StartSweep(Host& host, grpc::CallbackServerContext* context,
                                                        const v1::SweepRequest& request) {
  return new SweepStream(host, context, request);
}

}  // namespace torqued
