// A log is made with each mistake, and with two at once; Explain must name exactly those. The
// torques of the log come from recursive Newton-Euler on a model that really has the mistake, not
// from Explain's own decomposition.
#include "client/cli/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numbers>
#include <random>

#include "client/cli/mistakes.h"
#include "server/core/dynamics/inverse_dynamics.h"
#include "server/core/dynamics/regressor.h"
#include "server/core/tree/prepare.h"
#include "server/robots/load.h"

namespace torqued::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr double kDegree = std::numbers::pi / 180;

class Robot {
 public:
  explicit Robot(const std::string& file)
      : model_(LoadModelFile(file)->model), prepared_(Prepare(model_)) {
    workspace_.Resize(prepared_);
    std::mt19937_64 random(11);
    std::uniform_real_distribution<> value(-1.5, 1.5);
    const int n = model_.nv;
    for (LogRows* rows : {&q, &v, &a}) {
      rows->resize(30, n);
      for (Eigen::Index i = 0; i < rows->size(); ++i) rows->data()[i] = value(random);
    }
  }

  LogRows Torques(const LogRows& at_q, const LogRows& at_v, const LogRows& at_a,
                  const Terms& terms = {}) {
    Conditions conditions(prepared_);
    conditions.terms = terms;
    conditions.gravity = gravity;
    LogRows tau(at_q.rows(), model_.nv);
    for (Eigen::Index s = 0; s < at_q.rows(); ++s) {
      InverseDynamics<double>(prepared_, conditions, at_q.row(s).data(), at_v.row(s).data(),
                              at_a.row(s).data(), workspace_, tau.row(s).data());
    }
    return tau;
  }

  TorqueAnatomy Anatomy(const LogRows& at_q, const LogRows& at_v, const LogRows& at_a) {
    TorqueAnatomy x;
    const int n = model_.nv;
    const RegressorColumns columns{static_cast<int>(model_.links.size())};
    const auto Y = [&](const Vec3<double>& g) {
      Conditions conditions(prepared_);
      conditions.gravity = g;
      LogRows rows(at_q.rows() * n, columns.Count(prepared_));
      Eigen::MatrixXd one(n, columns.Count(prepared_));
      for (Eigen::Index s = 0; s < at_q.rows(); ++s) {
        Regressor<double>(prepared_, columns, conditions, at_q.row(s).data(), at_v.row(s).data(),
                          at_a.row(s).data(), workspace_, one.data());
        rows.middleRows(s * n, n) = one;
      }
      return rows;
    };
    x.Y0 = Y({0, 0, 0});
    x.Yx = Y({1, 0, 0}) - x.Y0;
    x.Yy = Y({0, 1, 0}) - x.Y0;
    x.Yz = Y({0, 0, 1}) - x.Y0;
    x.full = Torques(at_q, at_v, at_a);
    Terms without;
    without.rotor = false;
    x.rotor = x.full - Torques(at_q, at_v, at_a, without);
    without = {};
    without.friction = false;
    x.friction = x.full - Torques(at_q, at_v, at_a, without);
    x.wrench = wrench.size() > 0 ? wrench : LogRows::Zero(at_q.rows(), n);
    if (wrench.size() > 0) {  // the same joint torques at every state: enough to tell its sign
      x.wrench = wrench.row(0).replicate(at_q.rows(), 1);
      x.full += x.wrench;
    }
    return x;
  }

  LogModel Describe() const {
    LogModel log;
    for (int i = 0; i < model_.nv; ++i) {
      const auto& c = model_.coordinates[static_cast<size_t>(i)];
      log.names.push_back(c.name);
      log.permutable.push_back(true);
      log.angular.push_back(c.kind != JointKind::kPrismatic);
      log.q_column.push_back(i);
    }
    log.gravity = {prepared_.gravity.x, prepared_.gravity.y, prepared_.gravity.z};
    log.parameters.setZero(10 * static_cast<Eigen::Index>(model_.links.size()));
    for (size_t l = 0; l < model_.links.size(); ++l) {
      if (!model_.links[l].inertia) continue;
      const auto& inertia = *model_.links[l].inertia;
      const Eigen::Vector3d c = inertia.com;
      const Eigen::Matrix3d I =
          inertia.inertia_about_com +
          inertia.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
      log.parameters.segment<10>(10 * static_cast<Eigen::Index>(l)) << inertia.mass,
          inertia.mass * c, I(0, 0), I(0, 1), I(1, 1), I(0, 2), I(1, 2), I(2, 2);
    }
    log.has_wrench = wrench.size() > 0;
    return log;
  }

