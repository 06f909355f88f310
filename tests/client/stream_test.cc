#include "client/torqued/stream.h"

#include <gtest/gtest.h>

#include "client/torqued/client.h"
#include "tests/client/fake_server.h"

namespace torqued {
namespace {

using std::chrono::seconds;

std::unique_ptr<Client> Open(const FakeServer& server) {
  ClientOptions options;
  options.server = server.address();
  return *Client::Open(options);
}

const Eigen::Vector2d kQ(1, 2), kV(10, 20), kA(100, 200);

TEST(TorqueStream, AnswersEachCycle) {
  FakeServer server;
  const auto client = Open(server);
  const auto stream = client->OpenStream("two", seconds(20));
  for (int i = 0; i < 100; ++i) {
    const auto tau = stream->InverseDynamics(kQ, kV, kA * i);
    ASSERT_TRUE(tau.ok()) << tau.status();
    EXPECT_EQ(*tau, kQ + kV + kA * i);
  }
  EXPECT_EQ(server.streams, 1);
  EXPECT_EQ(server.contexts, 1);  // resolved once
  EXPECT_EQ(stream->server_time(), std::chrono::nanoseconds(1234));
  EXPECT_EQ(stream->reconnects(), 0u);
}

TEST(TorqueStream, AnErrorIsTheItemsOwn) {
  FakeServer server;
  const auto client = Open(server);
  const auto stream = client->OpenStream("two", seconds(20));
  const auto bad = stream->InverseDynamics(Eigen::Vector3d(1, 2, 3), kV, kA);
  EXPECT_EQ(bad.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(bad.status().message()), "positions: want 2");
  EXPECT_TRUE(stream->InverseDynamics(kQ, kV, kA).ok());
  EXPECT_EQ(server.streams, 1);
}

TEST(TorqueStream, OpensAgainAndRepeatsWhatIsWanted) {
  FakeServer server;
  server.end_stream_after = 5;
  const auto client = Open(server);
  const auto stream = client->OpenStream("two", seconds(20));
  for (int i = 0; i < 20; ++i) {
    const auto tau = stream->InverseDynamics(kQ, kV, kA * i);
    ASSERT_TRUE(tau.ok()) << tau.status();
    EXPECT_EQ(*tau, kQ + kV + kA * i);
  }
  EXPECT_EQ(stream->reconnects(), 1u);
  EXPECT_EQ(server.streams, 2);
  EXPECT_EQ(server.contexts, 2);  // told again on the new stream
}

TEST(TorqueStream, ManyUnderWayComeBackBySequence) {
  FakeServer server;
  server.end_stream_after = 3;
  const auto client = Open(server);
  const auto stream = client->OpenStream("two", seconds(20));
  std::vector<uint64_t> sequences;
  for (int i = 0; i < 10; ++i) {
    v1::StreamComputeRequest request;
    auto* id = request.mutable_inverse_dynamics();
    for (auto* vectors :
         {id->mutable_positions(), id->mutable_velocities(), id->mutable_accelerations()}) {
      vectors->add_values(i);
      vectors->add_values(0);
    }
    sequences.push_back(stream->Send(std::move(request)));
  }
  for (int i = 9; i >= 0; --i) {  // asked for in the other order
    const auto answer = stream->Receive(sequences[static_cast<size_t>(i)]);
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->inverse_dynamics().efforts().values(0), 3 * i);
  }
  EXPECT_EQ(stream->Receive(sequences[0]).status().code(), absl::StatusCode::kNotFound);
}

// A write under way when the call ends must not outlive it.
TEST(TorqueStream, BreaksWithWritesUnderWayManyTimes) {
  for (int round = 0; round < 50; ++round) {
    FakeServer server;
    server.end_stream_after = round % 5;
    const auto client = Open(server);
    const auto stream = client->OpenStream("two", seconds(20));
    std::vector<uint64_t> sequences;
    for (int i = 0; i < 20; ++i) {
      v1::StreamComputeRequest request;
      for (const double value : {1.0, 2.0})
        request.mutable_inverse_dynamics()->mutable_positions()->add_values(value * i);
      for (auto* zero : {request.mutable_inverse_dynamics()->mutable_velocities(),
                         request.mutable_inverse_dynamics()->mutable_accelerations()})
        zero->mutable_values()->Add(0), zero->mutable_values()->Add(0);
      sequences.push_back(stream->Send(std::move(request)));
    }
    for (int i = 0; i < 20; ++i) {
      const auto answer = stream->Receive(sequences[static_cast<size_t>(i)]);
      ASSERT_TRUE(answer.ok()) << answer.status();
      EXPECT_EQ(answer->inverse_dynamics().efforts().values(1), 2.0 * i);
    }
  }
}

TEST(TorqueStream, ALateAnswerIsGivenUp) {
  FakeServer server;
  const auto client = Open(server);
  const auto stream = client->OpenStream("two", seconds(20));
  ASSERT_TRUE(stream->InverseDynamics(kQ, kV, kA).ok());
  server.swallow = true;
  stream->set_answer_deadline(std::chrono::milliseconds(5));
  EXPECT_EQ(stream->InverseDynamics(kQ, kV, kA).status().code(),
            absl::StatusCode::kDeadlineExceeded);
}

TEST(TorqueStream, NobodyThereIsADeadlineNotAHang) {
  std::unique_ptr<Client> client;
  {
    FakeServer server;
    client = Open(server);
  }
  const auto stream = client->OpenStream("two", std::chrono::milliseconds(20));
  EXPECT_EQ(stream->InverseDynamics(kQ, kV, kA).status().code(),
            absl::StatusCode::kDeadlineExceeded);
}

TEST(TorqueStream, BusyPollAnswersToo) {
  FakeServer server;
  const auto client = Open(server);
  const auto stream = client->OpenStream("two", seconds(20));
  stream->set_busy_poll(true);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(stream->InverseDynamics(kQ, kV, kA).ok());
}

}  // namespace
}  // namespace torqued
