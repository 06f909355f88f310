// Who answers which question about which robot, for how many nanoseconds per state? Contenders that fill equal rows.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/core/tree/model.h"
#include "server/core/tree/prepared.h"

namespace torqued::bench {

inline constexpr int kStates = 1024;

enum class Question { kInverseDynamics, kMassMatrix, kForwardDynamics, kJacobian, kPathDynamics, kGravity };
inline constexpr Question kQuestions[] = {Question::kInverseDynamics, Question::kMassMatrix, Question::kForwardDynamics,
                                          Question::kJacobian,        Question::kPathDynamics, Question::kGravity};
const char* NameOf(Question q);

// Seeded random states, one per row; x serves as acceleration and as effort.
struct Robot {
  std::string name;
  Model model;
  std::shared_ptr<const Prepared> prepared;
  std::vector<double> q, v, x;  // [kStates x nq], [kStates x nv], [kStates x nv]
};

// Values per state: tau (nv); M (nv^2); accelerations (nv); J of the tool (6 nv, row-major); path dynamics 3 nv, as three
// arrays m, c, g one after the other; g (nv).
int WidthOf(Question q, int nv);

struct Contender {
  std::string name;
  std::function<void(double* rows)> pass;  // answers all kStates
  double tolerance = 1e-9;                 // against the first contender, relative to the largest value
};

// Empty where one does not answer this question about this robot.
std::vector<Contender> OurContenders(const Robot& r, Question q);  // the first is the double template
std::vector<Contender> KdlContenders(const Robot& r, Question q);
std::vector<Contender> MujocoContenders(const Robot& r, Question q);
std::vector<Contender> DartContenders(const Robot& r, Question q);

}  // namespace torqued::bench
