// The compute methods of torqued.v1, without a server: question in, answer out. One overload of Answer per request.
//
// Errors as each message's comments say: INVALID_ARGUMENT naming the field, NOT_FOUND a frame, FAILED_PRECONDITION what
// the model lacks, CANCELLED and DEADLINE_EXCEEDED inside long batches. What is answered is finite. Thread-safe as long
// as each thread has its own Scratch.
#pragma once

#include "server/service/compute/call.h"
#include "torqued/v1/dynamics.pb.h"
#include "torqued/v1/kinematics.pb.h"
#include "torqued/v1/statics.pb.h"

namespace torqued {

absl::Status Answer(const Call& call, const v1::ComputeForwardKinematicsRequest& request,
                    v1::ComputeForwardKinematicsResponse* response);
absl::Status Answer(const Call& call, const v1::ComputeJacobianRequest& request,
                    v1::ComputeJacobianResponse* response);
absl::Status Answer(const Call& call, const v1::AnalyzeVelocityRequest& request,
                    v1::AnalyzeVelocityResponse* response);
absl::Status Answer(const Call& call, const v1::AnalyzeSingularityRequest& request,
                    v1::AnalyzeSingularityResponse* response);
absl::Status Answer(const Call& call, const v1::ComputeInverseKinematicsRequest& request,
                    v1::ComputeInverseKinematicsResponse* response);

absl::Status Answer(const Call& call, const v1::ComputeStaticTorqueRequest& request,
                    v1::ComputeStaticTorqueResponse* response);
absl::Status Answer(const Call& call, const v1::ComputeInverseStaticsRequest& request,
                    v1::ComputeInverseStaticsResponse* response);
absl::Status Answer(const Call& call, const v1::ComputeLinkForcesRequest& request,
                    v1::ComputeLinkForcesResponse* response);
absl::Status Answer(const Call& call, const v1::ComputeSupportRequest& request, v1::ComputeSupportResponse* response);

absl::Status Answer(const Call& call, const v1::ComputeInverseDynamicsRequest& request,
                    v1::ComputeInverseDynamicsResponse* response);
absl::Status Answer(const Call& call, const v1::ComputeForwardDynamicsRequest& request,
                    v1::ComputeForwardDynamicsResponse* response);
absl::Status Answer(const Call& call, const v1::ComputeEquationOfMotionRequest& request,
                    v1::ComputeEquationOfMotionResponse* response);
absl::Status Answer(const Call& call, const v1::ComputeTorqueBreakdownRequest& request,
                    v1::ComputeTorqueBreakdownResponse* response);
absl::Status Answer(const Call& call, const v1::CompareSimplifiedRequest& request,
                    v1::CompareSimplifiedResponse* response);
absl::Status Answer(const Call& call, const v1::ComputeOperationalSpaceRequest& request,
                    v1::ComputeOperationalSpaceResponse* response);
absl::Status Answer(const Call& call, const v1::ComputeEnergyRequest& request, v1::ComputeEnergyResponse* response);
absl::Status Answer(const Call& call, const v1::ComputeDerivativesRequest& request,
                    v1::ComputeDerivativesResponse* response);
absl::Status Answer(const Call& call, const v1::ComputeRegressorRequest& request,
                    v1::ComputeRegressorResponse* response);
absl::Status Answer(const Call& call, const v1::IdentifyParametersRequest& request,
                    v1::IdentifyParametersResponse* response);
absl::Status Answer(const Call& call, const v1::ComputePathDynamicsRequest& request,
                    v1::ComputePathDynamicsResponse* response);

}  // namespace torqued
