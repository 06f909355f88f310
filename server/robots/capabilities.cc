#include "server/robots/capabilities.h"

#include "server/core/tree/prepare.h"

namespace torqued {
namespace {

bool Zero(const SymMat3<double>& I) {
  return I.xx == 0 && I.xy == 0 && I.xz == 0 && I.yy == 0 && I.yz == 0 && I.zz == 0;
}

// Does the joint move the subtree `b` at any cost? Structural: exact zeros only.
bool MovesNothing(const Prepared& m, int first) {
  const Body& body = m.bodies[first];
  bool mass = false, turning = false, alone = true;
  for (int i = first; i < body.subtree_end; ++i) {
    const BodyInertia& B = m.inertias[i];
    if (B.m != 0) mass = true;
    if (!Zero(B.I)) turning = true;
    if (i != first && (B.m != 0 || !Zero(B.I))) alone = false;
  }
  if (body.motion == Motion::kPrismatic) return !mass;
  if (body.motion == Motion::kRevolute && alone) return m.inertias[first].I.zz == 0;
  return !mass && !turning;
}

bool HasRotor(const Model& model, const Joint& joint) {
  for (const Rotor& r : model.rotors)
    for (const auto& [v, ratio] : r.ratio)
      for (const CouplingTerm& t : joint.coupling)
        if (model.coordinates[t.coordinate].v_index == v && ratio != 0 && r.inertia > 0) return true;
  return false;
}

}  // namespace

std::vector<bool> MovingLinks(const Model& model) {
  std::vector<bool> moving(model.links.size(), false);
  std::vector<std::vector<int>> children(model.links.size());
  for (size_t j = 0; j < model.joints.size(); ++j)
    children[model.joints[j].parent_link].push_back(static_cast<int>(j));
  std::vector<int> open = {0};
  while (!open.empty()) {
    const int link = open.back();
    open.pop_back();
    for (int j : children[link]) {
      const Joint& joint = model.joints[j];
      moving[joint.child_link] = moving[link] || joint.kind != JointKind::kFixed;
      open.push_back(joint.child_link);
    }
  }
  return moving;
}

Capabilities FindCapabilities(const Model& model) {
  Capabilities out;
  const std::vector<bool> moving = MovingLinks(model);
  for (size_t l = 0; l < model.links.size(); ++l)
    if (moving[l] && !model.links[l].inertia) out.unknown_inertias.push_back(model.links[l].name);
  out.dynamics = out.unknown_inertias.empty();

  const Prepared prepared = Prepare(model);
  std::vector<int> uses(model.coordinates.size(), 0);  // joints that a coordinate moves
  for (const Joint& joint : model.joints)
    for (const CouplingTerm& t : joint.coupling) ++uses[t.coordinate];
  int last_joint = -1;
  for (int b = 0; b < prepared.body_count(); ++b) {
    const int j = prepared.bodies[b].joint;
    if (j == last_joint) continue;
    const Joint& joint = model.joints[j];
    // Where a coordinate moves several joints, one that moves nothing does not make M singular.
    const bool own = joint.coupling.size() == 1 && uses[joint.coupling[0].coordinate] == 1;
    if (out.dynamics && own && MovesNothing(prepared, b) && !HasRotor(model, joint)) {
      out.massless_joints.push_back(joint.name);
      last_joint = j;
    }
  }
  out.forward_dynamics = out.dynamics && out.massless_joints.empty();
  for (const Joint& joint : model.joints)
    if (joint.kind == JointKind::kFloating) out.floating_base = true;
  out.coupled = prepared.coupled;
  out.has_rotors = !model.rotors.empty();
  out.has_friction = prepared.has_friction;
  out.has_springs = !model.point_springs.empty() || !model.coordinate_springs.empty();
  return out;
}

}  // namespace torqued
