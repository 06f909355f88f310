// Files, plots, reports and drive sizing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "client/planning/plan.h"
#include "client/planning/plot.h"
#include "client/planning/size.h"
#include "client/planning/trajectory_file.h"
#include "tests/planning/robots.h"

namespace torqued {
namespace {

using ::testing::HasSubstr;

constexpr double kPi = 3.14159265358979323846;

Trajectory Wave() {
  Trajectory t;
  t.joint_names = {"a", "b"};
  t.q.resize(2, 50), t.v.resize(2, 50), t.a.resize(2, 50), t.tau.resize(2, 50);
  for (int k = 0; k < 50; ++k) {
    const double s = 0.01 * k;
    t.time_s.push_back(s);
    t.q.col(k) << std::sin(3 * s), 0.1 / 3 * k;
    t.v.col(k) << 3 * std::cos(3 * s), 10.0 / 3;
    t.a.col(k) << -9 * std::sin(3 * s), 0;
    t.tau.col(k) << 1.0 / 3, -s;
  }
  return t;
}

TEST(TrajectoryFile, RoundTripIsExact) {
  const Trajectory t = Wave();
  for (TrajectoryFormat format : {TrajectoryFormat::kCsv, TrajectoryFormat::kJson}) {
    const std::string text = WriteTrajectory(t, format, {false, true});
    EXPECT_EQ(GuessFormat(text), format);
    const auto back = ReadTrajectory(text, format);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(back->joint_names, t.joint_names);
    EXPECT_EQ(back->q, t.q);
    EXPECT_EQ(back->v, t.v);
    EXPECT_EQ(back->a, t.a);
    EXPECT_EQ(back->tau, t.tau);
    for (int k = 0; k < 50; ++k) EXPECT_NEAR(back->time_s[k], t.time_s[k], 1e-15);
  }
  EXPECT_THAT(WriteTrajectory(t, TrajectoryFormat::kCsv, {false, true}), HasSubstr("time[s],a.q[rad],b.q[m],a.v[rad/s],b.v[m/s]"));
}

TEST(TrajectoryFile, ReadsWhatOthersWrite) {
  const auto t = ReadTrajectory(
      R"({"trajectory": {"header": {}, "joint_names": ["j"], "points": [
        {"positions": [0], "time_from_start": {"secs": 0, "nsecs": 0}},
        {"positions": [1], "time_from_start": {"secs": 1, "nsecs": 500000000}},
        {"positions": [0], "velocities": [], "time_from_start": 3}]}})", TrajectoryFormat::kJson);
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_EQ(t->time_s[1], 1.5);
  EXPECT_NEAR(t->v(0, 1), 0, 1e-12);
  EXPECT_GT(t->v(0, 0), 0);
}

TEST(TrajectoryFile, MistakesAreNamed) {
  const auto message = [](const char* text) {
    return std::string(ReadTrajectory(text, GuessFormat(text)).status().message());
  };
  EXPECT_THAT(message("{\"joint_names\": [\"a\"]"), HasSubstr("not well formed"));
  EXPECT_THAT(message("{\"joint_names\": [\"a\"], \"points\": [{\"positions\": [1, 2], \"time_from_start\": 0}]}"), HasSubstr("points[0].positions: want 1"));
  EXPECT_THAT(message("{\"joint_names\": [\"a\"], \"points\": [{\"positions\": [1], \"time_from_start\": 0}, {\"positions\": [1], \"time_from_start\": 0}]}"),
              HasSubstr("point 1: time 0"));
  EXPECT_THAT(message("time[s],a.q[rad]\n0,1\n1,x\n"), HasSubstr("CSV line 3, column 2: 'x'"));
  EXPECT_THAT(message("time[s],a.z[rad]\n0,1\n"), HasSubstr("a.z[rad]"));
  EXPECT_THAT(message("time[s],a.q[rad]\n0,nan\n"), HasSubstr("want a number"));
  EXPECT_THAT(message(""), HasSubstr("CSV header"));
}

TEST(Report, EnergyOfALift) {
  // 2 N m held while turning pi/2 in one second, then given back: energy, RMS, power.
  Trajectory t;
  t.joint_names = {"j"};
  const int n = 2001;
  t.q.resize(1, n), t.v.resize(1, n), t.a.resize(1, n), t.tau.resize(1, n);
  for (int k = 0; k < n; ++k) {
    const double s = k * 1e-3, v = kPi / 2 * kPi / 2 * std::sin(kPi * s);
    t.time_s.push_back(s);
    t.q(0, k) = kPi / 4 * (1 - std::cos(kPi * s)), t.v(0, k) = v, t.a(0, k) = 0, t.tau(0, k) = 2;
  }
  MotionLimits limits;
  limits.lower = Eigen::VectorXd::Constant(1, -1);
  limits.upper = limits.velocity = limits.acceleration = limits.jerk = limits.torque = Eigen::VectorXd::Constant(1, 2.02);
  const PlanReport r = BuildReport(t, limits);
  EXPECT_NEAR(r.joints[0].energy, kPi, 1e-4);
  EXPECT_NEAR(r.joints[0].regenerated, kPi, 1e-4);
  EXPECT_NEAR(r.joints[0].rms_torque, 2, 1e-12);
  EXPECT_NEAR(r.joints[0].mean_power, kPi / 2, 1e-4);
  EXPECT_NEAR(r.joints[0].peak_power, kPi * kPi / 2, 1e-6);
  EXPECT_NEAR(r.joints[0].torque_margin, 1 - 2 / 2.02, 1e-12);
  EXPECT_NEAR(r.joints[0].saturated_share, 1, 1e-12);
  EXPECT_THAT(r.violations, ::testing::ElementsAre(HasSubstr("velocity")));
}