  // The same robot with each link's tensor changed.
  template <class Change>
  void ChangeInertias(Change change) {
    for (auto& link : model_.links)
      if (link.inertia) change(*link.inertia);
    const Prepared changed = Prepare(model_);
    prepared_.inertias = changed.inertias;
  }

  Verdict Solve(const LogRows& tau) {
    const auto verdict =
        Explain(Describe(), q, v, a, tau, 1e-6,
                [this](const LogRows& at_q, const LogRows& at_v, const LogRows& at_a) {
                  return absl::StatusOr<TorqueAnatomy>(Anatomy(at_q, at_v, at_a));
                });
    EXPECT_TRUE(verdict.ok()) << verdict.status();
    return *verdict;
  }

  const Model& model() const { return model_; }
  Vec3<double> own_gravity() const { return prepared_.gravity; }

  LogRows q, v, a, wrench;
  Vec3<double> gravity{0, 0, -9.81};

 private:
  Model model_;
  Prepared prepared_;
  Workspace<double> workspace_;
};

Robot Puma() { return Robot("deploy/robots/puma560.yaml"); }
Robot Scara() { return Robot("deploy/robots/scara.yaml"); }

LogRows Permuted(const LogRows& rows, const std::vector<int>& from) {
  LogRows result = rows;
  for (size_t i = 0; i < from.size(); ++i)
    result.col(static_cast<Eigen::Index>(i)) = rows.col(from[i]);
  return result;
}

TEST(Explain, EqualTorquesAgree) {
  Robot robot = Puma();
  const Verdict verdict = robot.Solve(robot.Torques(robot.q, robot.v, robot.a));
  EXPECT_TRUE(verdict.agrees);
  EXPECT_THAT(verdict.best.changes, IsEmpty());
}

TEST(Explain, GravitysSignValueAndAxis) {
  for (const auto& [gravity, words] :
       {std::pair<Vec3<double>, std::string>{{0, 0, 9.81}, "gravity has the opposite sign"},
        {{0, 0, 0}, "without gravity"},
        {{0, 0, -9.8}, "gravity is 9.8 m/s^2"},
        {{0, 0, -9.80665}, "gravity is 9.80665 m/s^2"},
        {{0, -9.81, 0}, "gravity points along -y"}}) {
    Robot other = Puma(), robot = Puma();
    other.gravity = gravity;
    const Verdict verdict = robot.Solve(other.Torques(robot.q, robot.v, robot.a));
    EXPECT_TRUE(verdict.explained);
    EXPECT_THAT(verdict.best.changes, ElementsAre(words));
    EXPECT_THAT(verdict.equals, IsEmpty());
  }
}

TEST(Explain, AGravityThatNobodyListedIsFitted) {
  Robot other = Puma(), robot = Puma();
  other.gravity = {1, -2, -9};
  const Verdict verdict = robot.Solve(other.Torques(robot.q, robot.v, robot.a));
  EXPECT_TRUE(verdict.explained);
  EXPECT_THAT(verdict.best.changes,
              ElementsAre("gravity is 1.0000 -2.0000 -9.0000 m/s^2 (fitted)"));
}

