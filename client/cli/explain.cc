#include "client/cli/explain.h"

#include <absl/strings/str_cat.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "client/cli/mistakes.h"
#include "client/cli/numbers.h"

namespace torqued::cli {
namespace {

// One alternative per dimension; 0 is "none".
enum Dimension {
  kOrder,
  kAngles,
  kGravity,
  kReference,
  kComponents,
  kWrench,
  kFriction,
  kRotor,
  kSign,
  kDimensions
};
using Choice = std::array<size_t, kDimensions>;

class Search {
 public:
  Search(const LogModel& model, const LogRows& tau)
      : model_(model),
        tau_(tau),
        tau_norm_(std::max(tau.norm(), std::numeric_limits<double>::min())),
        orders_(Orders(model)),
        angles_(AngleMistakes()),
        gravities_(Gravities(model.gravity)),
        inertias_(Inertias(model.parameters)) {
    const size_t wrench = model.has_wrench ? 3 : 1;
    counts_ = {orders_.size(),
               angles_.size(),
               gravities_.size(),
               inertias_.references.size(),
               inertias_.components.size(),
               wrench,
               2,
               2,
               2};
  }

  // Asks once for all the states that orders and angles lead to.
  absl::Status Prepare(const LogRows& q, const LogRows& v, const LogRows& a, const Ask& ask) {
    std::vector<std::pair<size_t, size_t>> sets;
    for (size_t order = 0; order < orders_.size(); ++order)
      if (!orders_[order].torques_only)
        for (size_t angles = 0; angles < angles_.size(); ++angles) sets.emplace_back(order, angles);
    const Eigen::Index rows = q.rows();
    const auto count = static_cast<Eigen::Index>(sets.size());
    LogRows all_q(count * rows, q.cols()), all_v(count * rows, v.cols()),
        all_a(count * rows, a.cols());
    for (Eigen::Index s = 0; s < count; ++s) {
      const auto& [order, angles] = sets[static_cast<size_t>(s)];
      LogRows set_q = q, set_v = v, set_a = a;
      Arrange(orders_[order], angles_[angles], q, v, a, set_q, set_v, set_a);
      all_q.middleRows(s * rows, rows) = set_q;
      all_v.middleRows(s * rows, rows) = set_v;
      all_a.middleRows(s * rows, rows) = set_a;
    }
    const auto anatomy = ask(all_q, all_v, all_a);
    if (!anatomy.ok()) return anatomy.status();
    const Eigen::Index nv = v.cols();
    for (Eigen::Index s = 0; s < count; ++s) {
      TorqueAnatomy part;
      for (const auto& [to, from] : {std::pair{&part.Y0, &anatomy->Y0},
                                     {&part.Yx, &anatomy->Yx},
                                     {&part.Yy, &anatomy->Yy},
                                     {&part.Yz, &anatomy->Yz}})
        *to = from->middleRows(s * rows * nv, rows * nv);
      for (const auto& [to, from] : {std::pair{&part.full, &anatomy->full},
                                     {&part.rotor, &anatomy->rotor},
                                     {&part.friction, &anatomy->friction},
                                     {&part.wrench, &anatomy->wrench}})
        *to = from->middleRows(s * rows, rows);
      anatomies_[sets[static_cast<size_t>(s)]] = std::move(part);
    }
    return absl::OkStatus();
  }

  // What the log would show with these mistakes made; `gravity` is filled where it is fitted to the
  // log.
  LogRows Torque(const Choice& choice, Eigen::Vector3d& gravity) const {
    const Order& order = orders_[choice[kOrder]];
    const TorqueAnatomy& x =
        anatomies_.at({order.torques_only ? 0 : choice[kOrder], choice[kAngles]});
    const Eigen::VectorXd& own = model_.parameters;
    const Eigen::VectorXd& pi = inertias_.parameters[choice[kReference]][choice[kComponents]];
    Eigen::Matrix<double, Eigen::Dynamic, 3> G(x.Y0.rows(), 3);
    G << x.Yx * pi, x.Yy * pi, x.Yz * pi;
    const Eigen::VectorXd rigid_own = x.Y0 * own + (x.Yx * own) * model_.gravity.x() +
                                      (x.Yy * own) * model_.gravity.y() +
                                      (x.Yz * own) * model_.gravity.z();
    LogRows tau = x.full - AsRows(rigid_own, x.full.cols()) + AsRows(x.Y0 * pi, x.full.cols());
    if (choice[kFriction] == 1) tau -= x.friction;
    if (choice[kRotor] == 1) tau -= x.rotor;
    if (choice[kWrench] > 0) tau -= (choice[kWrench] == 1 ? 2.0 : 1.0) * x.wrench;
    gravity = gravities_[choice[kGravity]].value;
    if (gravities_[choice[kGravity]].fitted) gravity = FitGravity(choice, order, tau, G);
    tau += AsRows(G * gravity, tau.cols());
    if (choice[kSign] == 1) tau = -tau;
    LogRows seen = tau;
    for (size_t i = 0; i < order.from.size(); ++i)
      seen.col(static_cast<Eigen::Index>(i)) = tau.col(order.from[i]);
    return seen;
  }

