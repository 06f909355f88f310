#include "client/card/bridge.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace torqued {
namespace {

constexpr int kTolerableDeficit = 3;  // set-points below the lead

}  // namespace

const char* Name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kNone: return "none";
    case Outcome::kRunning: return "running";
    case Outcome::kDone: return "done";
    case Outcome::kStoppedOnPath: return "stopped-on-path";
    case Outcome::kStopped: return "stopped";
    case Outcome::kFailed: return "failed";
  }
  return "unknown";
}

Bridge::Bridge(MotionCard* card, const CardConfig& config, const BridgeOptions& options, Recorder* recorder)
    : card_(card), config_(config), options_(options), recorder_(recorder), axes_(config.axis_count()) {}

CardStatus Bridge::Start(MotionSource* source, TorqueOverlay* overlay) {
  if (outcome_.load() == Outcome::kRunning) return CardError(CardCode::kWrongState, -1, static_cast<double>(card_->State()));
  if (!blocked_.ok()) {
    CardStatus why = blocked_;
    why.vendor = static_cast<std::int64_t>(why.code);
    why.code = CardCode::kBlocked;
    return why;
  }
  const CardInfo info = card_->Info();
  if (info.cause.code != CardCode::kOk) return info.cause;
  if (info.axes != axes_) return CardError(CardCode::kBadArgument, -1, info.axes, axes_);
  if (card_->State() != CardState::kReady) return CardError(CardCode::kWrongState, -1, static_cast<double>(card_->State()));

  // Where does it stand? The newest record of a cycle that lies after now.
  while (card_->Poll(&newest_)) {
  }
  const std::int64_t asked = card_->NowNs();
  while (!card_->Poll(&newest_)) {
    card_->KeepAlive();
    card_->Wait(std::llround(1e9 * config_.cycle_s));
    if (const double silence = 1e-9 * static_cast<double>(card_->NowNs() - asked); silence > config_.command_timeout_s)
      return CardError(CardCode::kCardLost, -1, silence, config_.command_timeout_s);
  }
  for (Feedback f; card_->Poll(&f);) newest_ = f;
  const AxisArray start = source->StartsAnywhere() ? newest_.q_command : source->Start();
  for (int i = 0; i < axes_; ++i) {
    const double tolerance = config_.axes[i].start_tolerance;
    for (const double there : {newest_.q[i], newest_.q_command[i]}) {
      if (std::abs(start[i] - there) <= tolerance) continue;
      CardStatus why = CardError(CardCode::kStartMismatch, i, start[i] - there, tolerance);
      why.cycle = newest_.cycle;
      return why;
    }
  }
  if (const CardStatus begun = card_->Begin(info.last_session + 1); !begun.ok()) return begun;

  session_ = info.last_session + 1;
  source_ = source;
  overlay_ = overlay;
  capacity_ = info.queue_capacity;
  lead_ = std::clamp(options_.lead, 1, capacity_);
  pushed_.assign(static_cast<std::size_t>(capacity_) + 2, {});
  cause_ = {};
  statistics_ = {};
  generated_ = last_sequence_ = 0;
  has_waiting_ = stopping_ = false;
  low_water_cycles_ = 0;
  shortest_queue_ = capacity_;
  settling_s_ = 0;
  stop_.store(0);
  executed_.store(0);
  path_s_.store(0);
  planned_.store(static_cast<std::uint64_t>(std::llround(source->DurationS() / config_.cycle_s)) + 1);
  source_->Begin(newest_.q_command);
  Fill(lead_);
  if (const CardStatus started = card_->Start(); !started.ok()) {
    card_->Stop(StopKind::kRamp);  // voids the session
    return started;
  }
  last_feedback_ns_ = card_->NowNs();
  phase_ = Phase::kStreaming;
  outcome_.store(Outcome::kRunning);
  return {};
}

void Bridge::Generate() noexcept {
  const bool stop = stopping_ || stop_.load(std::memory_order_relaxed) != 0;
  stopping_ = stop;
  PaceRequest wanted;
  wanted.override_ = paused_.load(std::memory_order_relaxed) ? 0 : std::clamp(override_.load(std::memory_order_relaxed), 0.0, 1.0);
  wanted.stop = stop;
  source_->Next(wanted, &next_);
  ++generated_;
  if (next_.last) last_sequence_ = generated_;
  has_waiting_ = true;
  has_torque_ = false;
  if (overlay_) overlay_->Ask(generated_, next_, newest_);
}

