// One verb of torquectl: its words, its options, what it does.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <vector>

#include "client/cli/exit_code.h"
#include "client/cli/options.h"
#include "client/cli/session.h"

namespace torqued::cli {

struct VerbText {
  std::string name;                   // "static", or more words: "model add", "auth token list"
  std::string group;                  // heading in the list of verbs
  std::string summary;                // one line
  std::vector<std::string> examples;  // command lines without the leading "torquectl "
  std::string details;                // paragraphs before the examples; may be empty
};

class Verb {
 public:
  virtual ~Verb() = default;
  virtual VerbText Text() const = 0;
  virtual void Declare(OptionSet& options) = 0;
  virtual absl::StatusOr<Exit> Run(Session& session) = 0;
};

// Every verb there is, in the order of --help. A new verb is added in verbs/all.cc.
std::vector<std::unique_ptr<Verb>> AllVerbs();

}  // namespace torqued::cli
