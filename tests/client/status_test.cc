#include "client/torqued/status.h"

#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"

namespace torqued {
namespace {

TEST(Status, WithoutDetailsHasNoReason) {
  const auto status = MakeStatus(5, "no such model", "");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ErrorReason(status), "");
  EXPECT_TRUE(FieldViolations(status).empty());
  EXPECT_FALSE(RetryDelay(status).has_value());
}

TEST(Status, DetailsThatAreGarbageAreIgnored) {
  const auto status = MakeStatus(3, "bad", "\xff\xfe not a message");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ErrorReason(status), "");
}

TEST(Status, RetryDelayIsRead) {
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_seconds(2);
  retry.mutable_retry_delay()->set_nanos(500'000'000);
  google::rpc::Status rich;
  rich.add_details()->PackFrom(retry);
  EXPECT_EQ(RetryDelay(MakeStatus(8, "queue full", rich.SerializeAsString())),
            std::chrono::milliseconds(2500));
}

}  // namespace
}  // namespace torqued
