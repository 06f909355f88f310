#include "client/card/recorder.h"

namespace torqued {

void Recorder::Add(const CycleRecord& r) noexcept {
  const std::uint64_t head = head_.load(std::memory_order_relaxed);
  if (head - tail_.load(std::memory_order_acquire) >= capacity_) {
    lost_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  records_[head % capacity_] = r;
  head_.store(head + 1, std::memory_order_release);
}

void Recorder::Drain(std::vector<CycleRecord>* out) {
  std::uint64_t tail = tail_.load(std::memory_order_relaxed);
  const std::uint64_t head = head_.load(std::memory_order_acquire);
  out->reserve(out->size() + (head - tail));
  for (; tail != head; ++tail) out->push_back(records_[tail % capacity_]);
  tail_.store(tail, std::memory_order_release);
}

std::vector<SetPoint> Replay(const Recording& recording, std::uint32_t session) {
  std::vector<SetPoint> out;
  for (const CycleRecord& r : recording.cycles) {
    if (!(r.feedback.flags & kExecuted)) continue;
    SetPoint p;
    p.session = session;
    p.sequence = out.size() + 1;
    p.q = r.feedback.q_command;
    p.v = r.feedback.v_command;
    p.tau = r.feedback.tau_feed_forward;
    out.push_back(p);
  }
  if (!out.empty()) out.back().flags = kLastSetPoint;
  return out;
}

}  // namespace torqued
