// Strings that protobuf would not carry are named before they leave.
#include "client/torqued/text.h"

#include <gtest/gtest.h>

#include "torqued/v1/dynamics.pb.h"
#include "torqued/v1/models.pb.h"

namespace torqued {
namespace {

TEST(CheckStrings, NamesTheFieldAndTheLine) {
  v1::CreateModelRequest request;
  request.set_model_id("arm");
  request.mutable_source()->set_text("<robot>\n<!-- Stra\xC3\x9F" "e, \xE6\x9C\xBA\xE5\x99\xA8\xE4\xBA\xBA -->\n</robot>");
  (*request.mutable_labels())["room"] = "3";
  EXPECT_TRUE(CheckStrings(request).ok());
  request.mutable_source()->set_text("<robot>\n<!-- Stra\xDF" "e -->\n</robot>");
  EXPECT_EQ(std::string(CheckStrings(request).message()), "source.text: line 2: the text is not valid UTF-8");
  request.mutable_source()->set_text("ends in half a letter \xC3");
  EXPECT_EQ(std::string(CheckStrings(request).message()), "source.text: line 1: the text is not valid UTF-8");
  request.clear_source();
  (*request.mutable_labels())["room"] = "\xFF";
  EXPECT_EQ(CheckStrings(request).code(), absl::StatusCode::kInvalidArgument);
}

TEST(CheckStrings, LooksIntoListsAndLeavesNumbersAlone) {
  v1::ComputeInverseDynamicsRequest request;
  request.mutable_context()->set_model("models/two");
  for (int i = 0; i < 1000; ++i) request.mutable_positions()->add_values(i);
  request.mutable_positions()->add_joint_names("a");
  EXPECT_TRUE(CheckStrings(request).ok());
  request.mutable_positions()->add_joint_names("\x80");
  EXPECT_EQ(std::string(CheckStrings(request).message()), "positions.joint_names[1]: line 1: the text is not valid UTF-8");
}

}  // namespace
}  // namespace torqued
