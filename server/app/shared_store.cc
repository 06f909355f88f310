#include "server/app/shared_store.h"

#include <absl/strings/str_cat.h>

#include <fstream>

#include "server/store/etcd_store.h"

namespace torqued {

absl::StatusOr<std::unique_ptr<Store>> OpenSharedStore(const Config& config) {
  if (!IsEtcdUrl(config.store)) return std::unique_ptr<Store>();
  auto options = ParseEtcdUrl(config.store);
  if (!options.ok()) return options.status();
  options->ca_file = config.store_ca;
  options->certificate_file = config.store_cert;
  options->key_file = config.store_key;
  options->models = config.models;
  options->revisions_per_model = config.revisions_per_model;
  if (!config.store_password_file.empty()) {
    std::ifstream in(config.store_password_file);
    if (!std::getline(in, options->password))
      return absl::InvalidArgumentError(
          absl::StrCat("store_password_file: ", config.store_password_file, " cannot be read or is empty"));
  }
  auto store = EtcdStore::Open(*options);
  if (!store.ok()) return store.status();
  return std::unique_ptr<Store>(*std::move(store));
}

}  // namespace torqued