TEST(Explain, JointOrder) {
  Robot robot = Puma();
  const std::vector<int> reversed = {5, 4, 3, 2, 1, 0};
  // Another program took our columns for its joints in reverse order.
  const LogRows q = Permuted(robot.q, reversed), v = Permuted(robot.v, reversed),
                a = Permuted(robot.a, reversed);
  Verdict verdict = robot.Solve(Permuted(robot.Torques(q, v, a), reversed));
  EXPECT_THAT(verdict.best.changes, ElementsAre("joints in another order: reverse order"));
  verdict = robot.Solve(Permuted(robot.Torques(robot.q, robot.v, robot.a), reversed));
  EXPECT_THAT(verdict.best.changes,
              ElementsAre("only the torques in another order: reverse order"));
  const std::vector<int> exchanged = {0, 4, 2, 3, 1, 5};
  verdict =
      robot.Solve(Permuted(robot.Torques(Permuted(robot.q, exchanged), Permuted(robot.v, exchanged),
                                         Permuted(robot.a, exchanged)),
                           exchanged));
  EXPECT_THAT(verdict.best.changes,
              ElementsAre("joints in another order: joint2 and joint5 exchanged"));
}

TEST(Explain, AlphabeticalOrderIsFoundByName) {
  // The SCARA's names sort as d3, theta1, theta2, theta4: not the model's order.
  Robot robot = Scara();
  const std::vector<int> from = {2, 0, 1, 3};
  LogRows q = robot.q, v = robot.v, a = robot.a;
  for (size_t i = 0; i < 4; ++i) {
    q.col(from[i]) = robot.q.col(static_cast<Eigen::Index>(i));
    v.col(from[i]) = robot.v.col(static_cast<Eigen::Index>(i));
    a.col(from[i]) = robot.a.col(static_cast<Eigen::Index>(i));
  }
  const Verdict verdict = robot.Solve(Permuted(robot.Torques(q, v, a), from));
  EXPECT_THAT(verdict.best.changes, ElementsAre("joints in another order: alphabetical order"));
}

TEST(Explain, Degrees) {
  Robot robot = Scara();
  LogRows q = robot.q, v = robot.v, a = robot.a;
  for (const int column : {0, 1, 3})
    for (LogRows* rows : {&q, &v, &a}) rows->col(column) *= kDegree;
  const Verdict verdict = robot.Solve(robot.Torques(q, v, a));
  EXPECT_THAT(verdict.best.changes,
              ElementsAre("positions, velocities and accelerations are in degrees"));
}

TEST(Explain, FrictionRotorAndSign) {
  Robot robot = Puma();
  Terms terms;
  terms.friction = false;
  EXPECT_THAT(robot.Solve(robot.Torques(robot.q, robot.v, robot.a, terms)).best.changes,
              ElementsAre("without friction"));
  terms = {};
  terms.rotor = false;
  EXPECT_THAT(robot.Solve(robot.Torques(robot.q, robot.v, robot.a, terms)).best.changes,
              ElementsAre("without rotor inertia"));
  EXPECT_THAT(robot.Solve(-robot.Torques(robot.q, robot.v, robot.a)).best.changes,
              ElementsAre("all torques have the opposite sign"));
}

TEST(Explain, WrenchSign) {
  Robot robot = Puma();
  const LogRows plain = robot.Torques(robot.q, robot.v, robot.a);
  robot.wrench = LogRows::Constant(1, 6, 3.0);
  robot.wrench(0, 1) = -7;
  const LogRows wrench = robot.wrench.row(0).replicate(plain.rows(), 1);
  EXPECT_THAT(robot.Solve(plain - wrench).best.changes,
              ElementsAre("the wrench has the opposite sign"));
  EXPECT_THAT(robot.Solve(plain).best.changes, ElementsAre("without the wrench"));
}

TEST(Explain, InertiaAboutTheOrigin) {
  Robot robot = Puma(), other = Puma();
  other.ChangeInertias([](MassProperties& m) {
    const Eigen::Vector3d c = m.com;
    m.inertia_about_com -=
        m.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
  });
  Verdict verdict = robot.Solve(other.Torques(robot.q, robot.v, robot.a));
  ASSERT_EQ(verdict.best.changes.size(), 1u);
  EXPECT_THAT(verdict.best.changes[0], HasSubstr("were taken as about the link frame's origin"));
  Robot twice = Puma();
  twice.ChangeInertias([](MassProperties& m) {
    const Eigen::Vector3d c = m.com;
    m.inertia_about_com +=
        m.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
  });
  verdict = robot.Solve(twice.Torques(robot.q, robot.v, robot.a));
  ASSERT_EQ(verdict.best.changes.size(), 1u);
  EXPECT_THAT(verdict.best.changes[0], HasSubstr("parallel-axis term twice"));
}

