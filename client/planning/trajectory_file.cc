#include "client/planning/trajectory_file.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace torqued {
namespace {

void AppendNumber(std::string& out, double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  out.append(text, end);
}

bool ParseNumber(absl::string_view text, double& value) {
  text = absl::StripAsciiWhitespace(text);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto r = std::from_chars(text.data(), text.data() + text.size(), value);
  return r.ec == std::errc() && r.ptr == text.data() + text.size() && std::isfinite(value);
}

// Natural cubic spline in time through x: its first and second derivatives at the samples.
void Differentiate(const std::vector<double>& t, const Eigen::MatrixXd& x, Eigen::MatrixXd& first, Eigen::MatrixXd& second) {
  const int n = static_cast<int>(t.size());
  first = second = Eigen::MatrixXd::Zero(x.rows(), n);
  if (n < 2) return;
  std::vector<double> pivot(n, 0);
  for (int k = 1; k + 1 < n; ++k) {
    const double h0 = t[k] - t[k - 1], h1 = t[k + 1] - t[k], carry = k == 1 ? 0 : h0 / pivot[k - 1];
    pivot[k] = 2 * (h0 + h1) - carry * h0;
    second.col(k) = 6 * ((x.col(k + 1) - x.col(k)) / h1 - (x.col(k) - x.col(k - 1)) / h0) - carry * second.col(k - 1);
  }
  for (int k = n - 2; k >= 1; --k) second.col(k) = (second.col(k) - (t[k + 1] - t[k]) * second.col(k + 1)) / pivot[k];
  for (int k = 0; k < n; ++k) {
    const int i = std::min(k, n - 2);
    const double h = t[i + 1] - t[i];
    const Eigen::VectorXd chord = (x.col(i + 1) - x.col(i)) / h;
    first.col(k) = k < n - 1 ? Eigen::VectorXd(chord - h / 6 * (2 * second.col(i) + second.col(i + 1)))
                             : Eigen::VectorXd(chord + h / 6 * (second.col(i) + 2 * second.col(i + 1)));
  }
}

// Fills what the file left out, then checks everything.
absl::StatusOr<Trajectory> Complete(Trajectory t, bool has_v, bool has_a) {
  for (size_t k = 1; k < t.time_s.size(); ++k)
    if (!(t.time_s[k] > t.time_s[k - 1]))
      return absl::InvalidArgumentError(absl::StrCat("point ", k, ": time ", t.time_s[k], " s, want more than its predecessor's ",
                                                     t.time_s[k - 1], " s"));
  Eigen::MatrixXd first, second, unused;
  if (!has_v) {
    Differentiate(t.time_s, t.q, first, second);
    t.v = first;
    if (!has_a) t.a = second;
  } else if (!has_a) {
    Differentiate(t.time_s, t.v, first, second);
    t.a = first;
  }
  if (absl::Status s = CheckShape(t); !s.ok()) return s;
  return t;
}

std::string Csv(const Trajectory& t, const std::vector<bool>& is_linear) {
  std::string out = "time[s]";
  const struct { const char* name; const char* turn; const char* slide; const Eigen::MatrixXd* values; } blocks[] = {
      {"q", "rad", "m", &t.q}, {"v", "rad/s", "m/s", &t.v}, {"a", "rad/s^2", "m/s^2", &t.a}, {"tau", "Nm", "N", &t.tau}};
  for (const auto& block : blocks) {
    if (block.values->size() == 0) continue;
    for (int j = 0; j < t.joint_count(); ++j)
      absl::StrAppend(&out, ",", t.joint_names[j], ".", block.name, "[",
                      !is_linear.empty() && is_linear[j] ? block.slide : block.turn, "]");
  }
  out += '\n';
  for (int k = 0; k < t.sample_count(); ++k) {
    AppendNumber(out, t.time_s[k]);
    for (const auto& block : blocks) {
      if (block.values->size() == 0) continue;
      for (int j = 0; j < t.joint_count(); ++j) {
        out += ',';
        AppendNumber(out, (*block.values)(j, k));
      }
    }
    out += '\n';
  }
  return out;
}

std::string Json(const Trajectory& t) {
  nlohmann::ordered_json root;
  root["joint_names"] = t.joint_names;
  root["points"] = nlohmann::ordered_json::array();
  const auto column = [](const Eigen::MatrixXd& m, int k) {
    return std::vector<double>(m.col(k).data(), m.col(k).data() + m.rows());
  };
  for (int k = 0; k < t.sample_count(); ++k) {
    nlohmann::ordered_json point;
    point["positions"] = column(t.q, k);
    point["velocities"] = column(t.v, k);
    point["accelerations"] = column(t.a, k);
    if (t.has_tau()) point["effort"] = column(t.tau, k);
    const auto nanoseconds = static_cast<std::int64_t>(std::llround(t.time_s[k] * 1e9));
    point["time_from_start"] = {{"sec", nanoseconds / 1000000000}, {"nanosec", nanoseconds % 1000000000}};
    root["points"].push_back(std::move(point));
  }
  return root.dump(1) + "\n";
}

absl::StatusOr<Trajectory> ReadCsv(const std::string& text) {
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  const std::vector<absl::string_view> header = absl::StrSplit(lines[0], ',');
  Trajectory t;
  struct Column { char block = 0; int joint = 0; };
  std::vector<Column> columns;
  std::map<std::string, int> joints;
  for (absl::string_view cell : header) {
    cell = absl::StripAsciiWhitespace(cell);
    const absl::string_view name = cell.substr(0, cell.find('['));
    if (name == "time") {
      columns.push_back({'t', 0});
      continue;
    }
    const size_t dot = name.rfind('.');
    const absl::string_view kind = dot == absl::string_view::npos ? "" : name.substr(dot + 1);
    if (kind != "q" && kind != "v" && kind != "a" && kind != "tau")
      return absl::InvalidArgumentError(
          absl::StrCat("CSV header: column '", cell, "', want time[s] or JOINT.q, JOINT.v, JOINT.a or JOINT.tau"));
    const auto [it, fresh] = joints.try_emplace(std::string(name.substr(0, dot)), static_cast<int>(joints.size()));
    if (fresh) t.joint_names.push_back(it->first);
    columns.push_back({kind == "tau" ? 'f' : kind[0], it->second});
  }
  int samples = 0;
  for (size_t l = 1; l < lines.size(); ++l) samples += !absl::StripAsciiWhitespace(lines[l]).empty();
  const int n = static_cast<int>(joints.size());
  std::map<char, Eigen::MatrixXd> blocks;
  for (const Column& c : columns)
    if (c.block != 't' && blocks[c.block].size() == 0) blocks[c.block] = Eigen::MatrixXd::Constant(n, samples, NAN);
  if (!blocks.count('q')) return absl::InvalidArgumentError("CSV header: no JOINT.q column");
  for (size_t l = 1; l < lines.size(); ++l) {
    if (absl::StripAsciiWhitespace(lines[l]).empty()) continue;
    const std::vector<absl::string_view> cells = absl::StrSplit(lines[l], ',');
    if (cells.size() != columns.size())
      return absl::InvalidArgumentError(
          absl::StrCat("CSV line ", l + 1, ": ", cells.size(), " values, want ", columns.size()));
    const int k = static_cast<int>(t.time_s.size());
    bool timed = false;
    for (size_t c = 0; c < cells.size(); ++c) {
      double value = 0;
      if (!ParseNumber(cells[c], value))
        return absl::InvalidArgumentError(absl::StrCat("CSV line ", l + 1, ", column ", c + 1, ": '", cells[c], "', want a number"));
      if (columns[c].block == 't') t.time_s.push_back(value), timed = true;
      else blocks[columns[c].block](columns[c].joint, k) = value;
    }
    if (!timed) return absl::InvalidArgumentError("CSV header: no time[s] column");
  }
  t.q = blocks['q'];
  const bool has_v = blocks.count('v') > 0, has_a = blocks.count('a') > 0;
  if (has_v) t.v = blocks['v'];
  if (has_a) t.a = blocks['a'];
  if (blocks.count('f')) t.tau = blocks['f'];
  return Complete(std::move(t), has_v, has_a);
}

absl::StatusOr<Trajectory> ReadJson(const std::string& text) {
  nlohmann::json root = nlohmann::json::parse(text, nullptr, false);
  if (root.is_discarded()) return absl::InvalidArgumentError("JSON: not well formed");
  for (const char* outer : {"trajectory", "joint_trajectory"})
    if (root.is_object() && root.contains(outer) && root[outer].is_object()) root = nlohmann::json(root[outer]);
  if (!root.is_object() || !root.contains("joint_names") || !root["joint_names"].is_array() || !root.contains("points") ||
      !root["points"].is_array())
    return absl::InvalidArgumentError("JSON: want an object with joint_names and points");
  Trajectory t;
  for (const auto& name : root["joint_names"]) {
    if (!name.is_string()) return absl::InvalidArgumentError("JSON joint_names: want strings");
    t.joint_names.push_back(name.get<std::string>());
  }
  const auto& points = root["points"];
  const int n = t.joint_count(), samples = static_cast<int>(points.size());
  const auto present = [&](const char* field) {
    return samples > 0 && points[0].is_object() && points[0].contains(field) && points[0][field].is_array() && !points[0][field].empty();
  };
  const bool has_v = present("velocities"), has_a = present("accelerations"), has_tau = present("effort");
  t.q.resize(n, samples);
  if (has_v) t.v.resize(n, samples);
  if (has_a) t.a.resize(n, samples);
  if (has_tau) t.tau.resize(n, samples);
  for (int k = 0; k < samples; ++k) {
    const auto& point = points[k];
    const auto fill = [&](const char* field, Eigen::MatrixXd& to) -> absl::Status {
      if (!point.is_object() || !point.contains(field) || !point[field].is_array() || static_cast<int>(point[field].size()) != n)
        return absl::InvalidArgumentError(absl::StrCat("JSON points[", k, "].", field, ": want ", n, " numbers"));
      for (int j = 0; j < n; ++j) {
        if (!point[field][j].is_number())
          return absl::InvalidArgumentError(absl::StrCat("JSON points[", k, "].", field, "[", j, "]: want a number"));
        to(j, k) = point[field][j].get<double>();
      }
      return absl::OkStatus();
    };
    absl::Status status = fill("positions", t.q);
    if (has_v) status.Update(fill("velocities", t.v));
    if (has_a) status.Update(fill("accelerations", t.a));
    if (has_tau) status.Update(fill("effort", t.tau));
    if (!status.ok()) return status;
    const nlohmann::json time = point.value("time_from_start", nlohmann::json());
    const auto part = [&](const char* a, const char* b) -> double {
      for (const char* name : {a, b})
        if (time.is_object() && time.contains(name) && time[name].is_number()) return time[name].get<double>();
      return 0;
    };
    if (time.is_number()) t.time_s.push_back(time.get<double>());
    else if (time.is_object()) t.time_s.push_back((part("sec", "secs") * 1e9 + part("nanosec", "nsecs")) / 1e9);
    else return absl::InvalidArgumentError(absl::StrCat("JSON points[", k, "].time_from_start: want seconds, or sec and nanosec"));
  }
  return Complete(std::move(t), has_v, has_a);
}

}  // namespace

std::string WriteTrajectory(const Trajectory& trajectory, TrajectoryFormat format, const std::vector<bool>& is_linear) {
  return format == TrajectoryFormat::kCsv ? Csv(trajectory, is_linear) : Json(trajectory);
}

absl::StatusOr<Trajectory> ReadTrajectory(const std::string& text, TrajectoryFormat format) {
  return format == TrajectoryFormat::kCsv ? ReadCsv(text) : ReadJson(text);
}

TrajectoryFormat GuessFormat(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{' ? TrajectoryFormat::kJson : TrajectoryFormat::kCsv;
}

}  // namespace torqued
