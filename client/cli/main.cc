// torquectl: asks a torqued server, prints what it answers.
#include <csignal>
#include <iostream>

#include "client/cli/app.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_DFL);  // "torquectl ... | head" ends quietly
  std::ios::sync_with_stdio(false);
  const int code = torqued::cli::RunApp({argv + 1, argv + argc}, std::cout, std::cerr);
  if (std::cout.flush()) return code;
  std::cerr << "torquectl: standard output cannot be written\n";
  return code != 0 ? code : static_cast<int>(torqued::cli::Exit::kUnexpected);
}
