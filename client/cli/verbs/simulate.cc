// torquectl simulate: what does the robot do over time, under these torques?
#include <absl/strings/str_cat.h>

#include <cmath>
#include <fstream>

#include "client/cli/json.h"
#include "client/cli/numbers.h"
#include "client/cli/progress.h"
#include "client/cli/subject.h"
#include "client/cli/verbs/verbs.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued::cli {
namespace {

constexpr int kRowsForPeople = 20;

class Simulate : public Verb {
 public:
  VerbText Text() const override {
    return {
        "simulate",
        kDynamics,
        "motion over time under given torques",
        {"simulate two-link --q 0,0 --duration 2s --step 1ms",
         "simulate ur5e --q zero --torques torques.csv --duration 5s --out motion.csv",
         "simulate scara --q 0,0,0.1,0 --tau 1,0,-20,0 --duration 1s --integrator adaptive --csv"},
        "The energy drift tells how exact the integration is. --json prints one message per line."};
  }

  void Declare(OptionSet& options) override {
    subject_.Declare(options, StateOptions::kV | StateOptions::kTau, true, true);
    options.Group("Simulation");
    options.Text("--duration", duration_, "2s", "how long, default 1s");
    options.Text("--step", step_, "1ms", "step of the integrator, default 1ms");
    options.Text("--every", every_, "10ms", "how often the state is answered, default 10ms; a table shows some of them");
    options.Choice("--integrator", integrator_, {"rk4", "euler", "adaptive"}, "default rk4");
    options.Text("--tolerance", tolerance_, "TOL", "of the adaptive integrator, default 1e-9");
    options.Text("--torques", torques_, "FILE.csv",
                 "torques over time: time[s] in equal steps and JOINT.tau[Nm]; held between");
    options.Flag("--stop-at-limits", limits_, "a joint stops at its limit instead of passing it");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto subject = subject_.Read(session);
    if (!subject.ok()) return subject.status();
    if (subject->states.count != 1)
      return absl::InvalidArgumentError("--q: want one state, the start");
    v1::SimulateRequest request;
    subject->Fill(request);
    if (subject->states.v.values_size() > 0) *request.mutable_velocities() = subject->states.v;
    if (subject->states.tau.values_size() > 0) *request.mutable_efforts() = subject->states.tau;
    if (absl::Status status = FillTimes(request); !status.ok()) return status;
    if (absl::Status status = FillTorques(*subject, request); !status.ok()) return status;

    const auto who = session.backend();
    if (!who.ok()) return who.status();
    const auto q = Columns(subject->model, Quantity::kPosition),
               v = Columns(subject->model, Quantity::kVelocity);
    Sheet sheet{"", {"time[s]"}, {}};
    for (const Column& column : q) sheet.columns.push_back(Heading(column, Quantity::kPosition));
    for (const Column& column : v) sheet.columns.push_back(Heading(column, Quantity::kVelocity));
    sheet.columns.push_back("energy[J]");
    Sheet events{"events", {"time[s]", "joint", "event"}, {}};
    v1::SimulateResponse part;
    double drift = 0;
    ProgressBar bar("simulating");
    const absl::Status status = (*who)->Receive(request, part, [&] {
      if (part.has_info()) sheet.title = Headline("simulation", part.info());
      drift = part.energy_drift();
      if (session.shared().json) session.out() << ToJsonLine(part);
      for (int s = 0; s < part.times_size(); ++s) {
        std::vector<Cell> row = {part.times(s)};
        for (size_t i = 0; i < q.size(); ++i)
          row.push_back(
              part.positions().values(s * static_cast<int>(q.size()) + static_cast<int>(i)));
        for (size_t i = 0; i < v.size(); ++i)
          row.push_back(
              part.velocities().values(s * static_cast<int>(v.size()) + static_cast<int>(i)));
        row.push_back(s < part.energies_size() ? Cell(part.energies(s)) : Cell(""));
        sheet.rows.push_back(std::move(row));
      }
      for (const auto& event : part.events())
        events.rows.push_back({event.time(), event.joint(), event.kind()});
      if (part.times_size() > 0)
        bar.Show(static_cast<int64_t>(1000 * part.times(part.times_size() - 1)),
                 static_cast<int64_t>(1000 * request.duration()));
      return true;
    });
    if (!status.ok()) return status;
    if (!subject_.states().out_file().empty()) {
      if (absl::Status written = WriteFile(subject_.states().out_file(), ToCsv(sheet));
          !written.ok())
        return written;
    } else if (!session.shared().json) {
      session.Show(part, {session.for_people() ? Thinned(sheet) : sheet});
    }
    if (session.for_people()) {
      if (!events.rows.empty()) session.out() << "\n" << ToTable(events);
      session.out() << "energy drift " << Readable(drift) << " J\n";
    }
    return Exit::kOk;
  }

