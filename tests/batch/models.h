// Robots for the kernels' tests, made from a seed: trees with every joint kind, couplings, rotors, springs, friction.
#pragma once

#include <random>
#include <string>

#include "server/core/tree/model.h"
#include "server/core/tree/prepare.h"

namespace torqued::testing {

class ModelMaker {
 public:
  explicit ModelMaker(unsigned seed) : random_(seed) {}

  double Uniform(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random_); }
  int Integer(int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random_); }

  Eigen::Vector3d Vector(double size) { return {Uniform(-size, size), Uniform(-size, size), Uniform(-size, size)}; }
  Eigen::Matrix3d Rotation() {
    Eigen::Quaterniond u(Uniform(-1, 1), Uniform(-1, 1), Uniform(-1, 1), Uniform(0.1, 1));
    return u.normalized().toRotationMatrix();
  }

  // A tree of `joints` moving joints. `plain`: revolute and prismatic joints only, nothing coupled.
  Model Tree(int joints, bool plain) {
    Model m;
    m.name = "tree";
    AddLink(m);
    for (int j = 0; j < joints; ++j) AddJoint(m, j, plain);
    m.tool_frame = m.links.back().name;
    if (plain) return m;
    AddDrives(m);
    m.X_WR.linear() = Rotation();
    m.X_WR.translation() = Vector(1);
    return m;
  }

  // One row of a state: unit quaternions where the model wants them.
  void State(const Model& m, double* q, double* v, double* a) {
    for (const Coordinate& c : m.coordinates) {
      const int nq = PositionCount(c.kind);
      for (int k = 0; k < nq; ++k) q[c.q_index + k] = Uniform(-3, 3);
      if (c.kind == JointKind::kSpherical || c.kind == JointKind::kFloating)
        Eigen::Map<Eigen::Vector4d>(q + c.q_index + nq - 4).normalize();
      for (int k = 0; k < VelocityCount(c.kind); ++k) {
        v[c.v_index + k] = Uniform(-2, 2);
        a[c.v_index + k] = Uniform(-5, 5);
      }
    }
  }

 private:
  void AddLink(Model& m) {
    Link link;
    link.name = "link" + std::to_string(m.links.size());
    MassProperties mp;
    mp.mass = Uniform(0.2, 8);
    mp.com = Vector(0.3);
    Eigen::Vector3d d(Uniform(0.01, 0.3), Uniform(0.01, 0.3), Uniform(0.01, 0.3));
    const Eigen::Matrix3d R = Rotation();
    mp.inertia_about_com = R * Eigen::Vector3d(d.y() + d.z(), d.x() + d.z(), d.x() + d.y()).asDiagonal() * R.transpose();
    link.inertia = mp;
    m.links.push_back(link);
  }

  void AddJoint(Model& m, int j, bool plain) {
    static constexpr JointKind kKinds[] = {JointKind::kRevolute, JointKind::kPrismatic, JointKind::kSpherical,
                                           JointKind::kPlanar,   JointKind::kFixed,     JointKind::kRevolute};
    Joint joint;
    joint.name = "joint" + std::to_string(j);
    joint.kind = plain ? (Integer(0, 3) ? JointKind::kRevolute : JointKind::kPrismatic)
                       : (j == 0 && Integer(0, 1) ? JointKind::kFloating : kKinds[Integer(0, 5)]);
    joint.parent_link = std::max(0, static_cast<int>(m.links.size()) - 1 - (Integer(0, 3) == 0 ? Integer(0, 2) : 0));
    joint.child_link = static_cast<int>(m.links.size());
    joint.X_PJ.linear() = Rotation();
    joint.X_PJ.translation() = Vector(0.5);
    joint.axis = Integer(0, 1) ? Eigen::Vector3d::Unit(Integer(0, 2)) : Vector(1).normalized();
    AddLink(m);
    if (joint.kind != JointKind::kFixed) Couple(m, joint, plain);
    m.joints.push_back(joint);
  }

  void Couple(Model& m, Joint& joint, bool plain) {
    const bool one = VelocityCount(joint.kind) == 1;
    std::vector<int> masters;
    for (size_t c = 0; c < m.coordinates.size(); ++c)
      if (VelocityCount(m.coordinates[c].kind) == 1) masters.push_back(static_cast<int>(c));
    if (!plain && one && !masters.empty() && Integer(0, 4) == 0) {
      joint.is_mimic = true;
      joint.offset = Uniform(-1, 1);
      joint.coupling = {{masters[Integer(0, static_cast<int>(masters.size()) - 1)], Uniform(-2, 2)}};
      return;
    }
    Coordinate c;
    c.name = joint.name;
    c.kind = joint.kind;
    c.q_index = m.nq;
    c.v_index = m.nv;
    if (!plain && Integer(0, 2)) {
      c.friction = {0.3, 1.5, 1.1, 0, 0, 0};
      if (Integer(0, 1)) c.friction.smoothing_velocity = 0.1;
      if (Integer(0, 2) == 0) c.friction.breakaway = 2, c.friction.stribeck_velocity = 0.2;
    }
    joint.coupling = {{static_cast<int>(m.coordinates.size()), 1.0}};
    m.coordinates.push_back(c);
    m.nq += PositionCount(joint.kind);
    m.nv += VelocityCount(joint.kind);
  }

  void AddDrives(Model& m) {
    for (const Coordinate& c : m.coordinates)
      if (VelocityCount(c.kind) == 1 && Integer(0, 1)) {
        Rotor r;
        r.name = "rotor";
        r.inertia = 1e-4;
        r.ratio = {{c.v_index, 80.0}};
        if (Integer(0, 1)) r.carrier_link = Integer(0, static_cast<int>(m.links.size()) - 1), r.axis = Vector(1).normalized();
        m.rotors.push_back(r);
      } else if (VelocityCount(c.kind) == 1 && Integer(0, 2) == 0) {
        m.coordinate_springs.push_back({static_cast<int>(&c - m.coordinates.data()), 30.0, 0.2});
      }
    if (m.links.size() > 2 && Integer(0, 1)) {
      PointSpring s;
      s.link_b = static_cast<int>(m.links.size()) - 1;
      s.point_a = Vector(0.5);
      s.point_b = Vector(0.5);
      s.stiffness = 200;
      s.free_length = 0.1;
      m.point_springs.push_back(s);
    }
  }

  std::mt19937 random_;
};

}  // namespace torqued::testing
