// Where does the robot go, time aside? q(s), q'(s), q''(s) for s in [0, length], with one-sided values at breaks.
#pragma once

#include <memory>
#include <vector>

namespace torqued {

enum class Side { kLeft, kRight };  // the value approached from below or from above s

struct Break {
  double s = 0;
  bool must_stop = false;  // q' jumps: only rest passes here; otherwise q'' or q''' jumps
};

// Immutable; safe to share between threads.
class Path {
 public:
  virtual ~Path() = default;
  virtual int joint_count() const = 0;
  virtual double length() const = 0;  // >= 0; 0: the path is one point
  // Interior breaks, ascending.
  virtual const std::vector<Break>& breaks() const = 0;
  // Writes joint_count values each. REQUIRES: 0 <= s <= length. Does not allocate.
  virtual void Evaluate(double s, Side side, double* q, double* dq, double* ddq) const = 0;
};

}  // namespace torqued
