// A question over up to 10^9 states, answered in pieces of some milliseconds: whoever calls Work lends a thread.
//
//   auto sweep = Sweep::Start(entry, request);          // reads, compiles, looks at a first few states
//   while (*(*sweep)->Work(scratch, interrupt) != Sweep::Step::kDone) ...   from any number of threads
//   (*sweep)->Answer(&response);
//
// The answer depends on the request and the kernel alone: samples are numbered, chunks have a fixed size, what is
// order-dependent (sums) is added in the order of chunks.
#pragma once

#include <absl/time/time.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>

#include "server/service/sweep/search.h"

namespace torqued {

struct SweepOptions {
  bool compile = true;  // machine code for each case, where there are enough states to pay for it
};

class Sweep {
 public:
  // Milliseconds. The entry is kept alive. INVALID_ARGUMENT naming the field; errors as inverse dynamics'.
  static absl::StatusOr<std::unique_ptr<Sweep>> Start(EntryPtr entry, const v1::SweepRequest& request,
                                                      const SweepOptions& options = {},
                                                      const Interrupt* interrupt = nullptr);
  ~Sweep();

  enum class Step {
    kMore,  // a piece was done, there may be others
    kIdle,  // nothing for this thread: others work at the last pieces of a part
    kDone,  // everything is done
  };
  // One piece. Thread-safe, each thread with its own scratch. An error ends the sweep: every later call returns it.
  absl::StatusOr<Step> Work(Scratch& scratch, const Interrupt* interrupt);

  // Info, done, total, seconds. Thread-safe.
  void Progress(v1::SweepResponse* out) const;
  // REQUIRES: Work returned kDone.
  void Answer(v1::SweepResponse* out) const;

  std::int64_t total() const { return sampler_->count() * static_cast<std::int64_t>(measures_.size()); }
  std::int64_t done() const { return done_.load(std::memory_order_relaxed); }

 private:
  struct Lane;                                  // one thread's counts
  using Tallies = std::vector<sweep::ColumnTally>;  // per case and column

  Sweep(EntryPtr entry, const v1::SweepRequest& request);
  absl::Status Prepare(const SweepOptions& options, const Interrupt* interrupt);
  absl::Status Pilot(const Call& call);
  absl::Status Chunk(const Call& call, std::int64_t chunk);
  void PlanSearches();
  absl::Status RunSearch(const Call& call, int number);
  absl::Status Fail(const absl::Status& status);
  std::unique_ptr<Lane> TakeLane();

  int columns() const { return measures_[0]->columns(); }
  size_t At(int case_number, int column) const { return static_cast<size_t>(case_number) * columns() + column; }

  const EntryPtr entry_;
  const v1::SweepRequest request_;
  v1::AnswerInfo info_;
  absl::Time begin_;
  std::unique_ptr<sweep::Sampler> sampler_;
  std::vector<std::unique_ptr<sweep::Measure>> measures_;  // one per case
  std::vector<sweep::Bins> bins_;                          // per case and column
  std::int64_t chunk_rows_ = 0, chunks_ = 0;

  std::atomic<std::int64_t> next_chunk_{0}, done_{0};
  std::atomic<int> next_search_{0};
  mutable std::mutex mutex_;  // guards the rest
  std::vector<std::unique_ptr<Lane>> free_lanes_;
  std::int64_t finished_chunks_ = 0, merged_chunks_ = 0;
  std::map<std::int64_t, std::vector<sweep::Sums>> waiting_;  // sums of chunks that are done before their turn
  std::vector<sweep::Sums> sums_;
  Tallies tallies_;
  bool searching_ = false;
  std::vector<sweep::SearchTask> searches_;
  std::vector<sweep::Found> found_;
  int finished_searches_ = 0;
  absl::Status error_;
  absl::Time end_;
};

// The whole sweep on `threads` threads of its own; `progress` is called by the caller's thread now and then.
absl::Status RunSweep(Sweep& sweep, int threads, const Interrupt* interrupt, const std::function<void()>& progress);

}  // namespace torqued
