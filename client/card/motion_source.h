// Where do the set-points come from? One sample per card cycle, from a path, a jog or a recording.
#pragma once

#include "client/card/motion_card.h"

namespace torqued {

struct MotionSample {
  AxisArray q{}, v{}, a{};  // [rad] or [m], per s, per s^2
  AxisArray tau{};          // feed-forward [Nm] or [N]
  double path_s = 0;        // time on the path, as planned [s]
  double pace = 1;          // how fast time passes on the path now
  bool last = false;        // at rest; nothing follows
};

struct PaceRequest {
  double override_ = 1;     // wanted speed on the path, 0 (pause) to 1
  bool stop = false;        // come to rest on the path and end there
};

class MotionSource {
 public:
  virtual ~MotionSource() = default;
  virtual AxisArray Start() const = 0;                 // where the motion begins [rad] or [m]
  virtual AxisArray Goal() const = 0;                  // where it ends if nothing stops it
  virtual double DurationS() const = 0;                // at full speed; 0: open-ended
  virtual bool StartsAnywhere() const { return false; }  // true: begins at whatever is held, Start() is not compared
  // `held`: the command that the card holds now, within the start tolerance of Start(). Control thread, before Next.
  virtual void Begin(const AxisArray& held) = 0;
  // The next cycle's sample. After `last` it must not be called again. Wait-free, no allocation.
  virtual void Next(const PaceRequest& wanted, MotionSample* out) noexcept = 0;
};

}  // namespace torqued
