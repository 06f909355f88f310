// Inverse and forward dynamics, and the dynamics along a path.
#include "server/core/dynamics/forward_dynamics.h"
#include "server/core/dynamics/path_dynamics.h"
#include "server/service/compute/compute.h"
#include "server/service/compute/question.h"

namespace torqued {
namespace {

// Joint efforts of the question's states, as felt at `place`: rows in, rows out (the same rows are allowed).
void MoveEfforts(const Call& call, const Question& question, EffortPlace place, const double* efforts, double* out) {
  const int nv = call.entry.nv();
  DriveTrain train(call.entry.model(), call.entry.prepared);
  for (int i = 0; i < question.count(); ++i) {
    const Eigen::VectorXd tau = Eigen::Map<const Eigen::VectorXd>(efforts + static_cast<size_t>(i) * nv, nv);
    Eigen::Map<Eigen::VectorXd>(out + static_cast<size_t>(i) * nv, nv) =
        train.At(place, question.asked.conditions, question.q().row(i), question.v().row(i), question.a().row(i), tau);
  }
}

}  // namespace

absl::Status Answer(const Call& call, const v1::ComputeInverseDynamicsRequest& request,
                    v1::ComputeInverseDynamicsResponse* response) {
  const auto question = ReadQuestion(call, Needs::kInertias, true, request.context(), request.positions(),
                                     &request.velocities(), &request.accelerations(), true);
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
    if (absl::Status s = RequireDrives(call, "report_motor"); !s.ok()) return s;
    double* motor = wire::Extend(response->mutable_motor_efforts()->mutable_values(), size);
    MoveEfforts(call, *question, EffortPlace::kMotor, efforts, motor);
    if (absl::Status s = wire::CheckAnswer("motor_efforts", response->motor_efforts().values(), nv); !s.ok()) return s;
  }
  // Limits are the joint's, so they are looked at before the efforts move.
  if (absl::Status s = Conclude(call, *question, request.context(), efforts, true, response->mutable_info()); !s.ok()) return s;
  if (question->asked.place != EffortPlace::kJoint) MoveEfforts(call, *question, question->asked.place, efforts, efforts);
  return wire::CheckAnswer("efforts", *values, nv);
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
  return Conclude(call, *asked, request.context(), nullptr, true, response->mutable_info());
}

}  // namespace torqued
