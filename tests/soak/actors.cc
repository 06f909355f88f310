#include "tests/soak/actors.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <thread>

#include "client/torqued/client.h"
#include "client/torqued/stream.h"
#include "grpc/health/v1/health.pb.h"
#include "torqued/v1/models.pb.h"
#include "torqued/v1/server.pb.h"

namespace torqued::testing {
namespace {

std::unique_ptr<Client> Connect(const std::string& address) {
  ClientOptions options;
  options.server = address;
  options.deadline = std::chrono::seconds(60);
  options.wait_for_ready = true;
  auto client = Client::Open(options);
  if (!client.ok()) std::exit(2);
  return *std::move(client);
}

std::string Pendulum(double mass) {
  return "<robot name=\"pendulum\"><link name=\"base\"/><link name=\"rod\"><inertial><origin xyz=\"0.5 0 0\"/><mass value=\"" +
         std::to_string(mass) + "\"/><inertia ixx=\"0.01\" ixy=\"0\" ixz=\"0\" iyy=\"0.1\" iyz=\"0\" izz=\"0.1\"/></inertial></link>"
         "<joint name=\"swing\" type=\"revolute\"><parent link=\"base\"/><child link=\"rod\"/><axis xyz=\"0 1 0\"/>"
         "<limit lower=\"-3\" upper=\"3\" effort=\"10\" velocity=\"5\"/></joint></robot>";
}

}  // namespace

void AskAll(cli::Backend& server, const std::vector<Question>& questions, size_t first, Ledger& ledger) {
  for (size_t i = first; !ledger.stop; ++i) {
    const Question& q = questions[i % questions.size()];
    absl::Status status;
    std::string bytes;
    AskOnce(server, q, &status, &bytes);
    if (absl::IsResourceExhausted(status)) {
      ledger.Explained("RESOURCE_EXHAUSTED: the queue was full");
      continue;
    }
    ledger.Answered(q.method);
    if (status.code() != q.status.code() || bytes != q.bytes)
      ledger.Wrong(q.method + " of " + q.model + ": " + std::string(status.ok() ? "other numbers" : status.message()));
  }
}

void ChangeModels(const std::string& address, int number, Ledger& ledger) {
  const auto client = Connect(address);
  const std::string id = "soak-" + std::to_string(number), name = "models/" + id;
  const auto ask = [&](const auto& request, auto response, const char* method) {
    const absl::Status status = client->Call(request, response);
    if (status.ok()) ledger.Answered(std::string("/torqued.v1.ModelService/") + method);
    else if (absl::IsResourceExhausted(status)) ledger.Explained("RESOURCE_EXHAUSTED: the queue was full");
    else if (!ledger.stop) ledger.Wrong(std::string(method) + ": " + std::string(status.message()));
    return status.ok();
  };
  for (int round = 1; !ledger.stop; ++round) {
    v1::CreateModelRequest create;
    create.set_model_id(id);
    create.mutable_source()->set_text(Pendulum(1));
    if (!ask(create, v1::CreateModelResponse(), "CreateModel")) continue;
    for (int mass = 2; mass < 5; ++mass) {
      v1::UpdateModelRequest update;
      update.set_name(name);
      update.mutable_source()->set_text(Pendulum(mass));
      if (!ask(update, v1::UpdateModelResponse(), "UpdateModel")) continue;
      const auto torque = client->StaticTorque(id, Eigen::VectorXd::Zero(1));
      if (torque.ok() && std::abs((*torque)[0] + 9.81 * 0.5 * mass) > 1e-12)
        ledger.Wrong("StaticTorque after UpdateModel: " + std::to_string((*torque)[0]));
    }
    v1::GetModelRequest get;
    get.set_name(name);
    ask(get, v1::GetModelResponse(), "GetModel");
    ask(v1::ListModelsRequest(), v1::ListModelsResponse(), "ListModels");
    v1::ListModelRevisionsRequest revisions;
    revisions.set_name(name);
    ask(revisions, v1::ListModelRevisionsResponse(), "ListModelRevisions");
    v1::DeleteModelRequest remove;
    remove.set_name(name);
    while (!ask(remove, v1::DeleteModelResponse(), "DeleteModel") && !ledger.stop) {
    }
  }
}

void Watch(const std::string& address, Ledger& ledger) {
  const auto client = Connect(address);
  std::int64_t last = 0;
  v1::WatchModelsResponse part;
  const absl::Status status = client->Receive(v1::WatchModelsRequest(), part, [&] {
    if (part.kind() == v1::WatchModelsResponse::KIND_PUT || part.kind() == v1::WatchModelsResponse::KIND_DELETED) {
      if (part.position() <= last) ledger.Wrong("WatchModels: position " + std::to_string(part.position()) + " after " + std::to_string(last));
      last = part.position();
    }
    ledger.Answered("/torqued.v1.ModelService/WatchModels");
    return !ledger.stop;
  });
  if (!status.ok()) ledger.Wrong("WatchModels: " + std::string(status.message()));
}

void Stream(const std::string& address, Ledger& ledger) {
  const auto client = Connect(address);
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(6, -1, 1);
  const auto right = client->StaticTorque("ur5e", q);
  const auto stream = client->OpenStream(torqued::Question("ur5e"), std::chrono::seconds(60));
  while (!ledger.stop) {
    const auto torque = stream->StaticTorque(q);
    if (!torque.ok()) ledger.Wrong("StreamCompute: " + std::string(torque.status().message()));
    else if (!right.ok() || *torque != *right) ledger.Wrong("StreamCompute: other numbers");
    ledger.Answered("/torqued.v1.StreamService/StreamCompute");
  }
  if (stream->reconnects() > 0) ledger.Wrong("StreamCompute: the stream broke");
}

void AskServer(const std::string& address, Ledger& ledger) {
  const auto client = Connect(address);
  while (!ledger.stop) {
    v1::GetServerInfoResponse info;
    v1::GetStatisticsRequest statistics;
    statistics.set_per_model(true);
    v1::GetStatisticsResponse counts;
    grpc::health::v1::HealthCheckResponse health;
    if (client->Call(v1::GetServerInfoRequest(), info).ok()) ledger.Answered("/torqued.v1.ServerService/GetServerInfo");
    if (client->Call(statistics, counts).ok()) ledger.Answered("/torqued.v1.ServerService/GetStatistics");
    if (client->Call(grpc::health::v1::HealthCheckRequest(), health).ok()) ledger.Answered("/grpc.health.v1.Health/Check");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void KillClients(const std::string& address, const char* self, Ledger& ledger) {
  for (int round = 0; !ledger.stop; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      execl(self, self, "--victim", address.c_str(), nullptr);
      _exit(127);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300 + 137 * (round % 7)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    ledger.Explained("clients that were killed");
  }
}

int Victim(const std::string& address) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      const auto client = Connect(address);
      for (;;) (void)client->StaticTorques("ur5e", Rows::Zero(20000, 6)).ok();
    });
  for (auto& thread : threads) thread.join();
  return 0;
}

}  // namespace torqued::testing
