// torquectl card watch: what is the card doing right now?
#include <absl/strings/str_cat.h>
#include <unistd.h>

#include <cmath>
#include <thread>

#include "client/card/watch.h"
#include "client/cli/numbers.h"
#include "client/cli/verbs/card_control.h"
#include "client/cli/verbs/card_machine.h"
#include "client/cli/verbs/verbs.h"

namespace torqued::cli {
namespace {

class CardWatchVerb : public Verb {
 public:
  VerbText Text() const override {
    return {"card watch",
            kCard,
            "live table of a running card; only looks",
            {"card watch bench", "card watch bench --once --json", "card watch bench --until ready"},
            "Beside whoever runs the card. --until STATE waits for it and ends (exit code 2 where --timeout passes first); with --wait also for the\n"
            "card itself. Ctrl-C ends."};
  }

  void Declare(OptionSet& options) override {
    options.Argument("NAME", name_, "of the card (card list)");
    options.Flag("--once", once_, "print once and end (default where the output is no terminal)");
    options.Text("--every", every_, "200ms", "how often, default 200ms");
    options.Choice("--until", until_, {"offline", "disabled", "ready", "streaming", "stopping", "homing", "faulted"}, "end when the card is in this state");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto every = ParseDuration("--every", every_);
    if (!every.ok()) return every.status();
    const auto patience = ParseDuration("--timeout", session.shared().timeout);
    if (!patience.ok()) return patience.status();
    const auto end = std::chrono::steady_clock::now() + *patience;
    auto card = CardWatch::Open(name_);
    while (session.shared().wait && !card.ok() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      card = CardWatch::Open(name_);
    }
    if (!card.ok()) return card.status();
    const auto config = (*card)->Config();
    if (!config.ok()) return config.status();
    const bool live = !once_ && until_.empty() && isatty(STDOUT_FILENO) == 1 && session.for_people();
    if (!until_.empty()) {
      while (until_ != Name((*card)->State())) {
        if (!(*card)->CardAlive()) return absl::UnavailableError(absl::StrCat("card '", name_, "': its process ended"));
        if (std::chrono::steady_clock::now() > end) {
          session.err() << "torquectl card watch: the card is " << Name((*card)->State()) << ", not " << until_ << ", after "
                        << session.shared().timeout << "\n";
          return Exit::kCheckFailed;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
    }
    StopOnSignal signals;
    while (StopOnSignal::Asked() == 0) {
      if (!(*card)->CardAlive()) return absl::UnavailableError(absl::StrCat("card '", name_, "': its process ended"));
      if (live) session.out() << "\033[H\033[J";
      Show(session, **card, *config);
      session.out().flush();
      if (!live) break;
      std::this_thread::sleep_for(*every);
    }
    return Exit::kOk;
  }

 private:
  void Show(Session& session, const CardWatch& card, const CardConfig& config) const {
    Feedback f;
    card.Newest(&f);
    const CardCounters c = card.Counters();
    if (session.for_people()) {
      session.out() << "card " << name_ << " (" << card.Driver() << "): " << Name(card.State()) << ", "
                    << (card.BridgeAttached() ? "bridge attached" : "no bridge") << ", queued " << f.queued << "\n"
                    << "cycles " << c.cycles << ", executed " << c.executed << ", voided " << c.voided << ", faults " << c.faults
                    << ", worst lateness " << Fixed(1e-6 * static_cast<double>(c.worst_lateness_ns), 3) << " ms\n";
      if (!f.cause.ok()) session.out() << "cause  " << CardCause(f.cause, config) << "\n";
      session.out() << "\n";
    }
    Sheet sheet{"", {"axis", "unit", "command", "measured", "error", "peak error", "speed", "torque", "of limit[%]", "homed"}, {}};
    for (int i = 0; i < config.axis_count(); ++i) {
      const AxisConfig& a = config.axes[i];
      sheet.rows.push_back({a.name, a.linear ? "m" : "rad", f.q_command[i], f.q[i], f.q_command[i] - f.q[i], c.peak_following_error[i], f.v_command[i],
                            f.tau_command[i], 100 * std::abs(f.tau_command[i]) / a.torque, card.Homed() >> i & 1 ? "yes" : "no"});
    }
    if (session.shared().json) {
      session.out() << "{\"state\": \"" << Name(card.State()) << "\", \"cycle\": " << c.cycles << ", \"executed\": " << c.executed
                    << ", \"faults\": " << c.faults << ", \"cause\": \"" << Name(f.cause.code) << "\", \"axes\": " << RowsJson(sheet) << "}\n";
      return;
    }
    ShowRows(session, "axes", sheet);
  }

  std::string name_, every_ = "200ms", until_;
  bool once_ = false;
};

class CardStop : public Verb {
 public:
  VerbText Text() const override {
    return {"card stop",
            kCard,
            "stop a running card, whoever runs it",
            {"card stop bench", "card stop", "card stop bench --kind off"},
            "Without NAME: every card of this machine. on-path (default): the bridge slows down along the path, the card ramps by itself if it\n"
            "does not; ramp, quick: each axis decelerates; off: power off, brakes on. A stop escalates and never weakens.\n"
            "A software stop is never the safety function."};
  }

  void Declare(OptionSet& options) override {
    options.Argument("NAME", name_, "of the card; default: all of them", false);
    options.Choice("--kind", kind_, {"on-path", "ramp", "quick", "off"}, "default on-path");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto patience = ParseDuration("--timeout", session.shared().timeout);
    if (!patience.ok()) return patience.status();
    const StopKind kind = kind_ == "ramp" ? StopKind::kRamp : kind_ == "quick" ? StopKind::kQuick : kind_ == "off" ? StopKind::kPowerOff : StopKind::kOnPath;
    std::vector<std::string> names = name_.empty() ? ListCards() : std::vector<std::string>{name_};
    std::vector<std::unique_ptr<CardWatch>> cards;
    for (const std::string& name : names) {  // all are asked before any is waited for
      auto card = CardWatch::Open(name);
      if (!card.ok() && !name_.empty()) return card.status();
      if (!card.ok()) continue;
      (*card)->Stop(kind);
      cards.push_back(*std::move(card));
    }
    const auto end = std::chrono::steady_clock::now() + *patience;
    Exit exit = Exit::kOk;
    Sheet sheet{"", {"name", "state"}, {}};
    for (size_t i = 0; i < cards.size(); ++i) {
      const auto done = [&] {
        const CardState state = cards[i]->State();
        return !cards[i]->StopPending() && (kind == StopKind::kPowerOff ? !Powered(state)
                                                                        : state != CardState::kStreaming && state != CardState::kStopping && state != CardState::kHoming);
      };
      while (!done() && cards[i]->CardAlive() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      if (!done()) exit = Exit::kCheckFailed;
      sheet.rows.push_back({names[i], done() ? Name(cards[i]->State()) : "still moving"});
    }
    if (cards.empty() && session.for_people())
      session.out() << "no card runs on this machine\n";
    else
      ShowRows(session, "cards", sheet);
    return exit;
  }

 private:
  std::string name_, kind_;
};

}  // namespace

std::unique_ptr<Verb> MakeCardWatch() { return std::make_unique<CardWatchVerb>(); }
std::unique_ptr<Verb> MakeCardStop() { return std::make_unique<CardStop>(); }

}  // namespace torqued::cli
