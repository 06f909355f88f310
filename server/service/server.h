// The server: an engine on the wire.
#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <memory>
#include <string>
#include <vector>

#include "server/service/engine.h"

namespace torqued {

struct ServerOptions {
  std::string listen = "127.0.0.1:50051";       // HOST:PORT, [HOST]:PORT or unix:PATH; port 0: a free one
  int worker_threads = 0;                       // 0: one per processor
  int queue_length = 256;                       // requests that may wait for a worker
  int message_bytes = 64 << 20;                 // a request's largest size
  int models = 10000, revisions_per_model = 100;  // what the store keeps, to be told to clients
  absl::Duration max_connection_age = absl::InfiniteDuration();
  absl::Duration max_connection_age_grace = absl::Seconds(30);
  std::string version, commit;
};

class Server {
 public:
  // UNAVAILABLE: the address cannot be had (the port is busy). The engine must outlive the server.
  static absl::StatusOr<std::unique_ptr<Server>> Start(Engine& engine, const ServerOptions& options);
  virtual ~Server() = default;

  // Where clients reach it: "127.0.0.1:43210", "unix:/run/torqued.sock".
  virtual std::string address() const = 0;
  virtual int port() const = 0;  // 0 for Unix sockets

  // Health says NOT_SERVING; calls are still answered.
  virtual void StopAdmitting() = 0;
  // Streams and watches are ended with UNAVAILABLE, running calls get until the deadline. Blocks until all is over.
  virtual void Shutdown(absl::Duration grace) = 0;
};

}  // namespace torqued
