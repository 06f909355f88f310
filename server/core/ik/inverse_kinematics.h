// Which joint positions put a frame where it is wanted? Closed form with named branches where there is one, else numeric.
//
// The arm's class is read off its axes (chain.h) within 1e-5 (descriptions write pi/2 as 1.5708); a closed form's answer
// is then polished by Newton steps on the true geometry and checked by forward kinematics: what does not reach the
// target within tolerance is not returned as reached. Out of reach, the numeric solver says how near the arm comes.
#pragma once

#include <optional>

#include "server/core/ik/numeric.h"
#include "server/core/ik/planar.h"
#include "server/core/ik/six_revolute.h"

namespace torqued {

// Recognises the arm once; Solve as often as wanted. One per thread; the model must outlive it.
class InverseKinematics {
 public:
  InverseKinematics(const Prepared& m, const BodyFrame& frame)
      : m_(m), frame_(frame), chain_(ExtractChain(m, frame)), numeric_(m, frame) {
    if (!MapJoints()) return;
    if (RecogniseSixArm(chain_, kRecognition, six_)) {
      arm_ = six_.kind;
    } else if (RecogniseParallelArm(chain_, kRecognition, parallel_)) {
      arm_ = parallel_.slide >= 0         ? IkClass::kScara
             : parallel_.turns.size() == 3 ? IkClass::kPlanar3R
                                           : IkClass::kPlanar2R;
    } else if (RecognisePolarArm(chain_, kRecognition)) {
      arm_ = IkClass::kPolarRP;
    }
  }

  IkClass arm() const { return arm_; }

  // REQUIRES: X_WF a rotation and finite; seed and limits, where given, of nq finite (limits: or infinite) values.
  IkAnswer Solve(const Eigen::Isometry3d& X_WF, IkOptions options = {}) {
    IkAnswer out;
    out.arm = arm_;
    const bool places_only = arm_ == IkClass::kPlanar2R || arm_ == IkClass::kPolarRP;
    if (places_only && options.task.whole()) options.task = IkTask::Position();
    out.task = options.task;
    if (options.seed.size() == 0) {
      options.seed.resize(m_.nq);
      SetNeutral(m_, options.seed.data());
    }
    // A closed form places the whole hand: asked for less, most arms have a continuum, and the nearest answer is wanted.
    const bool closed = arm_ != IkClass::kNumeric &&
                        (options.task.whole() || (places_only && options.task.rows() >= 2 && !options.task.turns()) ||
                         (TurnsAboutZ() && options.task.has_position() && options.task.on[5] && !options.task.in_target_axes));
    if (closed) {
      for (const ChainSolution& c : ClosedForm(X_WF, options)) {
        IkSolution s = Finish(c, X_WF, options);
        if (s.reached && !Known(out.solutions, s)) out.solutions.push_back(s);
      }
    }
    if (out.solutions.empty()) {
      IkSolution s = numeric_.Solve(X_WF, options);
      Wrap(options, s.q);
      MarkLimits(options, s);
      out.solutions.push_back(s);
    }
    out.reached = out.solutions.front().reached;
    if (options.drop_outside_limits && out.reached) {
      std::erase_if(out.solutions, [](const IkSolution& s) { return !s.outside_limits.empty(); });
      if (out.solutions.empty()) {
        out.note = "every branch lies outside the joint limits; ";
        IkSolution s = numeric_.Solve(X_WF, options);
        out.reached = s.reached;
        out.solutions.push_back(s);
      }
    }
    Describe(out);
    if (out.reached && !closed && options.task.rows() < static_cast<int>(coordinates_.size()) && out.note.empty())
      out.note = "fewer rows than joints: one of many answers, the first that was found from the seed";
    return out;
  }

 private:
  static constexpr double kRecognition = 1e-5;

