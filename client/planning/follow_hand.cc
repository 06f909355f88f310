// Joint paths that follow a hand path on one branch.
#include <algorithm>
#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/planning/hand_path.h"
#include "client/planning/infeasible.h"

namespace torqued {
namespace {

constexpr double kRateTolerance = 1e-4;  // of q' midway, relative

struct Node {
  Eigen::VectorXd q, left, right;        // q and q' seen from both sides
  Eigen::MatrixXd J;
  Eigen::VectorXd left_bend, right_bend;  // q''; empty until asked
};

std::string Place(const Eigen::Isometry3d& X) {
  const Eigen::Vector3d p = X.translation();
  return absl::StrFormat("(%.4f, %.4f, %.4f) m", p.x(), p.y(), p.z());
}

class Follower {
 public:
  Follower(DynamicsSource& source, const HandPath& hand, const FollowOptions& options)
      : source_(source), hand_(hand), options_(options) {}

  absl::StatusOr<FollowedPath> Run(const Eigen::VectorXd& q_start) {
    const double length = hand_.length();
    absl::StatusOr<RobotFacts> facts = source_.Facts();
    if (!facts.ok()) return facts.status();
    names_ = facts->joint_names;
    if (q_start.size() != facts->joint_count())
      return absl::InvalidArgumentError(
          absl::StrCat("start: ", q_start.size(), " values, want ", facts->joint_count()));
    absl::StatusOr<FrameAnswer> at = source_.Frames(q_start, true);
    if (!at.ok()) return at.status();
    const double off = TaskError(at->X_WF[0], hand_.PoseAt(0), options_.task).norm();
    if (off > 1e-6)
      return absl::FailedPreconditionError(absl::StrFormat(
          "start: the hand is %.3g m or rad away from where the path begins, %s", off, Place(hand_.PoseAt(0))));
    FollowedPath out;
    if (!(length > 0)) {
      out.path = JointLine(q_start, q_start)->path;
      return out;
    }
    if (absl::Status s = Track(q_start); !s.ok()) return s;
    if (absl::Status s = Refine(out); !s.ok()) return s;
    if (absl::Status s = Build(out); !s.ok()) return s;
    if (absl::Status s = NameBranches(out); !s.ok()) return s;
    return out;
  }

 private:
  // Newton steps at one s from a guess; false where they do not arrive.
  absl::StatusOr<bool> Correct(double s, Eigen::VectorXd& q, Eigen::MatrixXd& J) {
    const Eigen::Isometry3d want = hand_.PoseAt(s);
    for (int step = 0; step < 8; ++step) {
      absl::StatusOr<FrameAnswer> at = source_.Frames(q, true);
      if (!at.ok()) return at.status();
      J = at->J[0];
      const auto e = TaskError(at->X_WF[0], want, options_.task);
      if (e.norm() < 1e-11) return true;
      const Eigen::VectorXd dq = SolveStep(J, e, options_.task, 0);
      if (!dq.allFinite() || dq.norm() > 1) return false;
      q += dq;
      if (step == 7) return e.norm() < 1e-9;
    }
    return false;
  }

  Eigen::VectorXd Rate(const Eigen::MatrixXd& J, double s, Side side) const {
    return SolveStep(J, hand_.TwistAt(s, side), options_.task, 0);
  }

  Node MakeNode(double s, const Eigen::VectorXd& q, const Eigen::MatrixXd& J) const {
    return {q, Rate(J, s, Side::kLeft), Rate(J, s, Side::kRight), J, {}, {}};
  }

  absl::Status Lost(double s, const Eigen::VectorXd& q, const Eigen::VectorXd& rate) const {
    int joint = 0;
    if (rate.size() > 0 && rate.allFinite()) rate.cwiseAbs().maxCoeff(&joint);
    return UnreachableError(absl::StrFormat(
        "the hand path cannot be followed beyond %.1f %% at %s: out of reach or singular there, joint %s would have to jump; a "
        "point-to-point move to the goal is the alternative",
        100 * s / hand_.length(), Place(hand_.PoseAt(s)), names_[joint]));
  }

