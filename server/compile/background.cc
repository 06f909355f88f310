#include "server/compile/background.h"

namespace torqued::compile {

BackgroundCompiler::BackgroundCompiler(bool enabled, const CompileLimits& limits) : enabled_(enabled), limits_(limits) {
  if (enabled_) thread_ = std::thread([this] { Run(); });
}

BackgroundCompiler::~BackgroundCompiler() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void BackgroundCompiler::Submit(const std::shared_ptr<Batch>& batch) {
  if (!enabled_) return;
  batch->ExpectPrograms();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back(batch);
  }
  wake_.notify_one();
}

void BackgroundCompiler::Wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  idle_.wait(lock, [this] { return queue_.empty() && !busy_; });
}

int BackgroundCompiler::compiled_count() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return compiled_count_;
}

double BackgroundCompiler::compile_seconds() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return compile_seconds_;
}

void BackgroundCompiler::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || !queue_.empty(); });
    if (stop_) return;
    std::shared_ptr<Batch> batch = queue_.front().lock();
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    double seconds = 0;
    bool installed = false;
    if (batch != nullptr) {
      const auto programs = Compile(batch->model(), batch->kernels(), limits_);
      seconds = programs->compile_seconds();
      installed = batch->Install(programs);
      batch.reset();  // perhaps the last holder: outside the lock
    }
    lock.lock();
    compiled_count_ += installed;
    compile_seconds_ += seconds;
    busy_ = false;
    if (queue_.empty()) idle_.notify_all();
  }
}

}  // namespace torqued::compile
