// How soon does a batch stop when its caller cancels? For every method with states: the time from Cancel() to the return
// of the answer, worst of several tries, on a robot with many joints.
//
//   service_interrupt [ROBOTS_FOLDER]
#include <google/protobuf/message.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "server/service/engine.h"
#include "torqued/v1/dynamics.pb.h"
#include "torqued/v1/kinematics.pb.h"
#include "torqued/v1/statics.pb.h"

namespace torqued {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kTries = 5;
constexpr auto kRunning = std::chrono::milliseconds(60);

template <class Request, class Response>
void Measure(Engine& engine, const char* model, int samples) {
  v1::GetModelRequest get;
  get.set_name(std::string("models/") + model);
  v1::GetModelResponse got;
  if (!engine.Ask(get, &got).ok()) return;
  const int nq = got.model().position_count();
  Request request;
  request.mutable_context()->set_model(get.name());
  for (int i = 0; i < samples; ++i)
    for (int k = 0; k < nq; ++k) request.mutable_positions()->add_values(nq > got.model().velocity_count() && k == 6 ? 1 : nq > got.model().velocity_count() && k >= 3 && k < 6 ? 0 : 0.1 * k);
  double worst = 0;
  int cancelled = 0;
  for (int t = 0; t < kTries; ++t) {
    Response response;
    Interrupt interrupt;
    Clock::time_point called, returned;
    absl::Status status;
    std::thread asks([&] {
      status = engine.Ask(request, &response, &interrupt);
      returned = Clock::now();
    });
    std::this_thread::sleep_for(kRunning);
    called = Clock::now();
    interrupt.Cancel();
    asks.join();
    if (!absl::IsCancelled(status)) continue;  // it was done before
    ++cancelled;
    worst = std::max(worst, std::chrono::duration<double, std::milli>(returned - called).count());
  }
  if (cancelled > 0) std::printf("%-34s %-10s %8d states: %7.3f ms\n", Request::descriptor()->name().c_str(), model, samples, worst);
  else std::printf("%-34s %-10s %8d states: done before it was cancelled\n", Request::descriptor()->name().c_str(), model, samples);
}

void MeasureAll(Engine& engine, const char* model) {
  Measure<v1::ComputeForwardKinematicsRequest, v1::ComputeForwardKinematicsResponse>(engine, model, 1000000);
  Measure<v1::ComputeJacobianRequest, v1::ComputeJacobianResponse>(engine, model, 200000);
  Measure<v1::AnalyzeVelocityRequest, v1::AnalyzeVelocityResponse>(engine, model, 100000);
  Measure<v1::AnalyzeSingularityRequest, v1::AnalyzeSingularityResponse>(engine, model, 100000);
  Measure<v1::ComputeStaticTorqueRequest, v1::ComputeStaticTorqueResponse>(engine, model, 1000000);
  Measure<v1::ComputeLinkForcesRequest, v1::ComputeLinkForcesResponse>(engine, model, 200000);
  Measure<v1::ComputeInverseDynamicsRequest, v1::ComputeInverseDynamicsResponse>(engine, model, 1000000);
  Measure<v1::ComputeForwardDynamicsRequest, v1::ComputeForwardDynamicsResponse>(engine, model, 1000000);
  Measure<v1::ComputeEquationOfMotionRequest, v1::ComputeEquationOfMotionResponse>(engine, model, 100000);
  Measure<v1::ComputeTorqueBreakdownRequest, v1::ComputeTorqueBreakdownResponse>(engine, model, 2000);
  Measure<v1::ComputeOperationalSpaceRequest, v1::ComputeOperationalSpaceResponse>(engine, model, 50000);
  Measure<v1::ComputeEnergyRequest, v1::ComputeEnergyResponse>(engine, model, 500000);
  Measure<v1::ComputeDerivativesRequest, v1::ComputeDerivativesResponse>(engine, model, 20000);
  Measure<v1::ComputeRegressorRequest, v1::ComputeRegressorResponse>(engine, model, 10000);
  Measure<v1::ComputePathDynamicsRequest, v1::ComputePathDynamicsResponse>(engine, model, 500000);
}

}  // namespace
}  // namespace torqued

int main(int argc, char** argv) {
  torqued::EngineOptions options;
  options.robots_folder = argc > 1 ? argv[1] : "deploy/robots";
  const auto engine = torqued::Engine::Open(options);
  if (!engine.ok()) return std::fprintf(stderr, "%s\n", std::string(engine.status().message()).c_str()), 5;
  for (const char* model : {"ur5e", "quadruped"}) torqued::MeasureAll(**engine, model);
  return 0;
}
