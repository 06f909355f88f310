#include "server/service/access/token.h"

#include <absl/strings/escaping.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <cstdlib>

namespace torqued {

std::string NewToken() {
  unsigned char bits[32];
  if (RAND_bytes(bits, sizeof bits) != 1) std::abort();  // no entropy: no token is better than a weak one
  std::string text = absl::WebSafeBase64Escape(absl::string_view(reinterpret_cast<const char*>(bits), sizeof bits));
  while (!text.empty() && text.back() == '=') text.pop_back();
  return "tqd_" + text;
}

std::string TokenHash(std::string_view token) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest);
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), sizeof digest));
}

}  // namespace torqued