  double Residual(const Choice& choice) const {
    Eigen::Vector3d gravity;
    return (Torque(choice, gravity) - tau_).norm() / tau_norm_;
  }

  bool MakesNoDifference(const Choice& choice) const {
    Eigen::Vector3d ignored;
    const LogRows plain = Torque(Choice{}, ignored);
    return (Torque(choice, ignored) - plain).norm() <= 1e-10 * std::max(plain.norm(), 1e-300);
  }

  std::vector<std::string> Words(const Choice& choice) const {
    std::vector<std::string> words;
    for (size_t d = 0; d < kDimensions; ++d)
      if (choice[d] > 0) words.push_back(Word(d, choice));
    return words;
  }

  const std::array<size_t, kDimensions>& counts() const { return counts_; }
  // A fitted value can always fit a little better than a round one: it must earn its place.
  bool Fitted(const Choice& choice) const { return gravities_[choice[kGravity]].fitted; }

 private:
  void Arrange(const Order& order, const Angles& angles, const LogRows& q, const LogRows& v,
               const LogRows& a, LogRows& to_q, LogRows& to_v, LogRows& to_a) const {
    for (size_t i = 0; i < order.from.size(); ++i) {
      const auto from = static_cast<Eigen::Index>(i);
      const size_t joint = static_cast<size_t>(order.from[i]);
      if (!model_.permutable[joint]) continue;
      const auto to = static_cast<Eigen::Index>(joint);
      const double position = model_.angular[joint] ? angles.position : 1,
                   rate = model_.angular[joint] ? angles.rate : 1;
      to_q.col(model_.q_column[joint]) = position * q.col(model_.q_column[i]);
      to_v.col(to) = rate * v.col(from);
      to_a.col(to) = rate * a.col(from);
    }
  }

  static LogRows AsRows(const Eigen::VectorXd& stacked, Eigen::Index nv) {
    return Eigen::Map<const LogRows>(stacked.data(), stacked.size() / nv, nv);
  }

  // Least squares of the log against the gravity columns; a little regularised, as some robots do
  // not feel some axis.
  Eigen::Vector3d FitGravity(const Choice& choice, const Order& order, const LogRows& rest,
                             const Eigen::Matrix<double, Eigen::Dynamic, 3>& G) const {
    LogRows wanted = tau_;
    for (size_t i = 0; i < order.from.size(); ++i)
      wanted.col(order.from[i]) = tau_.col(static_cast<Eigen::Index>(i));
    if (choice[kSign] == 1) wanted = -wanted;
    const LogRows missing = wanted - rest;
    const Eigen::Map<const Eigen::VectorXd> b(missing.data(), missing.size());
    const Eigen::Matrix3d N = G.transpose() * G;
    const double ridge = 1e-12 * std::max(N.trace(), 1e-300);
    const Eigen::Matrix3d A = N + ridge * Eigen::Matrix3d::Identity();
    const Eigen::Vector3d r = G.transpose() * b;
    const double det = A.col(0).dot(A.col(1).cross(A.col(2)));
    return Eigen::Vector3d(r.dot(A.col(1).cross(A.col(2))), A.col(0).dot(r.cross(A.col(2))),
                           A.col(0).dot(A.col(1).cross(r))) /
           det;
  }

