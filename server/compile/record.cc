#include "server/compile/record.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "server/compile/symbol.h"
#include "server/core/dynamics/crba.h"
#include "server/core/dynamics/forward_dynamics.h"
#include "server/core/dynamics/inverse_dynamics.h"
#include "server/core/dynamics/path_dynamics.h"

namespace torqued::compile {
namespace {

constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();

double Cleaned(double x, double scale) { return std::abs(x) <= kRounding * scale ? 0.0 : x; }

Vec3<double> Cleaned(const Vec3<double>& v, double scale) {
  return {Cleaned(v.x, scale), Cleaned(v.y, scale), Cleaned(v.z, scale)};
}

double CleanedTurn(double x) {
  const double nearest = std::round(x);  // 0, 1 or -1
  return std::abs(x - nearest) <= kRounding ? nearest : x;
}
Vec3<double> CleanedTurn(const Vec3<double>& v) { return {CleanedTurn(v.x), CleanedTurn(v.y), CleanedTurn(v.z)}; }
Mat3<double> Cleaned(const Mat3<double>& R) { return {CleanedTurn(R.cx), CleanedTurn(R.cy), CleanedTurn(R.cz)}; }

double Largest(const Vec3<double>& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

BodyInertia Cleaned(const BodyInertia& b) {
  const SymMat3<double>& I = b.I;
  const double scale = std::max({std::abs(I.xx), std::abs(I.yy), std::abs(I.zz)});
  return {b.m, Cleaned(b.mc, Largest(b.mc)),
          {Cleaned(I.xx, scale), Cleaned(I.xy, scale), Cleaned(I.xz, scale), Cleaned(I.yy, scale), Cleaned(I.yz, scale),
           Cleaned(I.zz, scale)}};
}

// What one run of a template works on.
struct Recording {
  Graph graph;
  Workspace<Symbol> ws;
  std::vector<Symbol> q, v, x, out;

  Recording(const Prepared& m, int outputs, int max_nodes) : graph(max_nodes), ws(m), out(outputs) {
    int input = 0;
    for (int k = 0; k < m.nq; ++k) q.push_back(Symbol::Input(graph, input++));
    for (int k = 0; k < m.nv; ++k) v.push_back(Symbol::Input(graph, input++));
    for (int k = 0; k < m.nv; ++k) x.push_back(Symbol::Input(graph, input++));
  }
};

void PackUpper(int n, const std::vector<Symbol>& M, Symbol* to) {
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j) *to++ = M[i * n + j];
}

void Ask(const Prepared& m, const Conditions& c, Method method, Recording& r) {
  const int n = m.nv;
  const Symbol *q = r.q.data(), *v = r.v.data(), *x = r.x.data();
  Symbol* out = r.out.data();
  switch (method) {
    case Method::kInverseDynamics: InverseDynamics(m, c, q, v, x, r.ws, out); return;
    case Method::kGravity: GravityTorque(m, c, q, r.ws, out); return;
    case Method::kMassMatrix:
    case Method::kEquationOfMotion: {
      std::vector<Symbol> M(n * n);
      MassMatrix(m, c, q, r.ws, M.data());
      PackUpper(n, M, out);
      if (method == Method::kMassMatrix) return;
      out += n * (n + 1) / 2;
      CoriolisTorque(m, c, q, v, r.ws, out);
      GravityTorque(m, c, q, r.ws, out + n);
      return;
    }
    case Method::kForwardDynamics:
      out[n] = ForwardDynamics(m, c, q, v, x, r.ws, out).ok() ? Symbol::Sum(r.graph, r.graph.doubts()) : Symbol(1.0);
      return;
    case Method::kJacobian: {
      std::vector<Symbol> J(6 * n);
      Jacobian(m, m.frames[m.tool_frame], Expression::kWorldAligned, q, r.ws, J.data());
      for (int j = 0; j < n; ++j)
        for (int row = 0; row < 6; ++row) out[row * n + j] = J[6 * j + row];
      return;
    }
    case Method::kPathDynamics: PathDynamics(m, c, q, v, x, r.ws, out, out + n, out + 2 * n); return;
  }
}

}  // namespace

int OutputCount(Method method, int nv) {
  switch (method) {
    case Method::kMassMatrix: return nv * (nv + 1) / 2;
    case Method::kEquationOfMotion: return nv * (nv + 1) / 2 + 2 * nv;
    case Method::kForwardDynamics: return nv + 1;
    case Method::kJacobian: return 6 * nv;
    case Method::kPathDynamics: return 3 * nv;
    default: return nv;
  }
}

Prepared Tidy(const Prepared& m) {
  Prepared out = m;
  for (Body& b : out.bodies) {
    b.R = Cleaned(b.R);
    b.p = Cleaned(b.p, Largest(b.p));
  }
  for (BodyInertia& b : out.inertias) b = Cleaned(b);
  for (BodyFrame& f : out.frames) {
    f.R = Cleaned(f.R);
    f.p = Cleaned(f.p, Largest(f.p));
  }
  return out;
}

MadeProgram Record(const Prepared& m, const Conditions& conditions, Method method, const RecordLimits& limits) {
  const Prepared tidy = limits.tidy ? Tidy(m) : m;
  std::vector<BodyInertia> inertias(conditions.inertias, conditions.inertias + m.bodies.size());
  if (limits.tidy)
    for (BodyInertia& b : inertias) b = Cleaned(b);
  Conditions c = conditions;
  c.inertias = inertias.data();
  c.terms.friction = false;

  Recording r(tidy, OutputCount(method, m.nv), limits.max_nodes);
  Ask(tidy, c, method, r);
  std::vector<int> outputs;
  for (const Symbol& s : r.out) outputs.push_back(s.In(r.graph));
  if (r.graph.overflowed()) return {};
  return MakeProgram(r.graph, outputs, m.nq + 2 * m.nv);
}

}  // namespace torqued::compile
