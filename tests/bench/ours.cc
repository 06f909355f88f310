// Ours: the template on doubles, the template on packs (every instruction set of this machine), compiled code.
#include "server/batch/batch.h"
#include "server/compile/compiler.h"
#include "server/core/dynamics/crba.h"
#include "server/core/dynamics/forward_dynamics.h"
#include "server/core/dynamics/inverse_dynamics.h"
#include "server/core/dynamics/path_dynamics.h"
#include "tests/bench/contender.h"

namespace torqued::bench {
namespace {

// One state after another by the template on double.
void DoublePass(const Robot& r, Question question, Workspace<double>& ws, std::vector<double>& J, double* rows) {
  const Prepared& m = *r.prepared;
  const Conditions c(m);
  const int n = m.nv;
  for (int i = 0; i < kStates; ++i) {
    double* out = rows + i * WidthOf(question, n);
    const double *q = &r.q[i * m.nq], *v = &r.v[i * n], *x = &r.x[i * n];
    switch (question) {
      case Question::kInverseDynamics: InverseDynamics(m, c, q, v, x, ws, out); break;
      case Question::kMassMatrix: MassMatrix(m, c, q, ws, out); break;
      case Question::kForwardDynamics: (void)ForwardDynamics(m, c, q, v, x, ws, out); break;
      case Question::kPathDynamics:
        out = rows + i * n;
        PathDynamics(m, c, q, v, x, ws, out, out + kStates * n, out + 2 * kStates * n);
        break;
      case Question::kGravity: GravityTorque(m, c, q, ws, out); break;
      case Question::kJacobian:
        Jacobian(m, m.frames[m.tool_frame], Expression::kWorldAligned, q, ws, J.data());
        for (int j = 0; j < n; ++j)
          for (int row = 0; row < 6; ++row) out[row * n + j] = J[6 * j + row];
        break;
    }
  }
}

void BatchPass(const Robot& r, Question question, const Batch& b, BatchScratch& s, double* out) {
  const Prepared& m = *r.prepared;
  const Conditions c(m);
  const double *q = r.q.data(), *v = r.v.data(), *x = r.x.data();
  switch (question) {
    case Question::kInverseDynamics: b.InverseDynamics(c, q, v, x, kStates, out, s); break;
    case Question::kMassMatrix: b.MassMatrix(c, q, kStates, MatrixLayout::kFull, out, s); break;
    case Question::kForwardDynamics: (void)b.ForwardDynamics(c, q, v, x, kStates, out, nullptr, s); break;
    case Question::kJacobian: b.Jacobian(m.frames[m.tool_frame], Expression::kWorldAligned, q, kStates, out, s); break;
    case Question::kGravity: b.Gravity(c, q, kStates, out, s); break;
    case Question::kPathDynamics:
      b.PathDynamics(c, q, v, x, kStates, {out, out + kStates * m.nv, out + 2 * kStates * m.nv}, s);
      break;
  }
}

}  // namespace

std::vector<Contender> OurContenders(const Robot& r, Question question) {
  std::vector<Contender> out;
  const auto ws = std::make_shared<Workspace<double>>(*r.prepared);
  const auto J = std::make_shared<std::vector<double>>(6 * r.prepared->nv);
  const bool accelerations = question == Question::kForwardDynamics;
  out.push_back({"double", [&r, question, ws, J](double* rows) { DoublePass(r, question, *ws, *J, rows); }});
  for (const BatchKernels* kernels : AvailableKernels())
    for (bool compiled : {false, true}) {
      const auto batch = std::make_shared<Batch>(r.prepared, *kernels);
      if (compiled) {
        const auto programs = compile::Compile(*r.prepared, *kernels);
        if (!programs->of(Method::kInverseDynamics) || !batch->Install(programs)) continue;
      }
      const auto scratch = std::make_shared<BatchScratch>();
      out.push_back({std::string(kernels->name) + (compiled ? " compiled" : ""),
                     [&r, question, batch, scratch](double* rows) {
                       BatchPass(r, question, *batch, *scratch, rows);
                     },
                     accelerations ? 1e-8 : 1e-11});
    }
  return out;
}

}  // namespace torqued::bench
