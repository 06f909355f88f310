// Torque linear in the parameters: Y pi = tau, base parameters as published, identification within its own covariance.
#include "server/core/dynamics/identify.h"

#include <gtest/gtest.h>

#include "tests/analysis/robots.h"

namespace torqued {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// The true full parameters of a model for the given columns.
VectorXd TrueParameters(const Model& model, const Prepared& m, const RegressorColumns& columns) {
  VectorXd pi(columns.Count(m));
  int k = 0;
  for (const Link& l : model.links) {
    LinkParameters(ToBodyInertia(*l.inertia, Eigen::Isometry3d::Identity()), pi.data() + k);
    k += kLinkParameters;
  }
  if (columns.rotors)
    for (const Rotor& r : model.rotors) pi[k++] = r.inertia;
  if (columns.friction)
    for (const Friction& f : m.friction) {
      pi[k++] = f.viscous;
      pi[k++] = f.coulomb_positive;
      pi[k++] = f.coulomb_negative;
    }
  return pi;
}

TEST(Regressor, TimesParametersIsTheTorque) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Model model = testing::RandomTree(seed, 2 + static_cast<int>(seed) % 8, seed % 2 == 0, true);
    model.point_springs.clear();
    model.coordinate_springs.clear();
    for (Coordinate& c : model.coordinates) c.friction.stribeck_velocity = c.friction.smoothing_velocity = 0;
    const Prepared m = Prepare(model);
    const RegressorColumns columns{static_cast<int>(model.links.size()), true, true};
    Workspace<double> ws(m);
    Random random(seed);
    const VectorXd q = testing::RandomPositions(m, random), v = testing::RandomRates(m.nv, random),
                   a = testing::RandomRates(m.nv, random);
    VectorXd tau(m.nv);
    const Conditions c(m);
    InverseDynamics(m, c, q.data(), v.data(), a.data(), ws, tau.data());
    MatrixXd Y(m.nv, columns.Count(m));
    Regressor(m, columns, c, q.data(), v.data(), a.data(), ws, Y.data());
    const VectorXd got = Y * TrueParameters(model, m, columns);
    EXPECT_LT((got - tau).cwiseAbs().maxCoeff(), 1e-12 * std::max(1.0, tau.cwiseAbs().maxCoeff())) << "seed " << seed;
    EXPECT_EQ(static_cast<int>(ColumnNames(m, columns).size()), columns.Count(m));
  }
}

TEST(Regressor, CoupledModelsToo) {
  Model model = testing::Puma560();
  model.joints[2].coupling = {{2, 1.0}, {1, -1.0}};
  const Prepared m = Prepare(model);
  const RegressorColumns columns{7, true, true};
  Workspace<double> ws(m);
  Random random(3);
  const VectorXd q = testing::RandomPositions(m, random), v = testing::RandomRates(6, random), a = testing::RandomRates(6, random);
  VectorXd tau(6);
  const Conditions c(m);
  InverseDynamics(m, c, q.data(), v.data(), a.data(), ws, tau.data());
  MatrixXd Y(6, columns.Count(m));
  Regressor(m, columns, c, q.data(), v.data(), a.data(), ws, Y.data());
  EXPECT_LT((Y * TrueParameters(model, m, columns) - tau).cwiseAbs().maxCoeff(), 1e-10);
}

// A Puma-like arm (first axis along gravity) has 36 base inertial parameters: Gautier and Khalil 1990.
// A planar 2R arm under gravity in its plane: zz, mx, my of each link, the first with what the second adds: 6.
TEST(BaseParameters, CountsAreThePublishedOnes) {
  const Prepared puma = Prepare(testing::Puma560());
  EXPECT_EQ(FindBaseParameters(puma, {7, false, false}, Conditions(puma)).rank(), 36);
  const Prepared planar = Prepare(testing::PlanarArm({1, 1}));
  const BaseParameters base = FindBaseParameters(planar, {3, false, false}, Conditions(planar));
  EXPECT_EQ(base.rank(), 6);
}

