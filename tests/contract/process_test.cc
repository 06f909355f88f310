// The process: durability under SIGKILL, draining, refusals to start, configuration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "grpc/health/v1/health.grpc.pb.h"
#include "proto/wire/errors.h"
#include "proto/wire/grpc_status.h"
#include "tests/contract/process.h"
#include "tests/contract/robots.h"
#include "torqued/v1/dynamics.grpc.pb.h"
#include "torqued/v1/kinematics.grpc.pb.h"
#include "torqued/v1/models.grpc.pb.h"
#include "torqued/v1/stream.grpc.pb.h"

namespace torqued {
namespace {

using ::testing::HasSubstr;
using testing::Ended;
using testing::RunTorqued;
using testing::ServerProcess;
using testing::TempFolder;

absl::Status Create(const std::shared_ptr<grpc::Channel>& channel, const std::string& id, double mass) {
  v1::CreateModelRequest request;
  request.set_model_id(id);
  request.mutable_source()->set_text(testing::TwoLink(mass));
  v1::CreateModelResponse response;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  return wire::FromGrpc(v1::ModelService::NewStub(channel)->CreateModel(&context, request, &response));
}

std::set<std::string> List(const std::shared_ptr<grpc::Channel>& channel) {
  v1::ListModelsRequest request;
  request.set_page_size(1000);
  v1::ListModelsResponse response;
  grpc::ClientContext context;
  EXPECT_TRUE(v1::ModelService::NewStub(channel)->ListModels(&context, request, &response).ok());
  std::set<std::string> names;
  for (const auto& model : response.models()) names.insert(model.name());
  return names;
}

// A client adds models as fast as it can; the server is killed after a varying number of acknowledgements.
TEST(Durability, NothingAcknowledgedIsLostUnderSigkill) {
  constexpr int kKills = 15;
  const TempFolder folder;
  std::set<std::string> acknowledged;
  int number = 0;
  for (int kill = 0; kill < kKills; ++kill) {
    ServerProcess server(folder.path());
    const auto channel = server.Channel();
    const std::set<std::string> there = List(channel);
    for (const std::string& name : acknowledged) ASSERT_EQ(there.count(name), 1u) << name << " lost by kill " << kill;
    std::atomic<int> added{0};
    std::thread adder([&] {
      for (;;) {
        const std::string id = "m" + std::to_string(number);
        if (!Create(channel, id, 1 + 1e-3 * number).ok()) return;
        ++number;
        acknowledged.insert("models/" + id);
        ++added;
        added.notify_one();
      }
    });
    for (int seen = 0; seen < 1 + kill % 5; seen = added.load()) added.wait(seen);
    server.Signal(SIGKILL);
    adder.join();
    ++number;  // the one in flight may or may not be there
    server.Wait();
  }
  EXPECT_GE(acknowledged.size(), static_cast<size_t>(kKills));
  const Ended check = RunTorqued({"check-store", "--data-dir", folder.path() + "/data"});
  EXPECT_EQ(check.exit_code, 0) << check.output;
}

TEST(Drain, RunningCallsFinishStreamsAreToldHealthSaysNo) {
  const TempFolder folder;
  ServerProcess server(folder.path(), {"--drain-delay-s", "30"});
  const auto channel = server.Channel();
  ASSERT_TRUE(Create(channel, "two", 1).ok());
  const auto health = grpc::health::v1::Health::NewStub(channel);
  grpc::ClientContext health_context, stream_context, watch_context;
  auto watch = health->Watch(&health_context, grpc::health::v1::HealthCheckRequest());
  grpc::health::v1::HealthCheckResponse answer;
  ASSERT_TRUE(watch->Read(&answer));
  EXPECT_EQ(answer.status(), grpc::health::v1::HealthCheckResponse::SERVING);
  auto stream = v1::StreamService::NewStub(channel)->StreamCompute(&stream_context);
  auto models = v1::ModelService::NewStub(channel)->WatchModels(&watch_context, v1::WatchModelsRequest());
  v1::WatchModelsResponse event;
  ASSERT_TRUE(models->Read(&event));
  ASSERT_TRUE(models->Read(&event));
  EXPECT_EQ(event.kind(), v1::WatchModelsResponse::KIND_SYNCED);
  v1::StreamComputeRequest item;
  item.mutable_jacobian()->mutable_context()->set_model("models/two");
  for (int i = 0; i < 2; ++i) item.mutable_jacobian()->mutable_positions()->add_values(0);
  v1::StreamComputeResponse jacobian;
  ASSERT_TRUE(stream->Write(item));
  ASSERT_TRUE(stream->Read(&jacobian));

  server.Signal(SIGTERM);
  ASSERT_TRUE(watch->Read(&answer));
  EXPECT_EQ(answer.status(), grpc::health::v1::HealthCheckResponse::NOT_SERVING);
  // Within the delay everything is still answered.
  ASSERT_TRUE(stream->Write(item));
  ASSERT_TRUE(stream->Read(&jacobian));
  EXPECT_TRUE(jacobian.has_jacobian());
  health_context.TryCancel();
  server.Signal(SIGTERM);  // no more patience
  EXPECT_FALSE(stream->Read(&jacobian));
  const absl::Status told = wire::FromGrpc(stream->Finish());
  EXPECT_EQ(told.code(), absl::StatusCode::kUnavailable) << told;
  EXPECT_FALSE(models->Read(&event));
  EXPECT_EQ(models->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(server.Wait().exit_code, 0);
}

TEST(Drain, ALongSimulationDoesNotKeepTheServer) {
  const TempFolder folder;
  ServerProcess server(folder.path(), {"--drain-s", "0.2"});
  const auto channel = server.Channel();
  ASSERT_TRUE(Create(channel, "two", 1).ok());
  v1::SimulateRequest request;
  request.mutable_context()->set_model("models/two");
  for (int i = 0; i < 2; ++i) request.mutable_positions()->add_values(0.5);
  request.set_duration(9000);
  request.set_output_step(900);  // of ten answers: some seconds of work between two
  grpc::ClientContext context;
  const auto reader = v1::DynamicsService::NewStub(channel)->Simulate(&context, request);
  v1::SimulateResponse part;
  ASSERT_TRUE(reader->Read(&part));
  server.Signal(SIGTERM);
  EXPECT_EQ(server.Wait().exit_code, 0);
  while (reader->Read(&part)) {
  }
  EXPECT_FALSE(reader->Finish().ok());
}

TEST(Start, AModelChangedByAnotherHandIsNotServed) {
  const TempFolder folder;
  const std::string data = folder.path() + "/data";
  {
    ServerProcess server(folder.path());
    for (const int version : {1, 2}) ASSERT_TRUE(Create(server.Channel(), version == 1 ? "good" : "bad", version).ok());
    server.Signal(SIGTERM);
    server.Wait();
  }
  ASSERT_EQ(RunTorqued({"check-store", "--data-dir", data}).exit_code, 0);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open((data + "/models.sqlite").c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "UPDATE revisions SET source = replace(source, '</robot>', '<!-- --></robot>') WHERE model_id = 'bad'",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  ASSERT_EQ(sqlite3_changes(database), 1);
  sqlite3_close(database);
  const Ended check = RunTorqued({"check-store", "--data-dir", data});
  EXPECT_EQ(check.exit_code, 2);
  EXPECT_THAT(check.output, HasSubstr("changed by another hand"));
  ServerProcess server(folder.path());
  const auto stub = v1::KinematicsService::NewStub(server.Channel());
  for (const char* name : {"good", "bad"}) {
    v1::ComputeJacobianRequest request;
    request.mutable_context()->set_model(std::string("models/") + name);
    for (int i = 0; i < 2; ++i) request.mutable_positions()->add_values(0);
    v1::ComputeJacobianResponse response;
    grpc::ClientContext context;
    const grpc::Status status = stub->ComputeJacobian(&context, request, &response);
    EXPECT_EQ(status.error_code(), std::string(name) == "good" ? grpc::StatusCode::OK : grpc::StatusCode::DATA_LOSS)
        << status.error_message();
  }
}

TEST(Start, ASecondServerIsRefused) {
  const TempFolder folder, other;
  ServerProcess server(folder.path());
  const Ended same_data = RunTorqued({"--listen", "127.0.0.1:0", "--data-dir", folder.path() + "/data"});
  EXPECT_EQ(same_data.exit_code, 4);
  EXPECT_THAT(same_data.output, HasSubstr(folder.path() + "/data is in use by process " + std::to_string(server.pid())));
  const Ended same_port = RunTorqued({"--listen", server.address(), "--data-dir", other.path() + "/data"});
  EXPECT_EQ(same_port.exit_code, 4);
  EXPECT_THAT(same_port.output, HasSubstr("cannot listen on " + server.address()));
  EXPECT_THAT(same_port.output, HasSubstr("in use"));
}

TEST(Start, BeyondLoopbackNeedsAWord) {
  const TempFolder folder;
  const Ended refused = RunTorqued({"--listen", "0.0.0.0:0", "--data-dir", folder.path() + "/data"});
  EXPECT_EQ(refused.exit_code, 5);
  EXPECT_THAT(refused.output, HasSubstr("--insecure"));
}

TEST(Start, ADamagedStoreIsRefusedWithWhatToDo) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path() + "/data");
  std::ofstream(folder.path() + "/data/models.sqlite") << std::string(8192, 'x');
  const Ended refused = RunTorqued({"--listen", "127.0.0.1:0", "--data-dir", folder.path() + "/data"});
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_THAT(refused.output, HasSubstr("torqued check-store"));
  const Ended check = RunTorqued({"check-store", "--data-dir", folder.path() + "/data"});
  EXPECT_EQ(check.exit_code, 2) << check.output;
}

TEST(Start, ShippedRobotsAreRegisteredAndFollowTheirFiles) {
  const TempFolder folder;
  const std::string robots = folder.path() + "/robots", port_file = folder.path() + "/port";
  std::filesystem::create_directory(robots);
  std::ofstream(robots + "/arm.urdf") << testing::TwoLink(1);
  std::ofstream(robots + "/broken.urdf") << "<robot";
  const auto revision = [&](const std::shared_ptr<grpc::Channel>& channel) {
    v1::GetModelRequest request;
    request.set_name("models/arm");
    v1::GetModelResponse response;
    grpc::ClientContext context;
    EXPECT_TRUE(v1::ModelService::NewStub(channel)->GetModel(&context, request, &response).ok());
    return response.model().revision();
  };
  std::string first, second;
  {
    ServerProcess server(folder.path(), {"--robots", robots, "--port-file", port_file});
    int port = 0;
    std::ifstream(port_file) >> port;
    EXPECT_EQ(port, server.port());
    first = revision(server.Channel());
    EXPECT_EQ(List(server.Channel()), std::set<std::string>{"models/arm"});
  }
  std::ofstream(robots + "/arm.urdf") << testing::TwoLink(2);
  {
    ServerProcess server(folder.path(), {"--robots", robots});
    second = revision(server.Channel());
    EXPECT_NE(second, first);
    // The user's own change stays, since the file did not change again.
    v1::UpdateModelRequest update;
    update.set_name("models/arm");
    update.mutable_source()->set_text(testing::TwoLink(3));
    v1::UpdateModelResponse response;
    grpc::ClientContext context;
    ASSERT_TRUE(v1::ModelService::NewStub(server.Channel())->UpdateModel(&context, update, &response).ok());
  }
  ServerProcess server(folder.path(), {"--robots", robots});
  EXPECT_NE(revision(server.Channel()), second);
}

TEST(Config, FlagsBeatEnvironmentBeatFile) {
  const TempFolder folder;
  const std::string file = folder.path() + "/torqued.yaml";
  std::ofstream(file) << "drain_s: 1\nqueue_length: 2\nmodels: 3\n";
  setenv("TORQUED_QUEUE_LENGTH", "20", 1);
  setenv("TORQUED_MODELS", "30", 1);
  const Ended shown = RunTorqued({"config", "show", "--origin", "--config", file, "--models", "300"});
  unsetenv("TORQUED_QUEUE_LENGTH");
  unsetenv("TORQUED_MODELS");
  EXPECT_EQ(shown.exit_code, 0) << shown.output;
  EXPECT_THAT(shown.output, ::testing::ContainsRegex("drain_s: 1 +# file .*torqued.yaml:1"));
  EXPECT_THAT(shown.output, ::testing::ContainsRegex("queue_length: 20 +# environment TORQUED_QUEUE_LENGTH"));
  EXPECT_THAT(shown.output, ::testing::ContainsRegex("models: 300 +# flag --models"));
  EXPECT_THAT(shown.output, ::testing::ContainsRegex("log_level: info +# default"));
}

TEST(Config, MistakesAreNamed) {
  const TempFolder folder;
  const std::string file = folder.path() + "/torqued.yaml";
  std::ofstream(file) << "listen: 127.0.0.1:1\ndrain_z: 1\n";
  const Ended unknown = RunTorqued({"check-config", "--config", file});
  EXPECT_EQ(unknown.exit_code, 5);
  EXPECT_THAT(unknown.output, HasSubstr("torqued.yaml:2: no setting 'drain_z'; did you mean 'drain_s'?"));
  const Ended value = RunTorqued({"check-config", "--queue-length", "many"});
  EXPECT_EQ(value.exit_code, 5);
  EXPECT_THAT(value.output, HasSubstr("queue_length: 'many', want a whole number from 1"));
  EXPECT_EQ(RunTorqued({"check-config"}).exit_code, 0);
}

}  // namespace
}  // namespace torqued
