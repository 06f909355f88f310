// Under which conditions is a question asked? v1::Context resolved against a model: gravity, payloads, terms, wrenches.
#pragma once

#include <absl/status/statusor.h>

#include <vector>

#include "server/core/dynamics/conditions.h"
#include "server/core/dynamics/drive.h"
#include "server/core/dynamics/jacobian.h"
#include "server/service/compute/call.h"

namespace torqued {

// A wrench on a frame, read and checked. F by the robot on the environment costs tau += J^T F.
struct AskedWrench {
  int frame = 0;
  WrenchAxes axes = WrenchAxes::kOfWorld;
  double sign = 1;   // +1 by the robot, -1 by the environment
  wire::Rows rows;   // six per row; one row for all samples, or one per sample

  ForcePair<double> At(int sample) const {
    const double* w = rows.row_or_one(sample);
    return {{sign * w[0], sign * w[1], sign * w[2]}, {sign * w[3], sign * w[4], sign * w[5]}};
  }
};

// A view into the request, the entry and the scratch of the call: it lives as long as these.
struct Asked {
  explicit Asked(const Prepared& m) : conditions(m) {}

  Conditions conditions;
  int tool_frame = 0;
  EffortPlace place = EffortPlace::kJoint;
  std::vector<AskedWrench> wrenches;  // sizes are checked against the samples by CheckWrenches
};

// `prepared`: entry.prepared or entry.with_fixed; payloads are added to its bodies in call.scratch.inertias. `places`: the
// method can tell torques after the gear and at the motor; others refuse a context that asks for it.
absl::StatusOr<Asked> ResolveContext(const Call& call, const Prepared& prepared, const v1::Context& context,
                                     bool places = false);
inline absl::StatusOr<Asked> ResolveContext(const Call& call, const v1::Context& context, bool places = false) {
  return ResolveContext(call, call.entry.prepared, context, places);
}

// Adds one payload to inertias [bodies of `prepared`].
absl::Status AddPayload(const Call& call, const Prepared& prepared, const Asked& asked, const std::string& field,
                        const v1::Payload& payload, std::vector<BodyInertia>& inertias);

// Reads one wrench; `count` samples are asked (or wire::kAnyCount: checked later).
absl::StatusOr<AskedWrench> ReadWrench(const Call& call, const Asked& asked, const std::string& field,
                                       const v1::Wrenches& wrench, int count);
// Every wrench of the context has one row or as many as samples.
absl::Status CheckWrenches(const Asked& asked, int samples);

// A frame named in a request; empty: the context's tool frame.
absl::StatusOr<int> AskedFrame(const Call& call, const Asked& asked, const std::string& field, const std::string& frame);

// FAILED_PRECONDITION naming the links whose inertia is unknown, if these terms need it.
absl::Status RequireInertias(const Call& call, const Asked& asked);
// The same whatever the terms.
absl::Status RequireAllInertias(const Call& call);
// The same, and FAILED_PRECONDITION naming joints that move no inertia (unless a payload may give them some).
absl::Status RequireInvertibleMass(const Call& call, const v1::Context& context);

// FAILED_PRECONDITION: the model says nothing about motors and gears. `what` cannot be answered then.
absl::Status RequireDrives(const Call& call, const std::string& what);

absl::StatusOr<Expression> ReadExpression(const std::string& field, v1::Expression expression);
v1::Expression ToProto(Expression expression);

// Fills the answer's info: revision, sample count, names, gravity, terms.
void Inform(const Call& call, const Asked& asked, const v1::Context& context, int samples, v1::AnswerInfo* info);
// Adds the samples that lie outside joint limits, if the context asks; rows may be absent.
void ReportLimits(const Call& call, const v1::Context& context, const wire::Rows& positions,
                  const wire::Rows& velocities, const double* efforts, v1::AnswerInfo* info);

}  // namespace torqued
