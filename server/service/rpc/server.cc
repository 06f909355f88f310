#include "server/service/server.h"

#include <absl/strings/str_cat.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>

#include <algorithm>
#include <thread>

#include "server/service/limits.h"
#include "server/service/rpc/services.h"
#include "server/service/rpc/tls.h"

namespace torqued {
namespace {

constexpr int kKeepaliveMs = 60000, kKeepaliveTimeoutMs = 20000;
constexpr int kMinimumPingIntervalMs = 10000;  // clients send every 30 s
constexpr int kMetadataBytes = 16 << 10;
constexpr int kHandshakeMs = 10000;  // a connection that is not one by then is closed

int Milliseconds(absl::Duration d) { return static_cast<int>(absl::ToInt64Milliseconds(d)); }

class GrpcServer final : public Server {
 public:
  GrpcServer(Engine& engine, std::unique_ptr<Access> access, const ServerOptions& options)
      : options_(options),
        pool_(options.worker_threads > 0 ? options.worker_threads
                                         : std::max(1, static_cast<int>(std::thread::hardware_concurrency())),
              PoolLimits{options.load.queue_length, options.load.client_calls, options.load.backlog}),
        access_(std::move(access)),
        host_(engine, pool_, *access_, options.journal, Facts(options)) {
    SetLoadLimits(options.load);
    services_.push_back(MakeModelService(host_));
    services_.push_back(MakeKinematicsService(host_));
    services_.push_back(MakeStaticsService(host_));
    services_.push_back(MakeDynamicsService(host_));
    services_.push_back(MakeStreamService(host_));
    services_.push_back(MakeServerService(host_));
  }

  absl::Status Listen() {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    grpc::ServerBuilder builder;
    for (const auto& service : services_) builder.RegisterService(service.get());
    builder.SetMaxReceiveMessageSize(options_.message_bytes);
    builder.SetMaxSendMessageSize(-1);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kMinimumPingIntervalMs);
    builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMetadataBytes);
    builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeMs);
    if (options_.max_connection_age != absl::InfiniteDuration()) {
      builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS, Milliseconds(options_.max_connection_age));
      builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS, Milliseconds(options_.max_connection_age_grace));
    }
    const auto credentials = MakeServerCredentials(options_.tls);
    if (!credentials.ok()) return credentials.status();
    builder.AddListeningPort(options_.listen, *credentials, &port_);
    server_ = builder.BuildAndStart();
    const bool unix_socket = options_.listen.compare(0, 5, "unix:") == 0;
    if (!server_ || (!unix_socket && port_ == 0)) {
      server_.reset();
      return absl::UnavailableError(absl::StrCat("cannot listen on ", options_.listen,
                                                 ": the address is in use by another program or is not one of this "
                                                 "machine; choose another with --listen"));
    }
    if (unix_socket) port_ = 0;
    return absl::OkStatus();
  }

  std::string address() const override {
    if (port_ == 0) return options_.listen;
    return absl::StrCat(options_.listen.substr(0, options_.listen.rfind(':')), ":", port_);
  }
  int port() const override { return port_; }

  ServerSight Look() const override {
    const PoolLimits limits = pool_.limits();
    return {pool_.queued(), pool_.running(), limits.queue_length, pool_.threads(), host_.lasting(),
            static_cast<int>(access_->identities()), draining_};
  }
  const Statistics& statistics() const override { return host_.statistics(); }

  void SetLoadLimits(const LoadLimits& limits) override {
    pool_.SetLimits({limits.queue_length, limits.client_calls, limits.backlog});
    host_.rate().SetRate(limits.client_calls_per_s);
    host_.SetSlow(limits.slow);
  }

  absl::Status ReloadAccess() override {
    const absl::Status status = access_->Reload();
    host_.EndUnknown();
    return status;
  }

  absl::StatusOr<bool> WatchAccess() override {
    const auto changed = access_->ReloadIfChanged();
    host_.EndUnknown();
    return changed;
  }

  void TellRepeated() override { host_.audit().TellRepeated(); }

  void StopAdmitting() override {
    draining_ = true;
    server_->GetHealthCheckService()->SetServingStatus(false);
  }

  void Shutdown(absl::Duration grace) override {
    host_.DrainAll();
    server_->Shutdown(absl::ToChronoTime(absl::Now() + grace));
    server_->Wait();
  }

 private:
  static ServerFacts Facts(const ServerOptions& options) {
    ServerFacts facts{options.version, options.commit, {}};
    facts.limits.set_message_bytes(options.message_bytes);
    facts.limits.set_samples_per_request(kMostSamples);
    facts.limits.set_degrees_of_freedom(kMostDegreesOfFreedom);
    facts.limits.set_models(options.models);
    facts.limits.set_revisions_per_model(options.revisions_per_model);
    facts.limits.set_source_bytes(4 << 20);
    facts.limits.set_queue_length(options.load.queue_length);
    return facts;
  }

  const ServerOptions options_;
  Pool pool_;
  const std::unique_ptr<Access> access_;
  Host host_;
  std::atomic<bool> draining_{false};
  std::vector<std::unique_ptr<grpc::Service>> services_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(Engine& engine, const ServerOptions& options) {
  auto access = Access::Open(options.access);
  if (!access.ok()) return access.status();
  auto server = std::make_unique<GrpcServer>(engine, *std::move(access), options);
  if (absl::Status s = server->Listen(); !s.ok()) return s;
  return absl::StatusOr<std::unique_ptr<Server>>(std::move(server));
}

}  // namespace torqued
