// Oracle: protobuf's own JSON parser reads what we write, and finds the same message.
#include "client/cli/json.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <limits>

#include "torqued/v1/dynamics.pb.h"
#include "torqued/v1/kinematics.pb.h"
#include "torqued/v1/models.pb.h"
#include "torqued/v1/server.pb.h"

namespace torqued::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

template <class Message>
void ExpectReadsBack(const Message& message) {
  for (const std::string& text : {ToJson(message), ToJsonLine(message)}) {
    Message back;
    const auto status = google::protobuf::util::JsonStringToMessage(text, &back);
    ASSERT_TRUE(status.ok()) << status << "\n" << text;
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(message, back)) << text;
  }
}

TEST(Json, AnswersReadBack) {
  v1::ComputeInverseDynamicsResponse answer;
  answer.mutable_info()->set_revision("models/a/revisions/0123456789ab");
  answer.mutable_info()->add_joint_names("one \"two\"\n\t\\ \x01 \xC3\xA4");
  answer.mutable_info()->add_terms(v1::TERM_GRAVITY);
  for (const double value :
       {0.1, -0.0, 1e-300, 5e-324, 1.7976931348623157e308, 1.0 / 3, -34.303794779, 3.0})
    answer.mutable_efforts()->add_values(value);
  ExpectReadsBack(answer);
}

TEST(Json, MapsTimesEnumsAndBigNumbersReadBack) {
  v1::GetModelResponse answer;
  v1::Model* model = answer.mutable_model();
  (*model->mutable_labels())["lab"] = "3";
  (*model->mutable_labels())["with \"quotes\""] = "";
  model->set_generation(int64_t{1} << 60);
  model->mutable_create_time()->set_seconds(1714550400);
  model->mutable_create_time()->set_nanos(123456789);
  model->add_coordinates()->set_kind(v1::JOINT_KIND_REVOLUTE);
  model->mutable_coordinates(0)->set_lower(-1.5);
  ExpectReadsBack(answer);
  v1::GetServerInfoResponse info;
  info.mutable_uptime()->set_seconds(5);
  info.mutable_uptime()->set_nanos(1000000);
  ExpectReadsBack(info);
  ExpectReadsBack(v1::Model());
}

TEST(Json, WhatIsNotFiniteIsSpelled) {
  v1::SingularityReport report;
  report.add_singular_values(std::numeric_limits<double>::infinity());
  report.add_singular_values(-std::numeric_limits<double>::infinity());
  ExpectReadsBack(report);
}

TEST(Json, FieldNamesAreTheProtosAndZerosStand) {
  v1::SingularityReport report;
  const std::string text = ToJson(report);
  EXPECT_THAT(text, HasSubstr("\"manipulability_translation\": 0"));
  EXPECT_THAT(text, Not(HasSubstr("asada")));  // has presence and is absent
  report.add_singular_values(1);
  report.add_singular_values(0.5);
  EXPECT_THAT(ToJson(report), HasSubstr("\"singular_values\": [1, 0.5]"));
  EXPECT_THAT(ToJsonLine(report), Not(HasSubstr(" ")));
}

}  // namespace
}  // namespace torqued::cli
