#include "tests/oracle/random_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/oracle/builder.h"

namespace torqued::oracle {
namespace {

using Eigen::Isometry3d;
using Eigen::Vector3d;

class Generator {
 public:
  Generator(std::uint64_t seed, const TreeOptions& options) : random_(seed), options_(options) {}

  Model Run() {
    const int count = 1 + static_cast<int>(random_() % options_.max_joints);
    builder_.model().links[0].inertia = Inertia();
    for (int j = 0; j < count; ++j) AddJoint();
    std::vector<int> order(builder_.model().joints.size());
    std::iota(order.begin(), order.end(), 0);
    if (Chance(0.5)) std::shuffle(order.begin(), order.end(), random_);
    builder_.Reorder(order);
    Model& m = builder_.model();
    for (Joint& j : m.joints)
      if (Chance(0.2)) j.X_JL = Placement();
    m.X_WR = Placement();
    m.gravity = Chance(0.5) ? Vector3d(0, 0, -9.81) : Vector3d(9.81 * Direction());
    if (options_.rotors && m.nv > 0) AddRotors(m);
    if (options_.springs) AddSprings(m);
    if (options_.friction) AddFriction(m);
    return m;
  }

 private:
  double Uniform(double low, double high) { return low + (high - low) * std::ldexp(double(random_() >> 11), -53); }
  bool Chance(double p) { return Uniform(0, 1) < p; }
  Vector3d Vector(double size) { return {Uniform(-size, size), Uniform(-size, size), Uniform(-size, size)}; }
  Vector3d Direction() {
    if (Chance(0.5)) return Vector3d::Unit(random_() % 3) * (Chance(0.5) ? 1 : -1);
    return (Vector(1) + Vector3d(1e-3, 0, 0)).normalized();
  }
  Isometry3d Placement() {
    Isometry3d X = Isometry3d::Identity();
    if (Chance(0.7)) X = Rpy(Uniform(-3, 3), Uniform(-3, 3), Uniform(-3, 3));
    if (Chance(0.8)) X.translation() = Vector(0.5);
    return X;
  }
  MassProperties Inertia() {  // five point masses
    std::vector<std::pair<double, Vector3d>> points;
    MassProperties mp;
    for (int k = 0; k < 5; ++k) points.emplace_back(Uniform(0.05, 1), Vector(0.3));
    for (const auto& [m, p] : points) mp.mass += m, mp.com += m * p;
    mp.com /= mp.mass;
    for (const auto& [m, p] : points) {
      const Vector3d r = p - mp.com;
      mp.inertia_about_com += m * (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose());
    }
    return mp;
  }

  JointKind Kind() {
    const double x = Uniform(0, 1);
    if (x < 0.45) return JointKind::kRevolute;
    if (x < 0.62) return JointKind::kPrismatic;
    if (x < 0.72) return JointKind::kContinuous;
    if (x < 0.82) return JointKind::kFixed;
    if (x < 0.88) return options_.planar_joints ? JointKind::kPlanar : JointKind::kRevolute;
    if (!options_.quaternion_joints) return JointKind::kRevolute;
    return x < 0.94 ? JointKind::kSpherical : JointKind::kFloating;
  }

  void AddJoint() {
    const int links = static_cast<int>(builder_.model().links.size());
    const int parent = Chance(0.7) ? links - 1 : static_cast<int>(random_() % links);
    const JointKind kind = Kind();
    const bool one = VelocityCount(kind) == 1;
    if (one && options_.couplings && !simple_.empty() && Chance(0.3)) {
      std::vector<CouplingTerm> terms{{Simple(), Uniform(-2, 2)}};
      if (simple_.size() > 1 && Chance(0.5)) {
        const int other = Simple();
        if (other != terms[0].coordinate) terms.push_back({other, Uniform(-1, 1)});
      }
      builder_.AddCoupled(parent, kind, Placement(), Direction(), Inertia(), terms, Uniform(-0.5, 0.5));
      return;
    }
    builder_.Add(parent, kind, Placement(), Direction(), Inertia());
    if (one) simple_.push_back(static_cast<int>(builder_.model().coordinates.size()) - 1);
  }
  int Simple() { return simple_[random_() % simple_.size()]; }

