// How a client reaches its server: address, deadline, retries, identity.
#pragma once

#include <chrono>
#include <string>

namespace torqued {

struct Tls {
  std::string root_certificates_file;  // PEM; empty: the system's
  std::string certificate_file;        // PEM, with private_key_file: mutual TLS
  std::string private_key_file;
};

struct ClientOptions {
  std::string server = "127.0.0.1:50051";  // HOST:PORT, unix:PATH, or any name that gRPC resolves
                                           // (dns:///, ipv4:a,b)
  std::chrono::milliseconds deadline{10'000};  // of a unary call, all its attempts together
  int attempts = 4;  // of an idempotent unary call while the server is UNAVAILABLE; 1: no retry
  std::chrono::milliseconds first_backoff{50};  // doubled per attempt up to 1 s, +-20 %
  bool wait_for_ready =
      false;  // wait for the server (until the deadline) instead of failing at once
  std::chrono::seconds keepalive{30};
  bool use_tls = false;
  Tls tls;
  std::string token;  // bearer token; empty: none
  std::string traceparent;  // W3C trace context that goes with every call, for the server's log; empty: none
};

}  // namespace torqued
