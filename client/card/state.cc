#include "client/card/state.h"

namespace torqued {

const char* Name(CardState state) {
  switch (state) {
    case CardState::kOffline: return "offline";
    case CardState::kDisabled: return "disabled";
    case CardState::kReady: return "ready";
    case CardState::kStreaming: return "streaming";
    case CardState::kStopping: return "stopping";
    case CardState::kHoming: return "homing";
    case CardState::kFaulted: return "faulted";
  }
  return "unknown";
}

const char* Name(CardEvent event) {
  switch (event) {
    case CardEvent::kOpen: return "open";
    case CardEvent::kClose: return "close";
    case CardEvent::kEnable: return "enable";
    case CardEvent::kDisable: return "disable";
    case CardEvent::kStart: return "start";
    case CardEvent::kFinished: return "finished";
    case CardEvent::kStop: return "stop";
    case CardEvent::kAtRest: return "at-rest";
    case CardEvent::kHome: return "home";
    case CardEvent::kHomed: return "homed";
    case CardEvent::kFault: return "fault";
    case CardEvent::kResetFault: return "reset-fault";
  }
  return "unknown";
}

const char* Name(StopKind kind) {
  switch (kind) {
    case StopKind::kNone: return "none";
    case StopKind::kOnPath: return "on-path";
    case StopKind::kRamp: return "ramp";
    case StopKind::kQuick: return "quick";
    case StopKind::kPowerOff: return "power-off";
  }
  return "unknown";
}

}  // namespace torqued
