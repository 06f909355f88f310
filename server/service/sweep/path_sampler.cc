// A trajectory through knots: cubic Hermite pieces. Where no velocities are given: the clamped cubic spline, at rest at
// both ends, whose slopes s solve  h_{i-1}^-1 s_{i-1} + 2 (h_{i-1}^-1 + h_i^-1) s_i + h_i^-1 s_{i+1}
//                                  = 3 (h_{i-1}^-2 (y_i - y_{i-1}) + h_i^-2 (y_{i+1} - y_i)).
#include <absl/strings/str_cat.h>

#include <algorithm>

#include "proto/wire/errors.h"
#include "server/service/sweep/sampler.h"

namespace torqued::sweep {
namespace {

// slopes [knots x width] of the spline through y [knots x width] at times t.
std::vector<double> SplineSlopes(const std::vector<double>& t, const double* y, int width) {
  const int n = static_cast<int>(t.size());
  std::vector<double> s(static_cast<size_t>(n) * width, 0.0), ratio(n, 0.0);
  for (int i = 1; i + 1 < n; ++i) {  // elimination downward; slope 0 at both ends
    const double a = 1 / (t[i] - t[i - 1]), b = 1 / (t[i + 1] - t[i]);
    const double pivot = 2 * (a + b) - a * ratio[i - 1];
    ratio[i] = b / pivot;
    for (int k = 0; k < width; ++k) {
      const double right = 3 * (a * a * (y[i * width + k] - y[(i - 1) * width + k]) +
                                b * b * (y[(i + 1) * width + k] - y[i * width + k]));
      s[i * width + k] = (right - a * s[(i - 1) * width + k]) / pivot;
    }
  }
  for (int i = n - 2; i > 0; --i)
    for (int k = 0; k < width; ++k) s[i * width + k] -= ratio[i] * s[(i + 1) * width + k];
  return s;
}

class PathSampler final : public Sampler {
 public:
  PathSampler(std::vector<double> times, std::vector<double> q, std::vector<double> v, int width, std::int64_t count)
      : t_(std::move(times)), q_(std::move(q)), v_(std::move(v)), width_(width) {
    count_ = count;
    has_velocity_ = has_acceleration_ = true;
  }

  void Fill(std::int64_t first, std::int64_t stride, int rows, StateBlock& out) const override {
    for (int r = 0; r < rows; ++r) State(Share(first + r * stride), r, out);
  }

  int parameters() const override { return 1; }
  void Parameters(std::int64_t sample, double* x) const override { x[0] = Share(sample); }
  void At(std::int64_t, const double* x, int rows, StateBlock& out) const override {
    for (int r = 0; r < rows; ++r) State(x[r], r, out);
  }
  double Time(const double* x) const override { return t_.front() + (t_.back() - t_.front()) * x[0]; }

 private:
  double Share(std::int64_t sample) const { return static_cast<double>(sample) / static_cast<double>(count_ - 1); }

  void State(double share, int row, StateBlock& out) const {
    const double time = Time(&share);
    const auto after = std::upper_bound(t_.begin() + 1, t_.end() - 1, time);
    const int i = static_cast<int>(after - t_.begin()) - 1;
    const double h = t_[i + 1] - t_[i], u = std::clamp((time - t_[i]) / h, 0.0, 1.0);
    for (int k = 0; k < width_; ++k) {
      const double y0 = q_[i * width_ + k], y1 = q_[(i + 1) * width_ + k];
      const double s0 = h * v_[i * width_ + k], s1 = h * v_[(i + 1) * width_ + k];
      const double c2 = 3 * (y1 - y0) - 2 * s0 - s1, c3 = 2 * (y0 - y1) + s0 + s1;
      const size_t at = static_cast<size_t>(row) * width_ + k;
      out.q[at] = y0 + u * (s0 + u * (c2 + u * c3));
      out.v[at] = (s0 + u * (2 * c2 + u * 3 * c3)) / h;
      out.a[at] = (2 * c2 + 6 * c3 * u) / (h * h);
    }
  }

  const std::vector<double> t_, q_, v_;  // per knot
  const int width_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Sampler>> MakePathSampler(const Call& call, const v1::SweepKnots& knots) {
  if (absl::Status s = CheckSampleCount("knots.samples", knots.samples(), 2); !s.ok()) return s;
  const ModelEntry& entry = call.entry;
  for (const Coordinate& c : entry.model().coordinates)
    if (PositionCount(c.kind) != VelocityCount(c.kind))
      return wire::BadField("knots.positions", absl::StrCat("joint '", c.name, "' turns freely: a trajectory through knots "
                                                            "is for joints of one degree of freedom"));
  const int count = knots.times_size();
  if (count < 2) return wire::BadField("knots.times", absl::StrCat(count, " values, want at least 2"), "WRONG_SIZE");
  for (int i = 0; i < count; ++i) {
    if (absl::Status s = wire::CheckFinite(absl::StrCat("knots.times[", i, "]"), knots.times(i)); !s.ok()) return s;
    if (i > 0 && !(knots.times(i) > knots.times(i - 1)))
      return wire::BadField(absl::StrCat("knots.times[", i, "]"),
                            absl::StrCat(knots.times(i), " s, want more than ", knots.times(i - 1)), "NOT_INCREASING");
  }
  std::vector<double> q_buffer, v_buffer;
  const auto q = wire::ReadRows("knots.positions", knots.positions(), entry.positions, count, false, q_buffer);
  if (!q.ok()) return q.status();
  const auto v = wire::ReadRows("knots.velocities", knots.velocities(), entry.rates, count, true, v_buffer);
  if (!v.ok()) return v.status();
  const size_t size = static_cast<size_t>(count) * entry.nv();
  std::vector<double> times(knots.times().begin(), knots.times().end());
  std::vector<double> slopes =
      v->data ? std::vector<double>(v->data, v->data + size) : SplineSlopes(times, q->data, entry.nv());
  return std::make_unique<PathSampler>(std::move(times), std::vector<double>(q->data, q->data + size), std::move(slopes),
                                       entry.nv(), knots.samples());
}

}  // namespace torqued::sweep