// Pushes up to `room` set-points, one more is made ready so that a closed loop has a cycle to answer.
void Bridge::Fill(int room) noexcept {
  for (; room > 0; --room) {
    if (!has_waiting_) {
      if (last_sequence_ != 0) return;
      Generate();
    }
    if (overlay_ && !std::exchange(has_torque_, true) && !overlay_->Take(generated_, phase_ == Phase::kStreaming, &next_) && !stopping_) {
      Fail(CardError(CardCode::kTorqueSourceLate, -1, overlay_->consecutive_misses()));
      Stop(StopKind::kOnPath);
    }
    waiting_.session = session_;
    waiting_.sequence = generated_;
    waiting_.flags = next_.last ? kLastSetPoint : 0;
    waiting_.q = next_.q;
    waiting_.v = next_.v;
    waiting_.tau = next_.tau;
    if (card_->Push(&waiting_, 1, nullptr) == 0) return;  // stays ready for the next tick
    pushed_[generated_ % pushed_.size()] = {next_.path_s, next_.pace};
    has_waiting_ = false;
    if (last_sequence_ == 0) Generate();
  }
}

bool Bridge::Tick(std::int64_t lateness_ns) noexcept {
  if (outcome_.load(std::memory_order_relaxed) != Outcome::kRunning) {
    card_->KeepAlive();
    return false;
  }
  card_->KeepAlive();
  for (Feedback f; outcome_.load(std::memory_order_relaxed) == Outcome::kRunning && card_->Poll(&f);) Read(f, lateness_ns);
  if (outcome_.load(std::memory_order_relaxed) != Outcome::kRunning) return false;
  const double silence = 1e-9 * static_cast<double>(card_->NowNs() - last_feedback_ns_);
  if (silence > options_.card_silence_s) {
    Fail(CardError(CardCode::kCardLost, -1, silence, options_.card_silence_s));
    card_->Stop(StopKind::kPowerOff);  // should it come back
    Finish(Outcome::kFailed);
    return false;
  }
  if (phase_ == Phase::kStreaming) {
    const int queued = capacity_ - card_->Space();
    queued_.store(queued, std::memory_order_relaxed);
    if (last_sequence_ == 0) {
      shortest_queue_ = std::min(shortest_queue_, queued);
      if (queued < std::min(options_.low_water, lead_)) ++low_water_cycles_;
    }
    // Card and bridge are not in phase: now and then a tick finds room for none or for two. Two in one tick leave a torque source no time
    // for the second, so a small deficit is rather kept.
    const int room = lead_ - queued;
    Fill(overlay_ && room <= std::min(kTolerableDeficit, lead_ / 2) ? std::min(room, 1) : room);
  }
  return true;
}

void Bridge::Read(const Feedback& f, std::int64_t lateness_ns) noexcept {
  newest_ = f;
  last_feedback_ns_ = card_->NowNs();
  if (f.session != session_) return;  // written before this motion began
  CycleRecord record;
  record.feedback = f;
  record.bridge_lateness_ns = lateness_ns;
  if (f.sequence > 0) {
    const Pushed& p = pushed_[f.sequence % pushed_.size()];
    record.path_s = p.path_s;
    record.pace = p.pace;
    path_s_.store(p.path_s, std::memory_order_relaxed);
    pace_.store(p.pace, std::memory_order_relaxed);
    executed_.store(f.sequence, std::memory_order_relaxed);
  }
  if (statistics_.cycles > 0 || f.state != CardState::kReady || f.sequence > 0) {  // from the first cycle of the motion on
    statistics_.Add(record, axes_);
    if (recorder_) recorder_->Add(record);
  }
  Watch(f);
}

