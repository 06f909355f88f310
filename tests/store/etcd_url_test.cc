// Where is etcd: addresses that are read, and those that are refused by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/store/etcd_options.h"

namespace torqued {
namespace {

using ::testing::HasSubstr;

TEST(EtcdUrl, IsReadOrRefusedByName) {
  const auto options = ParseEtcdUrl("etcd://kim@a:1,[::1]:2379/lab/west");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->endpoints, (std::vector<std::string>{"a:1", "[::1]:2379"}));
  EXPECT_EQ(options->prefix, "lab/west/");
  EXPECT_EQ(options->user, "kim");
  for (const char* bad : {"etcd://", "etcd://host", "etcd://host:0", "etcd://host:70000", "etcd://a:1,,b:2", "etcd://a:1/",
                          "etcd://@a:1", "http://a:1"})
    EXPECT_EQ(ParseEtcdUrl(bad).status().code(), absl::StatusCode::kInvalidArgument) << bad;
  const auto password = ParseEtcdUrl("etcd://kim:secret@a:1");
  EXPECT_THAT(std::string(password.status().message()), HasSubstr("store_password_file"));
  EXPECT_THAT(std::string(password.status().message()), ::testing::Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace torqued
