// Where does work go that would hold up a thread that answers calls? To a few workers behind a bounded, fair queue.
//
// Fair: each client has a queue of its own, and the next piece of work is that of the client who was served least
// (start-time fair queueing: a piece is tagged with the virtual time at which its client's share would reach it; the
// smallest tag runs next). A client who sends ten thousand batches waits behind itself; one who sends one does not.
//
// Bounded: by pieces, by pieces of one client, and by the time that all of them would take. What is refused says how
// long to wait.
//
// Two lanes: one worker beside the others takes short work only, so that it never waits for a long batch to end.
#pragma once

#include <absl/time/time.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace torqued {

struct PoolLimits {
  int queue_length = 256;                               // pieces that may wait
  int client_calls = 0;                                 // of one client, waiting or running; 0: no bound of its own
  absl::Duration backlog = absl::InfiniteDuration();  // of estimated work that may wait, beside one piece
};

// Workers run at a lower priority than the threads that answer small calls, so that batches fill the processor only
// where no control loop wants it. Thread-safe.
class Pool {
 public:
  Pool(int threads, int queue_length) : Pool(threads, PoolLimits{queue_length, 0, absl::InfiniteDuration()}) {}
  Pool(int threads, const PoolLimits& limits);
  ~Pool();  // runs what is queued, then ends
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  struct Work {
    std::string client;                                 // whose share it counts against
    absl::Duration estimate = absl::Microseconds(100);  // of the time it takes
    std::function<void()> run;
  };
  enum class Verdict { kTaken, kQueueFull, kBacklogFull, kClientFull };
  Verdict Submit(Work work);
  // Of nobody in particular. False: nothing was taken.
  bool Submit(std::function<void()> run) { return Submit(Work{"", absl::Microseconds(100), std::move(run)}) == Verdict::kTaken; }

  void SetLimits(const PoolLimits& limits);
  PoolLimits limits() const;
  int threads() const { return threads_; }
  int queued() const;
  int running() const;
  // When what waits now will have been done: at least 100 ms, at most 30 s.
  absl::Duration Backlog() const;

 private:
  struct Piece {
    double tag;
    Work work;
  };
  struct Client {
    std::deque<Piece> waiting;
    double finished = 0;  // virtual time at which its share is used up to
    int running = 0;
  };

  void Serve(bool short_only);
  bool Take(bool short_only, Piece* piece, std::map<std::string, Client>::iterator* client);  // holds mutex_

  const int threads_;
  mutable std::mutex mutex_;  // guards all below but the workers
  PoolLimits limits_;
  std::condition_variable ready_;
  std::map<std::string, Client> clients_;  // those who wait or run
  double virtual_time_ = 0;
  int queued_ = 0, running_ = 0;
  absl::Duration backlog_ = absl::ZeroDuration();
  bool ending_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace torqued
