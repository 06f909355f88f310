// A sweep in process: closed forms, a brute-force twin, the same answer on any number of threads, cancelling.
#include "server/service/sweep/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

#include "server/service/engine.h"
#include "server/service/sweep/random.h"
#include "tests/contract/robots.h"

namespace torqued {
namespace {

using ::testing::HasSubstr;
constexpr double kG = 9.81, kPi = 3.141592653589793;

// A point mass of 2 kg, 0.5 m from a horizontal axis; q = 0 is horizontal: tau = m l^2 a + m g l cos q.
constexpr char kPendulum[] =
    "<robot name='pendulum'><link name='base'/><link name='bob'><inertial><origin xyz='0.5 0 0'/><mass value='2'/>"
    "<inertia ixx='0' ixy='0' ixz='0' iyy='0' iyz='0' izz='0'/></inertial></link>"
    "<joint name='swing' type='revolute'><parent link='base'/><child link='bob'/><axis xyz='0 -1 0'/>"
    "<limit lower='-2' upper='3' velocity='4' effort='8'/></joint></robot>";

class SweepTest : public ::testing::Test {
 protected:
  SweepTest() : engine_(std::move(*Engine::Open({}))) {
    for (const auto& [id, text] : {std::pair<std::string, std::string>{"pendulum", kPendulum}, {"two", testing::TwoLink()}}) {
      v1::CreateModelRequest request;
      request.set_model_id(id);
      request.mutable_source()->set_text(text);
      v1::CreateModelResponse response;
      EXPECT_TRUE(engine_->Ask(request, &response).ok());
    }
  }

  EntryPtr Entry(const std::string& id) { return *engine_->registry().FindEntry("", "models/" + id); }

  absl::StatusOr<v1::SweepResponse> Run(const std::string& id, const v1::SweepRequest& request, int threads = 1) {
    const auto sweep = Sweep::Start(Entry(id), request);
    if (!sweep.ok()) return sweep.status();
    if (absl::Status s = RunSweep(**sweep, threads, nullptr, nullptr); !s.ok()) return s;
    v1::SweepResponse response;
    (*sweep)->Answer(&response);
    response.clear_seconds();
    return response;
  }

  static v1::SweepRequest Box(std::int64_t samples, std::uint64_t seed = 1) {
    v1::SweepRequest request;
    request.mutable_box()->set_samples(samples);
    request.mutable_box()->set_seed(seed);
    return request;
  }

