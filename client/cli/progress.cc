#include "client/cli/progress.h"

#include <unistd.h>

#include <cstdio>

namespace torqued::cli {

using Clock = std::chrono::steady_clock;

ProgressBar::ProgressBar(std::string what)
    : what_(std::move(what)),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      last_(start_) {}

ProgressBar::~ProgressBar() {
  if (shown_) std::fprintf(stderr, "\r\033[K");
}

void ProgressBar::Show(int64_t done, int64_t total) {
  const auto now = Clock::now();
  if (!terminal_ || total <= 0 || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  shown_ = true;
  constexpr int kWidth = 30;
  const int filled = static_cast<int>(kWidth * done / total);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double left =
      done > 0 ? elapsed * static_cast<double>(total - done) / static_cast<double>(done) : 0;
  std::string bar(static_cast<size_t>(filled), '#');
  bar.resize(kWidth, '.');
  std::fprintf(stderr, "\r%s [%s] %3d %%, %.0f s left\033[K", what_.c_str(), bar.c_str(),
               static_cast<int>(100 * done / total), left);
  std::fflush(stderr);
}

}  // namespace torqued::cli
