#include "server/robots/revision.h"

#include <openssl/sha.h>

namespace torqued {

std::string CanonicalSource(std::string_view source, const LoadOptions& options) {
  if (source.substr(0, 3) == "\xEF\xBB\xBF") source.remove_prefix(3);
  std::string out;
  out.reserve(source.size() + 1);
  const auto end_line = [&out] {
    while (!out.empty() && (out.back() == ' ' || out.back() == '\t')) out.pop_back();
    out += '\n';
  };
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      end_line();
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    } else if (source[i] == '\n') {
      end_line();
    } else {
      out += source[i];
    }
  }
  end_line();
  while (out.size() > 1 && out[out.size() - 2] == '\n') out.pop_back();
  if (options.base == BaseOption::kFixed) out += "#!base=fixed\n";
  if (options.base == BaseOption::kFloating) out += "#!base=floating\n";
  if (options.policy == Policy::kRepair) out += "#!policy=repair\n";
  return out;
}

std::string Revision(std::string_view source, const LoadOptions& options) {
  const std::string canonical = CanonicalSource(source, options);
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(canonical.data()), canonical.size(), digest);
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (int i = 0; i < 6; ++i) {
    out += kHex[digest[i] >> 4];
    out += kHex[digest[i] & 15];
  }
  return out;
}

}  // namespace torqued
