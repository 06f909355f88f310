// Inputs that broke other planners behave as tests/golden/planning/hard_inputs.json says.
#include "tests/planning/hard_inputs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "client/planning/plan.h"

namespace torqued {
namespace {

using nlohmann::json;
using test::Dry;
using test::HardInputs;
using test::Local;
using test::Numbers;
using test::Portal;

std::vector<AxisState> States(const json& c, const char* p, const char* v, const char* a) {
  std::vector<AxisState> out;
  for (size_t k = 0; k < c.at(p).size(); ++k)
    out.push_back({c[p][k].get<double>(), c.contains(v) ? c[v][k].get<double>() : 0, c.contains(a) ? c[a][k].get<double>() : 0, 0});
  return out;
}

TEST(HardInputs, SCurves) {
  ASSERT_EQ(HardInputs().at("s_curve").size(), 7u);
  for (const json& c : HardInputs()["s_curve"]) {
    SCOPED_TRACE(c.at("name").get<std::string>());
    const std::vector<AxisState> start = States(c, "q0", "v0", "a0"), goal = States(c, "q1", "", "");
    std::vector<AxisLimits> limits;
    for (size_t k = 0; k < goal.size(); ++k) limits.push_back({c["v"][k], c["a"][k], c["j"][k]});
    const auto p = SynchronisedSCurves(start, goal, limits);
    ASSERT_TRUE(p.ok()) << p.status();
    double duration = 0;
    for (size_t k = 0; k < goal.size(); ++k) {
      const Profile& axis = (*p)[k];
      duration = std::max(duration, axis.duration());
      const AxisState end = axis.At(axis.duration());
      EXPECT_EQ(end.p, goal[k].p);
      EXPECT_EQ(end.v, 0);
      EXPECT_NEAR(axis.End().p, goal[k].p, 1e-12 * std::max(1.0, std::abs(goal[k].p)));
      if (c.contains("distance_at_most")) {
        for (int i = 0; i <= 50; ++i)
          EXPECT_NEAR(axis.At(axis.duration() * i / 50).p, goal[k].p, c["distance_at_most"].get<double>());
      }
    }
    if (c.contains("duration")) {
      EXPECT_NEAR(duration, c["duration"].get<double>(), c["tolerance"].get<double>());
    } else {
      EXPECT_LE(duration, c["duration_at_most"].get<double>());
    }
    for (const json& k : c.value("idle", json::array()))
      for (int i = 0; i <= 10; ++i) {
        const AxisState s = (*p)[k.get<int>()].At(duration * i / 10);
        EXPECT_EQ(s.p, start[k.get<int>()].p);
        EXPECT_EQ(s.v, 0);
        EXPECT_EQ(s.a, 0);
      }
  }
}

TEST(HardInputs, JointPaths) {
  ASSERT_EQ(HardInputs().at("joint_path").size(), 3u);
  for (const json& c : HardInputs()["joint_path"]) {
    SCOPED_TRACE(c.at("name").get<std::string>());
    const int joints = static_cast<int>(c["waypoints"][0].size()), points = static_cast<int>(c["waypoints"].size());
    Eigen::MatrixXd w(joints, points);
    for (int k = 0; k < points; ++k) w.col(k) = Numbers(c["waypoints"][k]);
    std::vector<test::ArmLink> links(joints);
    for (test::ArmLink& link : links) link.limits.velocity = c["v"].get<double>(), link.limits.acceleration = c["a"].get<double>();
    auto source = Local(test::Arm(links, test::Shift(0, 0, 0)));
    const auto built = Polyline(w, std::vector<BlendSize>(points, {0, c.value("blend_deviation", 0.0)}));
    ASSERT_TRUE(built.ok()) << built.status();
    TimingOptions options;
    options.intervals = c.value("intervals", 500);
    options.torque_limits = false;
    options.start = PathSpeed(c.value("start_speed", 0.0));
    const auto m = TimePath(*source, built->path, options);
    ASSERT_TRUE(m.ok()) << m.status();
    const double duration = m->timed.duration_s(), want = c["duration"];
    EXPECT_NEAR(duration, want, c["relative"].get<double>() * want);
    const Trajectory& t = m->trajectory;
    EXPECT_NEAR(t.v.col(0).norm(), options.start.value, 1e-3 * options.start.value);
    if (c.contains("stops_at")) {
      const double middle = c["stops_at"].get<double>() * duration;
      EXPECT_NEAR(PathStateAt(m->timed, middle).speed.value, 0, 1e-6);
      // No jump of speed anywhere: differences of velocity keep the acceleration limit.
      for (int k = 0; k + 1 < t.sample_count(); ++k)
        EXPECT_LE((t.v.col(k + 1) - t.v.col(k)).cwiseAbs().maxCoeff(), 1.01 * c["a"].get<double>() * options.cycle_s);
    }
  }
}

TEST(HardInputs, FrictionInTheTorqueWhateverTheParameter) {
  const json& c = HardInputs().at("torque")[0];
  const auto path = JointLine(Numbers(c["from"]), Numbers(c["to"]))->path;
  for (size_t k = 0; k < c["friction"].size(); ++k) {
    auto source = Local(test::TwoLink(c["limit"][0], c["limit"][1], Dry(c["friction"][k][0], c["friction"][k][1])));
    TimingOptions options;
    options.intervals = 500;
    const auto m = TimePath(*source, path, options);
    ASSERT_TRUE(m.ok()) << m.status();
    EXPECT_NEAR(m->timed.duration_s(), c["duration"][k].get<double>(), c["relative"].get<double>() * c["duration"][k].get<double>());
    EXPECT_LE(m->report.worst_torque_ratio, 1.001);
  }
}

TEST(HardInputs, PendulumPassesWhereItCannotHold) {
  const json& c = HardInputs().at("torque")[1];
  const auto path = JointLine(Numbers(c["from"]), Numbers(c["to"]))->path;
  for (size_t k = 0; k < c["limits"].size(); ++k) {
    auto source = Local(test::Pendulum(c["limits"][k]));
    TimingOptions options;
    options.intervals = 500;
    const auto m = TimePath(*source, path, options);
    if (c["duration"][k].is_null()) {
      EXPECT_TRUE(InfeasibilityOf(m.status()).has_value()) << m.status();
      continue;
    }
    ASSERT_TRUE(m.ok()) << m.status();
    const double want = c["duration"][k];
    EXPECT_NEAR(m->timed.duration_s(), want, c["relative"].get<double>() * want);
    EXPECT_EQ(m->timed.not_holdable.empty(), !c["not_holdable"][k].get<bool>());
    // It brakes from its switch on: on the upper half it is fastest there.
    const std::vector<double>&x = m->timed.solution.x, &s = m->timed.grid->s;
    size_t fastest = x.size() / 2;
    for (size_t i = fastest; i < x.size(); ++i)
      if (x[i] > x[fastest]) fastest = i;
    EXPECT_NEAR(s[fastest] + c["from"][0].get<double>(), c["switch_angle"][k].get<double>(), 2 * s.back() / 500);
  }
}

TEST(HardInputs, StopFromMotion) {
  const json& c = HardInputs().at("stop");
  const Eigen::VectorXd v0 = Numbers(c["v0"]), axis_end = Numbers(c["axis_end"]), line_end = Numbers(c["line_end"]);
  for (int k = 0; k < v0.size(); ++k) {
    const auto stop = StopProfile({0, v0(k), 0, 0}, {HUGE_VAL, c["a"], HUGE_VAL});
    ASSERT_TRUE(stop.ok());
    EXPECT_NEAR(stop->goal().p, axis_end(k), 1e-12);
  }
  // On the line: the path's own axis, s = joint 1.
  for (const auto& [jerk, duration] : {std::pair<double, double>{HUGE_VAL, c["line_duration"]}, {c["j"], c["line_duration_with_jerk"]}}) {
    const auto stop = StopProfile({0, v0(0), 0, 0}, {HUGE_VAL, c["a"], jerk});
    ASSERT_TRUE(stop.ok());
    EXPECT_NEAR(stop->duration(), duration, 1e-12);
    if (std::isinf(jerk)) {
      EXPECT_LE((stop->goal().p / v0(0) * v0 - line_end).norm(), 1e-12);
    }
    double before = v0(0);
    for (int i = 1; i <= 100; ++i) {
      const double now = stop->At(duration * i / 100).v;
      EXPECT_GE(now, -1e-15);
      EXPECT_LE(now, before + 1e-15);
      before = now;
    }
  }
}

std::vector<Eigen::Isometry3d, Eigen::aligned_allocator<Eigen::Isometry3d>> Poses(const json& points) {
  std::vector<Eigen::Isometry3d, Eigen::aligned_allocator<Eigen::Isometry3d>> poses;
  for (const json& p : points) poses.push_back(test::Shift(p[0], p[1], p[2]));
  return poses;
}

HandOptions Hand(const json& c) {
  HandOptions o;
  o.follow.task = TaskRows::PositionOnly();
  o.timing.intervals = 400;
  o.timing.tool_speed = c["speed"];
  o.timing.tool_acceleration = c["acceleration"];
  return o;
}

TEST(HardInputs, BlendedCornersForAllRadii) {
  const json& c = HardInputs().at("hand_polyline")[0];
  auto portal = Local(Portal(10, 20));
  const double slow = c["speed_after"], fast = c["speed"], a = c["acceleration"], ratio = c["acceleration_ratio_at_most"];
  const Eigen::VectorXd from = Numbers(c["points"][0]), corner = Numbers(c["points"][1]);
  for (const json& r : c["radii"]) {
    const double radius = r;
    auto hand = HandPolyline(Poses(c["points"]), std::vector<BlendSize>(3, {radius, 0}));
    ASSERT_TRUE(hand.ok()) << hand.status();
    HandOptions options = Hand(c);
    options.timing.caps = {{(corner - from).norm() + radius, hand->length(), slow}};
    const auto plan = PlanHand(*portal, from, *hand, options);
    ASSERT_TRUE(plan.ok()) << radius << plan.status();
    const Trajectory& t = plan->trajectory;
    double nearest = 1, fastest_late = 0;
    for (int k = 0; k < t.sample_count(); ++k) {
      const double from_corner = (t.q.col(k) - corner).norm();
      nearest = std::min(nearest, from_corner);
      EXPECT_LE(t.a.col(k).norm(), a * ratio) << radius;
      EXPECT_LE(t.v.col(k).norm(), 1.001 * fast);
      if (from_corner > radius && t.q(2, k) > 0.7 + 1e-6) fastest_late = std::max(fastest_late, t.v.col(k).norm());
      if (k > 0) {
        EXPECT_GT(t.time_s[k], t.time_s[k - 1]);
      }
    }
    EXPECT_LE(nearest, radius);
    EXPECT_LE(fastest_late, slow * 1.001);
  }
}

TEST(HardInputs, StopsAtTheReversalOnly) {
  const json& c = HardInputs().at("hand_polyline")[1];
  auto portal = Local(Portal(10, 20));
  std::vector<BlendSize> blends;
  for (const json& r : c["radius"]) blends.push_back({r, 0});
  const auto hand = HandPolyline(Poses(c["points"]), blends);
  ASSERT_TRUE(hand.ok());
  const auto plan = PlanHand(*portal, Numbers(c["points"][0]), *hand, Hand(c));
  ASSERT_TRUE(plan.ok()) << plan.status();
  const Trajectory& t = plan->trajectory;
  int stops = 0;
  bool moving = false;
  for (int k = 1; k + 1 < t.sample_count(); ++k) {
    EXPECT_GE(t.time_s[k] - t.time_s[k - 1], c["step_at_least"].get<double>() - 1e-12);
    const bool now = t.v.col(k).norm() > 2e-4;
    if (moving && !now) {
      ++stops;
      EXPECT_NEAR(t.q(1, k), c["stop_only_at_y"].get<double>(), 1e-3);
    }
    moving = now;
  }
  EXPECT_LE(stops, 2);  // the reversal, and the end's last samples
  EXPECT_GE(stops, 1);
}

}  // namespace
}  // namespace torqued
