// A real torqued in a process of its own, on a free port, with a data folder that outlives it.
#pragma once

#include <grpcpp/grpcpp.h>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

namespace torqued::testing {

// A folder under /tmp, removed at the end.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Ended {
  int exit_code = -1;  // -1: by a signal
  std::string output;  // standard output and error
};

class ServerProcess {
 public:
  // Starts `torqued --listen 127.0.0.1:0 --data-dir FOLDER/data --port-file ... ARGS` and waits until it answers.
  ServerProcess(const std::string& folder, const std::vector<std::string>& args = {});
  ~ServerProcess();  // kills it
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  int port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  int pid() const { return pid_; }
  // A channel of its own: no connection is shared with other channels.
  std::shared_ptr<grpc::Channel> Channel() const;
  void Signal(int signal) const;
  Ended Wait();  // for its end

 private:
  int pid_ = -1, port_ = 0, output_ = -1;
};

// Runs torqued with these arguments to its end.
Ended RunTorqued(const std::vector<std::string>& args);

}  // namespace torqued::testing
