#include "server/service/compute/simulation.h"

#include <absl/strings/str_cat.h>

#include <cmath>

#include "server/core/dynamics/simulate.h"
#include "server/service/compute/question.h"

namespace torqued {
namespace {

constexpr double kDefaultStep = 1e-3;            // [s]
constexpr double kMostSteps = 1e7;               // of one request
constexpr double kFinestTolerance = 1e-14;       // below, rounding is larger
constexpr int kRowsPerPiece = 256;
constexpr int kStepsPerPiece = 4096;

absl::Status CheckTime(const std::string& field, double value, bool may_be_zero) {
  if (absl::Status s = wire::CheckFinite(field, value); !s.ok()) return s;
  if (value > 0 || (may_be_zero && value == 0)) return absl::OkStatus();
  return wire::BadField(field, absl::StrCat(value, " s, want ", may_be_zero ? "at least 0" : "above 0"));
}

const char* KindName(SimulationEvent::Kind kind) {
  switch (kind) {
    case SimulationEvent::kStick: return "stuck";
    case SimulationEvent::kSlip: return "slipping";
    case SimulationEvent::kReachLower: return "lower-limit";
    case SimulationEvent::kReachUpper: return "upper-limit";
    case SimulationEvent::kLeaveStop: return "left-limit";
  }
  return "";
}

class Running final : public Simulation {
 public:
  Running(EntryPtr entry, const v1::SimulateRequest& request)
      : entry_(std::move(entry)), request_(request), call_{*entry_, scratch_} {}

  absl::Status Prepare() {
    if (absl::Status s = ReadTimes(); !s.ok()) return s;
    const auto question = ReadQuestion(call_, Needs::kInvertibleMass, false, request_.context(), request_.positions(),
                                       &request_.velocities());
    if (!question.ok()) return question.status();
    if (question->count() != 1)
      return wire::BadField("positions", absl::StrCat(question->count(), " rows, want one: the start"), "WRONG_SIZE");
    const int rows = request_.efforts().values_size() / std::max(1, entry_->nv());
    const auto efforts = ReadEfforts(call_, request_.efforts(), std::max(1, rows), true);
    if (!efforts.ok()) return efforts.status();
    efforts_ = *efforts;
    if (efforts_.count > 1)
      if (absl::Status s = CheckTime("effort_step", request_.effort_step(), false); !s.ok()) return s;
    question_.emplace(*question);
    SimulateOptions options;
    if (absl::Status s = ReadOptions(options); !s.ok()) return s;
    simulator_.emplace(entry_->prepared, question_->asked.conditions, options);
    Eigen::VectorXd v = Eigen::VectorXd::Zero(entry_->nv());
    if (question_->v().data) v = Eigen::Map<const Eigen::VectorXd>(question_->v().data, entry_->nv());
    simulator_->Reset(0, Eigen::Map<const Eigen::VectorXd>(question_->q().data, entry_->nq()), v);
    return absl::OkStatus();
  }

  absl::StatusOr<bool> Next(v1::SimulateResponse* out, const Interrupt* interrupt) override {
    if (!begun_) {
      Inform(call_, question_->asked, request_.context(), 1, out->mutable_info());
      Write(out);
      begun_ = true;
    }
    const long first = simulator_->steps();
    std::vector<SimulationEvent> events;
    while (row_ < rows_ && out->times_size() < kRowsPerPiece && simulator_->steps() - first < kStepsPerPiece) {
      ++row_;
      const double until = row_ == rows_ ? request_.duration() : row_ * output_step_;
      if (absl::Status s = AdvanceTo(until, interrupt, events); !s.ok()) return s;
      Write(out);
    }
    for (const SimulationEvent& event : events) {
      auto* to = out->add_events();
      to->set_time(event.time);
      to->set_joint(EntryName(*entry_, event.entry));
      to->set_kind(KindName(event.kind));
    }
    out->set_energy_drift(simulator_->drift());
    if (!std::isfinite(out->energy_drift()))
      return wire::Error(absl::StatusCode::kInvalidArgument, "SIMULATION_DIVERGED",
                         absl::StrCat("the motion grows beyond all bounds at ", simulator_->time(), " s; choose a smaller step"));
    return row_ < rows_;
  }

 private:
  absl::Status ReadTimes() {
    if (absl::Status s = CheckTime("duration", request_.duration(), false); !s.ok()) return s;
    if (absl::Status s = CheckTime("step", request_.step(), true); !s.ok()) return s;
    if (absl::Status s = CheckTime("output_step", request_.output_step(), true); !s.ok()) return s;
    step_ = request_.step() > 0 ? request_.step() : kDefaultStep;
    output_step_ = request_.output_step() > 0 ? request_.output_step() : step_;
    if (request_.duration() / std::min(step_, output_step_) > kMostSteps)
      return wire::Exhausted("TOO_MANY_STEPS", "steps",
                             absl::StrCat("duration: ", request_.duration(), " s in steps of ",
                                          std::min(step_, output_step_), " s, at most ", kMostSteps, " steps"));
    rows_ = static_cast<long>(std::ceil(request_.duration() / output_step_ - 1e-9));
    return absl::OkStatus();
  }

