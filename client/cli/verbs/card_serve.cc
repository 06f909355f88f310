// torquectl card serve: a simulated card of a robot, in a process of its own, for bridges that attach by name.
#include <absl/strings/str_cat.h>

#include <atomic>
#include <csignal>

#include "client/card/sim_card.h"
#include "client/cli/numbers.h"
#include "client/cli/verbs/card_machine.h"
#include "client/cli/verbs/verbs.h"

namespace torqued::cli {
namespace {

std::atomic<bool> quit{false};  // a signal handler's

class CardServe : public Verb {
 public:
  VerbText Text() const override {
    return {"card serve",
            kCard,
            "simulate a robot behind a card of its own",
            {"card serve scara --name bench", "card serve scara --name bench --config card.yaml --at 0,0,0.05,0 --idle 60s"},
            "Then: card run scara --name bench ..., card watch bench, card stop bench. Runs until Ctrl-C, or with --idle until no bridge has been\n"
            "attached for so long. The simulated robot differs from the model by seeded +-10 % (sim.mismatch in card.yaml)."};
  }

  void Declare(OptionSet& options) override {
    options.Argument("ROBOT", robot_, "model: id, id@revision; with --local also a file");
    options.Required("--name", name_, "NAME", "under which bridges find it");
    options.Text("--config", config_, "FILE", "card.yaml; default: made up for the robot (card check ROBOT --out)");
    options.Text("--at", at_, "Q", "where the robot stands; default: 0 within the limits");
    options.Text("--idle", idle_, "60s", "end when no bridge has been attached for so long");
    options.Flag("--with-parent", with_parent_, "end with the process that started this one");
    options.Flag("--real-time", real_time_, "ask for real-time scheduling and locked memory");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    SimProcessOptions options;
    options.name = name_;
    options.real_time = real_time_;
    options.with_parent = with_parent_;
    if (!idle_.empty()) {
      const auto idle = ParseDuration("--idle", idle_);
      if (!idle.ok()) return idle.status();
      options.idle_s = 1e-9 * static_cast<double>(idle->count());
    }
    const auto plan = CardOptions::ForRobot(session, robot_, config_);
    if (!plan.ok()) return plan.status();
    AxisArray at{};
    for (int i = 0; i < plan->config.axis_count(); ++i) at[i] = std::clamp(0.0, plan->config.axes[i].lower, plan->config.axes[i].upper);
    if (!at_.empty()) {
      const auto given = ParseAxes("--at", at_, plan->config);
      if (!given.ok()) return given.status();
      at = *given;
    }
    std::signal(SIGINT, [](int) { quit = true; });
    std::signal(SIGTERM, [](int) { quit = true; });
    if (session.for_people()) session.out() << "card '" << name_ << "' of " << robot_ << " runs; Ctrl-C ends it\n" << std::flush;
    const absl::Status ended = RunSimProcess(plan->robot->prepared, plan->config, at, options, &quit);
    if (!ended.ok()) return ended;
    return Exit::kOk;
  }

 private:
  std::string robot_, name_, config_, at_, idle_;
  bool with_parent_ = false, real_time_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeCardServe() { return std::make_unique<CardServe>(); }

}  // namespace torqued::cli
