#include "server/service/engine.h"

#include <absl/strings/str_cat.h>

namespace torqued {

Scratch& ThreadScratch() {
  thread_local Scratch scratch;
  return scratch;
}

absl::StatusOr<std::unique_ptr<Engine>> Engine::Open(const EngineOptions& options, std::unique_ptr<Store> store) {
  std::unique_ptr<Engine> engine(new Engine);
  if (store == nullptr) {
    SqliteStoreOptions store_options = options.store;
    if (!options.data_folder.empty()) {
      auto folder = DataFolder::Lock(options.data_folder);
      if (!folder.ok()) return folder.status();
      engine->folder_ = std::move(*folder);
      store_options.path = absl::StrCat(options.data_folder, "/models.sqlite");
    }
    auto file = SqliteStore::Open(store_options);
    if (!file.ok()) return file.status();
    store = *std::move(file);
  }
  engine->compiler_ = std::make_unique<compile::BackgroundCompiler>(options.compile);
  auto registry = Registry::Open(std::move(store), [compiler = engine->compiler_.get()](const ModelEntry& entry) {
    compiler->Submit(entry.batch);
  });
  if (!registry.ok()) return registry.status();
  engine->registry_ = std::move(*registry);
  if (!options.robots_folder.empty()) {
    const absl::Status status = RegisterFolder(*engine->registry_, options.robots_folder,
                                               [&](const std::string& text) { engine->complaints_.push_back(text); });
    if (!status.ok()) return status;
  }
  return engine;
}

}  // namespace torqued
