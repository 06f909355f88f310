#include "tests/oracle/builder.h"

namespace torqued::oracle {

using Eigen::AngleAxisd;
using Eigen::Isometry3d;
using Eigen::Vector3d;

Isometry3d Translation(double x, double y, double z) {
  Isometry3d X = Isometry3d::Identity();
  X.translation() = Vector3d(x, y, z);
  return X;
}

Isometry3d Rpy(double roll, double pitch, double yaw) {
  Isometry3d X = Isometry3d::Identity();
  X.linear() = (AngleAxisd(yaw, Vector3d::UnitZ()) * AngleAxisd(pitch, Vector3d::UnitY()) *
                AngleAxisd(roll, Vector3d::UnitX()))
                   .toRotationMatrix();
  return X;
}

MassProperties Mass(double mass, const Vector3d& com, double xx, double yy, double zz, double xy, double xz, double yz) {
  MassProperties out;
  out.mass = mass;
  out.com = com;
  out.inertia_about_com << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  return out;
}

Builder::Builder(const std::string& root) {
  Link link;
  link.name = root;
  model_.links.push_back(link);
  model_.tool_frame = root;
}

int Builder::AddLink(int parent, JointKind kind, const Isometry3d& X_PJ, const Vector3d& axis,
                     const std::optional<MassProperties>& inertia, const std::string& name) {
  const int index = static_cast<int>(model_.links.size());
  Link link;
  link.name = name.empty() ? "link" + std::to_string(index) : name;
  link.inertia = inertia;
  Joint joint;
  joint.name = "joint_" + link.name;
  joint.kind = kind;
  joint.parent_link = parent;
  joint.child_link = index;
  joint.X_PJ = X_PJ;
  joint.axis = axis;
  model_.links.push_back(link);
  model_.joints.push_back(joint);
  model_.tool_frame = link.name;
  return index;
}

int Builder::Add(int parent, JointKind kind, const Isometry3d& X_PJ, const Vector3d& axis,
                 const std::optional<MassProperties>& inertia, const std::string& name) {
  const int index = AddLink(parent, kind, X_PJ, axis, inertia, name);
  if (kind == JointKind::kFixed) return index;
  Coordinate c;
  c.name = model_.joints.back().name;
  c.kind = kind;
  c.q_index = model_.nq;
  c.v_index = model_.nv;
  model_.nq += PositionCount(kind);
  model_.nv += VelocityCount(kind);
  model_.joints.back().coupling = {{static_cast<int>(model_.coordinates.size()), 1.0}};
  model_.coordinates.push_back(c);
  return index;
}

int Builder::AddCoupled(int parent, JointKind kind, const Isometry3d& X_PJ, const Vector3d& axis,
                        const std::optional<MassProperties>& inertia, const std::vector<CouplingTerm>& coupling,
                        double offset) {
  const int index = AddLink(parent, kind, X_PJ, axis, inertia, "");
  model_.joints.back().coupling = coupling;
  model_.joints.back().offset = offset;
  model_.joints.back().is_mimic = coupling.size() == 1;
  return index;
}

void Builder::Reorder(const std::vector<int>& order) {
  std::vector<Joint> joints;
  for (int j : order) joints.push_back(model_.joints[j]);
  model_.joints = joints;
  std::vector<int> new_index(model_.coordinates.size(), -1);
  std::vector<Coordinate> coordinates;
  model_.nq = model_.nv = 0;
  for (const Joint& j : model_.joints)
    for (size_t c = 0; c < model_.coordinates.size(); ++c)
      if (model_.coordinates[c].name == j.name) {
        new_index[c] = static_cast<int>(coordinates.size());
        coordinates.push_back(model_.coordinates[c]);
        coordinates.back().q_index = model_.nq;
        coordinates.back().v_index = model_.nv;
        model_.nq += PositionCount(j.kind);
        model_.nv += VelocityCount(j.kind);
      }
  model_.coordinates = coordinates;
  for (Joint& j : model_.joints)
    for (CouplingTerm& t : j.coupling) t.coordinate = new_index[t.coordinate];
}

namespace {

Isometry3d AboutZ(double theta, double d) { return Translation(0, 0, d) * Rpy(0, 0, theta); }
Isometry3d AboutX(double alpha, double a) { return Translation(a, 0, 0) * Rpy(alpha, 0, 0); }

}  // namespace

// Link i's frame is the DH frame at its far end, Rx(alpha) Tx(a) away from its joint.
Model StandardDh(const std::vector<DhRow>& rows) {
  Builder builder;
  int parent = 0;
  for (const DhRow& r : rows) {
    parent = builder.Add(parent, r.prismatic ? JointKind::kPrismatic : JointKind::kRevolute, AboutZ(r.theta, r.d),
                         Vector3d::UnitZ(), r.inertia);
    builder.model().joints.back().X_JL = AboutX(r.alpha, r.a);
  }
  return builder.Build();
}

Model ModifiedDh(const std::vector<DhRow>& rows) {
  Builder builder;
  int parent = 0;
  for (const DhRow& r : rows)
    parent = builder.Add(parent, r.prismatic ? JointKind::kPrismatic : JointKind::kRevolute,
                         AboutX(r.alpha, r.a) * AboutZ(r.theta, r.d), Vector3d::UnitZ(), r.inertia);
  return builder.Build();
}

}  // namespace torqued::oracle
