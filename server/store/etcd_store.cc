#include "server/store/etcd_store.h"

#include <absl/strings/str_cat.h>
#include <absl/time/clock.h>

#include <random>

#include "torqued/store/v1/record.pb.h"

namespace torqued {

using etcdserverpb::Compare;
using etcdserverpb::RangeRequest;
using etcdserverpb::RangeResponse;
using etcdserverpb::TxnRequest;
using etcdserverpb::TxnResponse;
using store::v1::ModelRecord;
using store::v1::RequestRecord;
using store::v1::RevisionRecord;

namespace {

constexpr size_t kLargestSource = 1 << 20;  // etcd refuses requests beyond 1.5 MiB

std::int64_t NowMicroseconds() { return absl::ToUnixMicros(absl::Now()); }

absl::Status NoModel(const std::string& id) { return absl::NotFoundError(absl::StrCat("no model '", id, "'")); }

absl::Status Changed(const std::string& id, std::int64_t expected, std::int64_t found) {
  return absl::AbortedError(
      absl::StrCat("model '", id, "' was changed meanwhile: etag ", found, ", expected ", expected));
}

std::string Mark() {
  std::random_device random;
  return absl::StrCat(absl::Hex(random(), absl::kZeroPad8), absl::Hex(random(), absl::kZeroPad8),
                      absl::Hex(random(), absl::kZeroPad8), absl::Hex(random(), absl::kZeroPad8));
}

RangeRequest One(std::string key) {
  RangeRequest request;
  request.set_key(std::move(key));
  return request;
}

RangeRequest All(const std::string& prefix) {
  RangeRequest request = One(prefix);
  request.set_range_end(etcd_keys::EndOf(prefix));
  return request;
}

void AddPut(TxnRequest& txn, std::string key, std::string value, std::int64_t lease = 0) {
  auto* put = txn.add_success()->mutable_request_put();
  put->set_key(std::move(key));
  put->set_value(std::move(value));
  put->set_lease(lease);
}

void Unchanged(TxnRequest& txn, std::string key, std::int64_t position) {
  Compare* compare = txn.add_compare();
  compare->set_target(Compare::MOD);
  compare->set_result(Compare::EQUAL);
  compare->set_key(std::move(key));
  compare->set_mod_revision(position);
}

absl::StatusOr<StoredRevision> ReadRevision(const mvccpb::KeyValue& pair) {
  RevisionRecord record;
  if (!record.ParseFromString(pair.value()))
    return absl::DataLossError(absl::StrCat("etcd key ", pair.key(), " does not hold a revision"));
  StoredRevision revision;
  revision.revision = pair.key().substr(pair.key().rfind('/') + 1);
  revision.source = record.source();
  revision.base = record.base();
  revision.policy = record.policy();
  revision.create_us = record.create_us();
  return revision;
}

}  // namespace

EtcdStore::EtcdStore(const EtcdOptions& options, std::unique_ptr<EtcdClient> client)
    : options_(options), client_(std::move(client)) {}

EtcdStore::~EtcdStore() { Unfollow(); }

absl::StatusOr<std::unique_ptr<EtcdStore>> EtcdStore::Open(const EtcdOptions& options) {
  auto client = EtcdClient::Open(options);
  if (!client.ok()) return client.status();
  std::unique_ptr<EtcdStore> store(new EtcdStore(options, *std::move(client)));
  RangeResponse response;
  if (absl::Status s = store->Ask(One(etcd_keys::Model(options, "")), &response); !s.ok()) return s;
  return store;
}

absl::Status EtcdStore::Reword(absl::Status status) {
  Note(status);
  if (absl::IsUnavailable(status))
    return absl::UnavailableError(absl::StrCat("no member of etcd (", client_->Members(),
                                               ") answers; models can be used but not changed until one does. Cause: ",
                                               std::string(status.message())));
  if (absl::IsResourceExhausted(status) && std::string(status.message()).rfind("etcd", 0) == 0)
    return absl::UnavailableError(status.message());  // the medium refuses
  return status;
}

absl::Status EtcdStore::Ask(const RangeRequest& request, RangeResponse* response) {
  return Reword(client_->Patiently([&] { return client_->Range(request, response); }));
}

absl::StatusOr<StoredModel> EtcdStore::GetRecord(const std::string& id) {
  RangeResponse response;
  if (absl::Status s = client_->Range(One(etcd_keys::Model(options_, id)), &response); !s.ok()) return s;
  if (response.kvs().empty()) return NoModel(id);
  return ReadModelRecord(options_, response.kvs(0));
}

absl::StatusOr<StoredModel> EtcdStore::Get(const std::string& id) {
  for (int attempt = 0;; ++attempt) {
    RangeResponse response;
    if (absl::Status s = Ask(One(etcd_keys::Model(options_, id)), &response); !s.ok()) return s;
    if (response.kvs().empty() || id.empty()) return NoModel(id);
    auto model = ReadModelRecord(options_, response.kvs(0));
    if (!model.ok()) return model;
    auto revision = Revision(id, model->current.revision);
    if (absl::IsNotFound(revision.status()) && attempt < 10) continue;  // changed or deleted between the two
    if (absl::IsNotFound(revision.status())) return absl::DataLossError(std::string(revision.status().message()));
    if (!revision.ok()) return revision.status();
    model->current = *std::move(revision);
    return model;
  }
}

absl::StatusOr<StoreSnapshot> EtcdStore::ListRecords() {
  RangeResponse response;
  if (absl::Status s = Ask(All(etcd_keys::Model(options_, "")), &response); !s.ok()) return s;
  StoreSnapshot snapshot;
  for (const mvccpb::KeyValue& pair : response.kvs()) {
    snapshot.position = std::max<std::int64_t>(snapshot.position, pair.mod_revision());
    if (pair.key() == etcd_keys::Model(options_, "")) continue;
    auto model = ReadModelRecord(options_, pair);
    if (!model.ok()) return model.status();
    snapshot.models.push_back(*std::move(model));
  }
  return snapshot;
}

absl::StatusOr<StoreSnapshot> EtcdStore::List() {
  auto snapshot = ListRecords();
  if (!snapshot.ok()) return snapshot;
  std::vector<StoredModel> models;
  for (StoredModel& model : snapshot->models) {
    auto revision = Revision(model.id, model.current.revision);
    if (revision.ok()) {
      model.current = *std::move(revision);
      models.push_back(std::move(model));
    } else if (absl::IsNotFound(revision.status())) {  // changed or deleted since
      auto now = Get(model.id);
      if (now.ok()) models.push_back(*std::move(now));
      else if (!absl::IsNotFound(now.status())) return now.status();
    } else {
      return revision.status();
    }
  }
  snapshot->models = std::move(models);
  return snapshot;
}

absl::StatusOr<std::vector<StoredRevision>> EtcdStore::Revisions(const std::string& id) {
  RangeRequest request = All(etcd_keys::Revision(options_, id, ""));
  request.set_sort_target(RangeRequest::MOD);
  request.set_sort_order(RangeRequest::DESCEND);
  RangeResponse response;
  if (absl::Status s = Ask(request, &response); !s.ok()) return s;
  if (response.kvs().empty()) return NoModel(id);
  std::vector<StoredRevision> revisions;
  for (const mvccpb::KeyValue& pair : response.kvs()) {
    auto revision = ReadRevision(pair);
    if (!revision.ok()) return revision.status();
    revisions.push_back(*std::move(revision));
  }
  return revisions;
}

absl::StatusOr<StoredRevision> EtcdStore::Revision(const std::string& id, const std::string& revision) {
  RangeResponse response;
  if (absl::Status s = Ask(One(etcd_keys::Revision(options_, id, revision)), &response); !s.ok()) return s;
  if (response.kvs().empty())
    return absl::NotFoundError(absl::StrCat("model '", id, "' has no revision ", revision));
  return ReadRevision(response.kvs(0));
}

absl::StatusOr<std::vector<std::string>> EtcdStore::TooOldRevisions(const std::string& id, const std::string& current) {
  RangeRequest request = All(etcd_keys::Revision(options_, id, ""));
  request.set_keys_only(true);
  request.set_sort_target(RangeRequest::MOD);
  request.set_sort_order(RangeRequest::DESCEND);
  RangeResponse response;
  if (absl::Status s = client_->Range(request, &response); !s.ok()) return s;
  std::vector<std::string> keys;
  int kept = 1;  // the one that becomes current
  const std::string current_key = etcd_keys::Revision(options_, id, current);
  for (const mvccpb::KeyValue& pair : response.kvs())
    if (pair.key() != current_key && ++kept > options_.revisions_per_model) keys.push_back(pair.key());
  return keys;
}

absl::StatusOr<std::int64_t> EtcdStore::RequestLease() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (absl::Now() - lease_since_ < absl::Hours(1)) return lease_;
  }
  std::int64_t lease = 0;
  const auto seconds = absl::ToInt64Seconds(options_.request_memory + absl::Hours(1));
  if (absl::Status s = client_->Patiently([&] { return client_->Grant(seconds, &lease); }); !s.ok()) return s;
  const std::lock_guard<std::mutex> lock(mutex_);
  lease_ = lease;
  lease_since_ = absl::Now();
  return lease_;
}

