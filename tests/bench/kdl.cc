// KDL (Debian's liborocos-kdl) on the same robot: a serial chain from the root to the tool.
#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacsolver.hpp>

#include <algorithm>

#include "tests/bench/contender.h"

namespace torqued::bench {
namespace {

KDL::Frame ToKdl(const Eigen::Isometry3d& X) {
  const Eigen::Matrix3d R = X.linear();
  const Eigen::Vector3d p = X.translation();
  return KDL::Frame(KDL::Rotation(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)),
                    KDL::Vector(p.x(), p.y(), p.z()));
}

KDL::RigidBodyInertia ToKdl(const std::optional<MassProperties>& mp) {
  if (!mp) return KDL::RigidBodyInertia::Zero();
  const Eigen::Matrix3d& I = mp->inertia_about_com;
  return KDL::RigidBodyInertia(mp->mass, KDL::Vector(mp->com.x(), mp->com.y(), mp->com.z()),
                               KDL::RotationalInertia(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)));
}

// Joint indices from the root to the tool link; empty if a moving joint lies off that way or is no one-degree joint.
std::vector<int> ChainOf(const Model& m) {
  std::vector<int> parent_joint(m.links.size(), -1), way;
  for (size_t j = 0; j < m.joints.size(); ++j) parent_joint[m.joints[j].child_link] = static_cast<int>(j);
  for (int l = m.FindLink(m.tool_frame); l > 0 && parent_joint[l] >= 0; l = m.joints[parent_joint[l]].parent_link)
    way.push_back(parent_joint[l]);
  std::reverse(way.begin(), way.end());
  int moving = 0;
  for (int j : way) {
    const JointKind k = m.joints[j].kind;
    if (k != JointKind::kFixed && (VelocityCount(k) != 1 || m.joints[j].is_mimic)) return {};
    moving += k != JointKind::kFixed;
  }
  return moving == m.nv ? way : std::vector<int>();
}

struct Kdl {
  KDL::Chain chain;
  std::vector<int> entry;  // of each KDL joint in our vectors
  KDL::Vector gravity;
  std::unique_ptr<KDL::ChainIdSolver_RNE> id;
  std::unique_ptr<KDL::ChainFdSolver_RNE> fd;
  std::unique_ptr<KDL::ChainDynParam> param;
  std::unique_ptr<KDL::ChainJntToJacSolver> jac;
  KDL::JntArray q, v, x, out;
  KDL::Wrenches none;
  KDL::JntSpaceInertiaMatrix M;
  KDL::Jacobian J;

  explicit Kdl(const Model& m, const std::vector<int>& way) : gravity(m.gravity.x(), m.gravity.y(), m.gravity.z()) {
    for (int j : way) {
      const Joint& joint = m.joints[j];
      KDL::Joint kj(joint.name, KDL::Joint::Fixed);
      const KDL::Vector axis = ToKdl(joint.X_PJ).M * KDL::Vector(joint.axis.x(), joint.axis.y(), joint.axis.z());
      const KDL::Vector origin = ToKdl(joint.X_PJ).p;
      if (joint.kind != JointKind::kFixed) {
        entry.push_back(m.coordinates[joint.coupling[0].coordinate].v_index);
        kj = KDL::Joint(joint.name, origin, axis,
                        joint.kind == JointKind::kPrismatic ? KDL::Joint::TransAxis : KDL::Joint::RotAxis);
      }
      chain.addSegment(KDL::Segment(m.links[joint.child_link].name, kj, ToKdl(joint.X_PJ * joint.X_JL), ToKdl(m.links[joint.child_link].inertia)));
    }
    const unsigned n = chain.getNrOfJoints();
    id = std::make_unique<KDL::ChainIdSolver_RNE>(chain, gravity);
    fd = std::make_unique<KDL::ChainFdSolver_RNE>(chain, gravity);
    param = std::make_unique<KDL::ChainDynParam>(chain, gravity);
    jac = std::make_unique<KDL::ChainJntToJacSolver>(chain);
    for (KDL::JntArray* a : {&q, &v, &x, &out}) a->resize(n);
    none.assign(chain.getNrOfSegments(), KDL::Wrench::Zero());
    M.resize(n);
    J.resize(n);
  }

  void Pass(const Robot& r, Question question, double* rows) {
    const int n = static_cast<int>(entry.size());
    for (int i = 0; i < kStates; ++i, rows += WidthOf(question, n)) {
      for (int k = 0; k < n; ++k) {
        q(k) = r.q[i * n + entry[k]];
        v(k) = r.v[i * n + entry[k]];
        x(k) = r.x[i * n + entry[k]];
      }
      switch (question) {
        case Question::kInverseDynamics: id->CartToJnt(q, v, x, none, out); break;
        case Question::kForwardDynamics: fd->CartToJnt(q, v, x, none, out); break;
        case Question::kGravity: param->JntToGravity(q, out); break;
        case Question::kMassMatrix:
          param->JntToMass(q, M);
          for (int a = 0; a < n; ++a)
            for (int b = 0; b < n; ++b) rows[entry[a] * n + entry[b]] = M(a, b);
          continue;
        case Question::kJacobian:
          jac->JntToJac(q, J);
          for (int a = 0; a < n; ++a)
            for (int row = 0; row < 6; ++row) rows[row * n + entry[a]] = J(row, a);
          continue;
        case Question::kPathDynamics: break;
      }
      for (int k = 0; k < n; ++k) rows[entry[k]] = out(k);
    }
  }
};

}  // namespace

std::vector<Contender> KdlContenders(const Robot& r, Question question) {
  const std::vector<int> way = ChainOf(r.model);
  if (way.empty() || question == Question::kPathDynamics) return {};
  const auto kdl = std::make_shared<Kdl>(r.model, way);
  return {{"KDL", [&r, question, kdl](double* rows) { kdl->Pass(r, question, rows); }, question == Question::kForwardDynamics ? 1e-6 : 1e-9}};
}

}  // namespace torqued::bench
