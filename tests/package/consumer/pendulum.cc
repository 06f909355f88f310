// A model made by hand, without a file or a server: the torque that holds a pendulum is m g l sin(q).
#include <cmath>
#include <cstdio>

#include "server/core/dynamics/inverse_dynamics.h"
#include "server/core/tree/prepare.h"

int main() {
  const double mass = 2, length = 0.5, q = 0.7;
  torqued::Model model;
  model.links.resize(2);
  model.links[0].name = "base";
  model.links[1].name = "arm";
  model.links[1].inertia = torqued::MassProperties{mass, {0, 0, -length}, Eigen::Matrix3d::Zero()};
  torqued::Joint joint;
  joint.name = "hinge";
  joint.kind = torqued::JointKind::kRevolute;
  joint.child_link = 1;
  joint.axis = Eigen::Vector3d::UnitY();
  joint.coupling = {{0, 1.0}};
  model.joints = {joint};
  torqued::Coordinate coordinate;
  coordinate.name = "hinge";
  model.coordinates = {coordinate};
  model.tool_frame = "arm";
  model.nq = model.nv = 1;

  const torqued::Prepared prepared = torqued::Prepare(model);
  const torqued::Conditions conditions(prepared);
  torqued::Workspace<double> workspace(prepared);
  double torque = 0;
  torqued::GravityTorque(prepared, conditions, &q, workspace, &torque);
  std::printf("%.6f Nm\n", torque);
  return std::abs(torque - mass * 9.81 * length * std::sin(q)) < 1e-12 ? 0 : 1;
}
