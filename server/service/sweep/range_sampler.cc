// Boxes, grids and clouds: each entry of the state has its own value, apart from the others.
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>

#include "proto/wire/errors.h"
#include "server/service/sweep/random.h"
#include "server/service/sweep/range.h"

namespace torqued::sweep {
namespace {

// What the three have in common: a state that holds what does not move, entries that do.
class RangeSampler : public Sampler {
 public:
  RangeSampler(const ModelEntry& entry, Range range) : nq_(entry.nq()), nv_(entry.nv()), range_(std::move(range)) {
    has_velocity_ = range_.has_velocity;
    has_acceleration_ = range_.has_acceleration;
  }

  int parameters() const override { return static_cast<int>(range_.entries.size()); }

  void Parameters(std::int64_t sample, double* x) const override {
    StateBlock one;
    one.Resize(1, nq_, nv_);
    Fill(sample, 1, 1, one);
    for (size_t k = 0; k < range_.entries.size(); ++k) {
      const Entry& e = range_.entries[k];
      const std::vector<double>& from = e.part == Entry::kPosition ? one.q : e.part == Entry::kVelocity ? one.v : one.a;
      x[k] = std::clamp((from[e.column] - e.lower) / (e.upper - e.lower), 0.0, 1.0);
    }
  }

  void At(std::int64_t sample, const double* x, int rows, StateBlock& out) const override {
    for (int r = 0; r < rows; ++r) CopyFixed(r, out);
    Rotate(sample, 0, rows, out);
    const size_t n = range_.entries.size();
    for (size_t k = 0; k < n; ++k) {
      const Entry& e = range_.entries[k];
      Write(e, rows, out, [&](int r) { return Between(e, x[r * n + k]); });
    }
  }

 protected:
  static double Between(const Entry& e, double share) { return std::min(e.lower + (e.upper - e.lower) * share, e.upper); }

  // Entry by entry, since the rows of one are independent work.
  template <class Value>
  void Write(const Entry& e, int rows, StateBlock& out, const Value& value) const {
    double* to = e.First(out);
    const int stride = e.Stride(nq_, nv_);
    for (int r = 0; r < rows; ++r) to[static_cast<size_t>(r) * stride] = value(r);
  }

  void CopyFixed(int row, StateBlock& out) const {
    std::copy(range_.q.begin(), range_.q.end(), &out.q[static_cast<size_t>(row) * nq_]);
    if (has_velocity_) std::copy(range_.v.begin(), range_.v.end(), &out.v[static_cast<size_t>(row) * nv_]);
    if (has_acceleration_) std::copy(range_.a.begin(), range_.a.end(), &out.a[static_cast<size_t>(row) * nv_]);
  }

  // Draws the rotations of samples first, first + stride, ...
  virtual void Rotate(std::int64_t, std::int64_t, int, StateBlock&) const {}

  const int nq_, nv_;
  const Range range_;
};

class BoxSampler final : public RangeSampler {
 public:
  BoxSampler(const ModelEntry& entry, Range range, std::int64_t count, std::uint64_t seed)
      : RangeSampler(entry, std::move(range)), random_(seed), stride_(range_.entries.size() + 3 * range_.rotations.size()) {
    count_ = count;
  }

  void Fill(std::int64_t first, std::int64_t stride, int rows, StateBlock& out) const override {
    for (int r = 0; r < rows; ++r) CopyFixed(r, out);
    for (size_t k = 0; k < range_.entries.size(); ++k) {
      const Entry e = range_.entries[k];
      const std::uint64_t at = Number(first) + k, step = Number(stride);
      Write(e, rows, out, [&](int r) { return Between(e, random_.Uniform(at + static_cast<std::uint64_t>(r) * step)); });
    }
    Rotate(first, stride, rows, out);
  }

 private:
  std::uint64_t Number(std::int64_t sample) const { return static_cast<std::uint64_t>(sample) * stride_; }

