// The mistakes that `compare` knows, each with its words.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "client/cli/explain.h"

namespace torqued::cli {

// In every list the first entry is "none".
struct Order {
  std::string words;
  std::vector<int> from;      // column i of the log holds joint from[i]
  bool torques_only = false;  // positions and rates are in the right order
};
std::vector<Order> Orders(const LogModel& model);

struct Angles {
  std::string words;
  double position = 1, rate = 1;  // factor on revolute joints' q; on their v and a
};
std::vector<Angles> AngleMistakes();

struct Gravity {
  std::string words;
  Eigen::Vector3d value;
  bool fitted = false;  // the value is found by least squares
};
std::vector<Gravity> Gravities(const Eigen::Vector3d& own);

// About which point the tensors were taken, combined with how their components were read:
// [reference][components].
struct InertiaMistakes {
  std::vector<std::string> references, components;
  std::vector<std::vector<Eigen::VectorXd>> parameters;
};
InertiaMistakes Inertias(const Eigen::VectorXd& own);

}  // namespace torqued::cli
