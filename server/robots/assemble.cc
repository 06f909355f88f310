#include "server/robots/assemble.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "server/robots/number.h"
#include "server/robots/text.h"

namespace torqued {
namespace {

using Names = std::unordered_map<std::string, int>;

std::string At(int line) { return line > 0 ? " (line " + std::to_string(line) + ")" : ""; }

std::vector<std::string> Keys(const Names& names) {
  std::vector<std::string> out;
  for (const auto& [name, index] : names) out.push_back(name);
  std::sort(out.begin(), out.end());
  return out;
}

// Index by name; a fault or a duplicate is an error.
template <class Items, class GetName, class GetLine>
Names Index(const char* kind, const Items& items, GetName name, GetLine line, Report& report) {
  Names out;
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string fault = NameFault(name(items[i]));
    if (!fault.empty()) report.Fail(line(items[i]), Element(kind, name(items[i])), fault);
    const auto [it, fresh] = out.emplace(name(items[i]), static_cast<int>(i));
    if (!fresh)
      report.Fail(line(items[i]), Element(kind, name(items[i])),
                  std::string("the name is taken by another ") + kind + At(line(items[it->second])));
  }
  return out;
}

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

bool OneDegree(JointKind k) { return k != JointKind::kFixed && VelocityCount(k) == 1; }

// Couplings and coordinates of the joints.
class Couple {
 public:
  Couple(Draft& draft, const Names& joints, Model& model, Report& report)
      : draft_(draft), joints_(joints), model_(model), report_(report), state_(draft.joints.size(), 0) {}

  void Run() {
    implied_ = draft_.coordinates.empty();
    if (implied_) {
      for (DraftJoint& d : draft_.joints) {
        if (d.joint.kind == JointKind::kFixed || d.mimic || !Owns(d)) continue;
        Coordinate c;
        c.name = d.joint.name;
        c.kind = d.joint.kind;
        c.limits = d.limits;
        c.friction = d.friction;
        draft_.coordinates.push_back({c, d.joint.line});
      }
    }
    coordinates_ = Index(
        "coordinate", draft_.coordinates, [](const DraftCoordinate& c) { return c.coordinate.name; },
        [](const DraftCoordinate& c) { return c.line; }, report_);
    for (const DraftCoordinate& d : draft_.coordinates) {
      Coordinate c = d.coordinate;
      c.q_index = model_.nq;
      c.v_index = model_.nv;
      model_.nq += PositionCount(c.kind);
      model_.nv += VelocityCount(c.kind);
      model_.coordinates.push_back(c);
    }
    for (size_t j = 0; j < draft_.joints.size() && !report_.failed(); ++j) Resolve(static_cast<int>(j));
    for (size_t j = 0; j < draft_.joints.size() && !report_.failed(); ++j) Fold(draft_.joints[j]);
    CheckUse();
  }

 private:
  // Does the joint move with a coordinate of its own name?
  static bool Owns(const DraftJoint& d) {
    return d.coupling.empty() || std::any_of(d.coupling.begin(), d.coupling.end(),
                                             [&](const auto& term) { return term.first == d.joint.name; });
  }

  void Resolve(int index) {
    // Mimic chains without recursion: walk to the driver, then back.
    std::vector<int> chain;
    for (int j = index; state_[j] == 0;) {
      state_[j] = 1;
      chain.push_back(j);
      const DraftJoint& d = draft_.joints[j];
      if (!d.mimic) break;
      const auto it = joints_.find(d.mimic->joint);
      const std::string element = Element("joint", d.joint.name);
      if (!OneDegree(d.joint.kind))
        return report_.Fail(d.joint.line, element, "mimic is possible for revolute, continuous and prismatic joints only");
      if (it == joints_.end())
        return report_.Fail(d.joint.line, element,
                            "mimics joint " + Quoted(d.mimic->joint) + ", which does not exist" +
                                Suggest(d.mimic->joint, Keys(joints_)));
      const DraftJoint& driver = draft_.joints[it->second];
      if (!OneDegree(driver.joint.kind))
        return report_.Fail(d.joint.line, element,
                            "mimics joint " + Quoted(driver.joint.name) +
                                ", which has not one degree of freedom; want a revolute, continuous or prismatic joint");
      if (state_[it->second] == 1)
        return report_.Fail(d.joint.line, element, "mimics itself through " + Quoted(d.mimic->joint));
      j = it->second;
    }
    for (auto j = chain.rbegin(); j != chain.rend() && !report_.failed(); ++j) {
      Settle(draft_.joints[*j]);
      state_[*j] = 2;
    }
  }

