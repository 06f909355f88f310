// DART (Debian's libdart) on the same robot, built body by body.
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/WeldJoint.hpp>

#include "tests/bench/contender.h"

namespace torqued::bench {
namespace {

namespace dd = dart::dynamics;

struct Dart {
  dd::SkeletonPtr skeleton;
  dd::BodyNode* tool = nullptr;
  std::vector<int> entry;  // our entry of each DART coordinate
  Eigen::VectorXd q, v, x;

  explicit Dart(const Model& m) {
    skeleton = dd::Skeleton::create("robot");
    skeleton->setGravity(m.gravity);
    if (!AddChildren(m, 0, nullptr)) {
      skeleton = nullptr;
      return;
    }
    tool = skeleton->getBodyNode(m.tool_frame);
    const int n = static_cast<int>(entry.size());
    q.resize(n), v.resize(n), x.resize(n);
  }

  bool AddChildren(const Model& m, int link, dd::BodyNode* parent) {
    for (const Joint& j : m.joints) {
      if (j.parent_link != link) continue;
      if (j.kind != JointKind::kFixed && (VelocityCount(j.kind) != 1 || j.is_mimic)) return false;
      dd::BodyNode::Properties body;
      body.mName = m.links[j.child_link].name;
      const MassProperties mp = m.links[j.child_link].inertia.value_or(MassProperties());
      const bool weightless = !(mp.mass > 0);  // DART wants some mass: as little as changes nothing
      body.mInertia = dd::Inertia(weightless ? 1e-12 : mp.mass, mp.com,
                                  weightless ? Eigen::Matrix3d(1e-12 * Eigen::Matrix3d::Identity()) : mp.inertia_about_com);
      std::pair<dd::Joint*, dd::BodyNode*> made;
      if (j.kind == JointKind::kFixed) {
        dd::WeldJoint::Properties joint;
        joint.mName = j.name;
        made = skeleton->createJointAndBodyNodePair<dd::WeldJoint>(parent, joint, body);
      } else if (j.kind == JointKind::kPrismatic) {
        dd::PrismaticJoint::Properties joint;
        joint.mName = j.name;
        joint.mAxis = j.axis;
        made = skeleton->createJointAndBodyNodePair<dd::PrismaticJoint>(parent, joint, body);
      } else {
        dd::RevoluteJoint::Properties joint;
        joint.mName = j.name;
        joint.mAxis = j.axis;
        made = skeleton->createJointAndBodyNodePair<dd::RevoluteJoint>(parent, joint, body);
      }
      made.first->setTransformFromParentBodyNode(j.X_PJ);
      made.first->setTransformFromChildBodyNode(j.X_JL.inverse());
      if (j.kind != JointKind::kFixed) entry.push_back(m.coordinates[j.coupling[0].coordinate].v_index);
      if (!AddChildren(m, j.child_link, made.second)) return false;
    }
    return true;
  }

  void Pass(const Robot& r, Question question, double* rows) {
    const int n = static_cast<int>(entry.size());
    for (int i = 0; i < kStates; ++i, rows += WidthOf(question, n)) {
      for (int k = 0; k < n; ++k) {
        q[k] = r.q[i * n + entry[k]];
        v[k] = r.v[i * n + entry[k]];
        x[k] = r.x[i * n + entry[k]];
      }
      skeleton->setPositions(q);
      switch (question) {
        case Question::kInverseDynamics:
          skeleton->setVelocities(v);
          skeleton->setAccelerations(x);
          skeleton->computeInverseDynamics(false, false);
          Take(skeleton->getForces(), rows);
          break;
        case Question::kForwardDynamics:
          skeleton->setVelocities(v);
          skeleton->setForces(x);
          skeleton->computeForwardDynamics();
          Take(skeleton->getAccelerations(), rows);
          break;
        case Question::kGravity: Take(skeleton->getGravityForces(), rows); break;
        case Question::kMassMatrix: {
          const Eigen::MatrixXd& M = skeleton->getMassMatrix();
          for (int a = 0; a < n; ++a)
            for (int b = 0; b < n; ++b) rows[entry[a] * n + entry[b]] = M(a, b);
          break;
        }
        case Question::kJacobian: {
          const Eigen::MatrixXd J = skeleton->getWorldJacobian(tool);  // angular rows first
          for (int a = 0; a < n; ++a)
            for (int row = 0; row < 6; ++row) rows[row * n + entry[a]] = J((row + 3) % 6, a);
          break;
        }
        case Question::kPathDynamics: break;
      }
    }
  }

  void Take(const Eigen::VectorXd& values, double* row) const {
    for (size_t k = 0; k < entry.size(); ++k) row[entry[k]] = values[static_cast<int>(k)];
  }
};

}  // namespace

std::vector<Contender> DartContenders(const Robot& r, Question question) {
  if (question == Question::kPathDynamics) return {};
  const auto dart = std::make_shared<Dart>(r.model);
  if (dart->skeleton == nullptr || dart->tool == nullptr) return {};
  return {{"DART", [&r, question, dart](double* rows) { dart->Pass(r, question, rows); }, 1e-6}};
}

}  // namespace torqued::bench
