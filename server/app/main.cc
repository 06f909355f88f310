// torqued: the server's command line.
#include <CLI/CLI.hpp>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>

#include <cstdio>
#include <map>
#include <string>

#include "server/app/config.h"
#include "server/app/maintain.h"
#include "server/app/serve.h"
#include "server/app/version.h"

namespace {

using torqued::Configuration;
using torqued::Origin;

constexpr int kUsage = 5;

int Complain(const absl::Status& status) {
  std::fprintf(stderr, "torqued: %s\n", std::string(status.message()).c_str());
  return kUsage;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("torqued: a server that answers questions about robot statics and dynamics.\n"
               "Settings: flags override TORQUED_... variables, which override the file of --config.",
               "torqued");
  app.set_version_flag("--version", absl::StrCat("torqued ", TORQUED_VERSION, " (", TORQUED_COMMIT, ")"));
  app.fallthrough();
  app.footer("Examples:\n  torqued --listen 127.0.0.1:0 --data-dir data --robots deploy/robots --port-file port\n"
             "  torqued config show --origin\n  torqued check-store --data-dir data");
  std::string file;
  app.add_option("--config", file, "YAML file of settings (variable TORQUED_CONFIG)")->envname("TORQUED_CONFIG");
  std::map<std::string, std::string> flags;
  for (const torqued::Setting& setting : torqued::Settings()) {
    const std::string flag = absl::StrCat("--", absl::StrReplaceAll(setting.name, {{"_", "-"}}));
    const std::string help =
        absl::StrCat(setting.help, setting.fallback.empty() ? "" : absl::StrCat(" (", setting.fallback, ")"));
    if (setting.name == "insecure") {
      app.add_flag_callback(flag, [&flags] { flags["insecure"] = "true"; }, help);
    } else {
      app.add_option_function<std::string>(
          flag, [&flags, name = setting.name](const std::string& value) { flags[name] = value; }, help);
    }
  }
  CLI::App* config = app.add_subcommand("config", "about the configuration");
  CLI::App* show = config->add_subcommand("show", "prints every setting as a file would hold it");
  config->require_subcommand(1);
  bool origin = false;
  show->add_flag("--origin", origin, "and where each value came from");
  CLI::App* check_config = app.add_subcommand("check-config", "says whether the configuration is good");
  CLI::App* check_store = app.add_subcommand("check-store", "examines the store of --data-dir");
  CLI::App* backup = app.add_subcommand("backup", "copies the store of --data-dir to a new file, also while a server runs");
  CLI::App* restore = app.add_subcommand("restore", "puts a backup into --data-dir, which no server may use");
  std::string to, from;
  backup->add_option("--to", to, "the new file")->required();
  restore->add_option("--from", from, "the backup")->required();
  app.require_subcommand(0, 1);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : kUsage;
  }

  const auto read = [&]() -> absl::StatusOr<Configuration> {
    Configuration configuration;
    if (!file.empty())
      if (absl::Status s = configuration.ReadFile(file); !s.ok()) return s;
    if (absl::Status s = configuration.ReadEnvironment(); !s.ok()) return s;
    for (const auto& [name, value] : flags) {
      const std::string where = absl::StrCat("--", absl::StrReplaceAll(name, {{"_", "-"}}));
      if (absl::Status s = configuration.Set(name, value, Origin::kFlag, where); !s.ok()) return s;
    }
    return configuration;
  };
  const auto configuration = read();
  if (!configuration.ok()) return Complain(configuration.status());
  if (*show) {
    std::fputs(configuration->Show(origin).c_str(), stdout);
    return 0;
  }
  if (*check_store) return torqued::CheckStore(configuration->values());
  if (*backup) return torqued::Backup(configuration->values(), to);
  if (*restore) return torqued::Restore(configuration->values(), from);
  if (absl::Status s = configuration->Check(); !s.ok()) return Complain(s);
  if (*check_config) {
    std::puts("the configuration is good");
    return 0;
  }
  return torqued::Serve(configuration->values(), [&]() -> absl::StatusOr<torqued::Config> {
    const auto again = read();
    if (!again.ok()) return again.status();
    if (absl::Status s = again->Check(); !s.ok()) return s;
    return again->values();
  });
}
