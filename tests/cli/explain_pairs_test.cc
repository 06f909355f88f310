// A log is made with two mistakes of different kinds at once, of three robots; Explain must name both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/explain_robot.h"

namespace torqued::cli {
namespace {

using namespace test;

// A log with two mistakes of different kinds at once, of three robots. `from` is made wrong.
struct Mistake {
  std::string words;  // some of them
  std::function<void(Robot& other, Terms& terms)> model = {};
  double angles = 1;  // factor on what was fed as angles
  bool reversed = false;
  double sign = 1;
};

std::vector<Mistake> Mistakes(const Robot& robot) {
  std::vector<Mistake> all = {
      {"gravity has the opposite sign",
       [](Robot& other, Terms&) {
         other.gravity = {-other.gravity.x, -other.gravity.y, -other.gravity.z};
       }},
      {"positions, velocities and accelerations are in degrees", {}, kDegree},
      {"were taken as about the link frame's origin",
       [](Robot& other, Terms&) {
         other.ChangeInertias([](MassProperties& m) {
           const Eigen::Vector3d c = m.com;
           m.inertia_about_com -=
               m.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
         });
       }},
      {"joints in another order: reverse order", {}, 1, true},
      {"all torques have the opposite sign", {}, 1, false, -1},
  };
  bool rubs = false;
  for (const Coordinate& c : robot.model().coordinates) rubs |= c.friction.viscous > 0;
  if (rubs) all.push_back({"without friction", [](Robot&, Terms& t) { t.friction = false; }});
  if (!robot.model().rotors.empty())
    all.push_back({"without rotor inertia", [](Robot&, Terms& t) { t.rotor = false; }});
  return all;
}

bool Names(const Explanation& e, const Mistake& a, const Mistake& b) {
  const auto has = [&](const Mistake& m) {
    return std::any_of(e.changes.begin(), e.changes.end(),
                       [&](const std::string& c) { return c.find(m.words) != std::string::npos; });
  };
  return e.changes.size() == 2 && has(a) && has(b);
}

class TwoMistakes : public ::testing::TestWithParam<const char*> {};

TEST_P(TwoMistakes, AreBothNamed) {
  Robot robot{std::string("deploy/robots/") + GetParam()};
  robot.gravity = robot.own_gravity();
  const std::vector<Mistake> all = Mistakes(robot);
  const int n = robot.model().nv;
  std::vector<int> reversed;
  for (int i = n - 1; i >= 0; --i) reversed.push_back(i);
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      SCOPED_TRACE(all[i].words + " and " + all[j].words);
      Robot other{std::string("deploy/robots/") + GetParam()};
      other.gravity = other.own_gravity();
      Terms terms;
      LogRows q = robot.q, v = robot.v, a = robot.a;
      bool turned = false;
      double sign = 1;
      for (const Mistake* m : {&all[i], &all[j]}) {
        if (m->model) m->model(other, terms);
        turned |= m->reversed;
        sign *= m->sign;
      }
      // The other program reads our columns as degrees of the joint that it believes them to be.
      if (turned) for (LogRows* rows : {&q, &v, &a}) *rows = Permuted(*rows, reversed);
      for (const Mistake* m : {&all[i], &all[j]})
        for (int k = 0; k < n; ++k)
          if (robot.model().coordinates[static_cast<size_t>(k)].kind != JointKind::kPrismatic)
            for (LogRows* rows : {&q, &v, &a}) rows->col(k) *= m->angles;
      LogRows tau = sign * other.Torques(q, v, a, terms);
      if (turned) tau = Permuted(tau, reversed);
      const Verdict verdict = robot.Solve(tau);
      EXPECT_TRUE(verdict.explained);
      bool named = Names(verdict.best, all[i], all[j]);
      for (const Explanation& e : verdict.equals) named |= Names(e, all[i], all[j]);
      EXPECT_TRUE(named) << ::testing::PrintToString(verdict.best.changes);
    }
}

INSTANTIATE_TEST_SUITE_P(Robots, TwoMistakes,
                         ::testing::Values("puma560.yaml", "stanford.yaml", "scara-course.yaml"),
                         [](const auto& robot) {
                           std::string name = robot.param;
                           return name.substr(0, name.find_first_of("-."));
                         });

}  // namespace
}  // namespace torqued::cli
