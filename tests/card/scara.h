// The robot and the card that the tests of this folder share: a SCARA of table size, four axes.
//
// Geometry and masses are this file's own round numbers: arms 0.35 m and 0.25 m, 6 kg and 4 kg, quill 1.5 kg, wrist 0.4 kg.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "client/card/sim_card.h"
#include "client/planning/trajectory.h"
#include "server/core/dynamics/inverse_dynamics.h"
#include "server/core/tree/prepare.h"

namespace torqued::card_test {

inline MassProperties Bar(double mass, double length) {
  MassProperties m;
  m.mass = mass;
  m.com = Eigen::Vector3d(length / 2, 0, 0);
  const double I = mass * length * length / 12 + 0.002;
  m.inertia_about_com = Eigen::Vector3d(0.01, I, I).asDiagonal();
  return m;
}

inline Model ScaraModel() {
  Model model;
  model.name = "test-scara";
  model.links = {{"base", std::nullopt, 0}, {"arm1", Bar(6, 0.35), 0}, {"arm2", Bar(4, 0.25), 0}, {"quill", Bar(1.5, 0.05), 0}, {"wrist", Bar(0.4, 0.04), 0}};
  const char* names[] = {"j1", "j2", "z", "r"};
  const double place[] = {0, 0.35, 0.25, 0};
  const double viscous[] = {2.0, 1.2, 20, 0.02}, coulomb[] = {4.0, 2.5, 8, 0.1}, rotor[] = {0.4, 0.15, 3.0, 0.003};
  for (int i = 0; i < 4; ++i) {
    Joint j;
    j.name = names[i];
    j.kind = i == 2 ? JointKind::kPrismatic : JointKind::kRevolute;
    j.parent_link = i;
    j.child_link = i + 1;
    j.X_PJ.translation() = Eigen::Vector3d(place[i], 0, 0);
    j.coupling = {{i, 1.0}};
    model.joints.push_back(j);
    Coordinate c;
    c.name = names[i];
    c.kind = j.kind;
    c.q_index = c.v_index = i;
    c.friction.viscous = viscous[i];
    c.friction.coulomb_positive = c.friction.coulomb_negative = coulomb[i];
    model.coordinates.push_back(c);
    Rotor r;
    r.name = names[i];
    r.inertia = rotor[i] / 2500;
    r.ratio = {{i, 50.0}};
    model.rotors.push_back(r);
  }
  model.nq = model.nv = 4;
  model.tool_frame = "wrist";
  return model;
}

inline CardConfig ScaraConfig() {
  CardConfig c;
  c.name = "test-scara";
  c.feedback_capacity = 4096;
  const char* names[] = {"j1", "j2", "z", "r"};
  const double counts[] = {131072 / (2 * M_PI), 131072 / (2 * M_PI), 131072 / 0.02, 65536 / (2 * M_PI)};
  const double gear[] = {50, 50, 1, 20};
  const double velocity[] = {6, 8, 1.2, 20}, acceleration[] = {60, 80, 20, 300}, torque[] = {160, 80, 300, 8};
  const double kp[] = {6000, 2200, 30000, 20}, kd[] = {180, 55, 700, 0.5};
  const double lower[] = {-2.4, -2.5, -0.25, -6.3}, upper[] = {2.4, 2.5, 0.05, 6.3};
  for (int i = 0; i < 4; ++i) {
    AxisConfig a;
    a.name = names[i];
    a.linear = i == 2;
    a.counts_per_unit = counts[i];
    a.gear = gear[i];
    a.sign = i % 2 ? -1 : 1;
    a.zero = 0.1 * i;
    a.lower = lower[i];
    a.upper = upper[i];
    a.velocity = velocity[i];
    a.acceleration = acceleration[i];
    a.torque = torque[i];
    // A stop has no torque feed-forward of its own: what the position loop can hold within the following-error limit.
    a.stop_deceleration = acceleration[i] / (i == 3 ? 4 : 2);
    a.quick_deceleration = 1.5 * a.stop_deceleration;
    a.following = {i == 2 ? 0.01 : 0.03, i == 2 ? 0.02 : 0.08, 0.01};
    a.kp = kp[i];
    a.kd = kd[i];
    c.axes.push_back(a);
  }
  c.sim.seed = 20240;
  return c;
}

// Joint torques of the model (not of the simulated robot) for a motion; friction included.
inline void FillTorques(const Prepared& m, Trajectory& t) {
  Workspace<double> ws(m);
  const Conditions conditions(m);
  t.tau.resize(t.q.rows(), t.q.cols());
  for (int k = 0; k < t.sample_count(); ++k)
    InverseDynamics<double>(m, conditions, t.q.col(k).data(), t.v.col(k).data(), t.a.col(k).data(), ws, t.tau.col(k).data());
}

// Through the points, resting at each: quintic in time, about `about_s` apart (whole samples), sampled every `period_s`.
inline Trajectory Quintic(const Prepared& m, const std::vector<Eigen::VectorXd>& points, double about_s, double period_s) {
  Trajectory t;
  const int joints = static_cast<int>(points[0].size()), per = static_cast<int>(std::lround(about_s / period_s));
  const double segment_s = per * period_s;
  const int n = per * (static_cast<int>(points.size()) - 1) + 1;
  for (int j = 0; j < joints; ++j) t.joint_names.push_back(j < 4 ? std::vector<std::string>{"j1", "j2", "z", "r"}[j] : std::to_string(j));
  t.q.resize(joints, n);
  t.v.resize(joints, n);
  t.a.resize(joints, n);
  for (int k = 0; k < n; ++k) {
    const int leg = std::min(k / per, static_cast<int>(points.size()) - 2);
    const double x = static_cast<double>(k - leg * per) / per;
    const Eigen::VectorXd d = points[leg + 1] - points[leg];
    t.time_s.push_back(k * period_s);
    t.q.col(k) = points[leg] + d * (x * x * x * (10 + x * (-15 + 6 * x)));
    t.v.col(k) = d * (30 * x * x * (1 + x * (-2 + x)) / segment_s);
    t.a.col(k) = d * (60 * x * (1 + x * (-3 + 2 * x)) / (segment_s * segment_s));
  }
  FillTorques(m, t);
  return t;
}

inline Eigen::VectorXd Point(double a, double b, double c, double d) { return Eigen::Vector4d(a, b, c, d); }

// A pick-and-place of 4 segments and back.
inline Trajectory PickAndPlace(const Prepared& m, double segment_s = 0.5, double period_s = 0.004) {
  return Quintic(m, {Point(0, 0, 0, 0), Point(0.8, -0.6, -0.05, 1.5), Point(0.8, -0.6, -0.15, 1.5), Point(-0.7, 0.9, -0.02, -1), Point(0, 0, 0, 0)},
                 segment_s, period_s);
}

inline AxisArray ToAxes(const Eigen::VectorXd& v) {
  AxisArray a{};
  for (int i = 0; i < v.size(); ++i) a[i] = v[i];
  return a;
}

// What holds the robot at rest at q.
inline AxisArray HoldTorque(const Prepared& m, const AxisArray& q) {
  Workspace<double> ws(m);
  AxisArray tau{};
  InverseDynamics<double>(m, Conditions(m), q.data(), nullptr, nullptr, ws, tau.data());
  return tau;
}

// Set-points of the trajectory's own samples at the card's cycle (its period must be that cycle).
inline std::vector<SetPoint> ToSetPoints(const Trajectory& t, std::uint32_t session) {
  std::vector<SetPoint> out;
  for (int k = 0; k < t.sample_count(); ++k) {
    SetPoint p;
    p.session = session;
    p.sequence = k + 1;
    p.flags = k + 1 == t.sample_count() ? kLastSetPoint : 0;
    p.q = ToAxes(t.q.col(k));
    p.v = ToAxes(t.v.col(k));
    if (t.has_tau()) p.tau = ToAxes(t.tau.col(k));
    out.push_back(p);
  }
  return out;
}

// An in-process card under the virtual clock, opened and enabled at `at`.
struct Rig {
  explicit Rig(const CardConfig& config = ScaraConfig(), const AxisArray& at = {}) : model(Prepare(ScaraModel())) {
    auto made = SimCard::Make(model, config, at, SimClock::kVirtual);
    if (!made.ok()) throw std::runtime_error(std::string(made.status().message()));
    card = std::move(*made);
  }
  void Enable() {
    Ok(card->Open());
    Ok(card->Enable(HoldTorque(model, card->machine().plant().q())));
  }
  static void Ok(const CardStatus& s) {
    if (!s.ok()) throw std::runtime_error(ToString(s));
  }
  std::vector<Feedback> Drain() {
    std::vector<Feedback> out;
    for (Feedback f; card->Poll(&f);) out.push_back(f);
    return out;
  }

  Prepared model;
  std::unique_ptr<SimCard> card;
};

}  // namespace torqued::card_test
