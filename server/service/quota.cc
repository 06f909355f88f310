#include "server/service/quota.h"

#include <algorithm>

namespace torqued {

void RateQuota::SetRate(double calls_per_s) {
  const std::lock_guard<std::mutex> lock(mutex_);
  rate_ = calls_per_s;
  buckets_.clear();
}

double RateQuota::rate() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return rate_;
}

absl::Duration RateQuota::Take(const std::string& client, absl::Time now) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (rate_ <= 0) return absl::ZeroDuration();
  const double most = std::max(1.0, rate_);
  // Who has been away for a second has a full bucket: no need to remember it.
  if (buckets_.size() >= kMostClients)
    std::erase_if(buckets_, [&](const auto& b) { return now - b.second.filled > absl::Seconds(most / rate_); });
  const auto [at, fresh] = buckets_.try_emplace(client, Bucket{most, now});
  Bucket& bucket = at->second;
  bucket.calls = std::min(most, bucket.calls + rate_ * absl::ToDoubleSeconds(now - bucket.filled));
  bucket.filled = now;
  if (bucket.calls < 1) return absl::Seconds((1 - bucket.calls) / rate_);
  bucket.calls -= 1;
  return absl::ZeroDuration();
}

}  // namespace torqued
