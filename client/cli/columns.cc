#include "client/cli/columns.h"

#include <map>
#include <numbers>

namespace torqued::cli {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

struct Units {
  const char* linear;
  const char* angular;
};

Units UnitsOf(Quantity quantity) {
  switch (quantity) {
    case Quantity::kPosition:
      return {"m", "rad"};
    case Quantity::kVelocity:
      return {"m/s", "rad/s"};
    case Quantity::kAcceleration:
      return {"m/s^2", "rad/s^2"};
    case Quantity::kEffort:
      return {"N", "Nm"};
  }
  return {"", ""};
}

struct Component {
  const char* name;
  enum { kLinear, kAngular, kNone } kind;
};

std::vector<Component> ComponentsOf(v1::JointKind kind, Quantity quantity) {
  using C = Component;
  const bool position = quantity == Quantity::kPosition, effort = quantity == Quantity::kEffort;
  switch (kind) {
    case v1::JOINT_KIND_FLOATING:
      if (position)
        return {{"x", C::kLinear}, {"y", C::kLinear}, {"z", C::kLinear}, {"qx", C::kNone},
                {"qy", C::kNone},  {"qz", C::kNone},  {"qw", C::kNone}};
      if (effort)
        return {{"fx", C::kLinear},  {"fy", C::kLinear},  {"fz", C::kLinear},
                {"mx", C::kAngular}, {"my", C::kAngular}, {"mz", C::kAngular}};
      return {{"vx", C::kLinear},  {"vy", C::kLinear},  {"vz", C::kLinear},
              {"wx", C::kAngular}, {"wy", C::kAngular}, {"wz", C::kAngular}};
    case v1::JOINT_KIND_SPHERICAL:
      if (position) return {{"qx", C::kNone}, {"qy", C::kNone}, {"qz", C::kNone}, {"qw", C::kNone}};
      if (effort) return {{"mx", C::kAngular}, {"my", C::kAngular}, {"mz", C::kAngular}};
      return {{"wx", C::kAngular}, {"wy", C::kAngular}, {"wz", C::kAngular}};
    case v1::JOINT_KIND_PLANAR:
      return {{"x", C::kLinear}, {"y", C::kLinear}, {"theta", C::kAngular}};
    case v1::JOINT_KIND_PRISMATIC:
      return {{"", C::kLinear}};
    default:
      return {{"", C::kAngular}};
  }
}

}  // namespace

std::vector<Column> Columns(const v1::Model& model, Quantity quantity) {
  const Units units = UnitsOf(quantity);
  std::vector<Column> columns;
  for (const v1::Coordinate& coordinate : model.coordinates()) {
    const bool revolute = coordinate.kind() == v1::JOINT_KIND_REVOLUTE ||
                          coordinate.kind() == v1::JOINT_KIND_CONTINUOUS;
    for (const Component& component : ComponentsOf(coordinate.kind(), quantity)) {
      const std::string name = component.name;
      columns.push_back({name.empty() ? coordinate.name() : coordinate.name() + "." + name,
                         component.kind == Component::kLinear    ? units.linear
                         : component.kind == Component::kAngular ? units.angular
                                                                 : "",
                         revolute && quantity != Quantity::kEffort});
    }
  }
  return columns;
}

const char* Suffix(Quantity quantity) {
  switch (quantity) {
    case Quantity::kPosition:
      return "q";
    case Quantity::kVelocity:
      return "v";
    case Quantity::kAcceleration:
      return "a";
    case Quantity::kEffort:
      return "tau";
  }
  return "";
}

std::string Heading(const Column& column, Quantity quantity) {
  const std::string name = column.id + "." + Suffix(quantity);
  return column.unit.empty() ? name : name + "[" + column.unit + "]";
}

std::string Describe(const std::vector<Column>& columns) {
  std::string text;
  for (const Column& column : columns)
    text += (text.empty() ? "" : ", ") + column.id +
            (column.unit.empty() ? "" : " [" + column.unit + "]");
  return text;
}

double UnitFactor(const Column& column, Quantity quantity, const std::string& unit) {
  if (unit.empty() || unit == column.unit) return 1;
  static const std::map<std::string, std::map<std::string, double>> kFactors = {
      {"rad", {{"deg", kDegree}}},
      {"rad/s", {{"deg/s", kDegree}}},
      {"rad/s^2", {{"deg/s^2", kDegree}, {"rad/s2", 1}, {"deg/s2", kDegree}}},
      {"m", {{"mm", 1e-3}}},
      {"m/s", {{"mm/s", 1e-3}}},
      {"m/s^2", {{"mm/s^2", 1e-3}, {"m/s2", 1}, {"mm/s2", 1e-3}}},
      {"Nm", {{"N.m", 1}, {"N*m", 1}, {"Nmm", 1e-3}, {"mNm", 1e-3}}},
      {"N", {{"kN", 1e3}}}};
  const auto own = kFactors.find(column.unit);
  if (own == kFactors.end()) return 0;
  const auto factor = own->second.find(unit);
  return factor == own->second.end() ? 0 : factor->second;
}

}  // namespace torqued::cli
