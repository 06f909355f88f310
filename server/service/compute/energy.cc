// Energy, power balance, the centre of mass.
#include "server/core/dynamics/energy.h"

#include "server/service/compute/compute.h"
#include "server/service/compute/question.h"

namespace torqued {

absl::Status Answer(const Call& call, const v1::ComputeEnergyRequest& request, v1::ComputeEnergyResponse* response) {
  const auto question = ReadQuestion(call, Needs::kAllInertias, false, request.context(), request.positions(),
                                     &request.velocities(), &request.accelerations());
  if (!question.ok()) return question.status();
  const Prepared& m = call.entry.prepared;
  const Conditions& c = question->asked.conditions;
  Workspace<double>& ws = call.scratch.For(m, call.entry.serial);
  const std::vector<double> still(m.nv, 0.0);
  for (int i = 0; i < question->count(); ++i) {
    if (absl::Status s = call.Check(i); !s.ok()) return s;
    const double* q = question->q().row(i);
    const double* v = question->v().data ? question->v().row(i) : still.data();
    const Energy<double> E = MechanicalEnergy(m, c, q, v, ws);
    response->add_kinetic(E.kinetic);
    response->add_potential(E.potential + E.springs);
    response->add_lagrangian(E.kinetic - E.potential - E.springs);
    const MassCentre<double> centre = CentreOfMass(m, c, q, v, ws);
    response->set_total_mass(centre.mass);
    for (int k = 0; k < 3; ++k) response->add_centers_of_mass(centre.p[k]);
    if (!question->a().data) continue;
    const PowerBalance<double> P = Power(m, c, q, v, question->a().row(i), ws);
    response->add_power_in(P.input);
    response->add_power_lost(P.friction);
    response->add_energy_rate(P.kinetic_rate + P.potential_rate + P.spring_rate);
  }
  if (absl::Status s = wire::CheckAnswer("lagrangian", response->lagrangian(), 1); !s.ok()) return s;
  if (absl::Status s = wire::CheckAnswer("power_in", response->power_in(), 1); !s.ok()) return s;
  if (absl::Status s = wire::CheckAnswer("energy_rate", response->energy_rate(), 1); !s.ok()) return s;
  return Conclude(call, *question, request.context(), nullptr, true, response->mutable_info());
}

}  // namespace torqued