  // Equally distributed rotations (Shoemake 1992).
  void Rotate(std::int64_t first, std::int64_t stride, int rows, StateBlock& out) const override {
    constexpr double kTwoPi = 6.283185307179586;
    for (size_t k = 0; k < range_.rotations.size(); ++k)
      for (int r = 0; r < rows; ++r) {
        const std::uint64_t i = Number(first + r * stride) + range_.entries.size() + 3 * k;
        const double u = random_.Uniform(i), a = kTwoPi * random_.Uniform(i + 1), b = kTwoPi * random_.Uniform(i + 2);
        double* q = &out.q[static_cast<size_t>(r) * nq_ + range_.rotations[k]];
        q[0] = std::sqrt(1 - u) * std::sin(a);
        q[1] = std::sqrt(1 - u) * std::cos(a);
        q[2] = std::sqrt(u) * std::sin(b);
        q[3] = std::sqrt(u) * std::cos(b);
      }
  }

  const CounterRandom random_;
  const std::uint64_t stride_;  // random numbers per sample
};

class GridSampler final : public RangeSampler {
 public:
  GridSampler(const ModelEntry& entry, Range range, std::vector<int> points, std::int64_t count)
      : RangeSampler(entry, std::move(range)), points_(std::move(points)) {
    count_ = count;
  }

  void Fill(std::int64_t first, std::int64_t stride, int rows, StateBlock& out) const override {
    for (int r = 0; r < rows; ++r) {
      CopyFixed(r, out);
      std::int64_t rest = first + r * stride;
      for (size_t k = points_.size(); k-- > 0;) {
        const int n = points_[k];
        const double share = n == 1 ? 0.5 : static_cast<double>(rest % n) / (n - 1);
        const Entry& e = range_.entries[k];
        e.First(out)[static_cast<size_t>(r) * e.Stride(nq_, nv_)] = Between(e, share);
        rest /= n;
      }
    }
  }

 private:
  const std::vector<int> points_;  // per entry
};

// Entries' lower is the mean, upper the mean plus one deviation.
class CloudSampler final : public RangeSampler {
 public:
  CloudSampler(const ModelEntry& entry, Range range, std::int64_t count, std::uint64_t seed)
      : RangeSampler(entry, std::move(range)), random_(seed) {
    count_ = count;
  }

  // The further, the rarer: no bound at which a search would end.
  int parameters() const override { return 0; }

  void Fill(std::int64_t first, std::int64_t stride, int rows, StateBlock& out) const override {
    for (int r = 0; r < rows; ++r) CopyFixed(r, out);
    const size_t n = range_.entries.size();
    for (size_t k = 0; k < n; ++k) {
      const Entry e = range_.entries[k];
      Write(e, rows, out, [&](int r) {
        return e.lower + (e.upper - e.lower) * random_.Normal(static_cast<std::uint64_t>(first + r * stride) * n + k);
      });
    }
  }

