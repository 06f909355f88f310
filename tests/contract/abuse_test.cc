// Clients that mean harm, or behave as if: the server refuses them with a word, stays small, and goes on serving others.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>

#include "proto/wire/errors.h"
#include "tests/contract/contract.h"

namespace torqued {
namespace {

using ::testing::HasSubstr;
using testing::Contract;

constexpr int kStreams = 10000;
constexpr double kBytesPerStream = 64 << 10;

class Abuse : public Contract {
 protected:
  static double Resident() {
    std::ifstream statm("/proc/" + std::to_string(server_->pid()) + "/statm");
    double all = 0, resident = 0;
    statm >> all >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
  }
  static void ExpectAlive() {
    v1::ComputeStaticTorqueResponse answer;
    const absl::Status status = Ask(About<v1::ComputeStaticTorqueRequest>("two", {0.1, 0.2}), &answer);
    EXPECT_TRUE(status.ok()) << status;
  }
  static absl::Status CreateFrom(const std::string& text, const std::string& id = "abuse") { return Create(id, text); }
  static int ConnectRaw() {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(server_->port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return fd;
  }
};

TEST_F(Abuse, TenThousandIdleStreams) {
  ExpectAlive();
  const double before = Resident();
  struct Idle {
    grpc::ClientContext context;
    std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call;
    grpc::Status status;
  };
  grpc::CompletionQueue queue;
  void* tag = nullptr;
  bool ok = false;
  std::vector<std::unique_ptr<Idle>> idle;
  {
    grpc::GenericStub stub(server_->Channel());
    for (int i = 0; i < kStreams; ++i) {
      idle.push_back(std::make_unique<Idle>());
      idle[i]->call = stub.PrepareCall(&idle[i]->context, "/torqued.v1.StreamService/StreamCompute", &queue);
      idle[i]->call->StartCall(nullptr);
    }
    for (int i = 0; i < kStreams; ++i) ASSERT_TRUE(queue.Next(&tag, &ok) && ok);
    ExpectAlive();
    EXPECT_LT((Resident() - before) / kStreams, kBytesPerStream);
    for (auto& one : idle) {
      one->context.TryCancel();
      one->call->Finish(&one->status, nullptr);
    }
    for (int i = 0; i < kStreams; ++i) ASSERT_TRUE(queue.Next(&tag, &ok));
    idle.clear();
  }
  queue.Shutdown();
  while (queue.Next(&tag, &ok)) {
  }
  ExpectAlive();
}

// Connections that send one byte of a greeting and then nothing, or nonsense.
TEST_F(Abuse, SlowAndSenselessConnections) {
  std::vector<int> slow;
  for (int i = 0; i < 300; ++i) {
    slow.push_back(ConnectRaw());
    EXPECT_EQ(write(slow.back(), "P", 1), 1);
  }
  for (const char* nonsense : {"GET / HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\x16\x03\x01\x02\x00\x01"}) {
    const int fd = ConnectRaw();
    EXPECT_GT(write(fd, nonsense, std::strlen(nonsense)), 0);
    slow.push_back(fd);
  }
  ExpectAlive();
  // The server ends them by itself.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  size_t closed = 0;
  while (closed < slow.size() && std::chrono::steady_clock::now() < end) {
    closed = 0;
    for (const int fd : slow) {
      pollfd one{fd, POLLRDHUP, 0};
      if (poll(&one, 1, 0) == 1 && (one.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) ++closed;
    }
    if (closed < slow.size()) {
      pollfd first{slow[0], POLLRDHUP, 0};
      poll(&first, 1, 100);
    }
  }
  EXPECT_EQ(closed, slow.size());
  for (const int fd : slow) close(fd);
  ExpectAlive();
}

TEST_F(Abuse, DeepAndLaughingXml) {
  std::string deep = "<robot name=\"deep\">";
  for (int i = 0; i < 200000; ++i) deep += "<a>";
  EXPECT_EQ(CreateFrom(deep).code(), absl::StatusCode::kInvalidArgument);
  std::string laughs = "<?xml version=\"1.0\"?><!DOCTYPE robot [<!ENTITY e0 \"ha\">";
  for (int i = 1; i < 30; ++i) {
    laughs += "<!ENTITY e" + std::to_string(i) + " \"";
    for (int k = 0; k < 10; ++k) laughs += "&e" + std::to_string(i - 1) + ";";
    laughs += "\">";
  }
  laughs += "]><robot name=\"&e29;\"><link name=\"&e29;\"/></robot>";
  const double before = Resident();
  const absl::Status status = CreateFrom(laughs, "laughs");
  EXPECT_LT(Resident() - before, 64 << 20) << status;
  std::string chain = "<robot name=\"chain\"><link name=\"l0\"/>";
  for (int i = 1; i < 3000; ++i) {
    const std::string n = std::to_string(i), p = std::to_string(i - 1);
    chain += "<link name=\"l" + n + "\"/><joint name=\"j" + n + "\" type=\"revolute\"><parent link=\"l" + p + "\"/><child link=\"l" + n +
             "\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/></joint>";
  }
  EXPECT_EQ(CreateFrom(chain + "</robot>", "chain").code(), absl::StatusCode::kResourceExhausted) << "3000 degrees of freedom";
  EXPECT_EQ(CreateFrom(std::string(8 << 20, 'x'), "long").code(), absl::StatusCode::kResourceExhausted);
  ExpectAlive();
}

TEST_F(Abuse, NamesThatLeadElsewhere) {
  for (const std::string id : {"../../etc/passwd", "a/b", "%2e%2e", "-rf", "A", "", "\xe6\x9c\xba", "a\nb", "a\x1b[31m"}) {
    if (id.empty()) continue;  // the source's own name is taken then
    const absl::Status status = Create(id, testing::TwoLink());
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << id;
  }
  for (const std::string name : {"models/..", "models/../two", "models/two/revisions/../../x", "models/two/", "models/ two", "models//two", "models/two\n"}) {
    v1::GetModelRequest request;
    request.set_name(name);
    v1::GetModelResponse response;
    const absl::Status status = Ask(request, &response);
    EXPECT_TRUE(absl::IsInvalidArgument(status) || absl::IsNotFound(status)) << name << ": " << status;
  }
  // Unicode inside a robot is the user's own business.
  std::string text = testing::TwoLink();
  const std::string from = "'two'", to = "'\xe6\x9c\xba\xe5\x99\xa8\xe4\xba\xba'";
  if (const size_t at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
  EXPECT_TRUE(Create("unicode", text).ok());
}

TEST_F(Abuse, HugeNumbers) {
  for (const char* mass : {"1e999", "-1e308", "nan", "inf", "1e-400", "0x10", "1,5", ""}) {
    std::string text = testing::TwoLink();
    const size_t at = text.find("<mass value='");
    ASSERT_NE(at, std::string::npos);
    const size_t begin = at + 13;
    text.replace(begin, text.find('\'', begin) - begin, mass);
    const absl::Status status = CreateFrom(text, "huge");
    if (status.ok()) {
      v1::ComputeStaticTorqueResponse answer;
      (void)Ask(About<v1::ComputeStaticTorqueRequest>("huge", {0.1, 0.2}), &answer).ok();
      for (const double x : answer.efforts().values()) EXPECT_TRUE(std::isfinite(x)) << mass;
      v1::DeleteModelRequest remove;
      remove.set_name("models/huge");
      v1::DeleteModelResponse removed;
      EXPECT_TRUE(Ask(remove, &removed).ok());
    } else {
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << mass << ": " << status;
    }
  }
  v1::ComputeStaticTorqueResponse answer;
  (void)Ask(About<v1::ComputeStaticTorqueRequest>("two", {1e308, -1e308}), &answer).ok();
  for (const double x : answer.efforts().values()) EXPECT_TRUE(std::isfinite(x));
  ExpectAlive();
}

// Far more calls than the queue takes, cancelled at once: nothing is left behind, and the next call is served.
TEST_F(Abuse, StormOfCancelledCalls) {
  auto request = About<v1::ComputeDerivativesRequest>("two", {});
  for (int i = 0; i < 2 * 20000; ++i) request.mutable_positions()->add_values(0.1);
  const auto stub = v1::DynamicsService::NewStub(channel_);
  grpc::CompletionQueue queue;
  struct Call {
    grpc::ClientContext context;
    v1::ComputeDerivativesResponse response;
    grpc::Status status;
    std::unique_ptr<grpc::ClientAsyncResponseReader<v1::ComputeDerivativesResponse>> reader;
  };
  std::vector<std::unique_ptr<Call>> calls;
  for (int i = 0; i < 200; ++i) {
    calls.push_back(std::make_unique<Call>());
    if (i % 2) calls[i]->context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(i % 7));
    calls[i]->reader = stub->AsyncComputeDerivatives(&calls[i]->context, request, &queue);
    calls[i]->reader->Finish(&calls[i]->response, &calls[i]->status, nullptr);
    if (i % 2 == 0) calls[i]->context.TryCancel();
  }
  void* tag = nullptr;
  bool ok = false;
  for (size_t i = 0; i < calls.size(); ++i) ASSERT_TRUE(queue.Next(&tag, &ok));
  for (const auto& call : calls) {
    const auto code = call->status.error_code();
    EXPECT_TRUE(code == grpc::StatusCode::CANCELLED || code == grpc::StatusCode::DEADLINE_EXCEEDED ||
                code == grpc::StatusCode::RESOURCE_EXHAUSTED || code == grpc::StatusCode::OK) << code;
  }
  queue.Shutdown();
  while (queue.Next(&tag, &ok)) {
  }
  ExpectAlive();
}

}  // namespace
}  // namespace torqued