  // A planar or SCARA arm whose parallel axes stand upright: x, y, z and the turn about z are all that it has a say in.
  bool TurnsAboutZ() const {
    return (arm_ == IkClass::kScara || arm_ == IkClass::kPlanar3R) && Parallel(chain_.joints[0].axis, Eigen::Vector3d::UnitZ(), kRecognition);
  }

  // A closed form gives joint values of the tree; the user's coordinates follow from the couplings, which must be
  // invertible on the chain. Coordinates off the chain keep the seed's values.
  bool MapJoints() {
    if (!chain_.one_degree) return false;
    rows_.clear();
    std::vector<int> used;
    for (const ChainJoint& j : chain_.joints) {
      Row row;
      if (m_.coupled) {
        for (const Body& b : m_.bodies)
          if (b.q_index == j.q_index && VelocityCount(b.motion) == 1) {
            row.terms = m_.coupling[b.v_index].terms;
            row.offset = m_.coupling[b.v_index].offset;
          }
      } else {
        for (int v = 0; v < m_.nv; ++v)
          if (m_.v_to_q[v] == j.q_index) row.terms = {{v, 1.0}};
      }
      for (const auto& [v, factor] : row.terms)
        if (std::find(used.begin(), used.end(), v) == used.end()) used.push_back(v);
      rows_.push_back(row);
    }
    coordinates_ = used;
    const int n = static_cast<int>(rows_.size());
    if (static_cast<int>(used.size()) != n || n == 0) return false;
    Eigen::MatrixXd B = Eigen::MatrixXd::Zero(n, n);
    for (int i = 0; i < n; ++i)
      for (const auto& [v, factor] : rows_[i].terms)
        B(i, std::find(used.begin(), used.end(), v) - used.begin()) += factor;
    coupling_ = ComputeSvd(B);
    return coupling_.Rank(1e-9 * coupling_.s[0]) == n;
  }

  std::vector<ChainSolution> ClosedForm(const Eigen::Isometry3d& X_WF, const IkOptions& options) const {
    std::vector<double> seed;
    for (const Row& row : rows_) {
      double x = row.offset;
      for (const auto& [v, factor] : row.terms) x += factor * options.seed[m_.v_to_q[v]];
      seed.push_back(x);
    }
    switch (arm_) {
      case IkClass::kSphericalWrist: return SolveSphericalWrist(chain_, six_, X_WF, seed);
      case IkClass::kUr: return SolveUr(chain_, six_, X_WF, seed);
      case IkClass::kPolarRP: return SolvePolarArm(chain_, X_WF, seed);
      case IkClass::kNumeric: return {};
      default: return SolveParallelArm(chain_, parallel_, X_WF, seed);
    }
  }

  IkSolution Finish(const ChainSolution& c, const Eigen::Isometry3d& X_WF, const IkOptions& options) {
    IkSolution s;
    s.branch = c.branch;
    s.degenerate = c.degenerate;
    s.q = options.seed;
    const int n = static_cast<int>(rows_.size());
    Eigen::VectorXd joint(n);
    for (int i = 0; i < n; ++i) joint[i] = c.joint[i] - rows_[i].offset;
    const Eigen::VectorXd p = coupling_.Solve(joint, 0);
    for (int i = 0; i < n; ++i) s.q[m_.v_to_q[coordinates_[i]]] = p[i];
    Wrap(options, s.q);
    Eigen::Matrix<double, 6, 1> e = numeric_.Error(X_WF, s.q);
    if (!NumericIk::Reached(NumericIk::TaskError(X_WF, e, options.task), options) && e.norm() < 100 * kRecognition * std::max(1.0, chain_.size)) {
      IkOptions free = options;
      free.lower.resize(0);
      free.upper.resize(0);
      e = numeric_.Descend(X_WF, free, 20, s.q);
    }
    NumericIk::Judge(X_WF, e, options, s);
    MarkLimits(options, s);
    return s;
  }

