#include "client/cli/numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <random>

namespace torqued::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Numbers, NegativeExponentAndPlus) {
  EXPECT_EQ(*ParseNumber("--x", "-1.25e-3"), -1.25e-3);
  EXPECT_EQ(*ParseNumber("--x", "+4"), 4);
  EXPECT_EQ(*ParseNumber("--x", "-.5"), -0.5);
  EXPECT_EQ(*ParseNumber("--x", "  7 "), 7);
}

TEST(Numbers, WhatIsNoNumberIsNamed) {
  for (const char* bad : {"", "abc", "1.2.3", "0x10", "1,2", "--1", "+-1", "1 2", "e5", "1e"}) {
    const auto value = ParseNumber("--x", bad);
    ASSERT_FALSE(value.ok()) << bad;
    EXPECT_EQ(value.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(value.status().message()),
                HasSubstr("--x: '" + std::string(bad) + "'"));
  }
  for (const char* bad : {"nan", "inf", "-inf", "1e999"})
    EXPECT_FALSE(ParseNumber("--x", bad).ok()) << bad;
}

TEST(Numbers, ListsNameThePlace) {
  EXPECT_THAT(*ParseNumbers("--q", "0.3,-1.2, 1.4"), ElementsAre(0.3, -1.2, 1.4));
  EXPECT_THAT(*ParseNumbers("--q", ""), ElementsAre());
  EXPECT_THAT(std::string(ParseNumbers("--q", "1,nan,3").status().message()),
              HasSubstr("--q: value 2: 'nan' is not finite"));
  EXPECT_THAT(std::string(ParseNumbers("--q", "1,,3").status().message()), HasSubstr("value 2"));
  EXPECT_THAT(std::string(ParseNumbers("--at", "1,2", 3, "X,Y,Z").status().message()),
              HasSubstr("2 values, want 3 (X,Y,Z)"));
}

TEST(Numbers, ShortestReadsBackTheSame) {
  std::mt19937_64 random(20240501);
  for (int i = 0; i < 20000; ++i) {
    const uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(*ParseNumber("x", Shortest(value)), value);
  }
  EXPECT_EQ(Shortest(0.1), "0.1");
  EXPECT_EQ(Shortest(-34.303794779), "-34.303794779");
}

TEST(Numbers, ReadableShowsTheValue) {
  EXPECT_EQ(Readable(-34.303794779), "-34.303795");
  EXPECT_EQ(Readable(-1e-17), "0.000000");
  EXPECT_EQ(Readable(-0.0), "0.000000");
  EXPECT_EQ(Readable(1.5e-5), "1.50000e-05");
  EXPECT_EQ(Readable(2.5e9), "2.50000e+09");
  EXPECT_EQ(Readable(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(Fixed(-0.0004, 3), "0.000");
}

TEST(Numbers, Durations) {
  using namespace std::chrono_literals;
  EXPECT_EQ(*ParseDuration("--timeout", "5s"), 5s);
  EXPECT_EQ(*ParseDuration("--timeout", "800ms"), 800ms);
  EXPECT_EQ(*ParseDuration("--timeout", "2.5"), 2500ms);
  EXPECT_EQ(*ParseDuration("--timeout", "2min"), 2min);
  for (const char* bad : {"", "s", "-1s", "0s", "5 parsecs", "1e30s", "five"})
    EXPECT_FALSE(ParseDuration("--timeout", bad).ok()) << bad;
}

}  // namespace
}  // namespace torqued::cli
