// What does the server add to gRPC? torqued and a bare echo of the same messages, called in turn within one run.
//
// usage: bench_transport TORQUED [--rounds N]     prints a Markdown table
// The echo is a server in a process of its own, with the callback API too, that answers each question with as many
// numbers as the real answer has and computes nothing. Latencies are those of one caller, call after call; blocks of
// calls to either server alternate, so that what disturbs the machine disturbs both.
#include <grpcpp/grpcpp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "torqued/v1/dynamics.grpc.pb.h"
#include "torqued/v1/kinematics.grpc.pb.h"
#include "torqued/v1/models.grpc.pb.h"
#include "torqued/v1/statics.grpc.pb.h"
#include "torqued/v1/stream.grpc.pb.h"

namespace torqued {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kBatch = 4096, kCallsPerBlock = 100, kMaxMessage = 64 << 20;

// Seven joints; the sizes of everything follow from it.
constexpr int kJoints = 7;
std::string SevenJoints() {
  std::string text = "<robot name='seven'><link name='l0'/>";
  for (int i = 1; i <= kJoints; ++i) {
    const std::string n = std::to_string(i), before = std::to_string(i - 1);
    text += "<link name='l" + n + "'><inertial><origin xyz='0 0 0.15'/><mass value='2'/><inertia ixx='0.02' ixy='0' ixz='0' "
            "iyy='0.02' iyz='0' izz='0.005'/></inertial></link><joint name='j" + n + "' type='revolute'><parent link='l" +
            before + "'/><child link='l" + n + "'/><origin xyz='0 0 0.3' rpy='" + (i % 2 ? "1.5707963" : "-1.5707963") +
            " 0 0'/><axis xyz='0 0 1'/><limit lower='-2.9' upper='2.9' velocity='2' effort='100'/></joint>";
  }
  return text + "</robot>";
}

void Fill(int rows, int width, v1::JointVectors* to) { to->mutable_values()->Resize(rows * width, 0.5); }

int Rows(const v1::JointVectors& q) { return q.values_size() / kJoints; }

template <class Request>
grpc::ServerUnaryReactor* Done(grpc::CallbackServerContext* context, const Request&) {
  auto* reactor = context->DefaultReactor();
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

class EchoDynamics final : public v1::DynamicsService::CallbackService {
  grpc::ServerUnaryReactor* ComputeInverseDynamics(grpc::CallbackServerContext* context,
                                                   const v1::ComputeInverseDynamicsRequest* request,
                                                   v1::ComputeInverseDynamicsResponse* response) override {
    Fill(Rows(request->positions()), kJoints, response->mutable_efforts());
    return Done(context, *request);
  }
};
class EchoStatics final : public v1::StaticsService::CallbackService {
  grpc::ServerUnaryReactor* ComputeStaticTorque(grpc::CallbackServerContext* context,
                                                const v1::ComputeStaticTorqueRequest* request,
                                                v1::ComputeStaticTorqueResponse* response) override {
    Fill(Rows(request->positions()), kJoints, response->mutable_efforts());
    return Done(context, *request);
  }
};
class EchoKinematics final : public v1::KinematicsService::CallbackService {
  grpc::ServerUnaryReactor* ComputeJacobian(grpc::CallbackServerContext* context, const v1::ComputeJacobianRequest* request,
                                            v1::ComputeJacobianResponse* response) override {
    response->mutable_jacobians()->mutable_values()->Resize(Rows(request->positions()) * 6 * kJoints, 0.5);
    return Done(context, *request);
  }
};
class EchoStream final : public v1::StreamService::CallbackService {
  class Reactor final : public grpc::ServerBidiReactor<v1::StreamComputeRequest, v1::StreamComputeResponse> {
   public:
    Reactor() { StartRead(&request_); }
    void OnReadDone(bool ok) override {
      if (!ok) return Finish(grpc::Status::OK);
      response_.Clear();
      response_.set_sequence(request_.sequence());
      Fill(Rows(request_.inverse_dynamics().positions()), kJoints, response_.mutable_inverse_dynamics()->mutable_efforts());
      StartWrite(&response_);
    }
    void OnWriteDone(bool ok) override {
      if (!ok) return Finish(grpc::Status::CANCELLED);
      StartRead(&request_);
    }
    void OnDone() override { delete this; }

   private:
    v1::StreamComputeRequest request_;
    v1::StreamComputeResponse response_;
  };
  grpc::ServerBidiReactor<v1::StreamComputeRequest, v1::StreamComputeResponse>* StreamCompute(
      grpc::CallbackServerContext*) override {
    return new Reactor;
  }
};

// A child process that ends with this one.
struct Server {
  pid_t pid = -1;
  std::shared_ptr<grpc::Channel> channel;
  ~Server() {
    if (pid > 0) kill(pid, SIGKILL), waitpid(pid, nullptr, 0);
  }
};

std::shared_ptr<grpc::Channel> Connect(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

int RunEcho(int port_pipe) {
  EchoDynamics dynamics;
  EchoStatics statics;
  EchoKinematics kinematics;
  EchoStream stream;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.SetMaxReceiveMessageSize(kMaxMessage);
  for (grpc::Service* service : std::initializer_list<grpc::Service*>{&dynamics, &statics, &kinematics, &stream})
    builder.RegisterService(service);
  const auto server = builder.BuildAndStart();
  if (!server || write(port_pipe, &port, sizeof port) != sizeof port) return 1;
  server->Wait();
  return 0;
}

bool StartEcho(const char* self, Server& server) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  server.pid = fork();
  if (server.pid == 0) {
    const std::string end = std::to_string(ends[1]);
    execl(self, self, "--echo", end.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  int port = 0;
  if (read(ends[0], &port, sizeof port) != sizeof port) return false;
  server.channel = Connect("127.0.0.1:" + std::to_string(port));
  return true;
}

// torqued says "serving on HOST:PORT" once it answers.
bool StartTorqued(const char* program, const std::string& folder, Server& server) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  server.pid = fork();
  if (server.pid == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execl(program, program, "--listen", "127.0.0.1:0", "--data-dir", folder.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  const std::string sign = "serving on ";
  std::string text;
  char c;
  while (read(ends[0], &c, 1) == 1 && c != '\n') text += c;
  if (text.compare(0, sign.size(), sign) != 0) return false;
  server.channel = Connect(text.substr(sign.size()));
  return true;
}

double Percentile(std::vector<double>& sorted, double share) {
  return sorted[std::min(sorted.size() - 1, static_cast<size_t>(share * static_cast<double>(sorted.size())))];
}

double Microseconds(Clock::time_point begin) { return std::chrono::duration<double, std::micro>(Clock::now() - begin).count(); }

void Fail(const std::string& what) {
  std::fprintf(stderr, "bench_transport: %s\n", what.c_str());
  std::exit(1);
}

void Check(const grpc::Status& status) {
  if (!status.ok()) Fail(status.error_message());
}

// One caller's way to ask one server once.
using Ask = std::function<void()>;

struct Case {
  const char* name;
  int calls_per_block;
  std::function<Ask(const std::shared_ptr<grpc::Channel>&)> open;
};

template <class Request>
Request About(int rows, bool rates) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<> value(-1, 1);
  Request request;
  request.mutable_context()->set_model("models/seven");
  request.mutable_context()->set_omit_names(true);
  for (int i = 0; i < rows * kJoints; ++i) request.mutable_positions()->add_values(value(random));
  if constexpr (requires { request.mutable_accelerations(); })
    for (int i = 0; rates && i < rows * kJoints; ++i) {
      request.mutable_velocities()->add_values(value(random));
      request.mutable_accelerations()->add_values(value(random));
    }
  return request;
}

template <class Stub, class Request, class Response>
Ask Unary(std::shared_ptr<Stub> stub, Request request,
          grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*)) {
  return [stub, request, method, response = std::make_shared<Response>()] {
    grpc::ClientContext context;
    Check(((*stub).*method)(&context, request, response.get()));
  };
}

Ask Stream(const std::shared_ptr<grpc::Channel>& channel) {
  struct Call {
    explicit Call(const std::shared_ptr<grpc::Channel>& c) : stub(v1::StreamService::NewStub(c)) {
      stream = stub->StreamCompute(&context);
      *request.mutable_inverse_dynamics() = About<v1::ComputeInverseDynamicsRequest>(1, true);
    }
    ~Call() {
      stream->WritesDone();
      stream->Finish();
    }
    std::unique_ptr<v1::StreamService::Stub> stub;
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientReaderWriter<v1::StreamComputeRequest, v1::StreamComputeResponse>> stream;
    v1::StreamComputeRequest request;
    v1::StreamComputeResponse response;
  };
  return [call = std::make_shared<Call>(channel)] {
    if (!call->stream->Write(call->request) || !call->stream->Read(&call->response) || call->response.has_error())
      Fail("the stream broke");
    call->request.mutable_inverse_dynamics()->clear_context();
  };
}

std::vector<Case> Cases() {
  using C = std::shared_ptr<grpc::Channel>;
  const auto dynamics = [](int rows) {
    return [rows](const C& c) {
      return Unary<v1::DynamicsService::Stub, v1::ComputeInverseDynamicsRequest, v1::ComputeInverseDynamicsResponse>(
          v1::DynamicsService::NewStub(c), About<v1::ComputeInverseDynamicsRequest>(rows, true),
          &v1::DynamicsService::Stub::ComputeInverseDynamics);
    };
  };
  return {{"unary Jacobian", kCallsPerBlock,
           [](const C& c) {
             return Unary<v1::KinematicsService::Stub, v1::ComputeJacobianRequest, v1::ComputeJacobianResponse>(
                 v1::KinematicsService::NewStub(c), About<v1::ComputeJacobianRequest>(1, false),
                 &v1::KinematicsService::Stub::ComputeJacobian);
           }},
          {"unary static torque", kCallsPerBlock,
           [](const C& c) {
             return Unary<v1::StaticsService::Stub, v1::ComputeStaticTorqueRequest, v1::ComputeStaticTorqueResponse>(
                 v1::StaticsService::NewStub(c), About<v1::ComputeStaticTorqueRequest>(1, false),
                 &v1::StaticsService::Stub::ComputeStaticTorque);
           }},
          {"unary inverse dynamics", kCallsPerBlock, dynamics(1)},
          {"stream of inverse dynamics", kCallsPerBlock, Stream},
          {"inverse dynamics, 4096 states a call", 2, dynamics(kBatch)}};
}

void Measure(const Case& one, const Server& torqued, const Server& echo, int rounds) {
  const Ask ask[2] = {one.open(torqued.channel), one.open(echo.channel)};
  std::vector<double> us[2];
  for (int warm = 0; warm < one.calls_per_block; ++warm)
    for (const Ask& a : ask) a();
  for (int round = 0; round < rounds; ++round)
    for (int which : {round % 2, 1 - round % 2})
      for (int call = 0; call < one.calls_per_block; ++call) {
        const auto begin = Clock::now();
        ask[which]();
        us[which].push_back(Microseconds(begin));
      }
  for (auto& list : us) std::sort(list.begin(), list.end());
  std::printf("| %s |", one.name);
  for (const double share : {0.5, 0.9, 0.99, 0.999})
    std::printf(" %.0f / %.0f = %.2f |", Percentile(us[0], share), Percentile(us[1], share),
                Percentile(us[0], share) / Percentile(us[1], share));
  std::printf("\n");
}

int Main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--echo") == 0) return RunEcho(std::atoi(argv[2]));
  if (argc < 2) Fail("usage: bench_transport TORQUED [--rounds N]");
  const int rounds = argc == 4 ? std::atoi(argv[3]) : 100;
  char folder[] = "/tmp/bench_transport_XXXXXX";
  if (mkdtemp(folder) == nullptr) Fail("no temporary folder");
  {
    Server echo, torqued;
    if (!StartEcho(argv[0], echo)) Fail("the echo did not start");
    if (!StartTorqued(argv[1], folder, torqued)) Fail("torqued did not start");
    const auto models = v1::ModelService::NewStub(torqued.channel);
    v1::CreateModelRequest create;
    create.set_model_id("seven");
    create.mutable_source()->set_text(SevenJoints());
    v1::CreateModelResponse created;
    grpc::ClientContext context;
    Check(models->CreateModel(&context, create, &created));
    std::printf("| call, seven joints; us torqued / us echo = ratio | p50 | p90 | p99 | p99.9 |\n|---|---|---|---|---|\n");
    for (const Case& one : Cases()) Measure(one, torqued, echo, rounds);
  }
  return std::system((std::string("rm -rf ") + folder).c_str());
}

}  // namespace
}  // namespace torqued

int main(int argc, char** argv) { return torqued::Main(argc, argv); }
