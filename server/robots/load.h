// How does a robot description become a Model? Text in, model and findings out.
//
// Two languages are read: URDF (urdf.h) and our YAML (README.md). Which one is detected from the text. xacro, SDF and
// MJCF are refused by name, with what to do instead.
//
// Bounds: 4 MiB of URDF or 1 MiB of YAML, 1000 links, XML 100 and YAML 24 levels deep, no XML document type (so no entities of one's
// own), no YAML anchors, aliases or tags. Nothing outside the text is read: meshes are ignored.
#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/core/tree/model.h"
#include "server/robots/capabilities.h"
#include "server/robots/finding.h"

namespace torqued {

enum class SourceFormat { kUrdf, kYaml };
enum class BaseOption { kAsSource, kFixed, kFloating };

struct LoadOptions {
  Policy policy = Policy::kWarn;
  BaseOption base = BaseOption::kAsSource;
  std::string name;  // empty: as the source says
};

struct LoadedModel {
  Model model;
  std::vector<Finding> findings;
  Capabilities capabilities;
  SourceFormat format = SourceFormat::kUrdf;
  std::string description;                     // YAML only
  std::map<std::string, std::string> labels;   // YAML only
};

// INVALID_ARGUMENT: malformed, or impossible under Policy::kStrict: element, line, what was wanted.
// RESOURCE_EXHAUSTED: larger than the bounds. Thread-safe; independent of the locale.
absl::StatusOr<LoadedModel> LoadModel(std::string_view source, const LoadOptions& options = {});

// Reads the file first; options.name defaults to the file's name without its extension. NOT_FOUND: no such file.
absl::StatusOr<LoadedModel> LoadModelFile(const std::string& path, LoadOptions options = {});

// The file's text, at most kMaxSourceBytes + 1 of it.
absl::StatusOr<std::string> ReadSourceFile(const std::string& path);

}  // namespace torqued
