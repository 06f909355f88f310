// Why does a joint need this torque, and what would a simpler model get wrong?
#include <absl/strings/str_cat.h>

#include <cmath>
#include <map>
#include <tuple>

#include "server/core/dynamics/simplify.h"
#include "server/core/dynamics/torque_breakdown.h"
#include "server/service/compute/compute.h"
#include "server/service/compute/question.h"

namespace torqued {
namespace {

v1::TorqueTerm::Kind ToProto(TermKind kind) {
  switch (kind) {
    case TermKind::kOwnInertia: return v1::TorqueTerm::KIND_OWN_INERTIA;
    case TermKind::kCouplingInertia: return v1::TorqueTerm::KIND_COUPLING_INERTIA;
    case TermKind::kCentripetal: return v1::TorqueTerm::KIND_CENTRIPETAL;
    case TermKind::kCoriolis: return v1::TorqueTerm::KIND_CORIOLIS;
    case TermKind::kGravity: return v1::TorqueTerm::KIND_GRAVITY;
    case TermKind::kFriction: return v1::TorqueTerm::KIND_FRICTION;
    case TermKind::kSprings: return v1::TorqueTerm::KIND_SPRING;
  }
  return v1::TorqueTerm::KIND_UNSPECIFIED;
}

void Write(const TorqueTerm& from, double rotor_effort, v1::TorqueTerm* to) {
  to->set_kind(ToProto(from.kind));
  to->set_j(from.j);
  to->set_k(from.k);
  to->set_coefficient(from.coefficient);
  to->set_effort(from.torque);
  to->set_rotor_effort(rotor_effort);
}

// "joint 'elbow': Coriolis of (shoulder, wrist)".
std::string InWords(const ModelEntry& entry, const DroppedTerm& term) {
  std::string out = absl::StrCat("joint '", EntryName(entry, term.i), "': ", Name(term.kind));
  if (term.j >= 0) absl::StrAppend(&out, " of ", EntryName(entry, term.j));
  if (term.k >= 0) absl::StrAppend(&out, " and ", EntryName(entry, term.k));
  return out;
}

// The terms as each drive has them: the joints' terms through T^-T (over the gear ratio at the motor), and one term of the
// drive itself. `external`: the joints' share of the wrenches.
absl::Status BreakDownAtDrives(const Call& call, const Question& question, int sample, const TorqueBreakdown& breakdown,
                               const std::vector<double>& external, v1::ComputeTorqueBreakdownResponse* response) {
  const Model& model = call.entry.model();
  const int n = call.entry.nv();
  const double *q = question.q().row(sample), *v = question.v().row(sample), *a = question.a().row(sample);
  DriveTrain train(model, call.entry.prepared);
  const Eigen::VectorXd own = train.Own(question.asked.conditions, q, v, a);
  Eigen::VectorXd tau(n);
  for (int i = 0; i < n; ++i) tau[i] = breakdown.Joint(i).torque + external[i];
  const Eigen::VectorXd gear = train.AfterGear(train.ToDrives(tau), own), rate = train.Rates(v);
  const bool motor = question.asked.place == EffortPlace::kMotor;
  Eigen::MatrixXd N(n, n);
  for (int i = 0; i < n; ++i) N.col(i) = train.ToDrives(Eigen::VectorXd::Unit(n, i));
  for (int k = 0; k < n; ++k) {
    const double scale = motor ? 1 / model.drives[k].gear_ratio : 1;
    std::map<std::tuple<int, int, int>, v1::TorqueTerm> terms;  // by kind, j, k
    const auto add = [&](v1::TorqueTerm::Kind kind, int j, int second, double coefficient, double torque, double rotor) {
      v1::TorqueTerm& t = terms[{kind, j, second}];
      t.set_kind(kind);
      t.set_j(j);
      t.set_k(second);
      t.set_coefficient(t.coefficient() + coefficient);
      t.set_effort(t.effort() + torque);
      t.set_rotor_effort(t.rotor_effort() + rotor);
    };
    for (int i = 0; i < n; ++i) {
      const double share = scale * N(k, i);
      if (share == 0) continue;
      const JointBreakdown joint = breakdown.Joint(i);
      for (const TorqueTerm& t : joint.terms) {
        const bool inertia = t.kind == TermKind::kOwnInertia || t.kind == TermKind::kCouplingInertia;
        const auto kind = !inertia ? ToProto(t.kind) : t.j == k ? v1::TorqueTerm::KIND_OWN_INERTIA : v1::TorqueTerm::KIND_COUPLING_INERTIA;
        add(kind, t.j, t.k, share * t.coefficient, share * t.torque, t.kind == TermKind::kOwnInertia ? share * joint.own_rotor : 0);
      }
      if (external[i] != 0) add(v1::TorqueTerm::KIND_EXTERNAL, -1, -1, share * external[i], share * external[i], 0);
    }
    const double drive = motor ? train.Loss(k, gear[k], rate[k]) : -model.drives[k].gear_ratio * own[k];
    add(v1::TorqueTerm::KIND_DRIVE, -1, -1, drive, drive, 0);
    auto* out = response->add_joints();
    out->set_joint(motor ? model.drives[k].name : EntryName(call.entry, k));
    std::vector<v1::TorqueTerm> sorted;
    for (const auto& [key, term] : terms) sorted.push_back(term);
    std::stable_sort(sorted.begin(), sorted.end(), [](const v1::TorqueTerm& x, const v1::TorqueTerm& y) {
      return std::abs(x.effort()) > std::abs(y.effort());
    });
    double sum = 0;
    for (const v1::TorqueTerm& term : sorted) {
      sum += term.effort();
      *out->add_terms() = term;
    }
    out->set_effort(sum);
    if (!std::isfinite(sum))
      return wire::Error(absl::StatusCode::kInvalidArgument, "RESULT_NOT_FINITE",
                         absl::StrCat("joints: the result of sample ", sample, " is not finite; its inputs are too large"),
                         {{"field", "joints"}, {"sample", absl::StrCat(sample)}});
  }
  return absl::OkStatus();
}

// What is dropped whole: as SimplifiedModel takes it, and (rotors, springs) as conditions.
absl::Status ReadDropped(const v1::CompareSimplifiedRequest& request, Simplification& simple, Terms& terms,
                         v1::CompareSimplifiedResponse* response) {
  for (int i = 0; i < request.dropped_size(); ++i) {
    const char* word = "";
    switch (request.dropped(i)) {
      case v1::TERM_INERTIA: simple.acceleration = true, word = "inertia"; break;
      case v1::TERM_VELOCITY: simple.velocity = true, word = "velocity products"; break;
      case v1::TERM_GRAVITY: simple.gravity = true, word = "gravity"; break;
      case v1::TERM_FRICTION: simple.friction = true, word = "friction"; break;
      case v1::TERM_ROTOR: terms.rotor = false, word = "rotors"; break;
      case v1::TERM_SPRINGS: terms.springs = false, word = "springs"; break;
      default:
        return wire::BadField(absl::StrCat("dropped[", i, "]"),
                              absl::StrCat(static_cast<int>(request.dropped(i)), " is no term of the equation of motion"));
    }
    response->add_dropped(word);
  }
  return absl::OkStatus();
}

absl::StatusOr<StateBox> ReadBox(const Call& call, const v1::StateBox& from) {
  const int nv = call.entry.nv();
  for (const auto& [name, values] : {std::make_pair("box.lower", &from.lower()), std::make_pair("box.upper", &from.upper())}) {
    const auto rows = wire::ReadPlainRows(name, *values, 3 * nv, 1, false, false);
    if (!rows.ok()) return rows.status();
  }
  for (int i = 0; i < 3 * nv; ++i)
    if (from.lower(i) > from.upper(i))
      return wire::BadField(absl::StrCat("box.lower[", i, "]"),
                            absl::StrCat(from.lower(i), " is above the upper bound ", from.upper(i)));
  if (from.samples() < 1 || from.samples() > kMostSamples)
    return wire::BadField("box.samples", absl::StrCat(from.samples(), ", want 1 to ", kMostSamples));
  const auto part = [nv](const auto& values, int k) {
    return std::vector<double>(values.begin() + k * nv, values.begin() + (k + 1) * nv);
  };
  StateBox box;
  box.q_lower = part(from.lower(), 0), box.q_upper = part(from.upper(), 0);
  box.v_lower = part(from.lower(), 1), box.v_upper = part(from.upper(), 1);
  box.a_lower = part(from.lower(), 2), box.a_upper = part(from.upper(), 2);
  return box;
}

StateBox Centre(const StateBox& box) {
  StateBox out = box;
  const auto halve = [](std::vector<double>& lower, std::vector<double>& upper) {
    for (size_t i = 0; i < lower.size(); ++i) lower[i] = upper[i] = 0.5 * (lower[i] + upper[i]);
  };
  halve(out.q_lower, out.q_upper);
  halve(out.v_lower, out.v_upper);
  halve(out.a_lower, out.a_upper);
  return out;
}

double Norm(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

}  // namespace

absl::Status Answer(const Call& call, const v1::ComputeTorqueBreakdownRequest& request,
                    v1::ComputeTorqueBreakdownResponse* response) {
  const auto question = ReadQuestion(call, Needs::kInertias, true, request.context(), request.positions(),
                                     &request.velocities(), &request.accelerations(), true);
  if (!question.ok()) return question.status();
  const Prepared& m = call.entry.prepared;
  if (static_cast<double>(question->count()) * m.nv * m.nv * m.nv > 2e7)
    return wire::Exhausted("TOO_MANY_SAMPLES", "samples",
                           absl::StrCat("positions: ", question->count(), " samples; split the request"));
  TorqueBreakdown breakdown(m);
  std::vector<double> external(m.nv);
  for (int i = 0; i < question->count(); ++i) {
    if (absl::Status s = call.Check(i); !s.ok()) return s;
    breakdown.Evaluate(question->asked.conditions, question->q().row(i), question->v().row(i), question->a().row(i));
    std::fill(external.begin(), external.end(), 0.0);
    std::vector<AskedWrench> wrenches = question->asked.wrenches;
    for (AskedWrench& w : wrenches)
      if (w.rows.count > 1) w.rows = {w.rows.row(i), 1, 6};
    if (absl::Status s = AddWrenchTorques(call, wrenches, {question->q().row(i), 1, m.nq}, 1, external.data()); !s.ok())
      return s;
    if (question->asked.place != EffortPlace::kJoint) {
      if (absl::Status s = BreakDownAtDrives(call, *question, i, breakdown, external, response); !s.ok()) return s;
      continue;
    }
    for (int k = 0; k < m.nv; ++k) {
      const JointBreakdown joint = breakdown.Joint(k);
      auto* out = response->add_joints();
      out->set_joint(EntryName(call.entry, k));
      out->set_effort(joint.torque + external[k]);
      if (!std::isfinite(out->effort()))
        return wire::Error(absl::StatusCode::kInvalidArgument, "RESULT_NOT_FINITE",
                           absl::StrCat("joints: the result of sample ", i, " is not finite; its inputs are too large"),
                           {{"field", "joints"}, {"sample", absl::StrCat(i)}});
      bool told = external[k] == 0;
      const auto tell = [&] {
        auto* term = out->add_terms();
        term->set_kind(v1::TorqueTerm::KIND_EXTERNAL);
        term->set_j(-1);
        term->set_k(-1);
        term->set_coefficient(external[k]);
        term->set_effort(external[k]);
        told = true;
      };
      for (const TorqueTerm& term : joint.terms) {
        if (!told && std::abs(external[k]) >= std::abs(term.torque)) tell();
        Write(term, term.kind == TermKind::kOwnInertia ? joint.own_rotor : 0, out->add_terms());
      }
      if (!told) tell();
    }
  }
  return Conclude(call, *question, request.context(), nullptr, true, response->mutable_info());
}

absl::Status Answer(const Call& call, const v1::CompareSimplifiedRequest& request,
                    v1::CompareSimplifiedResponse* response) {
  const Prepared& m = call.entry.prepared;
  const bool boxed = request.has_box();
  if (boxed && request.positions().values_size() > 0)
    return wire::BadField("box", "given together with positions; want one of them");
  v1::JointVectors neutral;
  if (boxed) {
    std::vector<double> q(m.nq);
    SetNeutral(m, q.data());
    Append(q.data(), m.nq, neutral.mutable_values());
  }
  const auto question =
      ReadQuestion(call, Needs::kInertias, false, request.context(), boxed ? neutral : request.positions(),
                   &request.velocities(), &request.accelerations());
  if (!question.ok()) return question.status();
  StateBox box;
  if (boxed) {
    const auto read = ReadBox(call, request.box());
    if (!read.ok()) return read.status();
    box = *read;
  }
  const double share = request.drop_below_share();
  if (!(share >= 0 && share < 1)) return wire::BadField("drop_below_share", absl::StrCat(share, ", want 0 to below 1"));

  Simplification simple;
  const Conditions& full_conditions = question->asked.conditions;
  Conditions simple_conditions = full_conditions;
  if (absl::Status s = ReadDropped(request, simple, simple_conditions.terms, response); !s.ok()) return s;
  const std::vector<double> zero(m.nv, 0.0);
  const int count = boxed ? static_cast<int>(request.box().samples()) : question->count();
  SimplifiedModel drawer(m, {});
  const auto state = [&](int i, const double** q, const double** v, const double** a) {
    if (boxed) {
      drawer.State(box, request.box().seed(), i);
      *q = drawer.q().data(), *v = drawer.v().data(), *a = drawer.a().data();
    } else {
      *q = question->q().row(i);
      *v = question->v().data ? question->v().row(i) : zero.data();
      *a = question->a().data ? question->a().row(i) : zero.data();
    }
  };
  const double *q, *v, *a;
  if (share > 0) {
    TorqueBreakdown breakdown(m);
    if (boxed) {
      drawer.State(Centre(box), 0, 0);
      q = drawer.q().data(), v = drawer.v().data(), a = drawer.a().data();
    } else {
      state(0, &q, &v, &a);
    }
    breakdown.Evaluate(simple_conditions, q, v, a);
    simple.terms = TermsBelow(breakdown, share);
    for (const DroppedTerm& term : simple.terms) response->add_dropped(InWords(call.entry, term));
  }
  SimplifiedModel simplified(m, simple);
  Workspace<double> ws(m);
  std::vector<double> simple_tau(m.nv), unused(m.nv), full_tau(m.nv), error(m.nv), largest(m.nv, 0.0), squares(m.nv, 0.0);
  double worst = -1;
  for (int i = 0; i < count; ++i) {
    if (absl::Status s = call.Check(i); !s.ok()) return s;
    state(i, &q, &v, &a);
    simplified.Torques(simple_conditions, q, v, a, simple_tau.data(), unused.data());
    InverseDynamics(m, full_conditions, q, v, a, ws, full_tau.data());
    for (int k = 0; k < m.nv; ++k) {
      error[k] = simple_tau[k] - full_tau[k];
      largest[k] = std::max(largest[k], std::abs(error[k]));
      squares[k] += error[k] * error[k];
    }
    const double relative = Norm(error) / std::max(Norm(full_tau), 1e-300);
    if (relative > worst) {
      worst = relative;
      response->clear_largest_state();
      Append(q, m.nq, response->mutable_largest_state());
      Append(v, m.nv, response->mutable_largest_state());
      Append(a, m.nv, response->mutable_largest_state());
    }
    if (boxed) continue;
    Append(simple_tau.data(), m.nv, response->mutable_efforts()->mutable_values());
    Append(error.data(), m.nv, response->mutable_errors()->mutable_values());
  }
  for (int k = 0; k < m.nv; ++k) {
    response->add_largest_errors(largest[k]);
    response->add_rms_errors(std::sqrt(squares[k] / count));
  }
  if (absl::Status s = wire::CheckAnswer("rms_errors", response->rms_errors(), 0); !s.ok()) return s;
  if (absl::Status s = Conclude(call, *question, request.context(), nullptr, !boxed, response->mutable_info()); !s.ok())
    return s;
  response->mutable_info()->set_sample_count(count);
  return absl::OkStatus();
}

}  // namespace torqued
