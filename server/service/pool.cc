#include "server/service/pool.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace torqued {
namespace {

constexpr int kNiceness = 5;

}  // namespace

Pool::Pool(int threads, int queue_length) : queue_length_(queue_length) {
  for (int i = 0; i < std::max(1, threads); ++i) workers_.emplace_back([this] { Work(); });
}

Pool::~Pool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  ready_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

bool Pool::Submit(std::function<void()> work) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (ending_ || static_cast<int>(queue_.size()) >= queue_length_) return false;
    queue_.push_back(std::move(work));
  }
  ready_.notify_one();
  return true;
}

int Pool::queued() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int>(queue_.size());
}

void Pool::Work() {
  // On Linux a thread has a priority of its own; where it may not be lowered, nothing is lost.
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNiceness);
  for (;;) {
    std::function<void()> work;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      ready_.wait(lock, [this] { return ending_ || !queue_.empty(); });
      if (queue_.empty()) return;
      work = std::move(queue_.front());
      queue_.pop_front();
    }
    work();
  }
}

}  // namespace torqued
