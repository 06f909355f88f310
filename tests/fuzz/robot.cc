// Any text as a robot: it loads, or it is refused with a word of why. URDF or YAML: the text tells.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "server/robots/load.h"
#include "server/robots/revision.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto loaded = torqued::LoadModel(text, {});
  if (!loaded.ok() && loaded.status().message().empty()) std::abort();
  if (torqued::Revision(text).size() != 12) std::abort();
  return 0;
}
