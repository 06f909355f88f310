// How does a described model become the form that algorithms run on?
//
// One depth-first walk over the tree. Each link gets a place (body, X_BL); fixed joints extend the place, moving joints
// start a body. See prepared.h for the result and why.
#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "server/core/tree/prepared.h"
#include "server/core/tree/sparsity.h"

namespace torqued {

struct PrepareOptions {
  bool lump_fixed = true;  // false: fixed joints stay bodies (Motion::kFixed), so that their reaction can be asked
};

// A rotation that takes z onto `axis` (unit): along a coordinate axis a permutation (x: columns y z x; y: z x y; z: the
// identity), otherwise the shortest turn; a negative axis (z < 0 where crooked): its opposite's with the second and third
// column negated. Joint's planar kind relies on it.
inline Eigen::Matrix3d RotationFromZ(const Eigen::Vector3d& axis) {
  if (axis.x() == 0 && axis.y() == 0)
    return axis.z() > 0 ? Eigen::Matrix3d(Eigen::Matrix3d::Identity())
                        : Eigen::Matrix3d(Eigen::Vector3d(1, -1, -1).asDiagonal());
  // The axis-aligned cases exactly: cyclic permutations keep later constants exact zeros and ones.
  if (axis == Eigen::Vector3d::UnitX()) return (Eigen::Matrix3d() << 0, 0, 1, 1, 0, 0, 0, 1, 0).finished();
  if (axis == Eigen::Vector3d::UnitY()) return (Eigen::Matrix3d() << 0, 1, 0, 0, 0, 1, 1, 0, 0).finished();
  if (axis.z() < 0 || axis == -Eigen::Vector3d::UnitX() || axis == -Eigen::Vector3d::UnitY())
    return RotationFromZ(-axis) * Eigen::Vector3d(1, -1, -1).asDiagonal();
  // Rodrigues with k = z x axis, 1 + cos >= 1: no cancellation.
  Eigen::Matrix3d K;
  K << 0, 0, axis.x(), 0, 0, axis.y(), -axis.x(), -axis.y(), 0;
  return Eigen::Matrix3d::Identity() + K + K * K / (1 + axis.z());
}

namespace prepare_detail {

// Entries below the rounding of their own construction (rpy = 1.5707963...) stay as given: nothing is snapped to zero.
struct Place {
  int body = kWorld;
  Eigen::Isometry3d X_BL = Eigen::Isometry3d::Identity();
};

inline BodyFrame ToBodyFrame(const Place& place, const Eigen::Isometry3d& X_LF) {
  const Eigen::Isometry3d X = place.X_BL * X_LF;
  return {place.body, FromEigen(Eigen::Matrix3d(X.linear())), FromEigen<double>(X.translation())};
}

class Walk {
 public:
  Walk(const Model& model, const PrepareOptions& options, Prepared& out)
      : model_(model), options_(options), out_(out), places_(model.links.size()), children_(model.links.size()) {
    for (size_t j = 0; j < model.joints.size(); ++j)
      children_[model.joints[j].parent_link].push_back(static_cast<int>(j));
  }

  std::vector<Place> Run() {
    Visit(0, {kWorld, model_.X_WR});
    return places_;
  }

 private:
  void Visit(int link, const Place& place) {
    places_[link] = place;
    if (place.body != kWorld && model_.links[link].inertia)
      out_.inertias[place.body] = out_.inertias[place.body] + ToBodyInertia(*model_.links[link].inertia, place.X_BL);
    for (int j : children_[link]) {
      const Joint& joint = model_.joints[j];
      const Eigen::Isometry3d X_BJ = place.X_BL * joint.X_PJ;
      if (joint.kind == JointKind::kFixed && options_.lump_fixed) {
        Visit(joint.child_link, {place.body, X_BJ * joint.X_JL});
        continue;
      }
      const int first = out_.body_count();
      Place child = AddBodies(j, place.body, X_BJ);
      child.X_BL = child.X_BL * joint.X_JL;
      out_.bodies[child.body].link = joint.child_link;
      Visit(joint.child_link, child);
      for (int b = first; b < out_.body_count(); ++b)
        if (out_.bodies[b].joint == j) out_.bodies[b].subtree_end = out_.body_count();
    }
  }

