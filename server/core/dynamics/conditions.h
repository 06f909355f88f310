// Under which conditions is a dynamics question asked? Gravity, payload-corrected inertias, and which terms count.
#pragma once

#include "server/core/tree/prepared.h"

namespace torqued {

// Each term may be left out; what is left adds up to the whole:
//   tau = inertia (M a) + velocity products (C v) + gravity + rotor terms + friction + springs.
struct Terms {
  bool inertia = true;    // terms with the acceleration
  bool velocity = true;   // centripetal and Coriolis
  bool gravity = true;
  bool rotor = true;      // rotors' inertia and their gyroscopic coupling
  bool friction = true;
  bool springs = true;
};

// A view: it must not outlive what it points to. The default is the model as registered, all terms.
struct Conditions {
  explicit Conditions(const Prepared& m) : inertias(m.inertias.data()), gravity(m.gravity) {}

  const BodyInertia* inertias;   // one per body; a payload gives a corrected copy
  Vec3<double> gravity;          // world axes [m/s^2]
  Terms terms;
};

}  // namespace torqued
