// torquectl card check: is this card configuration possible, safe and meant?
#include <absl/strings/str_cat.h>

#include "client/cli/numbers.h"
#include "client/cli/verbs/card_machine.h"
#include "client/cli/verbs/verbs.h"

namespace torqued::cli {
namespace {

const char* SeverityName(FindingSeverity severity) {
  return severity == FindingSeverity::kError ? "error" : severity == FindingSeverity::kWarning ? "warning" : "note";
}

class CardCheck : public Verb {
 public:
  VerbText Text() const override {
    return {"card check",
            kCard,
            "check a card configuration, or begin one for a robot",
            {"card check --config card.yaml", "card check scara --config card.yaml", "card check scara --out card.yaml"},
            "Exit code 2 if the configuration is refused (--strict: also for warnings). With ROBOT and without --config: what a simulated card\n"
            "assumes; --out writes it, as a file to begin with. Counts, gears, signs and torque limits of a real machine are yours to fill in."};
  }

  void Declare(OptionSet& options) override {
    options.Argument("ROBOT", robot_, "model whose joints the axes must be", false);
    options.Text("--config", config_, "FILE", "card.yaml");
    options.Text("--out", out_, "FILE", "write the configuration, complete");
    options.Flag("--strict", strict_, "warnings fail too");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    if (robot_.empty() && config_.empty()) return absl::InvalidArgumentError("want --config FILE, or a ROBOT");
    std::vector<CardFinding> findings;
    absl::StatusOr<CardConfig> config;
    if (!config_.empty()) {
      config = ReadCardConfigFile(config_, &findings);
      if (!config.ok() && findings.empty()) return config.status();
    }
    if (!robot_.empty() && (config_.empty() || config.ok())) {
      const auto plan = CardOptions::ForRobot(session, robot_, config_);
      if (!plan.ok()) return plan.status();
      config = plan->config;
      findings.insert(findings.end(), plan->notes.begin(), plan->notes.end());
    }
    Sheet sheet{"", {"severity", "line", "where", "code", "message"}, {}};
    bool errors = false, warnings = false;
    for (const CardFinding& f : findings) {
      errors = errors || f.severity == FindingSeverity::kError;
      warnings = warnings || f.severity == FindingSeverity::kWarning;
      sheet.rows.push_back({SeverityName(f.severity), f.line > 0 ? Cell(int64_t{f.line}) : Cell(""), f.where, f.code, f.message});
    }
    if (session.for_people()) {
      if (config.ok())
        session.out() << config->name << ": " << config->axis_count() << " axes, cycle " << Shortest(1e3 * config->cycle_s) << " ms, "
                      << findings.size() << (findings.size() == 1 ? " finding\n" : " findings\n");
      if (!findings.empty()) session.out() << ToTable(sheet);
    } else {
      ShowRows(session, "findings", sheet);
    }
    if (errors || !config.ok()) return Exit::kCheckFailed;
    if (!out_.empty())
      if (absl::Status written = WriteFile(out_, WriteCardConfig(*config)); !written.ok()) return written;
    return strict_ && warnings ? Exit::kCheckFailed : Exit::kOk;
  }

 private:
  std::string robot_, config_, out_;
  bool strict_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeCardCheck() { return std::make_unique<CardCheck>(); }

}  // namespace torqued::cli
