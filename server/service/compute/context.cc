#include "server/service/compute/context.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <cmath>

#include "proto/wire/errors.h"
#include "server/core/dynamics/payload.h"

namespace torqued {
namespace {

using wire::BadField;

absl::Status ReadTerms(const v1::Context& context, Terms& terms) {
  if (context.terms().empty()) return absl::OkStatus();
  terms = {false, false, false, false, false, false};
  for (int i = 0; i < context.terms_size(); ++i) {
    switch (context.terms(i)) {
      case v1::TERM_INERTIA: terms.inertia = true; break;
      case v1::TERM_VELOCITY: terms.velocity = true; break;
      case v1::TERM_GRAVITY: terms.gravity = true; break;
      case v1::TERM_ROTOR: terms.rotor = true; break;
      case v1::TERM_FRICTION: terms.friction = true; break;
      case v1::TERM_SPRINGS: terms.springs = true; break;
      default:
        return BadField(absl::StrCat("context.terms[", i, "]"),
                        absl::StrCat(static_cast<int>(context.terms(i)), " is no term of the equation of motion"),
                        "UNKNOWN_TERM");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckInertia(const std::string& field, const v1::InertiaTensor& I) {
  const std::pair<const char*, double> parts[] = {{".xx", I.xx()}, {".xy", I.xy()}, {".xz", I.xz()},
                                                  {".yy", I.yy()}, {".yz", I.yz()}, {".zz", I.zz()}};
  for (const auto& [part, value] : parts)
    if (absl::Status s = wire::CheckFinite(field + part, value); !s.ok()) return s;
  if (I.xx() < 0 || I.yy() < 0 || I.zz() < 0) return BadField(field, "a negative moment of inertia", "NOT_AN_INERTIA");
  return absl::OkStatus();
}

absl::StatusOr<MassProperties> ReadPayload(const std::string& field, const v1::Payload& payload) {
  if (absl::Status s = wire::CheckFinite(field + ".mass", payload.mass()); !s.ok()) return s;
  if (payload.mass() < 0)
    return BadField(field + ".mass", absl::StrCat(payload.mass(), " kg, want at least 0"), "NEGATIVE_MASS");
  if (absl::Status s = wire::CheckFinite(field + ".center_of_mass", payload.center_of_mass()); !s.ok()) return s;
  if (absl::Status s = CheckInertia(field + ".inertia", payload.inertia()); !s.ok()) return s;
  MassProperties mp;
  mp.mass = payload.mass();
  mp.com = {payload.center_of_mass().x(), payload.center_of_mass().y(), payload.center_of_mass().z()};
  const v1::InertiaTensor& I = payload.inertia();
  mp.inertia_about_com << I.xx(), I.xy(), I.xz(), I.xy(), I.yy(), I.yz(), I.xz(), I.yz(), I.zz();
  return mp;
}

absl::Status AddPayloads(const Call& call, const Prepared& prepared, const v1::Context& context, Asked& asked) {
  if (context.payloads().empty()) return absl::OkStatus();
  std::vector<BodyInertia>& inertias = call.scratch.inertias;
  ResetInertias(prepared, inertias);
  for (int i = 0; i < context.payloads_size(); ++i) {
    const std::string field = absl::StrCat("context.payloads[", i, "]");
    if (absl::Status s = AddPayload(call, prepared, asked, field, context.payloads(i), inertias); !s.ok()) return s;
  }
  asked.conditions.inertias = inertias.data();
  return absl::OkStatus();
}

absl::StatusOr<EffortPlace> ReadPlace(const Call& call, const v1::Context& context, bool places) {
  EffortPlace place = EffortPlace::kJoint;
  switch (context.effort_place()) {
    case v1::EFFORT_PLACE_UNSPECIFIED:
    case v1::EFFORT_PLACE_JOINT: return place;
    case v1::EFFORT_PLACE_GEAR: place = EffortPlace::kGear; break;
    case v1::EFFORT_PLACE_MOTOR: place = EffortPlace::kMotor; break;
    default:
      return BadField("context.effort_place", absl::StrCat(static_cast<int>(context.effort_place()), " is unknown"));
  }
  if (!places)
    return BadField("context.effort_place",
                    "this method tells torques at the joint only; want JOINT, or static torque, inverse dynamics, breakdown "
                    "or equation of motion",
                    "NOT_APPLICABLE");
  if (absl::Status s = RequireDrives(call, "effort_place"); !s.ok()) return s;
  return place;
}

}  // namespace

absl::Status AddPayload(const Call& call, const Prepared& prepared, const Asked& asked, const std::string& field,
                        const v1::Payload& payload, std::vector<BodyInertia>& inertias) {
  const auto frame = AskedFrame(call, asked, field + ".frame", payload.frame());
  if (!frame.ok()) return frame.status();
  const auto mp = ReadPayload(field, payload);
  if (!mp.ok()) return mp.status();
  AddPayload({prepared.frames[*frame], *mp}, inertias);
  return absl::OkStatus();
}

absl::Status RequireDrives(const Call& call, const std::string& what) {
  if (!call.entry.model().drives.empty()) return absl::OkStatus();
  return wire::Precondition("NO_DRIVES", "model", {call.entry.id},
                            absl::StrCat("model '", call.entry.id, "' says nothing about motors and gears, so ", what,
                                         " cannot be answered"));
}

absl::StatusOr<Asked> ResolveContext(const Call& call, const Prepared& prepared, const v1::Context& context, bool places) {
  Asked asked(prepared);
  const auto place = ReadPlace(call, context, places);
  if (!place.ok()) return place.status();
  asked.place = *place;
  const auto tool = FindFrame(call.entry, "context.tool_frame", context.tool_frame());
  if (!tool.ok()) return tool.status();
  asked.tool_frame = *tool;
  if (context.has_gravity()) {
    if (absl::Status s = wire::CheckFinite("context.gravity", context.gravity()); !s.ok()) return s;
    asked.conditions.gravity = {context.gravity().x(), context.gravity().y(), context.gravity().z()};
  }
  if (absl::Status s = ReadTerms(context, asked.conditions.terms); !s.ok()) return s;
  if (absl::Status s = AddPayloads(call, prepared, context, asked); !s.ok()) return s;
  for (int i = 0; i < context.wrenches_size(); ++i) {
    auto wrench =
        ReadWrench(call, asked, absl::StrCat("context.wrenches[", i, "]"), context.wrenches(i), wire::kAnyCount);
    if (!wrench.ok()) return wrench.status();
    asked.wrenches.push_back(*wrench);
  }
  return asked;
}

absl::StatusOr<AskedWrench> ReadWrench(const Call& call, const Asked& asked, const std::string& field,
                                       const v1::Wrenches& wrench, int count) {
  AskedWrench out;
  const auto frame = AskedFrame(call, asked, field + ".frame", wrench.frame());
  if (!frame.ok()) return frame.status();
  out.frame = *frame;
  switch (wrench.axes()) {
    case v1::AXES_UNSPECIFIED:
    case v1::AXES_WORLD: out.axes = WrenchAxes::kOfWorld; break;
    case v1::AXES_FRAME: out.axes = WrenchAxes::kOfFrame; break;
    default: return BadField(field + ".axes", absl::StrCat(static_cast<int>(wrench.axes()), " is unknown"));
  }
  switch (wrench.exerter()) {
    case v1::EXERTER_ROBOT: out.sign = 1; break;
    case v1::EXERTER_ENVIRONMENT: out.sign = -1; break;
    default:
      return BadField(field + ".exerter",
                      "not said; want EXERTER_ROBOT (by the robot on the environment, tau = g + J^T F) or "
                      "EXERTER_ENVIRONMENT (on the robot, tau = g - J^T F)",
                      "EXERTER_UNSPECIFIED");
  }
  const auto rows = wire::ReadPlainRows(field + ".values", wrench.values(), 6, count, false, true);
  if (!rows.ok()) return rows.status();
  out.rows = *rows;
  return out;
}

absl::Status CheckWrenches(const Asked& asked, int samples) {
  for (size_t i = 0; i < asked.wrenches.size(); ++i) {
    const int rows = asked.wrenches[i].rows.count;
    if (rows != 1 && rows != samples)
      return BadField(absl::StrCat("context.wrenches[", i, "].values"),
                      absl::StrCat(6 * rows, " values, want 6 or ", 6 * samples, " = ", samples, " x 6"), "WRONG_SIZE");
  }
  return absl::OkStatus();
}

absl::StatusOr<int> AskedFrame(const Call& call, const Asked& asked, const std::string& field,
                               const std::string& frame) {
  if (frame.empty()) return asked.tool_frame;
  return FindFrame(call.entry, field, frame);
}

absl::Status RequireInertias(const Call& call, const Asked& asked) {
  const Terms& t = asked.conditions.terms;
  const Vec3<double>& g = asked.conditions.gravity;
  const bool weighs = t.gravity && (g.x != 0 || g.y != 0 || g.z != 0);
  return weighs || t.inertia || t.velocity ? RequireAllInertias(call) : absl::OkStatus();
}

absl::Status RequireAllInertias(const Call& call) {
  const std::vector<std::string>& unknown = call.entry.loaded.capabilities.unknown_inertias;
  if (unknown.empty()) return absl::OkStatus();
  return wire::Precondition("UNKNOWN_INERTIA", "link", unknown,
                            absl::StrCat("model '", call.entry.id, "': the inertia of ", absl::StrJoin(unknown, ", "),
                                         " is unknown, so torques of mass cannot be computed; kinematics and the "
                                         "torques of a wrench (terms without inertia, velocity, gravity) can"));
}

absl::Status RequireInvertibleMass(const Call& call, const v1::Context& context) {
  if (absl::Status s = RequireAllInertias(call); !s.ok()) return s;
  const std::vector<std::string>& massless = call.entry.loaded.capabilities.massless_joints;
  if (massless.empty() || !context.payloads().empty()) return absl::OkStatus();
  return wire::Precondition("SINGULAR_MASS_MATRIX", "joint", massless,
                            absl::StrCat("model '", call.entry.id, "': ", absl::StrJoin(massless, ", "),
                                         " moves no inertia, so the mass matrix has no inverse; inverse dynamics and "
                                         "statics can be computed"));
}

absl::StatusOr<Expression> ReadExpression(const std::string& field, v1::Expression expression) {
  switch (expression) {
    case v1::EXPRESSION_UNSPECIFIED:
    case v1::EXPRESSION_WORLD_ALIGNED: return Expression::kWorldAligned;
    case v1::EXPRESSION_BODY: return Expression::kBody;
    case v1::EXPRESSION_SPATIAL: return Expression::kSpatial;
    default: return BadField(field, absl::StrCat(static_cast<int>(expression), " is unknown"));
  }
}

v1::Expression ToProto(Expression expression) {
  switch (expression) {
    case Expression::kWorldAligned: return v1::EXPRESSION_WORLD_ALIGNED;
    case Expression::kBody: return v1::EXPRESSION_BODY;
    case Expression::kSpatial: return v1::EXPRESSION_SPATIAL;
  }
  return v1::EXPRESSION_UNSPECIFIED;
}

void Inform(const Call& call, const Asked& asked, const v1::Context& context, int samples, v1::AnswerInfo* info) {
  info->set_revision(call.entry.name);
  info->set_sample_count(samples);
  if (!context.omit_names())
    for (const std::string& name : call.entry.coordinate_names) info->add_joint_names(name);
  const Vec3<double>& g = asked.conditions.gravity;
  info->mutable_gravity()->set_x(g.x);
  info->mutable_gravity()->set_y(g.y);
  info->mutable_gravity()->set_z(g.z);
  if (asked.place != EffortPlace::kJoint) info->set_effort_place(context.effort_place());
  const Terms& t = asked.conditions.terms;
  if (t.inertia) info->add_terms(v1::TERM_INERTIA);
  if (t.velocity) info->add_terms(v1::TERM_VELOCITY);
  if (t.gravity) info->add_terms(v1::TERM_GRAVITY);
  if (t.rotor) info->add_terms(v1::TERM_ROTOR);
  if (t.friction) info->add_terms(v1::TERM_FRICTION);
  if (t.springs) info->add_terms(v1::TERM_SPRINGS);
}

void ReportLimits(const Call& call, const v1::Context& context, const wire::Rows& positions,
                  const wire::Rows& velocities, const double* efforts, v1::AnswerInfo* info) {
  if (!context.report_limits()) return;
  for (int i = 0; i < positions.count; ++i) {
    bool outside = false;
    for (const Coordinate& c : call.entry.model().coordinates) {
      if (VelocityCount(c.kind) != 1) continue;
      const double q = positions.row(i)[c.q_index];
      outside = outside || (c.limits.lower && q < *c.limits.lower) || (c.limits.upper && q > *c.limits.upper);
      if (velocities.data && c.limits.velocity)
        outside = outside || std::abs(velocities.row(i)[c.v_index]) > *c.limits.velocity;
      if (efforts && c.limits.effort)
        outside = outside || std::abs(efforts[static_cast<size_t>(i) * call.entry.nv() + c.v_index]) > *c.limits.effort;
    }
    if (outside) info->add_samples_outside_limits(i);
  }
}

}  // namespace torqued
