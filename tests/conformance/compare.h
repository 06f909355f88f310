// How far are our values from a reference robot's? The worst relative difference per quantity.
//
// Relative difference: max |ours - theirs| / max(1, max |theirs|), over all states. Tolerances are those at which
// independent libraries agree with the reference.
#pragma once

#include <string>
#include <vector>

#include "tests/conformance/reference.h"

namespace torqued::conformance {

struct Comparison {
  std::string robot, quantity;
  double difference = 0;  // worst, relative
  double tolerance = 0;
  int state = -1;         // index where it is worst
  int count = 0;          // states compared
  bool ok() const { return difference <= tolerance; }  // false for NaN
};

// Throws std::exception where the robot cannot be read or its joints do not match.
std::vector<Comparison> Compare(const ReferenceRobot& robot);

// One line per robot and quantity, aligned; failures marked.
std::string Table(const std::vector<Comparison>& all);

}  // namespace torqued::conformance
