#include "server/app/http.h"

#include <absl/strings/str_cat.h>
#include <civetweb.h>

namespace torqued {
namespace {

class CivetwebServer final : public HttpServer {
 public:
  explicit CivetwebServer(Handler handler) : handler_(std::move(handler)) {}
  ~CivetwebServer() override {
    if (context_ != nullptr) mg_stop(context_);
    mg_exit_library();
  }

  absl::Status Listen(const std::string& listen) {
    mg_init_library(0);
    // Whoever is slow to ask, or asks for ever, is cut off.
    const char* options[] = {"listening_ports", listen.c_str(), "num_threads", "3", "request_timeout_ms", "5000",
                             "enable_keep_alive", "no", "enable_directory_listing", "no", nullptr};
    mg_callbacks callbacks{};
    context_ = mg_start(&callbacks, this, options);
    if (context_ == nullptr)
      return absl::UnavailableError(absl::StrCat("cannot listen on ", listen, " for metrics: the address is in use, or "
                                                 "is not one of this machine; choose another with --metrics-listen"));
    mg_set_request_handler(context_, "/", &CivetwebServer::Handle, this);
    return absl::OkStatus();
  }

  int port() const override {
    mg_server_port ports[1] = {};
    return mg_get_server_ports(context_, 1, ports) == 1 ? ports[0].port : 0;
  }

 private:
  static int Handle(mg_connection* connection, void* self) {
    const mg_request_info* request = mg_get_request_info(connection);
    const std::string method = request->request_method == nullptr ? "" : request->request_method;
    Answer answer;
    if (method == "GET" || method == "HEAD")
      answer = static_cast<CivetwebServer*>(self)->handler_(request->local_uri == nullptr ? "" : request->local_uri);
    else
      answer = {405, "text/plain; charset=utf-8", "want GET\n"};
    const char* words = answer.code == 200 ? "OK" : answer.code == 404 ? "Not Found" : answer.code == 405 ? "Method Not Allowed" : "Service Unavailable";
    mg_printf(connection, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n", answer.code,
              words, answer.type.c_str(), answer.body.size());
    if (method == "GET") mg_write(connection, answer.body.data(), answer.body.size());
    return answer.code;
  }

  const Handler handler_;
  mg_context* context_ = nullptr;
};

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& listen, Handler handler) {
  auto server = std::make_unique<CivetwebServer>(std::move(handler));
  if (absl::Status s = server->Listen(listen); !s.ok()) return s;
  return absl::StatusOr<std::unique_ptr<HttpServer>>(std::move(server));
}

}  // namespace torqued
