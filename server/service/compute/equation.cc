// The parts of the equation of motion: M, C, c, g, friction, springs, rotors.
#include <absl/strings/str_cat.h>

#include <optional>

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

// Rows of the equation as its drives see them: T^-T x after the gear, less what the motors need for themselves; over the
// gear ratio at the motor.
class EquationAtDrives {
 public:
  EquationAtDrives(const Call& call, const Conditions& c, EffortPlace place)
      : model_(call.entry.model()), nv_(call.entry.nv()), place_(place), train_(model_, call.entry.prepared), c_(c) {}

  // Motors' rotors turn relative to the world only, or their share is left in: then C of the joints is C here.
  bool CoriolisStands() const {
    if (place_ == EffortPlace::kMotor || !c_.terms.rotor) return true;
    for (const Rotor& r : model_.rotors)
      if (r.carrier_link >= 0) return false;
    return true;
  }

  void Look(const double* q, const double* v) { q_ = q, v_ = v; }

  // x [nv], without motors' own needs; A [nv x nv] row-major.
  void Move(double* x) { Put(Drives(x), Eigen::VectorXd::Zero(nv_), x); }
  void MoveRows(double* A) {
    for (int j = 0; j < nv_; ++j) MoveColumn(A, j, Eigen::VectorXd::Zero(nv_));
  }
  void MoveMass(double* M) {
    Conditions spin = c_;
    spin.terms.friction = false;
    spin.terms.rotor = c_.terms.rotor;
    for (int j = 0; j < nv_; ++j)
      MoveColumn(M, j, train_.Own(spin, q_, nullptr, Eigen::VectorXd::Unit(nv_, j).eval().data()));
  }
  void MoveVelocityTorque(double* h) {
    Conditions spin = c_;
    spin.terms.friction = false;
    spin.terms.rotor = c_.terms.rotor && c_.terms.velocity;
    Put(Drives(h), train_.Own(spin, q_, v_, nullptr), h);
  }
  void MoveFriction(double* f) {
    Conditions rub = c_;
    rub.terms.rotor = false;
    Put(Drives(f), train_.Own(rub, q_, v_, nullptr), f);
  }

 private:
  Eigen::VectorXd Drives(const double* x) const { return train_.ToDrives(Eigen::Map<const Eigen::VectorXd>(x, nv_)); }
  void Put(const Eigen::VectorXd& through, const Eigen::VectorXd& own, double* out) const {
    const Eigen::VectorXd gear = place_ == EffortPlace::kGear ? train_.AfterGear(through, own) : through;
    for (int k = 0; k < nv_; ++k) out[k] = place_ == EffortPlace::kGear ? gear[k] : gear[k] / model_.drives[k].gear_ratio;
  }
  void MoveColumn(double* A, int j, const Eigen::VectorXd& own) const {
    Eigen::VectorXd column(nv_);
    for (int i = 0; i < nv_; ++i) column[i] = A[i * nv_ + j];
    Put(Drives(column.data()), own, column.data());
    for (int i = 0; i < nv_; ++i) A[i * nv_ + j] = column[i];
  }

  const Model& model_;
  int nv_;
  EffortPlace place_;
  DriveTrain train_;
  const Conditions& c_;
  const double *q_ = nullptr, *v_ = nullptr;
};

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
                                     &request.velocities(), nullptr, true);
  if (!question.ok()) return question.status();
  if (parts->packed && question->asked.place != EffortPlace::kJoint)
    return wire::BadField("parts", "MASS_MATRIX_PACKED is the joints' symmetric matrix; at the drives want MASS_MATRIX");
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
  std::optional<EquationAtDrives> drives;
  if (question->asked.place != EffortPlace::kJoint) {
    drives.emplace(call, c, question->asked.place);
    if (C && !drives->CoriolisStands())
      return wire::Precondition("COUPLED_ROTORS", "model", {call.entry.id},
                                "parts: CORIOLIS_MATRIX after the gear is not told for rotors that turn with their carriers; ask "
                                "for VELOCITY_TORQUE, or at the joint or motor");
  }
  Conditions rotors = c;
  rotors.inertias = ws.no_inertias.data();
  for (int i = 0; i < question->count(); ++i) {
    if (absl::Status stop = call.Check(i); !stop.ok()) return stop;
    const double* q = question->q().row(i);
    const double* v = question->v().data ? question->v().row(i) : still.data();
    if (drives) drives->Look(q, v);
    if (M) {
      MassMatrix(m, c, q, ws, full.data());
      if (drives) drives->MoveMass(full.data());
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
      if (drives) drives->MoveRows(C);
      C += square;
    }
    if (R) {
      MassMatrix(m, rotors, q, ws, R);
      if (drives) drives->MoveMass(R);
      R += square;
    }
    if (h) {
      CoriolisTorque(m, c, q, v, ws, h);
      if (drives) drives->MoveVelocityTorque(h);
      h += nv;
    }
    if (g) {
      if (t.gravity) GravityTorque(m, c, q, ws, g);
      else std::fill(g, g + nv, 0.0);
      if (drives) drives->Move(g);
      g += nv;
    }
    if (f) {
      if (t.friction) FrictionTorques(m, v, f);
      else std::fill(f, f + nv, 0.0);
      if (drives) drives->MoveFriction(f);
      f += nv;
    }
    if (s) {
      if (t.springs) SpringTorque(m, q, ws, s);
      else std::fill(s, s + nv, 0.0);
      if (drives) drives->Move(s);
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
