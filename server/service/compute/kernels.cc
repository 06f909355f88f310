#include "server/service/compute/kernels.h"

#include "server/core/dynamics/forward_dynamics.h"
#include "server/core/dynamics/inverse_dynamics.h"
#include "server/core/dynamics/path_dynamics.h"
#include "server/service/compute/question.h"

namespace torqued {

absl::Status InverseDynamicsRows(const Call& call, const Asked& asked, const wire::Rows& q, const wire::Rows& v,
                                 const wire::Rows& a, double* efforts) {
  const Prepared& m = call.entry.prepared;
  Workspace<double>& ws = call.scratch.For(m, call.entry.serial);
  for (int i = 0; i < q.count; ++i) {
    if (absl::Status s = call.Check(i); !s.ok()) return s;
    InverseDynamics(m, asked.conditions, q.row(i), v.row(i), a.row(i), ws, efforts + static_cast<size_t>(i) * m.nv);
  }
  return AddWrenchTorques(call, asked.wrenches, q, 1, efforts);
}

absl::Status StaticTorqueRows(const Call& call, const Asked& asked, const wire::Rows& q, double* efforts) {
  return InverseDynamicsRows(call, asked, q, {}, {}, efforts);
}

absl::Status JacobianRows(const Call& call, const Asked& asked, int frame, Expression expression, const wire::Rows& q,
                          double* jacobians) {
  const Prepared& m = call.entry.prepared;
  Workspace<double>& ws = call.scratch.For(m, call.entry.serial);
  std::vector<double>& columns = call.scratch.numbers;
  columns.resize(6 * static_cast<size_t>(m.nv));
  for (int i = 0; i < q.count; ++i) {
    if (absl::Status s = call.Check(i); !s.ok()) return s;
    Jacobian(m, m.frames[frame], expression, q.row(i), ws, columns.data());
    double* J = jacobians + static_cast<size_t>(i) * columns.size();
    for (int c = 0; c < m.nv; ++c)
      for (int r = 0; r < 6; ++r) J[r * m.nv + c] = columns[6 * c + r];
  }
  return absl::OkStatus();
}

absl::Status ForwardDynamicsRows(const Call& call, const Asked& asked, const wire::Rows& q, const wire::Rows& v,
                                 const double* efforts, double* accelerations) {
  const Prepared& m = call.entry.prepared;
  Workspace<double>& ws = call.scratch.For(m, call.entry.serial);
  for (int i = 0; i < q.count; ++i) {
    if (absl::Status s = call.Check(i); !s.ok()) return s;
    const size_t at = static_cast<size_t>(i) * m.nv;
    const SolveStatus status =
        ForwardDynamics(m, asked.conditions, q.row(i), v.row(i), efforts + at, ws, accelerations + at);
    if (!status.ok()) return SingularMass(call, i, status.singular);
  }
  return absl::OkStatus();
}

absl::Status PathDynamicsRows(const Call& call, const Asked& asked, const wire::Rows& q, const wire::Rows& dq,
                              const wire::Rows& ddq, double* m, double* c, double* g) {
  const Prepared& model = call.entry.prepared;
  Workspace<double>& ws = call.scratch.For(model, call.entry.serial);
  for (int i = 0; i < q.count; ++i) {
    if (absl::Status s = call.Check(i); !s.ok()) return s;
    const size_t at = static_cast<size_t>(i) * model.nv;
    PathDynamics(model, asked.conditions, q.row(i), dq.row(i), ddq.row(i), ws, m + at, c + at, g + at);
  }
  return absl::OkStatus();
}

absl::Status AddWrenchTorques(const Call& call, const std::vector<AskedWrench>& wrenches, const wire::Rows& q,
                              double sign, double* efforts) {
  if (wrenches.empty()) return absl::OkStatus();
  const Prepared& m = call.entry.prepared;
  Workspace<double>& ws = call.scratch.For(m, call.entry.serial);
  std::vector<double>& share = call.scratch.numbers;
  share.resize(m.nv);
  for (int i = 0; i < q.count; ++i) {
    if (absl::Status s = call.Check(i); !s.ok()) return s;
    double* tau = efforts + static_cast<size_t>(i) * m.nv;
    for (const AskedWrench& w : wrenches) {
      WrenchTorque(m, m.frames[w.frame], w.axes, w.At(i), q.row(i), ws, share.data());
      for (int k = 0; k < m.nv; ++k) tau[k] += sign * share[k];
    }
  }
  return absl::OkStatus();
}

}  // namespace torqued
