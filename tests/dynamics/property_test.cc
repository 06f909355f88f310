// Do core's answers agree with each other where physics says so? On the same robots.
#include "tests/dynamics/any_robot.h"

namespace torqued {
namespace {

class PropertyTest : public AnyRobot {};

// The spring torque is the gradient of the spring energy, by central differences along each one-degree coordinate.
TEST_P(PropertyTest, SpringTorqueIsTheGradientOfItsEnergy) {
  eval.conditions.terms = Terms{};
  Eigen::VectorXd tau(model.nv);
  SpringTorque(eval.m, s.q.data(), eval.ws, tau.data());
  const auto energy = [&](const Eigen::VectorXd& q) {
    return MechanicalEnergy<double>(eval.m, eval.conditions, q.data(), nullptr, eval.ws).springs;
  };
  for (const Coordinate& c : model.coordinates) {
    if (PositionCount(c.kind) != VelocityCount(c.kind)) continue;
    for (int k = 0; k < VelocityCount(c.kind); ++k) {
      const double h = 1e-3;
      const auto at = [&](double x) {
        Eigen::VectorXd q = s.q;
        q[c.q_index + k] += x;
        return energy(q);
      };
      const double slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      EXPECT_NEAR(tau[c.v_index + k], slope, 1e-7 * (1 + std::abs(slope))) << c.name;
    }
  }
}

// Fixed joints kept as bodies change no answer; the force through a joint projects to its torque.
TEST_P(PropertyTest, LumpedEqualsUnlumpedAndLinkForcesProject) {
  Evaluate whole(model, {.lump_fixed = false});
  whole.conditions = Conditions(whole.m);
  whole.conditions.terms.friction = whole.conditions.terms.springs = whole.conditions.terms.rotor = false;
  eval.conditions.terms.rotor = false;
  const Eigen::VectorXd tau = eval.Inverse(s.q, s.v, s.a);
  EXPECT_TRUE(Near(whole.Inverse(s.q, s.v, s.a), tau, kTight));
  EXPECT_TRUE(Near(whole.Mass(s.q), eval.Mass(s.q), kTight));
  EXPECT_TRUE(Near(whole.CoriolisC(s.q, s.v), eval.CoriolisC(s.q, s.v), kTight));

  const int last = static_cast<int>(model.links.size()) - 1;
  Eigen::VectorXd F(6);
  F << 3, -4, 5, 0.5, -0.2, 0.7;
  const ExternalWrench<double> wrench{whole.m.frames[last], WrenchAxes::kOfFrame, {{3, -4, 5}, {0.5, -0.2, 0.7}}};
  std::vector<ForcePair<double>> forces(model.links.size());
  LinkForces(whole.m, whole.conditions, s.q.data(), s.v.data(), s.a.data(), &wrench, 1, whole.ws, forces.data());
  const Eigen::VectorXd held = tau - eval.Wrench(eval.m.frames[last], WrenchAxes::kOfFrame, F, s.q);
  Eigen::VectorXd projected = Eigen::VectorXd::Zero(model.nv);
  for (const Joint& j : model.joints) {
    const ForcePair<double>& f = forces[j.child_link];
    const Eigen::Matrix3d R_JL = j.X_JL.linear();
    const Eigen::Vector3d force = R_JL * ToEigen(f.f), moment = R_JL * ToEigen(f.n);
    const Coordinate* c = j.coupling.empty() ? nullptr : &model.coordinates[j.coupling[0].coordinate];
    if (j.kind == JointKind::kSpherical) projected.segment<3>(c->v_index) = moment;
    if (j.kind == JointKind::kFloating) projected.segment<6>(c->v_index) << force, moment;
    if (j.kind == JointKind::kPlanar) {  // its plane stands still while the link turns in it by the third coordinate
      const auto [x, y] = oracle::PlaneAxes(j.axis);
      const Eigen::Vector3d in_plane = Eigen::AngleAxisd(s.q[c->q_index + 2], j.axis) * force;
      projected.segment<3>(c->v_index) << x.dot(in_plane), y.dot(in_plane), j.axis.dot(moment);
    }
    if (VelocityCount(j.kind) != 1) continue;
    const double share = j.axis.dot(j.kind == JointKind::kPrismatic ? force : moment);
    for (const CouplingTerm& t : j.coupling) projected[model.coordinates[t.coordinate].v_index] += t.factor * share;
  }
  EXPECT_TRUE(Near(projected, held, kTight));
}

// Each term alone, added up, is the whole.
TEST_P(PropertyTest, TermsAddUp) {
  eval.conditions.terms = Terms{};
  const Eigen::VectorXd whole = eval.Inverse(s.q, s.v, s.a);
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(model.nv);
  for (bool Terms::*term : {&Terms::inertia, &Terms::velocity, &Terms::gravity, &Terms::rotor, &Terms::friction,
                            &Terms::springs}) {
    eval.conditions.terms = Terms{false, false, false, false, false, false};
    eval.conditions.terms.*term = true;
    sum += eval.Inverse(s.q, s.v, s.a);
  }
  EXPECT_TRUE(Near(sum, whole, kTight));
}

// Where the world is, which way it is turned and how gravity turns with it makes no difference to torques.
TEST_P(PropertyTest, TorquesDoNotDependOnTheWorldsFrame) {
  Model moved = model;
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.linear() = Eigen::AngleAxisd(1.1, Eigen::Vector3d(1, -2, 0.5).normalized()).toRotationMatrix();
  X.translation() << 30, -20, 10;
  moved.X_WR = X * model.X_WR;
  moved.gravity = X.linear() * model.gravity;
  Evaluate other(moved);
  other.conditions.terms = eval.conditions.terms = Terms{};
  EXPECT_TRUE(Near(other.Inverse(s.q, s.v, s.a), eval.Inverse(s.q, s.v, s.a), kTight));
  EXPECT_TRUE(Near(other.Mass(s.q), eval.Mass(s.q), kTight));
}

// A payload is a link bolted on.
TEST_P(PropertyTest, PayloadEqualsAnotherLink) {
  const int link = static_cast<int>(model.links.size()) - 1;
  const MassProperties load = oracle::Mass(3, {0.1, -0.2, 0.3}, 0.2, 0.3, 0.25, 0.01, -0.02, 0.03);
  Model bolted = model;
  bolted.links.emplace_back();
  bolted.links.back().name = "load";
  bolted.links.back().inertia = load;
  bolted.joints.emplace_back();
  bolted.joints.back().parent_link = link;
  bolted.joints.back().child_link = link + 1;
  bolted.joints.back().X_PJ = oracle::Translation(0.2, 0, -0.1) * oracle::Rpy(0.3, 0.2, 0.1);
  Evaluate other(bolted);
  std::vector<BodyInertia> inertias;
  ResetInertias(eval.m, inertias);
  AddPayload({other.m.frames[link + 1], load}, inertias);
  eval.conditions.inertias = inertias.data();
  eval.conditions.terms = Terms{};
  EXPECT_TRUE(Near(eval.Inverse(s.q, s.v, s.a), other.Inverse(s.q, s.v, s.a), kTight));
  EXPECT_TRUE(Near(eval.Mass(s.q), other.Mass(s.q), kTight));
  const MassCentre<double> got = CentreOfMass(eval.m, eval.conditions, s.q.data(), s.v.data(), eval.ws);
  const MassCentre<double> want = CentreOfMass(other.m, other.conditions, s.q.data(), s.v.data(), other.ws);
  EXPECT_NEAR(got.mass, want.mass, 1e-14 * want.mass);
  EXPECT_TRUE(Near(ToEigen(got.p), ToEigen(want.p), kTight));
  EXPECT_TRUE(Near(ToEigen(got.v), ToEigen(want.v), kTight));
}

// A coupled robot is the unreduced one seen through B.
TEST_P(PropertyTest, CoupledIsTheProjectedTree) {
  if (!eval.m.coupled) return;
  Model loose = model;  // every joint owns its coordinate
  loose.coordinates.clear();
  loose.rotors.clear();
  loose.coordinate_springs.clear();
  loose.nq = loose.nv = 0;
  for (Joint& j : loose.joints) {
    if (j.kind == JointKind::kFixed) continue;
    Coordinate c;
    c.kind = j.kind;
    c.q_index = loose.nq;
    c.v_index = loose.nv;
    loose.nq += PositionCount(j.kind);
    loose.nv += VelocityCount(j.kind);
    j.coupling = {{static_cast<int>(loose.coordinates.size()), 1.0}};
    j.offset = 0;
    loose.coordinates.push_back(c);
  }
  Evaluate tree(loose);
  tree.conditions.terms = eval.conditions.terms = Terms{true, true, true, false, false, false};
  ASSERT_FALSE(tree.m.coupled);
  Eigen::VectorXd q(loose.nq), v(loose.nv), a(loose.nv);
  ExpandPositions(eval.m, s.q.data(), q.data());
  ExpandRates(eval.m, s.v.data(), v.data());
  ExpandRates(eval.m, s.a.data(), a.data());
  Eigen::MatrixXd B(loose.nv, model.nv);
  for (int k = 0; k < model.nv; ++k) ExpandRates(eval.m, Eigen::VectorXd::Unit(model.nv, k).eval().data(), B.col(k).data());
  EXPECT_TRUE(Near(eval.Inverse(s.q, s.v, s.a), B.transpose() * tree.Inverse(q, v, a), kTight));
  EXPECT_TRUE(Near(eval.Mass(s.q), B.transpose() * tree.Mass(q) * B, kTight));
  EXPECT_TRUE(Near(eval.CoriolisC(s.q, s.v), B.transpose() * tree.CoriolisC(q, v) * B, kTight));
}

INSTANTIATE_TEST_SUITE_P(Random, PropertyTest, ::testing::ValuesIn(RandomTrees()), SubjectName);
INSTANTIATE_TEST_SUITE_P(Shipped, PropertyTest, ::testing::ValuesIn(ShippedRobots()), SubjectName);

}  // namespace
}  // namespace torqued
