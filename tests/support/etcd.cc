#include "tests/support/etcd.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <set>

namespace torqued::testing {

bool HaveEtcd() { return std::system("command -v etcd >/dev/null && command -v etcdctl >/dev/null") == 0; }

int FreePort() {
  static std::set<int> given;  // a port just closed may be given again
  for (;;) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
    getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
    close(fd);
    if (given.insert(ntohs(address.sin_port)).second) return ntohs(address.sin_port);
  }
}

int Spawn(const std::vector<std::string>& command, const std::string& log) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const int pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // nothing outlives a test that was ended from outside
    dup2(out, 1);
    dup2(out, 2);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  close(out);
  EXPECT_GT(pid, 0);
  return pid;
}

void KillAndReap(int& pid, int signal) {
  if (pid <= 0) return;
  kill(pid, signal);
  waitpid(pid, nullptr, 0);
  pid = -1;
}

EtcdCluster::EtcdCluster(const std::string& folder, int members, const EtcdTls& tls) : folder_(folder), tls_(tls) {
  for (int i = 0; i < members; ++i) members_.push_back({-1, FreePort(), FreePort()});
  for (int i = 0; i < members; ++i) Start(i);
  for (int i = 0; i < members; ++i) WaitHealthy(i);
}

EtcdCluster::~EtcdCluster() {
  for (Member& member : members_) KillAndReap(member.pid);
}

std::string EtcdCluster::endpoint(int member) const {
  return "127.0.0.1:" + std::to_string(members_[member].client_port);
}

std::string EtcdCluster::url() const {
  std::string url = "etcd://";
  for (int i = 0; i < size(); ++i) url += (i ? "," : "") + endpoint(i);
  return url;
}

void EtcdCluster::Kill(int member) { KillAndReap(members_[member].pid); }

void EtcdCluster::Start(int member) {
  const std::string name = "m" + std::to_string(member), scheme = tls_.ca.empty() ? "http://" : "https://";
  const std::string client = scheme + endpoint(member);
  const auto peer = [&](int i) { return "http://127.0.0.1:" + std::to_string(members_[i].peer_port); };
  std::string all;
  for (int i = 0; i < size(); ++i) all += (i ? ",m" : "m") + std::to_string(i) + "=" + peer(i);
  std::vector<std::string> command{"etcd", "--name", name, "--data-dir", folder_ + "/" + name, "--listen-client-urls", client,
                                   "--advertise-client-urls", client, "--listen-peer-urls", peer(member),
                                   "--initial-advertise-peer-urls", peer(member), "--initial-cluster", all, "--logger", "zap",
                                   "--log-level", "error"};
  if (!tls_.ca.empty())
    command.insert(command.end(), {"--cert-file", tls_.certificate, "--key-file", tls_.key, "--trusted-ca-file", tls_.ca,
                                   "--client-cert-auth"});
  members_[member].pid = Spawn(command, folder_ + "/" + name + ".log");
}

std::string EtcdCluster::Ctl(const std::string& args, int member) const {
  std::string command = "ETCDCTL_API=3 etcdctl --endpoints " + endpoint(member);
  if (!tls_.ca.empty()) command += " --cacert " + tls_.ca + " --cert " + tls_.certificate + " --key " + tls_.key;
  FILE* pipe = popen((command + " " + args + " 2>&1").c_str(), "r");
  std::string output;
  std::array<char, 4096> buffer;
  while (const size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) output.append(buffer.data(), n);
  EXPECT_EQ(pclose(pipe), 0) << "etcdctl " << args << ": " << output;
  return output;
}

void EtcdCluster::WaitHealthy(int member) const {
  std::string command = "ETCDCTL_API=3 etcdctl --endpoints " + endpoint(member) + " --command-timeout 1s";
  if (!tls_.ca.empty()) command += " --cacert " + tls_.ca + " --cert " + tls_.certificate + " --key " + tls_.key;
  for (int attempt = 0; attempt < 120; ++attempt)
    if (std::system((command + " get torqued-probe >/dev/null 2>&1").c_str()) == 0) return;
  ADD_FAILURE() << "etcd member " << member << " does not answer; see its log in " << folder_;
}

int EtcdCluster::Leader() const {
  for (int i = 0; i < size(); ++i) {
    if (members_[i].pid <= 0) continue;
    // ENDPOINT, ID, VERSION, DB SIZE, IS LEADER, ...
    const std::string line = Ctl("endpoint status --write-out=simple", i);
    if (line.find(", true, ") != std::string::npos) return i;
  }
  return -1;
}

}  // namespace torqued::testing
