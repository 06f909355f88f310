// How does the robot move under given drive torques? Steps with events, for a server that streams or a plant in a loop.
//
// Between events the cases of friction and stops (stick_slip.h) are fixed and the motion is smooth. A step ends early
// where a sliding joint comes to rest or a joint reaches its stop: the instant is bracketed by bisection on the step's
// length (each trial is one whole step from the same start), the state there is made exact (rate zero, position at the
// stop, rates after the blow), the cases are resolved anew, and the step goes on.
// Energy account: drift = (kinetic + potential + springs) - start - work by the drives + heat; it measures the
// integrator (and the torque callback's jumps), not the physics.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "server/core/dynamics/energy.h"
#include "server/core/dynamics/integrators.h"
#include "server/core/dynamics/stick_slip.h"

namespace torqued {

struct SimulateOptions {
  Integrator integrator = Integrator::kRungeKutta4;
  double step = 1e-3;             // [s]; adaptive: the largest step
  double smallest_step = 1e-9;    // [s], adaptive
  double tolerance = 1e-8;        // adaptive: local error, absolute and relative
  Eigen::VectorXd lower, upper;   // [nq]; empty or infinite: no stop
  double restitution = 0;         // of a stop, 0 (dead) to 1
  double rest_speed = 1e-3;       // [rad/s, m/s]: a rebound slower than this is rest
};

struct SimulationEvent {
  enum Kind { kStick, kSlip, kReachLower, kReachUpper, kLeaveStop };
  double time = 0;
  int entry = 0;      // of v
  Kind kind = kStick;
  double speed = 0;   // at which a stop was hit
};

enum class SimulationStatus { kRunning, kSingularInertia, kDiverged, kStopped };

// Torques at (t, q, v): writes tau [nv]. Called at the integrator's stages; a sampled controller holds its own output.
using DriveTorque = std::function<void(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::VectorXd& tau)>;

// Asked before every step; false ends Advance with kStopped, at the state reached.
using Proceed = std::function<bool()>;

class Simulator {
 public:
  Simulator(const Prepared& m, const Conditions& c, SimulateOptions options)
      : m_(m), c_(c), o_(std::move(options)), cases_(m, c), stepper_(m), ws_(m), tau_(m.nv), friction_(m.nv), a_(m.nv),
        released_(m.nv), was_stopped_(m.nv), position_(m.nv, -1), h_(o_.step) {
    ForEachGroup(m, [&](int v, int p, int width) {
      if (width == 1) position_[v] = p;
    });
  }

  // REQUIRES: finite; quaternions of unit length.
  void Reset(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    t_ = t;
    state_.q = q;
    state_.v = v;
    state_.work = state_.heat = 0;
    trial_ = state_;
    h_ = o_.step;
    status_ = SimulationStatus::kRunning;
    std::fill(cases_.stop.begin(), cases_.stop.end(), Stop::kNone);
    cases_.ReadRates(v.data());
    fresh_ = true;
    start_energy_ = Total();
  }

  // Advances by exactly `dt` (in as many steps as the integrator needs), appending what happened to `events`.
  SimulationStatus Advance(double dt, const DriveTorque& torque, std::vector<SimulationEvent>& events,
                           const Proceed& proceed = nullptr) {
    const double end = t_ + dt;
    while (status_ == SimulationStatus::kRunning && end - t_ > 1e-12 * std::max(1.0, std::abs(end))) {
      if (proceed && !proceed()) return SimulationStatus::kStopped;
      OneStep(std::min(h_, end - t_), torque, events);
    }
    if (status_ == SimulationStatus::kRunning) t_ = end;
    return status_;
  }

  double time() const { return t_; }
  const Eigen::VectorXd& q() const { return state_.q; }
  const Eigen::VectorXd& v() const { return state_.v; }
  const Eigen::VectorXd& a() const { return a_; }         // at the start of the last step
  double work() const { return state_.work; }
  double heat() const { return state_.heat; }
  Energy<double> energy() { return MechanicalEnergy(m_, c_, state_.q.data(), state_.v.data(), ws_); }
  double drift() { return Total() - start_energy_ - state_.work + state_.heat; }  // [J]
  int singular_entry() const { return singular_; }
  long steps() const { return steps_; }

