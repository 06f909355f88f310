#include "client/cli/states.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numbers>

namespace torqued::cli {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

v1::Model RevolutePrismatic() {
  v1::Model model;
  auto* turn = model.add_coordinates();
  turn->set_name("arm.turn");  // a dot in a name must not confuse the headings
  turn->set_kind(v1::JOINT_KIND_REVOLUTE);
  auto* slide = model.add_coordinates();
  slide->set_name("slide");
  slide->set_kind(v1::JOINT_KIND_PRISMATIC);
  slide->set_position_index(1);
  slide->set_velocity_index(1);
  model.set_position_count(2);
  model.set_velocity_count(2);
  return model;
}

std::string Write(const std::string& text) {
  const std::string path = ::testing::TempDir() + "/states_test.csv";
  std::ofstream(path) << text;
  return path;
}

absl::StatusOr<States> ReadFile(const std::string& text, bool degrees = false,
                                int takes = StateOptions::kV) {
  States states;
  const absl::Status status = ReadStates(Write(text), RevolutePrismatic(), degrees, takes, states);
  if (!status.ok()) return status;
  return states;
}

TEST(States, ColumnsInAnyOrderAndUnits) {
  const auto states = ReadFile(
      "time[ms],slide.q[mm],arm.turn.v[deg/s],arm.turn.q[deg],slide.v[m/"
      "s],slide.tau[N],arm.turn.tau[Nm]\n"
      "10,250,180,90,-2,5,6\n");
  ASSERT_TRUE(states.ok()) << states.status();
  EXPECT_EQ(states->count, 1);
  EXPECT_THAT(states->time, ElementsAre(DoubleNear(0.01, 1e-15)));
  EXPECT_THAT(states->q.values(), ElementsAre(std::numbers::pi / 2, 0.25));
  EXPECT_THAT(states->v.values(), ElementsAre(std::numbers::pi, -2));
  EXPECT_EQ(states->a.values_size(), 0);
  EXPECT_EQ(states->tau.values_size(), 0);  // not taken
}

TEST(States, DegreesTouchOnlyRevoluteColumnsWithoutUnit) {
  const auto states = ReadFile("arm.turn.q,slide.q\n180,0.5\n", true);
  ASSERT_TRUE(states.ok()) << states.status();
  EXPECT_THAT(states->q.values(), ElementsAre(std::numbers::pi, 0.5));
  const auto spelled = ReadFile("arm.turn.q[rad],slide.q\n3,0.5\n", true);
  EXPECT_THAT(spelled->q.values(), ElementsAre(3, 0.5));
}

TEST(States, BadColumnsAreNamed) {
  const auto message = [](const std::string& text) {
    return std::string(ReadFile(text).status().message());
  };
  EXPECT_THAT(message("arm.turn.q[rad]\n1\n"), HasSubstr("missing column slide.q[m]"));
  EXPECT_THAT(
      message("arm.turn.q,slide.q,elbow.q\n1,2,3\n"),
      HasSubstr("column 'elbow.q': no such joint; the model has arm.turn [rad], slide [m]"));
  EXPECT_THAT(message("arm.turn.q,slide.q[rad]\n1,2\n"),
              HasSubstr("unit [rad] does not fit, want [m]"));
  EXPECT_THAT(message("arm.turn.q,slide.q,slide.q\n1,2,3\n"), HasSubstr("stands twice"));
  EXPECT_THAT(message("arm.turn.q,slide.q,slide.v\n1,2,3\n"),
              HasSubstr("missing column arm.turn.v[rad/s]"));
  EXPECT_THAT(message("arm.turn.q,slide.q,note\n1,2,3\n"), HasSubstr("column 'note'"));
}

TEST(States, FloatingBaseColumns) {
  v1::Model model;
  model.add_coordinates()->set_name("base");
  model.mutable_coordinates(0)->set_kind(v1::JOINT_KIND_FLOATING);
  const auto q = Columns(model, Quantity::kPosition), tau = Columns(model, Quantity::kEffort);
  ASSERT_EQ(q.size(), 7u);
  EXPECT_EQ(Heading(q[0], Quantity::kPosition), "base.x.q[m]");
  EXPECT_EQ(Heading(q[6], Quantity::kPosition), "base.qw.q");
  ASSERT_EQ(tau.size(), 6u);
  EXPECT_EQ(Heading(tau[5], Quantity::kEffort), "base.mz.tau[Nm]");
}

}  // namespace
}  // namespace torqued::cli
