// The options and arguments of one verb. Hides the parser from the verbs, and keeps numbers out of
// the locale's hands: all values arrive as text and are read by numbers.h.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace torqued::cli {

class OptionSet {
 public:
  explicit OptionSet(CLI::App& app) : app_(app) {}

  // Heading of the options that follow in --help.
  OptionSet& Group(const std::string& heading);

  // Arguments without a dash, in order.
  OptionSet& Argument(const std::string& name, std::string& value, const std::string& help,
                      bool required = true);
  OptionSet& Arguments(const std::string& name, std::vector<std::string>& values,
                       const std::string& help);

  // --flag VALUE; `wanted` stands for the value in --help. A value may begin with a minus.
  OptionSet& Text(const std::string& flags, std::string& value, const std::string& wanted,
                  const std::string& help);
  OptionSet& Required(const std::string& flags, std::string& value, const std::string& wanted,
                      const std::string& help);
  OptionSet& Repeated(const std::string& flags, std::vector<std::string>& values,
                      const std::string& wanted, const std::string& help);
  OptionSet& Choice(const std::string& flags, std::string& value,
                    const std::vector<std::string>& choices, const std::string& help);
  OptionSet& Whole(const std::string& flags, int64_t& value, int64_t least,
                   const std::string& help);
  OptionSet& Flag(const std::string& flags, bool& value, const std::string& help);

 private:
  CLI::App& app_;
  std::string group_ = "Options";
};

}  // namespace torqued::cli
