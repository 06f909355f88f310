#include "server/service/sweep/search.h"

#include <algorithm>
#include <cmath>

namespace torqued::sweep {
namespace {

constexpr double kFirstStep = 1.0 / 16, kLastStep = 1e-10;  // shares of the range
constexpr int kRowsAtOnce = 256;

class Climb {
 public:
  Climb(const SearchTask& task, const Call& call, MeasureScratch& scratch)
      : task_(task), call_(call), scratch_(scratch), n_(task.sampler->parameters()) {}

  // values_ of the candidates, times the sign.
  absl::Status Evaluate(const std::vector<double>& x) {
    const int count = static_cast<int>(x.size()) / n_, columns = task_.measure->columns();
    values_.resize(count);
    out_.resize(static_cast<size_t>(kRowsAtOnce) * columns);
    const ModelEntry& entry = call_.entry;
    states_.Resize(kRowsAtOnce, entry.nq(), entry.nv());
    for (int first = 0; first < count; first += kRowsAtOnce) {
      if (call_.interrupt)
        if (absl::Status s = call_.interrupt->Check(); !s.ok()) return s;
      const int rows = std::min(kRowsAtOnce, count - first);
      task_.sampler->At(task_.start.sample, &x[static_cast<size_t>(first) * n_], rows, states_);
      if (absl::Status s = task_.measure->Rows(call_, states_, rows, scratch_, out_.data()); !s.ok()) return s;
      for (int r = 0; r < rows; ++r)
        values_[first + r] = task_.sign * out_[static_cast<size_t>(r) * columns + task_.column];
    }
    spent_ += count;
    return absl::OkStatus();
  }

  absl::StatusOr<Found> Run() {
    std::vector<double> x(n_), tops(n_), candidates;
    task_.sampler->Parameters(task_.start.sample, x.data());
    double best = task_.sign * task_.start.value;
    bool moved = false;
    const auto take = [&](const std::vector<double>& from, double& to_beat, std::vector<double>& to) {
      const auto top = std::max_element(values_.begin(), values_.end());
      if (!(*top > to_beat)) return false;
      to_beat = *top;
      const auto at = from.begin() + (top - values_.begin()) * n_;
      to.assign(at, at + n_);
      return true;
    };
    for (double step = kFirstStep; step > kLastStep && spent_ + 2 * n_ + 2 <= task_.evaluations;) {
      candidates.clear();
      for (int k = 0; k < n_; ++k)
        for (const double side : {-step, step}) {
          candidates.insert(candidates.end(), x.begin(), x.end());
          candidates[candidates.size() - n_ + k] = std::clamp(x[k] + side, 0.0, 1.0);
        }
      if (absl::Status s = Evaluate(candidates); !s.ok()) return s;
      for (int k = 0; k < n_; ++k) tops[k] = Top(x[k], step, values_[2 * k], best, values_[2 * k + 1]);
      std::vector<double> next = x;
      double next_value = best;
      bool better = take(candidates, next_value, next);
      candidates = tops;  // all tops at once, and half of the way
      for (int k = 0; k < n_; ++k) candidates.push_back((x[k] + tops[k]) / 2);
      if (absl::Status s = Evaluate(candidates); !s.ok()) return s;
      better |= take(candidates, next_value, next);
      // Gains of rounding's size are none: they would keep the step from shrinking.
      if (better && next_value - best > 1e-15 * std::abs(best)) {
        x = next;
        best = next_value;
        moved = true;
      } else {
        step /= 2;
      }
    }
    Found found;
    found.value = task_.sign * best;
    if (moved) found.x = x;
    return found;
  }

 private:
  // The highest point of the parabola through (x - h, low), (x, mid), (x + h, high) within 4 h; else towards the better.
  static double Top(double x, double h, double low, double mid, double high) {
    const double bend = low - 2 * mid + high;
    double move = 0;
    if (bend < 0)
      move = std::clamp(0.5 * h * (low - high) / bend, -4 * h, 4 * h);
    else if (std::max(low, high) > mid)
      move = high > low ? h : -h;
    return std::clamp(x + move, 0.0, 1.0);
  }

  const SearchTask& task_;
  const Call& call_;
  MeasureScratch& scratch_;
  const int n_;
  std::int64_t spent_ = 0;
  StateBlock states_;
  std::vector<double> values_, out_;
};

}  // namespace

absl::StatusOr<Found> Search(const SearchTask& task, const Call& call, MeasureScratch& scratch) {
  if (task.sampler->parameters() == 0) return Found{task.start.value, {}};
  return Climb(task, call, scratch).Run();
}

}  // namespace torqued::sweep
