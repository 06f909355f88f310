// Three servers, one etcd of three members, clients with round robin and behind HAProxy: each server and a member of etcd are
// killed under load. No unary call may fail, no acknowledged model may be lost, all answers are equal.
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <random>
#include <sstream>
#include <thread>

#include "client/torqued/client.h"
#include "client/torqued/stream.h"
#include "tests/support/etcd.h"
#include "torqued/v1/server.pb.h"

namespace torqued {
namespace {

using testing::EtcdCluster;
using testing::FreePort;
using testing::KillAndReap;
using testing::Spawn;

constexpr int kServers = 3;

std::string ReadText(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool Eventually(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(90);
  while (std::chrono::steady_clock::now() < end)
    if (holds()) return true;
    else std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return false;
}

std::unique_ptr<Client> Connect(const std::string& server, bool wait = false) {
  ClientOptions options;
  options.server = server;
  options.wait_for_ready = wait;
  options.deadline = std::chrono::seconds(wait ? 60 : 20);
  auto client = Client::Open(options);
  EXPECT_TRUE(client.ok()) << client.status();
  return *std::move(client);
}

class Servers {
 public:
  Servers(const std::string& folder, const std::string& store) : folder_(folder), store_(store) {
    for (int& port : ports_) port = FreePort();
    for (int i = 0; i < kServers; ++i) Start(i);
    for (int i = 0; i < kServers; ++i) WaitHealthy(i);
  }
  ~Servers() {
    for (int& pid : pids_) KillAndReap(pid);
  }
  std::string address(int i) const { return absl::StrCat("127.0.0.1:", ports_[i]); }
  std::string all() const { return absl::StrCat("ipv4:", address(0), ",", address(1), ",", address(2)); }
  void Start(int i) {
    pids_[i] = Spawn({TORQUED_BINARY, "--listen", address(i), "--store", store_, "--robots", "deploy/robots", "--drain-delay-s",
                      "2", "--drain-s", "5"},
                     absl::StrCat(folder_, "/server", i, ".log"));
  }
  void Kill(int i) { KillAndReap(pids_[i]); }
  void Stop(int i) { KillAndReap(pids_[i], SIGTERM); }
  bool WaitHealthy(int i) const {
    const absl::Status healthy = Connect(address(i), true)->CheckHealth();
    EXPECT_TRUE(healthy.ok()) << healthy << "\n" << ReadText(absl::StrCat(folder_, "/server", i, ".log"));
    return healthy.ok();
  }

 private:
  const std::string folder_, store_;
  std::array<int, kServers> ports_{}, pids_{};
};

class Proxy {
 public:
  Proxy(const std::string& folder, const Servers& servers) : port_(FreePort()) {
    // The shipped file, with this test's ports.
    const std::string file = folder + "/haproxy.cfg";
    std::ofstream(file) << absl::StrReplaceAll(ReadText("deploy/haproxy/haproxy.cfg"), {{"127.0.0.1:50050", address()},
                                                                                       {"127.0.0.1:50051", servers.address(0)},
                                                                                       {"127.0.0.1:50052", servers.address(1)},
                                                                                       {"127.0.0.1:50053", servers.address(2)}});
    pid_ = Spawn({"haproxy", "-db", "-f", file}, folder + "/haproxy.log");
    const absl::Status healthy = Connect(address(), true)->CheckHealth();
    EXPECT_TRUE(healthy.ok()) << healthy << "\n" << ReadText(folder + "/haproxy.log");
  }
  ~Proxy() { KillAndReap(pid_); }
  std::string address() const { return absl::StrCat("127.0.0.1:", port_); }

 private:
  int port_, pid_ = -1;
};

// What a thread of load does, and how often it did.
struct Load {
  std::string name;
  std::atomic<long> done{0}, failed{0}, reconnects{0};
  std::thread thread;
};

bool Same(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return a.size() == b.size() && (a - b).cwiseAbs().maxCoeff() <= 1e-12 * (1 + b.cwiseAbs().maxCoeff());
}

class ClusterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::HaveEtcd()) GTEST_SKIP() << "etcd is not installed";
    if (std::system("command -v haproxy >/dev/null") != 0) GTEST_SKIP() << "haproxy is not installed";
    char name[] = "/tmp/torqued-cluster-XXXXXX";
    folder_ = mkdtemp(name);
    etcd_ = std::make_unique<EtcdCluster>(folder_, 3);
    servers_ = std::make_unique<Servers>(folder_, etcd_->url());
    proxy_ = std::make_unique<Proxy>(folder_, *servers_);
    // The right answers, from one quiet server.
    std::mt19937 random(7);
    std::uniform_real_distribution<> angle(-3, 3);
    const auto client = Connect(servers_->address(0));
    for (int i = 0; i < 64; ++i) {
      questions_.push_back(Eigen::VectorXd::NullaryExpr(6, [&] { return angle(random); }));
      const auto answer = client->StaticTorque("ur5e", questions_.back());
      ASSERT_TRUE(answer.ok()) << answer.status();
      answers_.push_back(*answer);
    }
  }
  void TearDown() override {
    StopLoad();
    proxy_.reset();
    servers_.reset();
    etcd_.reset();
    if (!folder_.empty() && !HasFailure()) std::filesystem::remove_all(folder_);
  }

