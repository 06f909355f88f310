#include "client/cli/options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <charconv>

namespace torqued::cli {

OptionSet& OptionSet::Group(const std::string& heading) {
  group_ = heading;
  return *this;
}

OptionSet& OptionSet::Argument(const std::string& name, std::string& value, const std::string& help,
                               bool required) {
  app_.add_option(name, value, help)
      ->required(required)
      ->type_name("")
      ->option_text(required ? "" : "(optional)");
  return *this;
}

OptionSet& OptionSet::Arguments(const std::string& name, std::vector<std::string>& values,
                                const std::string& help) {
  app_.add_option(name, values, help)->required()->type_name("")->option_text("...");
  return *this;
}

OptionSet& OptionSet::Text(const std::string& flags, std::string& value, const std::string& wanted,
                           const std::string& help) {
  app_.add_option(flags, value, help)->type_name(wanted)->group(group_);
  return *this;
}

OptionSet& OptionSet::Required(const std::string& flags, std::string& value,
                               const std::string& wanted, const std::string& help) {
  app_.add_option(flags, value, help)->type_name(wanted)->group(group_)->required();
  return *this;
}

OptionSet& OptionSet::Repeated(const std::string& flags, std::vector<std::string>& values,
                               const std::string& wanted, const std::string& help) {
  app_.add_option(flags, values, help + " (repeatable)")
      ->type_name(wanted)
      ->group(group_)
      ->expected(1)
      ->take_all();
  return *this;
}

OptionSet& OptionSet::Choice(const std::string& flags, std::string& value,
                             const std::vector<std::string>& choices, const std::string& help) {
  std::string wanted;
  for (const auto& choice : choices) wanted += (wanted.empty() ? "" : "|") + choice;
  app_.add_option(flags, value, help)
      ->type_name(wanted)
      ->group(group_)
      ->check([choices, wanted](const std::string& given) {
        for (const auto& choice : choices)
          if (given == choice) return std::string();
        return "'" + given + "', want " + wanted;
      });
  return *this;
}

OptionSet& OptionSet::Whole(const std::string& flags, int64_t& value, int64_t least,
                            const std::string& help) {
  app_.add_option_function<std::string>(
          flags,
          [&value, least, flags](const std::string& given) {
            int64_t number = 0;
            const auto [end, error] =
                std::from_chars(given.data(), given.data() + given.size(), number);
            if (error != std::errc() || end != given.data() + given.size() || number < least)
              throw CLI::ValidationError(
                  flags,
                  "'" + given + "', want a whole number of at least " + std::to_string(least));
            value = number;
          },
          help)
      ->type_name("N")
      ->group(group_);
  return *this;
}

OptionSet& OptionSet::Flag(const std::string& flags, bool& value, const std::string& help) {
  app_.add_flag(flags, value, help)->group(group_);
  return *this;
}

}  // namespace torqued::cli
