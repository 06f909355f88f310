// Torques at the joint, after the gear and at the motor, told in several ways that must agree; a point carried between moving
// frames against differences over time; rows of inverse kinematics. In process.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <sstream>

#include "server/service/engine.h"

namespace torqued {
namespace {

using Values = std::vector<double>;

class Places : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = Engine::Open({});
    ASSERT_TRUE(opened.ok()) << opened.status();
    engine_ = std::move(*opened);
    for (const char* id : {"puma560", "scara", "two-link"}) {
      std::ifstream file(std::string("deploy/robots/") + id + ".yaml");
      std::stringstream text;
      text << file.rdbuf();
      v1::CreateModelRequest request;
      request.set_model_id(id);
      request.mutable_source()->set_text(text.str());
      v1::CreateModelResponse response;
      ASSERT_TRUE(engine_->Ask(request, &response).ok()) << id;
    }
  }

  template <class Request>
  static Request About(const std::string& model, v1::EffortPlace place = v1::EFFORT_PLACE_UNSPECIFIED) {
    Request request;
    request.mutable_context()->set_model("models/" + model);
    request.mutable_context()->set_effort_place(place);
    return request;
  }
  static void Put(const Values& from, v1::JointVectors* to) { to->mutable_values()->Add(from.begin(), from.end()); }

  template <class Request>
  static Request Moving(const std::string& model, v1::EffortPlace place, const Values& q, const Values& v) {
    auto request = About<Request>(model, place);
    Put(q, request.mutable_positions());
    Put(v, request.mutable_velocities());
    return request;
  }

  Values InverseDynamics(const std::string& model, v1::EffortPlace place, const Values& q, const Values& v, const Values& a) {
    auto request = Moving<v1::ComputeInverseDynamicsRequest>(model, place, q, v);
    Put(a, request.mutable_accelerations());
    v1::ComputeInverseDynamicsResponse response;
    const absl::Status status = engine_->Ask(request, &response);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(response.info().effort_place(), place == v1::EFFORT_PLACE_JOINT ? v1::EFFORT_PLACE_UNSPECIFIED : place);
    return {response.efforts().values().begin(), response.efforts().values().end()};
  }

  std::unique_ptr<Engine> engine_;
};

struct State {
  std::string model;
  Values q, v, a;
};
const State kPuma{"puma560", {.2, .8, -2.9, .4, .7, -.3}, {1, -2, 3, -1, 2, .5}, {2, 3, -4, 5, -6, 7}};
const State kScara{"scara", {.3, -.8, .1, .5}, {1, -2, .3, -1}, {2, 3, -.4, 5}};

constexpr std::array kPlaces = {v1::EFFORT_PLACE_JOINT, v1::EFFORT_PLACE_GEAR, v1::EFFORT_PLACE_MOTOR};

TEST_F(Places, TheBreakdownAddsUpToTheTorqueAtEveryPlace) {
  for (const State& s : {kPuma, kScara})
    for (const v1::EffortPlace place : kPlaces) {
      const Values want = InverseDynamics(s.model, place, s.q, s.v, s.a);
      auto request = Moving<v1::ComputeTorqueBreakdownRequest>(s.model, place, s.q, s.v);
      Put(s.a, request.mutable_accelerations());
      v1::ComputeTorqueBreakdownResponse response;
      ASSERT_TRUE(engine_->Ask(request, &response).ok());
      ASSERT_EQ(response.joints_size(), static_cast<int>(want.size()));
      for (size_t k = 0; k < want.size(); ++k) {
        double sum = 0, size = 1e-9;
        for (const auto& term : response.joints(static_cast<int>(k)).terms()) sum += term.effort(), size += std::abs(term.effort());
        EXPECT_NEAR(sum, want[k], 1e-11 * size) << s.model << " place " << place << " entry " << k;
      }
    }
}

TEST_F(Places, TheEquationOfMotionHoldsAtEveryPlace) {
  for (const State& s : {kPuma, kScara})
    for (const v1::EffortPlace place : kPlaces) {
      if (s.model == "scara" && place == v1::EFFORT_PLACE_MOTOR) continue;  // its gears lose power: not linear
      const Values want = InverseDynamics(s.model, place, s.q, s.v, s.a);
      auto request = Moving<v1::ComputeEquationOfMotionRequest>(s.model, place, s.q, s.v);
      for (const auto part : {v1::EQUATION_PART_MASS_MATRIX, v1::EQUATION_PART_VELOCITY_TORQUE, v1::EQUATION_PART_GRAVITY,
                              v1::EQUATION_PART_FRICTION, v1::EQUATION_PART_SPRINGS})
        request.add_parts(part);
      v1::ComputeEquationOfMotionResponse r;
      const absl::Status status = engine_->Ask(request, &r);
      ASSERT_TRUE(status.ok()) << status;
      const int n = static_cast<int>(want.size());
      for (int i = 0; i < n; ++i) {
        double tau = r.velocity_torque().values(i) + r.gravity().values(i) + r.friction().values(i) + r.springs().values(i);
        for (int j = 0; j < n; ++j) tau += r.mass_matrix().values(i * n + j) * s.a[static_cast<size_t>(j)];
        EXPECT_NEAR(tau, want[static_cast<size_t>(i)], 1e-10 * (1 + std::abs(tau))) << s.model << " place " << place;
      }
    }
}

