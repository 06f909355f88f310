// Core's algorithms with Eigen vectors, for one model under one set of conditions.
#pragma once

#include <Eigen/Core>

#include "server/core/dynamics/coriolis.h"
#include "server/core/dynamics/energy.h"
#include "server/core/dynamics/forward_dynamics.h"
#include "server/core/dynamics/link_forces.h"
#include "server/core/dynamics/payload.h"
#include "server/core/tree/prepare.h"

namespace torqued {

struct Evaluate {
  explicit Evaluate(const Model& model, const PrepareOptions& options = {})
      : m(Prepare(model, options)), conditions(m), ws(m) {}

  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;

  Vector Inverse(const Vector& q, const Vector& v, const Vector& a) {
    Vector tau(m.nv);
    InverseDynamics(m, conditions, q.data(), v.data(), a.data(), ws, tau.data());
    return tau;
  }
  Vector Gravity(const Vector& q) {
    Vector tau(m.nv);
    GravityTorque(m, conditions, q.data(), ws, tau.data());
    return tau;
  }
  Vector Coriolis(const Vector& q, const Vector& v) {
    Vector tau(m.nv);
    CoriolisTorque(m, conditions, q.data(), v.data(), ws, tau.data());
    return tau;
  }
  Vector Bias(const Vector& q, const Vector& v) {
    Vector tau(m.nv);
    BiasTorque(m, conditions, q.data(), v.data(), ws, tau.data());
    return tau;
  }
  Matrix Mass(const Vector& q) {
    Matrix M(m.nv, m.nv);
    MassMatrix(m, conditions, q.data(), ws, M.data());
    return M;
  }
  Matrix CoriolisC(const Vector& q, const Vector& v) {
    Eigen::Matrix<double, -1, -1, Eigen::RowMajor> C(m.nv, m.nv);
    CoriolisMatrix(m, conditions, q.data(), v.data(), ws, C.data());
    return C;
  }
  Vector Forward(const Vector& q, const Vector& v, const Vector& tau, SolveStatus* status = nullptr) {
    Vector qdd(m.nv);
    const SolveStatus s = ForwardDynamics(m, conditions, q.data(), v.data(), tau.data(), ws, qdd.data());
    if (status) *status = s;
    return qdd;
  }
  Matrix FrameJacobian(const BodyFrame& f, Expression e, const Vector& q) {
    Matrix J(6, m.nv);
    Jacobian(m, f, e, q.data(), ws, J.data());
    return J;
  }
  Vector FrameJacobianDotV(const BodyFrame& f, Expression e, const Vector& q, const Vector& v) {
    Vector out(6);
    JacobianDotV(m, f, e, q.data(), v.data(), ws, out.data());
    return out;
  }
  Vector Wrench(const BodyFrame& f, WrenchAxes axes, const Vector& F, const Vector& q) {
    Vector tau(m.nv);
    const ForcePair<double> pair{FromEigen<double>(Eigen::Vector3d(F.head<3>())),
                                 FromEigen<double>(Eigen::Vector3d(F.tail<3>()))};
    WrenchTorque(m, f, axes, pair, q.data(), ws, tau.data());
    return tau;
  }
  Eigen::Matrix4d FrameMatrix(const BodyFrame& f, const Vector& q) {
    ForwardKinematics(m, q.data(), ws);
    const Pose<double> X = FramePose(f, ws);
    Eigen::Matrix4d T = Eigen::Matrix4d::Identity();
    T.topLeftCorner<3, 3>() = ToEigen(X.R);
    T.topRightCorner<3, 1>() = ToEigen(X.p);
    return T;
  }

  Prepared m;
  Conditions conditions;
  Workspace<double> ws;
};

}  // namespace torqued