 private:
  // Where rounding lets a joint neither rest nor slide, time must go on all the same: after so many steps of no length
  // one step is taken without looking for events.
  static constexpr int kMaxIdleSteps = 20;

  double Total() {
    const Energy<double> E = energy();
    return E.kinetic + E.potential + E.springs;
  }
  double Lower(int i) const { return position_[i] < 0 || o_.lower.size() == 0 ? -HUGE_VAL : o_.lower[position_[i]]; }
  double Upper(int i) const { return position_[i] < 0 || o_.upper.size() == 0 ? HUGE_VAL : o_.upper[position_[i]]; }

  // Makes cases consistent with the state: joints at a stop and moving outward hit it; resting ones are resolved.
  bool Settle(const DriveTorque& torque, std::vector<SimulationEvent>& events) {
    for (int i = 0; i < m_.nv; ++i) {
      if (position_[i] < 0 || cases_.stop[i] != Stop::kNone) continue;
      const double x = state_.q[position_[i]], v = state_.v[i];
      const bool high = x >= Upper(i) && v >= 0, low = x <= Lower(i) && v <= 0;
      if (!high && !low) continue;
      if (v != 0) {
        events.push_back({t_, i, high ? SimulationEvent::kReachUpper : SimulationEvent::kReachLower, std::abs(v)});
        if (!Hit(i)) return false;
      }
      if (state_.v[i] == 0) cases_.stop[i] = high ? Stop::kUpper : Stop::kLower;
    }
    for (int i = 0; i < m_.nv; ++i)
      if (cases_.CanStick(i) && state_.v[i] == 0) cases_.slip[i] = Slip::kStuck;
    for (int i = 0; i < m_.nv; ++i) was_stopped_[i] = cases_.stop[i] != Stop::kNone;
    torque(t_, state_.q, state_.v, tau_);
    const SolveStatus status = cases_.Resolve(state_.q.data(), state_.v.data(), tau_.data(), released_, a_.data());
    if (!status.ok()) return Singular(status.singular);
    for (int i = 0; i < m_.nv; ++i)
      if (released_[i] && !fresh_) events.push_back({t_, i, was_stopped_[i] ? SimulationEvent::kLeaveStop : SimulationEvent::kSlip, 0});
    return true;
  }

  bool Hit(int i) {
    const double before = energy().kinetic;
    const double bounce = o_.restitution * std::abs(state_.v[i]) > o_.rest_speed ? o_.restitution : 0;
    if (!cases_.Impact(state_.q.data(), i, bounce, state_.v.data()).ok()) return Singular(i);
    if (bounce == 0) state_.v[i] = 0;
    state_.heat += before - energy().kinetic;
    cases_.ReadRates(state_.v.data());
    return true;
  }

  void OneStep(double h, const DriveTorque& torque, std::vector<SimulationEvent>& events) {
    if (!Settle(torque, events)) return;
    fresh_ = false;
    const auto rate = [&](double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, MotionRate& out) {
      if (!q.allFinite() || !v.allFinite()) return Diverged();
      torque(t, q, v, tau_);
      if (const SolveStatus s = cases_.Accelerate(q.data(), v.data(), tau_.data(), out.a.data()); !s.ok())
        return Singular(s.singular);
      cases_.Resist(v.data(), friction_.data());
      out.power = tau_.dot(v);
      out.friction_power = friction_.dot(v);
      return true;
    };
    const auto attempt = [&](double length) {
      const bool ok = stepper_.Step(o_.integrator, t_, length, state_, o_.tolerance, rate, trial_);
      // Held entries do not move by rounding either.
      for (int i = 0; i < m_.nv; ++i)
        if (cases_.Held(i)) trial_.v[i] = 0;
      return ok;
    };

    const bool whole = h >= h_;  // not cut short by the end of Advance
    for (;;) {
      if (!attempt(h)) return;
      if (o_.integrator != Integrator::kDormandPrince) break;
      const double e = stepper_.error();
      const double factor = std::clamp(0.9 * std::pow(std::max(e, 1e-10), -0.2), 0.2, 5.0);
      if (e <= 1 || h <= o_.smallest_step) {
        if (whole || factor < 1) h_ = std::clamp(h * factor, o_.smallest_step, o_.step);
        break;
      }
      if (!std::isfinite(e)) h *= 0.2;
      else h *= factor;
      h = std::max(h, o_.smallest_step);
    }
    if (!trial_.q.allFinite() || !trial_.v.allFinite()) {
      Diverged();
      return;
    }
    ++steps_;
    if (!Violated()) {
      Accept(h);
      return;
    }
    // The first instant at which something happens lies within (low, high].
    double low = 0, high = h;
    for (int k = 0; k < 50 && high - low > 1e-13 * std::max(1.0, std::abs(t_)); ++k) {
      const double middle = 0.5 * (low + high);
      if (!attempt(middle)) return;
      (Violated() ? high : low) = middle;
    }
    if (!attempt(high)) return;
    Accept(high);
    MakeExact(events);
  }