absl::StatusOr<StoredModel> EtcdStore::PutOnce(const StorePut& put, const std::string& mark, bool repeated,
                                               std::int64_t lease) {
  const std::string key = etcd_keys::Model(options_, put.id);
  for (;;) {
    RangeResponse response;
    if (absl::Status s = client_->Range(One(key), &response); !s.ok()) return s;
    std::optional<StoredModel> old;
    if (!response.kvs().empty()) {
      auto model = ReadModelRecord(options_, response.kvs(0));
      if (!model.ok()) return model.status();
      ModelRecord record;
      if (repeated && record.ParseFromString(response.kvs(0).value()) && record.change() == mark) {
        model->current = put.revision;
        model->current.create_us = record.update_us();
        return model;
      }
      old = *std::move(model);
    }
    if (put.expected) {
      if (!old && *put.expected != 0) return NoModel(put.id);
      if (old && *put.expected == 0)
        return absl::AlreadyExistsError(
            absl::StrCat("model '", put.id, "' exists already, at revision ", old->current.revision));
      if (old && *put.expected != old->position) return Changed(put.id, *put.expected, old->position);
    }
    if (!old) {
      RangeRequest count = All(etcd_keys::Model(options_, ""));
      count.set_count_only(true);
      if (absl::Status s = client_->Range(count, &response); !s.ok()) return s;
      if (response.count() > options_.models)  // the position's own key counts too
        return absl::ResourceExhaustedError(absl::StrCat("the store keeps ", options_.models, " models at most"));
    }
    const auto forget = TooOldRevisions(put.id, put.revision.revision);
    if (!forget.ok()) return forget.status();

    StoredModel next = old ? *old : StoredModel{};
    const std::int64_t now = NowMicroseconds();
    const bool same = old && old->current.revision == put.revision.revision;
    next.id = put.id;
    next.generation = old ? old->generation + (same ? 0 : 1) : 1;
    if (!old) {
      next.owner = put.owner;
      next.access = put.access;
      next.create_us = now;
    }
    next.labels = put.labels;
    next.update_us = now;
    next.current = put.revision;
    next.current.create_us = now;

    ModelRecord record;
    record.set_revision(next.current.revision);
    record.set_generation(next.generation);
    record.set_owner(next.owner);
    record.set_access(next.access);
    record.mutable_labels()->insert(next.labels.begin(), next.labels.end());
    record.set_create_us(next.create_us);
    record.set_update_us(now);
    record.set_change(mark);
    RevisionRecord revision;
    revision.set_source(put.revision.source);
    revision.set_base(put.revision.base);
    revision.set_policy(put.revision.policy);
    revision.set_create_us(now);

    TxnRequest txn;
    Unchanged(txn, key, old ? old->position : 0);
    AddPut(txn, key, record.SerializeAsString());
    AddPut(txn, etcd_keys::Model(options_, ""), mark);
    AddPut(txn, etcd_keys::Revision(options_, put.id, put.revision.revision), revision.SerializeAsString());
    if (!put.request_id.empty()) {
      RequestRecord request;
      request.set_model(put.id);
      request.set_revision(put.revision.revision);
      request.set_digest(put.request_digest);
      AddPut(txn, etcd_keys::Request(options_, put.request_id), request.SerializeAsString(), lease);
    }
    for (const std::string& old_key : *forget) txn.add_success()->mutable_request_delete_range()->set_key(old_key);
    TxnResponse done;
    if (absl::Status s = client_->Txn(txn, &done); !s.ok()) return s;
    if (!done.succeeded()) continue;  // somebody was faster: look again
    next.position = done.header().revision();
    return next;
  }
}

