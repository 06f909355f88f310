// What do all handlers share? The engine, the workers, the counters, and how one unary call goes: admit, ask, count.
//
// A small question is answered on the thread that read it. What may take longer than about 1 ms goes to the workers;
// a full queue answers RESOURCE_EXHAUSTED with the time to wait.
#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <atomic>
#include <mutex>
#include <set>
#include <string>

#include "proto/wire/errors.h"
#include "proto/wire/grpc_status.h"
#include "server/service/engine.h"
#include "server/service/methods.h"
#include "server/service/pool.h"
#include "server/service/rpc/cost.h"
#include "server/service/statistics.h"
#include "torqued/v1/server.pb.h"

namespace torqued {

struct ServerFacts {
  std::string version, commit;
  v1::ServerLimits limits;
};

// A stream or watch that must be told when the server drains.
class Drainable {
 public:
  virtual ~Drainable() = default;
  virtual void Drain() = 0;  // any thread
};

class Host {
 public:
  Host(Engine& engine, Pool& pool, ServerFacts facts) : engine_(engine), pool_(pool), facts_(std::move(facts)) {}

  Engine& engine() { return engine_; }
  Pool& pool() { return pool_; }
  Statistics& statistics() { return statistics_; }
  const ServerFacts& facts() const { return facts_; }

  // Streams and watches announce themselves; from DrainAll on, new ones are told at once.
  void Add(Drainable* stream);
  void Remove(Drainable* stream);
  void DrainAll();
  static absl::Status Draining();
  absl::Status QueueFull() const;

  // Answers and counts; any thread.
  template <class Request, class Response>
  absl::Status AskAndCount(const Request& request, Response* response, const Interrupt* interrupt, absl::Time begin) {
    const absl::Status status = engine_.Ask(request, response, interrupt);
    Count<Request>(request, *response, status, absl::Now() - begin);
    return status;
  }

  template <class Request, class Response>
  grpc::ServerUnaryReactor* Unary(grpc::CallbackServerContext* context, const Request* request, Response* response);

 private:
  template <class Request, class Response>
  class PooledCall;

  template <class Request, class Response>
  void Count(const Request& request, const Response& response, const absl::Status& status, absl::Duration duration) {
    std::int64_t samples = 0;
    if constexpr (requires { response.info(); }) samples = status.ok() ? response.info().sample_count() : 0;
    statistics_.Count(MethodNumber<Request>(), duration, status.ok(), samples);
    if constexpr (requires { request.context(); }) {
      if (absl::IsNotFound(status)) return;  // names that do not exist are not worth a row
      const auto name = ParseModelName("", request.context().model());
      if (!name.ok()) return;
      statistics_.CountModel(MethodNumber<Request>(), std::string(name->id), duration, status.ok(), samples);
    }
  }

  Engine& engine_;
  Pool& pool_;
  const ServerFacts facts_;
  Statistics statistics_;
  std::mutex streams_mutex_;  // guards the two below
  std::set<Drainable*> streams_;
  bool draining_ = false;
};

template <class Request, class Response>
class Host::PooledCall final : public grpc::ServerUnaryReactor {
 public:
  PooledCall(Host& host, grpc::CallbackServerContext* context, const Request* request, Response* response,
             absl::Time begin)
      : interrupt_(absl::FromChrono(context->deadline())) {
    const bool taken = host.pool_.Submit([this, &host, request, response, begin] {
      Finish(wire::ToGrpc(host.AskAndCount(*request, response, &interrupt_, begin)));
    });
    if (taken) return;
    const absl::Status full = host.QueueFull();
    host.Count(*request, *response, full, absl::Now() - begin);
    Finish(wire::ToGrpc(full));
  }

  void OnCancel() override { interrupt_.Cancel(); }
  void OnDone() override { delete this; }

 private:
  Interrupt interrupt_;
};

template <class Request, class Response>
grpc::ServerUnaryReactor* Host::Unary(grpc::CallbackServerContext* context, const Request* request,
                                      Response* response) {
  const absl::Time begin = absl::Now();
  bool small = IsSmall(*request);
  // A model that must be read from the store first is no matter of microseconds.
  if constexpr (requires { request->context(); })
    small = small && engine_.registry().FindReady(request->context().model()) != nullptr;
  if (!small) return new PooledCall<Request, Response>(*this, context, request, response, begin);
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const Interrupt interrupt(absl::FromChrono(context->deadline()));
  reactor->Finish(wire::ToGrpc(AskAndCount(*request, response, &interrupt, begin)));
  return reactor;
}

}  // namespace torqued
