// torquectl compare: why do another program's torques differ from these?
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>

#include "client/cli/explain.h"
#include "client/cli/json.h"
#include "client/cli/numbers.h"
#include "client/cli/subject.h"
#include "client/cli/verbs/verbs.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued::cli {
namespace {

LogRows FromVectors(const v1::JointVectors& vectors, int rows, int width) {
  if (vectors.values_size() == 0) return LogRows::Zero(rows, width);
  return Eigen::Map<const LogRows>(vectors.values().data(), rows, width);
}

void Fill(const LogRows& rows, v1::JointVectors& vectors) {
  vectors.mutable_values()->Add(rows.data(), rows.data() + rows.size());
}

// Some states, evenly over the log.
LogRows Thinned(const LogRows& rows, int count) {
  LogRows thin(count, rows.cols());
  for (int i = 0; i < count; ++i)
    thin.row(i) = rows.row(count == 1 ? 0 : i * (rows.rows() - 1) / (count - 1));
  return thin;
}

// Asks the server for everything that Explain needs.
class Anatomist {
 public:
  Anatomist(Session& session, const v1::Context& context, int nv)
      : session_(session), context_(context), nv_(nv) {}

  absl::StatusOr<TorqueAnatomy> operator()(const LogRows& q, const LogRows& v, const LogRows& a) {
    TorqueAnatomy x;
    for (const auto& [to, gravity] : {std::pair<LogRows*, Eigen::Vector3d>{&x.Y0, {0, 0, 0}},
                                      {&x.Yx, {1, 0, 0}},
                                      {&x.Yy, {0, 1, 0}},
                                      {&x.Yz, {0, 0, 1}}}) {
      auto Y = Regressor(q, v, a, gravity);
      if (!Y.ok()) return Y.status();
      *to = *std::move(Y);
      if (to != &x.Y0) *to -= x.Y0;
    }
    v1::Context without_wrench = context_;
    without_wrench.clear_wrenches();
    for (const auto& [to, context] : {std::pair{&x.full, context_},
                                      {&x.rotor, Without(v1::TERM_ROTOR)},
                                      {&x.friction, Without(v1::TERM_FRICTION)},
                                      {&x.wrench, without_wrench}}) {
      auto tau = InverseDynamics(q, v, a, context);
      if (!tau.ok()) return tau.status();
      *to = *std::move(tau);
      if (to != &x.full) *to = x.full - *to;
    }
    return x;
  }

  absl::StatusOr<Eigen::VectorXd> Parameters(const LogRows& q) {
    const auto answer =
        AskRegressor(q.topRows(1), LogRows::Zero(1, nv_), LogRows::Zero(1, nv_), {0, 0, 0});
    if (!answer.ok()) return answer.status();
    return Eigen::VectorXd(
        Eigen::Map<const Eigen::VectorXd>(answer->parameters().data(), answer->parameters_size()));
  }

 private:
  v1::Context Without(v1::Term left_out) const {
    v1::Context context = context_;
    std::vector<int> terms(context.terms().begin(), context.terms().end());
    if (terms.empty())
      for (int t = v1::TERM_INERTIA; t <= v1::TERM_SPRINGS; ++t) terms.push_back(t);
    context.clear_terms();
    for (const int term : terms)
      if (term != left_out) context.add_terms(static_cast<v1::Term>(term));
    return context;
  }

  absl::StatusOr<v1::ComputeRegressorResponse> AskRegressor(const LogRows& q, const LogRows& v,
                                                            const LogRows& a,
                                                            const Eigen::Vector3d& gravity) {
    v1::ComputeRegressorRequest request;
    *request.mutable_context() = context_;
    request.mutable_context()->clear_wrenches();
    request.mutable_context()->clear_terms();
    request.mutable_context()->mutable_gravity()->set_x(gravity.x());
    request.mutable_context()->mutable_gravity()->set_y(gravity.y());
    request.mutable_context()->mutable_gravity()->set_z(gravity.z());
    Fill(q, *request.mutable_positions());
    Fill(v, *request.mutable_velocities());
    Fill(a, *request.mutable_accelerations());
    return session_.Ask<v1::ComputeRegressorResponse>(request);
  }

