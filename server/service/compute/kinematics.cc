// Poses and motions of frames, Jacobians.
#include <absl/strings/str_cat.h>

#include "proto/wire/errors.h"
#include "server/core/dynamics/kinematics.h"
#include "server/service/compute/compute.h"
#include "server/service/compute/kernels.h"
#include "server/service/compute/states.h"

namespace torqued {
namespace {

absl::StatusOr<std::vector<int>> AskedFrames(const Call& call, const Asked& asked,
                                             const v1::ComputeForwardKinematicsRequest& request) {
  std::vector<int> frames;
  if (request.all_frames()) {
    for (size_t f = 0; f < call.entry.prepared.frames.size(); ++f) frames.push_back(static_cast<int>(f));
    return frames;
  }
  for (int i = 0; i < request.frames_size(); ++i) {
    const auto frame = AskedFrame(call, asked, absl::StrCat("frames[", i, "]"), request.frames(i));
    if (!frame.ok()) return frame.status();
    frames.push_back(*frame);
  }
  if (frames.empty()) frames.push_back(asked.tool_frame);
  return frames;
}

void Write(const Vec3<double>& a, double* out) { out[0] = a.x, out[1] = a.y, out[2] = a.z; }

// Six velocity and six acceleration components of a frame, as the expression says (see the proto's comments).
void WriteMotion(const BodyFrame& f, Expression expression, const Workspace<double>& ws, double* velocity,
                 double* acceleration) {
  const FrameMotion<double> x =
      expression == Expression::kBody ? MotionInFrameAxes(f, ws) : MotionInWorldAxes(f, ws);
  Vec3<double> v = x.v, a = x.a;
  if (expression == Expression::kSpatial) {
    const Vec3<double> p = FramePose(f, ws).p;
    v -= Cross(x.w, p);
    a = a - Cross(x.w, x.v) - Cross(x.wd, p);
  } else if (expression == Expression::kBody) {
    a -= Cross(x.w, x.v);
  }
  if (velocity) Write(v, velocity), Write(x.w, velocity + 3);
  if (acceleration) Write(a, acceleration), Write(x.wd, acceleration + 3);
}

absl::StatusOr<PointMotion<double>> ReadPoint(const v1::MovingPoint& from) {
  for (const auto& [field, vector] : {std::make_pair("point.position", &from.position()),
                                      std::make_pair("point.velocity", &from.velocity()),
                                      std::make_pair("point.acceleration", &from.acceleration())})
    if (absl::Status s = wire::CheckFinite(field, *vector); !s.ok()) return s;
  const auto vec = [](const v1::Vector3& x) { return Vec3<double>{x.x(), x.y(), x.z()}; };
  return PointMotion<double>{vec(from.position()), vec(from.velocity()), vec(from.acceleration())};
}

}  // namespace

absl::Status Answer(const Call& call, const v1::ComputeForwardKinematicsRequest& request,
                    v1::ComputeForwardKinematicsResponse* response) {
  const auto asked = ResolveContext(call, request.context());
  if (!asked.ok()) return asked.status();
  const auto expression = ReadExpression("expression", request.expression());
  if (!expression.ok()) return expression.status();
  const auto frames = AskedFrames(call, *asked, request);
  if (!frames.ok()) return frames.status();
  const auto states = ReadStates(call, request.positions(), &request.velocities(), &request.accelerations());
  if (!states.ok()) return states.status();
  if (states->a.data && !states->v.data)
    return wire::BadField("velocities", "absent, want them with accelerations", "MISSING_FIELD");
  int observer = -1;  // -1: the world
  PointMotion<double> seen{};
  if (request.has_point()) {
    const auto point = ReadPoint(request.point());
    if (!point.ok()) return point.status();
    seen = *point;
    if (!request.observer().empty()) {
      const auto frame = AskedFrame(call, *asked, "observer", request.observer());
      if (!frame.ok()) return frame.status();
      observer = *frame;
    }
  } else if (!request.observer().empty()) {
    return wire::BadField("observer", "given without a point; want point, which it looks at");
  }
  const Prepared& m = call.entry.prepared;
  const size_t n = frames->size(), rows = n * states->count;
  if (rows > static_cast<size_t>(kMostSamples))
    return wire::Exhausted("TOO_MANY_SAMPLES", "samples",
                           absl::StrCat("positions: ", states->count, " samples of ", n, " frames, at most ",
                                        kMostSamples, " poses in one request; split it"));
  for (int f : *frames) response->add_frames(m.frame_names[f]);
  double* pose = wire::Extend(response->mutable_poses()->mutable_values(), 7 * rows);
  double* velocity = states->v.data ? wire::Extend(response->mutable_velocities(), 6 * rows) : nullptr;
  double* acceleration = states->a.data ? wire::Extend(response->mutable_accelerations(), 6 * rows) : nullptr;
  if (absl::Status s = ForwardKinematicsRows(call, *frames, states->q, pose); !s.ok()) return s;
  Workspace<double>& ws = call.scratch.For(m, call.entry.serial);
  double* point = request.has_point() ? wire::Extend(response->mutable_points(), 9 * rows) : nullptr;
  if (observer >= 0) response->set_observer(m.frame_names[observer]);
  for (int i = 0; (velocity || point) && i < states->count; ++i) {
    if (absl::Status s = call.Check(i); !s.ok()) return s;
    ForwardMotion(m, states->q.row(i), states->v.row(i), states->a.row(i), ws);
    for (int f : *frames) {
      if (point) {
        PointMotion<double> x = CarryToWorld(FramePose(m.frames[f], ws), MotionInWorldAxes(m.frames[f], ws), seen);
        if (observer >= 0)
          x = SeenFrom(FramePose(m.frames[observer], ws), MotionInWorldAxes(m.frames[observer], ws), x);
        Write(x.p, point), Write(x.v, point + 3), Write(x.a, point + 6);
        point += 9;
      }
      if (!velocity) continue;
      WriteMotion(m.frames[f], *expression, ws, velocity, acceleration);
      velocity += 6;
      if (acceleration) acceleration += 6;
    }
  }
  const int per_sample = static_cast<int>(n);
  if (absl::Status s = wire::CheckAnswer("poses", response->poses().values(), 7 * per_sample); !s.ok()) return s;
  if (absl::Status s = wire::CheckAnswer("velocities", response->velocities(), 6 * per_sample); !s.ok()) return s;
  if (absl::Status s = wire::CheckAnswer("accelerations", response->accelerations(), 6 * per_sample); !s.ok()) return s;
  if (absl::Status s = wire::CheckAnswer("points", response->points(), 9 * per_sample); !s.ok()) return s;
  Inform(call, *asked, request.context(), states->count, response->mutable_info());
  response->mutable_info()->set_expression(ToProto(*expression));
  ReportLimits(call, request.context(), states->q, states->v, nullptr, response->mutable_info());
  return absl::OkStatus();
}

absl::Status Answer(const Call& call, const v1::ComputeJacobianRequest& request,
                    v1::ComputeJacobianResponse* response) {
  const auto asked = ResolveContext(call, request.context());
  if (!asked.ok()) return asked.status();
  const auto expression = ReadExpression("expression", request.expression());
  if (!expression.ok()) return expression.status();
  const auto frame = AskedFrame(call, *asked, "frame", request.frame());
  if (!frame.ok()) return frame.status();
  const auto states = ReadStates(call, request.positions(), &request.velocities());
  if (!states.ok()) return states.status();
  const Prepared& m = call.entry.prepared;
  auto* jacobians = response->mutable_jacobians();
  jacobians->set_rows(6);
  jacobians->set_cols(m.nv);
  double* J = wire::Extend(jacobians->mutable_values(), 6 * static_cast<size_t>(m.nv) * states->count);
  if (absl::Status s = JacobianRows(call, *asked, *frame, *expression, states->q, J); !s.ok()) return s;
  if (absl::Status s = wire::CheckAnswer("jacobians", jacobians->values(), 6 * m.nv); !s.ok()) return s;
  if (states->v.data) {
    double* jdot_v = wire::Extend(response->mutable_jdot_v(), 6 * static_cast<size_t>(states->count));
    Workspace<double>& ws = call.scratch.For(m, call.entry.serial);
    for (int i = 0; i < states->count; ++i, jdot_v += 6) {
      if (absl::Status s = call.Check(i); !s.ok()) return s;
      JacobianDotV(m, m.frames[*frame], *expression, states->q.row(i), states->v.row(i), ws, jdot_v);
    }
    if (absl::Status s = wire::CheckAnswer("jdot_v", response->jdot_v(), 6); !s.ok()) return s;
  }
  Inform(call, *asked, request.context(), states->count, response->mutable_info());
  response->mutable_info()->set_frame(m.frame_names[*frame]);
  response->mutable_info()->set_expression(ToProto(*expression));
  ReportLimits(call, request.context(), states->q, states->v, nullptr, response->mutable_info());
  return absl::OkStatus();
}

}  // namespace torqued
