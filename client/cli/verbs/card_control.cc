#include "client/cli/verbs/card_control.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>

#include "client/cli/numbers.h"

namespace torqued::cli {
namespace {

// A signal handler has no other way to reach what it is to stop.
std::atomic<Bridge*> bridge_to_stop{nullptr};
std::atomic<MotionCard*> card_to_stop{nullptr};
std::atomic<int> times_asked{0};
struct sigaction before[3];
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

void OnSignal(int) {
  const int times = times_asked.fetch_add(1) + 1;
  if (Bridge* bridge = bridge_to_stop.load()) bridge->Stop(times == 1 ? StopKind::kOnPath : times == 2 ? StopKind::kQuick : StopKind::kPowerOff);
  if (MotionCard* card = card_to_stop.load()) card->Stop(times == 1 ? StopKind::kRamp : times == 2 ? StopKind::kQuick : StopKind::kPowerOff);
}

}  // namespace

StopOnSignal::StopOnSignal(Bridge* bridge, MotionCard* card) {
  times_asked = 0;
  bridge_to_stop = bridge;
  card_to_stop = card;
  struct sigaction action {};
  action.sa_handler = OnSignal;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < 3; ++i) sigaction(kSignals[i], &action, &before[i]);
}

StopOnSignal::~StopOnSignal() {
  for (int i = 0; i < 3; ++i) sigaction(kSignals[i], &before[i], nullptr);
  bridge_to_stop = nullptr;
  card_to_stop = nullptr;
}

int StopOnSignal::Asked() { return times_asked.load(); }

Keys::Keys() {
  if (isatty(STDIN_FILENO) != 1 || isatty(STDERR_FILENO) != 1 || tcgetattr(STDIN_FILENO, &before_) != 0) return;
  termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  active_ = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

Keys::~Keys() {
  if (active_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

char Keys::Next() {
  char key = 0;
  return active_ && read(STDIN_FILENO, &key, 1) == 1 ? key : '\0';
}

RunControl::~RunControl() {
  if (pipe_ >= 0) close(pipe_);
  if (!made_.empty()) unlink(made_.c_str());
}

absl::Status RunControl::OpenPipe(const std::string& path) {
  if (mkfifo(path.c_str(), 0600) == 0) made_ = path;
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISFIFO(info.st_mode))
    return absl::InvalidArgumentError(absl::StrCat("--control: ", path, ": cannot be made, or is not a named pipe"));
  pipe_ = open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);  // for writing too: it never ends while writers come and go
  if (pipe_ < 0) return absl::InvalidArgumentError(absl::StrCat("--control: ", path, ": cannot be opened"));
  return absl::OkStatus();
}

void RunControl::SetShare(double share) {
  share_ = std::clamp(share, 0.0, 1.0);
  bridge_->SetOverride(share_);
}

void RunControl::SetPaused(bool paused) {
  paused_ = paused;
  paused ? bridge_->Pause() : bridge_->Resume();
}

void RunControl::Obey(const std::string& line) {
  if (line == "pause") return SetPaused(true);
  if (line == "resume") return SetPaused(false);
  if (line == "stop") return bridge_->Stop(StopKind::kOnPath);
  if (line == "quick") return bridge_->Stop(StopKind::kQuick);
  if (line == "off") return bridge_->Stop(StopKind::kPowerOff);
  if (const auto share = ParseNumber("control", line); share.ok() && *share >= 0 && *share <= 1) return SetShare(*share);
  misunderstood_ = line;
}

void RunControl::Poll() {
  while (const char key = keys_.Next()) {
    if (key == '+') SetShare(share_ + 0.1);
    if (key == '-') SetShare(share_ - 0.1);
    if (key >= '1' && key <= '9') SetShare(0.1 * (key - '0'));
    if (key == '0') SetShare(1);
    if (key == ' ') SetPaused(!paused_);
    if (key == 's') bridge_->Stop(StopKind::kOnPath);
  }
  char buffer[256];
  for (ssize_t n; pipe_ >= 0 && (n = read(pipe_, buffer, sizeof buffer)) > 0;)
    for (ssize_t i = 0; i < n; ++i) {
      if (buffer[i] != '\n') {
        if (line_.size() < 64) line_ += buffer[i];
        continue;
      }
      Obey(line_);
      line_.clear();
    }
}

LiveTable::LiveTable(const CardConfig& config) : config_(config), terminal_(isatty(STDERR_FILENO) == 1) {}

LiveTable::~LiveTable() {
  if (lines_ > 0) std::fprintf(stderr, "\n");
}

void LiveTable::Show(const RunProgress& p, const RunControl* control) {
  if (!terminal_) return;
  std::string out;
  if (lines_ > 0) absl::StrAppendFormat(&out, "\033[%dA\r", lines_);
  const std::string left = p.duration_s <= 0 ? ""
                           : p.pace > 1e-3   ? absl::StrFormat("%.1f s left  ", std::max(0.0, p.duration_s - p.path_s) / p.pace)
                                             : "standing  ";
  absl::StrAppendFormat(&out, "%space %.2f%s  set-points %d of %d  queued %d\033[K\n", left, p.pace,
                        control ? absl::StrFormat(" (wanted %.2f%s)", control->share(), control->paused() ? ", paused" : "") : "", p.executed,
                        p.planned, p.queued);
  absl::StrAppendFormat(&out, "%-18s %12s %12s %12s %10s %9s\033[K\n", "axis", "command", "measured", "error", "torque", "of limit");
  lines_ = 2;
  for (int i = 0; p.newest && i < config_.axis_count(); ++i) {
    const Feedback& f = p.newest->feedback;
    absl::StrAppendFormat(&out, "%-18s %12.6f %12.6f %12.6f %10.2f %7.1f %%\033[K\n", config_.axes[i].name, f.q_command[i], f.q[i],
                          f.q_command[i] - f.q[i], f.tau_command[i], 100 * std::abs(f.tau_command[i]) / config_.axes[i].torque);
    ++lines_;
  }
  if (control && control->has_keys()) {
    absl::StrAppend(&out, "keys: + - 1..9 0 pace, space pause, s stop; Ctrl-C stops, twice quickly\033[K\n");
    ++lines_;
  }
  std::fputs(out.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace torqued::cli
