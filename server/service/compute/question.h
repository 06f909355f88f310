// What nearly every method begins with: the context, then the states, all checked; and what it ends with.
#pragma once

#include "proto/wire/errors.h"
#include "server/service/compute/kernels.h"
#include "server/service/compute/states.h"

namespace torqued {

enum class Needs {
  kNothing,         // kinematics
  kInertias,        // of moving links, as far as the terms use them
  kAllInertias,     // whatever the terms
  kInvertibleMass,  // forward questions
};

struct Question {
  Asked asked;
  States states;

  const wire::Rows& q() const { return states.q; }
  const wire::Rows& v() const { return states.v; }
  const wire::Rows& a() const { return states.a; }
  int count() const { return states.count; }
};

// External wrenches of the context are refused where a method has no use for them (`wrenches` false), so is a place of
// torques (`places` false).
absl::StatusOr<Question> ReadQuestion(const Call& call, Needs needs, bool wrenches, const v1::Context& context,
                                      const v1::JointVectors& positions, const v1::JointVectors* velocities = nullptr,
                                      const v1::JointVectors* accelerations = nullptr, bool places = false);

// Fills info; with report_limits the samples outside limits, with check the residuals (dynamics: `checked`).
absl::Status Conclude(const Call& call, const Question& question, const v1::Context& context, const double* efforts,
                      bool checked, v1::AnswerInfo* info);

// Refuses a row list that is none: 0 to 5, each once. Empty: in world axes the rows that suit the arm (all six if it
// has them, x and y for a planar arm of two joints), in other axes those in which it can move the frame at all.
absl::StatusOr<std::vector<int>> ReadTaskRows(const Call& call, const std::string& field,
                                              const google::protobuf::RepeatedField<std::int32_t>& rows, int frame,
                                              Expression expression);

// FAILED_PRECONDITION: at this sample M has no inverse at entry `entry` of v.
absl::Status SingularMass(const Call& call, int sample, int entry);

// "shoulder", or "base[3]" within a group.
std::string EntryName(const ModelEntry& entry, int v_index);

// Appends a matrix row by row; a vector.
void AppendRowMajor(const Eigen::Ref<const Eigen::MatrixXd>& from, google::protobuf::RepeatedField<double>* to);
inline void Append(const double* from, int count, google::protobuf::RepeatedField<double>* to) {
  std::copy(from, from + count, wire::Extend(to, static_cast<size_t>(count)));
}

}  // namespace torqued
