// Oracle: sine and cosine against the 64-bit-mantissa functions of the C library, whose own error is 2^-11 of our ulp.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "server/batch/instruction_set.h"
#include "tests/batch/pack_probe.h"

namespace torqued::testing {
namespace {

constexpr unsigned kSeed = 20240517;

std::vector<const PackProbe*> Probes() {
  std::vector<const PackProbe*> out;
#if defined(__x86_64__)
  for (const PackProbe* p : {&kBaselineProbe, &kAvx2Probe, &kAvx512Probe})
    for (const BatchKernels* k : AvailableKernels())
      if (std::string(k->name) == p->name) out.push_back(p);
#else
  out.push_back(&kBaselineProbe);
#endif
  return out;
}

double UlpError(double got, long double want) {
  if (static_cast<double>(want) == got) return 0;
  int exponent;
  std::frexp(static_cast<double>(want), &exponent);
  return static_cast<double>(std::fabs((got - want) / std::ldexp(1.0L, exponent - 53)));
}

// Largest error in ulp of sin or cos over x, which is padded to a multiple of 8.
double WorstUlp(const PackProbe& probe, std::vector<double> x) {
  while (x.size() % 8) x.push_back(0);
  std::vector<double> s(x.size()), c(x.size());
  probe.sin_cos(x.data(), s.data(), c.data(), static_cast<int>(x.size()));
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i)
    worst = std::max({worst, UlpError(s[i], std::sin(static_cast<long double>(x[i]))),
                      UlpError(c[i], std::cos(static_cast<long double>(x[i])))});
  return worst;
}

TEST(PackSinCos, WithinTwoUlpToTenThousandRadians) {
  std::printf("seed %u\n", kSeed);
  for (const PackProbe* probe : Probes()) {
    std::mt19937_64 random(kSeed);
    double worst = 0;
    for (double reach : {1e-5, 0.8, 3.2, 100.0, 1e4, kSinCosReach}) {
      std::uniform_real_distribution<double> uniform(-reach, reach);
      std::vector<double> x(200000);
      for (double& k : x) k = uniform(random);
      worst = std::max(worst, WorstUlp(*probe, x));
    }
    std::printf("%s: %.3f ulp\n", probe->name, worst);
    EXPECT_LT(worst, 2) << probe->name;
  }
}

TEST(PackSinCos, WithinTwoUlpBesideEveryMultipleOfAnEighthTurn) {
  for (const PackProbe* probe : Probes()) {
    std::vector<double> x;
    for (int n = -13000; n <= 13000; ++n) {
      double up = n * (M_PI / 4), down = up;
      for (int k = 0; k < 4; ++k) {
        x.push_back(up = std::nextafter(up, 1e9));
        x.push_back(down = std::nextafter(down, -1e9));
      }
      x.push_back(n * (M_PI / 4));
    }
    EXPECT_LT(WorstUlp(*probe, x), 2) << probe->name;
  }
}

TEST(PackSinCos, FarTinyAndNotANumber) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const PackProbe* probe : Probes()) {
    const double x[8] = {1e300, 0.5, -1e9, nan, 20000, 5e-324, inf, 0};
    double s[8], c[8], alone_s[8], alone_c[8];
    probe->sin_cos(x, s, c, 8);
    for (int k : {0, 2, 4}) {
      EXPECT_EQ(s[k], std::sin(x[k])) << probe->name;
      EXPECT_EQ(c[k], std::cos(x[k])) << probe->name;
    }
    EXPECT_TRUE(std::isnan(s[3]) && std::isnan(c[3]) && std::isnan(s[6]) && std::isnan(c[6])) << probe->name;
    EXPECT_EQ(s[5], 5e-324);
    EXPECT_EQ(c[5], 1);
    EXPECT_EQ(s[7], 0);
    EXPECT_EQ(c[7], 1);
    const double calm[8] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
    probe->sin_cos(calm, alone_s, alone_c, 8);
    EXPECT_EQ(s[1], alone_s[1]) << "a neighbour far away changed this lane";
    EXPECT_EQ(c[1], alone_c[1]);
  }
}

TEST(PackFunctions, LaneByLane) {
  const double x[8] = {0.25, 3.0, 1e-3, 40.0, -0.7, -9.0, 0.0, 2.0};
  for (const PackProbe* probe : Probes()) {
    double out[64];
    probe->functions(x, out, 8);
    for (int i = 0; i < 8; ++i) {
      const double* o = out + 8 * i;
      if (x[i] >= 0) EXPECT_EQ(o[0], std::sqrt(x[i])) << probe->name;
      else EXPECT_TRUE(std::isnan(o[0]));
      EXPECT_EQ(o[1], std::exp(x[i]));
      EXPECT_EQ(o[2], std::tanh(x[i]));
      EXPECT_EQ(o[3], std::abs(x[i]));
      EXPECT_EQ(o[4], (x[i] > 0) - (x[i] < 0));
      EXPECT_NEAR(o[5], std::sin(x[i]), 3e-16);
      EXPECT_NEAR(o[6], std::cos(x[i]), 3e-16);
      EXPECT_EQ(o[7], x[i] > 0 ? x[i] + 1 : x[i] - 1);
    }
  }
}

}  // namespace
}  // namespace torqued::testing
