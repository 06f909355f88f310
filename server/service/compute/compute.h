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
absl::Status Answer(const Call& call, const v1::ComputeJacobianRequest& request, v1::ComputeJacobianResponse* response);

absl::Status Answer(const Call& call, const v1::ComputeStaticTorqueRequest& request,
                    v1::ComputeStaticTorqueResponse* response);

absl::Status Answer(const Call& call, const v1::ComputeInverseDynamicsRequest& request,
                    v1::ComputeInverseDynamicsResponse* response);

}  // namespace torqued
