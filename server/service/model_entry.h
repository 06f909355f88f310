// What is kept of one revision of a model, ready to compute? Immutable, shared by every call that uses it.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "proto/wire/rows.h"
#include "server/batch/batch.h"
#include "server/core/tree/prepared.h"
#include "server/robots/load.h"

namespace torqued {

struct ModelEntry {
  ModelEntry(LoadedModel model_loaded, std::shared_ptr<const Prepared> model_prepared)
      : loaded(std::move(model_loaded)), prepared(*model_prepared), batch(std::make_shared<Batch>(model_prepared)) {}

  std::uint64_t serial = 0;  // unique in this process: scratch sized for one entry is recognised by it
  std::string id;            // "scara"
  std::string revision;      // 12 hex digits
  std::string name;          // "models/scara/revisions/0123456789ab"
  std::string source;        // as given
  LoadOptions options;

  LoadedModel loaded;
  const Prepared& prepared;  // fixed joints lumped; batch keeps it alive
  std::shared_ptr<Batch> batch;  // the kernels that answer for it
  Prepared with_fixed;       // fixed joints are bodies: link forces
  std::vector<std::string> coordinate_names;
  wire::Columns positions, rates;
  std::unordered_map<std::string, int> frames;  // index into prepared.frames

  const Model& model() const { return loaded.model; }
  int nq() const { return prepared.nq; }
  int nv() const { return prepared.nv; }
};

using EntryPtr = std::shared_ptr<const ModelEntry>;

// Parses and prepares: milliseconds, so never on the request path. INVALID_ARGUMENT, RESOURCE_EXHAUSTED as LoadModel.
absl::StatusOr<EntryPtr> MakeModelEntry(const std::string& id, const std::string& source, const LoadOptions& options);

// Index into entry.prepared.frames; empty: the tool frame. NOT_FOUND with near names.
absl::StatusOr<int> FindFrame(const ModelEntry& entry, const std::string& field, const std::string& frame);

}  // namespace torqued
