#include "server/robots/audit.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <charconv>

#include "server/robots/audit_readers.h"
#include "server/robots/number.h"

namespace torqued::robots {
namespace {

constexpr double kTolerance = 1e-6;  // of the largest principal moment

std::string Short(double v) {  // seven digits, for people
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, v, std::chars_format::scientific, 6);
  return std::string(buffer, end.ptr);
}

class Auditor {
 public:
  Auditor(Policy policy, Model& model, Report& report)
      : policy_(policy), model_(model), report_(report), moving_(MovingLinks(model)) {}

  void Run() {
    for (size_t l = 0; l < model_.links.size(); ++l) CheckLink(model_.links[l], moving_[l]);
    CheckUnknown();
    CheckMassless();
    CheckUnits();
    for (Coordinate& c : model_.coordinates)
      if (VelocityCount(c.kind) == 1) CheckLimits(c);
    CheckNames();
    if (policy_ == Policy::kStrict) Refuse();
  }

 private:
  void Add(const char* code, Severity severity, const std::string& element, int line, const std::string& message,
           const std::string& value = "") {
    if (policy_ == Policy::kStrict && IsPhysical(code)) {
      severity = Severity::kError;
      refused_.push_back((line > 0 ? "line " + std::to_string(line) + ": " : "") + element + ": " + message);
    }
    report_.Add(code, severity, element, line, message, value);
  }

  void CheckLink(Link& link, bool moving) {
    if (!link.inertia) return;
    MassProperties& mp = *link.inertia;
    const std::string element = Element("link", link.name);
    const bool repair = policy_ == Policy::kRepair;
    if (mp.mass < 0) {
      Add(finding::kNegativeMass, Severity::kWarning, element, link.line,
          "mass " + FormatNumber(mp.mass) + " kg is negative" + (repair ? ": set to 0, with its inertia" : ""),
          FormatNumber(mp.mass));
      if (repair) mp = MassProperties{};
    }
    if (!IsPhysicalInertia(mp.inertia_about_com)) {
      const std::array<double, 3> I = PrincipalMoments(mp.inertia_about_com);
      const std::string numbers = Short(I[0]) + ", " + Short(I[1]) + ", " + Short(I[2]);
      const std::string what =
          I[0] < -kTolerance * std::abs(I[2])
              ? "a principal moment of inertia is negative (" + numbers + ")"
              : "no body has these principal moments of inertia (" + numbers +
                    "): the smaller two must add up to the largest, they are " + Short(-TriangleSlack(I)) + " short";
      if (repair) mp.inertia_about_com = NearestPhysicalInertia(mp.inertia_about_com);
      std::string repaired;
      if (repair) {
        const std::array<double, 3> J = PrincipalMoments(mp.inertia_about_com);
        repaired = "; replaced by the nearest possible (" + Short(J[0]) + ", " + Short(J[1]) + ", " + Short(J[2]) + ")";
      }
      Add(finding::kNonphysicalInertia, Severity::kWarning, element, link.line, what + repaired,
          numbers + "; slack " + Short(TriangleSlack(I)));
    }
    if (mp.mass == 0 && mp.inertia_about_com != Eigen::Matrix3d::Zero())
      Add(finding::kInertiaWithoutMass, Severity::kWarning, element, link.line, "has a moment of inertia but no mass");
    if (!moving && mp.mass != 0)
      Add(finding::kUnusedWorldMass, Severity::kInfo, element, link.line,
          "does not move: its mass of " + FormatNumber(mp.mass) + " kg enters no torque", FormatNumber(mp.mass));
  }

  void CheckUnknown() {
    std::string names;
    int line = 0, count = 0;
    for (size_t l = 0; l < model_.links.size(); ++l) {
      if (!moving_[l] || model_.links[l].inertia) continue;
      if (line == 0) line = model_.links[l].line;
      names += (count++ ? ", " : "") + Quoted(model_.links[l].name);
    }
    if (count)
      Add(finding::kInertiaUnknown, Severity::kWarning, Element("robot", model_.name), line,
          "inertia unknown: links " + names + "; gravity and motion torques cannot be computed, kinematics and J^T F can",
          std::to_string(count));
  }

