#include "tests/oracle/lagrange.h"

#include <cmath>

namespace torqued::oracle {
namespace {

using Vector3 = Eigen::Matrix<Real, 3, 1>;
using Vector4 = Eigen::Matrix<Real, 4, 1>;
using Matrix3 = Eigen::Matrix<Real, 3, 3>;
using MatrixX = Eigen::Matrix<Real, -1, -1>;
using Terms = std::vector<std::pair<int, double>>;

Matrix3 Skew(const Vector3& w) {
  Matrix3 S;
  S << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
  return S;
}

Matrix4 Twist(const Vector3& angular, const Vector3& linear) {
  Matrix4 S = Matrix4::Zero();
  S.topLeftCorner<3, 3>() = Skew(angular);
  S.topRightCorner<3, 1>() = linear;
  return S;
}

Matrix4 Rigid(const Matrix3& R, const Vector3& p) {
  Matrix4 T = Matrix4::Identity();
  T.topLeftCorner<3, 3>() = R;
  T.topRightCorner<3, 1>() = p;
  return T;
}

Matrix4 RigidInverse(const Matrix4& T) {
  const Matrix3 R = T.topLeftCorner<3, 3>().transpose();
  return Rigid(R, -R * T.topRightCorner<3, 1>());
}

// exp([axis] angle) by its closed form.
Matrix3 AxisAngle(const Vector3& axis, Real angle) {
  const Matrix3 K = Skew(axis);
  return Matrix3::Identity() + std::sin(angle) * K + (1 - std::cos(angle)) * K * K;
}

// v' = u v u* written out: the rotation of a unit quaternion (vector part u, scalar part s).
Matrix3 FromQuaternion(const Vector3& u, Real s) {
  return (s * s - u.dot(u)) * Matrix3::Identity() + 2 * u * u.transpose() + 2 * s * Skew(u);
}

// Integral of r r^T dm over the link, homogeneous.
Matrix4 Distribution(const MassProperties& mp) {
  const Matrix3 I = mp.inertia_about_com.cast<Real>();
  const Vector3 c = mp.com.cast<Real>();
  Matrix4 P;
  P.topLeftCorner<3, 3>() = I.trace() / 2 * Matrix3::Identity() - I + Real(mp.mass) * c * c.transpose();
  P.topRightCorner<3, 1>() = Real(mp.mass) * c;
  P.bottomLeftCorner<1, 3>() = (Real(mp.mass) * c).transpose();
  P(3, 3) = mp.mass;
  return P;
}

// A planar joint's x and y (Joint in model.h): a normal along +x: y, z; +y: z, x; +z: x, y; a negative one turns the
// second around; any other normal: where the shortest turn of z onto it takes x and y, from below as for its opposite
// with the second turned around.
std::pair<Vector3, Vector3> InPlane(const Vector3& normal) {
  for (int k = 0; k < 3; ++k)
    if (std::abs(normal[k]) == 1) return {Vector3::Unit((k + 1) % 3), Vector3::Unit((k + 2) % 3) * normal[k]};
  if (normal.z() < 0) {
    const auto [x, y] = InPlane(-normal);
    return {x, -y};
  }
  const Vector3 turn = Vector3::UnitZ().cross(normal);
  const Matrix3 N = AxisAngle(turn.normalized(), std::atan2(turn.norm(), normal.z()));
  return {N.col(0), N.col(1)};
}

Real TraceABt(const Matrix4& A, const Matrix4& B) { return A.cwiseProduct(B).sum(); }

}  // namespace

std::pair<Eigen::Vector3d, Eigen::Vector3d> PlaneAxes(const Eigen::Vector3d& normal) {
  const auto [x, y] = InPlane(normal.cast<Real>());
  return {x.cast<double>(), y.cast<double>()};
}

Lagrange::Lagrange(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v)
    : nv_(model.nv), gravity_(model.gravity.cast<Real>()), poses_(model.links.size()), chains_(model.links.size()) {
  PlaceLink(model, 0, Matrix4(model.X_WR.matrix().cast<Real>()), {}, q, v);
  for (const Rotor& r : model.rotors) {
    std::vector<int> chain;
    Matrix4 T = Matrix4::Identity();
    if (r.carrier_link >= 0) {
      chain = chains_[r.carrier_link];
      T = poses_[r.carrier_link];
    }
    const Vector3 e = r.axis.cast<Real>();
    Matrix4 P = Matrix4::Zero();
    P.topLeftCorner<3, 3>() = Real(r.inertia) * (Matrix3::Identity() / 2 - e * e.transpose());
    AddMass(chain, T, -P);  // the lump is in the carrier's inertia already
    AddEntry(T, e, Vector3::Zero(), true, r.ratio, v, chain);
    AddMass(chain, T, P);
  }
}

void Lagrange::PlaceLink(const Model& model, int link, const Matrix4& T, const std::vector<int>& chain,
                         const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  poses_[link] = T;
  chains_[link] = chain;
  if (model.links[link].inertia) AddMass(chain, T, Distribution(*model.links[link].inertia));
  for (size_t j = 0; j < model.joints.size(); ++j) {
    if (model.joints[j].parent_link != link) continue;
    std::vector<int> longer = chain;
    const Matrix4 child =
        PlaceJoint(model, static_cast<int>(j), T, longer, q, v) * model.joints[j].X_JL.matrix().cast<Real>();
    PlaceLink(model, model.joints[j].child_link, child, longer, q, v);
  }
}

Matrix4 Lagrange::PlaceJoint(const Model& model, int joint, const Matrix4& before, std::vector<int>& chain,
                             const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  const Joint& j = model.joints[joint];
  Matrix4 T = before * j.X_PJ.matrix().cast<Real>();
  if (j.kind == JointKind::kFixed) return T;
  const Vector3 axis = j.axis.cast<Real>(), none = Vector3::Zero();
  const Coordinate& first = model.coordinates[j.coupling[0].coordinate];
  const auto own = [&](int k) { return Terms{{first.v_index + k, 1.0}}; };
  const auto quaternion = [&](int at) {
    return FromQuaternion(Vector3(q[at], q[at + 1], q[at + 2]), q[at + 3]);
  };
  switch (j.kind) {
    case JointKind::kSpherical:
      T = T * Rigid(quaternion(first.q_index), none);
      for (int k = 0; k < 3; ++k) AddEntry(T, Vector3::Unit(k), none, k == 0, own(k), v, chain);
      return T;
    case JointKind::kFloating:
      T = T * Rigid(quaternion(first.q_index + 3), q.segment<3>(first.q_index).cast<Real>());
      for (int k = 0; k < 3; ++k) AddEntry(T, none, Vector3::Unit(k), k == 0, own(k), v, chain);
      for (int k = 0; k < 3; ++k) AddEntry(T, Vector3::Unit(k), none, false, own(3 + k), v, chain);
      return T;
    case JointKind::kPlanar: {
      const auto [x, y] = InPlane(axis);
      AddEntry(T, none, x, true, own(0), v, chain);
      T = T * Rigid(Matrix3::Identity(), x * Real(q[first.q_index]));
      AddEntry(T, none, y, true, own(1), v, chain);
      T = T * Rigid(Matrix3::Identity(), y * Real(q[first.q_index + 1]));
      AddEntry(T, axis, none, true, own(2), v, chain);
      return T * Rigid(AxisAngle(axis, q[first.q_index + 2]), none);
    }
    default: {
      Real value = j.offset;
      Terms terms;
      for (const CouplingTerm& t : j.coupling) {
        value += Real(t.factor) * q[model.coordinates[t.coordinate].q_index];
        terms.emplace_back(model.coordinates[t.coordinate].v_index, t.factor);
      }
      if (j.kind == JointKind::kPrismatic) {
        AddEntry(T, none, axis, true, terms, v, chain);
        return T * Rigid(Matrix3::Identity(), axis * value);
      }
      AddEntry(T, axis, none, true, terms, v, chain);
      return T * Rigid(AxisAngle(axis, value), none);
    }
  }
}

void Lagrange::AddEntry(const Matrix4& T, const Vector3& angular, const Vector3& linear, bool new_group,
                        const Terms& terms, const Eigen::VectorXd& v, std::vector<int>& chain) {
  if (new_group) ++groups_;
  Entry e;
  e.W = T * Twist(angular, linear) * RigidInverse(T);
  e.group = groups_;
  e.position = static_cast<int>(chain.size());
  e.terms = terms;
  e.rate = 0;
  for (const auto& [k, factor] : terms) e.rate += Real(factor) * v[k];
  chain.push_back(static_cast<int>(entries_.size()));
  entries_.push_back(e);
}

void Lagrange::AddMass(const std::vector<int>& chain, const Matrix4& T, const Matrix4& P) {
  masses_.push_back({chain, T * P * T.transpose(), T * P.col(3)});
}

Matrix4 Lagrange::Second(int a, int b) const {
  const Entry &A = entries_[a], &B = entries_[b];
  if (A.group == B.group || B.position < A.position) return B.W * A.W;
  return A.W * B.W;
}

Matrix4 Lagrange::SecondAlongV(const std::vector<int>& chain) const {
  Matrix4 Z = Matrix4::Zero();
  for (int a : chain)
    for (int b : chain) Z += Second(a, b) * (entries_[a].rate * entries_[b].rate);
  return Z;
}

Eigen::MatrixXd Lagrange::Reduce(const MatrixX& tree) const {
  MatrixX B = MatrixX::Zero(entries_.size(), nv_);
  for (size_t i = 0; i < entries_.size(); ++i)
    for (const auto& [k, factor] : entries_[i].terms) B(i, k) += factor;
  if (tree.cols() == 1) return (B.transpose() * tree).cast<double>();
  return (B.transpose() * tree * B).cast<double>();
}

Eigen::MatrixXd Lagrange::MassMatrix() const {
  MatrixX M = MatrixX::Zero(entries_.size(), entries_.size());
  for (const Mass& m : masses_)
    for (int a : m.chain) {
      const Matrix4 WG = entries_[a].W * m.G;
      for (int b : m.chain) M(a, b) += TraceABt(WG, entries_[b].W);
    }
  return Reduce(M);
}

Eigen::MatrixXd Lagrange::MassMatrixRate() const {
  MatrixX M = MatrixX::Zero(entries_.size(), entries_.size());
  for (const Mass& m : masses_)
    for (int a : m.chain) {
      Matrix4 U = Matrix4::Zero();
      for (int c : m.chain) U += Second(a, c) * entries_[c].rate;
      const Matrix4 UG = U * m.G;
      for (int b : m.chain) {
        const Real half = TraceABt(UG, entries_[b].W);
        M(a, b) += half;
        M(b, a) += half;
      }
    }
  return Reduce(M);
}

Eigen::VectorXd Lagrange::Coriolis() const {
  MatrixX c = MatrixX::Zero(entries_.size(), 1);
  for (const Mass& m : masses_) {
    const Matrix4 Z = SecondAlongV(m.chain);
    for (int a : m.chain) c(a) += TraceABt(entries_[a].W * m.G, Z);
  }
  return Reduce(c);
}

Eigen::VectorXd Lagrange::Gravity() const {
  MatrixX g = MatrixX::Zero(entries_.size(), 1);
  for (const Mass& m : masses_)
    for (int a : m.chain) g(a) -= gravity_.dot((entries_[a].W * m.first_moment).head<3>());
  return Reduce(g);
}

std::vector<double> Lagrange::Coefficients() const {
  std::vector<Real> D(static_cast<size_t>(nv_) * nv_ * nv_, 0);
  for (const Mass& m : masses_)
    for (int a : m.chain) {
      const Matrix4 WG = entries_[a].W * m.G;
      for (int b : m.chain)
        for (int c : m.chain) {
          const Real d = (TraceABt(WG, Second(b, c)) + TraceABt(WG, Second(c, b))) / 2;
          for (const auto& [i, fi] : entries_[a].terms)
            for (const auto& [j, fj] : entries_[b].terms)
              for (const auto& [k, fk] : entries_[c].terms) D[(static_cast<size_t>(i) * nv_ + j) * nv_ + k] += d * fi * fj * fk;
        }
    }
  return {D.begin(), D.end()};
}

double Lagrange::KineticEnergy() const {
  Real E = 0;
  for (const Mass& m : masses_) {
    Matrix4 W = Matrix4::Zero();
    for (int a : m.chain) W += entries_[a].W * entries_[a].rate;
    E += TraceABt(W * m.G, W) / 2;
  }
  return static_cast<double>(E);
}

double Lagrange::PotentialEnergy() const {
  Real E = 0;
  for (const Mass& m : masses_)
    if (!m.chain.empty()) E -= gravity_.dot(m.first_moment.head<3>());
  return static_cast<double>(E);
}

Eigen::Matrix4d Lagrange::LinkPose(int link) const { return poses_[link].cast<double>(); }

Eigen::MatrixXd Lagrange::PointJacobian(int link, const Eigen::Vector3d& p) const {
  const Vector4 at = poses_[link] * Vector4(p.x(), p.y(), p.z(), 1);
  MatrixX J = MatrixX::Zero(6, nv_);
  for (int a : chains_[link]) {
    const Matrix4& W = entries_[a].W;
    Eigen::Matrix<Real, 6, 1> column;
    column << (W * at).head<3>(), W(2, 1), W(0, 2), W(1, 0);
    for (const auto& [k, factor] : entries_[a].terms) J.col(k) += column * Real(factor);
  }
  return J.cast<double>();
}

Eigen::VectorXd Lagrange::PointJacobianDotV(int link, const Eigen::Vector3d& p) const {
  const Vector4 at = poses_[link] * Vector4(p.x(), p.y(), p.z(), 1);
  const Matrix4 Z = SecondAlongV(chains_[link]);
  Eigen::Matrix<Real, 6, 1> out;  // Z's rotation part is [alpha] + [omega]^2: alpha is its skew part
  out << (Z * at).head<3>(), (Z(2, 1) - Z(1, 2)) / 2, (Z(0, 2) - Z(2, 0)) / 2, (Z(1, 0) - Z(0, 1)) / 2;
  return out.cast<double>();
}

}  // namespace torqued::oracle