  // Has a sliding joint turned back, or a joint passed its stop, in the trial state?
  bool Violated() const {
    for (int i = 0; i < m_.nv; ++i)
      if (TurnedBack(i) || Passed(i) != Stop::kNone) return true;
    return false;
  }
  bool TurnedBack(int i) const {
    if (idle_steps_ > kMaxIdleSteps) return false;
    return (cases_.slip[i] == Slip::kPositive && trial_.v[i] < 0) || (cases_.slip[i] == Slip::kNegative && trial_.v[i] > 0);
  }
  Stop Passed(int i) const {
    if (position_[i] < 0 || cases_.stop[i] != Stop::kNone || idle_steps_ > kMaxIdleSteps) return Stop::kNone;
    const double x = trial_.q[position_[i]], from = state_.q[position_[i]];
    if (x > Upper(i) && x > from) return Stop::kUpper;
    if (x < Lower(i) && x < from) return Stop::kLower;
    return Stop::kNone;
  }

  void Accept(double h) {
    pending_.clear();
    for (int i = 0; i < m_.nv; ++i)
      if (TurnedBack(i)) pending_.push_back({0, i, SimulationEvent::kStick, 0});
      else if (const Stop s = Passed(i); s != Stop::kNone)
        pending_.push_back({0, i, s == Stop::kUpper ? SimulationEvent::kReachUpper : SimulationEvent::kReachLower, 0});
    std::swap(state_, trial_);
    t_ += h;
    idle_steps_ = h > 1e-11 * std::max(1.0, std::abs(t_)) ? 0 : idle_steps_ + 1;
  }

  void MakeExact(std::vector<SimulationEvent>& events) {
    for (const SimulationEvent& e : pending_) {
      const int i = e.entry;
      if (e.kind == SimulationEvent::kStick) {
        state_.v[i] = 0;
        cases_.slip[i] = Slip::kStuck;
        events.push_back({t_, i, SimulationEvent::kStick, 0});
      } else {
        state_.q[position_[i]] = e.kind == SimulationEvent::kReachUpper ? Upper(i) : Lower(i);
      }
    }
  }

  bool Diverged() {
    status_ = SimulationStatus::kDiverged;
    return false;
  }
  bool Singular(int entry) {
    status_ = SimulationStatus::kSingularInertia;
    singular_ = entry;
    return false;
  }

  const Prepared& m_;
  Conditions c_;
  SimulateOptions o_;
  StickSlip cases_;
  Stepper stepper_;
  Workspace<double> ws_;
  MotionState state_, trial_;
  Eigen::VectorXd tau_, friction_, a_;
  std::vector<char> released_, was_stopped_;
  std::vector<int> position_;  // q entry of a one-degree v entry, else -1
  std::vector<SimulationEvent> pending_;
  double t_ = 0, h_, start_energy_ = 0;
  SimulationStatus status_ = SimulationStatus::kRunning;
  int singular_ = -1;
  long steps_ = 0;
  int idle_steps_ = 0;
  bool fresh_ = true;
};

}  // namespace torqued
