// torquectl eom: the equation of motion at a state: M, C, gravity, friction, springs, rotors.
#include <array>

#include "client/cli/numbers.h"
#include "client/cli/subject.h"
#include "client/cli/verbs/verbs.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued::cli {
namespace {

constexpr std::array<std::pair<const char*, v1::EquationPart>, 8> kParts = {
    {{"mass", v1::EQUATION_PART_MASS_MATRIX},
     {"packed", v1::EQUATION_PART_MASS_MATRIX_PACKED},
     {"coriolis", v1::EQUATION_PART_CORIOLIS_MATRIX},
     {"velocity", v1::EQUATION_PART_VELOCITY_TORQUE},
     {"gravity", v1::EQUATION_PART_GRAVITY},
     {"friction", v1::EQUATION_PART_FRICTION},
     {"springs", v1::EQUATION_PART_SPRINGS},
     {"rotor", v1::EQUATION_PART_ROTOR}}};

class Eom : public Verb {
 public:
  VerbText Text() const override {
    return {"eom",
            kDynamics,
            "equation of motion: mass matrix, Coriolis matrix, gravity, friction, springs, rotors",
            {"eom puma560 --q 0,45,180,0,45,0 --deg --v 1,2,3,1,2,3",
             "eom two-link --q 0,90 --deg --parts mass,gravity", "eom ur5e --q zero --json"},
            "tau = M a + C v + g + friction + springs, rotors inside M and C; dM/dt - 2 C is skew "
            "symmetric."};
  }

  void Declare(OptionSet& options) override {
    subject_.Declare(options, StateOptions::kV, false, true);
    options.Group("Answer");
    DeclarePlace(options, place_);
    options.Text("--parts", parts_, "LIST",
                 "only these: mass,packed,coriolis,velocity,gravity,friction,springs,rotor");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto subject = subject_.Read(session);
    if (!subject.ok()) return subject.status();
    v1::ComputeEquationOfMotionRequest request;
    subject->Fill(request);
    request.mutable_context()->set_effort_place(ParsePlace(place_));
    if (subject->states.v.values_size() > 0) *request.mutable_velocities() = subject->states.v;
    for (const std::string& name : SplitTrimmed(parts_, ',')) {
      bool known = false;
      for (const auto& [word, part] : kParts)
        if (name == word) request.add_parts(part), known = true;
      if (!known)
        return absl::InvalidArgumentError(
            "--parts: '" + name +
            "' is no part, want some of "
            "mass,packed,coriolis,velocity,gravity,friction,springs,rotor");
    }
    const auto answer = session.Ask<v1::ComputeEquationOfMotionResponse>(request);
    if (!answer.ok()) return answer.status();
    std::vector<Sheet> sheets;
    for (int s = 0; s < answer->info().sample_count(); ++s) AddSheets(sheets, *subject, *answer, s);
    session.Show(*answer, sheets);
    if (session.for_people()) session.out() << InfoNotes(answer->info());
    return Exit::kOk;
  }

 private:
  static void AddSheets(std::vector<Sheet>& sheets, const Subject& subject,
                        const v1::ComputeEquationOfMotionResponse& answer, int s) {
    const auto joints = Ids(Columns(subject.model, Quantity::kVelocity));
    const auto title = [&](const std::string& what) {
      return SampleTitle(subject.states, s,
                         Headline(what + PlaceName(answer.info().effort_place()), answer.info()));
    };
    if (answer.has_mass_matrix())
      sheets.push_back(
          MatrixSheet(title("mass matrix M"), answer.mass_matrix(), s, joints, joints));
    if (answer.has_coriolis_matrix())
      sheets.push_back(
          MatrixSheet(title("Coriolis matrix C"), answer.coriolis_matrix(), s, joints, joints));
    if (answer.has_rotor_mass_matrix())
      sheets.push_back(
          MatrixSheet(title("rotors' share of M"), answer.rotor_mass_matrix(), s, joints, joints));
    Sheet torques{title("torques"), {"joint"}, {}};
    for (const std::string& joint : joints) torques.rows.push_back({joint});
    const auto add = [&](const char* name, const v1::JointVectors& vectors) {
      if (vectors.values_size() == 0) return;
      torques.columns.push_back(name);
      for (size_t i = 0; i < joints.size(); ++i)
        torques.rows[i].push_back(
            vectors.values(s * static_cast<int>(joints.size()) + static_cast<int>(i)));
    };
    add("C v", answer.velocity_torque());
    add("gravity", answer.gravity());
    add("friction", answer.friction());
    add("springs", answer.springs());
    if (torques.columns.size() == 1) return;
    torques.columns.push_back("unit");
    const auto columns = Columns(subject.model, Quantity::kEffort);
    const bool motor = answer.info().effort_place() == v1::EFFORT_PLACE_MOTOR;
    for (size_t i = 0; i < columns.size(); ++i)
      torques.rows[i].push_back(motor ? "Nm" : columns[i].unit);
    sheets.push_back(torques);
  }

  SubjectOptions subject_;
  std::string parts_, place_;
};

}  // namespace

std::unique_ptr<Verb> MakeEom() { return std::make_unique<Eom>(); }

}  // namespace torqued::cli
