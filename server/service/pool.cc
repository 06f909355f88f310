#include "server/service/pool.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace torqued {
namespace {

constexpr int kNiceness = 5;
constexpr absl::Duration kShort = absl::Milliseconds(20);
constexpr size_t kMostRemembered = 1024;

// On Linux a thread has a priority of its own; where it may not be lowered, nothing is lost. SCHED_BATCH: a thread of a
// control loop that wakes up takes the processor at once.
void LowerPriority() {
  const sched_param none{};
  sched_setscheduler(0, SCHED_BATCH, &none);
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNiceness);
}

}  // namespace

Pool::Pool(int threads, const PoolLimits& limits) : threads_(std::max(1, threads)), limits_(limits) {
  for (int i = 0; i < threads_; ++i) workers_.emplace_back([this] { Serve(false); });
  if (threads_ > 1) workers_.emplace_back([this] { Serve(true); });
}

Pool::~Pool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  ready_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

Pool::Verdict Pool::Submit(Work work) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (ending_ || queued_ >= limits_.queue_length) return Verdict::kQueueFull;
    if (queued_ > 0 && backlog_ + work.estimate > limits_.backlog) return Verdict::kBacklogFull;
    const auto [at, fresh] = clients_.try_emplace(work.client);
    Client& client = at->second;
    if (limits_.client_calls > 0 &&
        static_cast<int>(client.waiting.size()) + client.running >= limits_.client_calls)
      return Verdict::kClientFull;
    const double tag = std::max(virtual_time_, client.finished);
    client.finished = tag + absl::ToDoubleSeconds(work.estimate);
    backlog_ += work.estimate;
    ++queued_;
    client.waiting.push_back({tag, std::move(work)});
  }
  // All: a waiting worker may be the one that takes short work only.
  ready_.notify_all();
  return Verdict::kTaken;
}

bool Pool::Take(bool short_only, Piece* piece, std::map<std::string, Client>::iterator* who) {
  auto best = clients_.end();
  for (auto it = clients_.begin(); it != clients_.end(); ++it) {
    const auto& waiting = it->second.waiting;
    if (waiting.empty() || (short_only && waiting.front().work.estimate > kShort)) continue;
    if (best == clients_.end() || waiting.front().tag < best->second.waiting.front().tag) best = it;
  }
  if (best == clients_.end()) return false;
  Client& client = best->second;
  *piece = std::move(client.waiting.front());
  client.waiting.pop_front();
  ++client.running;
  virtual_time_ = std::max(virtual_time_, piece->tag);
  --queued_;
  ++running_;
  backlog_ -= piece->work.estimate;
  *who = best;
  return true;
}

void Pool::Serve(bool short_only) {
  LowerPriority();
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    Piece piece;
    std::map<std::string, Client>::iterator who;
    bool taken = false;
    ready_.wait(lock, [&] { return (taken = Take(short_only, &piece, &who)) || ending_; });
    if (!taken) return;
    lock.unlock();
    piece.work.run();
    piece.work.run = nullptr;  // what it holds goes before the lock is back
    lock.lock();
    --running_;
    --who->second.running;
    // A client who is ahead of its share is remembered while others wait.
    if (queued_ == 0 || clients_.size() > kMostRemembered)
      std::erase_if(clients_, [this](const auto& c) {
        return c.second.running == 0 && c.second.waiting.empty() && (queued_ == 0 || c.second.finished <= virtual_time_);
      });
  }
}

void Pool::SetLimits(const PoolLimits& limits) {
  const std::lock_guard<std::mutex> lock(mutex_);
  limits_ = limits;
}

PoolLimits Pool::limits() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return limits_;
}

int Pool::queued() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return queued_;
}

int Pool::running() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return running_;
}

absl::Duration Pool::Backlog() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::clamp(backlog_ / threads_, absl::Milliseconds(100), absl::Seconds(30));
}

}  // namespace torqued
