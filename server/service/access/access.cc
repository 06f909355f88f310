#include "server/service/access/access.h"

#include <absl/strings/str_cat.h>
#include <absl/time/clock.h>
#include <sys/stat.h>

#include "proto/wire/errors.h"
#include "server/service/access/token.h"

namespace torqued {
namespace {

absl::Status Unauthenticated(const std::string& reason, const std::string& message) {
  return wire::Error(absl::StatusCode::kUnauthenticated, reason, message);
}

GrantPtr MakeGrant(const AccessEntry& entry) {
  auto grant = std::make_shared<Grant>();
  grant->name = entry.name;
  grant->role = entry.role;
  grant->expires = entry.expires;
  grant->certificate = entry.certificate;
  return grant;
}

bool Same(const Grant& grant, const AccessEntry& entry) {
  return grant.name == entry.name && grant.role == entry.role && grant.expires == entry.expires;
}

}  // namespace

absl::Status Grant::Check() const {
  if (revoked.load(std::memory_order_relaxed))
    return Unauthenticated("REVOKED", "the access that this call began with was withdrawn or changed; call again");
  if (expires != absl::InfiniteFuture() && absl::Now() >= expires)
    return Unauthenticated("TOKEN_EXPIRED", certificate ? "the certificate's access has expired" : "the token has expired");
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Access>> Access::Open(const AccessOptions& options) {
  std::unique_ptr<Access> access(new Access(options));
  if (absl::Status s = access->Reload(); !s.ok()) return s;
  return access;
}

std::string Access::FileStamp() const {
  struct stat s;
  if (stat(options_.file.c_str(), &s) != 0) return "";
  return absl::StrCat(s.st_dev, " ", s.st_ino, " ", s.st_size, " ", s.st_mtim.tv_sec, ".", s.st_mtim.tv_nsec);
}

absl::Status Access::Reload() {
  if (options_.file.empty()) return absl::OkStatus();
  const std::lock_guard<std::mutex> one(reload_mutex_);
  stamp_ = FileStamp();  // before reading: a change in between is seen next time
  const auto entries = ReadAccessFile(options_.file);
  if (!entries.ok()) return entries.status();
  const std::lock_guard<std::mutex> lock(mutex_);
  Table next;
  for (const AccessEntry& entry : *entries) {
    const auto keep = [&entry](auto& now, auto& fresh, const std::string& key) {
      const auto old = now.find(key);
      fresh[key] = old != now.end() && Same(*old->second, entry) ? old->second : MakeGrant(entry);
    };
    if (entry.certificate) keep(table_.by_certificate, next.by_certificate, entry.name);
    else keep(table_.by_hash, next.by_hash, entry.hash);
  }
  const auto revoke_missing = [](const auto& now, const auto& fresh) {
    for (const auto& [key, grant] : now) {
      const auto found = fresh.find(key);
      if (found == fresh.end() || found->second != grant) grant->revoked = true;
    }
  };
  revoke_missing(table_.by_hash, next.by_hash);
  revoke_missing(table_.by_certificate, next.by_certificate);
  // A certificate that is named now has the named role from here on.
  for (auto it = unlisted_.begin(); it != unlisted_.end();) {
    if (next.by_certificate.count(it->first) == 0) {
      ++it;
      continue;
    }
    it->second->revoked = true;
    it = unlisted_.erase(it);
  }
  table_ = std::move(next);
  return absl::OkStatus();
}

absl::StatusOr<bool> Access::ReloadIfChanged() {
  if (options_.file.empty()) return false;
  {
    const std::lock_guard<std::mutex> one(reload_mutex_);
    if (FileStamp() == stamp_) return false;
  }
  if (absl::Status s = Reload(); !s.ok()) return s;
  return true;
}

absl::StatusOr<GrantPtr> Access::ByToken(std::string_view token) const {
  const std::string hash = TokenHash(token);
  GrantPtr grant;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = table_.by_hash.find(hash);
    if (found != table_.by_hash.end()) grant = found->second;
  }
  if (!grant) return Unauthenticated("BAD_TOKEN", "the token is not known here: revoked, or of another server");
  if (absl::Status s = grant->Check(); !s.ok()) return s;
  return grant;
}

absl::StatusOr<GrantPtr> Access::ByCertificate(const std::string& name) {
  GrantPtr grant;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = table_.by_certificate.find(name);
    if (found != table_.by_certificate.end()) {
      grant = found->second;
    } else if (options_.certificate_role != Role::kNone && !name.empty()) {
      GrantPtr& slot = unlisted_[name];
      if (!slot) slot = MakeGrant({true, name, options_.certificate_role, absl::InfiniteFuture(), ""});
      grant = slot;
    }
  }
  if (!grant)
    return Unauthenticated("UNKNOWN_CERTIFICATE",
                           absl::StrCat("no access is given to the certificate of '", name.substr(0, 100), "'"));
  if (absl::Status s = grant->Check(); !s.ok()) return s;
  return grant;
}

size_t Access::identities() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return table_.by_hash.size() + table_.by_certificate.size();
}

}  // namespace torqued
