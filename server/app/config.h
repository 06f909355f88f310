// How is a server configured? One struct with every default and unit; a YAML file, the environment and flags override
// it, in this order.
//
// A setting has one name everywhere: `drain_s` in the file, TORQUED_DRAIN_S in the environment, --drain-s as a flag.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <map>
#include <string>
#include <vector>

namespace torqued {

struct Config {
  std::string listen = "127.0.0.1:50051";  // HOST:PORT (port 0: a free one), [IPV6]:PORT or unix:PATH
  std::string data_dir = "torqued-data";   // models, locked by one server
  std::string store = "sqlite";            // in data_dir; or etcd://[USER@]HOST:PORT,...[/PREFIX], shared by several servers
  std::string store_ca, store_cert, store_key;  // PEM files for TLS to etcd; empty: plain text
  std::string store_password_file;         // the etcd user's password
  std::string robots;                      // folder whose models are registered at start; empty: none
  std::string metrics_listen;              // IP:PORT of /metrics, /healthz, /readyz; empty: nowhere
  std::string port_file;                   // the port is written here once the server answers; empty: nowhere
  bool insecure = false;                   // allow an address beyond loopback without TLS or authentication
  std::string tls_cert, tls_key;           // PEM; empty: no TLS. Read again when they change
  std::string tls_client_ca;               // PEM; clients are known by certificates that descend from these
  bool tls_client_required = true;         // with tls_client_ca: no connection without a certificate
  std::string certificate_role = "viewer"; // of a client certificate that auth_file does not name
  std::string auth_file;                   // tokens (hashes) and certificates that may call; empty: no tokens
  std::string audit_file;                  // file that audit lines are added to; empty: the log
  int worker_threads = 0;                  // for batches; 0: one per processor
  int queue_length = 256;                  // requests that may wait for a worker
  double queue_s = 60;                     // [s] of estimated work that may wait
  int client_calls = 64;                   // of one client, waiting or running; 0: as many as the queue takes
  double client_calls_per_s = 0;           // [1/s] of one client; 0: no limit
  int message_mib = 64;                    // [MiB] largest request
  int models = 10000;                      // at most
  int revisions_per_model = 100;           // kept; older ones are forgotten
  bool compile = true;                     // make machine code for every model
  double drain_delay_s = 0;                // [s] after SIGTERM: health says no, calls are still taken
  double drain_s = 5;                      // [s] then: running calls may finish
  double max_connection_age_s = 0;         // [s] clients are asked to connect again; 0: never
  double slow_s = 1;                       // [s] calls that take longer are logged
  std::string log_level = "info";          // debug, info, warning, error
  std::string log_file;                    // empty: standard error
};

// Where a value came from.
enum class Origin { kDefault, kFile, kEnvironment, kFlag };
const char* OriginName(Origin origin);

// A setting by name: its text and how it is changed.
struct Setting {
  std::string name;       // "drain_s"
  std::string help;       // one line, with unit
  std::string fallback;   // the default as text
};
const std::vector<Setting>& Settings();

class Configuration {
 public:
  // INVALID_ARGUMENT names setting, value and what is wanted; unknown settings are refused with near names.
  absl::Status ReadFile(const std::string& path);
  absl::Status ReadText(const std::string& path, const std::string& yaml);
  absl::Status ReadEnvironment();
  absl::Status Set(const std::string& name, const std::string& value, Origin origin, const std::string& where);
  // Whether the settings fit together, and what they name is there.
  absl::Status Check() const;

  const Config& values() const { return config_; }
  // "name: value" lines, as a file could hold them; with the origin of each as a comment if asked.
  std::string Show(bool origins) const;

 private:
  Config config_;
  std::map<std::string, std::string> where_;  // name -> origin in words
};

}  // namespace torqued
