#include "server/app/serve.h"

#include <absl/strings/str_cat.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "server/app/http.h"
#include "server/app/log.h"
#include "server/app/metrics.h"
#include "server/app/shared_store.h"
#include "server/app/version.h"
#include "server/service/server.h"
#include "server/store/etcd_options.h"

namespace torqued {
namespace {

constexpr int kRefused = 4;

int Refuse(const absl::Status& status) {
  log::Error(std::string(status.message()));
  return kRefused;
}

EngineOptions ToEngineOptions(const Config& config) {
  EngineOptions options;
  options.data_folder = config.data_dir;
  options.robots_folder = config.robots;
  options.compile = config.compile;
  options.store.models = config.models;
  options.store.revisions_per_model = config.revisions_per_model;
  return options;
}

log::Level ToLevel(Weight weight) {
  switch (weight) {
    case Weight::kDebug: return log::Level::kDebug;
    case Weight::kInfo: return log::Level::kInfo;
    case Weight::kWarning: return log::Level::kWarning;
    case Weight::kError: return log::Level::kError;
  }
  return log::Level::kInfo;
}

LoadLimits ToLoadLimits(const Config& config) {
  LoadLimits limits;
  limits.queue_length = config.queue_length;
  limits.backlog = absl::Seconds(config.queue_s);
  limits.client_calls = config.client_calls;
  limits.client_calls_per_s = config.client_calls_per_s;
  limits.slow = absl::Seconds(config.slow_s);
  return limits;
}

ServerOptions ToServerOptions(const Config& config) {
  ServerOptions options;
  options.listen = config.listen;
  options.worker_threads = config.worker_threads;
  options.load = ToLoadLimits(config);
  options.tls = {config.tls_cert, config.tls_key, config.tls_client_ca, config.tls_client_required};
  options.access.file = config.auth_file;
  options.access.certificates = !config.tls_client_ca.empty();
  options.access.certificate_role = ParseRole(config.certificate_role).value_or(Role::kNone);
  options.journal.write = [](Weight weight, const std::string& line) { log::Write(ToLevel(weight), line); };
  options.journal.audit = log::Audit;
  options.journal.tells_calls = [] { return log::Tells(log::Level::kDebug); };
  options.message_bytes = config.message_mib << 20;
  options.models = config.models;
  options.revisions_per_model = config.revisions_per_model;
  if (config.max_connection_age_s > 0) options.max_connection_age = absl::Seconds(config.max_connection_age_s);
  options.version = TORQUED_VERSION;
  options.commit = TORQUED_COMMIT;
  return options;
}

void SayWhoMayCall(const Config& config) {
  const bool tls = !config.tls_cert.empty(), known = !config.auth_file.empty() || !config.tls_client_ca.empty();
  if (config.insecure && !known) log::Warning("insecure: anybody who reaches ", config.listen, " may use and change the models");
  if (config.insecure && !tls) log::Warning("insecure: what goes over ", config.listen, " is not encrypted");
  log::Info("tls: ", !tls ? "off" : config.tls_client_ca.empty() ? "on" : "on, with client certificates",
            "; callers: ", known ? "identified" : "not asked who they are");
}

HttpServer::Answer Look(const std::string& path, const Config& config, Engine& engine, const Server& server) {
  if (path == "/metrics") return {200, "text/plain; version=0.0.4; charset=utf-8", MetricsPage(config, engine, server)};
  if (path == "/healthz") return {200, "text/plain; charset=utf-8", "alive\n"};
  if (path == "/readyz") {
    if (server.Look().draining) return {503, "text/plain; charset=utf-8", "draining\n"};
    return {200, "text/plain; charset=utf-8", "ready\n"};
  }
  return {404, "text/plain; charset=utf-8", "want /metrics, /healthz or /readyz\n"};
}

// Whoever waits for the file sees it whole or not at all.
absl::Status WritePortFile(const std::string& path, int port) {
  const std::string fresh = path + ".new";
  std::ofstream out(fresh);
  out << port << "\n";
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(fresh, path, error);
  if (!out || error) return absl::UnavailableError(absl::StrCat("port file ", path, " cannot be written"));
  return absl::OkStatus();
}

sigset_t BlockSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return set;
}

// The signal that came, or 0 after so many seconds.
int WaitFor(const sigset_t& set, double seconds) {
  const timespec time{static_cast<time_t>(seconds), static_cast<long>((seconds - static_cast<double>(static_cast<time_t>(seconds))) * 1e9)};
  return std::max(0, sigtimedwait(&set, nullptr, &time));
}

void Reload(Server& server, const std::function<absl::StatusOr<Config>()>& reread) {
  log::Info("SIGHUP: reading settings and access again");
  if (!log::Reopen()) log::Error("a log file cannot be opened anew; lines go on where they went");
  if (const absl::Status s = server.ReloadAccess(); !s.ok())
    log::Error("access stays as it was: ", std::string(s.message()));
  const auto config = reread();
  if (!config.ok()) {
    log::Error("settings stay as they were: ", std::string(config.status().message()));
    return;
  }
  server.SetLoadLimits(ToLoadLimits(*config));
  log::Configure(config->log_level, "");
}

// Serves until a signal asks for the end; that signal.
int ServeOn(Server& server, const sigset_t& signals, const std::function<absl::StatusOr<Config>()>& reread) {
  for (int seconds = 1;; ++seconds) {
    const int signal = WaitFor(signals, 1);
    if (signal == SIGHUP) Reload(server, reread);
    else if (signal != 0) return signal;
    const auto changed = server.WatchAccess();
    if (!changed.ok()) log::Error("access stays as it was: ", std::string(changed.status().message()));
    else if (*changed) log::Info("access file read again");
    if (seconds % 60 == 0) server.TellRepeated();
  }
}

}  // namespace