// At rest no motor friction, no rotor: after the gear as at the joint, at the motor over the ratio.
TEST_F(Places, StaticTorque) {
  auto request = About<v1::ComputeStaticTorqueRequest>("puma560");
  Put(kPuma.q, request.mutable_positions());
  v1::ComputeStaticTorqueResponse joint, gear, motor;
  ASSERT_TRUE(engine_->Ask(request, &joint).ok());
  request.mutable_context()->set_effort_place(v1::EFFORT_PLACE_GEAR);
  ASSERT_TRUE(engine_->Ask(request, &gear).ok());
  request.mutable_context()->set_effort_place(v1::EFFORT_PLACE_MOTOR);
  ASSERT_TRUE(engine_->Ask(request, &motor).ok());
  const double ratio[] = {-62.6111, 107.815, -53.7063, 76.0364, 71.923, 76.686};
  for (int k = 0; k < 6; ++k) {
    EXPECT_DOUBLE_EQ(gear.efforts().values(k), joint.efforts().values(k));
    EXPECT_DOUBLE_EQ(motor.efforts().values(k), joint.efforts().values(k) / ratio[k]);
  }
}

TEST_F(Places, RefusedWhereNothingIsSaidAboutMotorsAndWhereNoTorqueIsTold) {
  auto plain = About<v1::ComputeStaticTorqueRequest>("two-link", v1::EFFORT_PLACE_MOTOR);
  Put({0, 0}, plain.mutable_positions());
  v1::ComputeStaticTorqueResponse s;
  EXPECT_EQ(engine_->Ask(plain, &s).code(), absl::StatusCode::kFailedPrecondition);
  auto energy = About<v1::ComputeEnergyRequest>("puma560", v1::EFFORT_PLACE_GEAR);
  Put(kPuma.q, energy.mutable_positions());
  v1::ComputeEnergyResponse e;
  EXPECT_EQ(engine_->Ask(energy, &e).code(), absl::StatusCode::kInvalidArgument);
}

// A point runs along the tool while the arm moves; link2, which moves too, looks at it.
TEST_F(Places, APointCarriedBetweenMovingFrames) {
  const Values p = {.1, -.05, .2}, u = {.3, .2, -.1}, w = {1, -2, .5};
  const auto ask = [&](double t, bool rates, const std::string& observer) {
    auto request = About<v1::ComputeForwardKinematicsRequest>("puma560");
    Values q = kPuma.q, at = p;
    for (size_t i = 0; i < q.size(); ++i) q[i] += kPuma.v[i] * t + .5 * kPuma.a[i] * t * t;
    for (size_t i = 0; i < 3; ++i) at[i] += u[i] * t + .5 * w[i] * t * t;
    Put(q, request.mutable_positions());
    const auto put = [](const Values& x, v1::Vector3* to) { to->set_x(x[0]), to->set_y(x[1]), to->set_z(x[2]); };
    put(at, request.mutable_point()->mutable_position());
    if (rates) {
      Put(kPuma.v, request.mutable_velocities());
      Put(kPuma.a, request.mutable_accelerations());
      put(u, request.mutable_point()->mutable_velocity());
      put(w, request.mutable_point()->mutable_acceleration());
    }
    request.set_observer(observer);
    v1::ComputeForwardKinematicsResponse response;
    const absl::Status status = engine_->Ask(request, &response);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(response.points_size(), 9);
    return Values(response.points().begin(), response.points().end());
  };
  for (const char* observer : {"", "link2", "link5"}) {
    const double h = 1e-3;
    const Values now = ask(0, true, observer), plus = ask(h, false, observer), minus = ask(-h, false, observer),
                 far_plus = ask(2 * h, false, observer), far_minus = ask(-2 * h, false, observer);
    for (size_t i = 0; i < 3; ++i) {
      const double rate = (8 * (plus[i] - minus[i]) - (far_plus[i] - far_minus[i])) / (12 * h);
      const double bend = (16 * (plus[i] + minus[i]) - (far_plus[i] + far_minus[i]) - 30 * now[i]) / (12 * h * h);
      EXPECT_NEAR(now[3 + i], rate, 1e-7) << observer;
      EXPECT_NEAR(now[6 + i], bend, 1e-5) << observer;
    }
  }
}

TEST_F(Places, RowsOfInverseKinematics) {
  auto request = About<v1::ComputeInverseKinematicsRequest>("puma560");
  for (const double x : {.4, .1, .2, .6, .8, 0.0, 0.0}) request.mutable_poses()->add_values(x);
  for (const int row : {0, 1, 2, 3, 4}) request.mutable_task()->add_rows(row);
  request.set_expression(v1::EXPRESSION_BODY);
  v1::ComputeInverseKinematicsResponse response;
  absl::Status status = engine_->Ask(request, &response);
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_TRUE(response.results(0).reached()) << response.results(0).message();
  ASSERT_EQ(response.results(0).solutions(0).task_errors_size(), 5);
  for (const double e : response.results(0).solutions(0).task_errors()) EXPECT_NEAR(e, 0, 1e-9);
  request.set_expression(v1::EXPRESSION_SPATIAL);
  EXPECT_EQ(engine_->Ask(request, &response).code(), absl::StatusCode::kInvalidArgument);
  request.set_expression(v1::EXPRESSION_BODY);
  request.mutable_task()->add_rows(3);
  EXPECT_EQ(engine_->Ask(request, &response).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace torqued