  // Nodes in steps that the correction follows, no joint moving more than 0.2 per step.
  absl::Status Track(const Eigen::VectorXd& q_start) {
    const double length = hand_.length();
    std::vector<double> marks;
    for (const Break& b : hand_.point->breaks()) marks.push_back(b.s);
    for (const HandPath::Turn& t : hand_.turns) marks.push_back(t.s_from), marks.push_back(t.s_to);
    marks.push_back(length);
    std::sort(marks.begin(), marks.end());
    Eigen::VectorXd q = q_start;
    Eigen::MatrixXd J;
    absl::StatusOr<bool> ok = Correct(0, q, J);
    if (!ok.ok()) return ok.status();
    nodes_[0] = MakeNode(0, q_start, J);
    double s = 0, h = length / 32;
    q = q_start;
    while (s < length) {
      const auto mark = std::upper_bound(marks.begin(), marks.end(), s + 1e-12 * length);
      const double limit = mark == marks.end() ? length : *mark;
      const Eigen::VectorXd rate = nodes_[s].right;
      const double fastest = rate.allFinite() ? rate.lpNorm<Eigen::Infinity>() : HUGE_VAL;
      if (fastest > options_.max_joint_rate) return Lost(s, q, rate);
      const double step = std::min({h, 0.2 / std::max(fastest, 1e-9), limit - s});
      const double next = s + step > limit - 1e-9 * length ? limit : s + step;
      Eigen::VectorXd guess = q + (next - s) * rate;
      const Eigen::VectorXd predicted = guess;
      ok = Correct(next, guess, J);
      if (!ok.ok()) return ok.status();
      if (!*ok || (guess - predicted).lpNorm<Eigen::Infinity>() > 0.1) {
        h = 0.5 * step;
        if (h < 1e-7 * length) return Lost(s, q, rate);
        continue;
      }
      // A direction that the arm has lost: the rates do not give the hand's motion.
      Node node = MakeNode(next, guess, J);
      auto missing = (J * node.left - hand_.TwistAt(next, Side::kLeft)).eval();
      for (int r = 0; r < 6; ++r)
        if (!options_.task.on[r]) missing[r] = 0;
      if (node.left.lpNorm<Eigen::Infinity>() > options_.max_joint_rate) return Lost(next, guess, node.left);
      if (missing.norm() > 1e-4 * hand_.TwistAt(next, Side::kLeft).norm()) return Lost(next, guess, node.left);
      nodes_[next] = std::move(node);
      q = guess;
      s = next;
      h = std::min(1.5 * h, length / 32);
      if (static_cast<int>(nodes_.size()) > options_.max_nodes) return Lost(s, q, rate);
    }
    return absl::OkStatus();
  }

  // Halves intervals, all at once, until the hand is within tolerance midway.
  absl::Status Refine(FollowedPath& out) {
    for (int round = 0; round < 12; ++round) {
      if (absl::Status s = Bend(); !s.ok()) return s;
      const std::shared_ptr<const Path> path = Fit();
      std::vector<double> middle;
      for (auto it = nodes_.begin(); std::next(it) != nodes_.end(); ++it)
        if (!settled_.count(it->first) || settled_[it->first] != std::next(it)->first)
          middle.push_back(0.5 * (it->first + std::next(it)->first));
      if (middle.empty()) break;
      const int n = static_cast<int>(names_.size());
      Eigen::MatrixXd q(n, middle.size()), dq(q);
      Eigen::VectorXd ddq(n);
      for (size_t k = 0; k < middle.size(); ++k)
        path->Evaluate(middle[k], Side::kRight, q.col(k).data(), dq.col(k).data(), ddq.data());
      absl::StatusOr<FrameAnswer> at = source_.Frames(q, true);
      if (!at.ok()) return at.status();
      std::vector<size_t> split;
      for (size_t k = 0; k < middle.size(); ++k) {
        const double e = TaskError(at->X_WF[k], hand_.PoseAt(middle[k]), options_.task).norm();
        auto after = nodes_.upper_bound(middle[k]);
        // The rates, too: timing lives on q' and q''.
        const Eigen::VectorXd rate = Rate(at->J[k], middle[k], Side::kRight);
        const double rate_error = (dq.col(k) - rate).lpNorm<Eigen::Infinity>();
        if (e > options_.tolerance || rate_error > kRateTolerance * rate.lpNorm<Eigen::Infinity>()) {
          split.push_back(k);
        } else {
          settled_[std::prev(after)->first] = after->first;
          out.residual = std::max(out.residual, e);
        }
      }
      if (split.empty()) break;
      if (static_cast<int>(nodes_.size() + split.size()) > options_.max_nodes)
        return Lost(middle[split[0]], q.col(split[0]), nodes_.begin()->second.right);
      // Newton's steps for all new nodes in batches.
      Eigen::MatrixXd fresh(n, split.size());
      for (size_t k = 0; k < split.size(); ++k) fresh.col(k) = q.col(split[k]);
      for (int step = 0; step < 3; ++step) {
        at = source_.Frames(fresh, true);
        if (!at.ok()) return at.status();
        for (size_t k = 0; k < split.size(); ++k) {
          const double s = middle[split[k]];
          if (step == 2) nodes_[s] = MakeNode(s, fresh.col(k), at->J[k]);
          else fresh.col(k) += SolveStep(at->J[k], TaskError(at->X_WF[k], hand_.PoseAt(s), options_.task), options_.task, 0);
        }
      }
    }
    return absl::OkStatus();
  }

