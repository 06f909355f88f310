// One run of torquectl: the options that all verbs share, who answers, and where the answer goes.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "client/cli/backend.h"
#include "client/cli/sheet.h"

namespace torqued::cli {

struct SharedOptions {
  std::string server;  // empty: TORQUED_SERVER, else 127.0.0.1:50051
  std::string timeout = "10s";
  std::string robots;  // --local: folder of robots; empty: TORQUED_ROBOTS, else the shipped ones
  std::string token_file, tls_ca, tls_cert, tls_key;
  bool tls = false, json = false, csv = false, local = false, wait = false;
};

class Session {
 public:
  Session(const SharedOptions& shared, std::ostream& out, std::ostream& err)
      : shared_(shared), out_(out), err_(err) {}

  // The one who answers. INVALID_ARGUMENT: options that do not fit.
  absl::StatusOr<Backend*> backend();
  absl::StatusOr<ClientOptions> client_options() const;

  // The answer of the backend, with a progress bar if it takes long.
  template <class Response>
  absl::StatusOr<Response> Ask(const google::protobuf::Message& request) {
    Response response;
    if (absl::Status status = Call(request, response); !status.ok()) return status;
    return response;
  }
  absl::Status Call(const google::protobuf::Message& request, google::protobuf::Message& response);

  absl::StatusOr<v1::Model> GetModel(const std::string& argument,
                                     v1::Base base = v1::BASE_UNSPECIFIED,
                                     v1::ModelView view = v1::MODEL_VIEW_BASIC);

  // Prints the message (--json) or the sheets (--csv, else tables with a blank line between). With
  // an --out file the file gets it instead: the message where its name ends in .json, else CSV.
  void Show(const google::protobuf::Message& answer, const std::vector<Sheet>& sheets);

  void set_out_file(const std::string& path) { out_file_ = path; }
  // INVALID_ARGUMENT: the --out file could not be written.
  const absl::Status& written() const { return written_; }

  const SharedOptions& shared() const { return shared_; }
  std::ostream& out() { return out_; }
  std::ostream& err() { return err_; }
  bool for_people() const { return !shared_.json && !shared_.csv; }

 private:
  const SharedOptions& shared_;
  std::ostream& out_;
  std::ostream& err_;
  std::unique_ptr<Backend> backend_;
  std::string out_file_;
  absl::Status written_;
};

// Writes text to a file, "-" is standard output. INVALID_ARGUMENT: cannot be written.
absl::Status WriteFile(const std::string& path, const std::string& text);

}  // namespace torqued::cli
