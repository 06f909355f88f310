// How does a Status cross the wire? absl::Status <-> grpc::Status, details in grpc-status-details-bin.
#pragma once

#include <absl/status/status.h>
#include <grpcpp/support/status.h>

namespace torqued::wire {

// Every error gets an ErrorInfo on the way. Codes are equal by number.
grpc::Status ToGrpc(const absl::Status& status);
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace torqued::wire
