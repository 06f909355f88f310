// How do a message's numbers become rows that algorithms read, and results a message again?
//
// The one place that checks sizes and finiteness. A view is returned: where columns stand in the model's order and
// quaternions have unit length (the usual case) it points into the message itself, without a copy.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "torqued/v1/types.pb.h"

namespace torqued::wire {

// The columns of one kind of joint vector: groups of columns, one per independent coordinate.
struct Columns {
  struct Group {
    std::string name;
    int first = 0;
    int width = 1;
  };
  std::vector<Group> groups;
  std::vector<int> quaternions;  // first columns (x of x y z w); empty for rates
  int width = 0;
};

// Row-major rows. Valid as long as the message and the buffer that it was read with.
struct Rows {
  const double* data = nullptr;  // null: absent in the message
  int count = 0;
  int width = 0;

  const double* row(int i) const { return data ? data + static_cast<size_t>(i) * width : nullptr; }
  // Row i, or the only one.
  const double* row_or_one(int i) const { return count == 1 ? data : row(i); }
};

inline constexpr int kAnyCount = -1;

// Absent or empty values: rows without data if `optional`, else an error.
// `count`: how many rows are wanted; kAnyCount: at least one. Errors, all INVALID_ARGUMENT with the field:
//   velocities: 2 values, want 7            accelerations: 12 values, want 14 = 2 x 7
//   positions[3]: nan (sample 0, joint 'elbow'), want a finite number
//   positions.joint_names: no joint 'elbw'  (missing, twice, unknown)
//   positions: sample 2, joint 'base': quaternion of length 1.2, want 1 within 1e-3
// `buffer` is used only where columns are permuted or quaternions normalised. Zero-width vectors are one row.
absl::StatusOr<Rows> ReadRows(const std::string& field, const v1::JointVectors& message, const Columns& columns,
                              int count, bool optional, std::vector<double>& buffer);

// Plain numbers, `width` per row: frame velocities, wrenches, poses (with `quaternion_at` the first quaternion column).
// one_for_all: a single row serves every sample.
absl::StatusOr<Rows> ReadPlainRows(const std::string& field, const google::protobuf::RepeatedField<double>& values,
                                   int width, int count, bool optional, bool one_for_all);
absl::StatusOr<Rows> ReadPoses(const std::string& field, const v1::Poses& poses, std::vector<double>& buffer);

// A single number or vector of a message.
absl::Status CheckFinite(const std::string& field, double value);
absl::Status CheckFinite(const std::string& field, const v1::Vector3& value);

// Room for `count` values at the end of `values`, not initialised: the caller writes every one.
double* Extend(google::protobuf::RepeatedField<double>* values, size_t count);

// INVALID_ARGUMENT naming field and sample where a result is not finite (overflow of huge inputs): NaN never leaves.
absl::Status CheckAnswer(const std::string& field, const google::protobuf::RepeatedField<double>& values,
                         int values_per_sample);

}  // namespace torqued::wire
