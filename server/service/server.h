// The server: an engine on the wire.
#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <memory>
#include <string>
#include <vector>

#include "server/service/access/access.h"
#include "server/service/access/journal.h"
#include "server/service/engine.h"
#include "server/service/statistics.h"

namespace torqued {

struct TlsOptions {
  std::string certificate_file, key_file;  // PEM; empty: no TLS
  std::string client_ca_file;              // PEM; empty: clients need no certificate
  bool client_required = true;             // with client_ca_file: no connection without a certificate

  bool on() const { return !certificate_file.empty(); }
};
// INVALID_ARGUMENT: a file that cannot be read, is no PEM, or a key that is not the certificate's.
absl::Status CheckTls(const TlsOptions& options);

// What one client, and all together, may ask; may be changed while serving.
struct LoadLimits {
  int queue_length = 256;                           // requests that may wait for a worker
  absl::Duration backlog = absl::Seconds(60);       // of estimated work that may wait
  int client_calls = 0;                             // of one client, waiting or running; 0: no bound of its own
  double client_calls_per_s = 0;                    // of one client; 0: no limit
  absl::Duration slow = absl::InfiniteDuration();   // calls that take longer are logged
};

// What goes on right now.
struct ServerSight {
  int queued = 0, running = 0, queue_length = 0, worker_threads = 0;
  int streams = 0;  // streams and watches that are open
  int identities = 0;
  bool draining = false;
};

struct ServerOptions {
  std::string listen = "127.0.0.1:50051";       // HOST:PORT, [HOST]:PORT or unix:PATH; port 0: a free one
  int worker_threads = 0;                       // 0: one per processor
  LoadLimits load;
  TlsOptions tls;
  AccessOptions access;
  Journal journal;
  int message_bytes = 64 << 20;                 // a request's largest size
  int models = 10000, revisions_per_model = 100;  // what the store keeps, to be told to clients
  absl::Duration max_connection_age = absl::InfiniteDuration();
  absl::Duration max_connection_age_grace = absl::Seconds(30);
  std::string version, commit;
};

class Server {
 public:
  // UNAVAILABLE: the address cannot be had (the port is busy); UNAVAILABLE, INVALID_ARGUMENT: TLS or access files. The engine must outlive the server.
  static absl::StatusOr<std::unique_ptr<Server>> Start(Engine& engine, const ServerOptions& options);
  virtual ~Server() = default;

  // Where clients reach it: "127.0.0.1:43210", "unix:/run/torqued.sock".
  virtual std::string address() const = 0;
  virtual int port() const = 0;  // 0 for Unix sockets

  virtual ServerSight Look() const = 0;
  virtual const Statistics& statistics() const = 0;

  virtual void SetLoadLimits(const LoadLimits& limits) = 0;
  // Reads the access file again; streams of those who are no longer known end. On an error all stays as it was.
  virtual absl::Status ReloadAccess() = 0;
  // To be called every second: the same if the file changed, and what has expired ends. True: the file changed.
  virtual absl::StatusOr<bool> WatchAccess() = 0;
  // To be called every minute and at the end.
  virtual void TellRepeated() = 0;

  // Health says NOT_SERVING; calls are still answered.
  virtual void StopAdmitting() = 0;
  // Streams and watches are ended with UNAVAILABLE, running calls get until the deadline. Blocks until all is over.
  virtual void Shutdown(absl::Duration grace) = 0;
};

}  // namespace torqued
