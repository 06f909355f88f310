// How long will a question take? Roughly: values in it times what one value costs in this method.
#pragma once

#include <absl/time/time.h>

#include "torqued/v1/dynamics.pb.h"
#include "torqued/v1/kinematics.pb.h"
#include "torqued/v1/statics.pb.h"

namespace torqued {

// Cost of one position value, in units of about 50 ns (a joint's share of a recursion). 0: never small.
template <class Request>
constexpr int CostPerValue() {
  using namespace v1;
  const auto is = []<class... R>(std::tuple<R...>*) { return (std::is_same_v<Request, R> || ...); };
  if (is(static_cast<std::tuple<ComputeForwardKinematicsRequest, ComputeJacobianRequest, ComputeStaticTorqueRequest,
                                ComputeInverseDynamicsRequest, ComputePathDynamicsRequest>*>(nullptr)))
    return 1;
  if (is(static_cast<std::tuple<ComputeForwardDynamicsRequest, ComputeEquationOfMotionRequest, ComputeEnergyRequest,
                                ComputeLinkForcesRequest, AnalyzeVelocityRequest>*>(nullptr)))
    return 10;
  if (is(static_cast<std::tuple<AnalyzeSingularityRequest, ComputeOperationalSpaceRequest, ComputeDerivativesRequest,
                     ComputeTorqueBreakdownRequest>*>(
          nullptr)))
    return 100;
  return 0;
}

// About 0.2 ms: more goes to the workers.
inline constexpr long long kSmallCost = 4096;

template <class Request>
bool IsSmall(const Request& request) {
  if constexpr (CostPerValue<Request>() > 0)
    return !request.context().check() && static_cast<long long>(request.positions().values_size()) * CostPerValue<Request>() <= kSmallCost;
  return false;
}

// How long it will keep a worker, to be fair by and to bound the queue with; right within a few times.
template <class Request>
absl::Duration Estimate(const Request& request) {
  constexpr absl::Duration kUnit = absl::Nanoseconds(50), kLeast = absl::Microseconds(50);
  if constexpr (requires { request.positions().values_size(); }) {
    constexpr int kCost = CostPerValue<Request>() > 0 ? CostPerValue<Request>() : 1000;
    return kLeast + kUnit * kCost * request.positions().values_size() * (request.context().check() ? 10 : 1);
  } else {
    // Sources of models, tables of measurements: their length tells.
    return kLeast + kUnit * 4 * static_cast<double>(request.ByteSizeLong());
  }
}

}  // namespace torqued
