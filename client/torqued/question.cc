#include "client/torqued/question.h"

#include <absl/strings/match.h>
#include <absl/strings/str_replace.h>

namespace torqued {
namespace {

void Set(const Eigen::Vector3d& from, v1::Vector3& to) {
  to.set_x(from.x());
  to.set_y(from.y());
  to.set_z(from.z());
}

}  // namespace

std::string ModelResource(const std::string& id) {
  const std::string name = absl::StartsWith(id, "models/") ? id : "models/" + id;
  return absl::StrReplaceAll(name, {{"@", "/revisions/"}});
}

std::string ModelId(const std::string& name) {
  const std::string id = absl::StartsWith(name, "models/") ? name.substr(7) : name;
  return absl::StrReplaceAll(id, {{"/revisions/", "@"}});
}

Question::Question(const char* model) : Question(std::string(model)) {}
Question::Question(const std::string& model) { context_.set_model(ModelResource(model)); }

Question& Question::ToolFrame(const std::string& frame) {
  context_.set_tool_frame(frame);
  return *this;
}

Question& Question::Payload(const std::string& frame, double mass,
                            const Eigen::Vector3d& center_of_mass) {
  v1::Payload* payload = context_.add_payloads();
  payload->set_frame(frame);
  payload->set_mass(mass);
  Set(center_of_mass, *payload->mutable_center_of_mass());
  return *this;
}

Question& Question::Payload(const std::string& frame, double mass,
                            const Eigen::Vector3d& center_of_mass, const Eigen::Matrix3d& inertia) {
  Payload(frame, mass, center_of_mass);
  v1::InertiaTensor* I = context_.mutable_payloads(context_.payloads_size() - 1)->mutable_inertia();
  I->set_xx(inertia(0, 0));
  I->set_xy(inertia(0, 1));
  I->set_xz(inertia(0, 2));
  I->set_yy(inertia(1, 1));
  I->set_yz(inertia(1, 2));
  I->set_zz(inertia(2, 2));
  return *this;
}

Question& Question::Gravity(const Eigen::Vector3d& gravity) {
  Set(gravity, *context_.mutable_gravity());
  return *this;
}

Question& Question::Terms(const std::vector<v1::Term>& terms) {
  context_.clear_terms();
  for (const v1::Term term : terms) context_.add_terms(term);
  return *this;
}

Question& Question::WrenchByRobot(const std::string& frame, const Vector6d& wrench) {
  return AddWrench(frame, wrench, v1::EXERTER_ROBOT);
}

Question& Question::WrenchOnRobot(const std::string& frame, const Vector6d& wrench) {
  return AddWrench(frame, wrench, v1::EXERTER_ENVIRONMENT);
}

Question& Question::AddWrench(const std::string& frame, const Vector6d& wrench,
                              v1::Exerter exerter) {
  v1::Wrenches* added = context_.add_wrenches();
  added->set_frame(frame);
  added->set_axes(v1::AXES_WORLD);
  added->set_exerter(exerter);
  for (int i = 0; i < 6; ++i) added->add_values(wrench[i]);
  return *this;
}

}  // namespace torqued
