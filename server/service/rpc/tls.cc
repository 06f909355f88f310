#include "server/service/rpc/tls.h"

#include <absl/strings/str_cat.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace torqued {
namespace {

constexpr unsigned kRefreshSeconds = 1;

absl::Status Bad(const std::string& setting, const std::string& file, const std::string& what) {
  ERR_clear_error();
  return absl::InvalidArgumentError(absl::StrCat(setting, ": ", file, ": ", what));
}

}  // namespace

absl::Status CheckTls(const TlsOptions& options) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (SSL_CTX_use_certificate_chain_file(context.get(), options.certificate_file.c_str()) != 1)
    return Bad("tls_cert", options.certificate_file, "cannot be read as a chain of certificates (PEM)");
  if (SSL_CTX_use_PrivateKey_file(context.get(), options.key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    const bool other = ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH;
    return Bad("tls_key", options.key_file,
               other ? absl::StrCat("is not the key of ", options.certificate_file)
                     : "cannot be read as a private key (PEM, without a passphrase)");
  }
  if (!options.client_ca_file.empty() &&
      SSL_CTX_load_verify_locations(context.get(), options.client_ca_file.c_str(), nullptr) != 1)
    return Bad("tls_client_ca", options.client_ca_file, "cannot be read as certificates (PEM)");
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(const TlsOptions& options) {
  using namespace grpc::experimental;
  if (!options.on()) return grpc::InsecureServerCredentials();
  if (absl::Status s = CheckTls(options); !s.ok()) return s;
  const bool clients = !options.client_ca_file.empty();
  auto files = clients ? std::make_shared<FileWatcherCertificateProvider>(options.key_file, options.certificate_file,
                                                                          options.client_ca_file, kRefreshSeconds)
                       : std::make_shared<FileWatcherCertificateProvider>(options.key_file, options.certificate_file,
                                                                          kRefreshSeconds);
  TlsServerCredentialsOptions tls(std::move(files));
  tls.watch_identity_key_cert_pairs();
  if (clients) tls.watch_root_certs();
  tls.set_cert_request_type(!clients                  ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                            : options.client_required ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                                                      : GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_AND_VERIFY);
  return TlsServerCredentials(tls);
}

}  // namespace torqued