  absl::StatusOr<LogRows> Regressor(const LogRows& q, const LogRows& v, const LogRows& a,
                                    const Eigen::Vector3d& gravity) {
    const auto answer = AskRegressor(q, v, a, gravity);
    if (!answer.ok()) return answer.status();
    return LogRows(Eigen::Map<const LogRows>(answer->regressor().values().data(), q.rows() * nv_,
                                             answer->regressor().cols()));
  }

  absl::StatusOr<LogRows> InverseDynamics(const LogRows& q, const LogRows& v, const LogRows& a,
                                          const v1::Context& context) {
    v1::ComputeInverseDynamicsRequest request;
    *request.mutable_context() = context;
    Fill(q, *request.mutable_positions());
    Fill(v, *request.mutable_velocities());
    Fill(a, *request.mutable_accelerations());
    const auto answer = session_.Ask<v1::ComputeInverseDynamicsResponse>(request);
    if (!answer.ok()) return answer.status();
    return LogRows(Eigen::Map<const LogRows>(answer->efforts().values().data(), q.rows(), nv_));
  }

  Session& session_;
  const v1::Context context_;
  const int nv_;
};

LogModel Describe(const Subject& subject) {
  LogModel model;
  for (const auto& coordinate : subject.model.coordinates()) {
    const bool revolute = coordinate.kind() == v1::JOINT_KIND_REVOLUTE ||
                          coordinate.kind() == v1::JOINT_KIND_CONTINUOUS;
    const bool single = revolute || coordinate.kind() == v1::JOINT_KIND_PRISMATIC;
    const int width = coordinate.kind() == v1::JOINT_KIND_FLOATING ? 6 : single ? 1 : 3;
    for (int i = 0; i < width; ++i) {
      model.names.push_back(coordinate.name());
      model.permutable.push_back(single);
      model.angular.push_back(revolute);
      model.q_column.push_back(coordinate.position_index());
    }
  }
  const v1::Vector3& g =
      subject.context.has_gravity() ? subject.context.gravity() : subject.model.gravity();
  model.gravity = {g.x(), g.y(), g.z()};
  model.has_wrench = subject.context.wrenches_size() > 0;
  return model;
}

class Compare : public Verb {
 public:
  VerbText Text() const override {
    return {"compare",
            kDynamics,
            "why do another program's torques differ? Finds the mistake that explains a log",
            {"compare ur5e --log other.csv",
             "compare puma560 --log other.csv --wrench-on-robot 0,0,-10 --at tool0 --json"},
            "The log holds q, v, a and tau of every joint. Tried, singly and two at once: "
            "gravity's sign, value and axis, joint order,\n"
            "degrees, the wrench's sign, inertias about the origin or the centre of mass, the "
            "order of their components, friction and\n"
            "rotors left out, the sign of all torques. Exit code 0 if the torques agree, 2 if they "
            "differ."};
  }

  void Declare(OptionSet& options) override {
    options.Group("Log");
    options.Required(
        "--log", log_, "FILE.csv",
        "the other program's states and torques, header as JOINT.q[rad],...,JOINT.tau[Nm]");
    options.Text("--tolerance", tolerance_, "SHARE",
                 "torques agree if they differ by at most this share, default 1e-6");
    options.Argument("MODEL", model_, "model: id, id@revision; with --local also a robot file");
    options.Flag("--deg", degrees_, "columns of the log without a unit are in degrees");
    question_.Declare(options, true, true);
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto tolerance = ParseNumber("--tolerance", tolerance_);
    if (!tolerance.ok()) return tolerance.status();
    auto subject = Read(session);
    if (!subject.ok()) return subject.status();
    const int rows = subject->states.count, nq = subject->model.position_count(),
              nv = subject->model.velocity_count();
    const int count = std::min(rows, kStates);
    const LogRows q = Thinned(FromVectors(subject->states.q, rows, nq), count),
                  v = Thinned(FromVectors(subject->states.v, rows, nv), count),
                  a = Thinned(FromVectors(subject->states.a, rows, nv), count),
                  tau = Thinned(FromVectors(subject->states.tau, rows, nv), count);
    Anatomist anatomist(session, subject->context, nv);
    LogModel model = Describe(*subject);
    auto parameters = anatomist.Parameters(q);
    if (!parameters.ok()) return parameters.status();
    model.parameters = *std::move(parameters);
    const auto verdict = Explain(model, q, v, a, tau, *tolerance, std::ref(anatomist));
    if (!verdict.ok()) return verdict.status();
    if (session.shared().json)
      session.out() << Json(*verdict, count);
    else
      session.out() << Words(*verdict, count);
    return verdict->agrees ? Exit::kOk : Exit::kCheckFailed;
  }

