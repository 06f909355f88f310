// Which entries of M can be non-zero, and in which order does M factor without filling the others?
//
// M of a tree couples two entries only if one lies on the other's way to the world (Featherstone 2008, section 6.4).
// So M = L^T D L with L as sparse as M, if entries are eliminated from the leaves inward, each into `dof_parent`'s
// chain. Couplings and rotors with distant carriers may couple anything: then the chain runs through all entries,
// which is the dense factorisation by the same code.
#pragma once

#include <vector>

#include "server/core/tree/prepared.h"

namespace torqued {
namespace sparsity_detail {

inline bool OnWay(const std::vector<int>& parent, int from, int to) {
  for (int i = from; i >= 0; i = parent[i])
    if (i == to) return true;
  return false;
}
inline bool Related(const std::vector<int>& parent, int i, int j) { return OnWay(parent, i, j) || OnWay(parent, j, i); }

// Do all rotors couple only entries that the tree couples anyway?
inline bool RotorsFollowTree(const Prepared& m) {
  for (const PreparedRotor& rotor : m.rotors)
    for (const auto& [i, ratio] : rotor.ratio) {
      for (const auto& [j, other] : rotor.ratio)
        if (!Related(m.tree_dof_parent, i, j)) return false;
      if (rotor.carrier == kWorld) continue;
      for (int j = m.bodies[rotor.carrier].last_dof; j >= 0; j = m.tree_dof_parent[j])
        if (!Related(m.tree_dof_parent, i, j)) return false;
    }
  return true;
}

}  // namespace sparsity_detail

// Fills last_dof, tree_dof_parent, dof_order, dof_parent, simple_rotors, armature. REQUIRES: everything else is set.
inline void FindSparsity(Prepared& m) {
  m.tree_dof_parent.assign(m.nv_tree, -1);
  std::vector<int> tree_order;
  for (Body& b : m.bodies) {
    int last = b.parent == kWorld ? -1 : m.bodies[b.parent].last_dof;
    for (int k = 0; k < VelocityCount(b.motion); ++k) {
      m.tree_dof_parent[b.v_index + k] = last;
      last = b.v_index + k;
      tree_order.push_back(last);
    }
    b.last_dof = last;
  }

  if (!m.coupled && sparsity_detail::RotorsFollowTree(m)) {
    m.dof_order = tree_order;
    m.dof_parent = m.tree_dof_parent;
  } else {
    for (int k = 0; k < m.nv; ++k) {
      m.dof_order.push_back(k);
      m.dof_parent.push_back(k - 1);
    }
  }

  m.armature.assign(m.nv, 0);
  for (const PreparedRotor& rotor : m.rotors) {
    if (rotor.carrier != kWorld || rotor.ratio.size() != 1) m.simple_rotors = false;
    for (const auto& [i, ratio] : rotor.ratio) m.armature[i] += rotor.inertia * ratio * ratio;
  }
}

}  // namespace torqued
