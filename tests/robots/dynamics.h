// Short questions to core for tests of what the loaders make: torques, mass matrix, poses.
#pragma once

#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "server/core/dynamics/place.h"
#include "server/core/dynamics/rnea.h"
#include "server/core/tree/prepare.h"
#include "server/robots/load.h"

namespace torqued::test {

using Values = std::vector<double>;

class Asked {
 public:
  explicit Asked(const Model& model) : model_(model), m_(Prepare(model)), ws_(m_) {}

  // Rigid bodies and rotors; without friction and springs.
  Values Torque(const Values& q, const Values& v, const Values& a, bool rotors = true, bool gravity = true) {
    Values tau(m_.nv);
    const Vec3<double> g = gravity ? m_.gravity : Vec3<double>{0, 0, 0};
    NewtonEuler(m_, m_.inertias.data(), g, rotors, q.data(), v.empty() ? nullptr : v.data(),
                a.empty() ? nullptr : a.data(), ws_, tau.data());
    return tau;
  }
  Values Gravity(const Values& q) { return Torque(q, {}, {}); }
  Values Friction(const Values& v) {
    Values tau(m_.nv);
    for (int i = 0; i < m_.nv; ++i) tau[i] = FrictionTorque(m_.friction[i], v[i]);
    return tau;
  }
  Eigen::MatrixXd MassMatrix(const Values& q, bool rotors = true) {
    Eigen::MatrixXd M(m_.nv, m_.nv);
    for (int j = 0; j < m_.nv; ++j) {
      Values unit(m_.nv, 0.0);
      unit[j] = 1;
      const Values column = Torque(q, {}, unit, rotors, false);
      for (int i = 0; i < m_.nv; ++i) M(i, j) = column[i];
    }
    return M;
  }
  Eigen::Isometry3d Pose(const std::string& frame, const Values& q) {
    Values tree(m_.nq_tree);
    if (m_.coupled) ExpandPositions(m_, q.data(), tree.data());
    else tree = q;
    std::vector<Eigen::Isometry3d> X(m_.bodies.size());
    for (size_t i = 0; i < m_.bodies.size(); ++i) {
      BodyKinematics<double> k;
      PlaceBody(m_.bodies[i], tree.data(), k);
      Eigen::Isometry3d X_PB = Eigen::Isometry3d::Identity();
      X_PB.linear() = ToEigen(k.R);
      X_PB.translation() = ToEigen(k.p);
      X[i] = m_.bodies[i].parent == kWorld ? X_PB : X[m_.bodies[i].parent] * X_PB;
    }
    for (size_t f = 0; f < m_.frames.size(); ++f) {
      if (m_.frame_names[f] != frame) continue;
      Eigen::Isometry3d X_BF = Eigen::Isometry3d::Identity();
      X_BF.linear() = ToEigen(m_.frames[f].R);
      X_BF.translation() = ToEigen(m_.frames[f].p);
      return m_.frames[f].body == kWorld ? X_BF : X[m_.frames[f].body] * X_BF;
    }
    ADD_FAILURE() << "no frame " << frame;
    return Eigen::Isometry3d::Identity();
  }
  const Prepared& prepared() const { return m_; }
  const Model& model() const { return model_; }

 private:
  const Model& model_;
  Prepared m_;
  Workspace<double> ws_;
};

inline void ExpectNear(const Values& got, const Values& want, double tolerance, const std::string& what = "") {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], tolerance) << what << " entry " << i;
}

inline LoadedModel MustLoad(const std::string& path, const LoadOptions& options = {}) {
  absl::StatusOr<LoadedModel> loaded = LoadModelFile(path, options);
  if (!loaded.ok()) {
    ADD_FAILURE() << loaded.status();
    return {};
  }
  return *std::move(loaded);
}

inline bool HasFinding(const LoadedModel& loaded, const std::string& code, const std::string& element = "") {
  for (const Finding& f : loaded.findings)
    if (f.code == code && (element.empty() || f.element == element)) return true;
  return false;
}

}  // namespace torqued::test