absl::StatusOr<StoredModel> EtcdStore::Put(const StorePut& put) {
  if (put.revision.source.size() > kLargestSource)
    return absl::InvalidArgumentError(absl::StrCat("source: ", put.revision.source.size(), " bytes, want at most ",
                                                   kLargestSource, " where several servers share an etcd"));
  std::int64_t lease = 0;
  if (!put.request_id.empty()) {
    const auto granted = RequestLease();
    if (!granted.ok()) return Reword(granted.status());
    lease = *granted;
  }
  const std::string mark = Mark();
  absl::StatusOr<StoredModel> result = absl::UnknownError("");
  bool repeated = false;
  const absl::Status status = client_->Patiently([&] {
    result = PutOnce(put, mark, repeated, lease);
    repeated = true;
    return result.status();
  });
  if (!status.ok()) return Reword(status);
  return result;
}

absl::StatusOr<std::int64_t> EtcdStore::DeleteOnce(const std::string& id, std::optional<std::int64_t> expected,
                                                   bool repeated) {
  const std::string key = etcd_keys::Model(options_, id);
  for (;;) {
    const auto old = GetRecord(id);
    if (absl::IsNotFound(old.status()) && repeated) return LastPosition();  // the attempt before was made after all
    if (!old.ok()) return old.status();
    if (expected && *expected != old->position) return Changed(id, *expected, old->position);
    TxnRequest txn;
    Unchanged(txn, key, old->position);
    txn.add_success()->mutable_request_delete_range()->set_key(key);
    const std::string revisions = etcd_keys::Revision(options_, id, "");
    auto* forget = txn.add_success()->mutable_request_delete_range();
    forget->set_key(revisions);
    forget->set_range_end(etcd_keys::EndOf(revisions));
    AddPut(txn, etcd_keys::Model(options_, ""), "deleted");
    TxnResponse done;
    if (absl::Status s = client_->Txn(txn, &done); !s.ok()) return s;
    if (done.succeeded()) return done.header().revision();
  }
}