  Load& Add(const std::string& name, std::function<void(Load&)> body) {
    loads_.push_back(std::make_unique<Load>());
    Load& load = *loads_.back();
    load.name = name;
    load.thread = std::thread([&load, body = std::move(body)] { body(load); });
    return load;
  }
  void StopLoad() {
    stop_ = true;
    for (const auto& load : loads_)
      if (load->thread.joinable()) load->thread.join();
  }

  void AskFrom(const std::string& server) {
    Add(absl::StrCat("questions to ", server), [this, server](Load& load) {
      const auto client = Connect(server);
      for (size_t i = 0; !stop_; i = (i + 1) % questions_.size()) {
        const auto answer = client->StaticTorque("ur5e", questions_[i]);
        if (!answer.ok()) ++load.failed, ADD_FAILURE() << server << ": " << answer.status();
        else if (!Same(*answer, answers_[i])) ++load.failed, ADD_FAILURE() << server << ": another answer";
        ++load.done;
      }
    });
  }
  // Streams may break; they must open again and answer right.
  void StreamFrom(const std::string& server) {
    Add(absl::StrCat("stream to ", server), [this, server](Load& load) {
      const auto client = Connect(server);
      const auto stream = client->OpenStream("ur5e", std::chrono::seconds(10));
      for (size_t i = 0; !stop_; i = (i + 1) % questions_.size()) {
        const auto answer = stream->StaticTorque(questions_[i]);
        if (!answer.ok()) ++load.failed, std::cerr << load.name << ": " << answer.status() << "\n";
        else if (!Same(*answer, answers_[i])) ADD_FAILURE() << server << ": another answer in the stream";
        ++load.done;
        load.reconnects = static_cast<long>(stream->reconnects());
      }
    });
  }
  void RegisterAt(const std::string& server, const std::string& stem) {
    Add(absl::StrCat("registrations at ", server), [this, server, stem](Load& load) {
      const auto client = Connect(server);
      const std::string source = ReadText("deploy/robots/two-link.yaml");
      while (!stop_) {
        const std::string id = absl::StrCat(stem, load.done.load());
        const auto model = client->RegisterModel(id, source);
        if (!model.ok()) ++load.failed, ADD_FAILURE() << server << ": " << model.status();
        else {
          const std::lock_guard<std::mutex> lock(mutex_);
          registered_.push_back(id);
        }
        ++load.done;
        // One registration per hundred questions: a laboratory's mixture, and the machine's time for the questions.
        const long asked = loads_[0]->done;
        while (!stop_ && loads_[0]->done < asked + 100) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }

  // Every thread gets on while something is broken.
  bool Progress(const std::string& while_what) {
    std::vector<long> from;
    for (const auto& load : loads_) from.push_back(load->done);
    for (size_t i = 0; i < loads_.size(); ++i)
      if (!Eventually([&] { return loads_[i]->done >= from[i] + 5; })) {
        ADD_FAILURE() << loads_[i]->name << " stands still while " << while_what;
        return false;
      }
    return true;
  }

  std::string folder_;
  std::unique_ptr<EtcdCluster> etcd_;
  std::unique_ptr<Servers> servers_;
  std::unique_ptr<Proxy> proxy_;
  std::vector<Eigen::VectorXd> questions_, answers_;
  std::atomic<bool> stop_{false};
  std::vector<std::unique_ptr<Load>> loads_;
  std::mutex mutex_;  // guards the next
  std::vector<std::string> registered_;
};

TEST_F(ClusterTest, WhatIsRegisteredAtOneIsKnownAtAllAtOnce) {
  const std::string source = ReadText("deploy/robots/two-link.yaml");
  for (int i = 0; i < 20; ++i) {
    const std::string id = absl::StrCat("new-", i);
    const auto made = Connect(servers_->address(i % kServers))->RegisterModel(id, source);
    ASSERT_TRUE(made.ok()) << made.status();
    for (int s = 0; s < kServers; ++s) {
      const auto client = Connect(servers_->address(s));
      const auto model = client->GetModel(id);
      ASSERT_TRUE(model.ok()) << "server " << s << ": " << model.status();
      EXPECT_EQ(model->revision(), made->revision());
      EXPECT_EQ(model->etag(), made->etag());
      EXPECT_EQ(model->generation(), made->generation());
      EXPECT_TRUE(client->StaticTorque(Question(id), Eigen::VectorXd::Zero(2)).ok());
    }
  }
}

TEST_F(ClusterTest, EachServerAndAMemberOfEtcdDieUnderLoad) {
  for (const std::string& server : {servers_->all(), proxy_->address()}) {
    AskFrom(server);
    AskFrom(server);
    StreamFrom(server);
  }
  RegisterAt(servers_->all(), "direct-");
  RegisterAt(proxy_->address(), "proxied-");
  ASSERT_TRUE(Progress("all is well"));
  for (int i = 0; i < kServers; ++i) {
    servers_->Kill(i);
    ASSERT_TRUE(Progress(absl::StrCat("server ", i, " is dead")));
    servers_->Start(i);
    ASSERT_TRUE(servers_->WaitHealthy(i));
    ASSERT_TRUE(Progress(absl::StrCat("server ", i, " is back")));
  }
  const int leader = etcd_->Leader();
  ASSERT_GE(leader, 0);
  etcd_->Kill(leader);
  ASSERT_TRUE(Progress("the leader of etcd is dead"));
  etcd_->Start(leader);
  etcd_->WaitHealthy(leader);
  for (int i = 0; i < kServers; ++i) {  // a rolling restart
    servers_->Stop(i);
    servers_->Start(i);
    ASSERT_TRUE(servers_->WaitHealthy(i));
    ASSERT_TRUE(Progress(absl::StrCat("server ", i, " was restarted")));
  }
  StopLoad();

  long calls = 0, stream_answers = 0, reconnects = 0;
  for (const auto& load : loads_) {
    const bool stream = load->name[0] == 's';
    if (!stream) EXPECT_EQ(load->failed, 0) << load->name;
    if (stream) EXPECT_GT(load->reconnects, 0) << load->name;
    (stream ? stream_answers : calls) += load->done;
    reconnects += load->reconnects;
    std::printf("%s: %ld done, %ld failed, %ld reconnects\n", load->name.c_str(), load->done.load(), load->failed.load(),
                load->reconnects.load());
  }
  std::printf("%ld unary calls, %ld answers in streams, %ld reconnects, %zu models registered\n", calls, stream_answers,
              reconnects, registered_.size());

  std::vector<std::vector<v1::Model>> lists;
  for (int s = 0; s < kServers; ++s) {
    const auto client = Connect(servers_->address(s));
    for (const std::string& id : registered_) {
      const auto model = client->GetModel(id);
      ASSERT_TRUE(model.ok()) << "server " << s << " lost " << id << ": " << model.status();
    }
    const auto list = client->ListModels();
    ASSERT_TRUE(list.ok()) << list.status();
    lists.push_back(*list);
    for (size_t i = 0; i < questions_.size(); ++i) {
      const auto answer = client->StaticTorque("ur5e", questions_[i]);
      ASSERT_TRUE(answer.ok()) << answer.status();
      EXPECT_TRUE(Same(*answer, answers_[i]));
    }
  }
  for (int s = 1; s < kServers; ++s) {
    ASSERT_EQ(lists[s].size(), lists[0].size());
    for (size_t m = 0; m < lists[0].size(); ++m) {
      EXPECT_EQ(lists[s][m].name(), lists[0][m].name());
      EXPECT_EQ(lists[s][m].revision(), lists[0][m].revision());
      EXPECT_EQ(lists[s][m].etag(), lists[0][m].etag());
      EXPECT_EQ(lists[s][m].generation(), lists[0][m].generation());
    }
  }
}

TEST_F(ClusterTest, WithoutEtcdModelsAreReadOnlyAndItIsSaid) {
  const auto client = Connect(servers_->address(0));
  for (int member = 0; member < 2; ++member) etcd_->Kill(member);  // no majority
  v1::GetServerInfoResponse info;
  ASSERT_TRUE(Eventually([&] { return client->Ask<v1::GetServerInfoResponse>(v1::GetServerInfoRequest())->store().read_only(); }));
  EXPECT_TRUE(client->StaticTorque("ur5e", questions_[0]).ok());
  EXPECT_TRUE(client->CheckHealth().ok()) << "a question needs no etcd";
  const auto refused = client->RegisterModel("new", ReadText("deploy/robots/two-link.yaml"));
  EXPECT_TRUE(absl::IsUnavailable(refused.status()) || absl::IsDeadlineExceeded(refused.status())) << refused.status();
  for (int member = 0; member < 2; ++member) etcd_->Start(member);
  ASSERT_TRUE(
      Eventually([&] { return !client->Ask<v1::GetServerInfoResponse>(v1::GetServerInfoRequest())->store().read_only(); }));
  EXPECT_TRUE(client->RegisterModel("newer", ReadText("deploy/robots/two-link.yaml")).ok());
}

}  // namespace
}  // namespace torqued
