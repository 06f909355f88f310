#include "tests/conformance/reference.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "server/robots/load.h"

namespace torqued::conformance {
namespace {

nlohmann::json ReadJson(const std::filesystem::path& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return nlohmann::json::parse(in);
}

JointKind KindOf(const nlohmann::json& joint) {
  const int nq = joint.at("nq"), nv = joint.at("nv");
  const std::string type = joint.at("type");
  if (nv == 6) return JointKind::kFloating;
  if (nq == 4 && nv == 3 && type.find("Planar") == std::string::npos) return JointKind::kSpherical;
  if (nv != 1) throw std::runtime_error(joint.at("name").get<std::string>() + ": joint type " + type + " is not supported");
  if (type.find("ModelP") != std::string::npos) return JointKind::kPrismatic;
  return nq == 2 ? JointKind::kContinuous : JointKind::kRevolute;
}

Model FromJoints(const nlohmann::json& robot) {
  Model m;
  m.name = robot.at("model");
  m.gravity = ToVector(robot.at("gravity"));
  m.links.push_back({"world", MassProperties{}, 0});
  for (const nlohmann::json& j : robot.at("joints")) {
    Joint joint;
    joint.name = j.at("name");
    joint.kind = KindOf(j);
    joint.parent_link = j.at("parent_joint").get<int>() + 1;
    joint.child_link = static_cast<int>(m.links.size());
    joint.X_PJ = ToPose(j.at("placement"));
    if (j.contains("axis")) joint.axis = ToVector(j.at("axis"));
    MassProperties body;
    body.mass = j.at("inertia").at("mass");
    body.com = ToVector(j.at("inertia").at("com"));
    body.inertia_about_com = ToMatrix(j.at("inertia").at("I_com"));
    m.links.push_back({j.at("child_link"), body, 0});
    Coordinate c;
    c.name = joint.name;
    c.kind = joint.kind;
    c.q_index = m.nq;
    c.v_index = m.nv;
    m.nq += PositionCount(c.kind);
    m.nv += VelocityCount(c.kind);
    joint.coupling = {{static_cast<int>(m.coordinates.size()), 1.0}};
    m.coordinates.push_back(c);
    m.joints.push_back(joint);
  }
  const std::string frame = robot.at("ee_frame");
  const int link = robot.at("ee_parent_joint").get<int>() + 1;
  if (m.FindLink(frame) < 0) m.frames.push_back({frame, link, ToPose(robot.at("ee_placement"))});
  m.tool_frame = frame;
  return m;
}

}  // namespace

Eigen::VectorXd ToVector(const nlohmann::json& j) {
  Eigen::VectorXd out(static_cast<int>(j.size()));
  for (size_t i = 0; i < j.size(); ++i) out[static_cast<int>(i)] = j[i].get<double>();
  return out;
}
Eigen::MatrixXd ToMatrix(const nlohmann::json& j) {
  Eigen::MatrixXd out(static_cast<int>(j.size()), j.empty() ? 0 : static_cast<int>(j[0].size()));
  for (size_t i = 0; i < j.size(); ++i) out.row(static_cast<int>(i)) = ToVector(j[i]);
  return out;
}
Eigen::Isometry3d ToPose(const nlohmann::json& j) {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.translation() = ToVector(j.at("p"));
  X.linear() = ToMatrix(j.at("R"));
  return X;
}

std::vector<ReferenceRobot> ReadFolder(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<ReferenceRobot> out;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    const std::string stem = entry.path().stem().string();
    if (entry.path().extension() != ".json" || stem.ends_with(".deriv")) continue;
    ReferenceRobot r;
    r.data = ReadJson(entry.path());
    r.name = r.data.at("model");
    const fs::path deriv = entry.path().parent_path() / (stem + ".deriv.json");
    if (fs::exists(deriv)) r.derivatives = ReadJson(deriv);
    const fs::path urdf = entry.path().parent_path() / "urdf" / r.data.value("urdf", stem + ".urdf");
    if (fs::exists(urdf)) r.urdf_path = urdf.string();
    out.push_back(std::move(r));
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

Model BuildModel(const ReferenceRobot& robot) {
  if (robot.urdf_path.empty()) return FromJoints(robot.data);
  LoadOptions options;
  if (robot.data.value("floating_base", false)) options.base = BaseOption::kFloating;
  absl::StatusOr<LoadedModel> loaded = LoadModelFile(robot.urdf_path, options);
  if (!loaded.ok()) throw std::runtime_error(robot.urdf_path + ": " + std::string(loaded.status().message()));
  loaded->model.gravity = ToVector(robot.data.at("gravity"));
  return loaded->model;
}

JointMap::JointMap(const nlohmann::json& robot, const Model& model) : model_nq_(model.nq) {
  model_v_.assign(model.nv, -1);
  size_t matched = 0;
  for (const nlohmann::json& j : robot.at("joints")) {
    const std::string name = j.at("name");
    const int nq = j.at("nq"), nv = j.at("nv"), iq = j.at("idx_q"), iv = j.at("idx_v");
    const Coordinate* found = nullptr;
    for (const Coordinate& c : model.coordinates)
      if (c.name == name || (nv == 6 && c.kind == JointKind::kFloating)) found = &c;
    if (!found || VelocityCount(found->kind) != nv) throw std::runtime_error("the model has no joint " + name + " of " + std::to_string(nv) + " degrees");
    ++matched;
    positions_.push_back({iq, found->q_index, nq, PositionCount(found->kind)});
    for (int k = 0; k < nv; ++k) model_v_.at(iv + k) = found->v_index + k;
  }
  if (matched != model.coordinates.size()) throw std::runtime_error("the model has joints that the reference lacks");
}

Eigen::VectorXd JointMap::Positions(const Eigen::VectorXd& reference) const {
  Eigen::VectorXd q(model_nq_);
  for (const Pair& p : positions_) {
    if (p.reference_nq == 2 && p.model_nq == 1) q[p.model_q] = std::atan2(reference[p.reference_q + 1], reference[p.reference_q]);
    else q.segment(p.model_q, p.model_nq) = reference.segment(p.reference_q, p.reference_nq);
  }
  return q;
}
Eigen::VectorXd JointMap::Rates(const Eigen::VectorXd& reference) const {
  Eigen::VectorXd out(reference.size());
  for (int i = 0; i < reference.size(); ++i) out[model_v_[i]] = reference[i];
  return out;
}
Eigen::VectorXd JointMap::Back(const Eigen::VectorXd& model) const {
  Eigen::VectorXd out(model.size());
  for (int i = 0; i < model.size(); ++i) out[i] = model[model_v_[i]];
  return out;
}
Eigen::MatrixXd JointMap::BackRows(const Eigen::MatrixXd& m) const {
  Eigen::MatrixXd out(m.rows(), m.cols());
  for (int i = 0; i < m.rows(); ++i) out.row(i) = m.row(model_v_[i]);
  return out;
}
Eigen::MatrixXd JointMap::BackColumns(const Eigen::MatrixXd& m) const {
  Eigen::MatrixXd out(m.rows(), m.cols());
  for (int i = 0; i < m.cols(); ++i) out.col(i) = m.col(model_v_[i]);
  return out;
}

}  // namespace torqued::conformance
