// Inputs that broke other planners: tests/golden/planning/hard_inputs.json.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/planning/robots.h"

namespace torqued::test {

inline const nlohmann::json& HardInputs() {
  static const nlohmann::json all = [] {
    std::ifstream in("tests/golden/planning/hard_inputs.json");
    return nlohmann::json::parse(in);
  }();
  return all;
}

inline Eigen::VectorXd Numbers(const nlohmann::json& list) {
  Eigen::VectorXd v(list.size());
  for (size_t k = 0; k < list.size(); ++k) v(k) = list[k].get<double>();
  return v;
}

// x, y, z slides without mass: joint space is space.
inline std::shared_ptr<Model> Portal(double v, double a) {
  std::vector<ArmLink> links(3);
  for (int k = 0; k < 3; ++k) {
    links[k].kind = JointKind::kPrismatic;
    links[k].axis = Eigen::Vector3d::Unit(k);
    links[k].limits.velocity = v;
    links[k].limits.acceleration = a;
  }
  return Arm(links, Shift(0, 0, 0));
}

}  // namespace torqued::test
