// What does a motor give for a joint's torque? Joint, after the gear, at the motor.
//
// With T the actuator matrix (motor-side rates = T v; the identity where every joint has its own motor), G the gear ratios:
//   own_k   = rotor_k + friction_k        of motor k alone, at its shaft [Nm]
//   rotor_k = J (sd + e . wd)             what its rotor needs to spin (rnea.h)
//   friction = G^-1 T^-T f                f: the motors' friction as the coordinates have it, |G| F(|G| v) at coordinate rates
//   gear_k  = (T^-T (tau - T^T G own))_k  what the gear's output carries [Nm, N]
//   motor_k = gear_k / (G_k eta_k) + own_k       where gear_k (T v)_k >= 0, eta_k / G_k where power flows back
// A rotor belongs to the drive of its name. A rotor of no drive, and what a rotor's spin asks of its carrier, stay with the
// joint: bearings and gears carry them. At rest losses count as if driving, the larger of the two.
#pragma once

#include "server/core/dynamics/conditions.h"
#include "server/core/dynamics/rnea.h"
#include "server/core/math/svd.h"

namespace torqued {

enum class EffortPlace { kJoint, kGear, kMotor };

class DriveTrain {
 public:
  // REQUIRES: model.drives has nv entries; m is prepared from model. Both must outlive this.
  DriveTrain(const Model& model, const Prepared& m)
      : model_(model), m_(m), ws_(m), scratch_(m.nv), own_(m.nv), rate_(m.nv), rotor_(m.nv, -1) {
    if (model.actuator_matrix.size() > 0) transpose_ = ComputeSvd(model.actuator_matrix.transpose());
    for (int k = 0; k < m.nv; ++k)
      for (size_t r = 0; r < model.rotors.size(); ++r)
        if (model.rotors[r].name == model.drives[k].name) rotor_[k] = static_cast<int>(r);
  }

  // At the motors' shafts [nv]: what each motor needs for itself at q, v, a (null: zero), as far as c's terms have it.
  const Eigen::VectorXd& Own(const Conditions& c, const double* q, const double* v, const double* a) {
    own_.setZero();
    if (c.terms.rotor && !m_.rotors.empty()) {
      NewtonEuler(m_, ws_.no_inertias.data(), Vec3<double>::Zero(), true, q, v, a, ws_, scratch_.data());
      for (int k = 0; k < m_.nv; ++k)
        if (rotor_[k] >= 0) own_[k] += ws_.rotor_spin[rotor_[k]];
    }
    if (c.terms.friction && v) {
      for (int k = 0; k < m_.nv; ++k) {
        const double g = std::abs(model_.drives[k].gear_ratio);
        scratch_[k] = g * FrictionTorque(model_.drives[k].motor_friction, g * v[k]);
      }
      const Eigen::VectorXd f = ToDrives(scratch_);
      for (int k = 0; k < m_.nv; ++k) own_[k] += f[k] / model_.drives[k].gear_ratio;
    }
    return own_;
  }

  // T v, per drive. Null: zero.
  const Eigen::VectorXd& Rates(const double* v) {
    if (!v) rate_.setZero();
    else if (coupled()) rate_.noalias() = model_.actuator_matrix * Eigen::Map<const Eigen::VectorXd>(v, m_.nv);
    else rate_ = Eigen::Map<const Eigen::VectorXd>(v, m_.nv);
    return rate_;
  }

  // Joint efforts seen by the drives: T^-T x.
  Eigen::VectorXd ToDrives(const Eigen::Ref<const Eigen::VectorXd>& x) const {
    return coupled() ? transpose_.Solve(x, 0) : Eigen::VectorXd(x);
  }

  // `through`: T^-T of all that the joints need. `own` as Own, `rate` as Rates. [nv]
  Eigen::VectorXd AfterGear(const Eigen::VectorXd& through, const Eigen::VectorXd& own) const {
    Eigen::VectorXd out = through;
    for (int k = 0; k < m_.nv; ++k) out[k] -= model_.drives[k].gear_ratio * own[k];
    return out;
  }
  // What gear k loses, at the motor [Nm], where its output carries `gear`.
  double Loss(int k, double gear, double rate) const {
    const Drive& d = model_.drives[k];
    return gear / d.gear_ratio * (gear * rate >= 0 ? 1 / d.efficiency - 1 : d.efficiency - 1);
  }

  // Joint efforts `tau` of the motion q, v, a become those at `place`.
  Eigen::VectorXd At(EffortPlace place, const Conditions& c, const double* q, const double* v, const double* a,
                     const Eigen::Ref<const Eigen::VectorXd>& tau) {
    if (place == EffortPlace::kJoint) return tau;
    const Eigen::VectorXd own = Own(c, q, v, a), gear = AfterGear(ToDrives(tau), own);
    if (place == EffortPlace::kGear) return gear;
    const Eigen::VectorXd& rate = Rates(v);
    Eigen::VectorXd out(m_.nv);
    for (int k = 0; k < m_.nv; ++k) out[k] = gear[k] / model_.drives[k].gear_ratio + Loss(k, gear[k], rate[k]) + own[k];
    return out;
  }

 private:
  bool coupled() const { return model_.actuator_matrix.size() > 0; }

  const Model& model_;
  const Prepared& m_;
  Workspace<double> ws_;
  Eigen::VectorXd scratch_, own_, rate_;
  std::vector<int> rotor_;  // of each drive; -1: none
  Svd transpose_;
};

}  // namespace torqued