  std::unique_ptr<Engine> engine_;
};

TEST_F(SweepTest, APendulumsExtremesAreTheClosedForms) {
  v1::SweepRequest request = Box(3000);
  request.mutable_box()->mutable_range()->mutable_lower_accelerations()->add_values(-1);
  request.mutable_box()->mutable_range()->mutable_upper_accelerations()->add_values(3);
  const auto answer = Run("pendulum", request);
  ASSERT_TRUE(answer.ok()) << answer.status();
  ASSERT_EQ(answer->cases_size(), 1);
  const auto& swing = answer->cases(0).columns(0);
  EXPECT_EQ(swing.name(), "swing");
  // Greatest at q = 0, a = 3 (inside the box and at its edge), least at q = 3 (cos 3 < cos -2), a = -1.
  EXPECT_NEAR(swing.maximum().value(), 2 * 0.25 * 3 + 2 * kG * 0.5, 1e-12);
  EXPECT_NEAR(swing.maximum().positions().values(0), 0, 1e-6);
  EXPECT_EQ(swing.maximum().accelerations().values(0), 3);
  EXPECT_TRUE(swing.maximum().refined());
  EXPECT_NEAR(swing.minimum().value(), -2 * 0.25 + 2 * kG * 0.5 * std::cos(3), 1e-12);
  EXPECT_LT(swing.maximum().sampled_value(), swing.maximum().value());
  EXPECT_EQ(swing.limit(), 8);
  EXPECT_EQ(answer->done(), 3000);
  EXPECT_EQ(answer->total(), 3000);
}

TEST_F(SweepTest, AGridsMeansAreSumsOverIt) {
  v1::SweepRequest request;
  request.mutable_grid()->add_points(101);
  request.add_percentiles(50);
  request.set_histogram_bins(10);
  request.set_omit_refinement(true);
  const auto answer = Run("pendulum", request);
  ASSERT_TRUE(answer.ok()) << answer.status();
  std::vector<double> values;
  for (int i = 0; i <= 100; ++i) values.push_back(2 * kG * 0.5 * std::cos(-2 + 0.05 * i));
  double sum = 0, squares = 0;
  int beyond = 0;
  for (const double x : values) sum += x, squares += x * x, beyond += std::abs(x) > 8;
  const auto& swing = answer->cases(0).columns(0);
  EXPECT_NEAR(swing.mean(), sum / 101, 1e-13);
  EXPECT_NEAR(swing.rms(), std::sqrt(squares / 101), 1e-13);
  EXPECT_EQ(swing.beyond_count(), beyond);
  EXPECT_EQ(swing.maximum().value(), *std::max_element(values.begin(), values.end()));
  EXPECT_EQ(swing.maximum().sample(), 40);
  EXPECT_FALSE(swing.maximum().refined());
  std::sort(values.begin(), values.end());
  EXPECT_NEAR(swing.percentiles(0), values[50], (values[100] - values[0]) * 1.2 / 2048 + (values[51] - values[49]));
  ASSERT_EQ(swing.histogram_size(), 10);
  EXPECT_EQ(std::accumulate(swing.histogram().begin(), swing.histogram().end(), std::int64_t{0}), 101);
}

TEST_F(SweepTest, AnswersAreTheSameOnAnyNumberOfThreads) {
  v1::SweepRequest request = Box(150000, 7);
  request.mutable_box()->mutable_range()->set_velocity_limits(true);
  for (const double mass : {0.0, 1.5}) request.add_payloads()->set_mass(mass);
  request.add_percentiles(99);
  request.set_histogram_bins(64);
  std::string first;
  for (const int threads : {1, 2, 3}) {
    const auto answer = Run("two", request, threads);
    ASSERT_TRUE(answer.ok()) << answer.status();
    if (threads == 1) first = answer->SerializeAsString();
    EXPECT_TRUE(answer->SerializeAsString() == first) << threads << " threads";
  }
}

// The same states one by one through the ordinary call.
TEST_F(SweepTest, ABruteForceTwinFindsTheSame) {
  constexpr int kSamples = 5000;
  constexpr std::uint64_t kSeed = 99;
  SCOPED_TRACE("seed 99");
  v1::SweepRequest request = Box(kSamples, kSeed);
  request.mutable_box()->mutable_range()->set_velocity_limits(true);
  auto* load = request.add_payloads();
  load->set_mass(2);
  load->set_frame("fore");
  load->mutable_center_of_mass()->set_x(1);
  request.mutable_context()->add_terms(v1::TERM_GRAVITY);
  request.mutable_context()->add_terms(v1::TERM_VELOCITY);
  request.add_limits(10);
  request.add_limits(5);
  request.set_omit_refinement(true);
  const auto answer = Run("two", request);
  ASSERT_TRUE(answer.ok()) << answer.status();

  v1::ComputeInverseDynamicsRequest twin;
  *twin.mutable_context() = request.context();
  twin.mutable_context()->set_model("models/two");
  *twin.mutable_context()->add_payloads() = *load;
  const sweep::CounterRandom random(kSeed);
  for (std::uint64_t i = 0; i < kSamples; ++i)
    for (std::uint64_t k = 0; k < 4; ++k) {
      const double bound = k < 2 ? 3 : 2;
      (k < 2 ? twin.mutable_positions() : twin.mutable_velocities())
          ->add_values(-bound + 2 * bound * random.Uniform(4 * i + k));
    }
  v1::ComputeInverseDynamicsResponse efforts;
  ASSERT_TRUE(engine_->Ask(twin, &efforts).ok());
  for (int k = 0; k < 2; ++k) {
    const auto& column = answer->cases(0).columns(k);
    double low = HUGE_VAL, high = -HUGE_VAL, sum = 0;
    int low_at = 0, beyond = 0;
    for (int i = 0; i < kSamples; ++i) {
      const double x = efforts.efforts().values(2 * i + k);
      if (x < low) low = x, low_at = i;
      high = std::max(high, x);
      sum += x;
      beyond += std::abs(x) > request.limits(k);
    }
    EXPECT_NEAR(column.minimum().value(), low, 1e-12 * std::abs(low));
    EXPECT_EQ(column.minimum().sample(), low_at);
    EXPECT_NEAR(column.maximum().value(), high, 1e-12 * high);
    EXPECT_NEAR(column.mean(), sum / kSamples, 1e-12 * high);
    EXPECT_EQ(column.beyond_count(), beyond);
  }
}

// What is reported at a state is what the ordinary call says there.
TEST_F(SweepTest, ExtremesAreWhatABatchCallSaysThere) {
  v1::SweepRequest request = Box(120000, 3);  // enough for machine code
  request.mutable_box()->mutable_range()->set_velocity_limits(true);
  const auto answer = Run("two", request, 2);
  ASSERT_TRUE(answer.ok()) << answer.status();
  for (int k = 0; k < 2; ++k)
    for (const auto* extreme : {&answer->cases(0).columns(k).minimum(), &answer->cases(0).columns(k).maximum()}) {
      v1::ComputeInverseDynamicsRequest question;
      question.mutable_context()->set_model("models/two");
      *question.mutable_positions() = extreme->positions();
      *question.mutable_velocities() = extreme->velocities();
      *question.mutable_accelerations() = extreme->accelerations();
      v1::ComputeInverseDynamicsResponse response;
      ASSERT_TRUE(engine_->Ask(question, &response).ok());
      EXPECT_NEAR(extreme->value(), response.efforts().values(k), 1e-12 * std::abs(extreme->value()));
      EXPECT_GE(std::abs(extreme->value()), std::abs(extreme->sampled_value()));
    }
}

// tau = (m l + M) g cos q with a load M at 1 m: the limit of 8 Nm is below what the bob alone takes; 20 Nm leaves
// (20 - 9.81) / 9.81 kg.
TEST_F(SweepTest, APayloadMarginIsTheClosedForm) {
  v1::SweepRequest request = Box(2000);
  request.set_quantity(v1::SweepRequest::QUANTITY_PAYLOAD_MARGIN);
  request.mutable_margin_point()->set_x(1);
  request.add_limits(20);
  auto answer = Run("pendulum", request);
  ASSERT_TRUE(answer.ok()) << answer.status();
  ASSERT_EQ(answer->cases(0).columns_size(), 2);
  EXPECT_NEAR(answer->cases(0).columns(0).minimum().value(), (20 - kG) / kG, 1e-12);
  EXPECT_NEAR(answer->cases(0).columns(1).minimum().value(), (20 - kG) / kG, 1e-12);
  EXPECT_EQ(answer->cases(0).columns(0).beyond_count(), 0);
  request.clear_limits();
  answer = Run("pendulum", request);
  EXPECT_NEAR(answer->cases(0).columns(1).minimum().value(), (8 - kG) / kG, 1e-12);
  EXPECT_GT(answer->cases(0).columns(0).beyond_share(), 0);
}

// Two links of 1 m with the tool at the second joint plus nothing: sigma of a planar arm vanishes where it is stretched.
TEST_F(SweepTest, SingularValuesReachZeroWhereTheArmIsStretched) {
  v1::SweepRequest request = Box(4000);
  request.set_quantity(v1::SweepRequest::QUANTITY_SINGULAR_VALUES);
  const auto answer = Run("two", request);
  ASSERT_TRUE(answer.ok()) << answer.status();
  ASSERT_EQ(answer->cases(0).columns_size(), 2);
  EXPECT_EQ(answer->cases(0).columns(1).name(), "singular_value_2");
  // The tool frame is the fore link's origin, on the second axis: columns [1 m; 1] and [0; 1], whatever q.
  const double s1 = std::sqrt((3 + std::sqrt(5)) / 2), s2 = std::sqrt((3 - std::sqrt(5)) / 2);
  EXPECT_NEAR(answer->cases(0).columns(0).mean(), s1, 1e-12);
  EXPECT_NEAR(answer->cases(0).columns(1).mean(), s2, 1e-12);
}

// From rest to rest over 2 rad in 2 s: q = 2 (3 u^2 - 2 u^3), a from 3 to -3 rad/s^2.
TEST_F(SweepTest, ATrajectoryThroughKnotsIsSearchedInTime) {
  v1::SweepRequest request;
  for (const double t : {0.0, 2.0}) request.mutable_knots()->add_times(t);
  for (const double q : {0.0, 2.0}) request.mutable_knots()->mutable_positions()->add_values(q);
  request.mutable_knots()->set_samples(37);
  const auto answer = Run("pendulum", request);
  ASSERT_TRUE(answer.ok()) << answer.status();
  const auto torque = [](double t) {
    const double u = t / 2;
    return 0.5 * (3 - 6 * u) + kG * std::cos(2 * u * u * (3 - 2 * u));
  };
  double least = HUGE_VAL, at = 0;
  for (int i = 0; i <= 2000000; ++i)
    if (const double x = torque(1e-6 * i); x < least) least = x, at = 1e-6 * i;
  EXPECT_NEAR(answer->cases(0).columns(0).minimum().value(), least, 1e-9);
  EXPECT_NEAR(answer->cases(0).columns(0).minimum().time(), at, 1e-3);
  EXPECT_NEAR(answer->cases(0).columns(0).maximum().value(), 1.5 + kG, 1e-12);
}

TEST_F(SweepTest, ACloudHasItsMeanAndWidth) {
  v1::SweepRequest request;
  auto* cloud = request.mutable_cloud();
  cloud->mutable_mean_positions()->add_values(kPi / 2);
  cloud->mutable_mean_accelerations()->add_values(4);
  cloud->add_deviation_accelerations(0.5);
  cloud->set_samples(200000);
  cloud->set_seed(5);
  for (const double p : {15.865525393145708, 50.0, 84.13447460685429}) request.add_percentiles(p);
  const auto answer = Run("pendulum", request);
  ASSERT_TRUE(answer.ok()) << answer.status();
  // tau = 0.5 a: normal, mean 2, deviation 0.25; four standard errors.
  const auto& column = answer->cases(0).columns(0);
  EXPECT_NEAR(column.mean(), 2, 4 * 0.25 / std::sqrt(200000.0));
  EXPECT_NEAR(column.percentiles(0), 1.75, 0.005);
  EXPECT_NEAR(column.percentiles(1), 2, 0.005);
  EXPECT_NEAR(column.percentiles(2), 2.25, 0.005);
  EXPECT_FALSE(column.maximum().refined());
}

TEST_F(SweepTest, ASweepStopsWhenItIsCancelled) {
  v1::SweepRequest request = Box(1000000000);
  const auto sweep = Sweep::Start(Entry("two"), request);
  ASSERT_TRUE(sweep.ok()) << sweep.status();
  Interrupt interrupt;
  absl::Status status;
  std::thread caller([&] { status = RunSweep(**sweep, 2, &interrupt, nullptr); });
  while ((*sweep)->done() == 0) std::this_thread::yield();
  interrupt.Cancel();
  caller.join();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_LT((*sweep)->done(), 1000000000);
}

TEST_F(SweepTest, WhatIsWrongIsSaid) {
  const auto refused = [&](const v1::SweepRequest& request, const std::string& words, absl::StatusCode code = absl::StatusCode::kInvalidArgument) {
    const auto answer = Run("two", request);
    EXPECT_EQ(answer.status().code(), code) << answer.status();
    EXPECT_THAT(std::string(answer.status().message()), HasSubstr(words));
  };
  refused({}, "states: absent");
  refused(Box(0), "box.samples: 0, want 1 to 1000000000");
  v1::SweepRequest request = Box(10);
  request.mutable_box()->mutable_range()->set_acceleration_limits(true);
  refused(request, "no acceleration limits for shoulder, elbow", absl::StatusCode::kFailedPrecondition);
  request = Box(10);
  for (const double x : {1.0, 0.0}) request.mutable_box()->mutable_range()->mutable_lower_positions()->add_values(x);
  for (const double x : {0.0, 1.0}) request.mutable_box()->mutable_range()->mutable_upper_positions()->add_values(x);
  refused(request, "box.range.upper_positions[0]: 0, want at least the lower bound 1");
  request = Box(10);
  request.add_payloads()->set_mass(-1);
  refused(request, "payloads[0].mass: -1 kg");
  request = Box(10);
  request.add_limits(1);
  refused(request, "limits: 1 values, want 2");
  request = {};
  request.mutable_grid()->add_points(100000);
  refused(request, "grid.points: more than 1000000000 states");
  request = {};
  request.mutable_knots()->set_samples(10);
  refused(request, "knots.times: 0 values, want at least 2");
  request = Box(10);
  for (int i = 0; i < 2; ++i) request.mutable_box()->mutable_range()->mutable_lower_accelerations()->add_values(-1e308);
  for (int i = 0; i < 2; ++i) request.mutable_box()->mutable_range()->mutable_upper_accelerations()->add_values(1e308);
  refused(request, "box.range.upper_accelerations[0]");
}

}  // namespace
}  // namespace torqued
