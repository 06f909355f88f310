// torquectl terms: which term of the equation of motion is to blame for the torque, and what if it
// is left out?
#include <absl/strings/str_cat.h>

#include <array>
#include <cmath>
#include <numbers>

#include "client/cli/numbers.h"
#include "client/cli/subject.h"
#include "client/cli/verbs/verbs.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued::cli {
namespace {

using Kind = v1::TorqueTerm;

constexpr std::array<std::pair<v1::TorqueTerm::Kind, const char*>, 9> kKinds = {{
    {Kind::KIND_OWN_INERTIA, "own inertia"},
    {Kind::KIND_COUPLING_INERTIA, "coupling"},
    {Kind::KIND_CENTRIPETAL, "centripetal"},
    {Kind::KIND_CORIOLIS, "Coriolis"},
    {Kind::KIND_GRAVITY, "gravity"},
    {Kind::KIND_FRICTION, "friction"},
    {Kind::KIND_SPRING, "spring"},
    {Kind::KIND_EXTERNAL, "external"},
    {Kind::KIND_DRIVE, "drive"},
}};

const char* KindName(v1::TorqueTerm::Kind kind) {
  for (const auto& [k, name] : kKinds)
    if (k == kind) return name;
  return "?";
}

struct Share {
  double effort = 0, rotor = 0;
  bool present = false;
};

std::array<Share, kKinds.size()> Shares(const v1::JointTorqueBreakdown& joint) {
  std::array<Share, kKinds.size()> shares;
  for (const auto& term : joint.terms())
    for (size_t k = 0; k < kKinds.size(); ++k)
      if (kKinds[k].first == term.kind()) {
        shares[k].effort += term.effort();
        shares[k].rotor += term.rotor_effort();
        shares[k].present = true;
      }
  return shares;
}

// "3.659"; "0" where it rounds to that.
std::string Short(double value) {
  const std::string text = Fixed(value, 3);
  return text == "0.000" ? "0" : text;
}

// "32.495 Nm = 3.659 own inertia (0.784 of it rotor) - 0.306 coupling ... + 30.533 friction"
std::string Sentence(const v1::JointTorqueBreakdown& joint, const std::string& unit) {
  std::string text = absl::StrCat(joint.joint(), ": ", Short(joint.effort()), " ", unit, " =");
  const auto shares = Shares(joint);
  bool first = true;
  for (size_t k = 0; k < kKinds.size(); ++k) {
    // The first five always stand there, so that a zero can be seen; the others only where the
    // robot has them.
    if (k > 4 && (!shares[k].present || shares[k].effort == 0)) continue;
    const bool minus = Short(shares[k].effort)[0] == '-';
    absl::StrAppend(&text, first ? (minus ? " -" : " ") : (minus ? " - " : " + "),
                    Short(std::fabs(shares[k].effort)), " ", kKinds[k].second);
    if (Short(shares[k].rotor) != "0")
      absl::StrAppend(&text, " (", Short(shares[k].rotor), " of it rotor)");
    first = false;
  }
  return text;
}

class Terms : public Verb {
 public:
  VerbText Text() const override {
    return {"terms",
            kDynamics,
            "torque by the textbook's names: own inertia, coupling, centripetal, Coriolis, "
            "gravity, friction",
            {"terms puma560 --q 0,0.785398,3.141593,0,0.785398,0 --v 1,1,1,1,1,1 --a 1,1,1,1,1,1",
             "terms two-link --q 30,60 --deg --v 1,5 --a 2,5 --coefficients",
             "terms ur5e --states trajectory.csv --drop velocity",
             "terms ur5e --box limits --drop gravity,velocity --samples 10000"},
            "The terms add up to the torque. With --drop or --below: the error of the simplified "
            "model, at the states or over a box."};
  }

