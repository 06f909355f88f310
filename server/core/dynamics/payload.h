// How does a load change the robot's inertias? Its mass properties join the body that carries its frame.
//
// The parallel-axis rule is in ToBodyInertia (mass_properties.h). A load on a frame that does not move changes nothing.
#pragma once

#include <vector>

#include "server/core/dynamics/conditions.h"

namespace torqued {

struct Payload {
  BodyFrame frame;          // where `load` is described; the load's own frame axes
  MassProperties load;      // mass [kg], centre of mass [m], inertia about it [kg m^2], all in `frame`
};

inline Eigen::Isometry3d ToIsometry(const BodyFrame& f) {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.linear() = ToEigen(f.R);
  X.translation() = ToEigen(f.p);
  return X;
}

// inertias: the model's, then AddPayload for each load; conditions.inertias = inertias.data(). Allocates at most once.
inline void ResetInertias(const Prepared& m, std::vector<BodyInertia>& inertias) {
  inertias.assign(m.inertias.begin(), m.inertias.end());
}

// REQUIRES: payload.frame is one of m's, inertias has m.body_count() entries.
inline void AddPayload(const Payload& payload, std::vector<BodyInertia>& inertias) {
  if (payload.frame.body == kWorld) return;
  BodyInertia& b = inertias[payload.frame.body];
  b = b + ToBodyInertia(payload.load, ToIsometry(payload.frame));
}

}  // namespace torqued
