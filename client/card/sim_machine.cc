#include "client/card/sim_machine.h"

#include <cmath>

#include "client/card/ring.h"

namespace torqued {

SimMachine::SimMachine(const Prepared& model, const CardConfig& config, const SegmentView& segment)
    : config_(config), map_(config.actuator_matrix, config.axis_count()), segment_(segment), plant_(model, config), firmware_(config_, segment_) {
  Place({});
}

void SimMachine::Place(const AxisArray& q) {
  plant_.Place(q);
  first_ = true;
  const AxisArray motors = Motors();
  for (int i = 0; i < config_.axis_count(); ++i) {
    const AxisConfig& a = config_.axes[i];
    const bool incremental = a.homing.method == HomingMethod::kSwitch;
    power_up_counts_[i] = incremental ? std::llround(motors[i] * a.CountsPerUnit()) : 0;
  }
}

AxisArray SimMachine::Motors() const noexcept {
  AxisArray from_zero{};
  for (int i = 0; i < config_.axis_count(); ++i) from_zero[i] = plant_.q()[i] - config_.axes[i].zero;
  return map_.Motors(from_zero);
}

bool SimMachine::Active(SimFaultKind kind, int axis, double* value) const {
  const std::uint64_t now = firmware_.cycle() + 1;
  for (const SimFault& f : faults_) {
    if (f.kind != kind || f.axis != axis || now < f.at_cycle || (f.cycles > 0 && now >= f.at_cycle + f.cycles)) continue;
    if (value) *value = f.value;
    return true;
  }
  return false;
}

void SimMachine::HurtQueue() noexcept {
  RingIndex& ring = segment_.header->setpoints;
  for (const SimFault& f : faults_) {
    if (f.at_cycle != firmware_.cycle() + 1 || RingCount(ring) == 0) continue;
    SetPoint& next = segment_.setpoints[ring.tail.load() & (segment_.setpoint_capacity - 1)];
    SetPoint lost;
    if (f.kind == SimFaultKind::kDropSetPoint) RingPop(ring, segment_.setpoints, segment_.setpoint_capacity, &lost);
    if (f.kind == SimFaultKind::kRepeatSetPoint) --next.sequence;
    if (f.kind == SimFaultKind::kCorruptSetPoint) next.q[f.axis] = f.value;
  }
}

void SimMachine::ReadEncoders(DriveInput& in) noexcept {
  AxisArray motors = Motors();
  for (int i = 0; i < config_.axis_count(); ++i) {
    const double scale = config_.axes[i].CountsPerUnit();
    if (!Active(SimFaultKind::kEncoderFreeze, i) || first_) counts_[i] = std::llround(motors[i] * scale) - power_up_counts_[i];
    motors[i] = static_cast<double>(counts_[i]) / scale;
  }
  const AxisArray from_zero = map_.Joints(motors);
  for (int i = 0; i < config_.axis_count(); ++i) {
    const AxisConfig& a = config_.axes[i];
    double lie = 0;
    Active(SimFaultKind::kEncoderJump, i, &lie);
    in.q[i] = a.zero + from_zero[i] + lie;
    in.v[i] = first_ ? 0 : (in.q[i] - q_before_[i]) / config_.cycle_s;
    q_before_[i] = in.q[i];
    in.tau[i] = plant_.tau()[i];
    const bool towards_positive = a.homing.search_speed > 0;
    const double beyond = plant_.q()[i] - a.homing.switch_position;
    if (a.homing.method == HomingMethod::kSwitch && (towards_positive ? beyond >= 0 : beyond <= 0)) in.home_switch |= 1u << i;
    double value = 0;
    if (Active(SimFaultKind::kDriveFault, i, &value)) {
      in.fault |= 1u << i;
      in.fault_code = static_cast<std::int64_t>(value);
    }
    if (Active(SimFaultKind::kLimitSwitch, i, &value)) (value > 0 ? in.limit_high : in.limit_low) |= 1u << i;
  }
  in.emergency_stop = Active(SimFaultKind::kEmergencyStop, 0);
  first_ = false;
}

bool SimMachine::Cycle(std::int64_t now_ns, std::int64_t lateness_ns) noexcept {
  if (Active(SimFaultKind::kDie, 0)) return false;
  for (const SimFault& f : faults_) {
    if (f.kind != SimFaultKind::kDelay || f.at_cycle != firmware_.cycle() + 1) continue;
    if (stalled_ < f.cycles) return ++stalled_, true;
    lateness_ns += static_cast<std::int64_t>(stalled_) * segment_.header->cycle_ns;
    stalled_ = 0;
  }
  HurtQueue();
  DriveInput in;
  ReadEncoders(in);
  const bool mute = Active(SimFaultKind::kDropFeedback, 0);
  const std::uint64_t room = segment_.feedback_capacity;
  if (mute) segment_.feedback_capacity = 0;
  firmware_.Cycle(in, now_ns, lateness_ns, out_);
  segment_.feedback_capacity = room;
  AxisArray tau = out_.tau;
  for (int i = 0; i < config_.axis_count(); ++i)
    if (Active(SimFaultKind::kTorqueLoss, i)) tau[i] = 0;
  plant_.Step(tau, out_.power ? 0u : ~0u);
  return true;
}

}  // namespace torqued
