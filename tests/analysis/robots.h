// Robots of the analysis tests, built by hand from published tables (origin beside each).
#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <string>
#include <vector>

#include "server/core/math/random.h"
#include "server/core/tree/prepare.h"

namespace torqued::testing {

inline Eigen::Isometry3d At(double x, double y, double z) {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.translation() = Eigen::Vector3d(x, y, z);
  return X;
}
inline Eigen::Isometry3d TurnedAt(const Eigen::Vector3d& axis, double angle, double x, double y, double z) {
  Eigen::Isometry3d X = At(x, y, z);
  X.linear() = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
  return X;
}

inline Model Base(const std::string& name) {
  Model m;
  m.name = name;
  m.links.push_back({"base", MassProperties{}, 0});
  m.tool_frame = "base";
  return m;
}

// Adds a joint of any kind with its child link; returns the link's index. The tool frame follows.
inline int AddJoint(Model& m, JointKind kind, int parent, const Eigen::Isometry3d& X_PJ, const Eigen::Vector3d& axis,
                    const MassProperties& inertia, const Eigen::Isometry3d& X_JL = Eigen::Isometry3d::Identity()) {
  const int link = static_cast<int>(m.links.size());
  const std::string name = std::to_string(link);
  m.links.push_back({"link" + name, inertia, 0});
  Joint j;
  j.name = "joint" + name;
  j.kind = kind;
  j.parent_link = parent;
  j.child_link = link;
  j.X_PJ = X_PJ;
  j.X_JL = X_JL;
  j.axis = axis;
  if (kind != JointKind::kFixed) {
    Coordinate c;
    c.name = j.name;
    c.kind = kind;
    c.q_index = m.nq;
    c.v_index = m.nv;
    m.nq += PositionCount(kind);
    m.nv += VelocityCount(kind);
    j.coupling = {{static_cast<int>(m.coordinates.size()), 1.0}};
    m.coordinates.push_back(c);
  }
  m.joints.push_back(j);
  m.tool_frame = m.links.back().name;
  return link;
}

inline MassProperties Body3(double mass, const Eigen::Vector3d& com, double xx, double yy, double zz) {
  MassProperties p;
  p.mass = mass;
  p.com = com;
  p.inertia_about_com = Eigen::Vector3d(xx, yy, zz).asDiagonal();
  return p;
}

struct DhRow {
  double a, alpha, d, theta;
  bool slides = false;
};
// Standard Denavit-Hartenberg chain: A = Rz(theta) Tz(d) Tx(a) Rx(alpha); the link frame stands at the far end.
inline Model StandardDh(const std::string& name, const std::vector<DhRow>& rows, const std::vector<MassProperties>& links) {
  Model m = Base(name);
  int parent = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const DhRow& r = rows[i];
    const Eigen::Isometry3d far = TurnedAt(Eigen::Vector3d::UnitX(), r.alpha, r.a, 0, r.slides ? 0 : r.d);
    parent = AddJoint(m, r.slides ? JointKind::kPrismatic : JointKind::kRevolute, parent,
                      TurnedAt(Eigen::Vector3d::UnitZ(), r.slides ? r.theta : 0, 0, 0, 0), Eigen::Vector3d::UnitZ(),
                      links.empty() ? MassProperties{} : links[i], far);
  }
  return m;
}

// Puma 560, standard DH, with rotors (no gyroscopic coupling) and friction: Corke, mdl_puma560.m.
inline Model Puma560() {
  const double h = M_PI / 2;
  Model m = StandardDh(
      "puma560",
      {{0, h, 0, 0}, {0.4318, 0, 0, 0}, {0.0203, -h, 0.15005, 0}, {0, h, 0.4318, 0}, {0, -h, 0, 0}, {0, 0, 0, 0}},
      {Body3(0, {0, 0, 0}, 0, 0.35, 0), Body3(17.4, {-0.3638, 0.006, 0.2275}, 0.13, 0.524, 0.539),
       Body3(4.8, {-0.0203, -0.0141, 0.070}, 0.066, 0.086, 0.0125), Body3(0.82, {0, 0.019, 0}, 1.8e-3, 1.3e-3, 1.8e-3),
       Body3(0.34, {0, 0, 0}, 0.3e-3, 0.4e-3, 0.3e-3), Body3(0.09, {0, 0, 0.032}, 0.15e-3, 0.15e-3, 0.04e-3)});
  const double gear[] = {-62.6111, 107.815, -53.7063, 76.0364, 71.923, 76.686};
  const double Jm[] = {200e-6, 200e-6, 200e-6, 33e-6, 33e-6, 33e-6};
  const double B[] = {1.48e-3, 0.817e-3, 1.38e-3, 71.2e-6, 82.6e-6, 36.7e-6};
  const double plus[] = {0.395, 0.126, 0.132, 11.2e-3, 9.26e-3, 3.96e-3};
  const double minus[] = {0.435, 0.071, 0.105, 16.9e-3, 14.5e-3, 10.5e-3};
  for (int i = 0; i < 6; ++i) {
    Rotor r;
    r.inertia = Jm[i];
    r.ratio = {{i, gear[i]}};
    m.rotors.push_back(r);
    Friction& f = m.coordinates[i].friction;
    const double G = std::abs(gear[i]);
    f.viscous = G * G * B[i];
    f.coulomb_positive = G * plus[i];
    f.coulomb_negative = G * minus[i];
  }
  return m;
}

