#include "client/cli/subject.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include "client/cli/json.h"
#include "client/cli/numbers.h"
#include "client/torqued/question.h"

namespace torqued::cli {
namespace {

std::string UnitsSuffix(const std::vector<Column>& columns) {
  for (const Column& column : columns)
    if (column.unit != columns[0].unit) return "";
  return columns.empty() ? "" : " [" + columns[0].unit + "]";
}

std::vector<Column> PartColumns(const v1::Model& model, const JointPart& part) {
  auto columns = Columns(model, part.quantity);
  if (!part.unit.empty())
    for (Column& column : columns) column.unit = part.unit;
  return columns;
}

Sheet JointRows(const Subject& subject, const std::string& title,
                const std::vector<JointPart>& parts) {
  Sheet sheet;
  sheet.title = title;
  sheet.columns = {"joint"};
  std::vector<std::vector<Column>> columns;
  size_t rows = 0;
  for (const JointPart& part : parts) {
    columns.push_back(PartColumns(subject.model, part));
    rows = std::max(rows, columns.back().size());
    const std::string units = UnitsSuffix(columns.back());
    sheet.columns.push_back(part.title + units);
    if (units.empty()) sheet.columns.push_back("unit");
  }
  for (size_t i = 0; i < rows; ++i) {
    std::vector<Cell> row = {columns[0].size() > i ? columns[0][i].id : columns.back()[i].id};
    for (size_t p = 0; p < parts.size(); ++p) {
      const bool present = static_cast<int>(i) < parts[p].values->size();
      row.push_back(present ? Cell((*parts[p].values)[static_cast<int>(i)]) : Cell(""));
      if (UnitsSuffix(columns[p]).empty())
        row.push_back(i < columns[p].size() ? columns[p][i].unit : "");
    }
    sheet.rows.push_back(std::move(row));
  }
  return sheet;
}

Sheet SampleRows(const Subject& subject, const std::string& title,
                 const std::vector<JointPart>& parts) {
  Sheet sheet;
  sheet.title = title;
  const bool timed = !subject.states.time.empty();
  if (timed) sheet.columns.push_back("time[s]");
  std::vector<int> widths;
  for (const JointPart& part : parts) {
    const auto columns = PartColumns(subject.model, part);
    widths.push_back(static_cast<int>(columns.size()));
    for (const Column& column : columns) {
      std::string heading = Heading(column, part.quantity);
      if (!part.suffix.empty())
        heading =
            column.id + "." + part.suffix + (column.unit.empty() ? "" : "[" + column.unit + "]");
      sheet.columns.push_back(std::move(heading));
    }
  }
  for (int s = 0; s < subject.states.count; ++s) {
    std::vector<Cell> row;
    if (timed) row.push_back(subject.states.time[static_cast<size_t>(s)]);
    for (size_t p = 0; p < parts.size(); ++p)
      for (int i = 0; i < widths[p]; ++i) {
        const int at = s * widths[p] + i;
        row.push_back(at < parts[p].values->size() ? Cell((*parts[p].values)[at]) : Cell(""));
      }
    sheet.rows.push_back(std::move(row));
  }
  return sheet;
}

}  // namespace

v1::Base ParseBase(const std::string& text) {
  return text == "fixed"      ? v1::BASE_FIXED
         : text == "floating" ? v1::BASE_FLOATING
                              : v1::BASE_UNSPECIFIED;
}

void SubjectOptions::Declare(OptionSet& options, int takes, bool wrench, bool dynamics) {
  options.Argument("MODEL", model_, "model: id, id@revision; with --local also a robot file");
  states_.Declare(options, takes);
  question_.Declare(options, wrench, dynamics);
  options.Choice("--base", base_, {"fixed", "floating"},
                 "with --local and a robot file: how it is mounted");
}

absl::StatusOr<Subject> SubjectOptions::Read(Session& session, bool without_states) const {
  Subject subject;
  session.set_out_file(states_.out_file());
  auto context = question_.Context();
  if (!context.ok()) return context.status();
  subject.context = *std::move(context);
  auto wrench = question_.Wrench();
  if (!wrench.ok()) return wrench.status();
  if (wrench->has_value()) *subject.context.add_wrenches() = **wrench;
  const auto who = session.backend();
  if (!who.ok()) return who.status();
  const auto name = (*who)->ModelName(model_, ParseBase(base_));
  if (!name.ok()) return name.status();
  subject.context.set_model(*name);
  v1::GetModelRequest request;
  request.set_name(*name);
  auto model = session.Ask<v1::GetModelResponse>(request);
  if (!model.ok()) return model.status();
  subject.model = std::move(*model->mutable_model());
  if (without_states) return subject;
  auto states = states_.Read(subject.model);
  if (!states.ok()) return states.status();
  subject.states = *std::move(states);
  return subject;
}

JointPart EffortPart(const v1::AnswerInfo& info, const google::protobuf::RepeatedField<double>* values) {
  switch (info.effort_place()) {
    case v1::EFFORT_PLACE_GEAR: return {"after the gear", Quantity::kEffort, values, "gear"};
    case v1::EFFORT_PLACE_MOTOR: return {"at the motor", Quantity::kEffort, values, "motor", "Nm"};
    default: return {"torque", Quantity::kEffort, values};
  }
}

std::string Headline(const std::string& what, const v1::AnswerInfo& info) {
  std::string line = KinematicHeadline(what, info);
  if (!info.has_gravity()) return line;
  return absl::StrCat(line, ", gravity ", Shortest(info.gravity().x()), " ",
                      Shortest(info.gravity().y()), " ", Shortest(info.gravity().z()), " m/s^2");
}

std::string KinematicHeadline(const std::string& what, const v1::AnswerInfo& info) {
  std::string line = absl::StrCat(what, " of ", ModelId(info.revision()));
  if (!info.frame().empty()) absl::StrAppend(&line, ", frame ", info.frame());
  return line;
}

std::string InfoNotes(const v1::AnswerInfo& info) {
  std::string notes;
  if (info.samples_outside_limits_size() > 0) {
    absl::StrAppend(&notes, "outside joint limits: ", info.samples_outside_limits_size(), " of ",
                    info.sample_count(),
                    info.sample_count() == 1 ? " state" : " states, the first is number ");
    if (info.sample_count() != 1) absl::StrAppend(&notes, info.samples_outside_limits(0) + 1);
    notes += "\n";
  }
  if (info.has_check())
    absl::StrAppend(&notes, "check (largest relative residuals): Newton-Euler against Lagrange ",
                    Readable(info.check().newton_euler_vs_lagrange()), ", dM/dt - C - C^T ",
                    Readable(info.check().mass_rate_vs_coriolis()), ", power balance ",
                    Readable(info.check().power_balance()), "\n");
  return notes;
}

absl::Status ShowJoints(Session& session, const google::protobuf::Message& answer,
                        const v1::AnswerInfo& info, const Subject& subject,
                        const StateOptions& options, const std::string& title,
                        const std::vector<JointPart>& parts) {
  const bool rows_are_joints =
      session.for_people() && subject.states.count == 1 && options.out_file().empty();
  if (!options.out_file().empty()) {
    const bool json = absl::EndsWith(options.out_file(), ".json");
    const std::string text = json ? ToJson(answer) : ToCsv(SampleRows(subject, "", parts));
    if (absl::Status status = WriteFile(options.out_file(), text); !status.ok()) return status;
    session.err() << title << ": " << subject.states.count << " states written to "
                  << options.out_file() << "\n"
                  << InfoNotes(info);
    return absl::OkStatus();
  }
  if (session.shared().json) {
    session.Show(answer, {});
    return absl::OkStatus();
  }
  session.Show(answer, {rows_are_joints ? JointRows(subject, title, parts)
                                        : SampleRows(subject, title, parts)});
  if (session.for_people()) session.out() << InfoNotes(info);
  return absl::OkStatus();
}

Sheet MatrixSheet(const std::string& title, const v1::Matrices& matrices, int index,
                  const std::vector<std::string>& row_names,
                  const std::vector<std::string>& column_names) {
  Sheet sheet;
  sheet.title = title;
  sheet.columns = {""};
  for (int c = 0; c < matrices.cols(); ++c)
    sheet.columns.push_back(static_cast<size_t>(c) < column_names.size()
                                ? column_names[static_cast<size_t>(c)]
                                : std::to_string(c + 1));
  for (int r = 0; r < matrices.rows(); ++r) {
    std::vector<Cell> row = {static_cast<size_t>(r) < row_names.size()
                                 ? row_names[static_cast<size_t>(r)]
                                 : std::to_string(r + 1)};
    for (int c = 0; c < matrices.cols(); ++c)
      row.push_back(matrices.values((index * matrices.rows() + r) * matrices.cols() + c));
    sheet.rows.push_back(std::move(row));
  }
  return sheet;
}

std::vector<std::string> Ids(const std::vector<Column>& columns) {
  std::vector<std::string> ids;
  for (const Column& column : columns) ids.push_back(column.id);
  return ids;
}

std::string SampleTitle(const States& states, int sample, const std::string& title) {
  return states.count > 1 ? absl::StrCat("state ", sample + 1, ": ", title) : title;
}

}  // namespace torqued::cli
