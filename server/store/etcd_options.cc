#include "server/store/etcd_options.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

namespace torqued {
namespace {

constexpr char kScheme[] = "etcd://";

absl::Status Bad(const std::string& url, const std::string& why) {
  return absl::InvalidArgumentError(
      absl::StrCat("store: '", url, "': ", why, "; want etcd://[USER@]HOST:PORT[,HOST:PORT...][/PREFIX]"));
}

}  // namespace

bool IsEtcdUrl(const std::string& url) { return url.rfind(kScheme, 0) == 0; }

absl::StatusOr<EtcdOptions> ParseEtcdUrl(const std::string& url) {
  if (!IsEtcdUrl(url)) return Bad(url, "is no etcd address");
  EtcdOptions options;
  std::string rest = url.substr(sizeof kScheme - 1);
  if (const size_t slash = rest.find('/'); slash != std::string::npos) {
    options.prefix = rest.substr(slash + 1);
    if (options.prefix.empty()) return Bad(url, "the prefix is empty");
    if (options.prefix.back() != '/') options.prefix += '/';
    rest.resize(slash);
  }
  if (const size_t at = rest.rfind('@'); at != std::string::npos) {
    options.user = rest.substr(0, at);
    if (options.user.find(':') != std::string::npos)
      return absl::InvalidArgumentError("store: a password stands in the URL; put it into a file (store_password_file)");
    if (options.user.empty()) return Bad(url, "the user is empty");
    rest = rest.substr(at + 1);
  }
  for (const auto part : absl::StrSplit(rest, ',')) {
    const std::string endpoint(part);
    const size_t colon = endpoint.rfind(':');
    int port = 0;
    if (colon == std::string::npos || colon == 0 || !absl::SimpleAtoi(endpoint.substr(colon + 1), &port) || port < 1 ||
        port > 65535)
      return Bad(url, absl::StrCat("member '", endpoint, "' is not HOST:PORT"));
    options.endpoints.push_back(endpoint);
  }
  return options;
}

}  // namespace torqued
