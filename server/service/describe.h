// A registered model as its message.
#pragma once

#include "server/service/registry.h"
#include "torqued/v1/models.pb.h"

namespace torqued {

// FULL adds the source, links and joints.
void Describe(const Registered& model, v1::ModelView view, v1::Model* out);
// An entry that is not (or not as current revision) registered: validate_only, old revisions.
void DescribeEntry(const ModelEntry& entry, v1::ModelView view, v1::Model* out);

// Which code answers `method`.
void WriteKernel(const Batch& batch, Method method, v1::Kernel* to);

// Reads a source's options. INVALID_ARGUMENT: an unknown enum value.
absl::StatusOr<LoadOptions> ReadOptions(const v1::ModelSource& source);

}  // namespace torqued
