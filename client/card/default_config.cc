#include "client/card/default_config.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/core/dynamics/inverse_dynamics.h"
#include "server/core/math/random.h"

namespace torqued {
namespace {

constexpr double kBandwidth = 2 * 3.14159265358979 * 8;  // of the position loop [rad/s]
constexpr double kDamping = 0.9;
constexpr int kPoses = 16;

double ValueOr(const std::optional<double>& given, double assumed, const std::string& what, std::vector<CardFinding>* findings) {
  if (given && *given > 0 && std::isfinite(*given)) return *given;
  if (findings) findings->push_back({FindingSeverity::kNote, "assumed-limit", what, 0, absl::StrCat("is not in the model: ", assumed, " is assumed")});
  return assumed;
}

}  // namespace

CardConfig DefaultSimConfig(const Model& model, const Prepared& prepared, std::vector<CardFinding>* findings) {
  CardConfig c;
  c.name = model.name;
  Workspace<double> ws(prepared);
  Random numbers(1);
  AxisArray inertia{}, load{};  // largest M_ii, largest torque at rest
  for (int pose = 0; pose < kPoses; ++pose) {
    AxisArray q{};
    for (const Coordinate& k : model.coordinates) {
      const double lower = k.limits.lower.value_or(-1), upper = k.limits.upper.value_or(1);
      q[k.q_index] = pose == 0 ? std::clamp(0.0, lower, upper) : 0.5 * (lower + upper) + 0.5 * (upper - lower) * numbers.Uniform(-1, 1);
    }
    AxisArray rest{}, column{};
    InverseDynamics<double>(prepared, Conditions(prepared), q.data(), nullptr, nullptr, ws, rest.data());
    for (int i = 0; i < model.nv; ++i) {
      AxisArray unit{};
      unit[i] = 1;
      NewtonEuler<double>(prepared, prepared.inertias.data(), {0, 0, 0}, true, q.data(), nullptr, unit.data(), ws, column.data());
      inertia[i] = std::max(inertia[i], column[i]);
      load[i] = std::max(load[i], std::abs(rest[i]));
    }
  }
  for (const Coordinate& k : model.coordinates) {
    const int i = k.v_index;
    AxisConfig a;
    a.name = k.name;
    a.linear = k.kind == JointKind::kPrismatic;
    a.counts_per_unit = a.linear ? 1e7 : 1 << 20;
    if (k.limits.lower) a.lower = *k.limits.lower;
    if (k.limits.upper) a.upper = *k.limits.upper;
    a.velocity = ValueOr(k.limits.velocity, a.linear ? 0.5 : 3, k.name + ": velocity", findings);
    a.acceleration = ValueOr(k.limits.acceleration, 10 * a.velocity, k.name + ": acceleration", findings);
    const double friction = std::max(k.friction.coulomb_positive, k.friction.coulomb_negative) + k.friction.viscous * a.velocity;
    a.torque = ValueOr(k.limits.effort, 2 * (load[i] + friction + inertia[i] * a.acceleration), k.name + ": torque", findings);
    a.kp = inertia[i] * kBandwidth * kBandwidth;
    a.kd = 2 * kDamping * inertia[i] * kBandwidth;
    // What dry friction alone displaces must not count as an error.
    a.following.floor = std::max(a.linear ? 0.005 : 0.02, 3 * friction / a.kp);
    a.following.at_full_speed = 3 * a.following.floor;
    a.following.window_s = 0.01;
    a.in_position = std::max(a.linear ? 5e-4 : 2e-3, 1.5 * friction / a.kp);
    a.stop_deceleration = std::min(a.acceleration, 0.5 * a.following.floor * kBandwidth * kBandwidth);
    a.quick_deceleration = 1.5 * a.stop_deceleration;
    c.axes.push_back(a);
  }
  return c;
}

}  // namespace torqued
