// Command line in, exit code out.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "client/cli/verb.h"

namespace torqued::cli {

// argv without the program's name. Errors go to `err` as one line: "torquectl static: --q: 5
// values, want 6: ...".
int RunApp(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

// The names of a verb's options and of the shared ones, for shell completion.
std::vector<std::string> FlagsOf(Verb& verb);
std::vector<std::string> SharedFlags();

}  // namespace torqued::cli