  void Declare(OptionSet& options) override {
    subject_.Declare(options, StateOptions::kV | StateOptions::kA, true, true);
    options.Group("Answer");
    DeclarePlace(options, place_);
    options.Flag("--coefficients", coefficients_,
                 "every single term with its coefficient D_ij, D_ijk (symmetric in j, k)");
    options.Group("Simplified model");
    options.Text("--drop", drop_, "LIST",
                 "leave out: inertia,velocity,gravity,rotor,friction,springs");
    options.Text("--below", below_, "SHARE",
                 "leave out textbook terms below this share of the torque");
    options.Choice("--box", box_, {"limits"}, "over states within the joint limits instead of --q");
    options.Text("--box-v", box_v_, "V",
                 "with --box: every rate within +-V [rad/s, m/s] instead of the limits");
    options.Text("--box-a", box_a_, "A",
                 "with --box: every acceleration within +-A [rad/s^2, m/s^2], default 1");
    options.Whole("--samples", samples_, 1, "with --box: how many states, default 1000");
    options.Whole("--seed", seed_, 0, "with --box: seed of the states, default 1");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    if (!drop_.empty() || !below_.empty() || !box_.empty()) return Simplified(session);
    const auto subject = subject_.Read(session);
    if (!subject.ok()) return subject.status();
    v1::ComputeTorqueBreakdownRequest request;
    subject->Fill(request);
    request.mutable_context()->set_effort_place(ParsePlace(place_));
    if (subject->states.v.values_size() > 0) *request.mutable_velocities() = subject->states.v;
    if (subject->states.a.values_size() > 0) *request.mutable_accelerations() = subject->states.a;
    const auto answer = session.Ask<v1::ComputeTorqueBreakdownResponse>(request);
    if (!answer.ok()) return answer.status();
    auto columns = Columns(subject->model, Quantity::kEffort);
    if (answer->info().effort_place() == v1::EFFORT_PLACE_MOTOR)
      for (Column& column : columns) column.unit = "Nm";
    if (session.for_people() && subject->states.count == 1) {
      session.out() << Headline("torque" + PlaceName(answer->info().effort_place()) + " by terms",
                                answer->info())
                    << "\n";
      for (int i = 0; i < answer->joints_size(); ++i)
        session.out() << Sentence(answer->joints(i), columns[static_cast<size_t>(i)].unit) << "\n";
      session.out() << "\n";
    }
    session.Show(*answer,
                 {coefficients_ ? Details(*subject, *answer) : ByKind(*subject, *answer, columns)});
    if (session.for_people()) session.out() << InfoNotes(answer->info());
    return Exit::kOk;
  }

 private:
  static Sheet ByKind(const Subject& subject, const v1::ComputeTorqueBreakdownResponse& answer,
                      const std::vector<Column>& columns) {
    Sheet sheet{"", {}, {}};
    const bool many = subject.states.count > 1;
    if (many) sheet.columns.push_back("state");
    for (const char* name : {"joint", "unit", "torque"}) sheet.columns.push_back(name);
    // The drive's own term is there only after the gear and at the motor.
    const bool placed = answer.info().effort_place() > v1::EFFORT_PLACE_JOINT;
    const size_t kinds = kKinds.size() - (placed ? 0 : 1);
    for (size_t k = 0; k < kinds; ++k) sheet.columns.push_back(kKinds[k].second);
    sheet.columns.push_back("of it rotor");
    for (int i = 0; i < answer.joints_size(); ++i) {
      const auto& joint = answer.joints(i);
      std::vector<Cell> row;
      if (many) row.push_back(int64_t{i / static_cast<int>(columns.size()) + 1});
      row.insert(row.end(), {joint.joint(), columns[static_cast<size_t>(i) % columns.size()].unit,
                             joint.effort()});
      double rotor = 0;
      const auto shares = Shares(joint);
      for (size_t k = 0; k < kinds; ++k) {
        row.push_back(shares[k].effort);
        rotor += shares[k].rotor;
      }
      row.push_back(rotor);
      sheet.rows.push_back(std::move(row));
    }
    return sheet;
  }

  static Sheet Details(const Subject& subject, const v1::ComputeTorqueBreakdownResponse& answer) {
    Sheet sheet{"", {"joint", "term", "j", "k", "coefficient", "torque", "of it rotor"}, {}};
    const auto names = Ids(Columns(subject.model, Quantity::kVelocity));
    const auto name = [&names](int i) {
      return i >= 0 && i < static_cast<int>(names.size()) ? names[static_cast<size_t>(i)]
                                                          : std::string();
    };
    for (const auto& joint : answer.joints())
      for (const auto& term : joint.terms())
        sheet.rows.push_back({joint.joint(), KindName(term.kind()), name(term.j()), name(term.k()),
                              term.coefficient(), term.effort(), term.rotor_effort()});
    return sheet;
  }

