// What happened in every cycle? From the cyclic thread into memory, from there to a file, and back as a motion.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/card/statistics.h"
#include "client/planning/trajectory.h"

namespace torqued {

// One producer (the cyclic thread), one consumer. Room for `capacity` cycles between two drains; what finds none is counted.
class Recorder {
 public:
  explicit Recorder(std::size_t capacity) : capacity_(capacity), records_(new CycleRecord[capacity]) {}
  void Add(const CycleRecord& r) noexcept;
  void Drain(std::vector<CycleRecord>* out);
  std::uint64_t lost() const { return lost_.load(); }

 private:
  const std::size_t capacity_;
  std::unique_ptr<CycleRecord[]> records_;
  std::atomic<std::uint64_t> head_{0}, tail_{0}, lost_{0};
};

struct Recording {
  std::vector<std::string> joints;
  std::vector<bool> linear;         // per joint: m instead of rad
  double cycle_s = 0;
  bool real_time = false;
  std::string driver;
  std::string outcome;              // as MotionReport names it
  CardStatus cause;
  std::uint64_t planned = 0;        // set-points
  std::uint64_t lost = 0;           // cycles that the recorder could not keep
  std::vector<CycleRecord> cycles;
};

// Binary: a text line of JSON with the header, then the records as they lie in memory (this machine's layout, its size is in the
// header). CSV: one row per cycle, units in the column names. JSON: header, report and columns. By the file's ending: .bin .csv .json.
absl::Status WriteRecording(const Recording& recording, const std::string& path);
// .bin or .json. A binary file that ends in the middle of a record (power loss) gives what is whole. DATA_LOSS, NOT_FOUND, INVALID_ARGUMENT.
absl::StatusOr<Recording> ReadRecording(const std::string& path);

// The executed commands as set-points of a new session: streaming them gives the same executed list again.
std::vector<SetPoint> Replay(const Recording& recording, std::uint32_t session);

// The executed commands as a trajectory with their feed-forward, accelerations by central differences: to check, plot or run
// it again with override and pause. FAILED_PRECONDITION: nothing was executed, or cycles are missing in between.
absl::StatusOr<Trajectory> ToTrajectory(const Recording& recording);

}  // namespace torqued
