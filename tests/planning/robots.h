// Robots for the planners' tests, written out so that every number is in sight.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "client/planning/local_dynamics.h"
#include "server/core/tree/model.h"

namespace torqued::test {

inline Eigen::VectorXd Vector(std::initializer_list<double> values) {
  Eigen::VectorXd v(values.size());
  int k = 0;
  for (double x : values) v(k++) = x;
  return v;
}

struct ArmLink {
  JointKind kind = JointKind::kRevolute;
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();
  Eigen::Isometry3d X_PJ = Eigen::Isometry3d::Identity();
  MassProperties mass;
  Limits limits;
  Friction friction;
};

inline std::shared_ptr<Model> Arm(const std::vector<ArmLink>& links, const Eigen::Isometry3d& X_tool) {
  auto model = std::make_shared<Model>();
  model->name = "arm";
  model->links.push_back({"base", MassProperties{}, 0});
  for (size_t i = 0; i < links.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    model->links.push_back({"link" + number, links[i].mass, 0});
    Joint joint;
    joint.name = "j" + number;
    joint.kind = links[i].kind;
    joint.parent_link = static_cast<int>(i);
    joint.child_link = static_cast<int>(i) + 1;
    joint.X_PJ = links[i].X_PJ;
    joint.axis = links[i].axis;
    joint.coupling = {{static_cast<int>(i), 1}};
    model->joints.push_back(joint);
    Coordinate c;
    c.name = joint.name;
    c.kind = joint.kind;
    c.q_index = c.v_index = static_cast<int>(i);
    c.limits = links[i].limits;
    c.friction = links[i].friction;
    model->coordinates.push_back(c);
  }
  model->nq = model->nv = static_cast<int>(links.size());
  Frame tool;
  tool.name = "tool";
  tool.link = static_cast<int>(links.size());
  tool.X_LF = X_tool;
  model->frames.push_back(tool);
  model->tool_frame = "tool";
  return model;
}

inline Eigen::Isometry3d Shift(double x, double y, double z) {
  return Eigen::Isometry3d(Eigen::Translation3d(x, y, z));
}

inline Friction Dry(double coulomb, double viscous) {
  Friction f;
  f.coulomb_positive = f.coulomb_negative = coulomb;
  f.viscous = viscous;
  return f;
}

inline Limits Effort(double torque) {
  Limits l;
  l.effort = torque;
  return l;
}

// Point mass 1 kg at 1 m; q from the horizontal, y up.
inline std::shared_ptr<Model> Pendulum(double torque, const Friction& friction = {}) {
  ArmLink link;
  link.mass.mass = 1;
  link.mass.com = {1, 0, 0};
  link.limits = Effort(torque);
  link.friction = friction;
  auto model = Arm({link}, Shift(1, 0, 0));
  model->gravity = {0, -9.81, 0};
  return model;
}

// m = l = 1, lc = 1/2, I = 1/12; q1 from the horizontal, y up (gravity 0: the horizontal plane).
inline std::shared_ptr<Model> TwoLink(double torque1, double torque2, const Friction& friction = {}, double gravity = 9.81) {
  ArmLink a;
  a.mass.mass = 1;
  a.mass.com = {0.5, 0, 0};
  a.mass.inertia_about_com = Eigen::Vector3d(0, 1.0 / 12, 1.0 / 12).asDiagonal();
  a.friction = friction;
  a.limits = Effort(torque1);
  ArmLink b = a;
  b.X_PJ = Shift(1, 0, 0);
  b.limits = Effort(torque2);
  auto model = Arm({a, b}, Shift(1, 0, 0));
  model->gravity = {0, -gravity, 0};
  return model;
}

inline std::unique_ptr<LocalDynamics> Local(std::shared_ptr<Model> model, const LocalOptions& options = {}) {
  return LocalDynamics::Create(std::move(model), options).value();
}

}  // namespace torqued::test
