// torquectl card enable, home, reset: power, reference, acknowledgement, each as a bridge of its own.
#include <absl/strings/str_cat.h>

#include <cmath>
#include <thread>

#include "client/card/ring_card.h"
#include "client/card/watch.h"
#include "client/cli/numbers.h"
#include "client/cli/verbs/card_control.h"
#include "client/cli/verbs/card_machine.h"
#include "client/cli/verbs/verbs.h"

namespace torqued::cli {
namespace {

// Where the card stands now; for a robot simulated here its zero within the limits.
AxisArray Standing(const CardOptions::Plan& plan) {
  AxisArray at{};
  for (int i = 0; i < plan.config.axis_count(); ++i) at[i] = std::clamp(0.0, plan.config.axes[i].lower, plan.config.axes[i].upper);
  if (plan.name.empty()) return at;
  const auto card = CardWatch::Open(plan.name);
  Feedback newest;
  return card.ok() && (*card)->Newest(&newest) ? newest.q : at;
}

AxisArray Hold(const CardOptions::Plan& plan, const AxisArray& at) { return plan.robot ? plan.robot->HoldTorque(at) : AxisArray{}; }

void ShowAxes(Session& session, MotionCard& card, const CardConfig& config, const Feedback& newest) {
  Sheet sheet{"", {"axis", "unit", "position", "homed"}, {}};
  const std::uint32_t homed = card.Info().homed;
  for (int i = 0; i < config.axis_count(); ++i)
    sheet.rows.push_back({config.axes[i].name, config.axes[i].linear ? "m" : "rad", newest.q[i], homed >> i & 1 ? "yes" : "no"});
  ShowRows(session, "axes", sheet);
}

class CardEnable : public Verb {
 public:
  VerbText Text() const override {
    return {"card enable",
            kCard,
            "power on without motion, for as long as this runs",
            {"card enable scara --name bench", "card enable scara --name bench --for 10s"},
            "The drives hold what was measured when power came on; with ROBOT they also carry its weight. Ctrl-C takes the power off: a powered\n"
            "card without a bridge is a fault, so the power never outlives this program."};
  }

  void Declare(OptionSet& options) override {
    card_.Declare(options, false);
    options.Text("--for", for_, "10s", "then power off; default: until Ctrl-C");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    std::chrono::nanoseconds length{0};
    if (!for_.empty()) {
      const auto given = ParseDuration("--for", for_);
      if (!given.ok()) return given.status();
      length = *given;
    }
    const auto plan = card_.Read(session);
    if (!plan.ok()) return plan.status();
    const AxisArray at = Standing(*plan);
    const auto card = card_.OpenCard(*plan, at);
    if (!card.ok()) return card.status();
    StopOnSignal signals;
    if (const CardStatus on = (*card)->Enable(Hold(*plan, at)); !on.ok()) return CardRefusal(on, plan->config);
    if (session.for_people()) session.out() << "power is on; Ctrl-C takes it off\n" << std::flush;
    const std::int64_t began = (*card)->NowNs(), step = std::llround(1e9 * plan->config.watchdog_s / 10);
    Feedback newest;
    while (StopOnSignal::Asked() == 0 && (length.count() == 0 || (*card)->NowNs() - began < length.count())) {
      (*card)->KeepAlive();
      (*card)->Wait(step);
      while ((*card)->Poll(&newest)) {
      }
      if ((*card)->State() == CardState::kReady) continue;
      if (newest.cause.ok()) {  // somebody else took the power off
        if (session.for_people()) session.out() << "power is off: the card is " << Name((*card)->State()) << "\n";
        return Exit::kCheckFailed;
      }
      return CardRefusal(newest.cause, plan->config);
    }
    (*card)->Disable();
    if (session.for_people()) session.out() << "power is off\n";
    return Exit::kOk;
  }

 private:
  CardOptions card_;
  std::string for_;
};

class CardHome : public Verb {
 public:
  VerbText Text() const override {
    return {"card home",
            kCard,
            "find the axes' references",
            {"card home --name bench", "card home scara --name bench --axes d3,theta4"},
            "Power on, one axis after the other to its switch (or at once, where the encoder is absolute), power off. Ctrl-C stops."};
  }

  void Declare(OptionSet& options) override {
    card_.Declare(options, false);
    options.Text("--axes", axes_, "A,B", "default: all");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto plan = card_.Read(session);
    if (!plan.ok()) return plan.status();
    const auto mask = ParseAxisMask(axes_, plan->config);
    if (!mask.ok()) return mask.status();
    const AxisArray at = Standing(*plan);
    const auto card = card_.OpenCard(*plan, at);
    if (!card.ok()) return card.status();
    if (const CardStatus on = (*card)->Enable(Hold(*plan, at)); !on.ok()) return CardRefusal(on, plan->config);
    CardStatus homed;
    {
      StopOnSignal signals(card->get());
      homed = (*card)->Home(*mask);
    }
    Feedback newest;
    while ((*card)->Poll(&newest)) {
    }
    (*card)->Disable();
    if (!homed.ok()) return CardRefusal(homed, plan->config);
    ShowAxes(session, **card, plan->config, newest);
    return Exit::kOk;
  }

 private:
  CardOptions card_;
  std::string axes_;
};

class CardReset : public Verb {
 public:
  VerbText Text() const override {
    return {"card reset",
            kCard,
            "acknowledge a card's fault; power stays off",
            {"card reset bench"},
            "Refused while its reason lasts (safety chain open, drive fault). Nothing resumes by itself."};
  }

  void Declare(OptionSet& options) override { options.Argument("NAME", name_, "of the card (card list)"); }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto watch = CardWatch::Open(name_);
    if (!watch.ok()) return watch.status();
    auto config = (*watch)->Config();
    if (!config.ok()) config = CardConfig{};
    auto card = AttachCard(name_);
    if (!card.ok()) return card.status();
    if (const CardStatus opened = (*card)->Open(); !opened.ok()) return CardRefusal(opened, *config);
    const CardStatus cause = (*card)->Info().cause;
    if ((*card)->State() == CardState::kFaulted)
      if (const CardStatus reset = (*card)->ResetFault(); !reset.ok()) return CardRefusal(reset, *config);
    ShowRows(session, "cards", {"", {"name", "state", "was"}, {{name_, Name((*card)->State()), cause.ok() ? "no fault" : CardCause(cause, *config)}}});
    return Exit::kOk;
  }

 private:
  std::string name_;
};

}  // namespace

std::unique_ptr<Verb> MakeCardEnable() { return std::make_unique<CardEnable>(); }
std::unique_ptr<Verb> MakeCardHome() { return std::make_unique<CardHome>(); }
std::unique_ptr<Verb> MakeCardReset() { return std::make_unique<CardReset>(); }

}  // namespace torqued::cli
