// Inverse and forward dynamics, and the dynamics along a path.
#include <absl/strings/str_cat.h>

#include "server/core/dynamics/forward_dynamics.h"
#include "server/core/dynamics/path_dynamics.h"
#include "server/core/math/svd.h"
#include "server/service/compute/compute.h"
#include "server/service/compute/question.h"

namespace torqued {
namespace {

// What the motors give for joint efforts: through the actuator matrix, gear and efficiency (losses against the flow of
// power; at rest as if driving, the larger of the two).
absl::Status MotorEfforts(const Call& call, const Question& question, const double* efforts, double* out) {
  const Model& model = call.entry.model();
  const int nv = call.entry.nv();
  if (model.drives.empty())
    return wire::Precondition("NO_DRIVES", "model", {call.entry.id},
                              absl::StrCat("model '", call.entry.id,
                                           "' says nothing about motors and gears, so report_motor cannot be answered"));
  const bool coupled = model.actuator_matrix.size() > 0;
  Svd transpose;
  if (coupled) transpose = ComputeSvd(model.actuator_matrix.transpose());
  for (int i = 0; i < question.count(); ++i) {
    Eigen::VectorXd tau = Eigen::Map<const Eigen::VectorXd>(efforts + static_cast<size_t>(i) * nv, nv);
    Eigen::VectorXd rate = Eigen::VectorXd::Zero(nv);
    if (question.v().data) rate = Eigen::Map<const Eigen::VectorXd>(question.v().row(i), nv);
    if (coupled) {
      tau = transpose.Solve(tau, 0);
      rate = model.actuator_matrix * rate;
    }
    for (int k = 0; k < nv; ++k) {
      const Drive& drive = model.drives[k];
      const double loss = tau[k] * rate[k] >= 0 ? 1 / drive.efficiency : drive.efficiency;
      out[static_cast<size_t>(i) * nv + k] = tau[k] / drive.gear_ratio * loss;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Answer(const Call& call, const v1::ComputeInverseDynamicsRequest& request,
                    v1::ComputeInverseDynamicsResponse* response) {
  const auto question = ReadQuestion(call, Needs::kInertias, true, request.context(), request.positions(),
                                     &request.velocities(), &request.accelerations());
  if (!question.ok()) return question.status();
  const int nv = call.entry.nv();
  const size_t size = static_cast<size_t>(question->count()) * nv;
  auto* values = response->mutable_efforts()->mutable_values();
  double* efforts = wire::Extend(values, size);
  if (absl::Status s = InverseDynamicsRows(call, question->asked, question->q(), question->v(), question->a(), efforts);
      !s.ok())
    return s;
  if (absl::Status s = wire::CheckAnswer("efforts", *values, nv); !s.ok()) return s;
  if (request.report_motor()) {
    double* motor = wire::Extend(response->mutable_motor_efforts()->mutable_values(), size);
    if (absl::Status s = MotorEfforts(call, *question, efforts, motor); !s.ok()) return s;
    if (absl::Status s = wire::CheckAnswer("motor_efforts", response->motor_efforts().values(), nv); !s.ok()) return s;
  }
  return Conclude(call, *question, request.context(), efforts, true, response->mutable_info());
}

absl::Status Answer(const Call& call, const v1::ComputeForwardDynamicsRequest& request,
                    v1::ComputeForwardDynamicsResponse* response) {
  const auto question = ReadQuestion(call, Needs::kInvertibleMass, true, request.context(), request.positions(),
                                     &request.velocities());
  if (!question.ok()) return question.status();
  const auto efforts = ReadEfforts(call, request.efforts(), question->count(), true);
  if (!efforts.ok()) return efforts.status();
  const Prepared& m = call.entry.prepared;
  const size_t size = static_cast<size_t>(question->count()) * m.nv;
  // What the joints give beyond holding the external wrenches.
  std::vector<double>& left = call.scratch.more_numbers;
  left.assign(size, 0.0);
  if (efforts->data) std::copy(efforts->data, efforts->data + size, left.begin());
  if (absl::Status s = AddWrenchTorques(call, question->asked.wrenches, question->q(), -1, left.data()); !s.ok()) return s;
  auto* values = response->mutable_accelerations()->mutable_values();
  double* a = wire::Extend(values, size);
  if (absl::Status s =
          ForwardDynamicsRows(call, question->asked, question->q(), question->v(), left.data(), a);
      !s.ok())
    return s;
  if (absl::Status s = wire::CheckAnswer("accelerations", *values, m.nv); !s.ok()) return s;
  Question answered = *question;
  answered.states.a = {a, question->count(), m.nv};
  return Conclude(call, answered, request.context(), efforts->data, true, response->mutable_info());
}

absl::Status Answer(const Call& call, const v1::ComputePathDynamicsRequest& request,
                    v1::ComputePathDynamicsResponse* response) {
  auto asked = ReadQuestion(call, Needs::kInertias, false, request.context(), request.positions());
  if (!asked.ok()) return asked.status();
  const wire::Columns& rates = call.entry.rates;
  const auto first = wire::ReadRows("first_derivatives", request.first_derivatives(), rates, asked->count(), false,
                                    call.scratch.velocities);
  if (!first.ok()) return first.status();
  const auto second = wire::ReadRows("second_derivatives", request.second_derivatives(), rates, asked->count(), false,
                                     call.scratch.accelerations);
  if (!second.ok()) return second.status();
  const int nv = call.entry.nv();
  const size_t size = static_cast<size_t>(asked->count()) * nv;
  double* m = wire::Extend(response->mutable_m()->mutable_values(), size);
  double* c = wire::Extend(response->mutable_c()->mutable_values(), size);
  double* g = wire::Extend(response->mutable_g()->mutable_values(), size);
  if (absl::Status s = PathDynamicsRows(call, asked->asked, asked->q(), *first, *second, m, c, g); !s.ok()) return s;
  if (absl::Status s = wire::CheckAnswer("m", response->m().values(), nv); !s.ok()) return s;
  if (absl::Status s = wire::CheckAnswer("c", response->c().values(), nv); !s.ok()) return s;
  if (absl::Status s = wire::CheckAnswer("g", response->g().values(), nv); !s.ok()) return s;
  return Conclude(call, *asked, request.context(), nullptr, false, response->mutable_info());
}

}  // namespace torqued
