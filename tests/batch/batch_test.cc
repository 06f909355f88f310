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
#include "server/core/dynamics/crba.h"
#include "server/core/dynamics/forward_dynamics.h"
#include "server/core/tree/prepare.h"
#include "tests/oracle/random_tree.h"

namespace torqued {
namespace {

struct Case {
  std::shared_ptr<const Prepared> model;
  int count = 0;
  std::vector<double> q, v, a;
  bool has_nan = false;
};

Case MakeCase(const Model& model, unsigned seed, int count) {
  std::mt19937_64 random(seed);
  Case c;
  c.model = std::make_shared<const Prepared>(Prepare(model));
  c.count = count;
  for (int i = 0; i < count; ++i) {
    const oracle::State x = oracle::RandomState(model, random);
    c.q.insert(c.q.end(), x.q.begin(), x.q.end());
    c.v.insert(c.v.end(), x.v.begin(), x.v.end());
    c.a.insert(c.a.end(), x.a.begin(), x.a.end());
  }
  return c;
}

Case MakeCase(unsigned seed, int count) {
  const int most = seed % 10 == 0 ? 30 : 12;  // some large enough for articulated bodies
  return MakeCase(oracle::RandomTree(seed, oracle::VariedOptions(seed, most)), seed, count);
}

// One quantity by both ways: rows [first, first + count) by the batch; one row by the double template.
struct Quantity {
  const char* name;
  std::function<int(const Prepared&)> width;
  std::function<void(const Batch&, const Case&, int first, int count, BatchScratch&, double*)> batch;
  std::function<void(const Case&, int row, Workspace<double>&, double*)> single;
  double tolerance = 1e-12;  // relative to the row's largest entry
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
  for (MatrixLayout layout : {MatrixLayout::kFull, MatrixLayout::kPackedUpper})
    out.push_back({"mass matrix", [layout](const Prepared& m) { return MatrixWidth(layout, m.nv); },
                   [layout](const Batch& b, const Case& c, int first, int count, BatchScratch& s, double* o) {
                     b.MassMatrix(Conditions(*c.model), &c.q[first * c.model->nq], count, layout, o, s);
                   },
                   [layout](const Case& c, int r, Workspace<double>& ws, double* o) {
                     const int n = c.model->nv;
                     std::vector<double> M(n * n);
                     MassMatrix(*c.model, Conditions(*c.model), &c.q[r * c.model->nq], ws, M.data());
                     for (int i = 0; i < n; ++i)
                       for (int j = layout == MatrixLayout::kFull ? 0 : i; j < n; ++j) *o++ = M[i * n + j];
                   }});
  out.push_back({"equation", [](const Prepared& m) { return 4 * m.nv; },
                 [](const Batch& b, const Case& c, int first, int count, BatchScratch& s, double* o) {
                   const int n = c.model->nv;
                   std::vector<double> part[4];
                   for (auto& p : part) p.resize(count * n);
                   EquationRows rows;
                   rows.velocity_torque = part[0].data(), rows.gravity = part[1].data();
                   rows.friction = part[2].data(), rows.springs = part[3].data();
                   b.EquationOfMotion(Conditions(*c.model), &c.q[first * c.model->nq], c.v.data() + first * n, count, rows, s);
                   for (int i = 0; i < count; ++i)
                     for (const auto& p : part)
                       for (int k = 0; k < n; ++k) *o++ = p[i * n + k];
                 },
                 [](const Case& c, int r, Workspace<double>& ws, double* o) {
                   const Prepared& m = *c.model;
                   const Conditions conditions(m);
                   const double *q = &c.q[r * m.nq], *v = c.v.data() + r * m.nv;
                   CoriolisTorque(m, conditions, q, v, ws, o);
                   GravityTorque(m, conditions, q, ws, o + m.nv);
                   FrictionTorques(m, v, o + 2 * m.nv);
                   SpringTorque(m, q, ws, o + 3 * m.nv);
                 }});
  out.push_back({"forward dynamics", dof,
                 [](const Batch& b, const Case& c, int first, int count, BatchScratch& s, double* o) {
                   const Prepared& m = *c.model;
                   EXPECT_TRUE(b.ForwardDynamics(Conditions(m), &c.q[first * m.nq], c.v.data() + first * m.nv,
                                                 c.a.data() + first * m.nv, count, o, nullptr, s) || c.has_nan);
                 },
                 [](const Case& c, int r, Workspace<double>& ws, double* o) {
                   const Prepared& m = *c.model;
                   ForwardDynamics(m, Conditions(m), &c.q[r * m.nq], c.v.data() + r * m.nv, c.a.data() + r * m.nv, ws, o);
                 },
                 1e-9});  // accelerations: the tolerance carries the condition of M
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
        const double scale = quantity.tolerance * std::max(1.0, Largest(row));
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
        c.has_nan = true;
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
  oracle::TreeOptions options;
  options.quaternion_joints = options.planar_joints = false;
  const Case base = MakeCase(oracle::RandomTree(7, options), 7, 9);
  const auto prepared = base.model;
  const Batch batch(prepared, kernels);
  const int n = base.count, w = prepared->nv;
  std::vector<double> q = base.q, v = base.v, a = base.a, near_only(n * w), mixed(n * w), want(w);
  const Conditions c(*prepared);
  batch.InverseDynamics(c, q.data(), v.data(), a.data(), n, near_only.data(), scratch);
  for (int k = 0; k < w; ++k) q[3 * w + k] *= 1e9;
  batch.InverseDynamics(c, q.data(), v.data(), a.data(), n, mixed.data(), scratch);
  Workspace<double> ws(*prepared);
  InverseDynamics(*prepared, c, &q[3 * w], &v[3 * w], &a[3 * w], ws, want.data());
  for (int r = 0; r < n; ++r)
    for (int k = 0; k < w; ++k)
      if (r == 3)
        EXPECT_NEAR(mixed[3 * w + k], want[k], 1e-9 * std::max(1.0, Largest(want)));  // a prismatic joint is far away too
      else
        EXPECT_EQ(mixed[r * w + k], near_only[r * w + k]);
}

TEST_P(BatchTest, NamesTheSingularRowsAndOnlyThem) {
  const BatchKernels& kernels = *AvailableKernels()[GetParam()];
  oracle::TreeOptions options;
  options.quaternion_joints = options.planar_joints = false;
  Model model = oracle::RandomTree(3, options);
  const Case c = MakeCase(model, 3, 11);
  const Prepared& m = *c.model;
  ASSERT_GE(m.nv, 2);
  std::vector<double> a(c.count * m.nv);
  std::vector<int> singular(c.count, 5);
  BatchScratch scratch;
  EXPECT_TRUE(Batch(c.model, kernels).ForwardDynamics(Conditions(m), c.q.data(), c.v.data(), c.a.data(), c.count, a.data(), singular.data(), scratch));
  EXPECT_THAT(singular, ::testing::Each(-1));

  for (Link& l : model.links) l.inertia.reset();  // weightless: singular everywhere
  const Case weightless = MakeCase(model, 3, 11);
  EXPECT_FALSE(Batch(weightless.model, kernels)
                   .ForwardDynamics(Conditions(*weightless.model), c.q.data(), c.v.data(), c.a.data(), c.count, a.data(), singular.data(), scratch));
  EXPECT_THAT(singular, ::testing::Each(::testing::Ge(0)));
  EXPECT_THAT(a, ::testing::Each(::testing::Truly([](double x) { return std::isfinite(x); })));
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