  void CheckMassless() {
    for (const std::string& name : FindCapabilities(model_).massless_joints)
      for (const Joint& j : model_.joints)
        if (j.name == name)
          Add(finding::kMasslessMovingLink, Severity::kWarning, Element("joint", name), j.line,
              "moves no inertia (link " + Quoted(model_.links[j.child_link].name) +
                  " weighs nothing): inverse dynamics answers, forward dynamics is refused",
              model_.links[j.child_link].name);
  }

  void CheckUnits() {
    double extent = 0;  // the stretched robot
    for (const Joint& j : model_.joints) {
      const double offset = j.X_PJ.translation().norm() + j.X_JL.translation().norm();
      extent += offset;
      if (offset > 20)
        Add(finding::kUnitsSuspect, Severity::kWarning, Element("joint", j.name), j.line,
            "stands " + FormatNumber(offset) + " m from its parent: is it in millimetres?", FormatNumber(offset));
    }
    for (const Coordinate& c : model_.coordinates)
      if (c.kind == JointKind::kPrismatic && c.limits.lower && c.limits.upper)
        extent += std::max(std::abs(*c.limits.lower), std::abs(*c.limits.upper));
    const double far = std::max(3 * extent, 2.0);
    for (const Link& link : model_.links) {
      if (!link.inertia) continue;
      const MassProperties& mp = *link.inertia;
      const std::string element = Element("link", link.name);
      if (mp.mass > 0 && mp.com.norm() > far)
        Add(finding::kUnitsSuspect, Severity::kWarning, element, link.line,
            "its centre of mass lies " + FormatNumber(mp.com.norm()) + " m from its frame, the whole robot is about " +
                Short(extent) + " m long: is it in another unit?",
            FormatNumber(mp.com.norm()));
      if (mp.mass > 20000)
        Add(finding::kUnitsSuspect, Severity::kWarning, element, link.line,
            "weighs " + FormatNumber(mp.mass) + " kg: is it in grams?", FormatNumber(mp.mass));
      const double gyration = mp.mass > 0 ? std::sqrt(std::abs(mp.inertia_about_com.trace()) / (2 * mp.mass)) : 0;
      if (gyration > far)
        Add(finding::kUnitsSuspect, Severity::kWarning, element, link.line,
            "its radius of gyration is " + Short(gyration) + " m, the whole robot is about " + Short(extent) +
                " m long: is the inertia in another unit?",
            Short(gyration));
    }
  }

  void CheckLimits(Coordinate& c) {
    int line = 0;
    for (const Joint& j : model_.joints)
      if (j.name == c.name) line = j.line;
    const std::string element = Element("joint", c.name);
    Limits& l = c.limits;
    if (l.lower && l.upper && *l.lower > *l.upper) {
      const bool repair = policy_ == Policy::kRepair;
      Add(finding::kLimitReversed, Severity::kWarning, element, line,
          "lower limit " + FormatNumber(*l.lower) + " is above the upper, " + FormatNumber(*l.upper) +
              (repair ? ": exchanged" : ": both taken as unknown"),
          FormatNumber(*l.lower) + ", " + FormatNumber(*l.upper));
      if (repair) std::swap(l.lower, l.upper);
      else l.lower.reset(), l.upper.reset();
    } else if (l.lower && l.upper && *l.lower == *l.upper) {
      const bool blank = *l.lower == 0;  // what exporters write for "not known"
      Add(finding::kLimitEmptyRange, Severity::kWarning, element, line,
          blank ? "lower and upper limit are 0: taken as unknown" : "lower and upper limit are equal: it cannot move",
          FormatNumber(*l.lower));
      if (blank) l.lower.reset(), l.upper.reset();
    }
    for (auto& [name, zero, limit] : {std::tuple<const char*, const char*, std::optional<double>*>{
                                          "velocity", finding::kVelocityZero, &l.velocity},
                                      {"effort", finding::kEffortZero, &l.effort}}) {
      if (!*limit || **limit > 0) continue;
      const bool negative = **limit < 0;
      Add(negative ? finding::kLimitNegative : zero, Severity::kWarning, element, line,
          std::string(name) + " limit is " + FormatNumber(**limit) + ": taken as unknown", FormatNumber(**limit));
      limit->reset();
    }
    std::string missing;
    const auto need = [&](bool has, const char* name) {
      if (!has) missing += std::string(missing.empty() ? "" : ", ") + name;
    };
    if (c.kind != JointKind::kContinuous) need(l.lower && l.upper, "position");
    need(l.velocity.has_value(), "velocity");
    need(l.effort.has_value(), "effort");
    if (!missing.empty())
      Add(finding::kLimitMissing, Severity::kInfo, element, line, "limits not known: " + missing, missing);
  }