// A chain of joints given by origins and axes (kinematics only, or unit masses so that dynamics has something to do).
inline Model Chain(const std::string& name, const std::vector<std::pair<Eigen::Vector3d, Eigen::Vector3d>>& joints,
                   const Eigen::Isometry3d& tool) {
  Model m = Base(name);
  int parent = 0;
  for (const auto& [origin, axis] : joints)
    parent = AddJoint(m, JointKind::kRevolute, parent, At(origin.x(), origin.y(), origin.z()), axis,
                      Body3(1, {0.05, 0.01, 0.02}, 0.01, 0.012, 0.009));
  m.frames.push_back({"tool0", parent, tool});
  m.tool_frame = "tool0";
  return m;
}

// ABB IRB 2400, ros-industrial URDF chain.
inline Model Irb2400() {
  return Chain("irb2400",
               {{{0, 0, 0}, {0, 0, 1}},
                {{.1, 0, .615}, {0, 1, 0}},
                {{0, 0, .705}, {0, 1, 0}},
                {{.258, 0, .135}, {1, 0, 0}},
                {{.497, 0, 0}, {0, 1, 0}},
                {{.085, 0, 0}, {1, 0, 0}}},
               Eigen::Isometry3d::Identity());
}

// FANUC M-6iB, ros-industrial m6ib_macro.xacro (base frame z .450 left out as the world's own).
inline Model M6ib() {
  Eigen::Isometry3d tool = Eigen::Isometry3d::Identity();
  tool.linear() = (Eigen::AngleAxisd(-M_PI / 2, Eigen::Vector3d::UnitY()) * Eigen::AngleAxisd(M_PI, Eigen::Vector3d::UnitX()))
                      .toRotationMatrix();
  return Chain("m6ib",
               {{{0, 0, .450}, {0, 0, 1}},
                {{.15, 0, 0}, {0, 1, 0}},
                {{0, 0, .6}, {0, -1, 0}},
                {{0, 0, .1}, {-1, 0, 0}},
                {{.615, 0, 0}, {0, -1, 0}},
                {{.1, 0, 0}, {-1, 0, 0}}},
               tool);
}

// Universal Robots UR5e: vendor DH table, masses, mass centres; tensors of slender solid links (estimate).
inline Model Ur5e() {
  const double h = M_PI / 2;
  return StandardDh("ur5e",
                    {{0, h, .1625, 0}, {-.425, 0, 0, 0}, {-.3922, 0, 0, 0}, {0, h, .1333, 0}, {0, -h, .0997, 0}, {0, 0, .0996, 0}},
                    {Body3(3.761, {0, -.02561, .00193}, .01, .01, .01), Body3(8.058, {.2125, 0, .11336}, .02, .13, .13),
                     Body3(2.846, {.15, 0, .0265}, .005, .04, .04), Body3(1.37, {0, -.0018, .01634}, .002, .002, .002),
                     Body3(1.3, {0, .0018, .01634}, .002, .002, .002), Body3(.365, {0, 0, -.001159}, .0002, .0002, .0003)});
}

// Textbook planar arm in x-y about +z: lengths, and links of stated mass, centre (fraction along) and inertia.
inline Model PlanarArm(const std::vector<double>& lengths, double mass = 1, double inertia = 1.0 / 12, double centre = 0.5) {
  Model m = Base("planar");
  int parent = 0;
  double x = 0;
  for (double l : lengths) {
    parent = AddJoint(m, JointKind::kRevolute, parent, At(x, 0, 0), Eigen::Vector3d::UnitZ(),
                      Body3(mass, {centre * l, 0, 0}, inertia, inertia, inertia));
    x = l;
  }
  m.frames.push_back({"hand", parent, At(x, 0, 0)});
  m.tool_frame = "hand";
  m.gravity = {0, -9.81, 0};
  return m;
}

