// Reads the joint vectors that most questions carry: q, v, a, tau with equal sample counts.
#pragma once

#include "server/service/compute/context.h"
#include "server/service/limits.h"

namespace torqued {

struct States {
  wire::Rows q, v, a;
  int count = 0;
};

// Positions are required; velocities and accelerations (null: the method has none) may be absent.
absl::StatusOr<States> ReadStates(const Call& call, const v1::JointVectors& positions,
                                  const v1::JointVectors* velocities = nullptr,
                                  const v1::JointVectors* accelerations = nullptr);

// Efforts [count x nv], or absent where optional.
absl::StatusOr<wire::Rows> ReadEfforts(const Call& call, const v1::JointVectors& efforts, int count, bool optional);

}  // namespace torqued
