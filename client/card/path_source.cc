#include "client/card/path_source.h"

#include <algorithm>
#include <cmath>

#include "client/card/last_hop.h"

namespace torqued {

PathSource::PathSource(const PathTable& table, const CardConfig& config, const PathSourceOptions& options)
    : table_(table), config_(config), options_(options), pace_(1 / options.override_ramp_s, options.smoothing_s, config.cycle_s) {
  cycles_ = static_cast<int>(std::ceil(table.duration_s() / config.cycle_s - 1e-9));
  stretch_ = cycles_ > 0 ? table.duration_s() / (cycles_ * config.cycle_s) : 1;
  Begin(table.start());
}

void PathSource::Begin(const AxisArray& held) {
  pace_.Limit(1 / options_.override_ramp_s, options_.smoothing_s);
  pace_.Reset(1);
  s_ = 0;
  hint_ = 0;
  samples_ = clipped_ = 0;
  stopping_ = blending_ = false;
  const AxisArray resolution = EncoderResolution(config_);
  for (int i = 0; i < table_.axes(); ++i) {
    offset_[i] = held[i] - table_.start()[i];
    if (std::abs(offset_[i]) > 2 * resolution[i]) blending_ = true;
  }
}

// Rates of the pace that keep |sigma^2 q'' + rate q'| and |tau| within the limits. 2 % are left for what lies between samples.
void PathSource::BoundRate(const PathPoint& p, double sigma, double* low, double* high) const noexcept {
  const auto bound = [&](double base, double slope, double limit) {
    if (std::abs(slope) < 1e-12) return;
    const double to_top = (0.98 * limit - base) / slope, to_bottom = (-0.98 * limit - base) / slope;
    *low = std::max(*low, std::min({to_top, to_bottom, 0.0}));
    *high = std::min(*high, std::max({to_top, to_bottom, 0.0}));
  };
  for (int i = 0; i < table_.axes(); ++i) {
    bound(sigma * sigma * p.ddq[i], p.dq[i], config_.axes[i].acceleration);
    bound(p.a0[i] + sigma * (p.a1[i] + sigma * p.a2[i]), p.ad[i], config_.axes[i].torque);
  }
}

void PathSource::Fill(const PathPoint& p, double sigma, double rate, MotionSample* out) noexcept {
  for (int i = 0; i < table_.axes(); ++i) {
    out->q[i] = p.q[i];
    out->v[i] = sigma * p.dq[i];
    out->a[i] = sigma * sigma * p.ddq[i] + rate * p.dq[i];
    out->tau[i] = p.a0[i] + sigma * (p.a1[i] + sigma * p.a2[i]) + rate * p.ad[i];
    const double limit = config_.axes[i].torque;
    if (rate != 0 || sigma < stretch_) {  // at full pace the plan's torque is refused, not clipped, if it is too large
      clipped_ += std::abs(out->tau[i]) > limit;
      out->tau[i] = std::clamp(out->tau[i], -limit, limit);
    }
  }
}

// The offset from where the robot was held fades by 1 - (10 x^3 - 15 x^4 + 6 x^5).
void PathSource::Blend(MotionSample* out) noexcept {
  const double x = static_cast<double>(samples_) * config_.cycle_s / options_.blend_s, T = options_.blend_s;
  if (x >= 1) {
    blending_ = false;
    return;
  }
  const double left = 1 - x * x * x * (10 + x * (-15 + 6 * x)), slope = -30 * x * x * (1 + x * (-2 + x)) / T,
               bend = -60 * x * (1 + x * (-3 + 2 * x)) / (T * T);
  for (int i = 0; i < table_.axes(); ++i) {
    out->q[i] += offset_[i] * left;
    out->v[i] += offset_[i] * slope;
    out->a[i] += offset_[i] * bend;
  }
}

void PathSource::Next(const PaceRequest& wanted, MotionSample* out) noexcept {
  *out = {};
  PathPoint p;
  table_.At(s_, &hint_, &p);
  if (wanted.stop && !stopping_) {
    stopping_ = true;
    pace_.Limit(1 / options_.stop_ramp_s, options_.smoothing_s);
  }
  const double end = table_.duration_s();
  if (samples_ > 0) {
    double low = -1e9, high = 1e9;
    BoundRate(p, pace_.sigma() * stretch_, &low, &high);
    const double before = pace_.sigma();
    pace_.Step(stopping_ ? 0 : std::clamp(wanted.override_, 0.0, 1.0), low, high);
    const double step = 0.5 * (before + pace_.sigma()) * stretch_ * config_.cycle_s;
    s_ = s_ + step > end - 0.25 * stretch_ * config_.cycle_s ? end : s_ + step;
    table_.At(s_, &hint_, &p);
  }
  out->path_s = s_;
  const bool at_goal = s_ >= end;
  const bool at_rest = stopping_ && pace_.sigma() == 0;
  out->pace = at_goal ? 0 : pace_.sigma();
  Fill(p, out->pace * stretch_, at_goal ? 0 : pace_.rate() * stretch_, out);
  if (blending_) Blend(out);
  out->last = (at_goal || at_rest) && !blending_;
  ++samples_;
}

CardStatus NominalSetPoints(const PathTable& table, const CardConfig& config, std::uint32_t session, std::vector<SetPoint>* out) {
  PathSource source(table, config);
  MotionSample sample;
  AxisArray q = table.start(), v{};
  CardStatus first_error;
  do {
    source.Next({}, &sample);
    SetPoint p;
    p.session = session;
    p.sequence = out->size() + 1;
    p.flags = sample.last ? kLastSetPoint : 0;
    p.q = sample.q;
    p.v = sample.v;
    p.tau = sample.tau;
    if (first_error.ok()) {
      first_error = CheckMotion(p, config, q, v, p.sequence == 1);
      first_error.cycle = first_error.ok() ? 0 : p.sequence;
    }
    q = p.q;
    v = p.v;
    out->push_back(p);
  } while (!sample.last);
  return first_error;
}

}  // namespace torqued