  void Settle(DraftJoint& d) {
    Joint& joint = d.joint;
    if (joint.kind == JointKind::kFixed) return;
    const std::string element = Element("joint", joint.name);
    if (d.mimic) {
      const Joint& driver = draft_.joints[joints_.at(d.mimic->joint)].joint;
      const double k = d.mimic->multiplier;
      if (k == 0)
        return report_.Fail(joint.line, element, "mimic multiplier is 0: make the joint fixed");
      for (CouplingTerm t : driver.coupling) joint.coupling.push_back({t.coordinate, k * t.factor});
      joint.offset = k * driver.offset + d.mimic->offset;
    } else if (d.coupling.empty()) {
      const auto it = coordinates_.find(joint.name);
      if (it == coordinates_.end())
        return report_.Fail(joint.line, element,
                            "has no coordinate of its name: list it under coordinates, or say by a coupling what moves it");
      joint.coupling = {{it->second, 1.0}};
    } else {
      for (const auto& [name, factor] : d.coupling) {
        const auto it = coordinates_.find(name);
        if (it == coordinates_.end())
          return report_.Fail(joint.line, element,
                              "coupling names coordinate " + Quoted(name) + ", which does not exist" +
                                  Suggest(name, Keys(coordinates_)));
        joint.coupling.push_back({it->second, factor});
      }
    }
    joint.is_mimic = joint.coupling.size() == 1 &&
                     model_.coordinates[joint.coupling[0].coordinate].name != joint.name;
    for (const CouplingTerm& t : joint.coupling) {
      const Coordinate& c = model_.coordinates[t.coordinate];
      const bool same_width = VelocityCount(c.kind) == VelocityCount(joint.kind) &&
                              PositionCount(c.kind) == PositionCount(joint.kind);
      if (!same_width || (!OneDegree(joint.kind) && (joint.coupling.size() != 1 || t.factor != 1)))
        return report_.Fail(joint.line, element, "cannot be moved by coordinate " + Quoted(c.name) + " of another kind");
    }
  }

  // A driven joint's friction and limits act on the one coordinate that moves it.
  void Fold(const DraftJoint& d) {
    const Joint& joint = d.joint;
    const Friction& f = d.friction;
    const Limits& l = d.limits;
    const bool rubs = f.viscous != 0 || f.coulomb_positive != 0 || f.coulomb_negative != 0 || f.breakaway != 0;
    const bool limited = l.lower || l.upper || l.velocity;
    if (!rubs && !limited && !l.effort && !l.acceleration && !l.jerk) return;
    if (!d.mimic && Owns(d) && implied_) return;  // the joint's coordinate took them over
    const std::string element = Element("joint", joint.name);
    if (!d.mimic && Owns(d))
      return report_.Fail(joint.line, element, "give its limits and friction to its entry under coordinates");
    if (joint.coupling.size() != 1)
      return report_.Fail(joint.line, element,
                          "is moved by several coordinates: give its friction and limits to these");
    const double k = joint.coupling[0].factor;
    Coordinate& c = model_.coordinates[joint.coupling[0].coordinate];
    if (rubs) FoldFriction(f, k, element, joint.line, c);
    if (limited) FoldLimits(d.limits, k, joint.offset, element, joint.line, c);
  }

  void FoldFriction(const Friction& f, double k, const std::string& element, int line, Coordinate& c) {
    if (f.stribeck_velocity > 0 || f.smoothing_velocity > 0)
      return report_.Fail(line, element, "a driven joint may have viscous and Coulomb friction only");
    if (c.friction.stribeck_velocity > 0 || c.friction.smoothing_velocity > 0)
      return report_.Fail(line, element,
                          "its friction cannot be added to the Stribeck or sigmoid friction of " + Quoted(c.name));
    c.friction.viscous += k * k * f.viscous;
    c.friction.coulomb_positive += std::abs(k) * (k > 0 ? f.coulomb_positive : f.coulomb_negative);
    c.friction.coulomb_negative += std::abs(k) * (k > 0 ? f.coulomb_negative : f.coulomb_positive);
    report_.Add(finding::kFrictionFolded, Severity::kInfo, element, line,
                "its friction acts on coordinate " + Quoted(c.name) + ", which drives it", FormatNumber(k));
  }

  void FoldLimits(const Limits& l, double k, double offset, const std::string& element, int line, Coordinate& c) {
    const auto tighten = [](std::optional<double>& have, std::optional<double> want, bool lower) {
      if (!want || (have && (lower ? *have >= *want : *have <= *want))) return false;
      have = want;
      return true;
    };
    const auto at = [&](std::optional<double> v) {
      return v ? std::optional<double>((*v - offset) / k) : std::nullopt;
    };
    bool narrower = tighten(c.limits.lower, at(k > 0 ? l.lower : l.upper), true);
    narrower |= tighten(c.limits.upper, at(k > 0 ? l.upper : l.lower), false);
    if (l.velocity) narrower |= tighten(c.limits.velocity, *l.velocity / std::abs(k), false);
    if (narrower)
      report_.Add(finding::kLimitFolded, Severity::kInfo, element, line,
                  "its limits narrow those of coordinate " + Quoted(c.name) + ", which drives it", FormatNumber(k));
  }

  void CheckUse() {
    std::vector<bool> used(model_.coordinates.size(), false);
    for (const DraftJoint& d : draft_.joints)
      for (const CouplingTerm& t : d.joint.coupling) used[t.coordinate] = true;
    for (size_t k = 0; k < used.size(); ++k)
      if (!used[k])
        report_.Fail(draft_.coordinates[k].line, Element("coordinate", model_.coordinates[k].name), "moves no joint");
  }

  Draft& draft_;
  const Names& joints_;
  Model& model_;
  Report& report_;
  std::vector<char> state_;  // 0 open, 1 under way, 2 settled
  Names coordinates_;
  bool implied_ = false;  // coordinates come from the joints
};

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

  Couple(draft, joints, model, report).Run();
  model.links = std::move(draft.links);
  for (DraftJoint& d : draft.joints) {
    d.joint.parent_link = links.at(d.parent);
    d.joint.child_link = links.at(d.child);
    model.joints.push_back(std::move(d.joint));
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

}  // namespace torqued
