// A robot whose log is made with mistakes. The torques come from recursive Newton-Euler on a model that really has the
// mistake, not from Explain's own decomposition.
#pragma once

#include <algorithm>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "client/cli/explain.h"
#include "client/cli/mistakes.h"
#include "server/core/dynamics/inverse_dynamics.h"
#include "server/core/dynamics/regressor.h"
#include "server/core/tree/prepare.h"
#include "server/robots/load.h"

namespace torqued::cli::test {

constexpr double kDegree = std::numbers::pi / 180;

class Robot {
 public:
  explicit Robot(const std::string& file)
      : model_(LoadModelFile(file)->model), prepared_(Prepare(model_)) {
    workspace_.Resize(prepared_);
    std::mt19937_64 random(11);
    std::uniform_real_distribution<> value(-1.5, 1.5);
    const int n = model_.nv;
    for (LogRows* rows : {&q, &v, &a}) {
      rows->resize(30, n);
      for (Eigen::Index i = 0; i < rows->size(); ++i) rows->data()[i] = value(random);
    }
  }

  LogRows Torques(const LogRows& at_q, const LogRows& at_v, const LogRows& at_a,
                  const Terms& terms = {}) {
    Conditions conditions(prepared_);
    conditions.terms = terms;
    conditions.gravity = gravity;
    LogRows tau(at_q.rows(), model_.nv);
    for (Eigen::Index s = 0; s < at_q.rows(); ++s) {
      InverseDynamics<double>(prepared_, conditions, at_q.row(s).data(), at_v.row(s).data(),
                              at_a.row(s).data(), workspace_, tau.row(s).data());
    }
    return tau;
  }

  TorqueAnatomy Anatomy(const LogRows& at_q, const LogRows& at_v, const LogRows& at_a) {
    TorqueAnatomy x;
    const int n = model_.nv;
    const RegressorColumns columns{static_cast<int>(model_.links.size())};
    const auto Y = [&](const Vec3<double>& g) {
      Conditions conditions(prepared_);
      conditions.gravity = g;
      LogRows rows(at_q.rows() * n, columns.Count(prepared_));
      Eigen::MatrixXd one(n, columns.Count(prepared_));
      for (Eigen::Index s = 0; s < at_q.rows(); ++s) {
        Regressor<double>(prepared_, columns, conditions, at_q.row(s).data(), at_v.row(s).data(),
                          at_a.row(s).data(), workspace_, one.data());
        rows.middleRows(s * n, n) = one;
      }
      return rows;
    };
    x.Y0 = Y({0, 0, 0});
    x.Yx = Y({1, 0, 0}) - x.Y0;
    x.Yy = Y({0, 1, 0}) - x.Y0;
    x.Yz = Y({0, 0, 1}) - x.Y0;
    x.full = Torques(at_q, at_v, at_a);
    Terms without;
    without.rotor = false;
    x.rotor = x.full - Torques(at_q, at_v, at_a, without);
    without = {};
    without.friction = false;
    x.friction = x.full - Torques(at_q, at_v, at_a, without);
    x.wrench = wrench.size() > 0 ? wrench : LogRows::Zero(at_q.rows(), n);
    if (wrench.size() > 0) {  // the same joint torques at every state: enough to tell its sign
      x.wrench = wrench.row(0).replicate(at_q.rows(), 1);
      x.full += x.wrench;
    }
    return x;
  }

  LogModel Describe() const {
    LogModel log;
    for (int i = 0; i < model_.nv; ++i) {
      const auto& c = model_.coordinates[static_cast<size_t>(i)];
      log.names.push_back(c.name);
      log.permutable.push_back(true);
      log.angular.push_back(c.kind != JointKind::kPrismatic);
      log.q_column.push_back(i);
    }
    log.gravity = {prepared_.gravity.x, prepared_.gravity.y, prepared_.gravity.z};
    log.parameters.setZero(10 * static_cast<Eigen::Index>(model_.links.size()));
    for (size_t l = 0; l < model_.links.size(); ++l) {
      if (!model_.links[l].inertia) continue;
      const auto& inertia = *model_.links[l].inertia;
      const Eigen::Vector3d c = inertia.com;
      const Eigen::Matrix3d I =
          inertia.inertia_about_com +
          inertia.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
      log.parameters.segment<10>(10 * static_cast<Eigen::Index>(l)) << inertia.mass,
          inertia.mass * c, I(0, 0), I(0, 1), I(1, 1), I(0, 2), I(1, 2), I(2, 2);
    }
    log.has_wrench = wrench.size() > 0;
    return log;
  }

  // The same robot with each link's tensor changed.
  template <class Change>
  void ChangeInertias(Change change) {
    for (auto& link : model_.links)
      if (link.inertia) change(*link.inertia);
    const Prepared changed = Prepare(model_);
    prepared_.inertias = changed.inertias;
  }

  Verdict Solve(const LogRows& tau) {
    const auto verdict =
        Explain(Describe(), q, v, a, tau, 1e-6,
                [this](const LogRows& at_q, const LogRows& at_v, const LogRows& at_a) {
                  return absl::StatusOr<TorqueAnatomy>(Anatomy(at_q, at_v, at_a));
                });
    EXPECT_TRUE(verdict.ok()) << verdict.status();
    return *verdict;
  }

  const Model& model() const { return model_; }
  Vec3<double> own_gravity() const { return prepared_.gravity; }

  LogRows q, v, a, wrench;
  Vec3<double> gravity{0, 0, -9.81};

 private:
  Model model_;
  Prepared prepared_;
  Workspace<double> workspace_;
};

inline Robot Puma() { return Robot("deploy/robots/puma560.yaml"); }
inline Robot Scara() { return Robot("deploy/robots/scara.yaml"); }

inline LogRows Permuted(const LogRows& rows, const std::vector<int>& from) {
  LogRows result = rows;
  for (size_t i = 0; i < from.size(); ++i)
    result.col(static_cast<Eigen::Index>(i)) = rows.col(from[i]);
  return result;
}

inline void ReadInAnotherOrder(MassProperties& m) {
  const Eigen::Matrix3d I = m.inertia_about_com;  // xx xy xz yy yz zz read as xx yy zz xy xz yz
  m.inertia_about_com << I(0, 0), I(1, 1), I(1, 2), I(1, 1), I(0, 1), I(2, 2), I(1, 2), I(2, 2),
      I(0, 2);
}

}  // namespace torqued::cli::test
