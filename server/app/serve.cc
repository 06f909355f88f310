#include "server/app/serve.h"

#include <absl/strings/str_cat.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "server/app/log.h"
#include "server/app/version.h"
#include "server/service/server.h"
#include "server/service/stored_entry.h"

namespace torqued {
namespace {

constexpr int kRefused = 4, kCheckFailed = 2;

int Refuse(const absl::Status& status) {
  log::Error(std::string(status.message()));
  log::Flush();
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

ServerOptions ToServerOptions(const Config& config) {
  ServerOptions options;
  options.listen = config.listen;
  options.worker_threads = config.worker_threads;
  options.queue_length = config.queue_length;
  options.message_bytes = config.message_mib << 20;
  options.models = config.models;
  options.revisions_per_model = config.revisions_per_model;
  if (config.max_connection_age_s > 0) options.max_connection_age = absl::Seconds(config.max_connection_age_s);
  options.version = TORQUED_VERSION;
  options.commit = TORQUED_COMMIT;
  return options;
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
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return set;
}

// False: a second signal came meanwhile.
bool Wait(const sigset_t& set, double seconds) {
  timespec time{static_cast<time_t>(seconds), static_cast<long>((seconds - static_cast<time_t>(seconds)) * 1e9)};
  return seconds <= 0 || sigtimedwait(&set, nullptr, &time) < 0;
}

}  // namespace

int Serve(const Config& config) {
  const sigset_t signals = BlockSignals();
  if (!log::Configure(config.log_level, config.log_file))
    return Refuse(absl::UnavailableError(absl::StrCat("log file ", config.log_file, " cannot be written")));
  const auto engine = Engine::Open(ToEngineOptions(config));
  if (!engine.ok()) return Refuse(engine.status());
  for (const std::string& complaint : (*engine)->complaints()) log::Warning("not registered: ", complaint);
  for (const auto& [id, model] : (*engine)->registry().snapshot()->models)
    if (!model->load_error.ok()) log::Error("model ", id, " cannot be served: ", model->load_error.message());
  const auto server = Server::Start(**engine, ToServerOptions(config));
  if (!server.ok()) return Refuse(server.status());
  if (config.insecure) log::Warning("insecure: anybody who reaches ", config.listen, " may use and change the models");
  if (!config.port_file.empty())
    if (absl::Status s = WritePortFile(config.port_file, (*server)->port()); !s.ok()) return Refuse(s);
  log::Info("torqued ", TORQUED_VERSION, " (", TORQUED_COMMIT, "), ",
            (*engine)->registry().snapshot()->models.size(), " models, data in ", config.data_dir);
  log::Flush();
  std::printf("serving on %s\n", (*server)->address().c_str());
  std::fflush(stdout);

  int signal = 0;
  sigwait(&signals, &signal);
  log::Info(signal == SIGTERM ? "SIGTERM" : "SIGINT", ": draining for at most ", config.drain_s, " s");
  (*server)->StopAdmitting();
  const bool patient = Wait(signals, config.drain_delay_s);
  (*server)->Shutdown(absl::Seconds(patient ? config.drain_s : 0));
  log::Info("ended");
  log::Flush();
  return 0;
}

int CheckStore(const Config& config) {
  const std::string path = absl::StrCat(config.data_dir, "/models.sqlite");
  if (!std::filesystem::exists(path)) {
    std::fprintf(stderr, "torqued: no store at %s\n", path.c_str());
    return kRefused;
  }
  const auto folder = DataFolder::Lock(config.data_dir);
  if (!folder.ok()) {
    std::fprintf(stderr, "torqued: %s\n", std::string(folder.status().message()).c_str());
    return kRefused;
  }
  SqliteStoreOptions options;
  options.path = path;
  const auto store = SqliteStore::Open(options);
  if (!store.ok()) {
    std::printf("%s\n", std::string(store.status().message()).c_str());
    return absl::IsDataLoss(store.status()) ? kCheckFailed : kRefused;
  }
  const auto problems = (*store)->Check();
  const auto snapshot = (*store)->List();
  if (!problems.ok() || !snapshot.ok()) {
    std::printf("%s\n", std::string((problems.ok() ? snapshot.status() : problems.status()).message()).c_str());
    return kCheckFailed;
  }
  for (const std::string& problem : *problems) std::printf("%s\n", problem.c_str());
  int unreadable = 0;
  for (const StoredModel& model : snapshot->models) {
    const auto revisions = (*store)->Revisions(model.id);
    if (!revisions.ok()) {
      ++unreadable;
      std::printf("model %s: %s\n", model.id.c_str(), std::string(revisions.status().message()).c_str());
      continue;
    }
    for (const StoredRevision& revision : *revisions) {
      const auto entry = MakeStoredEntry(model.id, revision);
      if (entry.ok()) continue;
      ++unreadable;
      std::printf("model %s, revision %s: %s\n", model.id.c_str(), revision.revision.c_str(),
                  std::string(entry.status().message()).c_str());
    }
  }
  std::printf("%s: %zu models, position %lld, %zu problems\n", path.c_str(), snapshot->models.size(),
              static_cast<long long>(snapshot->position), problems->size() + unreadable);
  return problems->empty() && unreadable == 0 ? 0 : kCheckFailed;
}

}  // namespace torqued