TEST(BaseParameters, ReproduceTheTorqueOfTheFullSet) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Model model = testing::RandomTree(seed, 5, seed % 2 == 0, false);
    const Prepared m = Prepare(model);
    const RegressorColumns columns{static_cast<int>(model.links.size())};
    const Conditions c(m);
    const BaseParameters base = FindBaseParameters(m, columns, c);
    const VectorXd beta = base.Reduce(TrueParameters(model, m, columns));
    Workspace<double> ws(m);
    Random random(50 + seed);
    const VectorXd q = testing::RandomPositions(m, random), v = testing::RandomRates(m.nv, random), a = testing::RandomRates(m.nv, random);
    MatrixXd Y(m.nv, columns.Count(m));
    VectorXd tau(m.nv);
    Regressor(m, columns, c, q.data(), v.data(), a.data(), ws, Y.data());
    InverseDynamics(m, c, q.data(), v.data(), a.data(), ws, tau.data());
    VectorXd got = VectorXd::Zero(m.nv);
    for (int i = 0; i < base.rank(); ++i) got += Y.col(base.independent[i]) * beta[i];
    EXPECT_LT((got - tau).cwiseAbs().maxCoeff(), 1e-7 * std::max(1.0, tau.cwiseAbs().maxCoeff())) << "seed " << seed;
  }
}

// Sums of sines with incommensurate frequencies: an exciting motion with exact rates and accelerations.
struct Recording {
  Recording(const Model& model, const Prepared& m, int count, double sigma, std::uint64_t seed) {
    Random random(seed);
    Workspace<double> ws(m);
    const Conditions c(m);
    MatrixXd A(m.nv, 4), w(m.nv, 4), p(m.nv, 4);
    for (int i = 0; i < m.nv; ++i)
      for (int k = 0; k < 4; ++k) {
        const bool slide = model.coordinates[i].kind == JointKind::kPrismatic;
        A(i, k) = random.Uniform(.3, 1) * (slide ? .1 : .5);
        w(i, k) = random.Uniform(.5, 5);
        p(i, k) = random.Uniform(-3, 3);
      }
    q.setZero(m.nv, count), v = q, a = q, tau = q;
    for (int t = 0; t < count; ++t) {
      for (int i = 0; i < m.nv; ++i)
        for (int k = 0; k < 4; ++k) {
          const double x = w(i, k) * t * .02 + p(i, k);
          q(i, t) += A(i, k) * std::sin(x);
          v(i, t) += A(i, k) * w(i, k) * std::cos(x);
          a(i, t) -= A(i, k) * w(i, k) * w(i, k) * std::sin(x);
        }
      InverseDynamics(m, c, q.col(t).data(), v.col(t).data(), a.col(t).data(), ws, tau.col(t).data());
      for (int i = 0; i < m.nv; ++i) tau(i, t) += sigma * (i + 1) * random.Normal();
      samples.push_back({q.col(t).data(), v.col(t).data(), a.col(t).data(), tau.col(t).data()});
    }
  }
  MatrixXd q, v, a, tau;
  std::vector<MotionSample> samples;
};

void ExpectRecovered(const Model& model, const RegressorColumns& columns, int count, double sigma, std::uint64_t seed,
                     bool feasible) {
  const Prepared m = Prepare(model);
  const Recording recording(model, m, count, sigma, seed);
  IdentifyOptions o;
  o.columns = columns;
  o.guess = TrueParameters(model, m, columns) * 1.1;
  const Identification id = Identify(m, Conditions(m), recording.samples, o);
  const int r = id.base.rank();
  ASSERT_EQ(id.excited, r) << model.name;
  EXPECT_LT(id.condition, 1e5);
  EXPECT_EQ(id.rows, count * m.nv);
  for (int i = 0; i < m.nv; ++i) EXPECT_NEAR(id.sigma[i], sigma * (i + 1), .2 * sigma * (i + 1)) << model.name << " noise of joint " << i;
  const VectorXd error = id.beta - id.base.Reduce(TrueParameters(model, m, columns));
  // Mahalanobis distance: chi-square with r degrees of freedom; single errors within 4.5 deviations.
  const double distance = error.dot(ComputeSvd(id.covariance).Solve(error, 0));
  EXPECT_LT(distance, r + 5 * std::sqrt(2.0 * r)) << model.name;
  EXPECT_GT(distance, r - 4.5 * std::sqrt(2.0 * r)) << model.name << ": the covariance is not padded either";
  for (int k = 0; k < r; ++k) EXPECT_LT(std::abs(error[k]), 4.5 * std::sqrt(id.covariance(k, k))) << model.name << " beta " << k;
  EXPECT_EQ(id.feasibility.feasible, feasible) << model.name << " violation " << id.feasibility.violation;
  for (int i = 0; i < m.nv; ++i) EXPECT_LT(id.nearest_residual_rms[i], 1.5 * id.residual_rms[i]) << model.name << i;
  EXPECT_LT((id.base.Reduce(id.feasibility.parameters) - id.beta).cwiseAbs().maxCoeff(), 1e-6 * std::max(1.0, id.beta.cwiseAbs().maxCoeff()));
}

