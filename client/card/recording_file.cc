// Recordings as files: binary (exact, quick), CSV (spreadsheets), JSON (programs).
#include <cmath>
#include <cstring>
#include <fstream>
#include <locale>
#include <nlohmann/json.hpp>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/card/recorder.h"

namespace torqued {
namespace {

using nlohmann::json;

constexpr char kFormat[] = "torqued-card-recording";
constexpr int kVersion = 1;

struct Column {
  const char* name;         // suffix in CSV, key in JSON
  AxisArray Feedback::* values;
  const char* rotary;       // unit
  const char* linear;
};
const Column kColumns[] = {
    {"q_command", &Feedback::q_command, "rad", "m"},   {"v_command", &Feedback::v_command, "rad/s", "m/s"},
    {"q", &Feedback::q, "rad", "m"},                   {"v", &Feedback::v, "rad/s", "m/s"},
    {"tau_feed_forward", &Feedback::tau_feed_forward, "Nm", "N"}, {"tau_command", &Feedback::tau_command, "Nm", "N"},
    {"tau", &Feedback::tau, "Nm", "N"},
};

json StatusToJson(const CardStatus& s) {
  return {{"code", static_cast<int>(s.code)}, {"name", Name(s.code)}, {"joint", s.joint}, {"cycle", s.cycle},
          {"value", std::isfinite(s.value) ? json(s.value) : json(nullptr)}, {"limit", s.limit}, {"vendor", s.vendor}};
}

CardStatus StatusFromJson(const json& j) {
  CardStatus s;
  s.code = static_cast<CardCode>(j.at("code").get<int>());
  s.joint = j.at("joint");
  s.cycle = j.at("cycle");
  s.value = j.at("value").is_null() ? std::nan("") : j.at("value").get<double>();
  s.limit = j.at("limit");
  s.vendor = j.at("vendor");
  return s;
}

json Header(const Recording& r) {
  return {{"format", kFormat},   {"version", kVersion},   {"joints", r.joints},       {"linear", r.linear},
          {"cycle_s", r.cycle_s}, {"real_time", r.real_time}, {"driver", r.driver},   {"outcome", r.outcome},
          {"cause", StatusToJson(r.cause)}, {"planned", r.planned}, {"lost", r.lost}, {"record_bytes", sizeof(CycleRecord)}};
}

absl::Status FromHeader(const json& h, const std::string& path, Recording* r) {
  if (h.value("format", "") != kFormat) return absl::InvalidArgumentError(absl::StrCat(path, ": is not a card recording"));
  if (h.value("version", 0) != kVersion)
    return absl::InvalidArgumentError(absl::StrCat(path, ": recording version ", h.value("version", 0), ", want ", kVersion));
  r->joints = h.at("joints").get<std::vector<std::string>>();
  r->linear = h.at("linear").get<std::vector<bool>>();
  if (r->joints.empty() || r->joints.size() > kMaxAxes || r->linear.size() != r->joints.size())
    return absl::InvalidArgumentError(absl::StrCat(path, ": joints: ", r->joints.size(), ", want 1 to ", kMaxAxes));
  r->cycle_s = h.at("cycle_s");
  r->real_time = h.at("real_time");
  r->driver = h.at("driver");
  r->outcome = h.at("outcome");
  r->cause = StatusFromJson(h.at("cause"));
  r->planned = h.at("planned");
  r->lost = h.at("lost");
  return absl::OkStatus();
}

void WriteCsv(const Recording& r, std::ostream& out) {
  out << "time[s],cycle,session,sequence,executed,state,queued,path[s],pace,card_lateness[s],bridge_lateness[s]";
  for (std::size_t i = 0; i < r.joints.size(); ++i)
    for (const Column& c : kColumns) out << "," << r.joints[i] << "." << c.name << "[" << (r.linear[i] ? c.linear : c.rotary) << "]";
  out << "\n";
  for (const CycleRecord& k : r.cycles) {
    const Feedback& f = k.feedback;
    out << 1e-9 * static_cast<double>(f.time_ns - r.cycles.front().feedback.time_ns) << "," << f.cycle << "," << f.session << "," << f.sequence << ","
        << ((f.flags & kExecuted) ? 1 : 0) << "," << Name(f.state) << "," << f.queued << "," << k.path_s << "," << k.pace << ","
        << 1e-9 * static_cast<double>(f.lateness_ns) << "," << 1e-9 * static_cast<double>(k.bridge_lateness_ns);
    for (std::size_t i = 0; i < r.joints.size(); ++i)
      for (const Column& c : kColumns) out << "," << (f.*c.values)[i];
    out << "\n";
  }
}

json ToJson(const Recording& r) {
  json j = Header(r);
  json& rows = j["cycles"];
  const auto column = [&](const char* name, auto get) {
    json values = json::array();
    for (const CycleRecord& k : r.cycles) values.push_back(get(k));
    rows[name] = std::move(values);
  };
  column("time_ns", [](const CycleRecord& k) { return k.feedback.time_ns; });
  column("cycle", [](const CycleRecord& k) { return k.feedback.cycle; });
  column("session", [](const CycleRecord& k) { return k.feedback.session; });
  column("sequence", [](const CycleRecord& k) { return k.feedback.sequence; });
  column("flags", [](const CycleRecord& k) { return k.feedback.flags; });
  column("state", [](const CycleRecord& k) { return static_cast<std::uint32_t>(k.feedback.state); });
  column("queued", [](const CycleRecord& k) { return k.feedback.queued; });
  column("path_s", [](const CycleRecord& k) { return k.path_s; });
  column("pace", [](const CycleRecord& k) { return k.pace; });
  column("card_lateness_ns", [](const CycleRecord& k) { return k.feedback.lateness_ns; });
  column("bridge_lateness_ns", [](const CycleRecord& k) { return k.bridge_lateness_ns; });
  for (const Column& c : kColumns) {
    json joints = json::array();
    for (std::size_t i = 0; i < r.joints.size(); ++i) {
      json values = json::array();
      for (const CycleRecord& k : r.cycles) values.push_back((k.feedback.*c.values)[i]);
      joints.push_back(std::move(values));
    }
    rows[c.name] = std::move(joints);
  }
  return j;
}

absl::Status CyclesFromJson(const json& rows, const std::string& path, Recording* r) {
  const std::size_t n = rows.at("cycle").size();
  r->cycles.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    CycleRecord& c = r->cycles[k];
    Feedback& f = c.feedback;
    f.time_ns = rows.at("time_ns").at(k);
    f.cycle = rows.at("cycle").at(k);
    f.session = rows.at("session").at(k);
    f.sequence = rows.at("sequence").at(k);
    f.flags = rows.at("flags").at(k);
    f.state = static_cast<CardState>(rows.at("state").at(k).get<std::uint32_t>());
    f.queued = rows.at("queued").at(k);
    c.path_s = rows.at("path_s").at(k);
    c.pace = rows.at("pace").at(k);
    f.lateness_ns = rows.at("card_lateness_ns").at(k);
    c.bridge_lateness_ns = rows.at("bridge_lateness_ns").at(k);
    for (const Column& column : kColumns)
      for (std::size_t i = 0; i < r->joints.size(); ++i) (f.*column.values)[i] = rows.at(column.name).at(i).at(k);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteRecording(const Recording& r, const std::string& path) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) return absl::InvalidArgumentError(absl::StrCat(path, ": cannot be written"));
  out.imbue(std::locale::classic());
  out.precision(17);
  if (absl::EndsWith(path, ".csv")) {
    WriteCsv(r, out);
  } else if (absl::EndsWith(path, ".json")) {
    out << ToJson(r).dump() << "\n";
  } else if (absl::EndsWith(path, ".bin")) {
    out << Header(r).dump() << "\n";
    out.write(reinterpret_cast<const char*>(r.cycles.data()), static_cast<std::streamsize>(r.cycles.size() * sizeof(CycleRecord)));
  } else {
    return absl::InvalidArgumentError(absl::StrCat(path, ": unknown ending, want .bin, .csv or .json"));
  }
  out.close();
  return out ? absl::OkStatus() : absl::DataLossError(absl::StrCat(path, ": could not be written to the end"));
}

absl::StatusOr<Recording> ReadRecording(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  Recording r;
  try {
    if (absl::EndsWith(path, ".json")) {
      const json j = json::parse(in);
      if (absl::Status s = FromHeader(j, path, &r); !s.ok()) return s;
      if (absl::Status s = CyclesFromJson(j.at("cycles"), path, &r); !s.ok()) return s;
      return r;
    }
    std::string line;
    std::getline(in, line);
    const json header = json::parse(line);
    if (absl::Status s = FromHeader(header, path, &r); !s.ok()) return s;
    if (header.at("record_bytes") != sizeof(CycleRecord))
      return absl::InvalidArgumentError(absl::StrCat(path, ": records of another program version; export it to JSON there"));
    CycleRecord record;
    while (in.read(reinterpret_cast<char*>(&record), sizeof(record))) r.cycles.push_back(record);
    if (in.gcount() != 0) ++r.lost;
    return r;
  } catch (const json::exception& e) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", e.what()));
  }
}

}  // namespace torqued
