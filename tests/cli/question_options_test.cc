#include "client/cli/question_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace torqued::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Payload, AllOfIt) {
  const auto payload = ParsePayload("wrist_3_link:mass=1.2,com=0.6,-0.1,0.1,inertia=1,2,3,4,5,6");
  ASSERT_TRUE(payload.ok()) << payload.status();
  EXPECT_EQ(payload->frame(), "wrist_3_link");
  EXPECT_EQ(payload->mass(), 1.2);
  EXPECT_EQ(payload->center_of_mass().y(), -0.1);
  EXPECT_EQ(payload->inertia().xz(), 3);
  EXPECT_EQ(payload->inertia().zz(), 6);
}

TEST(Payload, OnTheToolWithoutInertia) {
  const auto payload = ParsePayload("mass=3");
  ASSERT_TRUE(payload.ok()) << payload.status();
  EXPECT_EQ(payload->frame(), "");
  EXPECT_FALSE(payload->has_inertia());
  EXPECT_FALSE(payload->has_center_of_mass());
}

TEST(Payload, WhatIsWrongIsNamed) {
  const auto message = [](const std::string& text) {
    return std::string(ParsePayload(text).status().message());
  };
  EXPECT_THAT(message("tool0:com=0,0,0"), HasSubstr("no mass"));
  EXPECT_THAT(message("tool0:mass=x"), HasSubstr("--payload mass: 'x'"));
  EXPECT_THAT(message("tool0:mass=1,com=1,2"), HasSubstr("--payload com: 2 values, want 3"));
  EXPECT_THAT(message("tool0:mass=1,inertia=1,2,3"), HasSubstr("3 values, want 6"));
  EXPECT_THAT(message("tool0:weight=1"), HasSubstr("unknown quantity 'weight'"));
  EXPECT_THAT(message("tool0:1.2"), HasSubstr("'1.2' names no quantity"));
  EXPECT_THAT(message(""), HasSubstr("no mass"));
}

TEST(Terms, Named) {
  EXPECT_THAT(*ParseTerms("--terms", "gravity,friction"),
              ElementsAre(v1::TERM_GRAVITY, v1::TERM_FRICTION));
  EXPECT_THAT(std::string(ParseTerms("--without", "drag").status().message()),
              HasSubstr("--without: 'drag' is no term, want some of inertia,velocity"));
}

TEST(Rows, NamedOrNumbered) {
  EXPECT_THAT(*ParseRows("--rows", "x,vy,wz,2"), ElementsAre(0, 1, 5, 2));
  EXPECT_FALSE(ParseRows("--rows", "q").ok());
}

}  // namespace
}  // namespace torqued::cli