  Place AddBodies(int j, int parent, const Eigen::Isometry3d& X_BJ) {
    const Joint& joint = model_.joints[j];
    switch (joint.kind) {
      case JointKind::kRevolute:
      case JointKind::kContinuous:
        return AddTurned(j, parent, X_BJ, Motion::kRevolute, RotationFromZ(joint.axis));
      case JointKind::kPrismatic:
        return AddTurned(j, parent, X_BJ, Motion::kPrismatic, RotationFromZ(joint.axis));
      case JointKind::kPlanar: {
        // x along the plane's x axis, then y, then a turn about the normal.
        const Eigen::Matrix3d N = RotationFromZ(joint.axis);  // normal = N z
        const Eigen::Matrix3d Zx = N * RotationFromZ(Eigen::Vector3d::UnitX());
        const Eigen::Matrix3d Zy = N * RotationFromZ(Eigen::Vector3d::UnitY());
        const int bx = Add(j, parent, X_BJ.linear() * Zx, X_BJ.translation(), Motion::kPrismatic);
        const int by = Add(j, bx, Zx.transpose() * Zy, Eigen::Vector3d::Zero(), Motion::kPrismatic);
        const int bt = Add(j, by, Zy.transpose() * N, Eigen::Vector3d::Zero(), Motion::kRevolute);
        Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
        X.linear() = N.transpose();
        return {bt, X};
      }
      case JointKind::kSpherical:
        return {Add(j, parent, X_BJ.linear(), X_BJ.translation(), Motion::kSpherical), Eigen::Isometry3d::Identity()};
      case JointKind::kFloating:
        return {Add(j, parent, X_BJ.linear(), X_BJ.translation(), Motion::kFloating), Eigen::Isometry3d::Identity()};
      case JointKind::kFixed:
        return {Add(j, parent, X_BJ.linear(), X_BJ.translation(), Motion::kFixed), Eigen::Isometry3d::Identity()};
    }
    return {};
  }

  Place AddTurned(int j, int parent, const Eigen::Isometry3d& X_BJ, Motion motion, const Eigen::Matrix3d& turn) {
    const int b = Add(j, parent, X_BJ.linear() * turn, X_BJ.translation(), motion);
    Eigen::Isometry3d X_BL = Eigen::Isometry3d::Identity();
    X_BL.linear() = turn.transpose();
    return {b, X_BL};
  }

  int Add(int j, int parent, const Eigen::Matrix3d& R, const Eigen::Vector3d& p, Motion motion) {
    Body body;
    body.parent = parent;
    body.motion = motion;
    body.R = FromEigen(R);
    body.p = FromEigen<double>(p);
    body.joint = j;
    out_.bodies.push_back(body);
    out_.inertias.emplace_back();
    return out_.body_count() - 1;
  }

