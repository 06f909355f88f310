// Which server is this, what has it done?
#include <absl/strings/str_cat.h>

#include "server/service/rpc/services.h"
#include "torqued/v1/server.grpc.pb.h"

namespace torqued {
namespace {

void WriteTime(absl::Time from, google::protobuf::Timestamp* to) {
  to->set_seconds(absl::ToUnixSeconds(from));
  to->set_nanos(static_cast<int>(absl::ToInt64Nanoseconds(from - absl::FromUnixSeconds(to->seconds()))));
}

int CompiledCount(const RegistrySnapshot& snapshot) {
  int count = 0;
  for (const auto& [id, model] : snapshot.models)
    count += model->entry && model->entry->batch->InstructionCount(Method::kInverseDynamics) > 0;
  return count;
}

class ServerService final : public v1::ServerService::CallbackService {
 public:
  explicit ServerService(Host& host) : host_(host) {}

  grpc::ServerUnaryReactor* GetServerInfo(grpc::CallbackServerContext* context, const v1::GetServerInfoRequest*,
                                          v1::GetServerInfoResponse* response) override {
    return host_.AtOnce<v1::GetServerInfoRequest>(context, [&] { Write(response); });
  }

  grpc::ServerUnaryReactor* GetStatistics(grpc::CallbackServerContext* context,
                                          const v1::GetStatisticsRequest* request,
                                          v1::GetStatisticsResponse* response) override {
    return host_.AtOnce<v1::GetStatisticsRequest>(context, [&] { Write(*request, response); });
  }

 private:
  void Write(v1::GetServerInfoResponse* response) {
    const ServerFacts& facts = host_.facts();
    response->set_version(facts.version);
    response->set_commit(facts.commit);
    response->set_compiles_kernels(host_.engine().compiles());
    response->set_instruction_set(ActiveKernels().name);
    *response->mutable_limits() = facts.limits;
    const absl::Time start = host_.statistics().since();
    WriteTime(start, response->mutable_start_time());
    const absl::Duration up = absl::Now() - start;
    response->mutable_uptime()->set_seconds(absl::ToInt64Seconds(up));
    const auto snapshot = host_.engine().registry().snapshot();
    response->set_model_count(static_cast<int>(snapshot->models.size()));
    response->set_compiled_model_count(CompiledCount(*snapshot));
    if (!host_.engine().compiles()) response->set_kernel_reason("compiling is switched off");
    response->set_worker_threads(host_.pool().threads());
    const StoreState store = host_.engine().registry().store_state();
    response->mutable_store()->set_kind(store.kind);
    response->mutable_store()->set_read_only(!store.writable);
    response->mutable_store()->set_problem(store.problem);
    response->mutable_store()->set_position(snapshot->position);
  }

  void Write(const v1::GetStatisticsRequest& request, v1::GetStatisticsResponse* response) {
    WriteTime(host_.statistics().since(), response->mutable_since());
    for (const double edge : kBucketEdgesUs) response->add_bucket_edges_us(edge);
    for (const Statistics::Row& row : host_.statistics().Read(request.per_model())) {
      auto* out = response->add_methods();
      out->set_method(row.method);
      if (!row.model.empty()) out->set_model(absl::StrCat("models/", row.model));
      out->set_calls(row.calls);
      out->set_errors(row.errors);
      out->set_samples(row.samples);
      out->set_mean_us(row.mean_us);
      out->set_p50_us(Quantile(row.buckets, 0.5));
      out->set_p99_us(Quantile(row.buckets, 0.99));
      for (const std::int64_t n : row.buckets) out->add_bucket_counts(n);
    }
  }

  Host& host_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeServerService(Host& host) { return std::make_unique<ServerService>(host); }

}  // namespace torqued
