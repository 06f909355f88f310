// What has the server done, and how long did it take? Counters per method, and per method and model.
//
// Counting is a handful of relaxed atomic additions; reading may see a call's counters in the middle of being counted.
#pragma once

#include <absl/status/status.h>
#include <absl/time/time.h>

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace torqued {

// Upper edges [us]; what is slower falls into one more bucket.
inline constexpr std::array<double, 13> kBucketEdgesUs = {25,   50,   100,   250,   500,    1000,   2500,
                                                          5000, 10000, 25000, 100000, 250000, 1000000};

// Upper edges of the sizes of batches [samples].
inline constexpr std::array<std::int64_t, 9> kBatchEdges = {1, 4, 16, 64, 256, 1024, 8192, 65536, 524288};

inline constexpr size_t kStatusCodes = 17;

struct CallCounters {
  std::atomic<std::int64_t> calls{0}, samples{0}, nanoseconds{0};
  std::array<std::atomic<std::int64_t>, kStatusCodes> codes{};  // absl's numbers, which are gRPC's
  std::array<std::atomic<std::int64_t>, kBucketEdgesUs.size() + 1> buckets{};

  void Count(absl::Duration duration, absl::StatusCode code, std::int64_t sample_count);
};

// The q-quantile [us] of a histogram, linear inside its bucket; 0 without calls.
double Quantile(const std::vector<std::int64_t>& buckets, double q);

class Statistics {
 public:
  Statistics();

  void Count(int method, absl::Duration duration, absl::StatusCode code, std::int64_t samples) {
    methods_[method].Count(duration, code, samples);
    if (samples > 0) CountBatch(samples);
  }
  // Calls that asked a model, beside Count. Bounded: models beyond the limit are counted together as "(others)".
  void CountModel(int method, const std::string& model_id, absl::Duration duration, absl::StatusCode code,
                  std::int64_t samples);

  struct Row {
    std::string method, model;
    std::int64_t calls = 0, errors = 0, samples = 0;
    double mean_us = 0;
    std::vector<std::int64_t> buckets;
    std::array<std::int64_t, kStatusCodes> codes{};
    std::int64_t nanoseconds = 0;
  };
  // Rows with calls; per model too if asked.
  std::vector<Row> Read(bool per_model) const;
  absl::Time since() const { return since_; }

  // Answers by the number of their samples: one bucket per edge, one more, and all samples.
  struct Batches {
    std::array<std::int64_t, kBatchEdges.size() + 1> buckets{};
    std::int64_t samples = 0;
  };
  Batches ReadBatches() const;

 private:
  void CountBatch(std::int64_t samples);

  const absl::Time since_;
  std::unique_ptr<CallCounters[]> methods_;
  std::array<std::atomic<std::int64_t>, kBatchEdges.size() + 1> batches_{};
  std::atomic<std::int64_t> batch_samples_{0};
  mutable std::mutex models_mutex_;  // guards models_
  std::map<std::string, std::unique_ptr<CallCounters[]>> models_;
};

}  // namespace torqued
