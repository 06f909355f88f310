// The parts of the equation of motion: M, C, c, g, friction, springs, rotors.
#include <absl/strings/str_cat.h>

#include "server/core/dynamics/coriolis.h"
#include "server/core/dynamics/crba.h"
#include "server/core/dynamics/inverse_dynamics.h"
#include "server/service/compute/compute.h"
#include "server/service/compute/question.h"

namespace torqued {
namespace {

struct Parts {
  bool mass = false, packed = false, coriolis = false, velocity = false, gravity = false, friction = false,
       springs = false, rotor = false;
};

absl::StatusOr<Parts> ReadParts(const v1::ComputeEquationOfMotionRequest& request) {
  Parts p;
  if (request.parts().empty()) return Parts{true, false, true, true, true, true, true, true};
  for (int i = 0; i < request.parts_size(); ++i) {
    switch (request.parts(i)) {
      case v1::EQUATION_PART_MASS_MATRIX: p.mass = true; break;
      case v1::EQUATION_PART_MASS_MATRIX_PACKED: p.packed = true; break;
      case v1::EQUATION_PART_CORIOLIS_MATRIX: p.coriolis = true; break;
      case v1::EQUATION_PART_VELOCITY_TORQUE: p.velocity = true; break;
      case v1::EQUATION_PART_GRAVITY: p.gravity = true; break;
      case v1::EQUATION_PART_FRICTION: p.friction = true; break;
      case v1::EQUATION_PART_SPRINGS: p.springs = true; break;
      case v1::EQUATION_PART_ROTOR: p.rotor = true; break;
      default:
        return wire::BadField(absl::StrCat("parts[", i, "]"),
                              absl::StrCat(static_cast<int>(request.parts(i)), " is no part of the equation"));
    }
  }
  if (p.mass && p.packed)
    return wire::BadField("parts", "MASS_MATRIX and MASS_MATRIX_PACKED are answered in the same field; choose one");
  return p;
}

void SetShape(int rows, int cols, v1::Matrices* out) {
  out->set_rows(rows);
  out->set_cols(cols);
}

}  // namespace

absl::Status Answer(const Call& call, const v1::ComputeEquationOfMotionRequest& request,
                    v1::ComputeEquationOfMotionResponse* response) {
  const auto parts = ReadParts(request);
  if (!parts.ok()) return parts.status();
  const auto question = ReadQuestion(call, Needs::kAllInertias, false, request.context(), request.positions(),
                                     &request.velocities());
  if (!question.ok()) return question.status();
  const Prepared& m = call.entry.prepared;
  const int nv = m.nv, square = nv * nv, triangle = nv * (nv + 1) / 2;
  const size_t n = static_cast<size_t>(question->count());
  if (n * square > 20000000)
    return wire::Exhausted("TOO_MANY_SAMPLES", "samples",
                           absl::StrCat("positions: ", n, " samples of ", nv, " x ", nv, " matrices; split the request"));
  const Conditions& c = question->asked.conditions;
  const Terms& t = c.terms;
  const auto vectors = [&](bool asked, v1::JointVectors* out) {
    return asked ? wire::Extend(out->mutable_values(), n * nv) : nullptr;
  };
  const auto matrices = [&](bool asked, v1::Matrices* out, int rows, int cols) {
    if (!asked) return static_cast<double*>(nullptr);
    SetShape(rows, cols, out);
    return wire::Extend(out->mutable_values(), n * rows * cols);
  };
  double* M = parts->mass     ? matrices(true, response->mutable_mass_matrix(), nv, nv)
              : parts->packed ? matrices(true, response->mutable_mass_matrix(), 1, triangle)
                              : nullptr;
  double* C = parts->coriolis ? matrices(true, response->mutable_coriolis_matrix(), nv, nv) : nullptr;
  double* R = parts->rotor ? matrices(true, response->mutable_rotor_mass_matrix(), nv, nv) : nullptr;
  double* h = parts->velocity ? vectors(true, response->mutable_velocity_torque()) : nullptr;
  double* g = parts->gravity ? vectors(true, response->mutable_gravity()) : nullptr;
  double* f = parts->friction ? vectors(true, response->mutable_friction()) : nullptr;
  double* s = parts->springs ? vectors(true, response->mutable_springs()) : nullptr;

  Workspace<double>& ws = call.scratch.For(m, call.entry.serial);
  std::vector<double>& full = call.scratch.numbers;
  full.resize(square);
  const std::vector<double> still(nv, 0.0);
  Conditions rotors = c;
  rotors.inertias = ws.no_inertias.data();
  for (int i = 0; i < question->count(); ++i) {
    if (absl::Status stop = call.Check(i); !stop.ok()) return stop;
    const double* q = question->q().row(i);
    const double* v = question->v().data ? question->v().row(i) : still.data();
    if (M) {
      MassMatrix(m, c, q, ws, full.data());
      if (!t.inertia) std::fill(full.begin(), full.end(), 0.0);
      if (parts->mass) {
        M = std::copy(full.begin(), full.end(), M);
      } else {
        for (int r = 0; r < nv; ++r) M = std::copy(full.begin() + r * nv + r, full.begin() + (r + 1) * nv, M);
      }
    }
    if (C) {
      CoriolisMatrix(m, c, q, v, ws, C);
      if (!t.velocity) std::fill(C, C + square, 0.0);
      C += square;
    }
    if (R) {
      MassMatrix(m, rotors, q, ws, R);
      R += square;
    }
    if (h) {
      CoriolisTorque(m, c, q, v, ws, h);
      h += nv;
    }
    if (g) {
      if (t.gravity) GravityTorque(m, c, q, ws, g);
      else std::fill(g, g + nv, 0.0);
      g += nv;
    }
    if (f) {
      if (t.friction) FrictionTorques(m, v, f);
      else std::fill(f, f + nv, 0.0);
      f += nv;
    }
    if (s) {
      if (t.springs) SpringTorque(m, q, ws, s);
      else std::fill(s, s + nv, 0.0);
      s += nv;
    }
  }
  if (absl::Status bad = wire::CheckAnswer("mass_matrix", response->mass_matrix().values(), parts->packed ? triangle : square);
      !bad.ok())
    return bad;
  if (absl::Status bad = wire::CheckAnswer("coriolis_matrix", response->coriolis_matrix().values(), square); !bad.ok())
    return bad;
  for (const auto& [name, field] : {std::make_pair("velocity_torque", &response->velocity_torque()),
                                    std::make_pair("gravity", &response->gravity()),
                                    std::make_pair("friction", &response->friction()),
                                    std::make_pair("springs", &response->springs())})
    if (absl::Status bad = wire::CheckAnswer(name, field->values(), nv); !bad.ok()) return bad;
  return Conclude(call, *question, request.context(), nullptr, true, response->mutable_info());
}

}  // namespace torqued
