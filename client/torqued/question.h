// About which robot, carrying what, under which gravity is a question asked? Builds the Context of
// a request.
//
//   Question("ur5e").Payload("tool0", 1.2, {0, 0, 0.1}).Gravity({0, 0, -1.62})
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "torqued/v1/types.pb.h"

namespace torqued {

// "ur5e" -> "models/ur5e", "ur5e@0123456789ab" -> "models/ur5e/revisions/0123456789ab"; a full name
// stays as it is.
std::string ModelResource(const std::string& id);
// The reverse, for people.
std::string ModelId(const std::string& name);

using Vector6d = Eigen::Matrix<double, 6, 1>;

class Question {
 public:
  Question(const char* model);         // implicit: client.StaticTorque("ur5e", q)
  Question(const std::string& model);  // implicit
  explicit Question(v1::Context context) : context_(std::move(context)) {}

  Question& ToolFrame(const std::string& frame);
  // [kg], centre of mass [m] in `frame` (empty: the tool frame), a point mass.
  Question& Payload(const std::string& frame, double mass, const Eigen::Vector3d& center_of_mass);
  // With the inertia about the centre of mass in that frame's axes [kg m^2].
  Question& Payload(const std::string& frame, double mass, const Eigen::Vector3d& center_of_mass,
                    const Eigen::Matrix3d& inertia);
  Question& Gravity(const Eigen::Vector3d& gravity);  // [m/s^2], world axes
  Question& Terms(const std::vector<v1::Term>& terms);
  // Force [N] and moment [Nm] at `frame` (empty: tool frame), world axes.
  Question& WrenchByRobot(const std::string& frame, const Vector6d& wrench);
  Question& WrenchOnRobot(const std::string& frame, const Vector6d& wrench);

  const v1::Context& context() const { return context_; }

 private:
  Question& AddWrench(const std::string& frame, const Vector6d& wrench, v1::Exerter exerter);

  v1::Context context_;
};

}  // namespace torqued