  std::string Word(size_t dimension, const Choice& choice) const {
    switch (dimension) {
      case kOrder:
        return orders_[choice[kOrder]].words;
      case kAngles:
        return angles_[choice[kAngles]].words;
      case kGravity: {
        if (!gravities_[choice[kGravity]].fitted) return gravities_[choice[kGravity]].words;
        Eigen::Vector3d g;
        Torque(choice, g);
        return absl::StrCat("gravity is ", Fixed(g.x(), 4), " ", Fixed(g.y(), 4), " ",
                            Fixed(g.z(), 4), " m/s^2 (fitted)");
      }
      case kReference:
        return inertias_.references[choice[kReference]];
      case kComponents:
        return inertias_.components[choice[kComponents]];
      case kWrench:
        return choice[kWrench] == 1 ? "the wrench has the opposite sign" : "without the wrench";
      case kFriction:
        return "without friction";
      case kRotor:
        return "without rotor inertia";
      default:
        return "all torques have the opposite sign";
    }
  }

  const LogModel& model_;
  const LogRows& tau_;
  const double tau_norm_;
  const std::vector<Order> orders_;
  const std::vector<Angles> angles_;
  const std::vector<Gravity> gravities_;
  const InertiaMistakes inertias_;
  std::array<size_t, kDimensions> counts_;
  std::map<std::pair<size_t, size_t>, TorqueAnatomy> anatomies_;  // by order and angles
};

struct Candidate {
  Choice choice{};
  double residual = 0;
};

}  // namespace

absl::StatusOr<Verdict> Explain(const LogModel& model, const LogRows& q, const LogRows& v,
                                const LogRows& a, const LogRows& tau, double tolerance,
                                const Ask& ask) {
  Search search(model, tau);
  if (absl::Status status = search.Prepare(q, v, a, ask); !status.ok()) return status;
  Verdict verdict;
  verdict.difference = search.Residual(Choice{});
  verdict.best.residual = verdict.difference;
  verdict.agrees = verdict.difference <= tolerance;
  verdict.combinations = 1;
  if (verdict.agrees) return verdict;

  std::vector<Candidate> singles, pairs;
  for (size_t d = 0; d < kDimensions; ++d)
    for (size_t i = 1; i < search.counts()[d]; ++i) {
      Candidate candidate;
      candidate.choice[d] = i;
      if (search.MakesNoDifference(candidate.choice)) {
        verdict.untestable.push_back(search.Words(candidate.choice)[0]);
        continue;
      }
      candidate.residual = search.Residual(candidate.choice);
      singles.push_back(candidate);
    }
  for (size_t s = 0; s < singles.size(); ++s)
    for (size_t t = s + 1; t < singles.size(); ++t) {
      Candidate pair;
      bool same_dimension = false;
      for (size_t d = 0; d < kDimensions; ++d) {
        same_dimension = same_dimension || (singles[s].choice[d] > 0 && singles[t].choice[d] > 0);
        pair.choice[d] = singles[s].choice[d] + singles[t].choice[d];
      }
      if (same_dimension) continue;
      pair.residual = search.Residual(pair.choice);
      pairs.push_back(pair);
    }
  verdict.combinations += static_cast<int>(singles.size() + pairs.size());

  // From simple to complicated: one more change (or a fitted value) must leave less than two thirds
  // of what is left.
  constexpr double kClearly = 2.0 / 3;
  Candidate best{Choice{}, verdict.difference};
  for (const auto* list : {&singles, &pairs})
    for (const bool fitted : {false, true}) {
      const Candidate* least = nullptr;
      for (const Candidate& candidate : *list)
        if (search.Fitted(candidate.choice) == fitted &&
            (least == nullptr || candidate.residual < least->residual))
          least = &candidate;
      if (least != nullptr && least->residual < kClearly * best.residual &&
          best.residual > tolerance)
        best = *least;
    }
  verdict.best = {search.Words(best.choice), best.residual};
  verdict.explained = best.residual <= 0.05 && best.residual < 0.5 * verdict.difference;
  const size_t changes = verdict.best.changes.size();
  if (changes == 0) return verdict;
  for (const Candidate& candidate : changes == 1 ? singles : pairs)
    if (candidate.choice != best.choice &&
        search.Fitted(candidate.choice) == search.Fitted(best.choice) &&
        candidate.residual <= best.residual * 1.001 + 1e-9)
      verdict.equals.push_back({search.Words(candidate.choice), candidate.residual});
  return verdict;
}

}  // namespace torqued::cli
