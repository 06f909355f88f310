// One set-point per cycle along a path, at a pace that may change: override, pause, stop on the path.
//
// The duration is stretched to a whole number of cycles, so at full pace the last sample falls exactly on the goal; at any pace
// the last sample is exactly the goal. The pace's rate is bounded by what is left of each axis' acceleration and torque.
#pragma once

#include "client/card/motion_source.h"
#include "client/card/pace.h"
#include "client/card/path_table.h"

namespace torqued {

struct PathSourceOptions {
  double override_ramp_s = 0.5;   // from standstill to full pace
  double stop_ramp_s = 0.25;      // from full pace to standstill
  double smoothing_s = 0.05;      // in which the rate of the pace builds up
  double blend_s = 0.25;          // fades out a start offset that is larger than two counts
};

class PathSource : public MotionSource {
 public:
  // Both must outlive the source.
  PathSource(const PathTable& table, const CardConfig& config, const PathSourceOptions& options = {});

  AxisArray Start() const override { return table_.start(); }
  AxisArray Goal() const override { return table_.goal(); }
  double DurationS() const override { return cycles_ * config_.cycle_s; }
  void Begin(const AxisArray& held) override;
  void Next(const PaceRequest& wanted, MotionSample* out) noexcept override;

  std::uint64_t clipped_feed_forward() const { return clipped_; }

 private:
  void BoundRate(const PathPoint& p, double sigma, double* low, double* high) const noexcept;
  void Fill(const PathPoint& p, double sigma, double rate, MotionSample* out) noexcept;
  void Blend(MotionSample* out) noexcept;

  const PathTable& table_;
  const CardConfig& config_;
  PathSourceOptions options_;
  Pace pace_;
  int cycles_ = 0;
  double stretch_ = 1;        // planned seconds per second at full pace
  double s_ = 0;
  int hint_ = 0;
  std::uint64_t samples_ = 0, clipped_ = 0;
  AxisArray offset_{};
  bool blending_ = false, stopping_ = false;
};

// The path's samples at full pace as set-points of a session: what the card will be given if nobody interferes.
// Checks every one as the card will; the status names joint and (as cycle) set-point of the first that it would refuse.
CardStatus NominalSetPoints(const PathTable& table, const CardConfig& config, std::uint32_t session, std::vector<SetPoint>* out);

}  // namespace torqued
