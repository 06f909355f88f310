// How many calls may one client make in a second? A bucket per client that fills at the allowed rate and holds one second's worth.
#pragma once

#include <absl/time/time.h>

#include <map>
#include <mutex>
#include <string>

namespace torqued {

// Thread-safe.
class RateQuota {
 public:
  // Calls per second of one client; 0: no limit.
  void SetRate(double calls_per_s);
  double rate() const;

  // Zero: the call may be made, and is counted. Otherwise: how long until one may.
  absl::Duration Take(const std::string& client, absl::Time now);

 private:
  struct Bucket {
    double calls = 0;  // that may be made at once
    absl::Time filled;
  };
  static constexpr size_t kMostClients = 4096;

  mutable std::mutex mutex_;  // guards both
  double rate_ = 0;
  std::map<std::string, Bucket> buckets_;
};

}  // namespace torqued
