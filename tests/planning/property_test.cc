// Random paths: planned or proven infeasible, limits kept at 1 kHz, and nothing depends on how the question is put.
//
// TORQUED_PLANNING_CASES sets how many paths are drawn (default 100; the full run is 10000), TORQUED_PLANNING_SEED the first seed.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "client/planning/path_timing.h"
#include "server/core/dynamics/rnea.h"
#include "server/core/tree/prepare.h"
#include "tests/planning/random_arms.h"

namespace torqued {
namespace {

using test::DrawCase;
using test::Local;
using test::RandomCase;

int Setting(const char* name, int fallback) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : fallback;
}

// s scaled by a factor: another parameter, the same curve.
class Stretched : public Path {
 public:
  Stretched(std::shared_ptr<const Path> path, double factor) : path_(std::move(path)), factor_(factor) {
    for (Break b : path_->breaks()) breaks_.push_back({b.s * factor, b.must_stop});
  }
  int joint_count() const override { return path_->joint_count(); }
  double length() const override { return path_->length() * factor_; }
  const std::vector<Break>& breaks() const override { return breaks_; }
  void Evaluate(double s, Side side, double* q, double* dq, double* ddq) const override {
    double inner = std::min(s / factor_, path_->length());
    for (const Break& b : path_->breaks())  // rounding must not move a point to the other side of a break
      if (std::abs(inner - b.s) < 1e-12 * path_->length()) inner = b.s;
    path_->Evaluate(inner, side, q, dq, ddq);
    for (int j = 0; j < joint_count(); ++j) dq[j] /= factor_, ddq[j] /= factor_ * factor_;
  }

 private:
  std::shared_ptr<const Path> path_;
  double factor_;
  std::vector<Break> breaks_;
};

class Mirrored : public Path {
 public:
  explicit Mirrored(std::shared_ptr<const Path> path) : path_(std::move(path)) {}
  int joint_count() const override { return path_->joint_count(); }
  double length() const override { return path_->length(); }
  const std::vector<Break>& breaks() const override { return path_->breaks(); }
  void Evaluate(double s, Side side, double* q, double* dq, double* ddq) const override {
    path_->Evaluate(s, side, q, dq, ddq);
    for (int j = 0; j < joint_count(); ++j) q[j] = -q[j], dq[j] = -dq[j], ddq[j] = -ddq[j];
  }

