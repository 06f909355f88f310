// torquectl model watch: tell me when a model changes.
#include <absl/strings/ascii.h>

#include <chrono>
#include <thread>

#include "client/cli/json.h"
#include "client/cli/verbs/models_shared.h"
#include "client/cli/verbs/verbs.h"
#include "client/torqued/question.h"

namespace torqued::cli {
namespace {

class ModelWatch : public Verb {
 public:
  VerbText Text() const override {
    return {"model watch",
            kModels,
            "print every change of the models as it happens",
            {"model watch", "model watch --json", "model watch --until-synced"},
            "First what is there, then 'synced', then changes. Goes on after a break where it "
            "stopped. --json: one event per line."};
  }

  void Declare(OptionSet& options) override {
    options.Flag("--until-synced", until_synced_, "end after the snapshot");
    options.Whole("--after", after_, 0, "resume after this position instead of a snapshot");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto who = session.backend();
    if (!who.ok()) return who.status();
    constexpr int kTries = 10;
    bool seen = false;
    for (int failures = 0;;) {
      v1::WatchModelsRequest request;
      request.set_resume_after(after_);
      v1::WatchModelsResponse event;
      bool done = false;
      const absl::Status status = (*who)->Receive(request, event, [&] {
        failures = 0;
        seen = true;
        after_ = std::max<int64_t>(after_, event.position());
        Print(session, event);
        done = until_synced_ && event.kind() == v1::WatchModelsResponse::KIND_SYNCED;
        return !done;
      });
      if (done) return Exit::kOk;
      if (status.code() == absl::StatusCode::kOutOfRange && after_ > 0) {
        after_ = 0;  // that position is gone: start from a snapshot
        continue;
      }
      const bool again = seen && (status.ok() || status.code() == absl::StatusCode::kUnavailable);
      if (!again || ++failures >= kTries)
        return status.ok() ? absl::UnavailableError("the server ended the watch") : status;
      std::this_thread::sleep_for(std::chrono::milliseconds(100) * failures);
    }
  }

 private:
  static void Print(Session& session, const v1::WatchModelsResponse& event) {
    if (session.shared().json) {
      session.out() << ToJsonLine(event) << std::flush;
      return;
    }
    const std::string kind =
        absl::AsciiStrToLower(v1::WatchModelsResponse::Kind_Name(event.kind()).substr(5));
    const char* separator = session.shared().csv ? "," : " ";
    session.out() << event.position() << separator << kind;
    if (event.has_model())
      session.out() << separator << ModelId(event.model().name()) << separator
                    << event.model().revision();
    session.out() << std::endl;
  }

  bool until_synced_ = false;
  int64_t after_ = 0;
};

}  // namespace

std::unique_ptr<Verb> MakeModelWatch() { return std::make_unique<ModelWatch>(); }

}  // namespace torqued::cli
