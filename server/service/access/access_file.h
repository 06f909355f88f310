// Who may call, as a file: one line per token or certificate, hashes only.
//
//   # kind      name   role    expires               SHA-256 of the token
//   token       alice  editor  2027-01-31T00:00:00Z  9f86d081884c7d65...
//   certificate press  viewer  never
//
// A name may hold several tokens (so that one is replaced without a gap). Names are 1 to 63 letters, digits and . _ @ -.
// Lines are added and taken out one by one: comments and order stay as the operator wrote them.
#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <string>
#include <vector>

namespace torqued {

// What a role may do includes what the one before may do.
enum class Role {
  kNone,
  kViewer,  // ask
  kEditor,  // register models; change and delete its own
  kAdmin,   // change and delete every model
};
const char* RoleName(Role role);
// INVALID_ARGUMENT "role 'x', want viewer, editor or admin".
absl::StatusOr<Role> ParseRole(const std::string& text);

struct AccessEntry {
  bool certificate = false;
  std::string name;
  Role role = Role::kNone;
  absl::Time expires = absl::InfiniteFuture();
  std::string hash;  // of a token

  // First 8 hex digits of the hash: tells tokens of one name apart.
  std::string id() const { return hash.substr(0, 8); }
};

// INVALID_ARGUMENT: wanted form.
absl::Status CheckIdentityName(const std::string& name);

// INVALID_ARGUMENT "FILE:LINE: what"; a hash is never repeated.
absl::StatusOr<std::vector<AccessEntry>> ParseAccessFile(const std::string& path, const std::string& text);
// UNAVAILABLE: cannot be read. Errors as above.
absl::StatusOr<std::vector<AccessEntry>> ReadAccessFile(const std::string& path);

// One process at a time; readers see the old file or the new one. The file is created (readable by all: it holds no
// secret) where it is missing; an existing one keeps owner and mode. UNAVAILABLE: cannot be written.
absl::Status AddAccessEntry(const std::string& path, const AccessEntry& entry);
// Takes out the tokens (or the certificate) of `name`, or of these the one with this id. Their number.
absl::StatusOr<int> RemoveAccessEntries(const std::string& path, bool certificate, const std::string& name,
                                        const std::string& id);

}  // namespace torqued
