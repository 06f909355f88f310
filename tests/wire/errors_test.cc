// Details survive the way over the wire; every error has exactly one ErrorInfo.
#include "proto/wire/errors.h"

#include <gtest/gtest.h>

#include "proto/wire/grpc_status.h"

namespace torqued::wire {
namespace {

absl::Status OverTheWire(const absl::Status& status) { return FromGrpc(ToGrpc(status)); }

TEST(Errors, CodeMessageAndDetailsSurvive) {
  const absl::Status sent = BadField("velocities", "2 values, want 7", "WRONG_SIZE", {{"got", "2"}});
  const absl::Status got = OverTheWire(sent);
  EXPECT_EQ(got.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(got.message()), "velocities: 2 values, want 7");
  const auto info = GetErrorInfo(got);
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->reason(), "WRONG_SIZE");
  EXPECT_EQ(info->domain(), "torqued");
  EXPECT_EQ(info->metadata().at("field"), "velocities");
  EXPECT_EQ(info->metadata().at("got"), "2");
  EXPECT_EQ(GetBadRequest(got)->field_violations(0).description(), "2 values, want 7");
}

TEST(Errors, NearNamesAreInWordsAndMetadata) {
  const absl::Status got = OverTheWire(NotFound("UNKNOWN_FRAME", "frame", "tol0", "no frame 'tol0'", {"tool0", "tool1"}));
  EXPECT_EQ(std::string(got.message()), "no frame 'tol0'; did you mean 'tool0' or 'tool1'?");
  EXPECT_EQ(GetErrorInfo(got)->metadata().at("near"), "tool0, tool1");
  EXPECT_EQ(GetResourceInfo(got)->resource_name(), "tol0");
}

TEST(Errors, WaitingTimeIsExact) {
  const absl::Status got = OverTheWire(Exhausted("QUEUE_FULL", "queue", "busy", absl::Milliseconds(1250)));
  EXPECT_EQ(got.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(GetRetryInfo(got)->retry_delay().seconds(), 1);
  EXPECT_EQ(GetRetryInfo(got)->retry_delay().nanos(), 250000000);
  EXPECT_EQ(GetQuotaFailure(got)->violations(0).subject(), "queue");
}

TEST(Errors, OneViolationPerLink) {
  const absl::Status got = OverTheWire(Precondition("UNKNOWN_INERTIA", "link", {"arm", "hand"}, "unknown"));
  ASSERT_EQ(GetPreconditionFailure(got)->violations_size(), 2);
  EXPECT_EQ(GetPreconditionFailure(got)->violations(1).subject(), "link hand");
}

TEST(Errors, AnErrorOfALowerLayerGetsAReason) {
  const absl::Status got = OverTheWire(absl::OutOfRangeError("too old"));
  ASSERT_TRUE(GetErrorInfo(got).has_value());
  EXPECT_EQ(GetErrorInfo(got)->reason(), "OUT_OF_RANGE");
  EXPECT_TRUE(OverTheWire(absl::OkStatus()).ok());
}

TEST(Errors, ErrorInfoComesFirstAndOnce) {
  const google::rpc::Status proto = ToProto(BadField("q", "bad"));
  int infos = 0;
  for (const auto& any : proto.details()) infos += any.type_url() == "type.googleapis.com/google.rpc.ErrorInfo";
  EXPECT_EQ(infos, 1);
  EXPECT_EQ(proto.details(0).type_url(), "type.googleapis.com/google.rpc.ErrorInfo");
}

TEST(Errors, GarbageInTheDetailsIsNoCrash) {
  const absl::Status got = FromGrpc(grpc::Status(grpc::StatusCode::INTERNAL, "oops", "\xff\xfe\x00garbage"));
  EXPECT_EQ(got.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(std::string(got.message()), "oops");
}

}  // namespace
}  // namespace torqued::wire
