// Where does work go that would hold up a thread that answers calls? To a few workers behind a bounded queue.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace torqued {

// Workers run at a lower priority than the threads that answer small calls, so that batches fill the processor only
// where no control loop wants it. Thread-safe.
class Pool {
 public:
  Pool(int threads, int queue_length);
  ~Pool();  // runs what is queued, then ends
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // False: the queue is full, nothing was taken.
  bool Submit(std::function<void()> work);

  int threads() const { return static_cast<int>(workers_.size()); }
  int queue_length() const { return queue_length_; }
  int queued() const;

 private:
  void Work();

  const int queue_length_;
  mutable std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::function<void()>> queue_;  // guarded by mutex_, as below
  bool ending_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace torqued