 private:
  absl::Status FillTimes(v1::SimulateRequest& request) const {
    const auto duration = ParseDuration("--duration", duration_),
               step = ParseDuration("--step", step_), every = ParseDuration("--every", every_);
    for (const auto* time : {&duration, &step, &every})
      if (!time->ok()) return time->status();
    const auto seconds = [](std::chrono::nanoseconds t) {
      return std::chrono::duration<double>(t).count();
    };
    request.set_duration(seconds(*duration));
    request.set_step(seconds(*step));
    request.set_output_step(seconds(*every));
    request.set_integrator(integrator_ == "euler"
                               ? v1::SimulateRequest::INTEGRATOR_SEMI_IMPLICIT_EULER
                           : integrator_ == "adaptive" ? v1::SimulateRequest::INTEGRATOR_ADAPTIVE
                                                       : v1::SimulateRequest::INTEGRATOR_RK4);
    request.set_enforce_limits(limits_);
    if (tolerance_.empty()) return absl::OkStatus();
    const auto tolerance = ParseNumber("--tolerance", tolerance_);
    if (!tolerance.ok()) return tolerance.status();
    request.set_tolerance(*tolerance);
    return absl::OkStatus();
  }

  absl::Status FillTorques(const Subject& subject, v1::SimulateRequest& request) const {
    if (torques_.empty()) return absl::OkStatus();
    if (subject.states.tau.values_size() > 0)
      return absl::InvalidArgumentError("--tau and --torques: want one of them");
    States table;
    if (absl::Status status = ReadStates(torques_, subject.model, false,
                                         StateOptions::kTau | StateOptions::kOnlyTau, table);
        !status.ok())
      return status;
    if (table.tau.values_size() == 0 || table.time.size() < 2)
      return absl::InvalidArgumentError(absl::StrCat(
          "--torques: ", torques_, ": want time[s] and JOINT.tau[Nm] in at least two rows"));
    const double step = table.time[1] - table.time[0];
    for (size_t i = 1; i < table.time.size(); ++i)
      if (!(step > 0) || std::fabs(table.time[i] - table.time[i - 1] - step) > 1e-6 * step + 1e-12)
        return absl::InvalidArgumentError(absl::StrCat("--torques: ", torques_, ": row ", i + 1,
                                                       ": time[s] is not in equal steps"));
    *request.mutable_efforts() = table.tau;
    request.set_effort_step(step);
    return absl::OkStatus();
  }

  static Sheet Thinned(const Sheet& sheet) {
    const size_t rows = sheet.rows.size();
    if (rows <= kRowsForPeople + 1) return sheet;
    Sheet thin{sheet.title, sheet.columns, {}};
    for (size_t i = 0; i <= kRowsForPeople; ++i)
      thin.rows.push_back(sheet.rows[i * (rows - 1) / kRowsForPeople]);
    return thin;
  }

  SubjectOptions subject_;
  std::string duration_ = "1s", step_ = "1ms", every_ = "10ms", integrator_, tolerance_, torques_;
  bool limits_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeSimulate() { return std::make_unique<Simulate>(); }

}  // namespace torqued::cli