  absl::Status ReadOptions(SimulateOptions& options) {
    options.step = step_;
    switch (request_.integrator()) {
      case v1::SimulateRequest::INTEGRATOR_UNSPECIFIED:
      case v1::SimulateRequest::INTEGRATOR_RK4: options.integrator = Integrator::kRungeKutta4; break;
      case v1::SimulateRequest::INTEGRATOR_SEMI_IMPLICIT_EULER: options.integrator = Integrator::kSemiImplicitEuler; break;
      case v1::SimulateRequest::INTEGRATOR_ADAPTIVE: options.integrator = Integrator::kDormandPrince; break;
      default: return wire::BadField("integrator", absl::StrCat(static_cast<int>(request_.integrator()), " is unknown"));
    }
    const double tolerance = request_.tolerance();
    if (absl::Status s = wire::CheckFinite("tolerance", tolerance); !s.ok()) return s;
    if (tolerance != 0 && !(tolerance >= kFinestTolerance))
      return wire::BadField("tolerance", absl::StrCat(tolerance, ", want at least ", kFinestTolerance, ", or 0 for 1e-9"));
    options.tolerance = tolerance > 0 ? tolerance : 1e-9;
    if (!request_.enforce_limits()) return absl::OkStatus();
    options.lower = Eigen::VectorXd::Constant(entry_->nq(), -HUGE_VAL);
    options.upper = Eigen::VectorXd::Constant(entry_->nq(), HUGE_VAL);
    for (const Coordinate& c : entry_->model().coordinates) {
      if (PositionCount(c.kind) != 1) continue;
      if (c.limits.lower) options.lower[c.q_index] = *c.limits.lower;
      if (c.limits.upper) options.upper[c.q_index] = *c.limits.upper;
    }
    return absl::OkStatus();
  }

  // Held torques are constant between the multiples of effort_step: the integrator meets each jump at a step's end.
  absl::Status AdvanceTo(double until, const Interrupt* interrupt, std::vector<SimulationEvent>& events) {
    constexpr double kSame = 1e-12;
    absl::Status stopped;
    const Proceed proceed = [&] {
      if (interrupt) stopped = interrupt->Check();
      if (stopped.ok() && static_cast<double>(simulator_->steps()) > kMostSteps)
        stopped = wire::Exhausted("TOO_MANY_STEPS", "steps",
                                  absl::StrCat("the integrator took ", kMostSteps, " steps and is at ", simulator_->time(),
                                               " s; choose a looser tolerance or a shorter duration"));
      return stopped.ok();
    };
    while (until - simulator_->time() > kSame) {
      const double now = simulator_->time();
      int held = 0;
      double end = until;
      if (efforts_.count > 1) {
        held = std::min(efforts_.count - 1, static_cast<int>(std::floor(now / request_.effort_step() + 1e-9)));
        if (held + 1 < efforts_.count) end = std::min(until, (held + 1) * request_.effort_step());
      }
      const int nv = entry_->nv();
      const double* tau = efforts_.data ? efforts_.row(held) : nullptr;
      const DriveTorque torque = [tau, nv](double, const Eigen::VectorXd&, const Eigen::VectorXd&, Eigen::VectorXd& out) {
        if (tau) out = Eigen::Map<const Eigen::VectorXd>(tau, nv);
        else out.setZero();
      };
      switch (simulator_->Advance(end - now, torque, events, proceed)) {
        case SimulationStatus::kRunning: break;
        case SimulationStatus::kStopped: return stopped;
        case SimulationStatus::kSingularInertia: return SingularMass(call_, 0, simulator_->singular_entry());
        case SimulationStatus::kDiverged:
          return wire::Error(absl::StatusCode::kInvalidArgument, "SIMULATION_DIVERGED",
                             absl::StrCat("the motion grows beyond all bounds at ", simulator_->time(),
                                          " s; choose a smaller step"));
      }
    }
    return absl::OkStatus();
  }

  void Write(v1::SimulateResponse* out) {
    out->add_times(simulator_->time());
    Append(simulator_->q().data(), entry_->nq(), out->mutable_positions()->mutable_values());
    Append(simulator_->v().data(), entry_->nv(), out->mutable_velocities()->mutable_values());
    const Energy<double> E = simulator_->energy();
    out->add_energies(E.kinetic + E.potential + E.springs);
  }

  const EntryPtr entry_;
  const v1::SimulateRequest request_;
  Scratch scratch_;
  const Call call_;
  std::optional<Question> question_;
  wire::Rows efforts_;
  std::optional<Simulator> simulator_;
  double step_ = 0, output_step_ = 0;
  long row_ = 0, rows_ = 0;
  bool begun_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Simulation>> Simulation::Start(EntryPtr entry, const v1::SimulateRequest& request) {
  auto simulation = std::make_unique<Running>(std::move(entry), request);
  if (absl::Status s = simulation->Prepare(); !s.ok()) return s;
  return absl::StatusOr<std::unique_ptr<Simulation>>(std::move(simulation));
}

}  // namespace torqued
