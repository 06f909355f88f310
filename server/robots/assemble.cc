#include "server/robots/assemble.h"

#include <algorithm>

#include "server/robots/couple.h"
#include "server/robots/names.h"
#include "server/robots/text.h"

namespace torqued::robots {
namespace {

// A floating base: a link "world" above the root, or the root "world" itself if it carries the base by a fixed joint.
void FloatBase(Draft& draft, int root, Report& report) {
  const std::string root_name = draft.links[root].name;
  std::vector<DraftJoint*> at_root;
  for (DraftJoint& j : draft.joints)
    if (j.parent == root_name) at_root.push_back(&j);
  for (DraftJoint* j : at_root)
    if (j->joint.kind == JointKind::kFloating) return;  // floats already
  if (root_name == "world") {
    if (at_root.size() == 1 && at_root[0]->joint.kind == JointKind::kFixed) {
      at_root[0]->joint.kind = JointKind::kFloating;
      return;
    }
    return report.Fail(draft.links[root].line, "link 'world'",
                       "a floating base needs exactly one fixed joint below the world link to set free, " +
                           std::to_string(at_root.size()) + " joints are there");
  }
  const auto unused = [&](std::string name, auto&& taken) {
    while (taken(name)) name += "_";
    return name;
  };
  Link world;
  world.name = unused("world", [&](const std::string& n) {
    return std::any_of(draft.links.begin(), draft.links.end(), [&](const Link& l) { return l.name == n; });
  });
  world.inertia = MassProperties{};
  DraftJoint free;
  free.joint.name = unused("floating_base", [&](const std::string& n) {
    return std::any_of(draft.joints.begin(), draft.joints.end(),
                       [&](const DraftJoint& j) { return j.joint.name == n; });
  });
  free.joint.kind = JointKind::kFloating;
  free.joint.line = draft.links[root].line;
  free.parent = world.name;
  free.child = root_name;
  if (!draft.coordinates.empty()) {
    DraftCoordinate c;
    c.coordinate.name = free.joint.name;
    c.coordinate.kind = JointKind::kFloating;
    draft.coordinates.insert(draft.coordinates.begin(), c);
  }
  draft.links.insert(draft.links.begin(), world);
  draft.joints.insert(draft.joints.begin(), free);
}

// The base stands where its floating joint is at zero.
void FixBase(Draft& draft, const std::string& root_name) {
  for (DraftJoint& d : draft.joints) {
    if (d.parent != root_name || d.joint.kind != JointKind::kFloating) continue;
    d.joint.kind = JointKind::kFixed;
    std::erase_if(draft.coordinates, [&](const DraftCoordinate& c) { return c.coordinate.name == d.joint.name; });
  }
}

// The one link without a joint above it; -1 after an error.
int FindRoot(const Draft& draft, const Names& links, Report& report) {
  std::vector<int> above(draft.links.size(), -1);  // joint
  for (size_t j = 0; j < draft.joints.size(); ++j) {
    const DraftJoint& d = draft.joints[j];
    const std::string element = Element("joint", d.joint.name);
    for (const auto& [role, name] : {std::pair("parent", &d.parent), std::pair("child", &d.child)})
      if (!links.count(*name))
        report.Fail(d.joint.line, element,
                    std::string(role) + " link " + Quoted(*name) + " does not exist" + Suggest(*name, Keys(links)));
    if (report.failed()) return -1;
    const int child = links.at(d.child);
    if (d.parent == d.child) report.Fail(d.joint.line, element, "connects link " + Quoted(d.child) + " with itself");
    if (above[child] >= 0) {
      const DraftJoint& other = draft.joints[above[child]];
      report.Fail(d.joint.line, element,
                  "link " + Quoted(d.child) + " hangs on two joints, this one and " + Quoted(other.joint.name) +
                      At(other.joint.line) + ": a closed loop; want a tree (closed loops are not supported)");
    }
    if (report.failed()) return -1;
    above[child] = static_cast<int>(j);
  }
  int root = -1;
  for (size_t l = 0; l < draft.links.size(); ++l) {
    if (above[l] >= 0) continue;
    if (root >= 0) {
      report.Fail(draft.links[l].line, Element("link", draft.links[l].name),
                  "is a second root: no joint has it as its child, nor link " + Quoted(draft.links[root].name) +
                      At(draft.links[root].line) + "; want one tree");
      return -1;
    }
    root = static_cast<int>(l);
  }
  if (root < 0) {
    report.Fail(draft.line, Element("robot", draft.name),
                "has no root link: every link is the child of a joint, so the joints form a loop; want a tree");
    return -1;
  }
  // One root and one joint above each other link: whatever the root does not reach is a loop of its own.
  std::vector<std::vector<int>> below(draft.links.size());
  for (const DraftJoint& d : draft.joints) below[links.at(d.parent)].push_back(links.at(d.child));
  std::vector<bool> seen(draft.links.size(), false);
  std::vector<int> open = {root};
  while (!open.empty()) {
    const int l = open.back();
    open.pop_back();
    seen[l] = true;
    for (int child : below[l]) open.push_back(child);
  }
  for (size_t l = 0; l < draft.links.size(); ++l)
    if (!seen[l]) {
      report.Fail(draft.links[l].line, Element("link", draft.links[l].name),
                  "is not connected with root link " + Quoted(draft.links[root].name) +
                      ": its joints form a closed loop; want a tree (closed loops are not supported)");
      return -1;
    }
  return root;
}

}  // namespace

Model Assemble(Draft draft, BaseOption base, Report& report) {
  Model model;
  model.name = draft.name;
  const std::string robot = Element("robot", draft.name);
  if (draft.links.empty()) report.Fail(draft.line, robot, "has no link");
  if (static_cast<int>(draft.links.size()) > kMaxLinks || static_cast<int>(draft.joints.size()) > kMaxLinks)
    report.Fail(draft.line, robot, "has more than " + std::to_string(kMaxLinks) + " links",
                absl::StatusCode::kResourceExhausted);
  if (report.failed()) return model;

  const auto link_name = [](const Link& l) { return l.name; };
  const auto link_line = [](const Link& l) { return l.line; };
  const auto joint_name = [](const DraftJoint& d) { return d.joint.name; };
  const auto joint_line = [](const DraftJoint& d) { return d.joint.line; };
  Names links = Index("link", draft.links, link_name, link_line, report);
  Index("joint", draft.joints, joint_name, joint_line, report);
  int root = report.failed() ? -1 : FindRoot(draft, links, report);
  if (report.failed()) return model;

  if (base == BaseOption::kFloating || (base == BaseOption::kAsSource && draft.floating)) FloatBase(draft, root, report);
  if (base == BaseOption::kFixed) FixBase(draft, draft.links[root].name);
  if (report.failed()) return model;

  // The root comes first; the others stay in document order.
  links = Index("link", draft.links, link_name, link_line, report);
  root = FindRoot(draft, links, report);
  std::rotate(draft.links.begin(), draft.links.begin() + root, draft.links.begin() + root + 1);
  links = Index("link", draft.links, link_name, link_line, report);
  const Names joints = Index("joint", draft.joints, joint_name, joint_line, report);

  Couple(draft, joints, model, report);
  model.links = std::move(draft.links);
  for (DraftJoint& d : draft.joints) {
    d.joint.parent_link = links.at(d.parent);
    d.joint.child_link = links.at(d.child);
    d.joint.axis.array() += 0.0;  // -0 becomes 0, so that what is written reads back bit for bit
    model.joints.push_back(std::move(d.joint));
  }
  for (Link& link : model.links) {
    if (!link.inertia) continue;
    link.inertia->com.array() += 0.0;
    link.inertia->inertia_about_com.array() += 0.0;
  }
  return model;
}

std::string GuessToolFrame(const Model& model, Report& report) {
  if (model.FindLink("tool0") >= 0) return "tool0";
  std::vector<int> depth(model.links.size(), 0);
  std::vector<bool> leaf(model.links.size(), true);
  std::vector<std::vector<int>> below(model.links.size());
  for (size_t j = 0; j < model.joints.size(); ++j) {
    below[model.joints[j].parent_link].push_back(static_cast<int>(j));
    leaf[model.joints[j].parent_link] = false;
  }
  std::vector<int> open = {0};
  while (!open.empty()) {
    const int l = open.back();
    open.pop_back();
    for (int j : below[l]) {
      depth[model.joints[j].child_link] = depth[l] + (model.joints[j].kind != JointKind::kFixed);
      open.push_back(model.joints[j].child_link);
    }
  }
  int best = -1, leaves = 0;
  for (size_t l = 0; l < model.links.size(); ++l) {
    if (!leaf[l]) continue;
    ++leaves;
    if (best < 0 || depth[l] > depth[best]) best = static_cast<int>(l);
  }
  const std::string& name = model.links[best].name;
  if (leaves > 1)
    report.Add(finding::kToolFrameGuessed, Severity::kInfo, Element("link", name), model.links[best].line,
               "taken as the tool frame: the first link at the end of the longest chain of moving joints", name);
  return name;
}

}  // namespace torqued::robots
