// What a finished sweep has found, as a message.
#include <algorithm>
#include <cmath>

#include "server/service/compute/question.h"
#include "server/service/describe.h"
#include "server/service/sweep/sweep.h"

namespace torqued {
namespace {

// The best of the searches of one extreme: by value, then the first.
void WriteExtreme(const std::vector<sweep::SearchTask>& tasks, const std::vector<sweep::Found>& found, size_t first,
                  size_t last, const ModelEntry& entry, v1::SweepExtreme* out) {
  const double sign = tasks[first].sign;
  size_t best = first, sampled = first;
  for (size_t i = first + 1; i < last; ++i) {
    if (sign * found[i].value > sign * found[best].value) best = i;
    const sweep::Best &a = tasks[i].start, &b = tasks[sampled].start;
    if (sign * a.value > sign * b.value || (a.value == b.value && a.sample < b.sample)) sampled = i;
  }
  // Of equals the sample itself is told.
  if (found[best].value == tasks[sampled].start.value) best = sampled;
  const bool moved = !found[best].x.empty();
  out->set_value(found[best].value);
  out->set_sampled_value(tasks[sampled].start.value);
  out->set_sample(tasks[sampled].start.sample);
  out->set_refined(moved);

  const sweep::Sampler& sampler = *tasks[best].sampler;
  sweep::StateBlock state;
  state.Resize(1, entry.nq(), entry.nv());
  std::vector<double> x = found[best].x;
  if (moved) {
    sampler.At(tasks[best].start.sample, x.data(), 1, state);
  } else {
    x.assign(sampler.parameters(), 0.0);
    if (!x.empty()) sampler.Parameters(tasks[best].start.sample, x.data());
    sampler.Fill(tasks[best].start.sample, 1, 1, state);
  }
  out->set_time(sampler.Time(x.data()));
  Append(state.q.data(), entry.nq(), out->mutable_positions()->mutable_values());
  Append(state.v.data(), entry.nv(), out->mutable_velocities()->mutable_values());
  Append(state.a.data(), entry.nv(), out->mutable_accelerations()->mutable_values());
}

void WriteHistogram(const sweep::ColumnTally& tally, const sweep::Bins& bins, int asked, v1::SweepColumn* out) {
  if (asked == 0) return;
  const int each = bins.count / asked;
  for (int k = 0; k < asked; ++k) {
    std::int64_t sum = 0;
    for (int i = 0; i < each; ++i) sum += tally.bins[k * each + i];
    out->add_histogram(sum);
  }
  out->set_histogram_lower(bins.lower);
  out->set_histogram_upper(bins.lower + bins.count / bins.scale);
}

}  // namespace

void Sweep::Answer(v1::SweepResponse* out) const {
  Progress(out);
  const std::lock_guard<std::mutex> lock(mutex_);
  out->set_seconds(absl::ToDoubleSeconds(end_ - begin_));
  WriteKernel(measures_[0]->batch(), measures_[0]->method(), out->mutable_kernel());
  const double count = static_cast<double>(sampler_->count());
  size_t next = 0;  // of the searches, which stand in the order of cases, columns, least and greatest
  for (int c = 0; c < static_cast<int>(measures_.size()); ++c) {
    auto* one = out->add_cases();
    if (request_.payloads_size() > 0) *one->mutable_payload() = request_.payloads(c);
    for (int k = 0; k < columns(); ++k) {
      const sweep::ColumnTally& tally = tallies_[At(c, k)];
      const sweep::Bins& bins = bins_[At(c, k)];
      auto* column = one->add_columns();
      column->set_name(measures_[c]->names()[k]);
      for (const bool greatest : {false, true}) {
        const size_t first = next;
        while (next < searches_.size() && searches_[next].measure == measures_[c].get() && searches_[next].column == k &&
               (searches_[next].sign > 0) == greatest)
          ++next;
        WriteExtreme(searches_, found_, first, next, *entry_,
                     greatest ? column->mutable_maximum() : column->mutable_minimum());
      }
      column->set_mean(sums_[At(c, k)].sum / count);
      column->set_rms(std::sqrt(sums_[At(c, k)].squares / count));
      for (const double p : request_.percentiles())
        column->add_percentiles(sweep::Percentile(tally, bins, sampler_->count(), p / 100,
                                                  column->minimum().sampled_value(), column->maximum().sampled_value()));
      WriteHistogram(tally, bins, request_.histogram_bins(), column);
      const sweep::Beyond& limit = measures_[c]->beyond()[k];
      if (limit.kind == sweep::Beyond::kNever) continue;
      column->set_limit(limit.limit);
      column->set_beyond_count(tally.beyond);
      column->set_beyond_share(static_cast<double>(tally.beyond) / count);
    }
  }
}

}  // namespace torqued
