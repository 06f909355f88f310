#include "proto/wire/rows.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <cmath>
#include <cstdint>
#include <cstring>

#include "proto/wire/errors.h"

namespace torqued::wire {
namespace {

constexpr double kQuaternionTolerance = 1e-3;

// Index of the first value that is NaN or infinite, or -1. The loop without branches is the usual case.
int64_t FirstNotFinite(const double* values, int64_t count) {
  constexpr uint64_t kExponent = 0x7ff0000000000000u;
  uint64_t bad = 0;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits;
    std::memcpy(&bits, values + i, sizeof bits);
    bad |= static_cast<uint64_t>((bits & kExponent) == kExponent);
  }
  if (!bad) return -1;
  for (int64_t i = 0; i < count; ++i)
    if (!std::isfinite(values[i])) return i;
  return -1;
}

std::string Number(double value) { return absl::StrFormat("%g", value); }

// INVALID_ARGUMENT for a wrong number of values. rows: kAnyCount, or how many rows are wanted.
absl::Status WrongCount(const std::string& field, int64_t got, int width, int rows) {
  std::string want;
  if (rows == kAnyCount) {
    want = got < width ? absl::StrCat(width) : absl::StrCat("a multiple of ", width);
  } else if (rows == 1) {
    want = absl::StrCat(width);
  } else {
    want = absl::StrCat(static_cast<int64_t>(rows) * width, " = ", rows, " x ", width);
  }
  return BadField(field, absl::StrCat(got, " value", got == 1 ? "" : "s", ", want ", want), "WRONG_SIZE",
                  {{"got", absl::StrCat(got)}, {"want", want}});
}

// Number of rows, after the size check.
absl::StatusOr<int> CountRows(const std::string& field, int64_t size, int width, int count) {
  if (width == 0) {
    if (size != 0) return WrongCount(field, size, 0, 1);
    return count == kAnyCount ? 1 : count;
  }
  const bool fits = count == kAnyCount ? size > 0 && size % width == 0 : size == static_cast<int64_t>(count) * width;
  if (!fits) return WrongCount(field, size, width, count);
  return static_cast<int>(size / width);
}

absl::Status NotFinite(const std::string& field, int64_t index, double value, int width, const std::string& column) {
  std::string where;
  if (width > 0) where = absl::StrCat(" (sample ", index / width, column.empty() ? "" : ", joint '", column,
                                      column.empty() ? ")" : "')");
  return BadField(absl::StrCat(field, "[", index, "]"), absl::StrCat(Number(value), where, ", want a finite number"),
                  "NOT_FINITE", {{"index", absl::StrCat(index)}, {"value", Number(value)}});
}

std::string ColumnName(const Columns& columns, int column) {
  for (const Columns::Group& g : columns.groups)
    if (column >= g.first && column < g.first + g.width) return g.name;
  return "";
}

// order[k]: which group of the model the k-th named one is. Empty where the order is already the model's.
absl::Status ReadNames(const std::string& field, const v1::JointVectors& message, const Columns& columns,
                       std::vector<int>& order) {
  const int n = static_cast<int>(columns.groups.size());
  const std::string names_field = field + ".joint_names";
  bool same = message.joint_names_size() == n;
  for (int k = 0; same && k < n; ++k) same = message.joint_names(k) == columns.groups[k].name;
  if (same) return absl::OkStatus();
  std::vector<bool> seen(n, false);
  for (const std::string& name : message.joint_names()) {
    int g = 0;
    while (g < n && columns.groups[g].name != name) ++g;
    if (g == n)
      return BadField(names_field, absl::StrCat("no joint '", name, "' in this model"), "UNKNOWN_JOINT", {{"joint", name}});
    if (seen[g]) return BadField(names_field, absl::StrCat("joint '", name, "' twice"), "DUPLICATE_JOINT", {{"joint", name}});
    seen[g] = true;
    order.push_back(g);
  }
  for (int g = 0; g < n; ++g)
    if (!seen[g])
      return BadField(names_field, absl::StrCat("joint '", columns.groups[g].name, "' is missing"), "MISSING_JOINT",
                      {{"joint", columns.groups[g].name}});
  return absl::OkStatus();
}

void Permute(const double* from, int count, const Columns& columns, const std::vector<int>& order, double* to) {
  for (int i = 0; i < count; ++i, from += columns.width, to += columns.width) {
    const double* value = from;
    for (int g : order) {
      const Columns::Group& group = columns.groups[g];
      std::copy(value, value + group.width, to + group.first);
      value += group.width;
    }
  }
}

double Length(const double* u) { return std::sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]); }

// Length one within a few roundings is left alone, so that what is given exactly stays bit-equal.
bool IsUnit(double length) { return std::abs(length - 1) < 4e-16; }

