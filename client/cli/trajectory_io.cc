#include "client/cli/trajectory_io.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <yaml-cpp/yaml.h>

#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "client/cli/file.h"
#include "client/cli/session.h"
#include "client/planning/trajectory_file.h"

namespace torqued::cli {
namespace {

// Scalars that read as numbers become numbers; the locale has no say.
nlohmann::json FromYaml(const YAML::Node& node) {
  if (node.IsSequence()) {
    nlohmann::json list = nlohmann::json::array();
    for (const YAML::Node& item : node) list.push_back(FromYaml(item));
    return list;
  }
  if (node.IsMap()) {
    nlohmann::json map = nlohmann::json::object();
    for (const auto& item : node) map[item.first.Scalar()] = FromYaml(item.second);
    return map;
  }
  if (!node.IsScalar()) return nullptr;
  const std::string& text = node.Scalar();
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec == std::errc() && read.ptr == text.data() + text.size() && node.Tag() != "!") return value;
  return text;
}

absl::StatusOr<std::string> YamlAsJson(const std::string& text) {
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (!documents.empty() && documents[0].IsMap()) return FromYaml(documents[0]).dump();
    return absl::InvalidArgumentError("YAML: want a map with joint_names and points");
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("YAML: ", error.what()));
  }
}

// A header of a CSV file has its columns side by side; YAML has a colon in its first line.
bool LooksLikeYaml(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.empty() || line[0] == '#') continue;
    if (line.rfind("---", 0) == 0) return true;
    return line.find(':') != std::string::npos && line.find(".q") == std::string::npos;
  }
  return false;
}

bool WantsJson(const std::string& path) { return absl::EndsWith(path, ".json"); }

absl::StatusOr<Trajectory> InRobotOrder(const Trajectory& from, const RobotFacts& facts, const std::string& path) {
  const auto bad = [&](const std::string& why) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": ", why, "; the robot's joints are ", absl::StrJoin(facts.joint_names, ", ")));
  };
  std::set<std::string> seen;
  for (const std::string& name : from.joint_names)
    if (!seen.insert(name).second) return bad(absl::StrCat("joint_names: ", name, " stands there twice"));
  std::vector<int> rows;
  std::vector<std::string> missing;
  for (const std::string& name : facts.joint_names) {
    const auto at = std::find(from.joint_names.begin(), from.joint_names.end(), name);
    if (at == from.joint_names.end()) missing.push_back(name);
    rows.push_back(static_cast<int>(at - from.joint_names.begin()));
    seen.erase(name);
  }
  if (!missing.empty() || !seen.empty()) {
    std::string why = "joint_names:";
    if (!seen.empty()) absl::StrAppend(&why, " ", absl::StrJoin(seen, ", "), " unknown");
    if (!missing.empty()) absl::StrAppend(&why, seen.empty() ? " " : "; ", absl::StrJoin(missing, ", "), " missing");
    return bad(why);
  }
  Trajectory out = from;
  out.joint_names = facts.joint_names;
  for (size_t j = 0; j < rows.size(); ++j) {
    const auto to = static_cast<Eigen::Index>(j);
    out.q.row(to) = from.q.row(rows[j]);
    out.v.row(to) = from.v.row(rows[j]);
    out.a.row(to) = from.a.row(rows[j]);
    if (from.has_tau()) out.tau.row(to) = from.tau.row(rows[j]);
  }
  return out;
}

}  // namespace

absl::StatusOr<Trajectory> ReadTrajectoryFile(const std::string& path) {
  auto text = ReadWholeFile("", path);
  if (!text.ok()) return text.status();
  if (text->find_first_not_of(" \t\r\n") == std::string::npos)
    return absl::InvalidArgumentError(absl::StrCat(path, ": empty, want a trajectory as CSV, JSON or YAML"));
  TrajectoryFormat format = GuessFormat(*text);
  if (format == TrajectoryFormat::kCsv && LooksLikeYaml(*text)) {
    text = YamlAsJson(*text);
    if (!text.ok()) return absl::InvalidArgumentError(absl::StrCat(path, ": ", text.status().message()));
    format = TrajectoryFormat::kJson;
  }
  auto trajectory = ReadTrajectory(*text, format);
  if (!trajectory.ok())
    return absl::Status(trajectory.status().code(), absl::StrCat(path, ": ", trajectory.status().message()));
  return trajectory;
}

absl::StatusOr<Trajectory> ReadTrajectoryFile(const std::string& path, const RobotFacts& facts) {
  auto trajectory = ReadTrajectoryFile(path);
  return trajectory.ok() ? InRobotOrder(*trajectory, facts, path) : trajectory;
}

absl::Status CheckTrajectoryName(const std::string& flag, const std::string& path) {
  if (path.empty() || path == "-" || WantsJson(path) || absl::EndsWith(path, ".csv")) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(flag, ": ", path, ", want a name that ends in .csv or .json"));
}

absl::Status WriteTrajectoryFile(const std::string& path, const Trajectory& trajectory, const std::vector<bool>& is_linear) {
  if (absl::Status status = CheckTrajectoryName("--out", path); !status.ok()) return status;
  const auto format = WantsJson(path) ? TrajectoryFormat::kJson : TrajectoryFormat::kCsv;
  return WriteFile(path.empty() ? "-" : path, WriteTrajectory(trajectory, format, is_linear));
}

}  // namespace torqued::cli
