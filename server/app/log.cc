#include "server/app/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace torqued::log {
namespace {

spdlog::logger& Logger() {
  if (const auto logger = spdlog::get("torqued")) return *logger;
  const auto logger = spdlog::stderr_logger_mt("torqued");
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%f%z %l %v");
  logger->flush_on(spdlog::level::warn);
  return *logger;
}

}  // namespace

bool Configure(const std::string& level, const std::string& file) {
  const auto parsed = spdlog::level::from_str(level);
  if (parsed == spdlog::level::off && level != "off") return false;
  Logger().set_level(parsed);
  if (file.empty()) return true;
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
    Logger().sinks() = {std::move(sink)};
    Logger().set_pattern("%Y-%m-%dT%H:%M:%S.%f%z %l %v");
  } catch (const spdlog::spdlog_ex&) {
    return false;
  }
  return true;
}

void Write(Level level, const std::string& line) {
  switch (level) {
    case Level::kDebug: Logger().debug(line); return;
    case Level::kInfo: Logger().info(line); return;
    case Level::kWarning: Logger().warn(line); return;
    case Level::kError: Logger().error(line); return;
  }
}

void Flush() { Logger().flush(); }

}  // namespace torqued::log