// Normalises the quaternion columns of rows; `data` may move into buffer.
absl::Status Normalise(const std::string& field, const std::vector<int>& at, const Columns* columns,
                       Rows& rows, std::vector<double>& buffer) {
  for (int i = 0; i < rows.count; ++i) {
    for (int k : at) {
      const double length = Length(rows.row(i) + k);
      if (IsUnit(length)) continue;
      if (std::abs(length - 1) > kQuaternionTolerance) {
        const std::string joint = columns ? absl::StrCat(", joint '", ColumnName(*columns, k), "'") : "";
        return BadField(field, absl::StrCat("sample ", i, joint, ": quaternion of length ", Number(length),
                                            ", want 1 within 1e-3"),
                        "NOT_A_UNIT_QUATERNION", {{"sample", absl::StrCat(i)}, {"length", Number(length)}});
      }
      if (rows.data != buffer.data()) {
        buffer.assign(rows.data, rows.data + static_cast<size_t>(rows.count) * rows.width);
        rows.data = buffer.data();
      }
      double* u = buffer.data() + static_cast<size_t>(i) * rows.width + k;
      for (int c = 0; c < 4; ++c) u[c] /= length;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Rows> ReadRows(const std::string& field, const v1::JointVectors& message, const Columns& columns,
                              int count, bool optional, std::vector<double>& buffer) {
  const int64_t size = message.values_size();
  if (size == 0 && optional && columns.width > 0) return Rows{nullptr, 0, columns.width};
  const auto rows_or = CountRows(field, size, columns.width, count);
  if (!rows_or.ok()) return rows_or.status();
  std::vector<int> order;
  if (message.joint_names_size() > 0)
    if (absl::Status s = ReadNames(field, message, columns, order); !s.ok()) return s;
  const double* values = message.values().data();
  if (const int64_t bad = FirstNotFinite(values, size); bad >= 0) {
    int column = static_cast<int>(bad % columns.width);
    std::string name;
    if (order.empty()) {
      name = ColumnName(columns, column);
    } else {
      for (int g : order) {
        if (column < columns.groups[g].width) {
          name = columns.groups[g].name;
          break;
        }
        column -= columns.groups[g].width;
      }
    }
    return NotFinite(field, bad, values[bad], columns.width, name);
  }
  static const double kNothing = 0;
  Rows rows{size > 0 ? values : &kNothing, *rows_or, columns.width};
  if (!order.empty()) {
    buffer.resize(size);
    Permute(values, rows.count, columns, order, buffer.data());
    rows.data = buffer.data();
  }
  if (!columns.quaternions.empty())
    if (absl::Status s = Normalise(field, columns.quaternions, &columns, rows, buffer); !s.ok()) return s;
  return rows;
}

absl::StatusOr<Rows> ReadPlainRows(const std::string& field, const google::protobuf::RepeatedField<double>& values,
                                   int width, int count, bool optional, bool one_for_all) {
  if (values.empty() && optional) return Rows{nullptr, 0, width};
  if (one_for_all && values.size() == width) count = 1;
  const auto rows = CountRows(field, values.size(), width, count);
  if (!rows.ok()) return rows.status();
  if (const int64_t bad = FirstNotFinite(values.data(), values.size()); bad >= 0)
    return NotFinite(field, bad, values[static_cast<int>(bad)], width, "");
  return Rows{values.data(), *rows, width};
}

absl::StatusOr<Rows> ReadPoses(const std::string& field, const v1::Poses& poses, std::vector<double>& buffer) {
  auto rows = ReadPlainRows(field, poses.values(), 7, kAnyCount, false, false);
  if (!rows.ok()) return rows.status();
  if (absl::Status s = Normalise(field, {3}, nullptr, *rows, buffer); !s.ok()) return s;
  return rows;
}

absl::Status CheckFinite(const std::string& field, double value) {
  if (std::isfinite(value)) return absl::OkStatus();
  return BadField(field, absl::StrCat(Number(value), ", want a finite number"), "NOT_FINITE", {{"value", Number(value)}});
}

absl::Status CheckFinite(const std::string& field, const v1::Vector3& value) {
  if (absl::Status s = CheckFinite(field + ".x", value.x()); !s.ok()) return s;
  if (absl::Status s = CheckFinite(field + ".y", value.y()); !s.ok()) return s;
  return CheckFinite(field + ".z", value.z());
}

double* Extend(google::protobuf::RepeatedField<double>* values, size_t count) {
  values->Reserve(values->size() + static_cast<int>(count));
  return values->AddNAlreadyReserved(static_cast<int>(count));
}

absl::Status CheckAnswer(const std::string& field, const google::protobuf::RepeatedField<double>& values,
                         int values_per_sample) {
  const int64_t bad = FirstNotFinite(values.data(), values.size());
  if (bad < 0) return absl::OkStatus();
  const int64_t sample = values_per_sample > 0 ? bad / values_per_sample : 0;
  return Error(absl::StatusCode::kInvalidArgument, "RESULT_NOT_FINITE",
               absl::StrCat(field, ": the result of sample ", sample, " is not finite; its inputs are too large"),
               {{"field", field}, {"sample", absl::StrCat(sample)}});
}

}  // namespace torqued::wire
