#include "server/service/sweep/range.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cmath>

#include "proto/wire/errors.h"

namespace torqued::sweep {
namespace {

constexpr double kPi = 3.141592653589793;

struct Bounds {
  std::vector<double> lower, upper;
};

absl::Status NoLimits(const Call& call, const char* what, const std::vector<std::string>& joints) {
  return wire::Precondition("NO_LIMITS", "joint", joints,
                            absl::StrCat("model '", call.entry.id, "' has no ", what, " limits for ",
                                         absl::StrJoin(joints, ", "), ": give the range in the request"));
}

// Position limits; what has none by nature: continuous joints a turn, floating ones the origin, planar ones nothing.
absl::StatusOr<Bounds> PositionLimits(const Call& call, std::vector<int>& rotations) {
  Bounds b;
  b.lower.assign(call.entry.nq(), 0.0);
  b.upper = b.lower;
  std::vector<std::string> without;
  for (const Coordinate& c : call.entry.model().coordinates) {
    const int i = c.q_index;
    if (c.kind == JointKind::kFloating) {
      b.lower[i + 6] = b.upper[i + 6] = 1;
    } else if (c.kind == JointKind::kSpherical) {
      rotations.push_back(i);
    } else if (VelocityCount(c.kind) == 1 && c.limits.lower && c.limits.upper) {
      b.lower[i] = *c.limits.lower;
      b.upper[i] = *c.limits.upper;
    } else if (c.kind == JointKind::kContinuous) {
      b.lower[i] = -kPi;
      b.upper[i] = kPi;
    } else {
      without.push_back(c.name);
    }
  }
  if (!without.empty()) return NoLimits(call, "position", without);
  return b;
}

absl::StatusOr<Bounds> RateLimits(const Call& call, const char* what, std::optional<double> Limits::*limit) {
  Bounds b;
  b.upper.assign(call.entry.nv(), 0.0);
  std::vector<std::string> without;
  for (const Coordinate& c : call.entry.model().coordinates) {
    if (VelocityCount(c.kind) == 1 && c.limits.*limit)
      b.upper[c.v_index] = *(c.limits.*limit);
    else
      without.push_back(c.name);
  }
  if (!without.empty()) return NoLimits(call, what, without);
  for (const double x : b.upper) b.lower.push_back(-x);
  return b;
}

// Both rows or neither; `absent` if neither.
absl::StatusOr<Bounds> ReadBounds(const std::string& field, const char* part, const wire::Columns& columns,
                                  const v1::JointVectors& lower, const v1::JointVectors& upper, bool& absent) {
  absent = lower.values().empty() && upper.values().empty();
  Bounds b;
  if (absent) return b;
  for (const bool is_upper : {false, true}) {
    const std::string name = absl::StrCat(field, is_upper ? ".upper_" : ".lower_", part);
    std::vector<double> buffer;
    const auto rows = wire::ReadRows(name, is_upper ? upper : lower, columns, 1, false, buffer);
    if (!rows.ok()) return rows.status();
    (is_upper ? b.upper : b.lower).assign(rows->data, rows->data + rows->width);
  }
  return b;
}

absl::Status AddEntries(const std::string& field, const char* part_name, Entry::Part part, const Bounds& b,
                        const std::vector<int>& quaternions, Range& range) {
  std::vector<double>& fixed = part == Entry::kPosition ? range.q : part == Entry::kVelocity ? range.v : range.a;
  fixed = b.lower;
  for (int k = 0; k < static_cast<int>(b.lower.size()); ++k) {
    if (std::any_of(quaternions.begin(), quaternions.end(), [&](int first) { return k >= first && k < first + 4; })) continue;
    if (b.lower[k] > b.upper[k] || !std::isfinite(b.upper[k] - b.lower[k]))
      return wire::BadField(absl::StrCat(field, ".upper_", part_name, "[", k, "]"),
                            absl::StrCat(b.upper[k], ", want at least the lower bound ", b.lower[k]), "EMPTY_RANGE");
    if (b.lower[k] < b.upper[k]) range.entries.push_back({part, k, b.lower[k], b.upper[k]});
    const bool moves = b.lower[k] != 0 || b.upper[k] != 0;
    if (part == Entry::kVelocity) range.has_velocity |= moves;
    if (part == Entry::kAcceleration) range.has_acceleration |= moves;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Range> ReadRange(const Call& call, const std::string& field, const v1::SweepRange& from) {
  const ModelEntry& entry = call.entry;
  Range range;
  bool absent = false;
  auto q = ReadBounds(field, "positions", entry.positions, from.lower_positions(), from.upper_positions(), absent);
  if (!q.ok()) return q.status();
  if (absent) {
    q = PositionLimits(call, range.rotations);
    if (!q.ok()) return q.status();
  } else {
    for (const int k : entry.positions.quaternions)
      if (!std::equal(&q->lower[k], &q->lower[k] + 4, &q->upper[k])) range.rotations.push_back(k);
  }
  if (absl::Status s = AddEntries(field, "positions", Entry::kPosition, *q, entry.positions.quaternions, range); !s.ok())
    return s;

  struct Rates {
    const char* name;
    const char* limit_name;
    Entry::Part part;
    const v1::JointVectors &lower, &upper;
    bool limits;
    std::optional<double> Limits::*limit;
  };
  const Rates all[] = {{"velocities", "velocity", Entry::kVelocity, from.lower_velocities(), from.upper_velocities(),
                        from.velocity_limits(), &Limits::velocity},
                       {"accelerations", "acceleration", Entry::kAcceleration, from.lower_accelerations(),
                        from.upper_accelerations(), from.acceleration_limits(), &Limits::acceleration}};
  for (const Rates& r : all) {
    auto b = ReadBounds(field, r.name, entry.rates, r.lower, r.upper, absent);
    if (b.ok() && absent && r.limits) b = RateLimits(call, r.limit_name, r.limit);
    if (!b.ok()) return b.status();
    if (b->lower.empty()) {
      b->lower.assign(entry.nv(), 0.0);
      b->upper = b->lower;
    }
    if (absl::Status s = AddEntries(field, r.name, r.part, *b, {}, range); !s.ok()) return s;
  }
  return range;
}

}  // namespace torqued::sweep