  absl::StatusOr<Exit> Simplified(Session& session) const {
    const auto subject = subject_.Read(session, !box_.empty());
    if (!subject.ok()) return subject.status();
    v1::CompareSimplifiedRequest request;
    *request.mutable_context() = subject->context;
    const auto dropped = ParseTerms("--drop", drop_);
    if (!dropped.ok()) return dropped.status();
    for (const v1::Term term : *dropped) request.add_dropped(term);
    if (!below_.empty()) {
      const auto below = ParseNumber("--below", below_);
      if (!below.ok()) return below.status();
      request.set_drop_below_share(*below);
    }
    if (request.dropped_size() == 0 && below_.empty())
      return absl::InvalidArgumentError("--box: want --drop or --below with it");
    if (!box_.empty()) {
      if (absl::Status status = FillBox(subject->model, *request.mutable_box()); !status.ok())
        return status;
    } else {
      *request.mutable_positions() = subject->states.q;
      if (subject->states.v.values_size() > 0) *request.mutable_velocities() = subject->states.v;
      if (subject->states.a.values_size() > 0) *request.mutable_accelerations() = subject->states.a;
    }
    const auto answer = session.Ask<v1::CompareSimplifiedResponse>(request);
    if (!answer.ok()) return answer.status();
    std::string title = Headline("error of the simplified model", answer->info()) + "\nleft out:";
    for (const std::string& what : answer->dropped()) title += " " + what + ";";
    Sheet sheet{title, {"joint", "unit", "largest error", "RMS error"}, {}};
    const auto columns = Columns(subject->model, Quantity::kEffort);
    for (size_t i = 0; i < columns.size() && static_cast<int>(i) < answer->largest_errors_size();
         ++i)
      sheet.rows.push_back({columns[i].id, columns[i].unit,
                            answer->largest_errors(static_cast<int>(i)),
                            answer->rms_errors(static_cast<int>(i))});
    session.Show(*answer, {sheet});
    return Exit::kOk;
  }

  // The box: q, v, a one after the other. Positions without limits turn once around; other joints
  // need limits.
  absl::Status FillBox(const v1::Model& model, v1::StateBox& box) const {
    const auto acceleration = ParseNumber("--box-a", box_a_);
    if (!acceleration.ok()) return acceleration.status();
    absl::StatusOr<double> rate = 0.0;
    if (!box_v_.empty()) rate = ParseNumber("--box-v", box_v_);
    if (!rate.ok()) return rate.status();
    for (const auto& c : model.coordinates()) {
      if (c.kind() != v1::JOINT_KIND_REVOLUTE && c.kind() != v1::JOINT_KIND_CONTINUOUS &&
          c.kind() != v1::JOINT_KIND_PRISMATIC)
        return absl::InvalidArgumentError(
            absl::StrCat("--box: ", c.name(), " has several degrees of freedom and no limits"));
      const bool limited = c.has_lower() && c.has_upper();
      if (!limited && c.kind() == v1::JOINT_KIND_PRISMATIC)
        return absl::InvalidArgumentError(
            absl::StrCat("--box: ", c.name(), " has no position limits"));
      box.add_lower(limited ? c.lower() : -std::numbers::pi);
      box.add_upper(limited ? c.upper() : std::numbers::pi);
    }
    for (const auto& c : model.coordinates()) {
      if (box_v_.empty() && !c.has_velocity())
        return absl::InvalidArgumentError(
            absl::StrCat("--box: ", c.name(), " has no velocity limit, want --box-v"));
      const double v = box_v_.empty() ? c.velocity() : *rate;
      box.add_lower(-v);
      box.add_upper(v);
    }
    for (int i = 0; i < model.velocity_count(); ++i) {
      box.add_lower(-*acceleration);
      box.add_upper(*acceleration);
    }
    box.set_samples(samples_);
    box.set_seed(static_cast<uint64_t>(seed_));
    return absl::OkStatus();
  }

  SubjectOptions subject_;
  std::string place_, drop_, below_, box_, box_v_, box_a_ = "1";
  int64_t samples_ = 1000, seed_ = 1;
  bool coefficients_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeTerms() { return std::make_unique<Terms>(); }

}  // namespace torqued::cli
