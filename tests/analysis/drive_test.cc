// Friction by its formula, and the torque at the joint, after the gear and at the motor, against closed forms and power.
#include "server/core/dynamics/drive.h"

#include <gtest/gtest.h>

#include "server/core/dynamics/inverse_dynamics.h"
#include "tests/analysis/robots.h"

namespace torqued {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

TEST(Friction, ViscousAndCoulombPerDirection) {
  const Friction f{.viscous = 2, .coulomb_positive = 3, .coulomb_negative = 5};
  EXPECT_EQ(FrictionTorque(f, .5), 4);
  EXPECT_EQ(FrictionTorque(f, -.5), -6);
  EXPECT_EQ(FrictionTorque(f, 0.0), 0);
}

TEST(Friction, StribeckFallsFromBreakawayToCoulomb) {
  const Friction f{.viscous = 2, .coulomb_positive = 3, .coulomb_negative = 5, .breakaway = 7, .stribeck_velocity = .1};
  for (double v : {1e-6, .03, .1, .25, 2.0}) {
    EXPECT_NEAR(FrictionTorque(f, v), 2 * v + 3 + 4 * std::exp(-100 * v * v), 1e-13);
    EXPECT_NEAR(FrictionTorque(f, -v), -2 * v - 5 - 2 * std::exp(-100 * v * v), 1e-13);
  }
}

TEST(Friction, SigmoidReplacesTheSign) {
  const Friction f{.viscous = 2, .coulomb_positive = 3, .coulomb_negative = 3, .smoothing_velocity = .05};
  for (double v : {-1.0, -.02, 0.0, .01, .05, 3.0}) EXPECT_NEAR(FrictionTorque(f, v), 2 * v + 3 * std::tanh(20 * v), 1e-14);
}

Rotor Spinning(const std::string& name, double inertia, int carrier, std::vector<std::pair<int, double>> ratio) {
  return {name, inertia, carrier, Vector3d::UnitZ(), std::move(ratio)};
}

// Model and answers, all terms on.
struct Driven {
  explicit Driven(Model given) : model(std::move(given)), m(Prepare(model)), c(m), ws(m), train(model, m) {}

  VectorXd Joint(const VectorXd& q, const VectorXd& v, const VectorXd& a) {
    VectorXd tau(m.nv);
    InverseDynamics(m, c, q.data(), v.data(), a.data(), ws, tau.data());
    return tau;
  }
  VectorXd At(EffortPlace place, const VectorXd& q, const VectorXd& v, const VectorXd& a) {
    return train.At(place, c, q.data(), v.data(), a.data(), Joint(q, v, a));
  }

