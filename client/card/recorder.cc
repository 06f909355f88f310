#include "client/card/recorder.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

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

absl::StatusOr<Trajectory> ToTrajectory(const Recording& recording) {
  const std::vector<SetPoint> points = Replay(recording, 1);
  if (points.empty()) return absl::FailedPreconditionError("recording: no set-point was executed");
  std::uint64_t last = 0;
  for (const CycleRecord& r : recording.cycles) {
    if (!(r.feedback.flags & kExecuted)) continue;
    if (last != 0 && r.feedback.sequence != last + 1)
      return absl::FailedPreconditionError(absl::StrCat("recording: set-points ", last + 1, " to ", r.feedback.sequence - 1, " are missing"));
    last = r.feedback.sequence;
  }
  Trajectory t;
  t.joint_names = recording.joints;
  const int joints = t.joint_count(), n = static_cast<int>(points.size());
  t.q.resize(joints, n);
  t.v.resize(joints, n);
  t.a.resize(joints, n);
  t.tau.resize(joints, n);
  for (int k = 0; k < n; ++k) {
    t.time_s.push_back(k * recording.cycle_s);
    for (int i = 0; i < joints; ++i) {
      t.q(i, k) = points[k].q[i];
      t.v(i, k) = points[k].v[i];
      t.tau(i, k) = points[k].tau[i];
      const int from = std::max(0, k - 1), to = std::min(n - 1, k + 1);
      t.a(i, k) = to > from ? (points[to].v[i] - points[from].v[i]) / ((to - from) * recording.cycle_s) : 0;
    }
  }
  return t;
}

}  // namespace torqued
