// The whole service in process, without gRPC: what the server answers with and what a program without a server calls.
//
//   auto engine = Engine::Open({.robots_folder = "deploy/robots"});
//   v1::ComputeJacobianResponse answer;
//   absl::Status status = (*engine)->Ask(request, &answer);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/compile/background.h"
#include "server/service/compute/compute.h"
#include "server/service/models.h"
#include "server/store/data_folder.h"
#include "server/store/sqlite_store.h"

namespace torqued {

struct EngineOptions {
  std::string data_folder;    // empty: models live as long as the engine
  std::string robots_folder;  // its files are registered; empty: none
  SqliteStoreOptions store;   // its path follows from data_folder
  bool compile = false;       // make machine code for every model, behind the calls' backs
};

// Scratch of the calling thread.
Scratch& ThreadScratch();

class Engine {
 public:
  // Models live in `store` where one is given (several servers may share it), else in an SQLite file of the data folder.
  // FAILED_PRECONDITION: another process holds the data folder. Errors as Store's.
  static absl::StatusOr<std::unique_ptr<Engine>> Open(const EngineOptions& options, std::unique_ptr<Store> store = nullptr);

  Registry& registry() { return *registry_; }
  bool compiles() const { return compiler_->enabled(); }
  // Files of the robots folder that could not be registered, each with its reason.
  const std::vector<std::string>& complaints() const { return complaints_; }

  // Any request of the proto but the streaming ones. Thread-safe.
  template <class Request, class Response>
  absl::Status Ask(const Request& request, Response* response, const Interrupt* interrupt = nullptr,
                   const Changer& by = {}) {
    if constexpr (requires { request.context(); }) {
      const auto entry = registry_->FindEntry("context.model", request.context().model());
      if (!entry.ok()) return entry.status();
      return Answer(Call{**entry, ThreadScratch(), interrupt}, request, response);
    } else if constexpr (requires { Answer(*registry_, request, response, by); }) {
      return Answer(*registry_, request, response, by);
    } else {
      return Answer(*registry_, request, response);
    }
  }

 private:
  Engine() = default;

  std::optional<DataFolder> folder_;
  std::unique_ptr<compile::BackgroundCompiler> compiler_;
  std::unique_ptr<Registry> registry_;
  std::vector<std::string> complaints_;
};

}  // namespace torqued
