#include "tests/cli/process.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace torqued {
namespace {

// Forks and executes; out and err are the child's ends.
pid_t Spawn(const std::string& program, const std::vector<std::string>& arguments,
            const Environment& environment, int out, int err) {
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  for (const auto& [name, value] : environment)
    value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  for (int fd = 3; fd < 64; ++fd) close(fd);
  execv(program.c_str(), argv.data());
  _exit(127);
}

int Wait(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

Finished RunProgram(const std::string& program, const std::vector<std::string>& arguments,
                    const Environment& environment) {
  int out[2], err[2];
  if (pipe(out) != 0 || pipe(err) != 0) throw std::runtime_error("pipe");
  const pid_t child = Spawn(program, arguments, environment, out[1], err[1]);
  close(out[1]);
  close(err[1]);
  Finished finished;
  pollfd ends[2] = {{out[0], POLLIN, 0}, {err[0], POLLIN, 0}};
  for (int open = 2; open > 0;) {
    poll(ends, 2, -1);
    for (int i = 0; i < 2; ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      char buffer[65536];
      const ssize_t size = read(ends[i].fd, buffer, sizeof buffer);
      if (size > 0) {
        (i == 0 ? finished.out : finished.err).append(buffer, static_cast<size_t>(size));
      } else {
        close(ends[i].fd);
        ends[i].fd = -1;
        --open;
      }
    }
  }
  const int status = Wait(child);
  finished.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return finished;
}

Finished Torquectl(const std::vector<std::string>& arguments, const Environment& environment) {
  Environment all = environment;
  all.emplace("TORQUED_SERVER", "");
  all.emplace("TORQUED_ROBOTS", "");
  return RunProgram(std::string(TORQUED_BIN) + "/torquectl", arguments, all);
}

TestServer::TestServer(const Environment& environment, const std::vector<std::string>& more_flags) {
  std::string pattern = ::testing::TempDir() + "/torqued-XXXXXX";
  data_folder_ = mkdtemp(pattern.data());
  const std::string port_file = data_folder_ + "/port";
  std::vector<std::string> flags = {
      "--listen", "127.0.0.1:0",   "--data-dir",  data_folder_ + "/data",
      "--robots", "deploy/robots", "--port-file", port_file};
  flags.insert(flags.end(), more_flags.begin(), more_flags.end());
  int log[2];
  if (pipe(log) != 0) throw std::runtime_error("pipe");
  child_ = Spawn(std::string(TORQUED_BIN) + "/torqued", flags, environment, log[1], log[1]);
  close(log[1]);
  std::string said;
  char buffer[4096];
  for (ssize_t size; said.find("serving on") == std::string::npos &&
                     (size = read(log[0], buffer, sizeof buffer)) > 0;)
    said.append(buffer, static_cast<size_t>(size));
  // What it says from now on goes to a reader of its own, so that the pipe never fills.
  if (fork() == 0) {
    while (read(log[0], buffer, sizeof buffer) > 0) {
    }
    _exit(0);
  }
  close(log[0]);
  std::string port;
  std::ifstream(port_file) >> port;
  if (port.empty()) throw std::runtime_error("torqued did not serve: " + said);
  address_ = "127.0.0.1:" + port;
}

TestServer::~TestServer() {
  if (child_ > 0) Stop(SIGTERM);
  std::error_code ignored;
  std::filesystem::remove_all(data_folder_, ignored);
}

int TestServer::Stop(int signal) {
  kill(child_, signal);
  const int status = Wait(child_);
  child_ = -1;
  return status;
}

void TestServer::Signal(int signal) const {
  kill(child_, signal);
  if (signal == SIGSTOP) waitpid(child_, nullptr, WUNTRACED);  // until it has really stopped
}

Finished TestServer::Ask(std::vector<std::string> arguments, Environment environment) const {
  environment.emplace("TORQUED_SERVER", address_);
  return Torquectl(arguments, environment);
}

std::vector<std::string> SplitCommand(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool any = false;
  char quote = 0;
  for (const char c : line) {
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      any = true;
    } else if (c == ' ') {
      if (any || !word.empty()) words.push_back(word);
      word.clear();
      any = false;
    } else {
      word += c;
    }
  }
  if (any || !word.empty()) words.push_back(word);
  return words;
}

}  // namespace torqued