 private:
  static constexpr int kStates = 40;  // of the log that are looked at

  absl::StatusOr<Subject> Read(Session& session) const {
    Subject subject;
    auto context = question_.Context();
    if (!context.ok()) return context.status();
    subject.context = *std::move(context);
    const auto wrench = question_.Wrench();
    if (!wrench.ok()) return wrench.status();
    if (wrench->has_value()) *subject.context.add_wrenches() = **wrench;
    auto model = session.GetModel(model_);
    if (!model.ok()) return model.status();
    subject.model = *std::move(model);
    const auto name = (*session.backend())->ModelName(model_, v1::BASE_UNSPECIFIED);
    if (!name.ok()) return name.status();
    subject.context.set_model(*name);
    const int takes = StateOptions::kV | StateOptions::kA | StateOptions::kTau;
    if (absl::Status status = ReadStates(log_, subject.model, degrees_, takes, subject.states);
        !status.ok())
      return status;
    if (subject.states.tau.values_size() == 0)
      return absl::InvalidArgumentError(
          absl::StrCat("--log: ", log_, ": no JOINT.tau[Nm] columns"));
    return subject;
  }

  static std::string Percent(double share) {
    return share < 1e-4 ? absl::StrCat(Readable(100 * share), " %") : Fixed(100 * share, 2) + " %";
  }

  static std::string Words(const Verdict& verdict, int states) {
    std::string text = absl::StrCat("difference as asked: ", Percent(verdict.difference),
                                    " of the torque (RMS over ", states, " states)\n");
    if (verdict.agrees) return text + "the torques agree\n";
    const std::string tried = absl::StrCat(" (", verdict.combinations, " combinations tried)\n");
    if (!verdict.explained && verdict.best.changes.empty())
      return text + "no usual mistake explains it" + tried;
    absl::StrAppend(&text, verdict.explained ? "explained by" : "not explained; nearest", ": ",
                    absl::StrJoin(verdict.best.changes, "; and "),
                    "\nleft then: ", Percent(verdict.best.residual), tried);
    for (const Explanation& other : verdict.equals)
      absl::StrAppend(&text, "as good: ", absl::StrJoin(other.changes, "; and "), "\n");
    return text;
  }

  static std::string Json(const Verdict& verdict, int states) {
    const auto list = [](const Explanation& explanation) {
      std::vector<std::string> words;
      for (const std::string& change : explanation.changes) words.push_back(JsonString(change));
      return "[" + absl::StrJoin(words, ", ") + "]";
    };
    std::vector<std::string> equals;
    for (const Explanation& other : verdict.equals) equals.push_back(list(other));
    return absl::StrCat("{\"agrees\": ", verdict.agrees ? "true" : "false",
                        ", \"difference\": ", Shortest(verdict.difference),
                        ", \"explained\": ", verdict.explained ? "true" : "false",
                        ", \"explanation\": ", list(verdict.best),
                        ", \"residual\": ", Shortest(verdict.best.residual), ", \"as_good\": [",
                        absl::StrJoin(equals, ", "), "], \"states\": ", states,
                        ", \"combinations\": ", verdict.combinations, "}\n");
  }

  std::string model_, log_, tolerance_ = "1e-6";
  bool degrees_ = false;
  QuestionOptions question_;
};

}  // namespace

std::unique_ptr<Verb> MakeCompare() { return std::make_unique<Compare>(); }

}  // namespace torqued::cli