void Bridge::Watch(const Feedback& f) noexcept {
  switch (phase_) {
    case Phase::kStreaming:
      if ((f.flags & kPathStopAsked) && stop_.load(std::memory_order_relaxed) == 0) stop_.store(static_cast<std::uint32_t>(StopKind::kOnPath));
      for (int i = 0; i < axes_; ++i) {
        const double error = std::abs(f.q_command[i] - f.q[i]), limit = options_.path_tolerance[i];
        if (limit > 0 && error > limit && cause_.ok()) {
          CardStatus why = CardError(CardCode::kPathTolerance, i, error, limit);
          why.cycle = f.cycle;
          Fail(why);
          Stop(StopKind::kOnPath);
        }
      }
      if (statistics_.lost_feedback > static_cast<std::uint64_t>(options_.lost_feedback_limit) && cause_.ok()) {
        Fail(CardError(CardCode::kFeedbackLost, -1, static_cast<double>(statistics_.lost_feedback), options_.lost_feedback_limit));
        Stop(StopKind::kOnPath);
      }
      if (f.state == CardState::kReady && last_sequence_ != 0 && f.sequence == last_sequence_) {
        phase_ = Phase::kSettling;
        settle_since_ns_ = f.time_ns;
        Settle(f);
      } else if (f.state != CardState::kStreaming && (f.sequence > 0 || f.state != CardState::kReady)) {
        phase_ = Phase::kEnding;
        Watch(f);
      }
      return;
    case Phase::kSettling:
      if (f.state == CardState::kReady) {
        Settle(f);
      } else {
        phase_ = Phase::kEnding;
        Watch(f);
      }
      return;
    case Phase::kEnding:
      if (f.state == CardState::kStopping) return;
      if (!f.cause.ok() && cause_.ok()) Fail(f.cause);
      Finish(cause_.ok() ? Outcome::kStopped : Outcome::kFailed);
      return;
    case Phase::kIdle: return;
  }
}

// In position and at rest, within the time? After a stop on the path the place is where the command ended.
void Bridge::Settle(const Feedback& f) noexcept {
  settling_s_ = 1e-9 * static_cast<double>(f.time_ns - settle_since_ns_);
  const bool late = settling_s_ > options_.goal_time_s;
  for (int i = 0; i < axes_; ++i) {
    const AxisConfig& a = config_.axes[i];
    const double tolerance = options_.goal_tolerance[i] > 0 ? options_.goal_tolerance[i] : a.in_position;
    const double error = std::abs(f.q_command[i] - f.q[i]);
    const bool far = !(error <= tolerance), moving = !(std::abs(f.v[i]) <= a.standstill);
    if (!far && !moving) continue;
    if (late) {
      CardStatus why = CardError(CardCode::kGoalTolerance, i, far ? error : std::abs(f.v[i]), far ? tolerance : a.standstill);
      why.cycle = f.cycle;
      if (cause_.ok()) Fail(why);
      Finish(Outcome::kFailed);
    }
    return;
  }
  if (!cause_.ok())
    Finish(Outcome::kFailed);
  else
    Finish(stopping_ ? Outcome::kStoppedOnPath : Outcome::kDone);
}

void Bridge::Fail(CardStatus why) noexcept {
  if (!cause_.ok()) return;
  if (why.cycle == 0) why.cycle = newest_.cycle;
  cause_ = why;
}

void Bridge::Finish(Outcome outcome) noexcept {
  if (outcome == Outcome::kFailed) blocked_ = cause_;
  phase_ = Phase::kIdle;
  outcome_.store(outcome, std::memory_order_release);
}

void Bridge::Stop(StopKind kind) noexcept {
  const auto wanted = static_cast<std::uint32_t>(kind);
  std::uint32_t now = stop_.load();
  while (now < wanted && !stop_.compare_exchange_weak(now, wanted)) {
  }
  card_->Stop(kind);
}

BridgeProgress Bridge::Progress() const noexcept {
  BridgeProgress p;
  p.path_s = path_s_.load(std::memory_order_relaxed);
  p.pace = pace_.load(std::memory_order_relaxed);
  p.duration_s = source_ ? source_->DurationS() : 0;
  p.executed = executed_.load(std::memory_order_relaxed);
  p.planned = planned_.load(std::memory_order_relaxed);
  p.queued = queued_.load(std::memory_order_relaxed);
  return p;
}

}  // namespace torqued
