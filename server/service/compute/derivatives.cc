// How do torques and accelerations change with the state?
#include "server/core/dynamics/derivatives.h"

#include <absl/strings/str_cat.h>

#include "server/core/dynamics/crba.h"
#include "server/service/compute/compute.h"
#include "server/service/compute/question.h"

namespace torqued {
namespace {

v1::Matrices* Shaped(int nv, v1::Matrices* out) {
  out->set_rows(nv);
  out->set_cols(nv);
  return out;
}

// `from`: column-major.
void AppendSquare(const std::vector<double>& from, int nv, v1::Matrices* to) {
  AppendRowMajor(Eigen::Map<const Eigen::MatrixXd>(from.data(), nv, nv), to->mutable_values());
}

}  // namespace

absl::Status Answer(const Call& call, const v1::ComputeDerivativesRequest& request,
                    v1::ComputeDerivativesResponse* response) {
  const bool forward = request.forward(), inverse = request.inverse() || !forward;
  const auto question =
      ReadQuestion(call, forward ? Needs::kInvertibleMass : Needs::kAllInertias, false, request.context(),
                   request.positions(), &request.velocities(), &request.accelerations());
  if (!question.ok()) return question.status();
  const auto efforts = ReadEfforts(call, request.efforts(), question->count(), true);
  if (!efforts.ok()) return efforts.status();
  const Prepared& m = call.entry.prepared;
  const int nv = m.nv;
  if (static_cast<double>(question->count()) * nv * nv > 5e6)
    return wire::Exhausted("TOO_MANY_SAMPLES", "samples",
                           absl::StrCat("positions: ", question->count(), " samples; split the request"));
  const Conditions& c = question->asked.conditions;
  DerivativesWorkspace w(m);
  Workspace<double>& ws = call.scratch.For(m, call.entry.serial);
  const size_t square = static_cast<size_t>(nv) * nv;
  std::vector<double> A(square), B(square), Minv(square), qdd(nv);
  const std::vector<double> still(nv, 0.0);
  for (int i = 0; i < question->count(); ++i) {
    if (absl::Status s = call.Check(i * 16); !s.ok()) return s;
    const double* q = question->q().row(i);
    const double* v = question->v().row(i);
    if (inverse) {
      InverseDynamicsDerivatives(m, c, q, v, question->a().row(i), w, A.data(), B.data());
      AppendSquare(A, nv, Shaped(nv, response->mutable_effort_by_position()));
      AppendSquare(B, nv, Shaped(nv, response->mutable_effort_by_velocity()));
      MassMatrix(m, c, q, ws, A.data());
      AppendSquare(A, nv, Shaped(nv, response->mutable_mass_matrix()));
    }
    if (forward) {
      const double* tau = efforts->data ? efforts->row(i) : still.data();
      const SolveStatus status =
          ForwardDynamicsDerivatives(m, c, q, v, tau, w, qdd.data(), A.data(), B.data(), Minv.data());
      if (!status.ok()) return SingularMass(call, i, status.singular);
      AppendSquare(A, nv, Shaped(nv, response->mutable_acceleration_by_position()));
      AppendSquare(B, nv, Shaped(nv, response->mutable_acceleration_by_velocity()));
      AppendSquare(Minv, nv, Shaped(nv, response->mutable_inverse_mass_matrix()));
    }
  }
  for (const auto& [name, field] : {std::make_pair("effort_by_position", &response->effort_by_position()),
                                    std::make_pair("effort_by_velocity", &response->effort_by_velocity()),
                                    std::make_pair("mass_matrix", &response->mass_matrix()),
                                    std::make_pair("acceleration_by_position", &response->acceleration_by_position()),
                                    std::make_pair("acceleration_by_velocity", &response->acceleration_by_velocity()),
                                    std::make_pair("inverse_mass_matrix", &response->inverse_mass_matrix())})
    if (absl::Status s = wire::CheckAnswer(name, field->values(), nv * nv); !s.ok()) return s;
  return Conclude(call, *question, request.context(), nullptr, true, response->mutable_info());
}

}  // namespace torqued
