#include "server/service/rpc/watch_stream.h"

#include <absl/strings/str_cat.h>

#include <deque>
#include <mutex>

#include "server/service/describe.h"

namespace torqued {
namespace {

using v1::WatchModelsResponse;

constexpr size_t kMostWaiting = 1024;  // changes beyond the first picture

class WatchStream final : public grpc::ServerWriteReactor<WatchModelsResponse>, public Lasting {
 public:
  WatchStream(Host& host, grpc::CallbackServerContext* context, const v1::WatchModelsRequest& request)
      : host_(host), context_(context), caller_(*context), resuming_(request.resume_after() != 0), begin_(absl::Now()) {
    if (const absl::Status s = host_.Admit(caller_, Method(), Role::kViewer); !s.ok()) {
      const std::lock_guard<std::mutex> lock(mutex_);
      End(s);
      return;
    }
    host_.Add(this);
    auto watch = Subscribe(request.resume_after());
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!watch.ok()) {
      End(watch.status());
      return;
    }
    number_ = watch->number;
    // Changes that came between the subscription and now stand behind the first picture.
    std::deque<ModelEvent> later = std::move(waiting_);
    waiting_.assign(watch->first.begin(), watch->first.end());
    first_ = waiting_.size();
    ModelEvent synced;
    synced.position = watch->position;
    waiting_.push_back(synced);
    waiting_.insert(waiting_.end(), later.begin(), later.end());
    started_ = true;
    WriteNext();
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    writing_ = false;
    if (!ok) return End(absl::CancelledError("the watcher is gone"));
    WriteNext();
  }

  void OnCancel() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    End(absl::CancelledError("the watcher is gone"));
  }

  void OnDone() override {
    if (number_ != 0) host_.engine().registry().Unsubscribe(number_);
    host_.Remove(this);
    delete this;
  }

  void Stop(const absl::Status& why) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    End(why);
  }
  absl::Status StillKnown() const override { return caller_.StillKnown(); }

 private:
  static int Method() { return MethodNumber<v1::WatchModelsRequest>(); }

  absl::StatusOr<Registry::Watch> Subscribe(std::int64_t resume_after) {
    if (resume_after < 0) return wire::BadField("resume_after", absl::StrCat(resume_after, ", want a position or 0"));
    return host_.engine().registry().Subscribe(resume_after, [this](const ModelEvent& event) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (ended_) return;
      if (waiting_.size() >= first_ + kMostWaiting) {
        End(wire::Error(absl::StatusCode::kOutOfRange, "WATCH_TOO_SLOW",
                        "the watcher fell behind; watch again from a snapshot"));
        return;
      }
      waiting_.push_back(event);
      if (started_) WriteNext();
    });
  }

  void End(const absl::Status& status) {  // holds mutex_
    if (ended_) return;
    ended_ = true;
    const absl::Duration open = absl::Now() - begin_;
    host_.statistics().Count(Method(), open, status.code(), 0);
    host_.Tell(caller_, context_, {Method(), "", status, absl::ZeroDuration()});
    Finish(wire::ToGrpc(status));
  }

  void WriteNext() {  // holds mutex_
    if (ended_ || writing_ || waiting_.empty()) return;
    const ModelEvent event = std::move(waiting_.front());
    waiting_.pop_front();
    message_.Clear();
    message_.set_position(event.position);
    if (event.id.empty()) {
      message_.set_kind(WatchModelsResponse::KIND_SYNCED);
    } else if (!event.model) {
      message_.set_kind(WatchModelsResponse::KIND_DELETED);
      message_.mutable_model()->set_name(absl::StrCat("models/", event.id));
    } else {
      message_.set_kind(first_ > 0 && !resuming_ ? WatchModelsResponse::KIND_PRESENT : WatchModelsResponse::KIND_PUT);
      Describe(*event.model, v1::MODEL_VIEW_BASIC, message_.mutable_model());
    }
    if (first_ > 0) --first_;
    writing_ = true;
    StartWrite(&message_);
  }

  Host& host_;
  grpc::CallbackServerContext* const context_;
  Caller caller_;
  const bool resuming_;
  const absl::Time begin_;
  std::int64_t number_ = 0;
  std::mutex mutex_;  // guards all below
  std::deque<ModelEvent> waiting_;  // an event without id: SYNCED
  size_t first_ = 0;                // how many of them belong to the first picture
  bool started_ = false, writing_ = false;
  bool ended_ = false;
  WatchModelsResponse message_;
};

}  // namespace

grpc::ServerWriteReactor<WatchModelsResponse>* StartWatch(Host& host, grpc::CallbackServerContext* context,
                                                             const v1::WatchModelsRequest& request) {
  return new WatchStream(host, context, request);
}

}  // namespace torqued
