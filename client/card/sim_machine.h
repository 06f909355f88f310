// The simulated card's side: firmware, drives with encoders, the robot, and faults on cue.
#pragma once

#include <cstdint>
#include <vector>

#include "client/card/actuator_map.h"
#include "client/card/firmware.h"
#include "client/card/plant.h"

namespace torqued {

enum class SimFaultKind {
  kDropSetPoint,     // one set-point is lost on the way
  kRepeatSetPoint,   // one set-point claims its predecessor's number
  kCorruptSetPoint,  // q[axis] of one set-point becomes `value`
  kDropFeedback,     // records are lost for `cycles`
  kDelay,            // the card makes no cycle for `cycles` while time goes on
  kEncoderJump,      // the measured position lies by `value` [rad] or [m]
  kEncoderFreeze,    // the measured position stands still
  kTorqueLoss,       // the motor gives no torque
  kDriveFault,       // the drive reports fault `value`
  kLimitSwitch,      // value > 0: the upper one, else the lower one
  kEmergencyStop,    // the safety chain is open
  kDie,              // no further cycle, ever
};

// Happens in the card's cycle `at_cycle` (the first is 1), lasts `cycles` (0: for ever) where it lasts.
struct SimFault {
  SimFaultKind kind = SimFaultKind::kDropSetPoint;
  std::uint64_t at_cycle = 0;
  int axis = 0;
  double value = 0;
  std::uint64_t cycles = 0;
};

class SimMachine {
 public:
  // Sizes as Plant and Firmware require. The segment's memory must outlive the machine. Encoders count motors. Those of axes with a
  // home switch power up with an unknown offset (their counts start at zero wherever they stand).
  SimMachine(const Prepared& model, const CardConfig& config, const SegmentView& segment);

  // The robot stands at q [rad] or [m]; before the first cycle.
  void Place(const AxisArray& q);
  // Before the cycle that the fault names.
  void Schedule(const SimFault& fault) { faults_.push_back(fault); }

  // One cycle at the given time. Does not allocate. False: dead.
  bool Cycle(std::int64_t now_ns, std::int64_t lateness_ns) noexcept;

  const Plant& plant() const { return plant_; }
  const Firmware& firmware() const { return firmware_; }
  const DriveOutput& drive() const { return out_; }

 private:
  bool Active(SimFaultKind kind, int axis, double* value = nullptr) const;
  AxisArray Motors() const noexcept;  // coordinates of the motors now
  void HurtQueue() noexcept;
  void ReadEncoders(DriveInput& in) noexcept;

  CardConfig config_;
  ActuatorMap map_;
  SegmentView segment_;
  Plant plant_;
  Firmware firmware_;
  std::vector<SimFault> faults_;
  std::uint64_t stalled_ = 0;
  DriveOutput out_;
  std::array<std::int64_t, kMaxAxes> power_up_counts_{}, counts_{};
  AxisArray q_before_{};
  bool first_ = true;
};

}  // namespace torqued
