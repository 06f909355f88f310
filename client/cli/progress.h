// A bar on the terminal while something long runs; silent where standard error is no terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace torqued::cli {

class ProgressBar {
 public:
  explicit ProgressBar(std::string what);
  ~ProgressBar();  // clears its line

  void Show(int64_t done, int64_t total);

 private:
  const std::string what_;
  const bool terminal_;
  const std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
  bool shown_ = false;
};

}  // namespace torqued::cli
