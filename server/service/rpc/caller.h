// Who calls, and what does his call carry? Read from a call's metadata and connection, and only as far as it is asked.
#pragma once

#include <absl/status/status.h>
#include <grpcpp/server_context.h>

#include <string>

#include "server/service/access/access.h"

namespace torqued {

class Caller {
 public:
  // REQUIRES: the context outlives it.
  explicit Caller(const grpc::CallbackServerContext& context) : context_(&context) {}

  // Finds out who it is: by token ("authorization: Bearer ..."), else by certificate. UNAUTHENTICATED.
  // Without required access nobody is asked.
  absl::Status Identify(Access& access);
  // Still as at the beginning? UNAUTHENTICATED: revoked or expired since.
  absl::Status StillKnown() const { return grant_ ? grant_->Check() : absl::OkStatus(); }

  // PERMISSION_DENIED: the role is not enough.
  absl::Status Require(Role least) const;
  bool admin() const { return !grant_ || grant_->role == Role::kAdmin; }
  // The identity's name; empty: nobody in particular.
  const std::string& name() const;
  const char* role() const { return grant_ ? RoleName(grant_->role) : ""; }

  // Whose share of the server its work counts against: the identity, else the machine it comes from.
  std::string Share() const;
  // "ipv4:10.0.0.7", without the port; "unix:".
  std::string Peer() const;

  // x-request-id of the caller where it is 1 to 64 letters, digits, - _ . ; else one made here.
  const std::string& request_id() const;
  bool gave_request_id() const;
  // W3C trace context; empty: none, or none that is well formed.
  std::string Traceparent() const;

 private:
  std::string Metadata(const char* key) const;

  const grpc::CallbackServerContext* context_;
  GrantPtr grant_;
  mutable std::string request_id_;
};

}  // namespace torqued
