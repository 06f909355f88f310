#include "client/card/plant.h"
#include "server/core/math/random.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "server/core/tree/prepare.h"

namespace torqued {

Prepared IndependentAxes(const CardConfig& config) {
  Model model;
  model.name = config.name;
  model.gravity.setZero();
  model.links.push_back({"base", std::nullopt, 0});
  for (int i = 0; i < config.axis_count(); ++i) {
    const AxisConfig& a = config.axes[i];
    const AxisPlant& p = config.sim.plant[i];
    MassProperties body;
    if (a.linear)
      body.mass = p.inertia;
    else
      body.inertia_about_com = p.inertia * Eigen::Matrix3d::Identity();
    model.links.push_back({a.name + "_link", body, 0});
    Joint joint;
    joint.name = a.name;
    joint.kind = a.linear ? JointKind::kPrismatic : JointKind::kRevolute;
    joint.child_link = i + 1;
    joint.coupling = {{i, 1.0}};
    model.joints.push_back(joint);
    Coordinate c;
    c.name = a.name;
    c.kind = joint.kind;
    c.q_index = c.v_index = i;
    c.friction.viscous = p.viscous;
    c.friction.coulomb_positive = c.friction.coulomb_negative = p.coulomb;
    model.coordinates.push_back(c);
  }
  model.nq = model.nv = config.axis_count();
  model.tool_frame = model.links.back().name;
  return Prepare(model);
}

Plant::Plant(const Prepared& model, const CardConfig& config)
    : robot_(model),
      workspace_(model),
      axes_(model.nv),
      substeps_(config.sim.substeps),
      h_(config.cycle_s / config.sim.substeps) {
  Random numbers(config.sim.seed);
  const auto factor = [&] { return 1 + config.sim.mismatch * numbers.Uniform(-1, 1); };
  for (BodyInertia& b : robot_.inertias) {
    const double k = factor();
    b.m *= k;
    b.mc = Scale(b.mc, k);
    b.I = {b.I.xx * k, b.I.xy * k, b.I.xz * k, b.I.yy * k, b.I.yz * k, b.I.zz * k};
  }
  for (PreparedRotor& r : robot_.rotors) r.inertia *= factor();
  for (Friction& f : robot_.friction) {
    f.viscous *= factor();
    const double k = factor();
    f.coulomb_positive *= k;
    f.coulomb_negative *= k;
    f.breakaway *= k;
  }
  delay_s_ = config.sim.delay_s * factor();
  history_.resize(static_cast<std::size_t>(std::ceil(delay_s_ / config.cycle_s)) + 2);
}

void Plant::Place(const AxisArray& q) {
  q_ = q;
  v_ = {};
  tau_now_ = {};
  std::fill(history_.begin(), history_.end(), AxisArray{});
}

// The command that was given delay_s before substep's interval, averaged over it.
void Plant::Delay(int substep, AxisArray& tau) const {
  const double cycle = h_ * substeps_;
  const double from = substep * h_ - delay_s_, to = from + h_;  // since the newest command; below 0: older ones
  const double first = std::floor(from / cycle), last = std::floor(to / cycle);
  const auto age = [&](double period) { return std::min(history_.size() - 1, static_cast<std::size_t>(std::max(0.0, -period))); };
  const double newer = last > first ? (to - last * cycle) / h_ : 0;
  const AxisArray &old_command = history_[age(first)], &new_command = history_[age(last)];
  for (int i = 0; i < axes_; ++i) tau[i] = (1 - newer) * old_command[i] + newer * new_command[i];
}

void Plant::Step(const AxisArray& tau, std::uint32_t brakes) {
  std::rotate(history_.begin(), history_.end() - 1, history_.end());
  history_.front() = tau;
  const int n = axes_;
  const Vec3<double> no_gravity{0, 0, 0};
  const BodyInertia* inertias = robot_.inertias.data();

  Conditions conditions(robot_);
  conditions.terms.friction = false;

  Matrix A(n, n);
  AxisArray unit{}, column{};
  for (int j = 0; j < n; ++j) {
    unit[j] = 1;
    NewtonEuler<double>(robot_, inertias, no_gravity, true, q_.data(), nullptr, unit.data(), workspace_, column.data());
    unit[j] = 0;
    for (int i = 0; i < n; ++i) A(i, j) = column[i];
  }
  for (int i = 0; i < n; ++i) A(i, i) += h_ * robot_.friction[i].viscous;
  const Matrix W = A.llt().solve(Matrix::Identity(n, n));

  for (int s = 0; s < substeps_; ++s) {
    AxisArray bias{};
    InverseDynamics<double>(robot_, conditions, q_.data(), v_.data(), nullptr, workspace_, bias.data());
    Delay(s, tau_now_);
    Vector drive(n), v(n), low(n), high(n);
    for (int i = 0; i < n; ++i) {
      const Friction& f = robot_.friction[i];
      drive[i] = tau_now_[i] - bias[i] - f.viscous * v_[i];
      double extra = 0;
      if (f.stribeck_velocity > 0) {
        const double r = v_[i] / f.stribeck_velocity;
        extra = std::max(0.0, f.breakaway - std::max(f.coulomb_positive, f.coulomb_negative)) * std::exp(-r * r);
      }
      const bool brake = brakes >> i & 1;
      low[i] = brake ? -1e12 : -h_ * (f.coulomb_positive + extra);   // opposes v > 0
      high[i] = brake ? 1e12 : h_ * (f.coulomb_negative + extra);
    }
    v = Eigen::Map<const Eigen::VectorXd>(v_.data(), n) + h_ * (W * drive);
    Vector impulse = Vector::Zero(n);
    for (int sweep = 0; sweep < 12; ++sweep) {
      for (int i = 0; i < n; ++i) {
        if (low[i] == 0 && high[i] == 0) continue;
        const double wanted = std::clamp(impulse[i] - v[i] / W(i, i), low[i], high[i]);
        const double change = wanted - impulse[i];
        impulse[i] = wanted;
        for (int k = 0; k < n; ++k) v[k] += W(k, i) * change;
      }
    }
    for (int i = 0; i < n; ++i) {
      if (brakes >> i & 1) v[i] = 0;
      v_[i] = v[i];
      q_[i] += h_ * v[i];
    }
  }
}

}  // namespace torqued
