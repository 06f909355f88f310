// torquectl card run: a planned motion on a card, watched by a person.
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <nlohmann/json.hpp>

#include "client/card/path_source.h"
#include "client/card/plot.h"
#include "client/card/report.h"
#include "client/card/watch.h"
#include "client/cli/file.h"
#include "client/cli/numbers.h"
#include "client/cli/question_options.h"
#include "client/cli/verbs/card_control.h"
#include "client/cli/verbs/card_machine.h"
#include "client/cli/verbs/card_torques.h"
#include "client/cli/verbs/verbs.h"
#include "client/planning/trajectory_file.h"

namespace torqued::cli {
namespace {

constexpr size_t kRecordsBetweenDrains = 1 << 14;
constexpr double kAnswerShare = 0.9;  // of a cycle: what the stream waits for an answer

class CardRun : public Verb {
 public:
  VerbText Text() const override {
    return {"card run",
            kCard,
            "run a motion: torques, stream, live table, report",
            {"card run scara --driver sim --trajectory pick.json", "card run scara --to 1.2,-0.8,0.1,1 --virtual --record run.json",
             "card run scara --name bench --trajectory pick.json --override 0.3 --control /tmp/pace",
             "card run scara --driver linuxcnc --config card.yaml --trajectory pick.json",
             "card run scara --to 1.2,-0.8,0.1,1 --torque-source stream --cycle-us 2000"},
            "The feed-forward torques are asked (from the server or --local) before power comes on; with --torque-source stream once "
            "per cycle,\nwith the last torque, then a stop on the path, where answers stay away.\n"
            "Ctrl-C stops on the path, a second one quickly, a third one takes the power off. On a terminal: + - 1..9 0 pace, space "
            "pause, s stop.\nExit code 0 only if the goal was reached; 2 after a fault or a stop.\n"
            "A software stop is never the safety function."};
  }

  void Declare(OptionSet& options) override {
    card_.Declare(options, true);
    options.Group("Motion");
    options.Text("--trajectory", trajectory_, "FILE", "planned motion, CSV or JSON");
    options.Text("--to", to_, "Q", "instead: point to point, within the card's limits, to these joint values");
    options.Text("--from", from_, "Q", "with --to, for a simulated card in this process: where it stands (default: 0 within the limits)");
    options.Text("--speed", speed_, "SHARE", "with --to: of the limits, default 1");
    options.Text("--override", override_, "SHARE", "pace on the path, 0 to 1, default 1");
    options.Text("--control", control_, "FILE", "named pipe for 0.5, pause, resume, stop, quick, off (one per line)");
    options.Whole("--lead", lead_, 1, "set-points sent ahead; default: a tenth of a second");
    options.Group("Torques");
    options.Choice("--torque-source", source_, {"plan", "trajectory", "none", "stream"},
                   "plan (default): inverse dynamics of the whole motion; trajectory: the file's own; stream: StreamCompute each cycle");
    options.Text("--kp", kp_, "N", "with stream: acceleration per position error [1/s^2], default 0");
    options.Text("--kd", kd_, "N", "with stream: acceleration per velocity error [1/s], default 0");
    options.Whole("--patience", patience_, 1, "with stream: cycles in a row without an answer before it stops on the path, default 10");
    options.Group("Results");
    options.Text("--record", record_, "FILE", "every cycle: .json, .csv or .bin");
    options.Text("--plot", plot_, "FILE.svg", "following error, torque, lateness");
    question_.Declare(options, false, false);
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    if (trajectory_.empty() == to_.empty()) return absl::InvalidArgumentError("want --trajectory or --to, one of them");
    if (session.shared().csv) return absl::InvalidArgumentError("--csv: want --record FILE.csv for the cycles, --json for the report");
    const auto pace = ParseNumber("--override", override_);
    if (!pace.ok()) return pace.status();
    if (*pace < 0 || *pace > 1) return absl::InvalidArgumentError(absl::StrCat("--override: ", override_, ", want 0 to 1"));
    auto plan = card_.Read(session);
    if (!plan.ok()) return plan.status();
    const CardConfig& config = plan->config;
    auto context = question_.Context();
    if (!context.ok()) return context.status();
    const auto who = session.backend();
    if (!who.ok()) return who.status();
    const auto model = (*who)->ModelName(plan->robot->id, v1::BASE_UNSPECIFIED);
    if (!model.ok()) return model.status();
    context->set_model(*model);

    const auto trajectory = Motion(*plan);
    if (!trajectory.ok()) return trajectory.status();
    TorqueBatch torques;
    if (source_ == "plan" || source_ == "stream") torques = AskedTorques(session, *context);
    Trajectory without;
    if (source_ == "none") without = *trajectory, without.tau.resize(0, 0);
    const auto table = PathTable::Make(source_ == "none" ? without : *trajectory, config, torques);
    if (!table.ok()) return table.status();
    if (source_ == "trajectory" && !table->knows_torque()) return absl::InvalidArgumentError("--torque-source trajectory: the file has no torques");
    std::vector<SetPoint> nominal;
    if (const CardStatus refused = NominalSetPoints(*table, config, 1, &nominal); !refused.ok()) {
      session.err() << "torquectl card run: the card would refuse set-point " << refused.cycle << ": " << CardCause(refused, config) << "\n";
      return Exit::kCheckFailed;
    }

    std::unique_ptr<StreamTorques> stream;
    std::unique_ptr<ComputedTorque<StreamTorques>> loop;
    if (source_ == "stream") {
      if ((*who)->client() == nullptr) return absl::InvalidArgumentError("--torque-source stream: asks a server, want no --local");
      const auto gains = Gains();
      if (!gains.ok()) return gains.status();
      stream = std::make_unique<StreamTorques>(*(*who)->client(), Question(*context), config.axis_count(),
                                               std::chrono::nanoseconds(std::llround(1e9 * kAnswerShare * config.cycle_s)));
      if (absl::Status warm = stream->WarmUp(table->start()); !warm.ok()) return warm;
      loop = std::make_unique<ComputedTorque<StreamTorques>>(stream.get(), config.axis_count(), *gains);
    }
    return Drive(session, *plan, *table, *pace, stream.get(), loop.get());
  }

