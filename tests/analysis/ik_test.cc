// Inverse kinematics: every branch reaches, branches are as many and named as they should be, edges are handled.
#include "server/core/ik/inverse_kinematics.h"
#include "server/core/ik/singularity_probe.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/analysis/robots.h"

namespace torqued {
namespace {

using testing::At;

struct Arm {
  explicit Arm(const Model& m) : model(m), prepared(Prepare(m)), ws(prepared), ik(prepared, Frame()) {}
  BodyFrame Frame() const { return prepared.frames[prepared.tool_frame]; }
  Eigen::Isometry3d Pose(const Eigen::VectorXd& q) { return FramePoseAt(prepared, Frame(), q.data(), ws); }

  Model model;
  Prepared prepared;
  Workspace<double> ws;
  InverseKinematics ik;
};

Eigen::VectorXd Vec(std::initializer_list<double> x) {
  return Eigen::Map<const Eigen::VectorXd>(x.begin(), static_cast<int>(x.size()));
}
double TurnDistance(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  double worst = 0;
  for (int i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(std::remainder(a[i] - b[i], 2 * M_PI)));
  return worst;
}

TEST(InverseKinematics, RecognisesTheClassFromTheGeometry) {
  EXPECT_EQ(Arm(testing::Puma560()).ik.arm(), IkClass::kSphericalWrist);
  EXPECT_EQ(Arm(testing::Irb2400()).ik.arm(), IkClass::kSphericalWrist);
  EXPECT_EQ(Arm(testing::M6ib()).ik.arm(), IkClass::kSphericalWrist);
  EXPECT_EQ(Arm(testing::Ur5e()).ik.arm(), IkClass::kUr);
  EXPECT_EQ(Arm(testing::Scara()).ik.arm(), IkClass::kScara);
  EXPECT_EQ(Arm(testing::PlanarArm({.5, .5})).ik.arm(), IkClass::kPlanar2R);
  EXPECT_EQ(Arm(testing::PlanarArm({.8, .8, .4})).ik.arm(), IkClass::kPlanar3R);
  EXPECT_EQ(Arm(testing::PlanarArm({.8, .8, .4, .3})).ik.arm(), IkClass::kNumeric);
  Model mounted = testing::Ur5e();
  mounted.X_WR = testing::TurnedAt(Eigen::Vector3d(1, 2, 3).normalized(), 1.1, .3, -.2, .5);
  EXPECT_EQ(Arm(mounted).ik.arm(), IkClass::kUr) << "a mounting does not change what the arm is";
}

// Published forward kinematics (M-6iB's with its base at z = .45, which here is joint one's height).
TEST(InverseKinematics, RobotsStandWherePublished) {
  const Eigen::VectorXd q = Vec({.1, .2, -.3, .4, .5, .6});
  EXPECT_LT((Arm(testing::Irb2400()).Pose(q).translation() - Eigen::Vector3d(1.048922755, .121192252, 1.485746956)).norm(), 2e-9);
  EXPECT_LT((Arm(testing::M6ib()).Pose(q).translation() - Eigen::Vector3d(.948407926, .113921647, .827630252)).norm(), 2e-9);
}

TEST(InverseKinematics, EveryBranchOfSixAxisArmsReachesAndOneIsTheOriginal) {
  for (const Model& model : {testing::Puma560(), testing::Irb2400(), testing::M6ib(), testing::Ur5e()}) {
    Arm arm(model);
    Random random(7);
    int full = 0;
    for (int trial = 0; trial < 300; ++trial) {
      const Eigen::VectorXd q = testing::RandomPositions(arm.prepared, random, M_PI);
      const IkAnswer answer = arm.ik.Solve(arm.Pose(q));
      ASSERT_TRUE(answer.reached) << model.name << " trial " << trial;
      std::set<std::string> names;
      double nearest = 10;
      for (const IkSolution& s : answer.solutions) {
        EXPECT_LT(s.position_error, 1e-8);
        EXPECT_LT(s.rotation_error, 1e-8);
        EXPECT_LT(PoseError(arm.Pose(q), arm.Pose(s.q)).norm(), 2e-8);
        names.insert(Name(s.branch));
        nearest = std::min(nearest, TurnDistance(s.q, q));
      }
      EXPECT_EQ(names.size(), answer.solutions.size()) << "branch names are unique";
      EXPECT_LT(nearest, 1e-6) << model.name << " trial " << trial << ": the posture asked for is among the answers";
      full += answer.solutions.size() == 8;
    }
    EXPECT_GT(full, 60) << model.name << ": most of what can be reached at all can be reached in eight ways";
  }
}

TEST(InverseKinematics, BranchNamesSayWhatTheArmLooksLike) {
  // IRB 2400, q = 0 with the elbow above the line shoulder-wrist: forward, up; slightly bent wrist.
  Arm arm(testing::Irb2400());
  const Eigen::VectorXd q = Vec({0, 0, 0, 0, .3, 0});
  for (const IkSolution& s : arm.ik.Solve(arm.Pose(q)).solutions) {
    const bool original = TurnDistance(s.q, q) < 1e-6;
    EXPECT_EQ(original, Name(s.branch) == "right up no-flip") << Name(s.branch);
    // The elbow's height tells up from down; joint one tells right from left.
    ForwardKinematics(arm.prepared, s.q.data(), arm.ws);
    const Eigen::Vector3d shoulder = ToEigen(arm.ws.world[1].p), elbow = ToEigen(arm.ws.world[2].p),
                          wrist = ToEigen(arm.ws.world[4].p);
    const Eigen::Vector3d line = wrist - shoulder;
    const double foot = shoulder.z() + line.z() * (elbow - shoulder).dot(line) / line.squaredNorm();
    EXPECT_EQ(elbow.z() > foot, s.branch.elbow == Elbow::kUp);
    EXPECT_EQ(std::abs(s.q[0]) < 1, s.branch.shoulder == Shoulder::kRight);
  }
}

TEST(InverseKinematics, WristInLineIsSaidAndKeepsTheSeed) {
  Arm arm(testing::Puma560());
  const Eigen::VectorXd q = Vec({.3, .4, -1.8, .7, 0, -.2});
  IkOptions options;
  options.seed = Vec({.3, .4, -1.8, 1.1, .1, 0});
  const IkAnswer answer = arm.ik.Solve(arm.Pose(q), options);
  ASSERT_TRUE(answer.reached);
  EXPECT_EQ(answer.note, "axes four and six are in line: only the sum of their turns is fixed, joint four is the seed's");
  bool found = false;
  for (const IkSolution& s : answer.solutions) {
    if (!s.degenerate.wrist) continue;
    found = true;
    EXPECT_NEAR(s.q[3], 1.1, 1e-9);
    EXPECT_NEAR(std::remainder(s.q[3] + s.q[5] - .5, 2 * M_PI), 0, 1e-9);
  }
  EXPECT_TRUE(found);
}

TEST(InverseKinematics, UrWristInLineKeepsTheSeedsJointSix) {
  Arm arm(testing::Ur5e());
  const Eigen::VectorXd q = Vec({.3, -1.2, 1.4, -.7, 0, .5});
  IkOptions options;
  options.seed = Vec({.3, -1.2, 1.4, -.7, .1, .9});
  const IkAnswer answer = arm.ik.Solve(arm.Pose(q), options);
  ASSERT_TRUE(answer.reached);
  bool found = false;
  for (const IkSolution& s : answer.solutions) found = found || (s.degenerate.wrist && std::abs(s.q[5] - .9) < 1e-9);
  EXPECT_TRUE(found);
}

TEST(InverseKinematics, TargetOnTheFirstAxisKeepsTheSeedsFirstJoint) {
  Arm arm(testing::Irb2400());
  // Joint 2 back until the wrist stands over the base: a2 = .705, a3 = .135, d4 = .755, a1 = .1.
  const double reach = std::hypot(.135, .755), lean = std::atan2(.755, .135);
  // shoulder x .1; upper arm upright at q2, forearm direction q2 + q3 + lean: need .1 + .705 sin q2 + reach sin(q2+q3+lean) = 0.
  const double q2 = -.3, q3 = std::asin((-.1 - .705 * std::sin(q2)) / reach) - lean - q2;
  const Eigen::VectorXd q = Vec({.5, q2, q3, .2, .6, .1});
  IkOptions options;
  options.seed = Vec({-.4, q2, q3, .2, .6, .1});
  const IkAnswer answer = arm.ik.Solve(arm.Pose(q), options);
  ASSERT_TRUE(answer.reached);
  EXPECT_TRUE(answer.solutions.front().degenerate.shoulder);
  EXPECT_NEAR(answer.solutions.front().q[0], -.4, 1e-9);
}

TEST(InverseKinematics, OutOfReachSaysByHowMuch) {
  Arm arm(testing::PlanarArm({.5, .5}));
  Eigen::Isometry3d target = At(1.3, 0, 0);
  const IkAnswer answer = arm.ik.Solve(target);
  EXPECT_FALSE(answer.reached);
  ASSERT_EQ(answer.solutions.size(), 1u);
  EXPECT_NEAR(answer.solutions[0].position_error, .3, 1e-3);
  EXPECT_EQ(answer.task, IkTask::Position());
}

TEST(InverseKinematics, FarOutOfReachPointsTheArmThere) {
  Arm arm(testing::Ur5e());
  IkOptions options;
  options.task = IkTask::Position();
  const IkAnswer answer = arm.ik.Solve(At(3, 0, .1625), options);
  EXPECT_FALSE(answer.reached);
  // The longest reach is near a2 + a3 + the wrist's offsets.
  EXPECT_GT(answer.solutions[0].position_error, 3 - 1.05);
  EXPECT_LT(answer.solutions[0].position_error, 3 - .9);
}

TEST(InverseKinematics, JointsOffTheChainKeepTheSeed) {
  Model m = testing::Scara();
  const std::string tool = m.tool_frame;
  testing::AddJoint(m, JointKind::kRevolute, 1, At(0, 0, .2), Eigen::Vector3d::UnitX(), testing::Body3(1, {0, 0, 0}, .1, .1, .1));
  m.tool_frame = tool;
  Arm arm(m);
  ASSERT_EQ(arm.ik.arm(), IkClass::kScara);
  IkOptions options;
  options.seed = Vec({0, 0, 0, 0, 7.7});
  for (const IkSolution& s : arm.ik.Solve(arm.Pose(Vec({.3, .8, .1, .4, 0})), options).solutions) EXPECT_EQ(s.q[4], 7.7);
}

TEST(InverseKinematics, PlanarTextbookPostures) {
  Arm arm(testing::PlanarArm({.5, .5}));
  const double deg = M_PI / 180;
  for (const auto& [t1, t2] : {std::pair{30., -60.}, {30., 120.}, {30., -30.}}) {
    const IkAnswer answer = arm.ik.Solve(arm.Pose(Vec({t1 * deg, t2 * deg})));
    ASSERT_EQ(answer.solutions.size(), 2u);
    // Elbow up is the negative second angle.
    for (const IkSolution& s : answer.solutions) EXPECT_EQ(s.branch.elbow == Elbow::kUp, s.q[1] < 0);
    EXPECT_LT(std::min(TurnDistance(answer.solutions[0].q, Vec({t1 * deg, t2 * deg})),
                       TurnDistance(answer.solutions[1].q, Vec({t1 * deg, t2 * deg}))), 1e-9);
  }
}

TEST(InverseKinematics, ScaraAndPolar) {
  Arm scara(testing::Scara());
  Random random(3);
  for (int trial = 0; trial < 100; ++trial) {
    const Eigen::VectorXd q = Vec({random.Uniform(-2, 2), random.Uniform(-2.5, 2.5), random.Uniform(0, .2), random.Uniform(-3, 3)});
    const IkAnswer answer = scara.ik.Solve(scara.Pose(q));
    ASSERT_EQ(answer.solutions.size(), 2u);
    EXPECT_LT(std::min(TurnDistance(answer.solutions[0].q, q), TurnDistance(answer.solutions[1].q, q)), 1e-8);
  }
  // A tilted target is beyond a SCARA: said, with the tilt.
  Eigen::Isometry3d tilted = scara.Pose(Vec({.3, .8, .1, 0}));
  tilted.linear() = Eigen::AngleAxisd(.2, Eigen::Vector3d::UnitX()).toRotationMatrix() * tilted.linear();
  EXPECT_FALSE(scara.ik.Solve(tilted).reached);

  Model rp = testing::Base("rp");
  int link = testing::AddJoint(rp, JointKind::kRevolute, 0, At(0, 0, 0), Eigen::Vector3d::UnitZ(), {});
  testing::AddJoint(rp, JointKind::kPrismatic, link, At(0, .1, 0), Eigen::Vector3d::UnitX(), {});
  Arm polar(rp);
  ASSERT_EQ(polar.ik.arm(), IkClass::kPolarRP);
  const IkAnswer answer = polar.ik.Solve(polar.Pose(Vec({.7, .8})));
  ASSERT_EQ(answer.solutions.size(), 2u);
  EXPECT_NEAR(answer.solutions[0].q[0], .7, 1e-9);
  EXPECT_NEAR(answer.solutions[0].q[1], .8, 1e-9);
  EXPECT_NEAR(answer.solutions[1].q[1], -.8, 1e-9);
}

TEST(InverseKinematics, LimitsMarkDropAndChooseTurns) {
  Arm arm(testing::Ur5e());
  const Eigen::VectorXd q = Vec({.3, -1.2, 1.4, -.7, .9, 5.5});
  IkOptions options;
  options.seed = Eigen::VectorXd::Zero(6);
  options.lower = Eigen::VectorXd::Constant(6, -2 * M_PI);
  options.upper = Eigen::VectorXd::Constant(6, 2 * M_PI);
  options.lower[5] = 4, options.upper[5] = 6;
  const IkAnswer all = arm.ik.Solve(arm.Pose(q), options);
  ASSERT_EQ(all.solutions.size(), 8u);
  int inside = 0;
  for (const IkSolution& s : all.solutions) {
    inside += s.outside_limits.empty();
    if (s.outside_limits.empty()) EXPECT_GE(s.q[5], 4);
    else EXPECT_EQ(s.outside_limits, std::vector<int>{5});
  }
  EXPECT_GT(inside, 0);
  EXPECT_LT(inside, 8);
  options.drop_outside_limits = true;
  EXPECT_EQ(arm.ik.Solve(arm.Pose(q), options).solutions.size(), static_cast<size_t>(inside));
}

TEST(InverseKinematics, CoupledElbowIsSolvedInTheUsersCoordinates) {
  // Parallelogram: the third joint's own angle is q3 - q2.
  Model m = testing::Irb2400();
  m.joints[2].coupling = {{2, 1.0}, {1, -1.0}};
  Arm arm(m);
  ASSERT_EQ(arm.ik.arm(), IkClass::kSphericalWrist);
  const Eigen::VectorXd q = Vec({.1, .2, -.3, .4, .5, .6});
  double nearest = 10;
  for (const IkSolution& s : arm.ik.Solve(arm.Pose(q)).solutions) nearest = std::min(nearest, TurnDistance(s.q, q));
  EXPECT_LT(nearest, 1e-8);
}

TEST(InverseKinematics, SloppyRightAnglesAreStillTheClassAndStillExact) {
  Model m = testing::Ur5e();
  m.joints[0].X_JL = testing::TurnedAt(Eigen::Vector3d::UnitX(), 1.5708, 0, 0, .1625);
  Arm arm(m);
  ASSERT_EQ(arm.ik.arm(), IkClass::kUr);
  const IkAnswer answer = arm.ik.Solve(arm.Pose(Vec({.3, -1.2, 1.4, -.7, .9, .5})));
  EXPECT_EQ(answer.solutions.size(), 8u);
  for (const IkSolution& s : answer.solutions) EXPECT_LT(s.position_error + s.rotation_error, 1e-8);
}

TEST(InverseKinematics, NumericReachesWithinLimitsOnATreeAndIsRepeatable) {
  for (std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    // Six joints or more and no closed form.
    Model m = testing::Chain("seven", {{{0, 0, .3}, {0, 0, 1}}, {{0, .1, 0}, {0, 1, 0}}, {{0, 0, .3}, {0, 0, 1}}, {{.05, 0, 0}, {0, 1, 0}},
                                       {{0, 0, .3}, {0, 0, 1}}, {{0, 0, 0}, {0, 1, 0}}, {{.08, 0, 0}, {0, 0, 1}}}, At(0, 0, .1));
    Arm arm(m);
    ASSERT_EQ(arm.ik.arm(), IkClass::kNumeric);
    Random random(seed);
    IkOptions options;
    options.lower = Eigen::VectorXd::Constant(7, -2);
    options.upper = Eigen::VectorXd::Constant(7, 2);
    const Eigen::VectorXd q = testing::RandomPositions(arm.prepared, random, 1.9);
    const IkAnswer answer = arm.ik.Solve(arm.Pose(q), options);
    EXPECT_TRUE(answer.reached) << seed << ": " << answer.solutions[0].position_error;
    EXPECT_LE(answer.solutions[0].q.cwiseAbs().maxCoeff(), 2);
    EXPECT_EQ(arm.ik.Solve(arm.Pose(q), options).solutions[0].q, answer.solutions[0].q);
  }
}

// The rows that a task counts, by an independent reading of the pose: position along the axes, rotation vector along them.
Eigen::Matrix<double, 6, 1> Missing(const Eigen::Isometry3d& target, const Eigen::Isometry3d& X, const IkTask& task) {
  const Eigen::Matrix3d axes = task.in_target_axes ? Eigen::Matrix3d(target.linear()) : Eigen::Matrix3d::Identity();
  const Eigen::AngleAxisd turn(Eigen::Matrix3d(target.linear() * X.linear().transpose()));
  Eigen::Matrix<double, 6, 1> out;
  out << axes.transpose() * (target.translation() - X.translation()), axes.transpose() * turn.axis() * turn.angle();
  for (int r = 0; r < 6; ++r)
    if (!task.on[r]) out[r] = 0;
  return out;
}

TEST(InverseKinematics, PositionAndApproachAxisLeaveTheTurnFree) {
  Arm arm(testing::Ur5e());
  Random random(17);
  int turned = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::Isometry3d target = arm.Pose(testing::RandomPositions(arm.prepared, random, 2));
    IkOptions options;
    options.task = {{true, true, true, true, true, false}, true};
    options.seed = testing::RandomPositions(arm.prepared, random, 2);
    const IkAnswer answer = arm.ik.Solve(target, options);
    ASSERT_TRUE(answer.reached) << trial << ": " << answer.solutions[0].task_error.transpose();
    const Eigen::Isometry3d X = arm.Pose(answer.solutions[0].q);
    EXPECT_LT((X.translation() - target.translation()).norm(), 1e-8);
    EXPECT_LT((X.linear().col(2) - target.linear().col(2)).norm(), 1e-8) << "the tool's axis points as wanted";
    turned += (X.linear().col(0) - target.linear().col(0)).norm() > .1;
    EXPECT_NE(answer.note, "");
  }
  EXPECT_GT(turned, 5) << "and its turn is not kept for nothing";
}

TEST(InverseKinematics, AnyRowsInEitherAxes) {
  Arm arm(testing::Ur5e());
  Random random(23);
  for (int mask = 1; mask < 64; ++mask) {
    IkOptions options;
    options.task.in_target_axes = mask % 2 == 0;
    for (int r = 0; r < 6; ++r) options.task.on[r] = mask >> r & 1;
    const Eigen::Isometry3d target = arm.Pose(testing::RandomPositions(arm.prepared, random, 2));
    options.seed = testing::RandomPositions(arm.prepared, random, 2);
    const IkAnswer answer = arm.ik.Solve(target, options);
    EXPECT_TRUE(answer.reached) << mask;
    for (const IkSolution& s : answer.solutions)
      EXPECT_LT(Missing(target, arm.Pose(s.q), options.task).norm(), 2e-8) << "rows " << mask;
  }
}

TEST(InverseKinematics, RowsThatAnArmHasKeepItsClosedForm) {
  Arm scara(testing::Scara());
  IkOptions options;
  options.task = {{true, true, true, false, false, true}};
  Eigen::Isometry3d target = scara.Pose(Vec({.3, .8, .1, .4}));
  target.linear() = Eigen::AngleAxisd(.2, Eigen::Vector3d::UnitX()) * target.linear();  // a tilt that the rows do not count
  options.rotation_tolerance = .03;                                                     // and its little share about z
  const IkAnswer answer = scara.ik.Solve(target, options);
  ASSERT_EQ(answer.solutions.size(), 2u);
  for (const IkSolution& s : answer.solutions) EXPECT_TRUE(s.reached);
  // One row of a planar arm: a continuum, of which one is found.
  Arm planar(testing::PlanarArm({.5, .4}));
  options.task = {{true, false, false, false, false, false}};
  const IkAnswer along = planar.ik.Solve(At(.6, 9, 0), options);
  ASSERT_TRUE(along.reached);
  EXPECT_NEAR(planar.Pose(along.solutions[0].q).translation().x(), .6, 1e-8);
  EXPECT_EQ(along.solutions[0].task_error[1], 0);
}

// Where the second derivatives are silent the probe tries both sides.
TEST(SingularityProbe, TellsWhatTheSecondOrderCannot) {
  const auto kinds = [](const Model& model, const Eigen::VectorXd& q) {
    Arm arm(model);
    const Singularity s = AnalyseSingularity(arm.prepared, arm.Frame(), q.data(), {}, arm.ws);
    return std::pair(s.kind, ProbeKind(arm.prepared, arm.Frame(), q, s, {}, arm.ws));
  };
  // Stretched elbow and wrist in line at once, joint four turned: outward no way, inward by bending the elbow.
  const double elbow = -std::atan2(.4318, .0203);
  EXPECT_EQ(kinds(testing::Puma560(), Vec({.1, .8, elbow, .3, 0, .2})),
            std::pair(SingularityKind::kUndetermined, SingularityKind::kBoundary));
  // Where the second derivatives speak the probe says the same.
  EXPECT_EQ(kinds(testing::Puma560(), Vec({.1, .8, elbow, .3, .7, .2})),
            std::pair(SingularityKind::kBoundary, SingularityKind::kBoundary));
  EXPECT_EQ(kinds(testing::Puma560(), Vec({.1, .8, -2.4, .3, 0, .2})),
            std::pair(SingularityKind::kInterior, SingularityKind::kInterior));
  // All links in one line, wrist too: the self-motion of the four parallel axes stands at its dead point.
  const auto [silent, probed] = kinds(testing::Ur5e(), Vec({0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(silent, SingularityKind::kUndetermined);
  EXPECT_EQ(probed, SingularityKind::kInterior);
}

}  // namespace
}  // namespace torqued
