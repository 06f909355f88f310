#include "server/robots/audit_readers.h"

#include <algorithm>

#include "server/robots/capabilities.h"

namespace torqued::robots {
namespace {

// Moving joints depth first, siblings by name: the order of readers that keep joints in a sorted map.
std::vector<int> AlphabeticalOrder(const Model& model) {
  std::vector<std::vector<int>> below(model.links.size());
  for (size_t j = 0; j < model.joints.size(); ++j) below[model.joints[j].parent_link].push_back(static_cast<int>(j));
  for (std::vector<int>& joints : below)
    std::sort(joints.begin(), joints.end(),
              [&](int a, int b) { return model.joints[a].name > model.joints[b].name; });  // a stack turns it round
  std::vector<int> order, open = below[0];
  while (!open.empty()) {
    const int j = open.back();
    open.pop_back();
    if (model.joints[j].kind != JointKind::kFixed) order.push_back(j);
    const std::vector<int>& next = below[model.joints[j].child_link];
    open.insert(open.end(), next.begin(), next.end());
  }
  return order;
}

}  // namespace

void NoteOtherReaders(const Model& model, Report& report) {
  const std::string robot = Element("robot", model.name);
  const std::vector<int> order = AlphabeticalOrder(model);
  if (!std::is_sorted(order.begin(), order.end())) {
    std::string names;
    for (int j : order) names += (names.empty() ? "" : ", ") + model.joints[j].name;
    report.Add(finding::kReaderJointOrder, Severity::kInfo, robot, 0,
               "joints are in document order here; KDL 1.5, DART 6.12 and Pinocchio order branches by name: compare by "
               "joint name",
               names);
  }
  const std::vector<bool> moving = MovingLinks(model);
  bool turned = false, weightless = false, rubs = false;
  for (size_t l = 0; l < model.links.size(); ++l) {
    if (!moving[l] || !model.links[l].inertia) continue;
    const Eigen::Matrix3d& I = model.links[l].inertia->inertia_about_com;
    turned |= I(0, 1) != 0 || I(0, 2) != 0 || I(1, 2) != 0;
    weightless |= model.links[l].inertia->mass == 0;
  }
  for (const Coordinate& c : model.coordinates)
    rubs |= c.friction.viscous != 0 || c.friction.coulomb_positive != 0 || c.friction.coulomb_negative != 0;
  for (const Joint& j : model.joints)
    if (j.is_mimic) {
      report.Add(finding::kReaderMimic, Severity::kInfo, Element("joint", j.name), j.line,
                 "follows another joint here; KDL 1.5 and MuJoCo 2.2 ignore <mimic> and give it a degree of freedom of "
                 "its own");
      break;
    }
  if (weightless)
    report.Add(finding::kReaderMissingInertial, Severity::kInfo, robot, 0,
               "a moving link without mass has mass 0 here; DART 6.12 gives a link without <inertial> 1 kg");
  if (turned)
    report.Add(finding::kReaderInertiaRounding, Severity::kInfo, robot, 0,
               "products of inertia are kept exactly here; MuJoCo 2.2 diagonalises with errors up to about 5e-7 kg m^2");
  if (rubs)
    report.Add(finding::kReaderFriction, Severity::kInfo, robot, 0,
               "inverse dynamics includes <dynamics> damping and friction unless told otherwise; KDL 1.5 and DART 6.12 "
               "leave both out");
  const Joint* floating = nullptr;
  for (const Joint& j : model.joints)
    if (j.kind == JointKind::kFloating && j.parent_link == 0) floating = &j;
  if (floating && model.links[floating->child_link].inertia && model.links[floating->child_link].inertia->mass != 0)
    report.Add(finding::kReaderRootInertia, Severity::kInfo, Element("link", model.links[floating->child_link].name),
               model.links[floating->child_link].line,
               "the base's inertia counts here; KDL 1.5 drops the inertia of a root link");
}

}  // namespace torqued::robots
