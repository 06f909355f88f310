// Orocos KDL 1.5 on the same robots: inverse dynamics, mass matrix, hand pose and Jacobian, joints matched by name.
//
// The tree is built from the Model through KDL's own types, not by KDL's URDF reader. KDL has no rotors, no friction and
// no couplings, so rotor terms are left out and coupled or floating robots are not compared.
#include <gtest/gtest.h>

#include <filesystem>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/tree.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <map>
#include <random>

#include "server/core/dynamics/jacobian.h"
#include "tests/robots/dynamics.h"

namespace torqued::test {
namespace {

KDL::Vector ToKdl(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }
KDL::Frame ToKdl(const Eigen::Isometry3d& X) {
  const Eigen::Matrix3d R = X.linear();
  return {KDL::Rotation(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)),
          ToKdl(X.translation())};
}

KDL::RigidBodyInertia ToKdl(const std::optional<MassProperties>& mp) {
  if (!mp) return KDL::RigidBodyInertia::Zero();
  const Eigen::Matrix3d& I = mp->inertia_about_com;
  return KDL::RigidBodyInertia(
      mp->mass, ToKdl(mp->com), KDL::RotationalInertia(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)));
}

KDL::Tree MakeTree(const Model& model) {
  KDL::Tree tree("link " + model.links[0].name);
  std::vector<bool> placed(model.links.size(), false);
  placed[0] = true;
  for (bool more = true; more;) {
    more = false;
    for (const Joint& j : model.joints) {
      if (!placed[j.parent_link] || placed[j.child_link]) continue;
      const Eigen::Vector3d axis = j.X_PJ.linear() * j.axis;
      KDL::Joint joint(j.name, KDL::Joint::Fixed);
      if (j.kind == JointKind::kRevolute || j.kind == JointKind::kContinuous)
        joint = KDL::Joint(j.name, ToKdl(j.X_PJ.translation()), ToKdl(axis), KDL::Joint::RotAxis);
      if (j.kind == JointKind::kPrismatic)
        joint = KDL::Joint(j.name, ToKdl(j.X_PJ.translation()), ToKdl(axis), KDL::Joint::TransAxis);
      const KDL::Segment segment("link " + model.links[j.child_link].name, joint, ToKdl(j.X_PJ * j.X_JL),
                                 ToKdl(model.links[j.child_link].inertia));
      EXPECT_TRUE(tree.addSegment(segment, "link " + model.links[j.parent_link].name));
      placed[j.child_link] = more = true;
    }
  }
  return tree;
}

bool Comparable(const LoadedModel& robot) {
  if (robot.capabilities.coupled || !robot.capabilities.dynamics) return false;
  for (const Coordinate& c : robot.model.coordinates)
    if (VelocityCount(c.kind) != 1) return false;
  return true;
}

double Relative(double difference, double scale) { return difference / std::max(1.0, scale); }

TEST(Kdl, ShippedAndGoldenRobots) {
  std::mt19937 random(20240607);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int compared = 0;
  for (const char* folder : {"deploy/robots", "tests/golden/robots"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".yaml" && entry.path().extension() != ".urdf") continue;
      SCOPED_TRACE(entry.path().string());
      const LoadedModel robot = MustLoad(entry.path().string());
      if (!Comparable(robot)) continue;
      ++compared;
      const Model& model = robot.model;
      const KDL::Tree tree = MakeTree(model);
      const int n = model.nv;
      ASSERT_EQ(static_cast<int>(tree.getNrOfJoints()), n);
      std::map<std::string, int> kdl_index;  // by joint name: KDL orders branches by segment name
      for (const auto& [name, element] : tree.getSegments())
        if (element.segment.getJoint().getType() != KDL::Joint::Fixed)
          kdl_index[element.segment.getJoint().getName()] = element.q_nr;
      KDL::TreeIdSolver_RNE rne(tree, ToKdl(model.gravity));
      KDL::Chain chain;
      const std::string tip = model.links[model.joints.back().child_link].name;
      ASSERT_TRUE(tree.getChain("link " + model.links[0].name, "link " + tip, chain));
      Asked ask(model);
      Workspace<double> ws(ask.prepared());
      for (int state = 0; state < 20; ++state) {
        Values q(n), v(n), a(n);
        KDL::JntArray kq(n), kv(n), ka(n), ktau(n);
        for (int i = 0; i < n; ++i) {
          q[i] = 3 * uniform(random), v[i] = 2 * uniform(random), a[i] = 5 * uniform(random);
          const int k = kdl_index.at(model.coordinates[i].name);
          kq(k) = q[i], kv(k) = v[i], ka(k) = a[i];
        }
        ASSERT_EQ(rne.CartToJnt(kq, kv, ka, KDL::WrenchMap(), ktau), 0);
        const Values tau = ask.Torque(q, v, a, false);
        double scale = 0, worst = 0;
        for (int i = 0; i < n; ++i) {
          scale = std::max(scale, std::abs(tau[i]));
          worst = std::max(worst, std::abs(tau[i] - ktau(kdl_index.at(model.coordinates[i].name))));
        }
        EXPECT_LT(Relative(worst, scale), 1e-13);

        // Along the chain to the last link: pose, geometric Jacobian, and for a serial robot the mass matrix.
        KDL::JntArray cq(chain.getNrOfJoints());
        std::vector<int> column;  // entry of our v, per chain joint
        for (const KDL::Segment& s : chain.segments) {
          if (s.getJoint().getType() == KDL::Joint::Fixed) continue;
          for (int i = 0; i < n; ++i)
            if (model.coordinates[i].name == s.getJoint().getName()) cq(column.size()) = q[i], column.push_back(i);
        }
        KDL::Frame X;
        ASSERT_EQ(KDL::ChainFkSolverPos_recursive(chain).JntToCart(cq, X), 0);
        EXPECT_LT((ask.Pose(tip, q).translation() - Eigen::Map<Eigen::Vector3d>(X.p.data)).norm(), 1e-14);
        KDL::Jacobian kJ(chain.getNrOfJoints());
        ASSERT_EQ(KDL::ChainJntToJacSolver(chain).JntToJac(cq, kJ), 0);
        Eigen::Matrix<double, 6, Eigen::Dynamic> J(6, n);
        Jacobian(ask.prepared(), ask.prepared().frames[model.FindLink(tip)], Expression::kWorldAligned, q.data(), ws,
                 J.data());
        for (size_t k = 0; k < column.size(); ++k)
          EXPECT_LT((J.col(column[k]) - kJ.data.col(k)).cwiseAbs().maxCoeff(), 1e-13);
        if (static_cast<int>(column.size()) != n) continue;
        KDL::JntSpaceInertiaMatrix kM(n);
        ASSERT_EQ(KDL::ChainDynParam(chain, ToKdl(model.gravity)).JntToMass(cq, kM), 0);
        const Eigen::MatrixXd M = ask.MassMatrix(q, false);
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j)
            EXPECT_LT(Relative(std::abs(M(column[i], column[j]) - kM(i, j)), M.cwiseAbs().maxCoeff()), 1e-13);
      }
    }
  }
  EXPECT_GE(compared, 15);
}

}  // namespace
}  // namespace torqued::test
