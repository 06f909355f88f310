#include "client/cli/states.h"

#include <absl/strings/str_cat.h>

#include <array>
#include <numbers>
#include <optional>

#include "client/cli/csv.h"
#include "client/cli/numbers.h"

namespace torqued::cli {
namespace {

constexpr std::array kQuantities = {Quantity::kPosition, Quantity::kVelocity,
                                    Quantity::kAcceleration, Quantity::kEffort};

v1::JointVectors& Of(States& states, Quantity quantity) {
  switch (quantity) {
    case Quantity::kVelocity:
      return states.v;
    case Quantity::kAcceleration:
      return states.a;
    case Quantity::kEffort:
      return states.tau;
    default:
      return states.q;
  }
}

// "shoulder_pan_joint.q[deg]" taken apart.
struct Cell {
  std::string id, suffix, unit;
};

Cell TakeApart(const std::string& heading) {
  Cell cell;
  std::string name = heading;
  const auto bracket = name.find('[');
  if (bracket != std::string::npos && name.back() == ']') {
    cell.unit = name.substr(bracket + 1, name.size() - bracket - 2);
    name.erase(bracket);
    while (!name.empty() && name.back() == ' ') name.pop_back();
  }
  const auto dot = name.rfind('.');
  cell.id = dot == std::string::npos ? name : name.substr(0, dot);
  cell.suffix = dot == std::string::npos ? "" : name.substr(dot + 1);
  return cell;
}

struct Source {
  int column = -1;  // of the file
  double factor = 1;
};

}  // namespace

void StateOptions::Declare(OptionSet& options, int takes) {
  takes_ = takes;
  options.Group("State");
  options.Text(
      "--q", q_, "Q1,Q2,...",
      "positions [rad], [m], in the model's joint order; 'zero'; several states: ';' between");
  if (takes & kV) options.Text("--v", v_, "V1,V2,...", "velocities [rad/s], [m/s]");
  if (takes & kA) options.Text("--a", a_, "A1,A2,...", "accelerations [rad/s^2], [m/s^2]");
  if (takes & kTau) options.Text("--tau", tau_, "T1,T2,...", "joint torques [Nm], forces [N]");
  options.Flag("--deg", degrees_,
               "revolute joints' angles (and their rates) are in degrees; metres stay metres");
  options.Text(
      "--states", file_, "FILE.csv",
      "states from a file, header as JOINT.q[rad], JOINT.v[rad/s], ...; - reads standard input");
  options.Text("--out", out_file_, "FILE", "write the answer to FILE: .csv, or .json");
}

absl::Status StateOptions::ReadRow(const std::string& flag, const std::string& text,
                                   const v1::Model& model, Quantity quantity,
                                   v1::JointVectors& into) const {
  const std::vector<Column> columns = Columns(model, quantity);
  if (text == "zero") {
    for (const Column& column : columns)
      into.add_values(column.id.ends_with(".qw") && column.unit.empty() ? 1 : 0);
    return absl::OkStatus();
  }
  for (const std::string& row : SplitTrimmed(text, ';')) {
    const auto values = ParseNumbers(flag, row);
    if (!values.ok()) return values.status();
    if (values->size() != columns.size())
      return absl::InvalidArgumentError(absl::StrCat(flag, ": ", values->size(), " values, want ",
                                                     columns.size(), ": ", Describe(columns)));
    for (size_t i = 0; i < columns.size(); ++i)
      into.add_values((*values)[i] *
                      (degrees_ && columns[i].angular ? std::numbers::pi / 180 : 1.0));
  }
  return absl::OkStatus();
}

absl::StatusOr<States> StateOptions::Read(const v1::Model& model) const {
  States states;
  if (!file_.empty()) {
    for (const std::string* other : {&q_, &v_, &a_, &tau_})
      if (!other->empty())
        return absl::InvalidArgumentError("--states: give either a file or --q, --v, --a, --tau");
    if (absl::Status status = ReadStates(file_, model, degrees_, takes_, states); !status.ok())
      return status;
    return states;
  }
  const std::vector<Column> columns = Columns(model, Quantity::kPosition);
  if (q_.empty() && !columns.empty())
    return absl::InvalidArgumentError(
        absl::StrCat("--q: missing, want ", columns.size(), " values: ", Describe(columns)));
  const std::array<std::pair<const char*, const std::string*>, 4> given = {
      {{"--q", &q_}, {"--v", &v_}, {"--a", &a_}, {"--tau", &tau_}}};
  for (size_t i = 0; i < given.size(); ++i) {
    v1::JointVectors& vectors = Of(states, kQuantities[i]);
    if (absl::Status status =
            ReadRow(given[i].first, *given[i].second, model, kQuantities[i], vectors);
        !status.ok())
      return status;
    const int width = i == 0 ? model.position_count() : model.velocity_count();
    const int rows = width > 0 ? vectors.values_size() / width : 0;
    if (i == 0)
      states.count = rows;
    else if (rows != 0 && rows != states.count)
      return absl::InvalidArgumentError(
          absl::StrCat(given[i].first, ": ", rows, " states, want ", states.count, " as --q"));
  }
  return states;
}

absl::Status ReadStates(const std::string& path, const v1::Model& model, bool degrees, int takes,
                        States& states) {
  const auto table = ReadCsv(path);
  if (!table.ok()) return table.status();
  std::array<std::vector<Column>, 4> columns;
  std::array<std::vector<Source>, 4> sources;
  for (size_t i = 0; i < 4; ++i) {
    columns[i] = Columns(model, kQuantities[i]);
    sources[i].resize(columns[i].size());
  }
  Source time;
  for (size_t c = 0; c < table->header.size(); ++c) {
    const Cell cell = TakeApart(table->header[c]);
    const auto refuse = [&](const std::string& why) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": column '", table->header[c], "': ", why));
    };
    if (cell.suffix.empty() && (cell.id == "time" || cell.id == "t")) {
      time = {static_cast<int>(c), cell.unit == "ms" ? 1e-3 : cell.unit == "us" ? 1e-6 : 1.0};
      continue;
    }
    if (cell.suffix.empty() && cell.id == "energy") continue;  // as simulate writes it
    std::optional<size_t> which;
    for (size_t i = 0; i < 4; ++i)
      if (cell.suffix == Suffix(kQuantities[i])) which = i;
    if (!which)
      return refuse(
          "want JOINT.q[rad], JOINT.v[rad/s], JOINT.a[rad/s^2], JOINT.tau[Nm] or time[s]");
    size_t j = 0;
    while (j < columns[*which].size() && columns[*which][j].id != cell.id) ++j;
    if (j == columns[*which].size())
      return refuse("no such joint; the model has " + Describe(columns[*which]));
    const Column& column = columns[*which][j];
    Source& source = sources[*which][j];
    if (source.column >= 0) return refuse("stands twice");
    source = {static_cast<int>(c), UnitFactor(column, kQuantities[*which], cell.unit)};
    if (source.factor == 0)
      return refuse("unit [" + cell.unit + "] does not fit, want [" + column.unit + "]");
    if (cell.unit.empty() && degrees && column.angular) source.factor = std::numbers::pi / 180;
  }
  for (size_t i = 0; i < 4; ++i) {
    size_t present = 0;
    std::string missing;
    for (size_t j = 0; j < sources[i].size(); ++j) {
      present += sources[i][j].column >= 0 ? 1 : 0;
      if (sources[i][j].column < 0)
        missing += (missing.empty() ? "" : ", ") + Heading(columns[i][j], kQuantities[i]);
    }
    const bool optional = i > 0 || (takes & StateOptions::kOnlyTau) != 0;
    const bool taken = i == 0 || (takes & (1 << (i - 1))) != 0;
    if ((present == 0 && optional) || !taken) {
      sources[i].clear();
      continue;
    }
    if (!missing.empty())
      return absl::InvalidArgumentError(absl::StrCat(path, ": missing column ", missing));
  }
  states.count = table->row_count;
  for (int row = 0; row < table->row_count; ++row) {
    if (time.column >= 0) states.time.push_back(table->At(row, time.column) * time.factor);
    for (size_t i = 0; i < 4; ++i)
      for (const Source& source : sources[i])
        Of(states, kQuantities[i]).add_values(table->At(row, source.column) * source.factor);
  }
  return absl::OkStatus();
}

}  // namespace torqued::cli
