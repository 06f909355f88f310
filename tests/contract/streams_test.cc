// Streams and what a hostile client sends, through a real server.
#include "tests/contract/contract.h"

#include <cmath>
#include <random>

namespace torqued {
namespace {

using ::testing::HasSubstr;
using testing::Contract;
using testing::kG;

TEST_F(Contract, AStreamAnswersInOrderAndErrorsStayInTheirItem) {
  const auto stub = v1::StreamService::NewStub(channel_);
  grpc::ClientContext context;
  auto stream = stub->StreamCompute(&context);
  constexpr int kItems = 200;
  for (int i = 0; i < kItems; ++i) {
    v1::StreamComputeRequest item;
    item.set_sequence(1000 + i);
    auto* id = item.mutable_inverse_dynamics();
    if (i == 0) id->mutable_context()->set_model("models/two");
    id->mutable_positions()->add_values(0.01 * i);
    if (i % 10 != 3) id->mutable_positions()->add_values(0.2);  // every tenth has a value too few
    ASSERT_TRUE(stream->Write(item));
  }
  stream->WritesDone();
  v1::StreamComputeResponse answer;
  for (int i = 0; i < kItems; ++i) {
    ASSERT_TRUE(stream->Read(&answer)) << i;
    EXPECT_EQ(answer.sequence(), 1000u + i);
    EXPECT_GT(answer.server_nanoseconds(), 0);
    if (i % 10 == 3) {
      EXPECT_EQ(answer.error().message(), "positions: 1 value, want 2");
      EXPECT_EQ(answer.error().code(), 3);
      EXPECT_EQ(answer.error().reason(), "WRONG_SIZE");
    } else {
      ASSERT_EQ(answer.inverse_dynamics().efforts().values_size(), 2) << i;
      EXPECT_NEAR(answer.inverse_dynamics().efforts().values(1), kG * 0.5 * std::cos(0.01 * i + 0.2), 1e-12);
    }
  }
  EXPECT_FALSE(stream->Read(&answer));
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(Contract, AStreamWithoutContextSaysSo) {
  const auto stub = v1::StreamService::NewStub(channel_);
  grpc::ClientContext context;
  auto stream = stub->StreamCompute(&context);
  v1::StreamComputeRequest item;
  item.mutable_jacobian()->mutable_positions()->add_values(1);
  ASSERT_TRUE(stream->Write(item));
  v1::StreamComputeResponse answer;
  ASSERT_TRUE(stream->Read(&answer));
  EXPECT_THAT(answer.error().message(), HasSubstr("context: absent"));
  item.Clear();
  ASSERT_TRUE(stream->Write(item));
  ASSERT_TRUE(stream->Read(&answer));
  EXPECT_THAT(answer.error().message(), HasSubstr("request: none given"));
}

TEST_F(Contract, AWatchTellsSnapshotThenChangesAndResumes) {
  const auto stub = v1::ModelService::NewStub(channel_);
  grpc::ClientContext context;
  auto watch = stub->WatchModels(&context, v1::WatchModelsRequest());
  v1::WatchModelsResponse event;
  int present = 0;
  while (watch->Read(&event) && event.kind() != v1::WatchModelsResponse::KIND_SYNCED) {
    EXPECT_EQ(event.kind(), v1::WatchModelsResponse::KIND_PRESENT);
    ++present;
  }
  EXPECT_GE(present, 2);
  const std::int64_t synced = event.position();
  ASSERT_TRUE(Create("watched", testing::TwoLink(5)).ok());
  v1::DeleteModelRequest remove;
  remove.set_name("models/watched");
  v1::DeleteModelResponse removed;
  ASSERT_TRUE(Ask(remove, &removed).ok());
  ASSERT_TRUE(watch->Read(&event));
  EXPECT_EQ(event.kind(), v1::WatchModelsResponse::KIND_PUT);
  EXPECT_EQ(event.model().name(), "models/watched");
  ASSERT_TRUE(watch->Read(&event));
  EXPECT_EQ(event.kind(), v1::WatchModelsResponse::KIND_DELETED);
  EXPECT_EQ(event.model().name(), "models/watched");
  context.TryCancel();

  grpc::ClientContext later;
  v1::WatchModelsRequest resume;
  resume.set_resume_after(synced);
  auto resumed = stub->WatchModels(&later, resume);
  ASSERT_TRUE(resumed->Read(&event));
  EXPECT_EQ(event.kind(), v1::WatchModelsResponse::KIND_DELETED);
  ASSERT_TRUE(resumed->Read(&event));
  EXPECT_EQ(event.kind(), v1::WatchModelsResponse::KIND_SYNCED);
  later.TryCancel();

  grpc::ClientContext lost;
  resume.set_resume_after(1 << 30);
  auto gone = stub->WatchModels(&lost, resume);
  EXPECT_FALSE(gone->Read(&event));
  ExpectError(wire::FromGrpc(gone->Finish()), absl::StatusCode::kOutOfRange, "no longer kept", "WATCH_POSITION_LOST");
}

TEST_F(Contract, ASimulationStreamsAndKeepsItsEnergy) {
  const auto stub = v1::DynamicsService::NewStub(channel_);
  v1::SimulateRequest request = About<v1::SimulateRequest>("two", {0.5, 0.1});
  request.set_duration(2);
  request.set_step(1e-3);
  request.set_output_step(0.01);
  grpc::ClientContext context;
  auto stream = stub->Simulate(&context, request);
  v1::SimulateResponse piece;
  int rows = 0;
  double last = -1, drift = 1;
  while (stream->Read(&piece)) {
    rows += piece.times_size();
    last = piece.times(piece.times_size() - 1);
    drift = piece.energy_drift();
  }
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(rows, 201);
  EXPECT_NEAR(last, 2, 1e-9);
  EXPECT_LT(std::abs(drift), 1e-6);
}

// Between its answers a simulation may take long; deadline and cancellation hold there too.
TEST_F(Contract, ASilentSimulationKeepsItsDeadline) {
  v1::SimulateRequest request;
  request.mutable_context()->set_model("models/two");
  for (int i = 0; i < 2; ++i) request.mutable_positions()->add_values(0.5);
  request.set_duration(9000);
  request.set_output_step(9000);
  const auto stub = v1::DynamicsService::NewStub(channel_);
  for (int call = 0; call < 8; ++call) {  // more than there are workers
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(200));
    const auto reader = stub->Simulate(&context, request);
    v1::SimulateResponse part;
    while (reader->Read(&part)) {
    }
    EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  }
  request.set_duration(0.01);
  request.set_output_step(0.01);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
  const auto reader = stub->Simulate(&context, request);
  v1::SimulateResponse part;
  ASSERT_TRUE(reader->Read(&part)) << "the workers are free again";
  while (reader->Read(&part)) {
  }
  EXPECT_TRUE(reader->Finish().ok());
}

TEST_F(Contract, AToleranceBelowRoundingIsRefused) {
  v1::SimulateRequest request;
  request.mutable_context()->set_model("models/two");
  for (int i = 0; i < 2; ++i) request.mutable_positions()->add_values(0);
  request.set_duration(1);
  request.set_integrator(v1::SimulateRequest::INTEGRATOR_ADAPTIVE);
  for (const double tolerance : {-1.0, 1e-300}) {
    request.set_tolerance(tolerance);
    grpc::ClientContext context;
    const auto reader = v1::DynamicsService::NewStub(channel_)->Simulate(&context, request);
    v1::SimulateResponse part;
    EXPECT_FALSE(reader->Read(&part));
    const grpc::Status status = reader->Finish();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_THAT(status.error_message(), HasSubstr("want at least 1e-14"));
  }
}

TEST_F(Contract, ASweepTellsItsProgressThenItsAnswer) {
  const auto stub = v1::DynamicsService::NewStub(channel_);
  v1::SweepRequest request;
  request.mutable_context()->set_model("models/two");
  request.mutable_box()->set_samples(300000);
  request.mutable_box()->set_seed(1);
  grpc::ClientContext context;
  auto stream = stub->Sweep(&context, request);
  v1::SweepResponse part;
  std::int64_t done = 0;
  int messages = 0;
  while (stream->Read(&part)) {
    ++messages;
    EXPECT_EQ(part.total(), 300000);
    EXPECT_GE(part.done(), done);
    done = part.done();
  }
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_GE(messages, 2);
  EXPECT_EQ(done, 300000);
  ASSERT_EQ(part.cases_size(), 1);
  // Both links stretched and level: shoulder 0.5 g + 1.5 g.
  EXPECT_NEAR(part.cases(0).columns(0).maximum().value(), 2 * kG, 1e-9);
  EXPECT_NEAR(part.cases(0).columns(1).maximum().value(), 0.5 * kG, 1e-9);
  EXPECT_FALSE(part.kernel().name().empty());
}

TEST_F(Contract, ACancelledSweepLeavesTheServerAnswering) {
  const auto stub = v1::DynamicsService::NewStub(channel_);
  v1::SweepRequest request;
  request.mutable_context()->set_model("models/two");
  request.mutable_box()->set_samples(1000000000);
  grpc::ClientContext context;
  auto stream = stub->Sweep(&context, request);
  v1::SweepResponse part;
  ASSERT_TRUE(stream->Read(&part));
  EXPECT_EQ(part.info().sample_count(), 1000000000);
  context.TryCancel();
  while (stream->Read(&part)) continue;
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  v1::ComputeStaticTorqueResponse response;
  EXPECT_TRUE(Ask(About<v1::ComputeStaticTorqueRequest>("two", {0, 0}), &response).ok());
  request.mutable_box()->set_samples(0);
  grpc::ClientContext refused;
  auto none = stub->Sweep(&refused, request);
  EXPECT_FALSE(none->Read(&part));
  ExpectError(wire::FromGrpc(none->Finish()), absl::StatusCode::kInvalidArgument, "box.samples", "WRONG_SIZE");
}

TEST_F(Contract, AMessageTooLargeSaysTheLimit) {
  auto request = About<v1::ComputeInverseDynamicsRequest>("two", {});
  request.mutable_positions()->mutable_values()->Resize(9 << 20, 0.1);
  v1::ComputeInverseDynamicsResponse response;
  const absl::Status status = Ask(request, &response);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr(std::to_string(64 << 20)));
}

// Random bytes as requests, random fields in requests: refused or answered, and the server goes on.
TEST_F(Contract, AThousandMalformedRequestsLeaveTheServerAnswering) {
  constexpr unsigned kSeed = 20240229;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  const auto number = [&]() -> double {
    const double numbers[] = {0, 1, -1, 1e308, -1e308, 5e-324, HUGE_VAL, -HUGE_VAL, std::nan(""), 3.14};
    return numbers[random() % 10];
  };
  const auto word = [&]() -> std::string {
    const char* const words[] = {"", "two", "models/two", "models/", "models/two/revisions/", "models/two/revisions/zz",
                                 "fore", "\xc3\xbc", "../../etc", "models/bare"};
    return words[random() % 10];
  };
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    v1::ComputeStaticTorqueRequest request;
    request.mutable_context()->set_model(i % 3 ? "models/two" : word());
    for (unsigned k = random() % 6; k > 0; --k) request.mutable_positions()->add_values(number());
    if (random() % 2) request.mutable_positions()->add_joint_names(word());
    if (random() % 2) request.mutable_context()->set_tool_frame(word());
    if (random() % 2) request.mutable_context()->add_terms(static_cast<v1::Term>(random() % 40));
    if (random() % 2) request.mutable_context()->add_payloads()->set_mass(number());
    for (unsigned k = random() % 8; k > 0; --k) request.mutable_wrench()->add_values(number());
    request.mutable_wrench()->set_exerter(static_cast<v1::Exerter>(random() % 4));
    v1::ComputeStaticTorqueResponse response;
    const absl::Status status = Ask(request, &response);
    refused += !status.ok();
    ASSERT_NE(status.code(), absl::StatusCode::kUnavailable) << status;
    ASSERT_NE(status.code(), absl::StatusCode::kInternal) << status;
    if (!status.ok()) {
      ASSERT_TRUE(wire::GetErrorInfo(status).has_value()) << status;
    }
    for (const double x : response.efforts().values()) ASSERT_TRUE(std::isfinite(x));
  }
  EXPECT_GT(refused, 500);
  v1::ComputeStaticTorqueResponse response;
  EXPECT_TRUE(Ask(About<v1::ComputeStaticTorqueRequest>("two", {0, 0}), &response).ok());
}

}  // namespace
}  // namespace torqued
