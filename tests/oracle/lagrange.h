// What would Lagrange say? Dynamics from 4x4 matrices alone: no recursion, no prepared model, long double.
//
// Every link's pose is a product of 4x4 matrices; its derivative along entry a of v is W_a T, where W_a is the 4x4 twist
// of that entry at its place in the product. With the link's 4x4 mass distribution P = integral of r r^T dm, G = T P T^T:
//   M_ab = sum tr(W_a G W_b^T)       c_a = sum tr(W_a G Z^T), Z T = d2T/dt2 at a = 0      g_a = -sum gravity . W_a T mc
// (Uicker 1965, Paul 1981). Joints with quaternions have body-fixed twists: their second derivatives order accordingly.
// A rotor is here a real spinning body on its carrier. Couplings are the projection with B at the very end.
#pragma once

#include <vector>

#include "server/core/tree/model.h"

namespace torqued::oracle {

using Real = long double;
using Matrix4 = Eigen::Matrix<Real, 4, 4>;

// The x and y of a planar joint with this normal, joint frame (Joint in model.h).
std::pair<Eigen::Vector3d, Eigen::Vector3d> PlaneAxes(const Eigen::Vector3d& normal);

class Lagrange {
 public:
  // REQUIRES: q [nq], v [nv].
  Lagrange(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v);

  Eigen::MatrixXd MassMatrix() const;
  Eigen::MatrixXd MassMatrixRate() const;  // dM/dt along v
  Eigen::VectorXd Coriolis() const;        // C(q, v) v
  Eigen::VectorXd Gravity() const;
  // D_ijk = 1/2 d2 c_i / dv_j dv_k, at [(i nv + j) nv + k].
  std::vector<double> Coefficients() const;
  double KineticEnergy() const;
  double PotentialEnergy() const;          // zero at the world's origin
  Eigen::Matrix4d LinkPose(int link) const;  // in the world
  // Of the point p [m] fixed in `link` (link frame), world axes, rows linear then angular.
  Eigen::MatrixXd PointJacobian(int link, const Eigen::Vector3d& p) const;
  Eigen::VectorXd PointJacobianDotV(int link, const Eigen::Vector3d& p) const;

 private:
  struct Entry {       // one velocity entry of the unreduced tree
    Matrix4 W;         // its twist, world
    int group;         // entries of one quaternion joint share it
    int position;      // along its chain
    std::vector<std::pair<int, double>> terms;  // its row of B
    Real rate;
  };
  struct Mass {        // something with mass: its chain of entries and its G
    std::vector<int> chain;
    Matrix4 G;
    Eigen::Matrix<Real, 4, 1> first_moment;  // T [mc; m]
  };

  void PlaceLink(const Model& model, int link, const Matrix4& T, const std::vector<int>& chain, const Eigen::VectorXd& q,
                 const Eigen::VectorXd& v);
  Matrix4 PlaceJoint(const Model& model, int joint, const Matrix4& before, std::vector<int>& chain,
                     const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  void AddEntry(const Matrix4& T, const Eigen::Matrix<Real, 3, 1>& angular, const Eigen::Matrix<Real, 3, 1>& linear,
                bool new_group, const std::vector<std::pair<int, double>>& terms, const Eigen::VectorXd& v,
                std::vector<int>& chain);
  void AddMass(const std::vector<int>& chain, const Matrix4& T, const Matrix4& P);
  // d(W_a T)/d(entry b) = Second(a, b) T.
  Matrix4 Second(int a, int b) const;
  Matrix4 SecondAlongV(const std::vector<int>& chain) const;
  Eigen::MatrixXd Reduce(const Eigen::Matrix<Real, -1, -1>& tree) const;

  int nv_;
  Eigen::Matrix<Real, 3, 1> gravity_;
  std::vector<Entry> entries_;
  std::vector<Mass> masses_;
  std::vector<Matrix4> poses_;
  std::vector<std::vector<int>> chains_;
  int groups_ = 0;
};

}  // namespace torqued::oracle
