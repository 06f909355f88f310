// torquectl plan path: through waypoints, of the joints or of the hand.
#include <absl/strings/str_cat.h>

#include "client/cli/csv.h"
#include "client/cli/goal.h"
#include "client/cli/numbers.h"
#include "client/cli/states.h"
#include "client/cli/verbs/planning_shared.h"
#include "client/cli/verbs/planning_verbs.h"

namespace torqued::cli {
namespace {

using Poses = std::vector<Eigen::Isometry3d, Eigen::aligned_allocator<Eigen::Isometry3d>>;

class PlanPathVerb : public Verb {
 public:
  VerbText Text() const override {
    return {"plan path",
            kPlanning,
            "through waypoints, by a spline or straight with rounded corners",
            {"plan path two-link --via 0,0 --via 0.5,-0.8 --via 1.2,-0.4",
             "plan path ur5e --waypoints way.csv --kind polyline --blend 0.1 --out motion.json",
             "plan path scara --from 0.3,0.8,0.05,0 --hand poses.csv --blend 0.02 --hand-speed 0.5"},
            "--waypoints: a CSV file with a column JOINT.q[rad] (or [deg], [m], [mm]) per joint. --hand: a CSV file with 3 columns (x, y, z; "
            "the hand keeps its rotation) or 7 (x, y, z, qx, qy, qz, qw); the hand starts where --from puts it and goes from there to the first of them."};
  }

  void Declare(OptionSet& options) override {
    mover_.Declare(options);
    options.Group("Way");
    options.Repeated("--via", via_, "Q1,Q2,...", "a waypoint [rad], [m], in order");
    options.Text("--waypoints", file_, "FILE.csv", "waypoints of the joints from a file; - reads standard input");
    options.Text("--hand", hand_, "FILE.csv", "waypoints of the hand [m] from a file; wants --from");
    options.Text("--from", from_, "Q1,Q2,...", "joint positions at the start; with waypoints of the joints: one more in front");
    options.Flag("--deg", degrees_, "angles of --via and --from are in degrees");
    options.Choice("--kind", kind_, {"cubic", "quintic", "polyline"}, "of joint waypoints; default cubic");
    options.Text("--blend", blend_, "R", "polyline, hand: corners are rounded from this far on [rad or m]; default: the robot stops there");
    options.Text("--deviation", deviation_, "D", "polyline, hand: corners are rounded so that the way passes them this near [rad or m]");
    options.Text("--rows", rows_, "x,y,z", "hand: rows of its motion to follow, default those that the robot can");
    timing_.Declare(options, true);
    output_.Declare(options);
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const int ways = (via_.empty() ? 0 : 1) + (file_.empty() ? 0 : 1) + (hand_.empty() ? 0 : 1);
    if (ways != 1)
      return absl::InvalidArgumentError(absl::StrCat(ways == 0 ? "no way" : "more than one way", ": want one of --via, --waypoints, --hand"));
    if (absl::Status status = output_.Check(); !status.ok()) return status;
    const auto timing = timing_.Read();
    if (!timing.ok()) return timing.status();
    const auto blend = Blend();
    if (!blend.ok()) return blend.status();
    if (hand_.empty() && (timing->tool_speed > 0 || timing->tool_acceleration > 0))
      return absl::InvalidArgumentError("--hand-speed, --hand-acceleration: want --hand with them");
    const auto mover = mover_.Read(session);
    if (!mover.ok()) return mover.status();
    if (!hand_.empty()) return RunHand(session, *mover, *timing, *blend);
    const auto way = Waypoints(*mover);
    if (!way.ok()) return way.status();
    PathOptions options;
    options.timing = *timing;
    options.kind = kind_ == "polyline" ? PathKind::kPolyline : kind_ == "quintic" ? PathKind::kQuinticSpline : PathKind::kCubicSpline;
    const bool sized = blend->radius > 0 || blend->max_deviation > 0;
    if (sized && options.kind != PathKind::kPolyline) return absl::InvalidArgumentError("--blend, --deviation: want --kind polyline with it");
    if (sized) options.blends = {*blend};
    return PlanAndShow(session, "plan path", *mover, *timing, output_, [&] { return PlanPath(mover->dynamics(), *way, options); });
  }