absl::StatusOr<std::int64_t> EtcdStore::Delete(const std::string& id, std::optional<std::int64_t> expected) {
  if (id.empty()) return NoModel(id);
  absl::StatusOr<std::int64_t> result = absl::UnknownError("");
  bool repeated = false;
  const absl::Status status = client_->Patiently([&] {
    result = DeleteOnce(id, expected, repeated);
    repeated = true;
    return result.status();
  });
  if (!status.ok()) return Reword(status);
  return result;
}

absl::StatusOr<StoredRequest> EtcdStore::FindRequest(const std::string& request_id) {
  RangeResponse response;
  if (absl::Status s = Ask(One(etcd_keys::Request(options_, request_id)), &response); !s.ok()) return s;
  RequestRecord record;
  if (response.kvs().empty() || !record.ParseFromString(response.kvs(0).value()))
    return absl::NotFoundError(absl::StrCat("no request '", request_id, "'"));
  // A request is forgotten together with its model.
  if (absl::Status s = Ask(One(etcd_keys::Model(options_, record.model())), &response); !s.ok()) return s;
  if (response.kvs().empty()) return absl::NotFoundError(absl::StrCat("no request '", request_id, "'"));
  return StoredRequest{record.model(), record.revision(), record.digest()};
}

}  // namespace torqued
