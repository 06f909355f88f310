#include "server/robots/load.h"

#include <fstream>

#include "server/robots/audit.h"
#include "server/robots/text.h"
#include "server/robots/urdf.h"
#include "server/robots/yaml_robot.h"

namespace torqued {
namespace {

using namespace robots;

// Text whose first visible character is '<' is XML.
SourceFormat Detect(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '<' ? SourceFormat::kUrdf : SourceFormat::kYaml;
}

}  // namespace

absl::StatusOr<LoadedModel> LoadModel(std::string_view source, const LoadOptions& options) {
  if (source.substr(0, 3) == "\xEF\xBB\xBF") source.remove_prefix(3);  // byte order mark
  if (absl::Status s = CheckText(source); !s.ok()) return s;
  Report report;
  LoadedModel out;
  out.format = Detect(source);
  if (out.format == SourceFormat::kUrdf) {
    out.model = ReadUrdf(source, options, report);
  } else {
    YamlRobot robot = ReadYamlRobot(source, options, report);
    out.model = std::move(robot.model);
    out.description = std::move(robot.description);
    out.labels = std::move(robot.labels);
  }
  if (report.failed()) return report.status();
  if (!options.name.empty()) out.model.name = options.name;
  Audit(options.policy, out.format, out.model, report);
  if (report.failed()) return report.status();
  out.capabilities = FindCapabilities(out.model);
  out.findings = report.TakeFindings();
  return out;
}

absl::StatusOr<std::string> ReadSourceFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(path + ": cannot be opened");
  std::string text(kMaxSourceBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return absl::NotFoundError(path + ": cannot be read");
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

absl::StatusOr<LoadedModel> LoadModelFile(const std::string& path, LoadOptions options) {
  const absl::StatusOr<std::string> text = ReadSourceFile(path);
  if (!text.ok()) return text.status();
  if (options.name.empty()) {
    const size_t slash = path.find_last_of('/');
    options.name = slash == std::string::npos ? path : path.substr(slash + 1);
    options.name = options.name.substr(0, options.name.find_last_of('.'));
  }
  absl::StatusOr<LoadedModel> loaded = LoadModel(*text, options);
  if (loaded.ok()) return loaded;
  const absl::string_view why = loaded.status().message();
  return absl::Status(loaded.status().code(), path + ": " + std::string(why.data(), why.size()));
}

}  // namespace torqued
