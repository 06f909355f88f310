// torquectl model show: joints, links, limits, what may be asked.
#include <absl/strings/ascii.h>
#include <absl/strings/str_join.h>

#include "client/cli/numbers.h"
#include "client/cli/verbs/models_shared.h"
#include "client/cli/verbs/verbs.h"

namespace torqued::cli {
namespace {

std::string KindName(v1::JointKind kind) {
  return absl::AsciiStrToLower(v1::JointKind_Name(kind).substr(11));
}

Cell Optional(bool has, double value) { return has ? Cell(value) : Cell(""); }

class ModelShow : public Verb {
 public:
  VerbText Text() const override {
    return {"model show",
            kModels,
            "show a model: coordinates, limits, links, findings",
            {"model show ur5e", "model show ur5e@0123456789ab --json"},
            ""};
  }

  void Declare(OptionSet& options) override {
    options.Argument("MODEL", model_, "model: id, id@revision; with --local also a robot file");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto model = session.GetModel(model_, v1::BASE_UNSPECIFIED, v1::MODEL_VIEW_FULL);
    if (!model.ok()) return model.status();
    v1::GetModelResponse answer;
    *answer.mutable_model() = *model;
    std::vector<Sheet> sheets = {Coordinates(*model), Links(*model)};
    if (model->findings_size() > 0) sheets.push_back(FindingSheet(*model));
    if (session.for_people()) session.out() << Summary(*model) << "\n";
    session.Show(answer, sheets);
    return Exit::kOk;
  }

 private:
  static std::string Summary(const v1::Model& model) {
    std::string text = Describe(model) + "\n";
    if (!model.description().empty()) text += model.description() + "\n";
    text += "tool frame " + model.tool_frame() + ", gravity " + Shortest(model.gravity().x()) +
            " " + Shortest(model.gravity().y()) + " " + Shortest(model.gravity().z()) +
            " m/s^2, inverse kinematics " + model.capabilities().inverse_kinematics() + "\n";
    if (model.capabilities().unknown_inertias_size() > 0)
      text +=
          "inertia unknown: " + absl::StrJoin(model.capabilities().unknown_inertias(), ", ") + "\n";
    if (model.capabilities().massless_joints_size() > 0)
      text += "joints that move no mass: " +
              absl::StrJoin(model.capabilities().massless_joints(), ", ") + "\n";
    const v1::Kernel& kernel = model.kernel();
    if (!kernel.name().empty())
      text += "kernel " + kernel.name() +
              (kernel.instruction_set().empty() ? "" : " (" + kernel.instruction_set() + ")") +
              "\n";
    return text;
  }

  static Sheet Coordinates(const v1::Model& model) {
    Sheet sheet{"coordinates (SI and radians)",
                {"name", "kind", "lower", "upper", "velocity", "effort", "gear", "rotor inertia",
                 "viscous", "Coulomb +", "Coulomb -"},
                {}};
    for (const auto& c : model.coordinates())
      sheet.rows.push_back(
          {c.name(), KindName(c.kind()), Optional(c.has_lower(), c.lower()),
           Optional(c.has_upper(), c.upper()), Optional(c.has_velocity(), c.velocity()),
           Optional(c.has_effort(), c.effort()), Optional(c.has_gear_ratio(), c.gear_ratio()),
           Optional(c.has_rotor_inertia(), c.rotor_inertia()),
           Optional(c.has_friction(), c.friction().viscous()),
           Optional(c.has_friction(), c.friction().coulomb_positive()),
           Optional(c.has_friction(), c.friction().coulomb_negative())});
    return sheet;
  }

  static Sheet Links(const v1::Model& model) {
    Sheet sheet{"links (inertia about the centre of mass, link axes)",
                {"name", "mass[kg]", "com x[m]", "com y[m]", "com z[m]", "xx[kg m^2]", "xy", "xz",
                 "yy", "yz", "zz"},
                {}};
    for (const auto& link : model.links()) {
      if (!link.inertia_known()) {
        sheet.rows.push_back({link.name(), "unknown", "", "", "", "", "", "", "", "", ""});
        continue;
      }
      const auto& c = link.center_of_mass();
      const auto& I = link.inertia();
      sheet.rows.push_back({link.name(), link.mass(), c.x(), c.y(), c.z(), I.xx(), I.xy(), I.xz(),
                            I.yy(), I.yz(), I.zz()});
    }
    return sheet;
  }

  std::string model_;
};

}  // namespace

std::unique_ptr<Verb> MakeModelShow() { return std::make_unique<ModelShow>(); }

}  // namespace torqued::cli