TEST(Identify, RecoversThreeRobotsWithinTheStatedCovariance) {
  Model scara = testing::Scara();
  for (int i = 0; i < 4; ++i) {
    scara.coordinates[i].friction.viscous = .5 + i;
    scara.coordinates[i].friction.coulomb_positive = 1 + .2 * i;
    scara.coordinates[i].friction.coulomb_negative = .8;
  }
  ExpectRecovered(testing::PlanarArm({1, 1}, 5, .4), {3, false, false}, 400, .05, 11, true);
  ExpectRecovered(scara, {5, false, true}, 600, .02, 12, true);
  // The wrist's 0.15 g m^2 drown in this noise: the estimate is no body's, but bodies nearby explain the torques as well.
  ExpectRecovered(testing::Puma560(), {7, true, true}, 900, .02, 13, false);
}

// Over many seeds the Mahalanobis distances add up to a chi-square number with as many degrees of freedom: the stated
// covariance is neither too small nor too large, for three robots.
TEST(Identify, ErrorsFollowTheStatedCovarianceOverSeeds) {
  Model scara = testing::Scara();
  for (int i = 0; i < 4; ++i) {
    scara.coordinates[i].friction.viscous = .5 + i;
    scara.coordinates[i].friction.coulomb_positive = 1 + .2 * i;
    scara.coordinates[i].friction.coulomb_negative = .8;
  }
  struct Case {
    Model model;
    RegressorColumns columns;
    int samples, seeds;
  };
  for (const Case& c : {Case{testing::PlanarArm({1, 1}, 5, .4), {3, false, false}, 200, 24},
                        Case{scara, {5, false, true}, 300, 12}, Case{testing::Puma560(), {7, true, true}, 500, 5}}) {
    const Prepared m = Prepare(c.model);
    double sum = 0, freedom = 0;
    for (int seed = 1; seed <= c.seeds; ++seed) {
      const Recording recording(c.model, m, c.samples, .02, 100 + seed);
      IdentifyOptions o;
      o.columns = c.columns;
      o.guess = TrueParameters(c.model, m, c.columns);
      const Identification id = Identify(m, Conditions(m), recording.samples, o);
      ASSERT_EQ(id.excited, id.base.rank());
      const VectorXd error = id.beta - id.base.Reduce(TrueParameters(c.model, m, c.columns));
      sum += error.dot(ComputeSvd(id.covariance).Solve(error, 0));
      freedom += id.base.rank();
    }
    EXPECT_NEAR(sum, freedom, 4.5 * std::sqrt(2 * freedom)) << c.model.name;
  }
}

TEST(Identify, SaysWhenTheMotionDoesNotExcite) {
  const Model model = testing::PlanarArm({1, 1});
  const Prepared m = Prepare(model);
  Recording recording(model, m, 100, 0, 5);
  recording.v.setZero();
  recording.a.setZero();
  IdentifyOptions o;
  o.columns = {3, false, false};
  const Identification id = Identify(m, Conditions(m), recording.samples, o);
  EXPECT_EQ(id.base.rank(), 6);
  EXPECT_EQ(id.excited, 4) << "gravity alone shows the first moments";
  EXPECT_TRUE(std::isinf(id.condition));
}

TEST(Feasibility, RefusesWhatNoBodyHas) {
  const Model model = testing::PlanarArm({1, 1});
  const Prepared m = Prepare(model);
  const RegressorColumns columns{3, false, false};
  const BaseParameters base = FindBaseParameters(m, columns, Conditions(m));
  const VectorXd pi = TrueParameters(model, m, columns);
  VectorXd beta = base.Reduce(pi);
  EXPECT_TRUE(CheckFeasibility(base, beta, 3, pi).feasible);
  // The last link's inertia about its axis is a base parameter of its own: it cannot be negative.
  for (int i = 0; i < base.rank(); ++i)
    if (base.independent[i] == 2 * kLinkParameters + 9) beta[i] = -.2;
  const Feasibility f = CheckFeasibility(base, beta, 3, pi);
  EXPECT_FALSE(f.feasible);
  EXPECT_GT(f.violation, .01);
}

}  // namespace
}  // namespace torqued
