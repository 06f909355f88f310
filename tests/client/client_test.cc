#include "client/torqued/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "client/torqued/status.h"
#include "client/torqued/transport.h"
#include "tests/client/fake_server.h"
#include "torqued/v1/statics.pb.h"

namespace torqued {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ClientOptions To(const FakeServer& server) {
  ClientOptions options;
  options.server = server.address();
  options.first_backoff = std::chrono::milliseconds(1);
  return options;
}

TEST(Client, AsksAndAnswersInEigen) {
  FakeServer server;
  const auto client = *Client::Open(To(server));
  const auto tau = client->StaticTorque("two", Eigen::Vector2d(0.5, -1.5));
  ASSERT_TRUE(tau.ok()) << tau.status();
  EXPECT_EQ(*tau, Eigen::Vector2d(1, -3));
  const auto id = client->InverseDynamics("two", Eigen::Vector2d(1, 2), Eigen::Vector2d(10, 20),
                                          Eigen::Vector2d(100, 200));
  ASSERT_TRUE(id.ok()) << id.status();
  EXPECT_EQ(*id, Eigen::Vector2d(111, 222));
}

TEST(Client, RepeatsAQuestionWhileUnavailable) {
  FakeServer server;
  server.fail_next = 2;
  const auto client = *Client::Open(To(server));
  EXPECT_TRUE(client->StaticTorque("two", Eigen::Vector2d(1, 2)).ok());
  EXPECT_EQ(server.calls, 3);
}

TEST(Client, GivesUpAfterItsAttempts) {
  FakeServer server;
  server.fail_next = 100;
  const auto client = *Client::Open(To(server));
  const auto tau = client->StaticTorque("two", Eigen::Vector2d(1, 2));
  EXPECT_EQ(tau.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(std::string(tau.status().message()), "draining");
  EXPECT_EQ(server.calls, 4);
}

TEST(Client, NeverRepeatsADeletion) {
  FakeServer server;
  const auto client = *Client::Open(To(server));
  EXPECT_EQ(client->RemoveModel("two").code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(server.calls, 1);
}

TEST(Client, RepeatsARegistrationUnderOneRequestId) {
  FakeServer server;
  server.fail_next = 1;
  const auto client = *Client::Open(To(server));
  const auto model = client->RegisterModel("mine", "<robot/>");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(server.creates, 2);
  EXPECT_FALSE(model->etag().empty());  // the fake hands the request id back
}

TEST(Client, CarriesReasonAndViolations) {
  FakeServer server;
  const auto client = *Client::Open(To(server));
  const auto tau = client->StaticTorque("two", Eigen::Vector2d(NAN, 2));
  EXPECT_EQ(tau.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ErrorReason(tau.status()), "NOT_FINITE");
  EXPECT_EQ(ErrorMetadata(tau.status())["index"], "0");
  ASSERT_EQ(FieldViolations(tau.status()).size(), 1u);
  EXPECT_EQ(FieldViolations(tau.status())[0].field, "positions");
}

Rows Ramp(int rows) {
  Rows q(rows, 2);
  for (int i = 0; i < q.size(); ++i) q.data()[i] = 0.25 * i;
  return q;
}

TEST(Client, SplitsABatchToTheServersSamples) {
  FakeServer server;
  server.samples_per_request = 3000;
  const auto client = *Client::Open(To(server));
  const Rows q = Ramp(10'000);
  const auto tau = client->StaticTorques("two", q);
  ASSERT_TRUE(tau.ok()) << tau.status();
  EXPECT_EQ(*tau, Rows(2 * q));
  EXPECT_THAT(server.batch_sizes, ElementsAre(3000, 3000, 3000, 1000));
  // The parts after the first are pinned to the revision that answered it.
  EXPECT_THAT(server.models, ElementsAre("models/two", "models/two/revisions/0123456789ab",
                                         "models/two/revisions/0123456789ab",
                                         "models/two/revisions/0123456789ab"));
}

TEST(Client, SplitsABatchToTheServersBytes) {
  FakeServer server;
  server.message_bytes = 1 << 20;
  const auto client = *Client::Open(To(server));
  const Rows q = Ramp(150'000);
  const auto tau = client->StaticTorques("two", q);
  ASSERT_TRUE(tau.ok()) << tau.status();
  EXPECT_EQ(*tau, Rows(2 * q));
  EXPECT_GT(server.batch_sizes.size(), 2u);
  EXPECT_THAT(server.batch_sizes, Each(::testing::Le((1 << 20) / 16)));
}

TEST(Client, SaysWhereAFailingPartBegins) {
  FakeServer server;
  server.samples_per_request = 6000;
  const auto client = *Client::Open(To(server));
  Rows q = Ramp(10'000);
  q(6000, 0) = NAN;
  const auto tau = client->StaticTorques("two", q);
  EXPECT_EQ(tau.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(tau.status().message()), HasSubstr("from sample 6000 on"));
  EXPECT_EQ(ErrorReason(tau.status()), "NOT_FINITE");
}

TEST(Client, RowsThatDoNotMatchAreNamed) {
  FakeServer server;
  const auto client = *Client::Open(To(server));
  const auto tau = client->InverseDynamicsBatch("two", Ramp(3), Ramp(2), Ramp(3));
  EXPECT_EQ(std::string(tau.status().message()), "velocities: 2 rows, want 3 as positions");
  EXPECT_EQ(server.calls, 0);
}

TEST(Client, ListsAllPages) {
  FakeServer server;
  const auto client = *Client::Open(To(server));
  const auto models = client->ListModels();
  ASSERT_TRUE(models.ok());
  ASSERT_EQ(models->size(), 3u);
  EXPECT_EQ((*models)[2].name(), "models/m2");
}

TEST(Client, WatchEndsWhenTheCallerHasSeenEnough) {
  FakeServer server;
  const auto client = *Client::Open(To(server));
  std::vector<int64_t> positions;
  const auto status = client->WatchModels(7, [&](const v1::WatchModelsResponse& event) {
    positions.push_back(event.position());
    return positions.size() < 3;
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(positions, ElementsAre(0, 8, 9));
}

TEST(Client, EachAnswerOfAStreamHasTheDeadline) {
  FakeServer server;
  ClientOptions options = To(server);
  options.deadline = std::chrono::milliseconds(100);
  const auto client = *Client::Open(options);
  v1::SimulateResponse part;
  int parts = 0;
  const auto status = client->Receive(v1::SimulateRequest(), part, [&] { return ++parts > 0; });
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("no answer for 100 ms"));
  EXPECT_EQ(parts, 1);
}

TEST(Client, FailsClearlyWhenNobodyListens) {
  ClientOptions options;
  {
    FakeServer server;
    options = To(server);
  }
  const auto client = *Client::Open(options);
  EXPECT_EQ(client->StaticTorque("two", Eigen::Vector2d(1, 2)).status().code(),
            absl::StatusCode::kUnavailable);
}

TEST(Client, WaitForReadyEndsAtTheDeadline) {
  ClientOptions options;
  {
    FakeServer server;
    options = To(server);
  }
  options.wait_for_ready = true;
  options.deadline = std::chrono::milliseconds(100);
  const auto client = *Client::Open(options);
  EXPECT_EQ(client->StaticTorque("two", Eigen::Vector2d(1, 2)).status().code(),
            absl::StatusCode::kDeadlineExceeded);
}

TEST(Client, NoProxyStandsBeforeLoopback) {
  for (const char* name : {"http_proxy", "https_proxy", "grpc_proxy"})
    setenv(name, "http://127.0.0.1:9", 1);
  FakeServer server;
  const auto client = *Client::Open(To(server));
  EXPECT_TRUE(client->StaticTorque("two", Eigen::Vector2d(1, 2)).ok());
  for (const char* name : {"http_proxy", "https_proxy", "grpc_proxy"}) unsetenv(name);
}

TEST(Client, KnowsLoopback) {
  for (const char* near : {"localhost:1", "localhost", "127.0.0.1:50051", "127.3.2.1:1", "[::1]:1",
                           "unix:/run/t.sock", "dns:///localhost:1", "ipv4:127.0.0.1:7"})
    EXPECT_TRUE(IsLoopback(near)) << near;
  for (const char* far : {"lab:50051", "10.0.0.1:1", "localhost.example:1", "[2001:db8::1]:1"})
    EXPECT_FALSE(IsLoopback(far)) << far;
}

TEST(Client, ATlsFileThatCannotBeReadIsNamed) {
  ClientOptions options;
  options.use_tls = true;
  options.tls.root_certificates_file = "/nonexistent/ca.pem";
  const auto client = Client::Open(options);
  EXPECT_EQ(client.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(client.status().message()), HasSubstr("/nonexistent/ca.pem"));
}

}  // namespace
}  // namespace torqued
