// The operator's small HTTP server: /metrics, /healthz (the process lives), /readyz (new clients are welcome).
#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <string>

namespace torqued {

class HttpServer {
 public:
  struct Answer {
    int code = 200;
    std::string type = "text/plain; charset=utf-8", body;
  };
  using Handler = std::function<Answer(const std::string& path)>;  // any thread; 404 is a handler's to say

  // `listen`: HOST:PORT, port 0: a free one. UNAVAILABLE: the address cannot be had.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const std::string& listen, Handler handler);
  virtual ~HttpServer() = default;
  virtual int port() const = 0;
};

}  // namespace torqued