  const Model& model_;
  const PrepareOptions& options_;
  Prepared& out_;
  std::vector<Place> places_;
  std::vector<std::vector<int>> children_;
};

// Tree entries per joint in document order; the model's own entries where nothing is coupled.
inline void AssignIndices(const Model& model, Prepared& out) {
  out.v_to_q.resize(model.nv);
  for (const Coordinate& c : model.coordinates)
    for (int k = 0; k < VelocityCount(c.kind); ++k)
      out.v_to_q[c.v_index + k] = VelocityCount(c.kind) == PositionCount(c.kind) ? c.q_index + k : c.q_index;

  // Uncoupled: every coordinate moves exactly one joint, one to one.
  std::vector<int> uses(model.coordinates.size(), 0);
  for (const Joint& j : model.joints) {
    if (j.kind == JointKind::kFixed) continue;
    if (j.coupling.size() != 1 || j.coupling[0].factor != 1 || j.offset != 0) {
      out.coupled = true;
      break;
    }
    ++uses[j.coupling[0].coordinate];
  }
  for (int n : uses) out.coupled = out.coupled || n != 1;
  std::vector<int> q_of(model.joints.size(), 0), v_of(model.joints.size(), 0);
  int nq = 0, nv = 0;
  for (size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (joint.kind == JointKind::kFixed) continue;
    if (out.coupled) {
      q_of[j] = nq;
      v_of[j] = nv;
    } else {
      q_of[j] = model.coordinates[joint.coupling[0].coordinate].q_index;
      v_of[j] = model.coordinates[joint.coupling[0].coordinate].v_index;
    }
    nq += PositionCount(joint.kind);
    nv += VelocityCount(joint.kind);
  }
  out.nq = model.nq;
  out.nv = model.nv;
  out.nq_tree = out.coupled ? nq : model.nq;
  out.nv_tree = out.coupled ? nv : model.nv;

  std::vector<int> used(model.joints.size(), 0);  // bodies of a planar joint take consecutive entries
  for (Body& b : out.bodies) {
    b.q_index = q_of[b.joint] + used[b.joint];
    b.v_index = v_of[b.joint] + used[b.joint];
    ++used[b.joint];
  }
  if (!out.coupled) return;
  out.coupling.resize(nv);
  for (size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    const int n = VelocityCount(joint.kind);
    for (int k = 0; k < n; ++k) {
      CouplingRow& row = out.coupling[v_of[j] + k];
      row.offset = n == 1 ? joint.offset : 0;
      for (const CouplingTerm& t : joint.coupling)
        row.terms.emplace_back(model.coordinates[t.coordinate].v_index + k, t.factor);
    }
  }
}

}  // namespace prepare_detail

// REQUIRES: a checked model (robots/ builds only such): one root, no loop, unit axes, couplings within range.
// Unknown inertias count as zero here; what may be asked of such a model is decided by whoever holds the Model.
inline Prepared Prepare(const Model& model, const PrepareOptions& options = {}) {
  Prepared out;
  prepare_detail::Walk walk(model, options, out);
  const std::vector<prepare_detail::Place> places = walk.Run();
  prepare_detail::AssignIndices(model, out);

  out.link_count = static_cast<int>(model.links.size());
  for (size_t l = 0; l < model.links.size(); ++l) {
    out.frame_names.push_back(model.links[l].name);
    out.frames.push_back(prepare_detail::ToBodyFrame(places[l], Eigen::Isometry3d::Identity()));
  }
  for (const Frame& f : model.frames) {
    out.frame_names.push_back(f.name);
    out.frames.push_back(prepare_detail::ToBodyFrame(places[f.link], f.X_LF));
  }
  for (size_t f = 0; f < out.frame_names.size(); ++f)
    if (out.frame_names[f] == model.tool_frame) out.tool_frame = static_cast<int>(f);

  for (const Rotor& r : model.rotors) {
    PreparedRotor rotor;
    rotor.inertia = r.inertia;
    rotor.ratio = r.ratio;
    if (r.carrier_link >= 0) {
      rotor.carrier = places[r.carrier_link].body;
      rotor.axis = FromEigen<double>(places[r.carrier_link].X_BL.linear() * r.axis);
    }
    out.rotors.push_back(rotor);
  }
  for (const PointSpring& s : model.point_springs) {
    Eigen::Isometry3d A = Eigen::Isometry3d::Identity(), B = A;
    A.translation() = s.point_a;
    B.translation() = s.point_b;
    out.point_springs.push_back({prepare_detail::ToBodyFrame(places[s.link_a], A),
                                 prepare_detail::ToBodyFrame(places[s.link_b], B), s.stiffness, s.free_length});
  }
  for (CoordinateSpring s : model.coordinate_springs) {
    const Coordinate& c = model.coordinates[s.coordinate];
    out.spring_q_index.push_back(c.q_index);
    s.coordinate = c.v_index;
    out.coordinate_springs.push_back(s);
  }
  out.friction.resize(model.nv);
  for (const Coordinate& c : model.coordinates) {
    for (int k = 0; k < VelocityCount(c.kind); ++k) out.friction[c.v_index + k] = c.friction;
    const Friction& f = c.friction;
    if (f.viscous != 0 || f.coulomb_positive != 0 || f.coulomb_negative != 0 || f.breakaway != 0)
      out.has_friction = true;
  }
  out.gravity = FromEigen<double>(model.gravity);
  FindSparsity(out);
  return out;
}

}  // namespace torqued