  void CheckNames() {
    for (const Joint& j : model_.joints)
      if (model_.FindLink(j.name) >= 0)
        Add(finding::kNameDuplicate, Severity::kInfo, Element("joint", j.name), j.line,
            "a link has the same name; where a frame is asked, the link is meant", j.name);
  }

  void Refuse() {
    if (refused_.empty()) return;
    constexpr size_t kShown = 12;
    std::string all;
    for (size_t i = 0; i < refused_.size() && i < kShown; ++i) all += (i ? "; " : "") + refused_[i];
    if (refused_.size() > kShown) all += "; and " + std::to_string(refused_.size() - kShown) + " more";
    report_.Fail(0, "", "refused (policy strict): " + all);
  }

  const Policy policy_;
  Model& model_;
  Report& report_;
  const std::vector<bool> moving_;
  std::vector<std::string> refused_;
};

}  // namespace

std::array<double, 3> PrincipalMoments(const Eigen::Matrix3d& I) {
  const double scale = I.cwiseAbs().maxCoeff();
  if (scale == 0) return {0, 0, 0};
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(I / scale, Eigen::EigenvaluesOnly);
  const Eigen::Vector3d e = solver.eigenvalues() * scale;
  return {e[0], e[1], e[2]};
}

double TriangleSlack(const std::array<double, 3>& I) { return I[0] + I[1] - I[2]; }

bool IsPhysicalInertia(const Eigen::Matrix3d& I) {
  const std::array<double, 3> moments = PrincipalMoments(I);
  const double tolerance = kTolerance * std::max(std::abs(moments[0]), std::abs(moments[2]));
  return moments[0] >= -tolerance && TriangleSlack(moments) >= -tolerance;
}

Eigen::Matrix3d NearestPhysicalInertia(const Eigen::Matrix3d& I) {
  if (IsPhysicalInertia(I)) return I;
  const double scale = I.cwiseAbs().maxCoeff();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(I / scale);
  const Eigen::Vector3d moments = solver.eigenvalues();
  const Eigen::Vector3d second = (Eigen::Vector3d::Constant(moments.sum() / 2) - moments).cwiseMax(0);
  const Eigen::Vector3d possible = scale * (Eigen::Vector3d::Constant(second.sum()) - second);
  const Eigen::Matrix3d out = solver.eigenvectors() * possible.asDiagonal() * solver.eigenvectors().transpose();
  return 0.5 * (out + out.transpose());
}

bool Invertible(const Eigen::MatrixXd& square) { return Eigen::FullPivLU<Eigen::MatrixXd>(square).isInvertible(); }

void Audit(Policy policy, SourceFormat format, Model& model, Report& report) {
  Auditor(policy, model, report).Run();
  if (format == SourceFormat::kUrdf && !report.failed()) NoteOtherReaders(model, report);
}

}  // namespace torqued::robots
