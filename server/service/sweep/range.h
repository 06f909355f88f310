// Between which bounds do states lie? v1::SweepRange read against a model's limits.
#pragma once

#include "server/service/sweep/sampler.h"

namespace torqued::sweep {

// One entry of the state that moves.
struct Entry {
  enum Part { kPosition, kVelocity, kAcceleration };
  Part part = kPosition;
  int column = 0;
  double lower = 0, upper = 0;

  // Where this entry of row 0 stands, and how far apart rows are.
  double* First(StateBlock& block) const {
    return (part == kPosition ? block.q : part == kVelocity ? block.v : block.a).data() + column;
  }
  int Stride(int nq, int nv) const { return part == kPosition ? nq : nv; }
};

struct Range {
  std::vector<double> q, v, a;      // one state: what does not move
  std::vector<Entry> entries;       // lower < upper
  std::vector<int> rotations;       // first columns of quaternions that may be any rotation
  bool has_velocity = false, has_acceleration = false;  // some v, a are not zero
};

absl::StatusOr<Range> ReadRange(const Call& call, const std::string& field, const v1::SweepRange& range);

}  // namespace torqued::sweep