  // q'' of all nodes that lack it: J q'' = d/ds twist - (dJ/ds) q', the derivative of J by central differences along q'.
  absl::Status Bend() {
    std::vector<std::pair<double, Node*>> open;
    for (auto& [s, node] : nodes_)
      if (node.right_bend.size() == 0) open.emplace_back(s, &node);
    if (open.empty()) return absl::OkStatus();
    Eigen::MatrixXd q(names_.size(), 4 * open.size());
    std::vector<double> step(2 * open.size());
    for (size_t k = 0; k < open.size(); ++k)
      for (int side = 0; side < 2; ++side) {
        const Eigen::VectorXd& rate = side == 0 ? open[k].second->left : open[k].second->right;
        const double h = 1e-5 / std::max(rate.lpNorm<Eigen::Infinity>(), 1e-9);
        step[2 * k + side] = h;
        q.col(4 * k + 2 * side) = open[k].second->q + h * rate;
        q.col(4 * k + 2 * side + 1) = open[k].second->q - h * rate;
      }
    absl::StatusOr<FrameAnswer> at = source_.Frames(q, true);
    if (!at.ok()) return at.status();
    for (size_t k = 0; k < open.size(); ++k)
      for (int side = 0; side < 2; ++side) {
        Node& node = *open[k].second;
        const Eigen::VectorXd& rate = side == 0 ? node.left : node.right;
        const Eigen::Matrix<double, 6, 1> turn =
            (at->J[4 * k + 2 * side] - at->J[4 * k + 2 * side + 1]) * rate / (2 * step[2 * k + side]);
        const Eigen::Matrix<double, 6, 1> want =
            hand_.TwistRateAt(open[k].first, side == 0 ? Side::kLeft : Side::kRight) - turn;
        (side == 0 ? node.left_bend : node.right_bend) = SolveStep(node.J, want, options_.task, 0);
      }
    return absl::OkStatus();
  }

  std::shared_ptr<const Path> Fit() const {
    std::vector<double> knots;
    std::vector<PolynomialPath::Piece> pieces;
    const Node* before = nullptr;
    Eigen::MatrixXd q(names_.size(), 2), d(q), e(q);
    for (const auto& [s, node] : nodes_) {
      if (before) {
        q << before->q, node.q;
        d << before->right, node.left;
        e << before->right_bend, node.left_bend;
        pieces.push_back(HermitePiece(s - knots.back(), q, d, e));
      }
      knots.push_back(s);
      before = &node;
    }
    return std::make_shared<PolynomialPath>(std::move(knots), std::move(pieces), /*fitted=*/true);
  }

  absl::Status Build(FollowedPath& out) {
    if (absl::Status s = Bend(); !s.ok()) return s;
    out.path = Fit();
    double top = 0, mean = 0;
    std::string joint;
    for (const auto& [s, node] : nodes_) {
      int j = 0;
      const double fastest = node.right.cwiseAbs().maxCoeff(&j);
      mean += fastest / static_cast<double>(nodes_.size());
      if (fastest > top) top = fastest, joint = names_[j];
    }
    if (top > 8 * std::max(mean, 1e-12) || top > 40)
      out.warnings.push_back(absl::StrFormat(
          "near a singularity: joint %s turns %.0f rad per unit of path, the hand slows down there", joint, top));
    return absl::OkStatus();
  }

  absl::Status NameBranches(FollowedPath& out) {
    const auto name = [&](double s, const Eigen::VectorXd& q, std::string& branch) -> absl::Status {
      absl::StatusOr<PoseAnswer> answer = source_.InverseKinematics(hand_.PoseAt(s), q);
      if (!answer.ok()) return answer.status();
      for (const PoseSolution& solution : answer->solutions)
        if ((solution.q - q).lpNorm<Eigen::Infinity>() < 1e-5 && solution.branch != "numeric") branch = solution.branch;
      return absl::OkStatus();
    };
    absl::Status status = name(0, nodes_.begin()->second.q, out.branch_start);
    status.Update(name(hand_.length(), nodes_.rbegin()->second.q, out.branch_end));
    if (status.ok() && out.branch_start != out.branch_end && !out.branch_start.empty() && !out.branch_end.empty())
      out.warnings.push_back(
          absl::StrCat("the branch changes along the path, from ", out.branch_start, " to ", out.branch_end));
    return status;
  }

  DynamicsSource& source_;
  const HandPath& hand_;
  const FollowOptions& options_;
  std::vector<std::string> names_;
  std::map<double, Node> nodes_;
  std::map<double, double> settled_;  // intervals found good
};

}  // namespace

absl::StatusOr<FollowedPath> FollowHand(DynamicsSource& source, const HandPath& hand, const Eigen::VectorXd& q_start,
                                        const FollowOptions& options) {
  return Follower(source, hand, options).Run(q_start);
}

}  // namespace torqued
