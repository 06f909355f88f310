// usage: conformance FOLDER     compares this build with a folder of reference files; exit 0: within tolerance,
//                               2: some value is not, 5: the folder cannot be read.
#include <cstdio>
#include <exception>

#include "tests/conformance/compare.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 5;
  }
  try {
    bool ok = true;
    std::vector<torqued::conformance::Comparison> all;
    for (const auto& robot : torqued::conformance::ReadFolder(argv[1]))
      for (const auto& x : torqued::conformance::Compare(robot)) {
        all.push_back(x);
        ok = ok && x.ok();
      }
    if (all.empty()) throw std::runtime_error(std::string(argv[1]) + ": no reference files");
    std::fputs(torqued::conformance::Table(all).c_str(), stdout);
    return ok ? 0 : 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "conformance: %s\n", e.what());
    return 5;
  }
}
