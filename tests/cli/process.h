// Runs the real programs: a server on a free port for the length of a test, and torquectl with
// captured output.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace torqued {

using Environment =
    std::map<std::string, std::string>;  // added to (or, empty, removed from) the test's own

struct Finished {
  int exit = -1;
  std::string out, err;
};
Finished RunProgram(const std::string& program, const std::vector<std::string>& arguments,
                    const Environment& environment = {});

// torquectl of the build.
Finished Torquectl(const std::vector<std::string>& arguments, const Environment& environment = {});

// torqued of the build with the shipped robots, in a data folder of its own. Its construction
// returns when it serves.
class TestServer {
 public:
  explicit TestServer(const Environment& environment = {},
                      const std::vector<std::string>& more_flags = {});
  ~TestServer();
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  const std::string& address() const { return address_; }
  const std::string& data_folder() const { return data_folder_; }
  // Ends it now; SIGTERM drains, SIGKILL does not. Returns its exit status as wait gives it.
  int Stop(int signal);
  void Signal(int signal) const;  // SIGSTOP and SIGCONT: a server that hangs
  // torquectl against this server.
  Finished Ask(std::vector<std::string> arguments, Environment environment = {}) const;

 private:
  std::string data_folder_, address_;
  pid_t child_ = -1;
};

// Splits a command line at blanks; "..." and '...' hold parts together.
std::vector<std::string> SplitCommand(const std::string& line);

}  // namespace torqued
