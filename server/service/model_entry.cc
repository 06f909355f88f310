#include "server/service/model_entry.h"

#include <absl/strings/str_cat.h>

#include <atomic>

#include "proto/wire/errors.h"
#include "server/core/tree/prepare.h"
#include "server/robots/revision.h"
#include "server/service/ik_method.h"
#include "server/service/limits.h"
#include "server/service/near.h"

namespace torqued {
namespace {

void DescribeColumns(const Model& model, ModelEntry& entry) {
  for (const Coordinate& c : model.coordinates) {
    entry.coordinate_names.push_back(c.name);
    entry.positions.groups.push_back({c.name, c.q_index, PositionCount(c.kind)});
    entry.rates.groups.push_back({c.name, c.v_index, VelocityCount(c.kind)});
    if (c.kind == JointKind::kFloating) entry.positions.quaternions.push_back(c.q_index + 3);
    if (c.kind == JointKind::kSpherical) entry.positions.quaternions.push_back(c.q_index);
  }
  entry.positions.width = model.nq;
  entry.rates.width = model.nv;
}

}  // namespace

absl::StatusOr<EntryPtr> MakeModelEntry(const std::string& id, const std::string& source, const LoadOptions& options) {
  static std::atomic<std::uint64_t> last_serial{0};
  auto loaded = LoadModel(source, options);
  if (!loaded.ok()) return loaded.status();
  if (loaded->model.nv > kMostDegreesOfFreedom)
    return wire::Exhausted("TOO_MANY_JOINTS", "degrees of freedom",
                           absl::StrCat("source: ", loaded->model.nv, " degrees of freedom, at most ", kMostDegreesOfFreedom));
  auto prepared = std::make_shared<const Prepared>(Prepare(loaded->model));
  auto entry = std::make_shared<ModelEntry>(std::move(*loaded), std::move(prepared));
  entry->serial = ++last_serial;
  entry->id = id;
  entry->revision = Revision(source, options);
  entry->name = absl::StrCat("models/", id, "/revisions/", entry->revision);
  entry->source = source;
  entry->options = options;
  entry->with_fixed = Prepare(entry->loaded.model, {.lump_fixed = false});
  entry->loaded.capabilities.inverse_kinematics = InverseKinematicsMethod(entry->prepared);
  DescribeColumns(entry->loaded.model, *entry);
  for (size_t f = 0; f < entry->prepared.frame_names.size(); ++f)
    entry->frames.emplace(entry->prepared.frame_names[f], static_cast<int>(f));
  return entry;
}

absl::StatusOr<int> FindFrame(const ModelEntry& entry, const std::string& field, const std::string& frame) {
  if (frame.empty()) return entry.prepared.tool_frame;
  const auto found = entry.frames.find(frame);
  if (found != entry.frames.end()) return found->second;
  return wire::NotFound("UNKNOWN_FRAME", "frame", frame,
                        absl::StrCat(field, ": model '", entry.id, "' has no link or frame '", frame, "'"),
                        NearNames(frame, entry.prepared.frame_names));
}

}  // namespace torqued