  // The same posture by another number of turns: within the limits if possible, then nearest to the seed. Coordinates
  // that move anything but turns in whole ratios stay as they are.
  void Wrap(const IkOptions& options, Eigen::VectorXd& q) const {
    for (int k = 0; k < m_.nv; ++k) {
      if (!Wraps(k)) continue;
      const int p = m_.v_to_q[k];
      const double nearest = q[p] - 2 * M_PI * std::round((q[p] - options.seed[p]) / (2 * M_PI));
      const double low = options.lower.size() > 0 ? options.lower[p] : -HUGE_VAL;
      const double high = options.upper.size() > 0 ? options.upper[p] : HUGE_VAL;
      // From the nearest inward by whole turns; if none is inside, the nearest to the seed stays.
      double x = nearest;
      if (x < low) x += 2 * M_PI * std::ceil((low - x) / (2 * M_PI) - 1e-12);
      if (x > high) x -= 2 * M_PI * std::ceil((x - high) / (2 * M_PI) - 1e-12);
      q[p] = x >= low - 1e-12 && x <= high + 1e-12 ? x : nearest;
    }
  }
  bool Wraps(int k) const {
    for (const Body& b : m_.bodies) {
      if (VelocityCount(b.motion) != 1) {
        if (!m_.coupled && b.v_index <= k && k < b.v_index + VelocityCount(b.motion)) return false;
        continue;
      }
      double factor = m_.coupled ? 0 : (b.v_index == k ? 1 : 0);
      if (m_.coupled)
        for (const auto& [v, f] : m_.coupling[b.v_index].terms)
          if (v == k) factor += f;
      if (factor != 0 && (b.motion != Motion::kRevolute || factor != std::round(factor))) return false;
    }
    return m_.v_to_q[k] < m_.nq && !Grouped(k);
  }
  bool Grouped(int k) const {
    return (k > 0 && m_.v_to_q[k - 1] == m_.v_to_q[k]) || (k + 1 < m_.nv && m_.v_to_q[k + 1] == m_.v_to_q[k]);
  }

  void MarkLimits(const IkOptions& options, IkSolution& s) const {
    for (int k = 0; k < m_.nv; ++k) {
      const int p = m_.v_to_q[k];
      if (Grouped(k)) continue;
      const bool low = options.lower.size() > 0 && s.q[p] < options.lower[p] - 1e-9;
      const bool high = options.upper.size() > 0 && s.q[p] > options.upper[p] + 1e-9;
      if (low || high) s.outside_limits.push_back(p);
    }
  }

  static bool Known(const std::vector<IkSolution>& all, const IkSolution& s) {
    for (const IkSolution& x : all)
      if (x.branch == s.branch) return true;
    return false;
  }

  static void Describe(IkAnswer& out) {
    if (!out.reached) {
      out.note += "not reached; the nearest posture found is given with its errors";
      return;
    }
    for (const IkSolution& s : out.solutions) {
      if (s.degenerate.wrist && out.arm == IkClass::kUr) {
        out.note = "axis six is in line with the parallel axes: joint six is free, the parallel joints follow";
        return;
      }
      if (s.degenerate.wrist) {
        out.note = "axes four and six are in line: only the sum of their turns is fixed, joint four is the seed's";
        return;
      }
      if (s.degenerate.shoulder) {
        out.note = "the target lies where the first joint's branches meet: on its axis any turn of joint one is an answer";
        return;
      }
      if (s.degenerate.elbow) out.note = "the arm is stretched out or folded back: elbow up and down are one";
    }
  }

  struct Row {
    std::vector<std::pair<int, double>> terms;
    double offset = 0;
  };

  const Prepared& m_;
  BodyFrame frame_;
  SerialChain chain_;
  NumericIk numeric_;
  IkClass arm_ = IkClass::kNumeric;
  SixArm six_;
  ParallelArm parallel_;
  std::vector<Row> rows_;         // one per chain joint
  std::vector<int> coordinates_;  // v entries that move the chain
  Svd coupling_;
};

}  // namespace torqued
