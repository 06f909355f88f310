#include "tests/contract/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace torqued::testing {
namespace {

struct Child {
  int pid, output;
};

Child Spawn(const std::vector<std::string>& args) {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  std::vector<char*> argv{const_cast<char*>(TORQUED_BINARY)};
  for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  const int pid = fork();
  if (pid == 0) {
    dup2(pipe_ends[1], 1);
    dup2(pipe_ends[1], 2);
    execv(TORQUED_BINARY, argv.data());
    _exit(127);
  }
  close(pipe_ends[1]);
  return {pid, pipe_ends[0]};
}

std::string ReadAll(int fd) {
  std::string out;
  char buffer[4096];
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;) out.append(buffer, n);
  return out;
}

Ended Collect(int pid, int output) {
  Ended ended;
  ended.output = ReadAll(output);
  int status = 0;
  waitpid(pid, &status, 0);
  if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
  return ended;
}

}  // namespace

TempFolder::TempFolder() {
  char name[] = "/tmp/torqued-contract-XXXXXX";
  path_ = mkdtemp(name);
}
TempFolder::~TempFolder() { std::filesystem::remove_all(path_); }

ServerProcess::ServerProcess(const std::string& folder, const std::vector<std::string>& args) {
  std::vector<std::string> all{"--listen", "127.0.0.1:0", "--data-dir", folder + "/data"};
  all.insert(all.end(), args.begin(), args.end());
  const Child child = Spawn(all);
  pid_ = child.pid;
  output_ = child.output;
  // "serving on 127.0.0.1:PORT" is said when it answers.
  std::string text;
  char buffer[512];
  const std::string sign = "serving on 127.0.0.1:";
  for (ssize_t n; (n = read(output_, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, n);
    const size_t at = text.find(sign);
    if (at != std::string::npos && text.find('\n', at) != std::string::npos) {
      port_ = std::atoi(text.c_str() + at + sign.size());
      return;
    }
  }
  throw std::runtime_error("torqued did not start: " + text);
}

ServerProcess::~ServerProcess() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  Wait();
}

std::shared_ptr<grpc::Channel> ServerProcess::Channel() const {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return grpc::CreateCustomChannel(address(), grpc::InsecureChannelCredentials(), arguments);
}

void ServerProcess::Signal(int signal) const { kill(pid_, signal); }

Ended ServerProcess::Wait() {
  const Ended ended = Collect(pid_, output_);
  close(output_);
  pid_ = -1;
  return ended;
}

Ended RunTorqued(const std::vector<std::string>& args) {
  const Child child = Spawn(args);
  const Ended ended = Collect(child.pid, child.output);
  close(child.output);
  return ended;
}

}  // namespace torqued::testing
