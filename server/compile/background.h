// When is a robot compiled? Behind the requests' backs: one thread takes registered robots in turn, and each is served by
// the template until its programs are installed.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "server/compile/compiler.h"

namespace torqued::compile {

// Thread-safe. Robots that nobody holds any more when their turn comes are passed over.
class BackgroundCompiler {
 public:
  // enabled = false: the switch; nothing is ever compiled and no thread is started.
  explicit BackgroundCompiler(bool enabled = true, const CompileLimits& limits = {});
  // Finishes the robot at hand, forgets the rest.
  ~BackgroundCompiler();
  BackgroundCompiler(const BackgroundCompiler&) = delete;
  BackgroundCompiler& operator=(const BackgroundCompiler&) = delete;

  // Returns at once; `batch` runs its own programs some milliseconds later.
  void Submit(const std::shared_ptr<Batch>& batch);
  // Returns when everything submitted so far is done.
  void Wait();

  bool enabled() const { return enabled_; }
  // Robots compiled and seconds spent, so far.
  int compiled_count() const;
  double compile_seconds() const;

 private:
  void Run();

  const bool enabled_;
  const CompileLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable wake_, idle_;
  std::deque<std::weak_ptr<Batch>> queue_;  // guarded by mutex_, as all below
  bool busy_ = false, stop_ = false;
  int compiled_count_ = 0;
  double compile_seconds_ = 0;
  std::thread thread_;
};

}  // namespace torqued::compile
