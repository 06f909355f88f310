// torquectl energy: kinetic, potential, Lagrangian, and where the power goes.
#include "client/cli/subject.h"
#include "client/cli/verbs/verbs.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued::cli {
namespace {

class Energy : public Verb {
 public:
  VerbText Text() const override {
    return {"energy",
            kDynamics,
            "kinetic and potential energy, Lagrangian, centre of mass (with --a: power balance)",
            {"energy puma560 --q 0,45,180,0,45,0 --deg --v 1,1,1,1,1,1",
             "energy ur5e --states trajectory.csv --out energy.csv"},
            ""};
  }

  void Declare(OptionSet& options) override {
    subject_.Declare(options, StateOptions::kV | StateOptions::kA, false, true);
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto subject = subject_.Read(session);
    if (!subject.ok()) return subject.status();
    v1::ComputeEnergyRequest request;
    subject->Fill(request);
    if (subject->states.v.values_size() > 0) *request.mutable_velocities() = subject->states.v;
    if (subject->states.a.values_size() > 0) *request.mutable_accelerations() = subject->states.a;
    const auto answer = session.Ask<v1::ComputeEnergyResponse>(request);
    if (!answer.ok()) return answer.status();
    Sheet sheet{Headline("energy", answer->info()), {}, {}};
    const bool timed = !subject->states.time.empty(), power = answer->power_in_size() > 0;
    if (timed) sheet.columns.push_back("time[s]");
    for (const char* name : {"kinetic[J]", "potential[J]", "lagrangian[J]"})
      sheet.columns.push_back(name);
    if (power)
      for (const char* name : {"power_in[W]", "power_lost[W]", "energy_rate[W]"})
        sheet.columns.push_back(name);
    for (const char* name : {"com.x[m]", "com.y[m]", "com.z[m]"}) sheet.columns.push_back(name);
    for (int s = 0; s < answer->info().sample_count(); ++s) {
      std::vector<Cell> row;
      if (timed) row.push_back(subject->states.time[static_cast<size_t>(s)]);
      row.insert(row.end(), {answer->kinetic(s), answer->potential(s), answer->lagrangian(s)});
      if (power)
        row.insert(row.end(), {answer->power_in(s), answer->power_lost(s), answer->energy_rate(s)});
      for (int i = 0; i < 3; ++i)
        row.push_back(3 * s + i < answer->centers_of_mass_size()
                          ? Cell(answer->centers_of_mass(3 * s + i))
                          : Cell(""));
      sheet.rows.push_back(std::move(row));
    }
    session.Show(*answer, {sheet});
    if (session.for_people()) session.out() << InfoNotes(answer->info());
    return Exit::kOk;
  }

 private:
  SubjectOptions subject_;
};

}  // namespace

std::unique_ptr<Verb> MakeEnergy() { return std::make_unique<Energy>(); }

}  // namespace torqued::cli
