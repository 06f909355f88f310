#include "server/robots/couple.h"

#include <algorithm>
#include <cmath>

#include "server/robots/number.h"

namespace torqued::robots {
namespace {

bool OneDegree(JointKind k) { return k != JointKind::kFixed && VelocityCount(k) == 1; }

class Coupler {
 public:
  Coupler(Draft& draft, const Names& joints, Model& model, Report& report)
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

void Couple(Draft& draft, const Names& joints, Model& model, Report& report) {
  Coupler(draft, joints, model, report).Run();
}

}  // namespace torqued::robots
