#include "server/service/rpc/caller.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <grpc/grpc_security_constants.h>

#include <algorithm>
#include <atomic>
#include <random>

#include "proto/wire/errors.h"

namespace torqued {
namespace {

std::string MakeRequestId() {
  static const std::uint64_t first = std::random_device{}() * 0x100000000ull + std::random_device{}();
  static std::atomic<std::uint64_t> count{0};
  return absl::StrFormat("%016x", first + 0x9e3779b97f4a7c15ull * ++count);
}

bool IsRequestId(absl::string_view text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(c) || c == '-' || c == '_' || c == '.';
  });
}

// version "-" trace id "-" parent id "-" flags, lower-case hex; ids of zeros mean nothing.
bool IsTraceparent(absl::string_view text) {
  if (text.size() < 55 || (text.size() > 55 && (text[55] != '-' || absl::StartsWith(text, "00")))) return false;
  if (text.size() > 128 || absl::StartsWith(text, "ff")) return false;
  for (size_t i = 0; i < 55; ++i) {
    const bool dash = i == 2 || i == 35 || i == 52;
    if (dash ? text[i] != '-' : !(absl::ascii_isdigit(text[i]) || (text[i] >= 'a' && text[i] <= 'f'))) return false;
  }
  const auto zeros = [&](size_t at, size_t n) { return text.substr(at, n).find_first_not_of('0') == absl::string_view::npos; };
  return !zeros(3, 32) && !zeros(36, 16);
}

// The name of a verified certificate: its CN, else its first alternative name.
std::string CertificateName(const grpc::AuthContext& context) {
  for (const char* property : {GRPC_X509_CN_PROPERTY_NAME, GRPC_X509_SAN_PROPERTY_NAME}) {
    const auto values = context.FindPropertyValues(property);
    if (!values.empty() && !values.front().empty()) return std::string(values.front().data(), values.front().size());
  }
  return "";
}

}  // namespace

std::string Caller::Metadata(const char* key) const {
  const auto& all = context_->client_metadata();
  const auto found = all.find(key);
  return found == all.end() ? "" : std::string(found->second.data(), found->second.size());
}

absl::Status Caller::Identify(Access& access) {
  if (!access.required()) return absl::OkStatus();
  constexpr absl::string_view kBearer = "bearer ";
  const std::string authorization = Metadata("authorization");
  if (!authorization.empty()) {
    if (!absl::StartsWithIgnoreCase(authorization, kBearer))
      return wire::Error(absl::StatusCode::kUnauthenticated, "BAD_TOKEN", "authorization: want 'Bearer TOKEN'");
    auto grant = access.ByToken(std::string_view(authorization).substr(kBearer.size()));
    if (!grant.ok()) return grant.status();
    grant_ = *std::move(grant);
    return absl::OkStatus();
  }
  const auto peer = context_->auth_context();
  if (peer && peer->IsPeerAuthenticated()) {
    auto grant = access.ByCertificate(CertificateName(*peer));
    if (!grant.ok()) return grant.status();
    grant_ = *std::move(grant);
    return absl::OkStatus();
  }
  return wire::Error(absl::StatusCode::kUnauthenticated, "NO_CREDENTIALS",
                     "this server wants to know who calls: give a token (torquectl --token-file FILE, or TORQUED_TOKEN) "
                     "or a certificate (--tls-cert, --tls-key)");
}

absl::Status Caller::Require(Role least) const {
  if (!grant_ || grant_->role >= least) return absl::OkStatus();
  return wire::Error(absl::StatusCode::kPermissionDenied, "ROLE_TOO_LOW",
                     absl::StrCat(grant_->name, " has the role ", RoleName(grant_->role), "; this call wants ", RoleName(least)),
                     {{"identity", grant_->name}, {"role", RoleName(grant_->role)}, {"wanted", RoleName(least)}});
}

const std::string& Caller::name() const {
  static const std::string* const nobody = new std::string;
  return grant_ ? grant_->name : *nobody;
}

std::string Caller::Share() const { return grant_ ? grant_->name : Peer(); }

std::string Caller::Peer() const {
  const std::string peer = context_->peer();
  if (absl::StartsWith(peer, "unix")) return "unix:";
  return peer.substr(0, peer.rfind(':'));
}

bool Caller::gave_request_id() const { return IsRequestId(Metadata("x-request-id")); }

const std::string& Caller::request_id() const {
  if (request_id_.empty()) {
    const std::string given = Metadata("x-request-id");
    request_id_ = IsRequestId(given) ? given : MakeRequestId();
  }
  return request_id_;
}

std::string Caller::Traceparent() const {
  const std::string given = Metadata("traceparent");
  return IsTraceparent(given) ? given : "";
}

}  // namespace torqued