TEST(Plot, EveryKindIsASelfContainedPicture) {
  auto source = test::Local(test::TwoLink(35, 12));
  Eigen::VectorXd from(2), to(2);
  from << -kPi / 2, 0;
  to << kPi / 4, -kPi / 3;
  const auto plan = PlanPtp(*source, from, to);
  ASSERT_TRUE(plan.ok());
  const MotionLimits limits = ScaledLimits(source->Facts().value(), {}).value();
  const Eigen::Matrix3Xd tool = Eigen::Matrix3Xd::Random(3, plan->trajectory.sample_count());
  PlotOptions options;
  options.title = "a < b & c";
  for (Plot kind : {Plot::kTorque, Plot::kPhasePlane, Plot::kSpeed, Plot::kPower, Plot::kHand}) {
    const auto svg = PlotTrajectory(kind, plan->trajectory, limits, &*plan->timed, tool, options);
    ASSERT_TRUE(svg.ok()) << svg.status();
    EXPECT_EQ(svg->find("<svg"), 0u);
    EXPECT_THAT(*svg, HasSubstr("a &lt; b &amp; c"));
    EXPECT_THAT(*svg, HasSubstr("</svg>"));
    EXPECT_EQ(svg->find("nan"), std::string::npos);
    EXPECT_EQ(svg->find("inf"), std::string::npos);
    EXPECT_EQ(svg->find("href"), std::string::npos);
  }
  EXPECT_FALSE(PlotTrajectory(Plot::kPhasePlane, plan->trajectory, limits).ok());
}

// 10 kg lifted by a screw of 10 mm lead at 2 m/s^2: torque (F l / 2 pi e) + J a i by hand.
TEST(Size, ScrewByHand) {
  Trajectory t;
  t.joint_names = {"z"};
  t.q.resize(1, 3), t.v.resize(1, 3), t.a.resize(1, 3), t.tau.resize(1, 3);
  t.time_s = {0, 0.5, 1};
  t.q << 0, 0.25, 0.75;
  t.v << 0.1, 0.5, 0.1;
  t.a << 2, 2, -2;
  const double up = 10 * (9.81 + 2), down = 10 * (9.81 - 2);
  t.tau << up, up, down;
  DriveTrain drive;
  drive.name = "z";
  drive.ratio = ScrewRatio(0.01);
  drive.efficiency = 0.9;
  drive.motor.inertia = 1e-5;
  drive.motor.continuous_torque = 0.3;
  drive.motor.peak = {{0, 300, 400}, {0.9, 0.9, 0.3}};
  const auto sizing = SizeDrives(t, {drive});
  ASSERT_TRUE(sizing.ok()) << sizing.status();
  const DriveSizing& r = (*sizing)[0];
  const double i = 2 * kPi / 0.01, inertia = 1e-5 * 2 * i;
  EXPECT_NEAR(r.peak_torque, up / (i * 0.9) + inertia, 1e-12);
  EXPECT_NEAR(r.peak_speed, 0.5 * i, 1e-9);
  const double low = down / (i * 0.9) - inertia, high = up / (i * 0.9) + inertia;
  EXPECT_NEAR(r.rms_torque, std::sqrt(0.75 * high * high + 0.25 * low * low), 1e-12);
  const double curve = 0.9 - 0.6 * (0.5 * i - 300) / 100;
  EXPECT_NEAR(r.curve_margin, 1 - high / curve, 1e-12);
  EXPECT_NEAR(r.speed_margin, 1 - 0.5 * i / 400, 1e-12);
  EXPECT_NEAR(r.inertia_ratio, 10 / (i * i) / 1e-5, 1e-6);
  EXPECT_TRUE(r.sufficient);
}

// Screw and spline on one shaft: nut 1 turns the screw (z = lead/2pi (n1 - n2)), nut 2 turns the spline (rotation = n2).
TEST(Size, CoupledWristKeepsPower) {
  Trajectory t = Wave();  // joints: z [m], rotation
  Eigen::MatrixXd N(2, 2);
  N << 2 * kPi / 0.02, 1, 0, 1;
  std::vector<DriveTrain> drives(2);
  for (DriveTrain& d : drives) {
    d.rotor_in_model = true;
    d.motor.peak = {{0, 1e5}, {1e5, 1e5}};
    d.motor.kind = MotorKind::kStepper;
  }
  SizeOptions options;
  options.actuator_matrix = N;
  const auto sizing = SizeDrives(t, drives, options);
  ASSERT_TRUE(sizing.ok());
  // By hand: tau_z = N11 tau_1, tau_r = tau_1 + tau_2.
  double peak2 = 0;
  for (int k = 0; k < t.sample_count(); ++k) peak2 = std::max(peak2, std::abs(t.tau(1, k) - t.tau(0, k) * 0.02 / (2 * kPi)));
  EXPECT_NEAR((*sizing)[0].peak_torque, 1.0 / 3 * 0.02 / (2 * kPi), 1e-12);
  EXPECT_NEAR((*sizing)[1].peak_torque, peak2, 1e-12);
  options.actuator_matrix << 1, 1, 1, 1;
  EXPECT_THAT(std::string(SizeDrives(t, drives, options).status().message()), HasSubstr("singular"));
  drives[0].motor.peak = {{0, 100}, {1e-6, 1e-6}};
  options.actuator_matrix = N;
  EXPECT_FALSE((*SizeDrives(t, drives, options))[0].sufficient);
}

}  // namespace
}  // namespace torqued
