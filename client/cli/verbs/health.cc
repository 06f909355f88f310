// torquectl health: does the server serve?
#include <google/protobuf/util/time_util.h>

#include "client/cli/numbers.h"
#include "client/cli/verbs/verbs.h"
#include "grpc/health/v1/health.pb.h"
#include "torqued/v1/server.pb.h"

namespace torqued::cli {
namespace {

using google::protobuf::util::TimeUtil;

class Health : public Verb {
 public:
  VerbText Text() const override {
    return {"health",
            kServer,
            "does the server serve, and what is it?",
            {"health", "health --server lab:50051 --timeout 2s", "health --wait --timeout 30s",
             "health --quiet"},
            "Exit code 0 if it serves, 4 otherwise: usable as a container's probe."};
  }

  void Declare(OptionSet& options) override {
    options.Flag("--quiet,-q", quiet_, "only the exit code");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto who = session.backend();
    if (!who.ok()) return who.status();
    if ((*who)->client() != nullptr) {
      const auto state = session.Ask<grpc::health::v1::HealthCheckResponse>(
          grpc::health::v1::HealthCheckRequest());
      if (!state.ok()) return state.status();
      if (state->status() != grpc::health::v1::HealthCheckResponse::SERVING)
        return absl::UnavailableError(
            "the server answers " +
            grpc::health::v1::HealthCheckResponse::ServingStatus_Name(state->status()));
    }
    if (quiet_) return Exit::kOk;
    const auto info = session.Ask<v1::GetServerInfoResponse>(v1::GetServerInfoRequest());
    if (!info.ok()) return info.status();
    const v1::ServerLimits& limits = info->limits();
    session.Show(
        *info,
        {{"serving",
          {"", ""},
          {{"version", info->version()},
           {"commit", info->commit()},
           {"instruction set", info->instruction_set()},
           {"compiles kernels", info->compiles_kernels() ? "yes" : "no"},
           {"models", std::to_string(info->model_count())},
           {"store", info->store().read_only() ? info->store().kind() + ", read-only: " + info->store().problem()
                                               : info->store().kind()},
           {"worker threads", std::to_string(info->worker_threads())},
           {"uptime",
            Fixed(static_cast<double>(TimeUtil::DurationToMilliseconds(info->uptime())) / 1000, 1) +
                " s"},
           {"samples per request, at most", std::to_string(limits.samples_per_request())},
           {"bytes per message, at most", std::to_string(limits.message_bytes())},
           {"degrees of freedom, at most", std::to_string(limits.degrees_of_freedom())}}}});
    return Exit::kOk;
  }

 private:
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeHealth() { return std::make_unique<Health>(); }

}  // namespace torqued::cli
