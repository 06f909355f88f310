#include "server/service/statistics.h"

#include <absl/time/clock.h>

#include <algorithm>

#include "server/service/methods.h"

namespace torqued {
namespace {

constexpr size_t kMostModels = 1000;
constexpr char kOthers[] = "(others)";

Statistics::Row ReadRow(const std::string& method, const std::string& model, const CallCounters& from) {
  Statistics::Row row;
  row.method = method;
  row.model = model;
  row.calls = from.calls;
  row.samples = from.samples;
  row.nanoseconds = from.nanoseconds;
  for (size_t code = 0; code < kStatusCodes; ++code) {
    row.codes[code] = from.codes[code];
    if (code != 0) row.errors += row.codes[code];
  }
  if (row.calls > 0) row.mean_us = static_cast<double>(row.nanoseconds) / 1e3 / static_cast<double>(row.calls);
  for (const auto& bucket : from.buckets) row.buckets.push_back(bucket);
  return row;
}

}  // namespace

void CallCounters::Count(absl::Duration duration, absl::StatusCode code, std::int64_t sample_count) {
  constexpr auto relaxed = std::memory_order_relaxed;
  const double us = absl::ToDoubleMicroseconds(duration);
  const size_t bucket = std::lower_bound(kBucketEdgesUs.begin(), kBucketEdgesUs.end(), us) - kBucketEdgesUs.begin();
  calls.fetch_add(1, relaxed);
  codes[std::min(static_cast<size_t>(code), kStatusCodes - 1)].fetch_add(1, relaxed);
  samples.fetch_add(sample_count, relaxed);
  nanoseconds.fetch_add(absl::ToInt64Nanoseconds(duration), relaxed);
  buckets[bucket].fetch_add(1, relaxed);
}

double Quantile(const std::vector<std::int64_t>& buckets, double q) {
  std::int64_t total = 0;
  for (const std::int64_t n : buckets) total += n;
  if (total == 0) return 0;
  const double wanted = q * static_cast<double>(total);
  double below = 0;
  for (size_t i = 0; i < buckets.size(); ++i) {
    const double n = static_cast<double>(buckets[i]);
    if (n > 0 && below + n >= wanted) {
      const double lower = i == 0 ? 0 : kBucketEdgesUs[i - 1];
      const double upper = i < kBucketEdgesUs.size() ? kBucketEdgesUs[i] : lower;
      return lower + (upper - lower) * (wanted - below) / n;
    }
    below += n;
  }
  return kBucketEdgesUs.back();
}

Statistics::Statistics() : since_(absl::Now()), methods_(new CallCounters[MethodNames().size()]) {}

void Statistics::CountModel(int method, const std::string& model_id, absl::Duration duration, absl::StatusCode code,
                            std::int64_t samples) {
  CallCounters* counters;
  {
    const std::lock_guard<std::mutex> lock(models_mutex_);
    const bool known = models_.count(model_id) > 0;
    auto& slot = models_[known || models_.size() < kMostModels ? model_id : kOthers];
    if (!slot) slot.reset(new CallCounters[MethodNames().size()]);
    counters = slot.get();
  }
  counters[method].Count(duration, code, samples);
}

void Statistics::CountBatch(std::int64_t samples) {
  const size_t bucket = std::lower_bound(kBatchEdges.begin(), kBatchEdges.end(), samples) - kBatchEdges.begin();
  batches_[bucket].fetch_add(1, std::memory_order_relaxed);
  batch_samples_.fetch_add(samples, std::memory_order_relaxed);
}

Statistics::Batches Statistics::ReadBatches() const {
  Batches out;
  for (size_t i = 0; i < batches_.size(); ++i) out.buckets[i] = batches_[i];
  out.samples = batch_samples_;
  return out;
}

std::vector<Statistics::Row> Statistics::Read(bool per_model) const {
  std::vector<Row> rows;
  const std::vector<std::string>& names = MethodNames();
  for (size_t i = 0; i < names.size(); ++i)
    if (methods_[i].calls > 0) rows.push_back(ReadRow(names[i], "", methods_[i]));
  if (!per_model) return rows;
  const std::lock_guard<std::mutex> lock(models_mutex_);
  for (const auto& [model, counters] : models_)
    for (size_t i = 0; i < names.size(); ++i)
      if (counters[i].calls > 0) rows.push_back(ReadRow(names[i], model, counters[i]));
  return rows;
}

}  // namespace torqued
