// Is this caller known, and as whom? Tokens and certificates of the access file, in memory, reloaded while calls run.
//
// A grant is what an identity may do. It is shared by the calls and streams that it admitted: when the file no longer
// holds it, the grant itself says so, and streams that are open under it end.
#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "server/service/access/access_file.h"

namespace torqued {

struct Grant {
  std::string name;
  Role role = Role::kNone;
  absl::Time expires = absl::InfiniteFuture();
  bool certificate = false;
  std::atomic<bool> revoked{false};

  // UNAUTHENTICATED: revoked or expired since.
  absl::Status Check() const;
};
using GrantPtr = std::shared_ptr<Grant>;

struct AccessOptions {
  std::string file;                       // empty: no tokens
  bool certificates = false;              // clients may be known by a certificate that TLS has verified
  Role certificate_role = Role::kViewer;  // of a certificate that the file does not name; kNone: refused
};

// Thread-safe.
class Access {
 public:
  // UNAVAILABLE, INVALID_ARGUMENT: the file.
  static absl::StatusOr<std::unique_ptr<Access>> Open(const AccessOptions& options);

  // Whether callers must say who they are; without it everybody may do everything.
  bool required() const { return !options_.file.empty() || options_.certificates; }

  // UNAUTHENTICATED (reasons BAD_TOKEN, TOKEN_EXPIRED, UNKNOWN_CERTIFICATE).
  absl::StatusOr<GrantPtr> ByToken(std::string_view token) const;
  absl::StatusOr<GrantPtr> ByCertificate(const std::string& name);

  // Reads the file again. On an error what was known stays in force.
  absl::Status Reload();
  // The same if the file changed since it was read last. True: it did, and is in force.
  absl::StatusOr<bool> ReloadIfChanged();

  size_t identities() const;

 private:
  struct Table {
    std::unordered_map<std::string, GrantPtr> by_hash;
    std::map<std::string, GrantPtr> by_certificate;  // those of the file
  };

  explicit Access(const AccessOptions& options) : options_(options) {}
  std::string FileStamp() const;

  const AccessOptions options_;
  std::mutex reload_mutex_;    // one reload at a time; guards stamp_
  std::string stamp_;          // what the file system says of the version in force
  mutable std::mutex mutex_;   // guards those below
  Table table_;
  std::map<std::string, GrantPtr> unlisted_;  // certificates with certificate_role
};

}  // namespace torqued
