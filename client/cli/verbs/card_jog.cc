// torquectl card jog: a person moves single axes, hold to run.
#include <absl/strings/str_cat.h>

#include <cmath>
#include <cstdio>

#include "client/card/jog.h"
#include "client/card/watch.h"
#include "client/cli/numbers.h"
#include "client/cli/verbs/card_control.h"
#include "client/cli/verbs/card_machine.h"
#include "client/cli/verbs/verbs.h"

namespace torqued::cli {
namespace {

constexpr double kKeyRepeatS = 0.6;  // a held key repeats at the latest after half a second

class CardJog : public Verb {
 public:
  VerbText Text() const override {
    return {"card jog",
            kCard,
            "move single axes",
            {"card jog scara --name bench", "card jog scara --name bench --axis d3 --speed 0.02 --for 2s", "card jog scara --axis theta1 --speed -0.3 --for 1s --virtual"},
            "Without --axis, on a terminal: 1..9 choose the axis, hold . or , to move it up or down, + - double or halve the speed, q ends.\n"
            "With --axis: at --speed for --for, then rest. Axes brake before their limits; at most a quarter of the speed limit."};
  }

  void Declare(OptionSet& options) override {
    card_.Declare(options, false);
    options.Group("Motion");
    options.Text("--axis", axis_, "NAME", "axis to move");
    options.Text("--speed", speed_, "V", "[rad/s] or [m/s], its sign is the direction");
    options.Text("--for", for_, "1s", "how long, default 1s");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto plan = card_.Read(session);
    if (!plan.ok()) return plan.status();
    const CardConfig& config = plan->config;
    AxisArray asked{};
    double seconds = 0;
    if (!axis_.empty()) {
      const auto mask = ParseAxisMask(axis_, config);
      if (!mask.ok()) return mask.status();
      if ((*mask & (*mask - 1)) != 0 || speed_.empty()) return absl::InvalidArgumentError("--axis: want one axis, and --speed");
      const auto speed = ParseNumber("--speed", speed_);
      const auto length = ParseDuration("--for", for_);
      if (!speed.ok()) return speed.status();
      if (!length.ok()) return length.status();
      for (int i = 0; i < config.axis_count(); ++i)
        if (*mask >> i & 1) asked[i] = *speed;
      seconds = 1e-9 * static_cast<double>(length->count());
    }
    AxisArray at{};
    for (int i = 0; i < config.axis_count(); ++i) at[i] = std::clamp(0.0, config.axes[i].lower, config.axes[i].upper);
    if (!plan->name.empty()) {
      const auto watch = CardWatch::Open(plan->name);
      Feedback newest;
      if (watch.ok() && (*watch)->Newest(&newest)) at = newest.q;
    }
    const AxisArray hold = plan->robot ? plan->robot->HoldTorque(at) : AxisArray{};
    auto card = card_.OpenCard(*plan, at);
    if (!card.ok()) return card.status();
    return Jog(session, **card, config, asked, seconds, hold);
  }

 private:
  absl::StatusOr<Exit> Jog(Session& session, MotionCard& card, const CardConfig& config, const AxisArray& asked, double seconds, const AxisArray& hold) {
    JogOptions options;
    options.hold_torque = hold;
    if (axis_.empty()) options.hold_to_run_s = kKeyRepeatS;
    JogSource source(config, options);
    Recorder recorder(1 << 14);
    BridgeOptions feeding;
    feeding.lead = std::max(5, static_cast<int>(std::lround(0.1 / config.cycle_s)));
    feeding.card_silence_s = std::max(feeding.card_silence_s, config.watchdog_s);
    Bridge bridge(&card, config, feeding, &recorder);
    StopOnSignal signals(&bridge);
    Keys keys;
    if (axis_.empty() && !keys.active()) return absl::InvalidArgumentError("no terminal: want --axis, --speed and --for");
    if (const CardStatus on = card.Enable(hold); !on.ok()) return CardRefusal(on, config);
    if (const CardStatus started = bridge.Start(&source); !started.ok()) {
      card.Disable();
      return CardRefusal(started, config);
    }
    if (axis_.empty()) std::fprintf(stderr, "1..9 axis, . and , up and down (hold), + - speed, q ends\n");
    LiveTable live(config);
    RunOptions how;
    how.real_time = card_.real_time();
    how.report_period_s = 0.02;
    const std::int64_t began = card.NowNs();
    int chosen = 0, shown = 0;
    double share = 0.25;  // of the fastest jog
    how.progress = [&](const RunProgress& progress) {
      if (!axis_.empty()) {
        if (1e-9 * static_cast<double>(card.NowNs() - began) < seconds)
          source.Hold(asked);
        else
          bridge.Stop(StopKind::kOnPath);
      }
      while (const char key = keys.Next()) {
        if (!axis_.empty()) continue;
        if (key >= '1' && key < '1' + config.axis_count()) chosen = key - '1';
        if (key == '+') share = std::min(1.0, 2 * share);
        if (key == '-') share = std::max(1.0 / 64, share / 2);
        if (key == 'q') bridge.Stop(StopKind::kOnPath);
        AxisArray speeds{};
        speeds[chosen] = (key == '.' ? 1 : key == ',' ? -1 : 0) * share * options.speed_share * config.axes[chosen].velocity;
        source.Hold(speeds);
      }
      if (++shown % 5 == 0) live.Show(progress, nullptr);
    };
    const Recording run = RunMotion(&card, config, &bridge, &recorder, how);
    card.Disable();
    if (bridge.outcome() == Outcome::kFailed) return CardRefusal(bridge.cause(), config);
    Sheet sheet{"", {"axis", "unit", "from", "to"}, {}};
    for (int i = 0; i < config.axis_count() && !run.cycles.empty(); ++i)
      sheet.rows.push_back({config.axes[i].name, config.axes[i].linear ? "m" : "rad", run.cycles.front().feedback.q_command[i],
                            run.cycles.back().feedback.q_command[i]});
    ShowRows(session, "axes", sheet);
    return bridge.outcome() == Outcome::kStopped ? Exit::kCheckFailed : Exit::kOk;
  }

  CardOptions card_;
  std::string axis_, speed_, for_ = "1s";
};

}  // namespace

std::unique_ptr<Verb> MakeCardJog() { return std::make_unique<CardJog>(); }

}  // namespace torqued::cli