 private:
  absl::StatusOr<ComputedTorqueOptions> Gains() const {
    const auto kp = ParseNumber("--kp", kp_), kd = ParseNumber("--kd", kd_);
    if (!kp.ok()) return kp.status();
    if (!kd.ok()) return kd.status();
    return ComputedTorqueOptions{*kp, *kd, static_cast<int>(patience_)};
  }

  absl::StatusOr<Trajectory> Motion(const CardOptions::Plan& plan) const {
    if (!trajectory_.empty()) {
      const auto text = ReadWholeFile("--trajectory", trajectory_);
      if (!text.ok()) return text.status();
      auto read = ReadTrajectory(*text, GuessFormat(*text));
      if (!read.ok()) return absl::Status(read.status().code(), absl::StrCat(trajectory_, ": ", read.status().message()));
      return read;
    }
    const auto to = ParseAxes("--to", to_, plan.config);
    if (!to.ok()) return to.status();
    const auto speed = ParseNumber("--speed", speed_);
    if (!speed.ok()) return speed.status();
    if (!(*speed > 0 && *speed <= 1)) return absl::InvalidArgumentError(absl::StrCat("--speed: ", speed_, ", want above 0 to 1"));
    AxisArray from{};
    if (!plan.name.empty()) {
      if (!from_.empty()) return absl::InvalidArgumentError("--from: the card says where it stands");
      const auto card = CardWatch::Open(plan.name);
      Feedback newest;
      if (!card.ok()) return card.status();
      if (!(*card)->Newest(&newest)) return absl::UnavailableError(absl::StrCat("card '", plan.name, "': makes no cycle"));
      from = newest.q;
    } else if (!from_.empty()) {
      const auto given = ParseAxes("--from", from_, plan.config);
      if (!given.ok()) return given.status();
      from = *given;
    } else {
      for (int i = 0; i < plan.config.axis_count(); ++i) from[i] = std::clamp(0.0, plan.config.axes[i].lower, plan.config.axes[i].upper);
    }
    return PlanMove(*plan.robot, plan.config, from, *to, *speed);
  }

