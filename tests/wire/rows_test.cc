// What the wire lets through: sizes, names, finiteness, quaternions.
#include "proto/wire/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "proto/wire/errors.h"

namespace torqued::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

v1::JointVectors Vectors(const std::vector<double>& values, const std::vector<std::string>& names = {}) {
  v1::JointVectors v;
  for (const double x : values) v.add_values(x);
  for (const std::string& name : names) v.add_joint_names(name);
  return v;
}

Columns ThreeJoints() { return {{{"a", 0, 1}, {"b", 1, 1}, {"c", 2, 1}}, {}, 3}; }
Columns Floating() { return {{{"base", 0, 7}, {"knee", 7, 1}}, {3}, 8}; }

std::string Message(const absl::StatusOr<Rows>& rows) { return std::string(rows.status().message()); }

std::vector<double> Row(const Rows& rows, int i) { return {rows.row(i), rows.row(i) + rows.width}; }

TEST(ReadRows, PointsIntoTheMessage) {
  const v1::JointVectors v = Vectors({1, 2, 3, 4, 5, 6});
  std::vector<double> buffer;
  const auto rows = ReadRows("positions", v, ThreeJoints(), kAnyCount, false, buffer);
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(rows->count, 2);
  EXPECT_EQ(rows->data, v.values().data());
  EXPECT_TRUE(buffer.empty());
}

TEST(ReadRows, SaysWhatWasGotAndWanted) {
  std::vector<double> b;
  EXPECT_EQ(Message(ReadRows("velocities", Vectors({1, 2}), ThreeJoints(), 1, false, b)), "velocities: 2 values, want 3");
  EXPECT_EQ(Message(ReadRows("accelerations", Vectors({1, 2, 3, 4}), ThreeJoints(), 2, true, b)),
            "accelerations: 4 values, want 6 = 2 x 3");
  EXPECT_EQ(Message(ReadRows("positions", Vectors({1, 2, 3, 4}), ThreeJoints(), kAnyCount, false, b)),
            "positions: 4 values, want a multiple of 3");
  EXPECT_EQ(Message(ReadRows("positions", Vectors({}), ThreeJoints(), kAnyCount, false, b)), "positions: 0 values, want 3");
  const auto bad = GetBadRequest(ReadRows("velocities", Vectors({1}), ThreeJoints(), 1, false, b).status());
  ASSERT_TRUE(bad.has_value());
  EXPECT_EQ(bad->field_violations(0).field(), "velocities");
}

TEST(ReadRows, AbsentIsAllowedOnlyWhereOptional) {
  std::vector<double> b;
  const auto rows = ReadRows("velocities", Vectors({}), ThreeJoints(), 5, true, b);
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(rows->data, nullptr);
  EXPECT_EQ(rows->row(3), nullptr);
}

TEST(ReadRows, NamesTheValueThatIsNotFinite) {
  std::vector<double> b;
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Message(ReadRows("positions", Vectors({1, 2, 3, 4, std::nan(""), 6}), ThreeJoints(), kAnyCount, false, b)),
            "positions[4]: nan (sample 1, joint 'b'), want a finite number");
  EXPECT_EQ(Message(ReadRows("positions", Vectors({1, 2, -inf}, {"c", "a", "b"}), ThreeJoints(), kAnyCount, false, b)),
            "positions[2]: -inf (sample 0, joint 'b'), want a finite number");
}

TEST(ReadRows, PermutesNamedColumns) {
  std::vector<double> b;
  const auto rows = ReadRows("positions", Vectors({1, 2, 3, 4, 5, 6}, {"c", "a", "b"}), ThreeJoints(), kAnyCount, false, b);
  ASSERT_TRUE(rows.ok());
  EXPECT_THAT(Row(*rows, 0), ElementsAre(2, 3, 1));
  EXPECT_THAT(Row(*rows, 1), ElementsAre(5, 6, 4));
}

TEST(ReadRows, PermutesGroupsAsWholes) {
  std::vector<double> b;
  const v1::JointVectors v = Vectors({0.5, 1, 2, 3, 0, 0, 0, 1}, {"knee", "base"});
  const auto rows = ReadRows("positions", v, Floating(), kAnyCount, false, b);
  ASSERT_TRUE(rows.ok());
  EXPECT_THAT(Row(*rows, 0), ElementsAre(1, 2, 3, 0, 0, 0, 1, 0.5));
}

TEST(ReadRows, RefusesNamesByName) {
  std::vector<double> b;
  const auto read = [&](const std::vector<std::string>& names) {
    return Message(ReadRows("positions", Vectors({1, 2, 3}, names), ThreeJoints(), kAnyCount, false, b));
  };
  EXPECT_THAT(read({"a", "b", "d"}), HasSubstr("no joint 'd'"));
  EXPECT_THAT(read({"a", "b", "b"}), HasSubstr("joint 'b' twice"));
  EXPECT_THAT(read({"a", "b"}), HasSubstr("joint 'c' is missing"));
}

TEST(ReadRows, NormalisesNearlyUnitQuaternions) {
  std::vector<double> b;
  const v1::JointVectors near = Vectors({1, 2, 3, 0, 0, 0, 1.0005, 0});
  const auto rows = ReadRows("positions", near, Floating(), kAnyCount, false, b);
  ASSERT_TRUE(rows.ok());
  EXPECT_DOUBLE_EQ(rows->row(0)[6], 1);
  const v1::JointVectors unit = Vectors({1, 2, 3, 0.5, 0.5, 0.5, 0.5, 0});  // rows of exact ones point into it
  const auto exact = ReadRows("positions", unit, Floating(), kAnyCount, false, b);
  ASSERT_TRUE(exact.ok());
  EXPECT_EQ(exact->row(0)[3], 0.5);
  EXPECT_EQ(Message(ReadRows("positions", Vectors({1, 2, 3, 0, 0, 0, 1.2, 0}), Floating(), kAnyCount, false, b)),
            "positions: sample 0, joint 'base': quaternion of length 1.2, want 1 within 1e-3");
}

TEST(ReadPlainRows, OneRowMayServeAll) {
  google::protobuf::RepeatedField<double> values;
  for (int i = 0; i < 6; ++i) values.Add(i);
  const auto rows = ReadPlainRows("wrench.values", values, 6, 10, false, true);
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(rows->row_or_one(7), values.data());
  EXPECT_FALSE(ReadPlainRows("wrench.values", values, 6, 10, false, false).ok());
}

TEST(CheckAnswer, NamesTheSample) {
  google::protobuf::RepeatedField<double> values;
  for (int i = 0; i < 9; ++i) values.Add(i == 7 ? HUGE_VAL : 1);
  const absl::Status status = CheckAnswer("efforts", values, 3);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(GetErrorInfo(status)->metadata().at("sample"), "2");
  EXPECT_TRUE(CheckAnswer("efforts", google::protobuf::RepeatedField<double>(), 3).ok());
}

}  // namespace
}  // namespace torqued::wire
