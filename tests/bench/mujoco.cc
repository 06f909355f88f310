// MuJoCo (Debian's libmujoco) on the same robot, written as MJCF and loaded back. Only what each question needs is run:
// positions, velocities, its own recursive Newton-Euler, composite inertias and sparse factors; no contacts, no integrator.
// MuJoCo rounds nothing in memory, but its reader wants text: numbers are written with 17 digits.
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "tests/bench/contender.h"

namespace torqued::bench {
namespace {

std::string Numbers(std::initializer_list<double> values) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(17);
  for (double v : values) out << v << ' ';
  return out.str();
}

// Bodies below link l, depth first. False: a joint kind that this translation does not speak.
bool WriteChildren(const Model& m, int link, std::ostringstream& xml) {
  for (const Joint& j : m.joints) {
    if (j.parent_link != link) continue;
    if (j.kind != JointKind::kFixed && (VelocityCount(j.kind) != 1 || j.is_mimic)) return false;
    const Eigen::Isometry3d X = j.X_PJ * j.X_JL;
    const Eigen::Vector3d p = X.translation(), axis = j.X_JL.linear().transpose() * j.axis;
    const Eigen::Quaterniond u(X.linear());
    xml << "<body name='" << m.links[j.child_link].name << "' pos='" << Numbers({p.x(), p.y(), p.z()}) << "' quat='"
        << Numbers({u.w(), u.x(), u.y(), u.z()}) << "'>";
    if (const auto& mp = m.links[j.child_link].inertia; mp && mp->mass > 0) {
      const Eigen::Matrix3d& I = mp->inertia_about_com;
      xml << "<inertial pos='" << Numbers({mp->com.x(), mp->com.y(), mp->com.z()}) << "' mass='" << Numbers({mp->mass})
          << "' fullinertia='" << Numbers({I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)}) << "'/>";
    }
    if (j.kind != JointKind::kFixed) {
      const Eigen::Vector3d at = j.X_JL.inverse().translation();
      xml << "<joint name='" << j.name << "' type='" << (j.kind == JointKind::kPrismatic ? "slide" : "hinge")
          << "' axis='" << Numbers({axis.x(), axis.y(), axis.z()}) << "' pos='" << Numbers({at.x(), at.y(), at.z()}) << "'/>";
    }
    if (!WriteChildren(m, j.child_link, xml)) return false;
    xml << "</body>";
  }
  return true;
}

struct Mujoco {
  mjModel* model = nullptr;
  mjData* data = nullptr;
  int tool = 0;
  std::vector<int> entry;  // our entry of each MuJoCo coordinate
  std::vector<mjtNum> out, jac;

  explicit Mujoco(const Model& m) {
    std::ostringstream xml;
    xml << "<mujoco><compiler angle='radian' boundmass='1e-9' boundinertia='1e-12' balanceinertia='false'/><option gravity='"
        << Numbers({m.gravity.x(), m.gravity.y(), m.gravity.z()}) << "'/><worldbody>";
    if (!WriteChildren(m, 0, xml)) return;
    xml << "</worldbody></mujoco>";
    char path[] = "/tmp/torqued_bench_XXXXXX.xml";
    const int file = mkstemps(path, 4);
    if (file < 0) return;
    const std::string text = xml.str();
    const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    close(file);
    char error[500] = "";
    if (written) model = mj_loadXML(path, nullptr, error, sizeof(error));
    std::remove(path);
    if (model == nullptr) {
      std::fprintf(stderr, "MuJoCo refuses %s: %s\n", m.name.c_str(), error);
      return;
    }
    data = mj_makeData(model);
    tool = mj_name2id(model, mjOBJ_BODY, m.tool_frame.c_str());
    for (const Joint& j : m.joints)
      if (j.kind != JointKind::kFixed) {
        const int id = mj_name2id(model, mjOBJ_JOINT, j.name.c_str());
        if (static_cast<int>(entry.size()) <= id) entry.resize(id + 1);
        entry[id] = m.coordinates[j.coupling[0].coordinate].v_index;
      }
    out.resize(model->nv * model->nv);
    jac.resize(6 * model->nv);
  }
  ~Mujoco() {
    if (data) mj_deleteData(data);
    if (model) mj_deleteModel(model);
  }
  Mujoco(const Mujoco&) = delete;
  Mujoco& operator=(const Mujoco&) = delete;

  void Pass(const Robot& r, Question question, double* rows) {
    const int n = model->nv;
    for (int i = 0; i < kStates; ++i, rows += WidthOf(question, n)) {
      for (int k = 0; k < n; ++k) {
        data->qpos[k] = r.q[i * n + entry[k]];
        data->qvel[k] = question == Question::kGravity ? 0 : r.v[i * n + entry[k]];
        data->qacc[k] = r.x[i * n + entry[k]];
      }
      mj_kinematics(model, data);
      mj_comPos(model, data);
      switch (question) {
        case Question::kInverseDynamics:
          mj_comVel(model, data);
          mj_rne(model, data, 1, out.data());
          break;
        case Question::kGravity:
          mj_comVel(model, data);
          mj_rne(model, data, 0, out.data());
          break;
        case Question::kMassMatrix:
          mj_crb(model, data);
          mj_fullM(model, out.data(), data->qM);
          for (int a = 0; a < n; ++a)
            for (int b = 0; b < n; ++b) rows[entry[a] * n + entry[b]] = out[a * n + b];
          continue;
        case Question::kForwardDynamics:
          mj_crb(model, data);
          mj_factorM(model, data);
          mj_comVel(model, data);
          mj_rne(model, data, 0, out.data());
          for (int k = 0; k < n; ++k) out[n + k] = r.x[i * n + entry[k]] - out[k];
          mj_solveM(model, data, out.data(), out.data() + n, 1);
          break;
        case Question::kJacobian:
          mj_jacBody(model, data, jac.data(), jac.data() + 3 * n, tool);
          for (int row = 0; row < 6; ++row)
            for (int a = 0; a < n; ++a) rows[row * n + entry[a]] = jac[row * n + a];
          continue;
        case Question::kPathDynamics: break;
      }
      for (int k = 0; k < n; ++k) rows[entry[k]] = out[k];
    }
  }
};

}  // namespace

std::vector<Contender> MujocoContenders(const Robot& r, Question question) {
  if (question == Question::kPathDynamics || r.model.nv < 2) return {};
  const auto mujoco = std::make_shared<Mujoco>(r.model);
  if (mujoco->model == nullptr || mujoco->tool < 0) return {};
  return {{"MuJoCo", [&r, question, mujoco](double* rows) { mujoco->Pass(r, question, rows); }, 1e-6}};
}

}  // namespace torqued::bench
