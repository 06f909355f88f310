#include "server/service/rpc/arena_allocator.h"
#include "server/service/rpc/services.h"
#include "server/service/rpc/simulation_stream.h"
#include "server/service/rpc/sweep_stream.h"
#include "torqued/v1/dynamics.grpc.pb.h"

namespace torqued {
namespace {

class DynamicsService final : public v1::DynamicsService::CallbackService {
 public:
  explicit DynamicsService(Host& host) : host_(host) {
    SetMessageAllocatorFor_ComputeInverseDynamics(&messages_of_compute_inverse_dynamics_);
    SetMessageAllocatorFor_ComputeForwardDynamics(&messages_of_compute_forward_dynamics_);
    SetMessageAllocatorFor_ComputeEquationOfMotion(&messages_of_compute_equation_of_motion_);
    SetMessageAllocatorFor_ComputeTorqueBreakdown(&messages_of_compute_torque_breakdown_);
    SetMessageAllocatorFor_CompareSimplified(&messages_of_compare_simplified_);
    SetMessageAllocatorFor_ComputeOperationalSpace(&messages_of_compute_operational_space_);
    SetMessageAllocatorFor_ComputeEnergy(&messages_of_compute_energy_);
    SetMessageAllocatorFor_ComputeDerivatives(&messages_of_compute_derivatives_);
    SetMessageAllocatorFor_ComputeRegressor(&messages_of_compute_regressor_);
    SetMessageAllocatorFor_IdentifyParameters(&messages_of_identify_parameters_);
    SetMessageAllocatorFor_ComputePathDynamics(&messages_of_compute_path_dynamics_);
  }

  grpc::ServerUnaryReactor* ComputeInverseDynamics(grpc::CallbackServerContext* context, const v1::ComputeInverseDynamicsRequest* request,
                                v1::ComputeInverseDynamicsResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* ComputeForwardDynamics(grpc::CallbackServerContext* context, const v1::ComputeForwardDynamicsRequest* request,
                                v1::ComputeForwardDynamicsResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* ComputeEquationOfMotion(grpc::CallbackServerContext* context, const v1::ComputeEquationOfMotionRequest* request,
                                v1::ComputeEquationOfMotionResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* ComputeTorqueBreakdown(grpc::CallbackServerContext* context, const v1::ComputeTorqueBreakdownRequest* request,
                                v1::ComputeTorqueBreakdownResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* CompareSimplified(grpc::CallbackServerContext* context, const v1::CompareSimplifiedRequest* request,
                                v1::CompareSimplifiedResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* ComputeOperationalSpace(grpc::CallbackServerContext* context, const v1::ComputeOperationalSpaceRequest* request,
                                v1::ComputeOperationalSpaceResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* ComputeEnergy(grpc::CallbackServerContext* context, const v1::ComputeEnergyRequest* request,
                                v1::ComputeEnergyResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* ComputeDerivatives(grpc::CallbackServerContext* context, const v1::ComputeDerivativesRequest* request,
                                v1::ComputeDerivativesResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* ComputeRegressor(grpc::CallbackServerContext* context, const v1::ComputeRegressorRequest* request,
                                v1::ComputeRegressorResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* IdentifyParameters(grpc::CallbackServerContext* context, const v1::IdentifyParametersRequest* request,
                                v1::IdentifyParametersResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerUnaryReactor* ComputePathDynamics(grpc::CallbackServerContext* context, const v1::ComputePathDynamicsRequest* request,
                                v1::ComputePathDynamicsResponse* response) override {
    return host_.Unary(context, request, response);
  }

  grpc::ServerWriteReactor<v1::SimulateResponse>* Simulate(grpc::CallbackServerContext* context,
                                                           const v1::SimulateRequest* request) override {
    return StartSimulation(host_, context, *request);
  }

  grpc::ServerWriteReactor<v1::SweepResponse>* Sweep(grpc::CallbackServerContext* context,
                                                     const v1::SweepRequest* request) override {
    return StartSweep(host_, context, *request);
  }

 private:
  Host& host_;
  ArenaAllocator<v1::ComputeInverseDynamicsRequest, v1::ComputeInverseDynamicsResponse> messages_of_compute_inverse_dynamics_;
  ArenaAllocator<v1::ComputeForwardDynamicsRequest, v1::ComputeForwardDynamicsResponse> messages_of_compute_forward_dynamics_;
  ArenaAllocator<v1::ComputeEquationOfMotionRequest, v1::ComputeEquationOfMotionResponse> messages_of_compute_equation_of_motion_;
  ArenaAllocator<v1::ComputeTorqueBreakdownRequest, v1::ComputeTorqueBreakdownResponse> messages_of_compute_torque_breakdown_;
  ArenaAllocator<v1::CompareSimplifiedRequest, v1::CompareSimplifiedResponse> messages_of_compare_simplified_;
  ArenaAllocator<v1::ComputeOperationalSpaceRequest, v1::ComputeOperationalSpaceResponse> messages_of_compute_operational_space_;
  ArenaAllocator<v1::ComputeEnergyRequest, v1::ComputeEnergyResponse> messages_of_compute_energy_;
  ArenaAllocator<v1::ComputeDerivativesRequest, v1::ComputeDerivativesResponse> messages_of_compute_derivatives_;
  ArenaAllocator<v1::ComputeRegressorRequest, v1::ComputeRegressorResponse> messages_of_compute_regressor_;
  ArenaAllocator<v1::IdentifyParametersRequest, v1::IdentifyParametersResponse> messages_of_identify_parameters_;
  ArenaAllocator<v1::ComputePathDynamicsRequest, v1::ComputePathDynamicsResponse> messages_of_compute_path_dynamics_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeDynamicsService(Host& host) { return std::make_unique<DynamicsService>(host); }

}  // namespace torqued