  const Model model;
  const Prepared m;
  Conditions c;
  Workspace<double> ws;
  DriveTrain train;
};

// A pendulum about z under gravity along -y, 2 kg at 0.5 m, behind a gear that turns the other way.
struct Pendulum {
  static constexpr double kInertia = .5, kRotor = 1e-3, kGear = -50, kEfficiency = .8, kViscous = 2e-3, kCoulomb = .03,
                          kJointViscous = .7;
  static Driven Make() {
    Model m = testing::Base("pendulum");
    testing::AddJoint(m, JointKind::kRevolute, 0, testing::At(0, 0, 0), Vector3d::UnitZ(),
                      testing::Body3(2, {.5, 0, 0}, 0, 0, 0));
    m.gravity = {0, -9.81, 0};
    m.rotors = {Spinning("motor", kRotor, -1, {{0, kGear}})};
    m.drives.resize(1);
    m.drives[0].name = "motor";
    m.drives[0].gear_ratio = kGear;
    m.drives[0].efficiency = kEfficiency;
    m.drives[0].motor_friction.viscous = kViscous;
    m.drives[0].motor_friction.coulomb_positive = m.drives[0].motor_friction.coulomb_negative = kCoulomb;
    Friction& f = m.coordinates[0].friction;
    f.viscous = kJointViscous + kGear * kGear * kViscous;
    f.coulomb_positive = f.coulomb_negative = -kGear * kCoulomb;
    return Driven(m);
  }
};

TEST(Drive, PendulumInClosedForm) {
  Driven robot = Pendulum::Make();
  const auto one = [](double x) { return VectorXd(VectorXd::Constant(1, x)); };
  using P = Pendulum;
  for (const auto& [q, v, a] : {std::array{.3, 2.0, 5.0}, std::array{.3, 2.0, -60.0}, std::array{-1.1, -3.0, 4.0}}) {
    const double weight = 9.81 * std::cos(q), sign = v > 0 ? 1 : -1;
    const double gear = P::kInertia * a + weight + P::kJointViscous * v;
    const double w = P::kGear * v, own = P::kRotor * P::kGear * a + P::kViscous * w - sign * P::kCoulomb;
    const double passed = gear * v >= 0 ? gear / (P::kGear * P::kEfficiency) : gear * P::kEfficiency / P::kGear;
    EXPECT_NEAR(robot.At(EffortPlace::kJoint, one(q), one(v), one(a))[0], gear + P::kGear * own, 1e-12);
    EXPECT_NEAR(robot.At(EffortPlace::kGear, one(q), one(v), one(a))[0], gear, 1e-12);
    EXPECT_NEAR(robot.At(EffortPlace::kMotor, one(q), one(v), one(a))[0], passed + own, 1e-12);
  }
  // At rest: as if driving.
  const VectorXd hold = robot.train.At(EffortPlace::kMotor, robot.c, one(0).data(), nullptr, nullptr, one(9.81));
  EXPECT_NEAR(hold[0], 9.81 / (P::kGear * P::kEfficiency), 1e-14);
}

TEST(Drive, TermsThatAreOffAreOffAtTheMotorToo) {
  Driven robot = Pendulum::Make();
  robot.c.terms.rotor = robot.c.terms.friction = false;
  const VectorXd x = VectorXd::Constant(1, .3);
  EXPECT_NEAR(robot.At(EffortPlace::kGear, x, x, x)[0], robot.Joint(x, x, x)[0], 1e-14);
}

// Motor 2 sits on link 1: its rotor turns with both. Only motor 2's own share goes through motor 2; link 1 carries the rest.
TEST(Drive, RotorOnAMovingCarrier) {
  Model m = testing::PlanarArm({1, 1}, 2, .3);
  const double J = 2e-3, G = 40;
  m.rotors = {Spinning("two", J, 1, {{1, G}})};
  m.drives.resize(2);
  m.drives[0].name = "one";
  m.drives[1].name = "two";
  m.drives[1].gear_ratio = G;
  Driven robot(m);
  VectorXd q(2), v(2), a(2);
  q << .4, -.9, v << 1, 2, a << 3, -4;
  const VectorXd joint = robot.Joint(q, v, a), gear = robot.At(EffortPlace::kGear, q, v, a);
  const double own = J * (G * a[1] + a[0]);
  EXPECT_NEAR(gear[0], joint[0], 1e-12);
  EXPECT_NEAR(gear[1], joint[1] - G * own, 1e-12);
  EXPECT_NEAR(robot.At(EffortPlace::kMotor, q, v, a)[1], gear[1] / G + own, 1e-12);
}

// Both motors on the base, the second turns the second link's absolute angle: tau_p = T^-T tau_q, and no power is lost.
TEST(Drive, RemoteDrive) {
  Model m = testing::PlanarArm({1, 1}, 2, .3);
  m.actuator_matrix = (MatrixXd(2, 2) << 1, 0, 1, 1).finished();
  const double J = 2e-3;
  m.drives.resize(2);
  for (int k = 0; k < 2; ++k) {
    m.drives[k].name = "motor" + std::to_string(k);
    m.drives[k].gear_ratio = k == 0 ? 30 : -20;
    m.rotors.push_back(Spinning(m.drives[k].name, J, -1, {}));
    for (int i = 0; i < 2; ++i)
      if (m.actuator_matrix(k, i) != 0) m.rotors[k].ratio.emplace_back(i, m.drives[k].gear_ratio * m.actuator_matrix(k, i));
    m.drives[k].motor_friction.viscous = .01 * (k + 1);
    m.coordinates[k].friction.viscous = .01 * (k + 1) * std::pow(m.drives[k].gear_ratio, 2);
  }
  Driven robot(m);
  VectorXd q(2), v(2), a(2);
  q << .4, -.9, v << 1, 2, a << 3, -4;
  const VectorXd joint = robot.Joint(q, v, a), motor = robot.At(EffortPlace::kMotor, q, v, a);
  const double w0 = 30 * v[0], w1 = -20 * (v[0] + v[1]);
  EXPECT_NEAR(motor[0] * w0 + motor[1] * w1, joint.dot(v), 1e-11);
  robot.c.terms.friction = robot.c.terms.rotor = false;
  const VectorXd links = robot.Joint(q, v, a), gear = robot.At(EffortPlace::kGear, q, v, a);
  EXPECT_NEAR(gear[0], links[0] - links[1], 1e-12);
  EXPECT_NEAR(gear[1], links[1], 1e-12);
}

// Without losses the motors' power is the joints', rotors on whatever carriers included, up to what carriers take.
TEST(Drive, LosslessDrivesPassAllPower) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Model m = testing::RandomTree(seed, 6, false, true);
    m.rotors.clear();
    m.drives.assign(m.nv, {});
    Random random(seed);
    for (int k = 0; k < m.nv; ++k) {
      m.drives[k].name = "m" + std::to_string(k);
      m.drives[k].gear_ratio = random.Uniform(1, 80) * (k % 2 ? -1 : 1);
      m.rotors.push_back(Spinning(m.drives[k].name, random.Uniform(1e-5, 1e-3), -1, {{k, m.drives[k].gear_ratio}}));
    }
    Driven robot(m);
    const VectorXd q = testing::RandomPositions(robot.m, random), v = testing::RandomRates(m.nv, random),
                   a = testing::RandomRates(m.nv, random);
    double power = 0;
    const VectorXd motor = robot.At(EffortPlace::kMotor, q, v, a), joint = robot.Joint(q, v, a);
    for (int k = 0; k < m.nv; ++k) power += motor[k] * m.drives[k].gear_ratio * v[k];
    EXPECT_NEAR(power, joint.dot(v), 1e-10 * (1 + joint.norm() * v.norm())) << "seed " << seed;
  }
}

}  // namespace
}  // namespace torqued
