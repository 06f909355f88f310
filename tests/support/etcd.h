// Real etcd members in processes of their own, on free ports, with data that outlives kill -9.
#pragma once

#include <string>
#include <vector>

namespace torqued::testing {

bool HaveEtcd();  // the programs etcd and etcdctl are installed

struct EtcdTls {
  std::string ca, certificate, key;  // PEM files; with them clients must show a certificate
};

class EtcdCluster {
 public:
  // Starts `members` of them and waits until all answer.
  EtcdCluster(const std::string& folder, int members, const EtcdTls& tls = {});
  ~EtcdCluster();
  EtcdCluster(const EtcdCluster&) = delete;
  EtcdCluster& operator=(const EtcdCluster&) = delete;

  std::string url() const;  // etcd://127.0.0.1:a,127.0.0.1:b,...
  std::string endpoint(int member) const;
  int size() const { return static_cast<int>(members_.size()); }
  void Kill(int member);   // -9
  void Start(int member);  // again, with its data; does not wait
  void WaitHealthy(int member) const;
  int Leader() const;

  // etcdctl ARGS at one member: its output. Fails the test if it fails.
  std::string Ctl(const std::string& args, int member = 0) const;

 private:
  struct Member {
    int pid = -1, client_port = 0, peer_port = 0;
  };
  std::string folder_;
  EtcdTls tls_;
  std::vector<Member> members_;
};

int FreePort();

// Starts a program in the background; its output goes to a file. Its process id.
int Spawn(const std::vector<std::string>& command, const std::string& log);
void KillAndReap(int& pid, int signal = 9);

}  // namespace torqued::testing