 private:
  const CounterRandom random_;
};

// The entry of q that moves with entry v_index of v; -1: a rotation.
int PositionOf(const ModelEntry& entry, int v_index) {
  for (const Coordinate& c : entry.model().coordinates) {
    const int k = v_index - c.v_index;
    if (k < 0 || k >= VelocityCount(c.kind)) continue;
    if (c.kind == JointKind::kSpherical || (c.kind == JointKind::kFloating && k >= 3)) return -1;
    return c.q_index + k;
  }
  return -1;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Sampler>> MakeBoxSampler(const Call& call, const v1::SweepBox& box) {
  if (absl::Status s = CheckSampleCount("box.samples", box.samples(), 1); !s.ok()) return s;
  auto range = ReadRange(call, "box.range", box.range());
  if (!range.ok()) return range.status();
  return std::make_unique<BoxSampler>(call.entry, *std::move(range), box.samples(), box.seed());
}

absl::StatusOr<std::unique_ptr<Sampler>> MakeGridSampler(const Call& call, const v1::SweepGrid& grid) {
  auto range = ReadRange(call, "grid.range", grid.range());
  if (!range.ok()) return range.status();
  if (!range->rotations.empty())
    return wire::BadField("grid.range", "a grid has no rotations: give quaternions that are equal at both ends",
                          "NOT_A_RANGE");
  const int nq = call.entry.nq(), nv = call.entry.nv(), given = grid.points_size();
  if (given != 1 && given != nq && given != nq + nv && given != nq + 2 * nv)
    return wire::BadField("grid.points",
                          absl::StrCat(given, " values, want 1, ", nq, ", ", nq + nv, " or ", nq + 2 * nv), "WRONG_SIZE");
  for (int k = 0; k < given; ++k)
    if (grid.points(k) < 1) return wire::BadField(absl::StrCat("grid.points[", k, "]"), absl::StrCat(grid.points(k), ", want at least 1"));
  std::vector<int> points;
  std::int64_t count = 1;
  for (const Entry& e : range->entries) {
    const int at = e.column + (e.part == Entry::kPosition ? 0 : e.part == Entry::kVelocity ? nq : nq + nv);
    points.push_back(given == 1 ? grid.points(0) : at < given ? grid.points(at) : 1);
    count *= points.back();  // below 10^9 * 2^31
    if (count > kMostSweepSamples)
      return wire::BadField("grid.points", absl::StrCat("more than ", kMostSweepSamples, " states"), "TOO_MANY_SAMPLES");
  }
  return std::make_unique<GridSampler>(call.entry, *std::move(range), std::move(points), count);
}

absl::StatusOr<std::unique_ptr<Sampler>> MakeCloudSampler(const Call& call, const v1::SweepCloud& cloud) {
  if (absl::Status s = CheckSampleCount("cloud.samples", cloud.samples(), 1); !s.ok()) return s;
  const ModelEntry& entry = call.entry;
  const int nv = entry.nv();
  Range range;
  struct Part {
    Entry::Part part;
    const char* name;
    const wire::Columns& columns;
    const v1::JointVectors& mean;
    const google::protobuf::RepeatedField<double>& deviation;
    std::vector<double>& fixed;
    bool* moves;
  };
  const Part parts[] = {
      {Entry::kPosition, "positions", entry.positions, cloud.mean_positions(), cloud.deviation_positions(), range.q, nullptr},
      {Entry::kVelocity, "velocities", entry.rates, cloud.mean_velocities(), cloud.deviation_velocities(), range.v,
       &range.has_velocity},
      {Entry::kAcceleration, "accelerations", entry.rates, cloud.mean_accelerations(), cloud.deviation_accelerations(),
       range.a, &range.has_acceleration}};
  for (const Part& p : parts) {
    const std::string mean = absl::StrCat("cloud.mean_", p.name), deviation = absl::StrCat("cloud.deviation_", p.name);
    std::vector<double> buffer;
    const auto rows = wire::ReadRows(mean, p.mean, p.columns, 1, p.part != Entry::kPosition, buffer);
    if (!rows.ok()) return rows.status();
    p.fixed.assign(p.columns.width, 0.0);
    if (rows->data) std::copy(rows->data, rows->data + rows->width, p.fixed.begin());
    const auto widths = wire::ReadPlainRows(deviation, p.deviation, nv, 1, true, false);
    if (!widths.ok()) return widths.status();
    for (int k = 0; widths->data && k < nv; ++k) {
      const double sd = widths->data[k];
      if (sd == 0) continue;
      const int column = p.part == Entry::kPosition ? PositionOf(entry, k) : k;
      if (sd < 0 || column < 0)
        return wire::BadField(absl::StrCat(deviation, "[", k, "]"),
                              absl::StrCat(sd, ", want ", column < 0 ? "0: a rotation is the mean's" : "at least 0"));
      range.entries.push_back({p.part, column, p.fixed[column], p.fixed[column] + sd});
      if (p.moves) *p.moves = true;
    }
    if (p.moves) *p.moves |= std::any_of(p.fixed.begin(), p.fixed.end(), [](double x) { return x != 0; });
  }
  return std::make_unique<CloudSampler>(entry, std::move(range), cloud.samples(), cloud.seed());
}

}  // namespace torqued::sweep
