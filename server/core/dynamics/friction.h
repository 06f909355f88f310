// What torque does friction cost at rate v? Formula: Friction in tree/model.h.
#pragma once

#include "server/core/tree/model.h"

namespace torqued {

// [Nm] or [N], joint side, sign of v; zero at v = 0.
template <class T>
T FrictionTorque(const Friction& f, const T& v) {
  T level = SelectPositive(v, T(f.coulomb_positive), T(f.coulomb_negative));
  if (f.stribeck_velocity > 0) {
    const T r = v * (1.0 / f.stribeck_velocity);
    level = level + (T(f.breakaway) - level) * exp(-(r * r));
  }
  const T direction = f.smoothing_velocity > 0 ? tanh(v * (1.0 / f.smoothing_velocity)) : Sign(v);
  return f.viscous * v + level * direction;
}

}  // namespace torqued