  absl::StatusOr<Exit> Drive(Session& session, const CardOptions::Plan& plan, const PathTable& table, double pace, StreamTorques* stream,
                             ComputedTorque<StreamTorques>* loop) {
    const CardConfig& config = plan.config;
    auto card = card_.OpenCard(plan, table.start());
    if (!card.ok()) return card.status();
    BridgeOptions options;
    options.lead = lead_ > 0 ? static_cast<int>(lead_) : std::max(5, static_cast<int>(std::lround(0.1 / config.cycle_s)));
    options.low_water = options.lead / 4;
    options.card_silence_s = std::max(options.card_silence_s, config.watchdog_s);
    Recorder recorder(kRecordsBetweenDrains);
    PathSource source(table, config);
    Bridge bridge(card->get(), config, options, &recorder);
    RunControl control(&bridge, pace);
    if (!control_.empty())
      if (absl::Status opened = control.OpenPipe(control_); !opened.ok()) return opened;

    int hint = 0;
    PathPoint first;
    table.At(0, &hint, &first);
    Recording run;
    {
      // From here on Ctrl-C stops the motion. The power goes off again however this ends.
      StopOnSignal signals(&bridge);
      if (const CardStatus on = (*card)->Enable(table.knows_torque() ? first.a0 : AxisArray{}); !on.ok()) return CardRefusal(on, config);
      if (const CardStatus started = bridge.Start(&source, loop); !started.ok()) {
        (*card)->Disable();
        return CardRefusal(started, config);
      }
      if (StopOnSignal::Asked() > 0) bridge.Stop(StopKind::kOnPath);  // before Start had a motion to stop
      LiveTable live(config);
      RunOptions how;
      how.real_time = card_.real_time();
      how.progress = [&](const RunProgress& progress) {
        control.Poll();
        live.Show(progress, &control);
      };
      run = RunMotion(card->get(), config, &bridge, &recorder, how);
      (*card)->Disable();
    }
    if (stream) stream->Finish();
    if (!control.misunderstood().empty()) session.err() << "torquectl card run: control: '" << control.misunderstood() << "' was not understood\n";
    if (absl::Status kept = Keep(run, config); !kept.ok()) return kept;
    Report(session, run, config, stream, loop);
    if (bridge.outcome() == Outcome::kDone) return Exit::kOk;
    if (bridge.outcome() != Outcome::kFailed) return Exit::kCheckFailed;
    return ExitOf(ToAbslStatus(bridge.cause()));
  }

  absl::Status Keep(const Recording& run, const CardConfig& config) const {
    if (!record_.empty())
      if (absl::Status written = WriteRecording(run, record_); !written.ok()) return written;
    if (!plot_.empty()) return WriteFile(plot_, PlotSvg(run, &config));
    return absl::OkStatus();
  }

  static void Report(Session& session, const Recording& run, const CardConfig& config, const StreamTorques* stream,
                     const ComputedTorque<StreamTorques>* loop) {
    if (session.shared().json) {
      auto report = nlohmann::json::parse(ReportJson(run, &config));
      if (loop) {
        const auto& s = loop->statistics();
        report["torque_stream"] = {{"asked", s.asked}, {"in_time", s.in_time}, {"in_time_share", s.InTimeShare()}, {"worst_run", s.worst_run}, {"errors", stream->errors()}};
      }
      session.out() << report.dump(2) << "\n";
      return;
    }
    session.out() << ReportText(run, &config);
    if (!loop) return;
    const auto& s = loop->statistics();
    session.out() << absl::StrFormat("torque stream  %d cycles asked, %.3f %% answered in time, %d missed in a row at most\n", s.asked, 100 * s.InTimeShare(), s.worst_run);
    if (stream->errors() > 0) session.out() << "               first reason: " << stream->first_error().message() << "\n";
  }

  CardOptions card_;
  QuestionOptions question_;
  std::string trajectory_, to_, from_, speed_ = "1", override_ = "1", control_, source_ = "plan", kp_ = "0", kd_ = "0", record_, plot_;
  int64_t lead_ = 0, patience_ = 10;
};

}  // namespace

std::unique_ptr<Verb> MakeCardRun() { return std::make_unique<CardRun>(); }

}  // namespace torqued::cli
