// A motion under given torques, answered in pieces: whoever asks for the next piece decides the pace.
#pragma once

#include <memory>

#include "server/service/compute/call.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued {

class Simulation {
 public:
  // The entry is kept alive. Errors as every dynamics question's; INVALID_ARGUMENT for times and steps.
  static absl::StatusOr<std::unique_ptr<Simulation>> Start(EntryPtr entry, const v1::SimulateRequest& request);
  virtual ~Simulation() = default;

  // The next piece: some milliseconds of arithmetic. False: `out` is the last. The first piece carries info.
  virtual absl::StatusOr<bool> Next(v1::SimulateResponse* out, const Interrupt* interrupt) = 0;
};

}  // namespace torqued
