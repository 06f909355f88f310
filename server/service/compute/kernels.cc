#include "server/service/compute/kernels.h"

#include <algorithm>

#include "server/service/compute/question.h"

namespace torqued {
namespace {

// Rows per call of the kernels: short enough that a cancelled or late request stops within a fraction of a millisecond.
constexpr int kChunk = 256;

// run(first, count) for consecutive chunks of the rows.
template <class Run>
absl::Status InChunks(const Call& call, int count, const Run& run) {
  for (int first = 0; first < count; first += kChunk) {
    if (call.interrupt && first > 0)
      if (absl::Status s = call.interrupt->Check(); !s.ok()) return s;
    if (absl::Status s = run(first, std::min(kChunk, count - first)); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status InverseDynamicsRows(const Call& call, const Asked& asked, const wire::Rows& q, const wire::Rows& v,
                                 const wire::Rows& a, double* efforts) {
  const int nv = call.entry.nv();
  const absl::Status status = InChunks(call, q.count, [&](int first, int count) {
    call.entry.batch->InverseDynamics(asked.conditions, q.row(first), v.row(first), a.row(first), count,
                                      efforts + static_cast<size_t>(first) * nv, call.scratch.batch);
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return AddWrenchTorques(call, asked.wrenches, q, 1, efforts);
}

absl::Status StaticTorqueRows(const Call& call, const Asked& asked, const wire::Rows& q, double* efforts) {
  return InverseDynamicsRows(call, asked, q, {}, {}, efforts);
}

absl::Status ForwardDynamicsRows(const Call& call, const Asked& asked, const wire::Rows& q, const wire::Rows& v,
                                 const double* efforts, double* accelerations) {
  const int nv = call.entry.nv();
  return InChunks(call, q.count, [&](int first, int count) {
    const size_t at = static_cast<size_t>(first) * nv;
    int singular[kChunk];
    if (call.entry.batch->ForwardDynamics(asked.conditions, q.row(first), v.row(first), efforts + at, count,
                                          accelerations + at, singular, call.scratch.batch))
      return absl::OkStatus();
    int i = 0;
    while (i + 1 < count && singular[i] < 0) ++i;
    return SingularMass(call, first + i, singular[i]);
  });
}

absl::Status JacobianRows(const Call& call, const Asked& asked, int frame, Expression expression, const wire::Rows& q,
                          double* jacobians) {
  const int width = 6 * call.entry.nv();
  return InChunks(call, q.count, [&](int first, int count) {
    call.entry.batch->Jacobian(call.entry.prepared.frames[frame], expression, q.row(first), count,
                               jacobians + static_cast<size_t>(first) * width, call.scratch.batch);
    return absl::OkStatus();
  });
}

absl::Status ForwardKinematicsRows(const Call& call, const std::vector<int>& frames, const wire::Rows& q, double* poses) {
  const int n = static_cast<int>(frames.size());
  return InChunks(call, q.count, [&](int first, int count) {
    call.entry.batch->ForwardKinematics(frames.data(), n, q.row(first), count, poses + static_cast<size_t>(first) * n * 7,
                                        call.scratch.batch);
    return absl::OkStatus();
  });
}

absl::Status PathDynamicsRows(const Call& call, const Asked& asked, const wire::Rows& q, const wire::Rows& dq,
                              const wire::Rows& ddq, double* m, double* c, double* g) {
  const int nv = call.entry.nv();
  return InChunks(call, q.count, [&](int first, int count) {
    const size_t at = static_cast<size_t>(first) * nv;
    call.entry.batch->PathDynamics(asked.conditions, q.row(first), dq.row(first), ddq.row(first), count,
                                   {m + at, c + at, g + at}, call.scratch.batch);
    return absl::OkStatus();
  });
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
