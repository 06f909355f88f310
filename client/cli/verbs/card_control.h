// How does a person steer a motion that is under way? Ctrl-C, keys on the terminal, a control file, and a table to look at.
#pragma once

#include <absl/status/status.h>
#include <termios.h>

#include <string>

#include "client/card/run.h"

namespace torqued::cli {

// While it lives, SIGINT, SIGTERM and SIGHUP stop the bridge's motion: on the path at first, quick the second time, power off the
// third. With a card alone: ramp, then quick, then power off. With nothing only Asked() tells. One at a time.
class StopOnSignal {
 public:
  StopOnSignal() : StopOnSignal(nullptr, nullptr) {}
  explicit StopOnSignal(Bridge* bridge) : StopOnSignal(bridge, nullptr) {}
  explicit StopOnSignal(MotionCard* card) : StopOnSignal(nullptr, card) {}
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  static int Asked();  // how often

 private:
  StopOnSignal(Bridge* bridge, MotionCard* card);
};

// Single keys from the terminal without waiting; nothing where standard input or standard error is no terminal.
class Keys {
 public:
  Keys();
  ~Keys();
  Keys(const Keys&) = delete;
  bool active() const { return active_; }
  char Next();  // 0: none

 private:
  bool active_ = false;
  termios before_{};
};

// Pace, pause and stop for a running bridge.
//   keys      + - faster, slower by a tenth   1..9 that many tenths   0 full   space pause and go on   s stop on the path
//   control   lines written to a named pipe: a share (0.5), pause, resume, stop, quick, off
class RunControl {
 public:
  RunControl(Bridge* bridge, double share) : bridge_(bridge), share_(share) { bridge_->SetOverride(share); }
  ~RunControl();
  RunControl(const RunControl&) = delete;
  // Makes the pipe where it is missing (and then removes it at the end). INVALID_ARGUMENT: the path is something else.
  absl::Status OpenPipe(const std::string& path);
  void Poll();  // from the run's progress
  double share() const { return share_; }
  bool paused() const { return paused_; }
  bool has_keys() const { return keys_.active(); }
  const std::string& misunderstood() const { return misunderstood_; }

 private:
  void Obey(const std::string& line);
  void SetShare(double share);
  void SetPaused(bool paused);

  Bridge* bridge_;
  double share_;
  bool paused_ = false;
  Keys keys_;
  int pipe_ = -1;
  std::string made_, line_, misunderstood_;
};

// Redrawn in place on standard error where that is a terminal, else silent.
class LiveTable {
 public:
  explicit LiveTable(const CardConfig& config);
  ~LiveTable();  // leaves the last state on the screen
  void Show(const RunProgress& progress, const RunControl* control);

 private:
  const CardConfig& config_;
  bool terminal_;
  int lines_ = 0;
};

}  // namespace torqued::cli
