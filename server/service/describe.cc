#include "server/service/describe.h"

#include <absl/strings/str_cat.h>

#include "proto/wire/errors.h"
#include "server/core/spatial/quaternion.h"

namespace torqued {
namespace {

v1::JointKind ToProto(JointKind kind) {
  switch (kind) {
    case JointKind::kFixed: return v1::JOINT_KIND_FIXED;
    case JointKind::kRevolute: return v1::JOINT_KIND_REVOLUTE;
    case JointKind::kContinuous: return v1::JOINT_KIND_CONTINUOUS;
    case JointKind::kPrismatic: return v1::JOINT_KIND_PRISMATIC;
    case JointKind::kFloating: return v1::JOINT_KIND_FLOATING;
    case JointKind::kSpherical: return v1::JOINT_KIND_SPHERICAL;
    case JointKind::kPlanar: return v1::JOINT_KIND_PLANAR;
  }
  return v1::JOINT_KIND_UNSPECIFIED;
}

void Write(const Eigen::Vector3d& from, v1::Vector3* to) {
  to->set_x(from.x());
  to->set_y(from.y());
  to->set_z(from.z());
}

void Write(const Eigen::Isometry3d& from, v1::Pose* to) {
  Write(from.translation(), to->mutable_position());
  double u[4];
  RotationToQuaternion(FromEigen(Eigen::Matrix3d(from.linear())), u);
  auto* q = to->mutable_orientation();
  q->set_x(u[0]);
  q->set_y(u[1]);
  q->set_z(u[2]);
  q->set_w(u[3]);
}

void Write(const Friction& from, v1::Friction* to) {
  to->set_viscous(from.viscous);
  to->set_coulomb_positive(from.coulomb_positive);
  to->set_coulomb_negative(from.coulomb_negative);
  to->set_breakaway(from.breakaway);
  to->set_stribeck_velocity(from.stribeck_velocity);
  to->set_smoothing_velocity(from.smoothing_velocity);
}

// sum J ratio^2 of the rotors that this entry of v turns.
double ReflectedInertia(const Model& model, int v_index) {
  double sum = 0;
  for (const Rotor& rotor : model.rotors)
    for (const auto& [i, ratio] : rotor.ratio)
      if (i == v_index) sum += rotor.inertia * ratio * ratio;
  return sum;
}

void Write(const Model& model, const Coordinate& from, v1::Coordinate* to) {
  to->set_name(from.name);
  to->set_kind(ToProto(from.kind));
  to->set_position_index(from.q_index);
  to->set_velocity_index(from.v_index);
  const Limits& limits = from.limits;
  if (limits.lower) to->set_lower(*limits.lower);
  if (limits.upper) to->set_upper(*limits.upper);
  if (limits.velocity) to->set_velocity(*limits.velocity);
  if (limits.acceleration) to->set_acceleration(*limits.acceleration);
  if (limits.jerk) to->set_jerk(*limits.jerk);
  if (limits.effort) to->set_effort(*limits.effort);
  Write(from.friction, to->mutable_friction());
  if (from.v_index < static_cast<int>(model.drives.size())) {
    const Drive& drive = model.drives[from.v_index];
    to->set_gear_ratio(drive.gear_ratio);
    if (drive.motor_torque) to->set_motor_torque(*drive.motor_torque);
    if (drive.motor_speed) to->set_motor_speed(*drive.motor_speed);
  }
  if (const double inertia = ReflectedInertia(model, from.v_index); inertia != 0) to->set_rotor_inertia(inertia);
}

void Write(const Link& from, v1::Link* to) {
  to->set_name(from.name);
  to->set_inertia_known(from.inertia.has_value());
  if (!from.inertia) return;
  to->set_mass(from.inertia->mass);
  Write(from.inertia->com, to->mutable_center_of_mass());
  const Eigen::Matrix3d& I = from.inertia->inertia_about_com;
  auto* tensor = to->mutable_inertia();
  tensor->set_xx(I(0, 0));
  tensor->set_xy(I(0, 1));
  tensor->set_xz(I(0, 2));
  tensor->set_yy(I(1, 1));
  tensor->set_yz(I(1, 2));
  tensor->set_zz(I(2, 2));
}

void Write(const Model& model, const Joint& from, v1::Joint* to) {
  to->set_name(from.name);
  to->set_kind(ToProto(from.kind));
  to->set_parent_link(model.links[from.parent_link].name);
  to->set_child_link(model.links[from.child_link].name);
  Write(from.X_PJ, to->mutable_placement());
  Write(from.axis, to->mutable_axis());
  for (const CouplingTerm& term : from.coupling) {
    to->add_coordinates(model.coordinates[term.coordinate].name);
    to->add_factors(term.factor);
  }
  to->set_offset(from.offset);
}

void Write(const Finding& from, v1::Finding* to) {
  to->set_code(from.code);
  to->set_severity(static_cast<v1::Severity>(static_cast<int>(from.severity) + 1));
  to->set_element(from.element);
  to->set_line(from.line);
  to->set_message(from.message);
  to->set_value(from.value);
}

void Write(const Capabilities& from, v1::Capabilities* to) {
  to->set_dynamics(from.dynamics);
  to->set_forward_dynamics(from.forward_dynamics);
  for (const std::string& link : from.unknown_inertias) to->add_unknown_inertias(link);
  for (const std::string& joint : from.massless_joints) to->add_massless_joints(joint);
  to->set_floating_base(from.floating_base);
  to->set_coupled(from.coupled);
  to->set_inverse_kinematics(from.inverse_kinematics);
}

void WriteTime(std::int64_t microseconds, google::protobuf::Timestamp* to) {
  to->set_seconds(microseconds / 1000000);
  to->set_nanos(static_cast<int>(microseconds % 1000000) * 1000);
}

}  // namespace

void WriteKernel(const Batch& batch, Method method, v1::Kernel* to) {
  const std::string name = batch.KernelName(method);  // "avx2 compiled"
  to->set_name(name.substr(name.rfind(' ') + 1));
  to->set_instruction_set(batch.kernels().name);
  to->set_instruction_count(batch.InstructionCount(method));
  to->set_reason(batch.TemplateReason(method));
}

void DescribeEntry(const ModelEntry& entry, v1::ModelView view, v1::Model* out) {
  const Model& model = entry.model();
  out->set_revision(entry.revision);
  for (const Finding& finding : entry.loaded.findings) Write(finding, out->add_findings());
  Write(entry.loaded.capabilities, out->mutable_capabilities());
  out->set_position_count(model.nq);
  out->set_velocity_count(model.nv);
  for (const Coordinate& c : model.coordinates) Write(model, c, out->add_coordinates());
  for (const std::string& frame : entry.prepared.frame_names) out->add_frames(frame);
  out->set_tool_frame(model.tool_frame);
  Write(model.gravity, out->mutable_gravity());
  WriteKernel(*entry.batch, Method::kInverseDynamics, out->mutable_kernel());
  for (int k = 0; k < kMethodCount; ++k) {
    const Method method = static_cast<Method>(k);
    auto* to = out->mutable_kernel()->add_methods();
    to->set_method(MethodName(method));
    to->set_instruction_count(entry.batch->InstructionCount(method));
    to->set_reason(entry.batch->TemplateReason(method));
  }
  out->set_description(entry.loaded.description);
  if (view != v1::MODEL_VIEW_FULL) return;
  out->mutable_source()->set_text(entry.source);
  out->mutable_source()->set_base(static_cast<v1::Base>(static_cast<int>(entry.options.base)));
  out->mutable_source()->set_policy(static_cast<v1::Policy>(static_cast<int>(entry.options.policy) + 1));
  for (const Link& link : model.links) Write(link, out->add_links());
  for (const Joint& joint : model.joints) Write(model, joint, out->add_joints());
}

void Describe(const Registered& model, v1::ModelView view, v1::Model* out) {
  if (model.entry) DescribeEntry(*model.entry, view, out);
  const StoredModel& record = model.record;
  out->set_name(absl::StrCat("models/", record.id));
  out->set_revision(record.current.revision);
  out->set_generation(record.generation);
  out->set_etag(absl::StrCat(record.position));
  for (const auto& [key, value] : record.labels) (*out->mutable_labels())[key] = value;
  out->set_owner(record.owner);
  WriteTime(record.create_us, out->mutable_create_time());
  WriteTime(record.update_us, out->mutable_update_time());
  if (!model.entry) {
    auto* finding = out->add_findings();
    finding->set_code("UNREADABLE_MODEL");
    finding->set_severity(v1::SEVERITY_ERROR);
    finding->set_message(std::string(model.load_error.message()));
  }
}

absl::StatusOr<LoadOptions> ReadOptions(const v1::ModelSource& source) {
  LoadOptions options;
  switch (source.base()) {
    case v1::BASE_UNSPECIFIED: options.base = BaseOption::kAsSource; break;
    case v1::BASE_FIXED: options.base = BaseOption::kFixed; break;
    case v1::BASE_FLOATING: options.base = BaseOption::kFloating; break;
    default: return wire::BadField("source.base", absl::StrCat(static_cast<int>(source.base()), " is unknown"));
  }
  switch (source.policy()) {
    case v1::POLICY_UNSPECIFIED:
    case v1::POLICY_WARN: options.policy = Policy::kWarn; break;
    case v1::POLICY_STRICT: options.policy = Policy::kStrict; break;
    case v1::POLICY_REPAIR: options.policy = Policy::kRepair; break;
    default: return wire::BadField("source.policy", absl::StrCat(static_cast<int>(source.policy()), " is unknown"));
  }
  return options;
}

}  // namespace torqued