  // The lump that turns with the carrier goes into the carrier's inertia, as Rotor asks.
  void AddRotors(Model& m) {
    const int count = 1 + static_cast<int>(random_() % 4);
    for (int k = 0; k < count; ++k) {
      Rotor r;
      r.name = "rotor" + std::to_string(k);
      r.inertia = Uniform(1e-4, 5e-2);
      r.carrier_link = Chance(0.2) ? -1 : static_cast<int>(random_() % m.links.size());
      r.axis = Direction();
      r.ratio.emplace_back(static_cast<int>(random_() % m.nv), Uniform(-20, 20));
      if (Chance(0.3)) {
        const int other = static_cast<int>(random_() % m.nv);
        if (other != r.ratio[0].first) r.ratio.emplace_back(other, Uniform(-5, 5));
      }
      if (r.carrier_link >= 0)
        m.links[r.carrier_link].inertia->inertia_about_com += r.inertia * r.axis * r.axis.transpose();
      m.rotors.push_back(r);
    }
  }

  void AddSprings(Model& m) {
    for (size_t c = 0; c < m.coordinates.size(); ++c)
      if (VelocityCount(m.coordinates[c].kind) == 1 && Chance(0.3))
        m.coordinate_springs.push_back({static_cast<int>(c), Uniform(1, 50), Uniform(-1, 1)});
    for (int k = 0; k < 2; ++k) {
      PointSpring s;
      s.link_a = static_cast<int>(random_() % m.links.size());
      s.link_b = static_cast<int>(random_() % m.links.size());
      s.point_a = Vector(0.5);
      s.point_b = Vector(0.5);
      s.stiffness = Uniform(10, 200);
      s.free_length = Uniform(0, 0.5);
      m.point_springs.push_back(s);
    }
  }

  void AddFriction(Model& m) {
    for (Coordinate& c : m.coordinates) {
      c.friction.viscous = Uniform(0, 2);
      c.friction.coulomb_positive = Uniform(0, 2);
      c.friction.coulomb_negative = Uniform(0, 2);
      if (Chance(0.3)) c.friction.breakaway = 3, c.friction.stribeck_velocity = Uniform(0.01, 0.5);
      if (Chance(0.3)) c.friction.smoothing_velocity = Uniform(0.01, 0.5);
    }
  }

  std::mt19937_64 random_;
  TreeOptions options_;
  Builder builder_;
  std::vector<int> simple_;
};

}  // namespace

TreeOptions VariedOptions(std::uint64_t seed, int max_joints) {
  TreeOptions o;
  o.max_joints = seed % 10 == 0 ? max_joints : std::min(max_joints, 9);
  o.quaternion_joints = seed % 3 != 0;
  o.planar_joints = seed % 2 == 0;
  o.couplings = seed % 4 == 1;
  o.rotors = seed % 5 < 2;
  o.springs = seed % 7 < 3;
  o.friction = seed % 7 > 1;
  return o;
}

Model RandomTree(std::uint64_t seed, const TreeOptions& options) { return Generator(seed, options).Run(); }

State RandomState(const Model& model, std::mt19937_64& random) {
  const auto uniform = [&](double size) { return size * (2 * std::ldexp(double(random() >> 11), -53) - 1); };
  State s{Eigen::VectorXd::Zero(model.nq), Eigen::VectorXd::Zero(model.nv), Eigen::VectorXd::Zero(model.nv)};
  for (const Coordinate& c : model.coordinates) {
    for (int k = 0; k < PositionCount(c.kind); ++k) s.q[c.q_index + k] = uniform(1);
    if (VelocityCount(c.kind) == 1 && c.kind != JointKind::kPrismatic) s.q[c.q_index] *= M_PI;
    if (c.kind == JointKind::kPlanar) s.q[c.q_index + 2] *= M_PI;
    if (c.kind == JointKind::kSpherical) s.q.segment<4>(c.q_index).normalize();
    if (c.kind == JointKind::kFloating) s.q.segment<4>(c.q_index + 3).normalize();
  }
  for (int k = 0; k < model.nv; ++k) s.v[k] = uniform(2), s.a[k] = uniform(5);
  return s;
}

}  // namespace torqued::oracle
