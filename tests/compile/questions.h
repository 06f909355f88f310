// The same question asked of a program and of the double templates.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "server/compile/record.h"
#include "server/core/dynamics/crba.h"
#include "server/core/dynamics/forward_dynamics.h"
#include "server/core/dynamics/inverse_dynamics.h"
#include "server/core/dynamics/path_dynamics.h"
#include "tests/oracle/random_tree.h"

namespace torqued::compile {

inline std::vector<Method> AllMethods() {
  std::vector<Method> out;
  for (int k = 0; k < kMethodCount; ++k) out.push_back(static_cast<Method>(k));
  return out;
}

// Relative to the largest entry; accelerations carry the condition of M.
inline double Tolerance(Method m) { return m == Method::kForwardDynamics ? 1e-9 : 1e-12; }

struct Question {
  std::vector<double> inputs;  // q, v, x

  Question(const Prepared& m, const oracle::State& s) {
    inputs.insert(inputs.end(), s.q.begin(), s.q.end());
    inputs.insert(inputs.end(), s.v.begin(), s.v.end());
    inputs.insert(inputs.end(), s.a.begin(), s.a.end());
  }

  // By the double templates, without friction, laid out as Record says.
  void Answer(const Prepared& m, Conditions c, Method method, double* out) const {
    c.terms.friction = false;
    const int n = m.nv;
    const double *q = inputs.data(), *v = q + m.nq, *x = v + n;
    Workspace<double> ws(m);
    std::vector<double> square(std::max(6, n) * n);
    switch (method) {
      case Method::kInverseDynamics: InverseDynamics(m, c, q, v, x, ws, out); return;
      case Method::kGravity: GravityTorque(m, c, q, ws, out); return;
      case Method::kMassMatrix:
      case Method::kEquationOfMotion:
        MassMatrix(m, c, q, ws, square.data());
        for (int i = 0; i < n; ++i)
          for (int j = i; j < n; ++j) *out++ = square[i * n + j];
        if (method == Method::kMassMatrix) return;
        CoriolisTorque(m, c, q, v, ws, out);
        GravityTorque(m, c, q, ws, out + n);
        return;
      case Method::kForwardDynamics: out[n] = ForwardDynamics(m, c, q, v, x, ws, out).ok() ? 0 : 1; return;
      case Method::kJacobian:
        Jacobian(m, m.frames[m.tool_frame], Expression::kWorldAligned, q, ws, square.data());
        for (int row = 0; row < 6; ++row)
          for (int j = 0; j < n; ++j) *out++ = square[6 * j + row];
        return;
      case Method::kPathDynamics: PathDynamics(m, c, q, v, x, ws, out, out + n, out + 2 * n); return;
    }
  }
};

inline void ExpectClose(const std::vector<double>& got, const std::vector<double>& want, double tolerance, Method method,
                        unsigned seed) {
  double scale = 1;
  for (double w : want) scale = std::max(scale, std::abs(w));
  for (size_t k = 0; k < want.size(); ++k)
    ASSERT_NEAR(got[k], want[k], tolerance * scale) << "method " << static_cast<int>(method) << " seed " << seed << " entry " << k;
}

}  // namespace torqued::compile