// Adept Cobra 600 geometry (d1 .387, a .325 .275), slide downwards, masses of our own.
inline Model Scara() {
  Model m = Base("scara");
  int link = AddJoint(m, JointKind::kRevolute, 0, At(0, 0, .387), Eigen::Vector3d::UnitZ(), Body3(12, {.16, 0, 0}, .1, .15, .2));
  link = AddJoint(m, JointKind::kRevolute, link, At(.325, 0, 0), Eigen::Vector3d::UnitZ(), Body3(8, {.14, 0, 0}, .05, .08, .1));
  link = AddJoint(m, JointKind::kPrismatic, link, At(.275, 0, 0), -Eigen::Vector3d::UnitZ(), Body3(2, {0, 0, .05}, .01, .01, .002));
  AddJoint(m, JointKind::kRevolute, link, At(0, 0, -.05), -Eigen::Vector3d::UnitZ(), Body3(.5, {.01, 0, 0}, .001, .001, .001));
  return m;
}

// The random inertia of a real body: point masses around a centre.
inline MassProperties RandomBody(Random& random) {
  MassProperties p;
  p.mass = random.Uniform(0.5, 4);
  p.com = {random.Uniform(-.2, .2), random.Uniform(-.2, .2), random.Uniform(-.2, .2)};
  for (int k = 0; k < 4; ++k) {
    const Eigen::Vector3d r(random.Uniform(-.2, .2), random.Uniform(-.2, .2), random.Uniform(-.2, .2));
    p.inertia_about_com += p.mass / 4 * (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose());
  }
  return p;
}

// A random tree of all joint kinds; with rotors, friction and springs when asked. Joint 0 floating if `floating`.
inline Model RandomTree(std::uint64_t seed, int joints, bool floating, bool drives) {
  Random random(seed);
  Model m = Base("tree" + std::to_string(seed));
  const JointKind kinds[] = {JointKind::kRevolute, JointKind::kRevolute,  JointKind::kContinuous, JointKind::kPrismatic,
                             JointKind::kFixed,    JointKind::kSpherical, JointKind::kPlanar};
  for (int i = 0; i < joints; ++i) {
    const int parent = i == 0 ? 0 : static_cast<int>(random.Bits() % (m.links.size() - (i > 1 ? 1 : 0))) + (i > 1 ? 1 : 0);
    const JointKind kind = i == 0 && floating ? JointKind::kFloating : kinds[random.Bits() % 7];
    Eigen::Vector3d turn(random.Normal(), random.Normal(), random.Normal());
    Eigen::Vector3d axis(random.Normal(), random.Normal(), random.Normal());
    AddJoint(m, kind, parent,
             TurnedAt(turn.normalized(), random.Uniform(-3, 3), random.Uniform(-.4, .4), random.Uniform(-.4, .4),
                      random.Uniform(-.4, .4)),
             axis.normalized(), RandomBody(random));
  }
  if (!drives) return m;
  for (size_t i = 0; i < m.coordinates.size(); ++i) {
    Coordinate& c = m.coordinates[i];
    if (VelocityCount(c.kind) != 1) continue;
    Rotor r;
    r.inertia = random.Uniform(1e-4, 1e-3);
    r.ratio = {{c.v_index, random.Uniform(20, 60)}};
    r.carrier_link = m.joints[0].child_link;
    r.axis = Eigen::Vector3d(random.Normal(), random.Normal(), random.Normal()).normalized();
    m.rotors.push_back(r);
    c.friction = {random.Uniform(0, 2), random.Uniform(0, 1), random.Uniform(0, 1), 1.5, i % 2 ? 0.3 : 0.0, i % 3 ? 0.0 : 0.05};
    m.coordinate_springs.push_back({static_cast<int>(i), random.Uniform(0, 20), random.Uniform(-1, 1)});
  }
  PointSpring s;
  s.link_a = 0;
  s.link_b = static_cast<int>(m.links.size()) - 1;
  s.point_a = {.3, .1, .5};
  s.point_b = {.1, 0, .2};
  s.stiffness = 100;
  s.free_length = .2;
  m.point_springs.push_back(s);
  return m;
}

// Uniform position within +-range and unit quaternions; rates within +-range.
inline Eigen::VectorXd RandomPositions(const Prepared& m, Random& random, double range = 3) {
  Eigen::VectorXd q(m.nq);
  for (int i = 0; i < m.nq; ++i) q[i] = random.Uniform(-range, range);
  for (int i = 0; i < m.nv;) {
    int width = 1;
    while (i + width < m.nv && m.v_to_q[i + width] == m.v_to_q[i]) ++width;
    if (width > 1) {
      auto u = q.segment<4>(m.v_to_q[i] + (width == 6 ? 3 : 0));
      for (int k = 0; k < 4; ++k) u[k] = random.Normal();
      u /= u.norm();
    }
    i += width;
  }
  return q;
}
inline Eigen::VectorXd RandomRates(int n, Random& random, double range = 2) {
  Eigen::VectorXd v(n);
  for (int i = 0; i < n; ++i) v[i] = random.Uniform(-range, range);
  return v;
}

}  // namespace torqued::testing
