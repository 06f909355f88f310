// Where is etcd, and who are we there?   etcd://[USER@]HOST:PORT[,HOST:PORT...][/PREFIX]
#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <string>
#include <vector>

namespace torqued {

struct EtcdOptions {
  std::vector<std::string> endpoints;  // HOST:PORT of the members
  std::string prefix = "torqued/";     // of every key
  std::string user, password;          // empty: without authentication
  std::string ca_file;                 // PEM; given: TLS
  std::string certificate_file, key_file;  // PEM; given: mutual TLS
  absl::Duration attempt = absl::Seconds(1);  // one attempt of a call at one member
  absl::Duration budget = absl::Seconds(6);   // all attempts of a call: an election takes one to two seconds
  absl::Duration start_budget = absl::Seconds(60);  // the same until the server serves: nobody waits yet
  absl::Duration request_memory = absl::Hours(24);  // how long request ids are remembered
  int models = 10000;
  int revisions_per_model = 100;
};

// True for what ParseEtcdUrl takes: the text begins with etcd://.
bool IsEtcdUrl(const std::string& url);

// Endpoints, prefix and user of a URL. INVALID_ARGUMENT names what is wanted. A password never stands in a URL, which
// other users of the machine could see.
absl::StatusOr<EtcdOptions> ParseEtcdUrl(const std::string& url);

}  // namespace torqued