void ReadInAnotherOrder(MassProperties& m) {
  const Eigen::Matrix3d I = m.inertia_about_com;  // xx xy xz yy yz zz read as xx yy zz xy xz yz
  m.inertia_about_com << I(0, 0), I(1, 1), I(1, 2), I(1, 1), I(0, 1), I(2, 2), I(1, 2), I(2, 2),
      I(0, 2);
}

TEST(Explain, InertiaComponents) {
  Robot robot = Puma(), other = Puma();
  other.ChangeInertias(ReadInAnotherOrder);
  const Verdict verdict = robot.Solve(other.Torques(robot.q, robot.v, robot.a));
  ASSERT_EQ(verdict.best.changes.size(), 1u);
  EXPECT_EQ(verdict.best.changes[0],
            "inertias written as xx xy xz yy yz zz were read as xx yy zz xy xz yz");
}

TEST(Explain, TwoAtOnce) {
  Robot robot = Puma();
  Terms no_friction, no_rotor;
  no_friction.friction = false;
  no_rotor.rotor = false;
  {
    Robot other = Puma();
    other.gravity = {0, 0, 9.81};
    EXPECT_THAT(robot.Solve(other.Torques(robot.q, robot.v, robot.a, no_friction)).best.changes,
                UnorderedElementsAre("gravity has the opposite sign", "without friction"));
  }
  {
    const std::vector<int> reversed = {5, 4, 3, 2, 1, 0};
    const LogRows q = Permuted(robot.q, reversed), v = Permuted(robot.v, reversed),
                  a = Permuted(robot.a, reversed);
    EXPECT_THAT(
        robot.Solve(Permuted(robot.Torques(q, v, a, no_rotor), reversed)).best.changes,
        UnorderedElementsAre("joints in another order: reverse order", "without rotor inertia"));
  }
  {
    Robot other = Puma();
    other.gravity = {0, 0, -9.8};
    EXPECT_THAT(robot.Solve(other.Torques(kDegree * robot.q, kDegree * robot.v, kDegree * robot.a))
                    .best.changes,
                UnorderedElementsAre("positions, velocities and accelerations are in degrees",
                                     "gravity is 9.8 m/s^2"));
  }
  {
    Robot other = Puma();
    other.ChangeInertias(ReadInAnotherOrder);
    EXPECT_THAT(
        robot.Solve(other.Torques(robot.q, robot.v, robot.a, no_rotor)).best.changes,
        UnorderedElementsAre("inertias written as xx xy xz yy yz zz were read as xx yy zz xy xz yz",
                             "without rotor inertia"));
  }
}

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

TEST(Explain, NoiseDoesNotMislead) {
  Robot robot = Puma(), other = Puma();
  other.gravity = {0, 0, 9.81};
  Terms terms;
  terms.friction = false;
  LogRows tau = other.Torques(robot.q, robot.v, robot.a, terms);
  std::mt19937_64 random(5);
  std::normal_distribution<> noise(0,
                                   0.01 * tau.norm() / std::sqrt(static_cast<double>(tau.size())));
  for (Eigen::Index i = 0; i < tau.size(); ++i) tau.data()[i] += noise(random);
  const Verdict verdict = robot.Solve(tau);
  EXPECT_TRUE(verdict.explained);
  EXPECT_NEAR(verdict.best.residual, 0.01, 0.003);
  EXPECT_THAT(verdict.best.changes,
              UnorderedElementsAre("gravity has the opposite sign", "without friction"));
}

TEST(Explain, WhatIsNoUsualMistakeIsNotExplained) {
  Robot robot = Puma();
  LogRows tau = robot.Torques(robot.q, robot.v, robot.a);
  std::mt19937_64 random(6);
  std::normal_distribution<> noise(0, tau.norm());
  for (Eigen::Index i = 0; i < tau.size(); ++i) tau.data()[i] = noise(random);
  const Verdict verdict = robot.Solve(tau);
  EXPECT_FALSE(verdict.agrees);
  EXPECT_FALSE(verdict.explained);
}

}  // namespace
}  // namespace torqued::cli
