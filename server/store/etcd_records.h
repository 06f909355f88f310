// Under which keys does the shared store write what?
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "etcd/kv.pb.h"
#include "server/store/etcd_options.h"
#include "server/store/store.h"

namespace torqued {

// Keys below a prefix, and the end of the range of all that begin with `key`.
namespace etcd_keys {
std::string Model(const EtcdOptions& options, const std::string& id);
std::string Revision(const EtcdOptions& options, const std::string& id, const std::string& revision);
std::string Request(const EtcdOptions& options, const std::string& request_id);
std::string EndOf(std::string key);
}  // namespace etcd_keys

// A ModelRecord without its source. DATA_LOSS: not ours.
absl::StatusOr<StoredModel> ReadModelRecord(const EtcdOptions& options, const mvccpb::KeyValue& pair);

}  // namespace torqued
