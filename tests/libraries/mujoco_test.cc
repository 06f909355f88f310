// MuJoCo 2.2 reading the same URDF files: inverse dynamics and mass matrix, joints matched by name.
//
// Known differences, allowed for: its compiler diagonalises inertias loosely (tolerance below), it refuses impossible
// tensors, ignores <mimic> and refuses a moving link without mass. It includes <dynamics> damping and friction.
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <memory>
#include <random>

#include "tests/robots/dynamics.h"

namespace torqued::test {
namespace {

constexpr double kCompilerError = 2e-6;  // [kg m^2], of MuJoCo's inertias

struct Closed {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
};

std::string Path(const std::string& file) { return "tests/golden/robots/" + file; }

TEST(Mujoco, GoldenUrdfs) {
  std::mt19937 random(20240608);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const char* file : {"inertial-rpy.urdf", "trailing-links.urdf", "crooked-axes.urdf", "joint-order.urdf", "friction.urdf"}) {
    SCOPED_TRACE(file);
    const LoadedModel robot = MustLoad(Path(file));
    char error[1000] = "";
    const std::unique_ptr<mjModel, Closed> m(mj_loadXML(Path(file).c_str(), nullptr, error, sizeof error));
    ASSERT_NE(m, nullptr) << error;
    m->opt.disableflags |= mjDSBL_CONSTRAINT & ~mjDSBL_FRICTIONLOSS;  // no limits, no contacts
    const std::unique_ptr<mjData, Closed> d(mj_makeData(m.get()));
    const Model& model = robot.model;
    const int n = model.nv;
    ASSERT_EQ(m->nv, n);
    std::vector<int> entry(n);
    for (int i = 0; i < n; ++i) {
      const int joint = mj_name2id(m.get(), mjOBJ_JOINT, model.coordinates[i].name.c_str());
      ASSERT_GE(joint, 0) << model.coordinates[i].name;
      entry[i] = m->jnt_dofadr[joint];
      EXPECT_NEAR(m->dof_damping[entry[i]], model.coordinates[i].friction.viscous, 1e-15);
      EXPECT_NEAR(m->dof_frictionloss[entry[i]], model.coordinates[i].friction.coulomb_positive, 1e-15);
    }
    Asked ask(model);
    for (int state = 0; state < 20; ++state) {
      Values q(n), v(n), a(n);
      for (int i = 0; i < n; ++i) {
        q[i] = 2 * uniform(random), v[i] = 2 * uniform(random), a[i] = 3 * uniform(random);
        d->qpos[entry[i]] = q[i], d->qvel[entry[i]] = v[i], d->qacc[entry[i]] = a[i];
      }
      mj_inverse(m.get(), d.get());
      const Values tau = ask.Torque(q, v, a), friction = ask.Friction(v);
      // Viscous friction is a passive force there; dry friction is a constraint solved for, left out of this comparison.
      for (int i = 0; i < n; ++i)
        EXPECT_NEAR(d->qfrc_inverse[entry[i]] + d->qfrc_constraint[entry[i]],
                    tau[i] + model.coordinates[i].friction.viscous * v[i], 20 * kCompilerError)
            << model.coordinates[i].name;
      std::vector<double> full(n * n);
      mj_fullM(m.get(), full.data(), d->qM);
      const Eigen::MatrixXd M = ask.MassMatrix(q);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) EXPECT_NEAR(full[entry[i] * n + entry[j]], M(i, j), kCompilerError);
    }
  }
}

// What the audit says of MuJoCo is what it does.
TEST(Mujoco, DifferencesThatTheAuditNames) {
  char error[1000] = "";
  const std::unique_ptr<mjModel, Closed> bad(mj_loadXML(Path("nonphysical.urdf").c_str(), nullptr, error, sizeof error));
  EXPECT_EQ(bad, nullptr);
  const std::unique_ptr<mjModel, Closed> mimic(mj_loadXML(Path("mimic-pair.urdf").c_str(), nullptr, error, sizeof error));
  ASSERT_NE(mimic, nullptr) << error;
  EXPECT_EQ(mimic->nv, 2);
}

}  // namespace
}  // namespace torqued::test
