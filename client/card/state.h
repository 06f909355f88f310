// Which state may follow which? The life of a motion card, as a table.
//
// Names in brackets are those of CiA 402 and PLCopen:
//   Offline    not connected
//   Disabled   power off, brakes on            (switch-on disabled; Disabled)
//   Ready      power on, target = command held (operation enabled; Standstill)
//   Streaming  one set-point per cycle         (operation enabled; SynchronizedMotion)
//   Stopping   controlled deceleration         (quick stop active; Stopping)
//   Homing     looking for the reference       (homing mode; Homing)
//   Faulted    power off, cause latched        (fault; ErrorStop)
#pragma once

#include <array>
#include <cstdint>

namespace torqued {

enum class CardState : std::uint32_t { kOffline, kDisabled, kReady, kStreaming, kStopping, kHoming, kFaulted };
inline constexpr int kCardStateCount = 7;

enum class CardEvent : std::uint32_t {
  kOpen,
  kClose,
  kEnable,       // power on, command := measured
  kDisable,      // power off at once
  kStart,        // begin executing the queue
  kFinished,     // the last set-point was executed, at rest
  kStop,         // controlled stop asked, or a fault that the drive can still ride out
  kAtRest,       // the controlled stop is over and nothing is latched
  kHome,
  kHomed,
  kFault,        // power off now, or: the controlled stop of a fault is over
  kResetFault,
};
inline constexpr int kCardEventCount = 12;

// A stop escalates and never weakens: the order of the numbers is the order of force.
enum class StopKind : std::uint32_t {
  kNone,
  kOnPath,     // the bridge slows down along the path
  kRamp,       // each axis decelerates at its stop deceleration
  kQuick,      // each axis decelerates at its quick-stop deceleration
  kPowerOff,   // power off, brakes on
};

const char* Name(CardState state);
const char* Name(CardEvent event);
const char* Name(StopKind kind);

struct CardTransition {
  CardState from;
  CardEvent event;
  CardState to;
};

// Every legal transition; what is not in it is refused and changes nothing.
inline constexpr std::array kCardTransitions = {
    CardTransition{CardState::kOffline, CardEvent::kOpen, CardState::kDisabled},

    CardTransition{CardState::kDisabled, CardEvent::kClose, CardState::kOffline},
    CardTransition{CardState::kDisabled, CardEvent::kEnable, CardState::kReady},
    CardTransition{CardState::kDisabled, CardEvent::kDisable, CardState::kDisabled},
    CardTransition{CardState::kDisabled, CardEvent::kFault, CardState::kFaulted},

    CardTransition{CardState::kReady, CardEvent::kClose, CardState::kOffline},
    CardTransition{CardState::kReady, CardEvent::kDisable, CardState::kDisabled},
    CardTransition{CardState::kReady, CardEvent::kStart, CardState::kStreaming},
    CardTransition{CardState::kReady, CardEvent::kStop, CardState::kReady},
    CardTransition{CardState::kReady, CardEvent::kHome, CardState::kHoming},
    CardTransition{CardState::kReady, CardEvent::kFault, CardState::kFaulted},

    CardTransition{CardState::kStreaming, CardEvent::kFinished, CardState::kReady},
    CardTransition{CardState::kStreaming, CardEvent::kStop, CardState::kStopping},
    CardTransition{CardState::kStreaming, CardEvent::kDisable, CardState::kDisabled},
    CardTransition{CardState::kStreaming, CardEvent::kFault, CardState::kFaulted},

    CardTransition{CardState::kStopping, CardEvent::kStop, CardState::kStopping},
    CardTransition{CardState::kStopping, CardEvent::kAtRest, CardState::kReady},
    CardTransition{CardState::kStopping, CardEvent::kDisable, CardState::kDisabled},
    CardTransition{CardState::kStopping, CardEvent::kFault, CardState::kFaulted},

    CardTransition{CardState::kHoming, CardEvent::kHomed, CardState::kReady},
    CardTransition{CardState::kHoming, CardEvent::kStop, CardState::kStopping},
    CardTransition{CardState::kHoming, CardEvent::kDisable, CardState::kDisabled},
    CardTransition{CardState::kHoming, CardEvent::kFault, CardState::kFaulted},

    CardTransition{CardState::kFaulted, CardEvent::kClose, CardState::kOffline},
    CardTransition{CardState::kFaulted, CardEvent::kResetFault, CardState::kDisabled},
    CardTransition{CardState::kFaulted, CardEvent::kDisable, CardState::kFaulted},
    CardTransition{CardState::kFaulted, CardEvent::kStop, CardState::kFaulted},
    CardTransition{CardState::kFaulted, CardEvent::kFault, CardState::kFaulted},
};

// Moves `state` and returns true, or returns false and leaves it. No allocation; about 30 comparisons.
constexpr bool Advance(CardState& state, CardEvent event) {
  for (const CardTransition& t : kCardTransitions) {
    if (t.from == state && t.event == event) {
      state = t.to;
      return true;
    }
  }
  return false;
}

// Is the drive powered in this state?
constexpr bool Powered(CardState state) {
  return state == CardState::kReady || state == CardState::kStreaming || state == CardState::kStopping ||
         state == CardState::kHoming;
}

}  // namespace torqued