 private:
  std::shared_ptr<const Path> path_;
};

TimingOptions Points(int intervals) {
  TimingOptions o;
  o.intervals = intervals;
  return o;
}

// Torque from the samples' positions alone by Newton-Euler and an own friction law; the worst ratio to the limit.
double WorstTorque(const RandomCase& c, const Trajectory& t) {
  const Prepared m = Prepare(*c.model);
  std::vector<BodyInertia> inertias = m.inertias;
  const HeldMass& load = c.options.payloads[0];
  const BodyFrame& tool = m.frames[m.tool_frame];
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.linear() = ToEigen(tool.R);
  X.translation() = ToEigen(tool.p);
  inertias[tool.body] = inertias[tool.body] + ToBodyInertia(load.mass, X);
  Workspace<double> ws(m);
  Eigen::VectorXd tau(m.nv);
  double worst = 0;
  for (int k = 0; k < t.sample_count(); ++k) {
    NewtonEuler<double>(m, inertias.data(), m.gravity, true, t.q.col(k).data(), t.v.col(k).data(), t.a.col(k).data(), ws,
                        tau.data());
    for (int j = 0; j < m.nv; ++j) {
      const Friction& f = c.model->coordinates[j].friction;
      const double v = t.v(j, k);
      const double dry = v > 0 ? f.coulomb_positive : v < 0 ? -f.coulomb_negative : 0;
      worst = std::max(worst, std::abs(tau(j) + dry + f.viscous * v) / *c.model->coordinates[j].limits.effort);
    }
  }
  return worst;
}

// The largest |v| and |a| of the samples against the model's limits.
double WorstSpeedOrAcceleration(const RandomCase& c, const Trajectory& t) {
  double worst = 0;
  for (int j = 0; j < t.joint_count(); ++j) {
    const Limits& l = c.model->coordinates[j].limits;
    if (l.velocity) worst = std::max(worst, t.v.row(j).cwiseAbs().maxCoeff() / *l.velocity);
    if (l.acceleration) worst = std::max(worst, t.a.row(j).cwiseAbs().maxCoeff() / *l.acceleration);
  }
  return worst;
}

struct Tally {
  int planned = 0, climbed = 0, infeasible = 0, marginal = 0;
  double torque = 0, other = 0, stretch = 0, units = 0, mirror = 0, larger = 0;
};

void ExpectInfeasible(const RandomCase& c, const absl::Status& status, Tally& tally) {
  const auto why = InfeasibilityOf(status);
  ASSERT_TRUE(why.has_value()) << status;
  ++tally.infeasible;
  // A four times finer grid finds nothing either (or it was a matter of 0.3 % of torque), and with the stated factor
  // there is a motion.
  if (why->smallest_factor > 0 && why->smallest_factor < 1.003) {
    ++tally.marginal;
  } else {
    auto source = Local(c.model, c.options);
    EXPECT_FALSE(TimePath(*source, c.path, Points(2000)).ok()) << why->smallest_factor;
  }
  if (why->smallest_factor > 0) {
    EXPECT_GE(why->smallest_factor, 1);
    auto stronger = std::make_shared<Model>(*c.model);
    for (Coordinate& x : stronger->coordinates) *x.limits.effort *= 1.01 * why->smallest_factor;
    auto strong = Local(stronger, c.options);
    EXPECT_TRUE(TimePath(*strong, c.path, Points(500)).ok()) << why->smallest_factor;
  }
}

// The same question put in other words takes the same time; more torque on joint `favoured` is never slower.
void ExpectInvariant(const RandomCase& c, double duration, int favoured, Tally& tally) {
  const auto again = [&](std::shared_ptr<Model> model, std::shared_ptr<const Path> path, const LocalOptions& options) {
    auto other = Local(model, options);
    const auto m = TimePath(*other, path, Points(500));
    return m.ok() ? m->timed.duration_s() : NAN;
  };
  const double stretched = again(c.model, std::make_shared<Stretched>(c.path, 37.5), c.options);
  auto grams = std::make_shared<Model>(*c.model);  // mass in grams: every torque and every limit a thousand times
  LocalOptions gram_load = c.options;
  for (Link& l : grams->links) l.inertia->mass *= 1000, l.inertia->inertia_about_com *= 1000;
  for (HeldMass& h : gram_load.payloads) h.mass.mass *= 1000;
  for (Coordinate& x : grams->coordinates) {
    *x.limits.effort *= 1000;
    x.friction.coulomb_positive *= 1000, x.friction.coulomb_negative *= 1000, x.friction.viscous *= 1000;
  }
  const double units = again(grams, c.path, gram_load);
  auto mirror = std::make_shared<Model>(*c.model);
  for (Joint& j : mirror->joints) j.axis = -j.axis;
  for (Coordinate& x : mirror->coordinates) std::swap(x.friction.coulomb_positive, x.friction.coulomb_negative);
  const double mirrored = again(mirror, std::make_shared<Mirrored>(c.path), c.options);
  auto larger = std::make_shared<Model>(*c.model);
  *larger->coordinates[favoured % larger->nv].limits.effort *= 1.3;
  const double faster = again(larger, c.path, c.options);
  tally.stretch = std::max(tally.stretch, std::abs(stretched / duration - 1));
  tally.units = std::max(tally.units, std::abs(units / duration - 1));
  tally.mirror = std::max(tally.mirror, std::abs(mirrored / duration - 1));
  tally.larger = std::max(tally.larger, faster / duration - 1);
  EXPECT_NEAR(stretched, duration, 1e-3 * duration);
  EXPECT_NEAR(units, duration, 1e-3 * duration);
  EXPECT_NEAR(mirrored, duration, 1e-3 * duration);
  EXPECT_LE(faster, duration * 1.001);
}

void ExpectTimedOrInfeasible(int seed, bool invariances, Tally& tally) {
  const bool verbose = std::getenv("TORQUED_PLANNING_VERBOSE") != nullptr;
  const RandomCase c = DrawCase(seed);
  SCOPED_TRACE(c.what);
  auto source = Local(c.model, c.options);
  const auto motion = TimePath(*source, c.path, Points(500));
  if (!motion.ok()) return ExpectInfeasible(c, motion.status(), tally);
  ++tally.planned;
  if (motion->timed.rung != Rung::kGrid) ++tally.climbed;
  const Trajectory& t = motion->trajectory;
  const double torque = WorstTorque(c, t), other = WorstSpeedOrAcceleration(c, t);
  tally.torque = std::max(tally.torque, torque);
  tally.other = std::max(tally.other, other);
  EXPECT_LE(torque, 1.001);
  EXPECT_LE(other, 1.001);
  if (verbose && std::max(torque, other) > 1.0009)
    printf("%s: torque %.5f, speed or acceleration %.5f\n", c.what.c_str(), torque, other);
  EXPECT_TRUE(motion->report.violations.empty()) << motion->report.violations[0];
  double gap = 0;  // the samples are one motion: differences of q are v
  for (int j = 0; j < t.joint_count(); ++j)
    for (int s = 0; s + 1 < t.sample_count(); ++s) {
      const double h = t.time_s[s + 1] - t.time_s[s];
      gap = std::max(gap, std::abs(t.q(j, s + 1) - t.q(j, s) - 0.5 * h * (t.v(j, s) + t.v(j, s + 1))) /
                              (h * h * motion->report.joints[j].peak_acceleration + 1e-9));
    }
  EXPECT_LE(gap, 2);
  if (invariances) ExpectInvariant(c, motion->timed.duration_s(), seed, tally);
}

void Print(const Tally& t) {
  printf("%d planned (%d on a later rung), %d infeasible (%d by less than 0.3 %% of torque)\n", t.planned, t.climbed,
         t.infeasible, t.marginal);
  printf("worst ratio to the limit at 1 kHz: torque %.6f, speed or acceleration %.6f\n", t.torque, t.other);
  printf("largest change of duration: s scaled %.1e, units %.1e, mirrored %.1e, larger limit %.1e\n", t.stretch, t.units,
         t.mirror, t.larger);
}

TEST(Property, RandomPathsAreTimedOrProvenInfeasible) {
  const int cases = Setting("TORQUED_PLANNING_CASES", 100), first = Setting("TORQUED_PLANNING_SEED", 1);
  Tally tally;
  for (int k = 0; k < cases; ++k) ExpectTimedOrInfeasible(first + k, k % 5 == 0, tally);
  printf("seeds %d..%d\n", first, first + cases - 1);
  Print(tally);
  EXPECT_GT(tally.planned, cases / 2);
}

// Rounding beside a coefficient that is zero there decided an acceleration (2036, 2671) or a bound (4068); the speed bulged
// between grid points (4923, 5973); a path of one point was not asked whether it can be held (3791, 5817).
TEST(Property, SeedsThatOnceFailed) {
  Tally tally;
  for (int seed : {2036, 2671, 3791, 4068, 4923, 5071, 5817, 5973}) ExpectTimedOrInfeasible(seed, true, tally);
  Print(tally);
}

}  // namespace
}  // namespace torqued