int Serve(const Config& config, const std::function<absl::StatusOr<Config>()>& reread) {
  const sigset_t signals = BlockSignals();
  if (!log::Configure(config.log_level, config.log_file))
    return Refuse(absl::UnavailableError(absl::StrCat("log file ", config.log_file, " cannot be written")));
  if (!log::ConfigureAudit(config.audit_file))
    return Refuse(absl::UnavailableError(absl::StrCat("audit file ", config.audit_file, " cannot be written")));
  auto store = OpenSharedStore(config);
  if (!store.ok()) return Refuse(store.status());
  const bool shared = *store != nullptr;
  const auto engine = Engine::Open(ToEngineOptions(config), *std::move(store));
  if (!engine.ok()) return Refuse(engine.status());
  for (const std::string& complaint : (*engine)->complaints()) log::Warning("not registered: ", complaint);
  for (const auto& [id, model] : (*engine)->registry().snapshot()->models)
    if (!model->load_error.ok()) log::Error("model ", id, " cannot be served: ", model->load_error.message());
  const auto server = Server::Start(**engine, ToServerOptions(config));
  if (!server.ok()) return Refuse(server.status());
  SayWhoMayCall(config);
  std::unique_ptr<HttpServer> sight;
  if (!config.metrics_listen.empty()) {
    auto http = HttpServer::Start(config.metrics_listen, [&](const std::string& path) { return Look(path, config, **engine, **server); });
    if (!http.ok()) return Refuse(http.status());
    sight = *std::move(http);
    log::Info("metrics on port ", sight->port());
  }
  if (!config.port_file.empty())
    if (absl::Status s = WritePortFile(config.port_file, (*server)->port()); !s.ok()) return Refuse(s);
  log::Info("torqued ", TORQUED_VERSION, " (", TORQUED_COMMIT, "), ",
            (*engine)->registry().snapshot()->models.size(), " models, data in ", shared ? config.store : config.data_dir);
  std::printf("serving on %s\n", (*server)->address().c_str());
  std::fflush(stdout);

  const int signal = ServeOn(**server, signals, reread);
  log::Info(signal == SIGTERM ? "SIGTERM" : "SIGINT", ": draining for at most ", config.drain_s, " s");
  (*server)->StopAdmitting();
  bool patient = true;
  for (const absl::Time end = absl::Now() + absl::Seconds(config.drain_delay_s); patient && absl::Now() < end;) {
    const int more = WaitFor(signals, absl::ToDoubleSeconds(end - absl::Now()));
    patient = more == 0 || more == SIGHUP;
  }
  (*server)->Shutdown(absl::Seconds(patient ? config.drain_s : 0));
  (*server)->TellRepeated();
  log::Info("ended");
  return 0;
}

}  // namespace torqued
