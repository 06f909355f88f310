// Computed torque from somewhere else: asks a source each cycle, uses what came in time, falls back, stops on the path.
//
//   tau = ID(q_r, v_r, a_r + kp (q_c - q) + kd (v_c - v))      r: reference of the set-point asked for
// q, v: newest measured, against the command q_c, v_c of that same cycle: the reference lies a few cycles ahead of it.
//
// The source has one card cycle to answer (Bridge asks for a set-point one tick before it is due). Without an answer the last
// torque is used again; after `patience` misses in a row the motion stops on the path, with the plan's own torque where it has one.
//
// Source: a type with
//   bool Ask(uint64 sequence, const AxisArray& q, const AxisArray& v, const AxisArray& a) noexcept   false: could not be sent
//   bool Answer(uint64 sequence, AxisArray* tau) noexcept                                            false: not here yet
// both wait-free. Answers to earlier questions are the source's to drop.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "client/card/bridge.h"

namespace torqued {

struct ComputedTorqueOptions {
  double kp = 0, kd = 0;       // correction of the asked acceleration [1/s^2], [1/s]
  int patience = 10;           // misses in a row
};

struct ComputedTorqueStatistics {
  std::uint64_t asked = 0, in_time = 0, missed = 0;
  int worst_run = 0;           // misses in a row
  double InTimeShare() const { return asked > 0 ? static_cast<double>(in_time) / static_cast<double>(asked) : 1; }
};

template <class Source>
class ComputedTorque : public TorqueOverlay {
 public:
  ComputedTorque(Source* source, int axes, const ComputedTorqueOptions& options) : source_(source), axes_(axes), options_(options) {}

  void Ask(std::uint64_t sequence, const MotionSample& sample, const Feedback& measured) noexcept override {
    AxisArray a = sample.a;
    for (int i = 0; i < axes_; ++i) a[i] += options_.kp * (measured.q_command[i] - measured.q[i]) + options_.kd * (measured.v_command[i] - measured.v[i]);
    asked_ = source_->Ask(sequence, sample.q, sample.v, a) ? sequence : 0;
  }

  bool Take(std::uint64_t sequence, bool streaming, MotionSample* sample) noexcept override {
    if (!streaming) {  // pre-fill: the plan's torque
      last_ = sample->tau;
      return true;
    }
    ++statistics_.asked;
    AxisArray tau{};
    bool here = asked_ == sequence && source_->Answer(sequence, &tau);
    for (int i = 0; here && i < axes_; ++i) here = std::isfinite(tau[i]);
    if (here) {
      ++statistics_.in_time;
      misses_ = 0;
      last_ = tau;
      sample->tau = tau;
      return true;
    }
    ++statistics_.missed;
    statistics_.worst_run = std::max(statistics_.worst_run, ++misses_);
    if (misses_ > options_.patience) return false;  // the plan's torque stays in the sample
    sample->tau = last_;
    return true;
  }

  int consecutive_misses() const noexcept override { return misses_; }
  const ComputedTorqueStatistics& statistics() const { return statistics_; }

 private:
  Source* source_;
  int axes_;
  ComputedTorqueOptions options_;
  std::uint64_t asked_ = 0;
  int misses_ = 0;
  AxisArray last_{};
  ComputedTorqueStatistics statistics_;
};

}  // namespace torqued
