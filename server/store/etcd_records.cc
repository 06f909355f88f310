#include "server/store/etcd_records.h"

#include <absl/strings/str_cat.h>

#include "torqued/store/v1/record.pb.h"

namespace torqued {

namespace etcd_keys {
std::string Model(const EtcdOptions& options, const std::string& id) { return absl::StrCat(options.prefix, "models/", id); }
std::string Revision(const EtcdOptions& options, const std::string& id, const std::string& revision) {
  return absl::StrCat(options.prefix, "revisions/", id, "/", revision);
}
std::string Request(const EtcdOptions& options, const std::string& request_id) {
  return absl::StrCat(options.prefix, "requests/", request_id);
}
std::string EndOf(std::string key) {
  ++key.back();  // keys end in '/' or a printable character
  return key;
}
}  // namespace etcd_keys

absl::StatusOr<StoredModel> ReadModelRecord(const EtcdOptions& options, const mvccpb::KeyValue& pair) {
  store::v1::ModelRecord record;
  if (!record.ParseFromString(pair.value()))
    return absl::DataLossError(absl::StrCat("etcd key ", pair.key(), " does not hold a model"));
  StoredModel model;
  model.id = pair.key().substr(etcd_keys::Model(options, "").size());
  model.current.revision = record.revision();
  model.generation = record.generation();
  model.position = pair.mod_revision();
  model.owner = record.owner();
  model.access = record.access();
  model.labels = {record.labels().begin(), record.labels().end()};
  model.create_us = record.create_us();
  model.update_us = record.update_us();
  return model;
}

}  // namespace torqued
