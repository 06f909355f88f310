// Property: on every instruction set, whatever the lane, the neighbours and the cut, a batch gives what the double
// template gives for the row.
#include "server/batch/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "server/core/dynamics/inverse_dynamics.h"
#include "server/core/dynamics/path_dynamics.h"
#include "server/core/spatial/quaternion.h"
#include "tests/batch/models.h"

namespace torqued {
namespace {

struct Case {
  std::shared_ptr<const Prepared> model;
  int count = 0;
  std::vector<double> q, v, a;
};

Case MakeCase(unsigned seed, int count) {
  testing::ModelMaker maker(seed);
  const Model model = maker.Tree(maker.Integer(1, 12), seed % 3 == 0);
  Case c;
  c.model = std::make_shared<const Prepared>(Prepare(model));
  c.count = count;
  c.q.resize(count * model.nq), c.v.resize(count * model.nv), c.a.resize(count * model.nv);
  for (int i = 0; i < count; ++i) maker.State(model, &c.q[i * model.nq], &c.v[i * model.nv], &c.a[i * model.nv]);
  return c;
}

// One quantity by both ways: rows [first, first + count) by the batch; one row by the double template.
struct Quantity {
  const char* name;
  std::function<int(const Prepared&)> width;
  std::function<void(const Batch&, const Case&, int first, int count, BatchScratch&, double*)> batch;
  std::function<void(const Case&, int row, Workspace<double>&, double*)> single;
};

Terms SomeTerms(int mask) { return {(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0, (mask & 8) != 0, (mask & 16) != 0, (mask & 32) != 0}; }

std::vector<Quantity> Quantities() {
  std::vector<Quantity> out;
  const auto dof = [](const Prepared& m) { return m.nv; };
  for (int mask : {63, 62, 61, 23, 40}) {
    const auto conditions = [mask](const Prepared& m) {
      Conditions c(m);
      c.terms = SomeTerms(mask);
      c.gravity = {0.5, -1, -9};
      return c;
    };
    out.push_back({"inverse dynamics", dof,
                   [=](const Batch& b, const Case& c, int first, int count, BatchScratch& s, double* o) {
                     const Prepared& m = *c.model;
                     b.InverseDynamics(conditions(m), &c.q[first * m.nq], c.v.data() + first * m.nv,
                                       c.a.data() + first * m.nv, count, o, s);
                   },
                   [=](const Case& c, int r, Workspace<double>& ws, double* o) {
                     const Prepared& m = *c.model;
                     InverseDynamics(m, conditions(m), &c.q[r * m.nq], c.v.data() + r * m.nv, c.a.data() + r * m.nv, ws, o);
                   }});
  }
  out.push_back({"gravity", dof,
                 [](const Batch& b, const Case& c, int first, int count, BatchScratch& s, double* o) {
                   b.Gravity(Conditions(*c.model), &c.q[first * c.model->nq], count, o, s);
                 },
                 [](const Case& c, int r, Workspace<double>& ws, double* o) {
                   GravityTorque(*c.model, Conditions(*c.model), &c.q[r * c.model->nq], ws, o);
                 }});
  for (Expression e : {Expression::kWorldAligned, Expression::kBody, Expression::kSpatial})
    out.push_back({"Jacobian", [](const Prepared& m) { return 6 * m.nv; },
                   [e](const Batch& b, const Case& c, int first, int count, BatchScratch& s, double* o) {
                     const Prepared& m = *c.model;
                     b.Jacobian(m.frames[m.tool_frame], e, &c.q[first * m.nq], count, o, s);
                   },
                   [e](const Case& c, int r, Workspace<double>& ws, double* o) {
                     const Prepared& m = *c.model;
                     Eigen::MatrixXd J(6, m.nv);
                     Jacobian(m, m.frames[m.tool_frame], e, &c.q[r * m.nq], ws, J.data());
                     Eigen::Map<Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(o, 6, m.nv) = J;
                   }});
  out.push_back({"poses", [](const Prepared& m) { return 7 * static_cast<int>(m.frames.size()); },
                 [](const Batch& b, const Case& c, int first, int count, BatchScratch& s, double* o) {
                   std::vector<int> all(c.model->frames.size());
                   for (size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);
                   b.ForwardKinematics(all.data(), static_cast<int>(all.size()), &c.q[first * c.model->nq], count, o, s);
                 },
                 [](const Case& c, int r, Workspace<double>& ws, double* o) {
                   ForwardKinematics(*c.model, &c.q[r * c.model->nq], ws);
                   for (const BodyFrame& f : c.model->frames) {
                     const Pose<double> X = FramePose(f, ws);
                     Eigen::Quaterniond u(ToEigen(X.R));
                     if (u.w() < 0) u.coeffs() *= -1;
                     for (int k = 0; k < 3; ++k) o[k] = X.p[k];
                     for (int k = 0; k < 4; ++k) o[3 + k] = u.coeffs()[k];
                     o += 7;
                   }
                 }});
  out.push_back({"path dynamics", [](const Prepared& m) { return 3 * m.nv; },
                 [](const Batch& b, const Case& c, int first, int count, BatchScratch& s, double* o) {
                   const int nv = c.model->nv;
                   std::vector<double> mm(count * nv), cc(count * nv), gg(count * nv);
                   b.PathDynamics(Conditions(*c.model), &c.q[first * c.model->nq], c.v.data() + first * nv,
                                  c.a.data() + first * nv, count, {mm.data(), cc.data(), gg.data()}, s);
                   for (int i = 0; i < count; ++i)
                     for (int k = 0; k < nv; ++k) {
                       o[3 * nv * i + k] = mm[nv * i + k];
                       o[3 * nv * i + nv + k] = cc[nv * i + k];
                       o[3 * nv * i + 2 * nv + k] = gg[nv * i + k];
                     }
                 },
                 [](const Case& c, int r, Workspace<double>& ws, double* o) {
                   const int nv = c.model->nv;
                   PathDynamics(*c.model, Conditions(*c.model), &c.q[r * c.model->nq], c.v.data() + r * nv,
                                c.a.data() + r * nv, ws, o, o + nv, o + 2 * nv);
                 }});
  return out;
}

double Largest(const std::vector<double>& x) {
  double out = 0;
  for (double k : x) out = std::max(out, std::abs(k));
  return out;
}

class BatchTest : public ::testing::TestWithParam<int> {};

std::vector<int> KernelIndices() {
  std::vector<int> out;
  for (size_t i = 0; i < AvailableKernels().size(); ++i) out.push_back(static_cast<int>(i));
  return out;
}

TEST_P(BatchTest, EqualsTheDoubleTemplateOnRandomTrees) {
  const BatchKernels& kernels = *AvailableKernels()[GetParam()];
  SCOPED_TRACE(kernels.name);
  BatchScratch scratch;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Case c = MakeCase(seed, 19);
    const Batch batch(c.model, kernels);
    for (const Quantity& quantity : Quantities()) {
      const int width = quantity.width(*c.model);
      std::vector<double> rows(c.count * width), row(width);
      quantity.batch(batch, c, 0, c.count, scratch, rows.data());
      Workspace<double> ws(*c.model);
      for (int r = 0; r < c.count; ++r) {
        quantity.single(c, r, ws, row.data());
        const double scale = 1e-12 * std::max(1.0, Largest(row));
        for (int k = 0; k < width; ++k)
          ASSERT_NEAR(rows[r * width + k], row[k], scale) << quantity.name << " seed " << seed << " row " << r << " entry " << k;
      }
    }
  }
}

TEST_P(BatchTest, AnyCutGivesTheSameBits) {
  const BatchKernels& kernels = *AvailableKernels()[GetParam()];
  BatchScratch scratch;
  for (unsigned seed = 101; seed <= 106; ++seed) {
    const Case c = MakeCase(seed, 21);
    const Batch batch(c.model, kernels);
    for (const Quantity& quantity : Quantities()) {
      const int width = quantity.width(*c.model);
      std::vector<double> whole(c.count * width), part(c.count * width);
      quantity.batch(batch, c, 0, c.count, scratch, whole.data());
      for (int first = 0; first < c.count; ++first)
        for (int count : {1, 2, 3, 7, 8, 9}) {
          if (first + count > c.count) continue;
          std::fill(part.begin(), part.end(), 7.0);
          quantity.batch(batch, c, first, count, scratch, part.data());
          for (int k = 0; k < count * width; ++k) ASSERT_EQ(part[k], whole[first * width + k]) << quantity.name << " seed " << seed;
          for (int k = count * width; k < c.count * width; ++k) ASSERT_EQ(part[k], 7.0) << "written past the last row";
        }
    }
  }
}

TEST_P(BatchTest, NotANumberStaysInItsRow) {
  const BatchKernels& kernels = *AvailableKernels()[GetParam()];
  BatchScratch scratch;
  for (unsigned seed = 201; seed <= 206; ++seed) {
    const Case clean = MakeCase(seed, 11);
    const Batch batch(clean.model, kernels);
    for (const Quantity& quantity : Quantities()) {
      const int width = quantity.width(*clean.model);
      std::vector<double> want(clean.count * width), got(clean.count * width);
      quantity.batch(batch, clean, 0, clean.count, scratch, want.data());
      for (int bad : {0, 1, 5, 10}) {
        Case c = clean;
        for (int k = 0; k < c.model->nq; ++k) c.q[bad * c.model->nq + k] = std::numeric_limits<double>::quiet_NaN();
        quantity.batch(batch, c, 0, c.count, scratch, got.data());
        for (int r = 0; r < c.count; ++r)
          for (int k = 0; k < width && r != bad; ++k)
            ASSERT_EQ(got[r * width + k], want[r * width + k]) << quantity.name << " seed " << seed;
      }
    }
  }
}

TEST_P(BatchTest, FarAnglesTakeTheirOwnPathAlone) {
  const BatchKernels& kernels = *AvailableKernels()[GetParam()];
  BatchScratch scratch;
  testing::ModelMaker maker(7);
  const Model model = maker.Tree(6, true);
  const auto prepared = std::make_shared<const Prepared>(Prepare(model));
  const Batch batch(prepared, kernels);
  const int n = 9;
  std::vector<double> q(n * 6), v(n * 6), a(n * 6), near_only(n * 6), mixed(n * 6), want(6);
  for (int i = 0; i < n; ++i) maker.State(model, &q[i * 6], &v[i * 6], &a[i * 6]);
  const Conditions c(*prepared);
  batch.InverseDynamics(c, q.data(), v.data(), a.data(), n, near_only.data(), scratch);
  for (int k = 0; k < 6; ++k) q[3 * 6 + k] *= 1e9;
  batch.InverseDynamics(c, q.data(), v.data(), a.data(), n, mixed.data(), scratch);
  Workspace<double> ws(*prepared);
  InverseDynamics(*prepared, c, &q[18], &v[18], &a[18], ws, want.data());
  for (int r = 0; r < n; ++r)
    for (int k = 0; k < 6; ++k)
      if (r == 3)
        EXPECT_NEAR(mixed[18 + k], want[k], 1e-9 * std::max(1.0, Largest(want)));  // a prismatic joint is far away too
      else
        EXPECT_EQ(mixed[r * 6 + k], near_only[r * 6 + k]);
}

INSTANTIATE_TEST_SUITE_P(EveryInstructionSet, BatchTest, ::testing::ValuesIn(KernelIndices()),
                         [](const auto& tested) { return std::string(AvailableKernels()[tested.param]->name); });

TEST(InstructionSet, TheActiveOneIsAvailable) {
  EXPECT_THAT(AvailableKernels(), ::testing::Contains(&ActiveKernels()));
  EXPECT_STREQ(AvailableKernels().front()->name, "baseline");
}

// Run once per value of TORQUED_ISA by ctest: the variable decides.
TEST(InstructionSet, TheVariableDecides) {
  const char* named = std::getenv(kInstructionSetVariable);
  if (named == nullptr) {
    EXPECT_TRUE(CheckInstructionSetVariable().ok());
    EXPECT_EQ(&ActiveKernels(), AvailableKernels().back());
    return;
  }
  bool known = false, available = false;
  for (const char* name : {"baseline", "avx2", "avx512"}) known |= std::string(named) == name;
  for (const BatchKernels* k : AvailableKernels()) available |= std::string(named) == k->name;
  if (available) {
    EXPECT_TRUE(CheckInstructionSetVariable().ok());
    EXPECT_STREQ(ActiveKernels().name, named);
  } else {
    EXPECT_EQ(CheckInstructionSetVariable().code(),
              known ? absl::StatusCode::kFailedPrecondition : absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(&ActiveKernels(), AvailableKernels().back());
  }
}

}  // namespace
}  // namespace torqued