 private:
  absl::StatusOr<BlendSize> Blend() const {
    BlendSize size;
    if (!blend_.empty() && !deviation_.empty()) return absl::InvalidArgumentError("--blend and --deviation: want one of them");
    const struct { const char* flag; const std::string& text; double& to; } sizes[] = {{"--blend", blend_, size.radius},
                                                                                       {"--deviation", deviation_, size.max_deviation}};
    for (const auto& each : sizes) {
      if (each.text.empty()) continue;
      const auto value = ParseNumber(each.flag, each.text);
      if (!value.ok()) return value.status();
      if (!(*value > 0)) return absl::InvalidArgumentError(absl::StrCat(each.flag, ": ", each.text, ", want more than 0"));
      each.to = *value;
    }
    return size;
  }

  absl::StatusOr<Eigen::MatrixXd> Waypoints(const Mover& mover) const {
    std::vector<Eigen::VectorXd> points;
    if (!from_.empty()) {
      const auto q = ParseJoints("--from", from_, mover.model, degrees_);
      if (!q.ok()) return q.status();
      points.push_back(*q);
    }
    for (size_t k = 0; k < via_.size(); ++k) {
      const auto q = ParseJoints(absl::StrCat("--via, number ", k + 1), via_[k], mover.model, degrees_);
      if (!q.ok()) return q.status();
      points.push_back(*q);
    }
    if (!file_.empty()) {
      States states;
      if (absl::Status s = ReadStates(file_, mover.model, false, StateOptions::kQ, states); !s.ok()) return s;
      const int n = mover.model.position_count();
      for (int k = 0; k < states.count; ++k) points.emplace_back(Eigen::Map<const Eigen::VectorXd>(states.q.values().data() + k * n, n));
    }
    if (points.size() < 2)
      return absl::InvalidArgumentError(absl::StrCat("waypoints: ", points.size(), ", want 2 or more"));
    Eigen::MatrixXd way(points[0].size(), static_cast<Eigen::Index>(points.size()));
    for (size_t k = 0; k < points.size(); ++k) way.col(static_cast<Eigen::Index>(k)) = points[k];
    return way;
  }

  absl::StatusOr<Exit> RunHand(Session& session, const Mover& mover, const TimingOptions& timing, const BlendSize& blend) const {
    if (!kind_.empty()) return absl::InvalidArgumentError("--kind: the hand's way is a polyline; want --via or --waypoints with it");
    const auto from = ParseJoints("--from", from_, mover.model, degrees_);
    if (!from.ok()) return from.status();
    const auto table = ReadCsv(hand_);
    if (!table.ok()) return table.status();
    if (table->header.size() != 3 && table->header.size() != 7)
      return absl::InvalidArgumentError(
          absl::StrCat(hand_, ": ", table->header.size(), " columns, want 3: x[m],y[m],z[m], or 7: x[m],y[m],z[m],qx,qy,qz,qw"));
    if (table->row_count == 0) return absl::InvalidArgumentError(absl::StrCat(hand_, ": no rows, want at least one"));
    const auto task = RowsFor(session, mover, rows_, *from);
    if (!task.ok()) return task.status();
    HandOptions options;
    options.timing = timing;
    options.follow.task = *task;
    return PlanAndShow(session, "plan path", mover, timing, output_, [&]() -> absl::StatusOr<MotionPlan> {
      const auto start = HandAt(mover, *from);
      if (!start.ok()) return start.status();
      Poses poses = {*start};
      for (int row = 0; row < table->row_count; ++row) {
        Eigen::Isometry3d X = *start;
        if (table->header.size() == 7) {
          std::vector<double> values;
          for (int c = 0; c < 7; ++c) values.push_back(table->At(row, c));
          const auto pose = ParsePose(absl::StrCat(hand_, ", row ", row + 1), values);
          if (!pose.ok()) return pose.status();
          X = *pose;
        } else {
          X.translation() << table->At(row, 0), table->At(row, 1), table->At(row, 2);
        }
        poses.push_back(X);
      }
      const auto hand = HandPolyline(poses, std::vector<BlendSize>(poses.size(), blend));
      if (!hand.ok()) return hand.status();
      return PlanHand(mover.dynamics(), *from, *hand, options);
    });
  }

  MoverOptions mover_;
  TimingFlags timing_;
  MotionOutput output_;
  std::vector<std::string> via_;
  std::string file_, hand_, from_, kind_, blend_, deviation_, rows_;
  bool degrees_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakePlanPath() { return std::make_unique<PlanPathVerb>(); }

}  // namespace torqued::cli
