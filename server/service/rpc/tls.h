// With which certificate does the server show itself, and which of its clients' does it believe?
//
// Files are read again every second: certificates are renewed, and authorities changed, without a restart.
#pragma once

#include <absl/status/statusor.h>
#include <grpcpp/security/server_credentials.h>

#include <memory>

#include "server/service/server.h"

namespace torqued {

// INVALID_ARGUMENT: a file that cannot be read, is no PEM, or a key that is not the certificate's.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(const TlsOptions& options);

}  // namespace torqued
