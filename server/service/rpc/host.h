// What do all handlers share? The engine, the workers, the counters, and how one unary call goes: who is it and may he,
// ask, count and tell.
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
#include "server/service/access/journal.h"
#include "server/service/engine.h"
#include "server/service/methods.h"
#include "server/service/pool.h"
#include "server/service/quota.h"
#include "server/service/rpc/caller.h"
#include "server/service/rpc/cost.h"
#include "server/service/statistics.h"
#include "torqued/v1/models.pb.h"
#include "torqued/v1/server.pb.h"

namespace torqued {

struct ServerFacts {
  std::string version, commit;
  v1::ServerLimits limits;
};

// A stream or watch that lives until somebody ends it.
class Lasting {
 public:
  virtual ~Lasting() = default;
  virtual void Stop(const absl::Status& why) = 0;    // any thread; under the host's lock
  virtual absl::Status StillKnown() const = 0;       // of its caller
};

// One call that is over, as the log tells it.
struct Told {
  int method;
  std::string on;  // model; empty: none
  absl::Status status;
  absl::Duration duration;
  std::int64_t samples = 0;
  bool change = false;
};

class Host {
 public:
  Host(Engine& engine, Pool& pool, Access& access, Journal journal, ServerFacts facts)
      : engine_(engine), pool_(pool), access_(access), journal_(std::move(journal)), audit_(journal_.audit), facts_(std::move(facts)) {}

  Engine& engine() { return engine_; }
  Pool& pool() { return pool_; }
  Access& access() { return access_; }
  AuditBook& audit() { return audit_; }
  RateQuota& rate() { return rate_; }
  Statistics& statistics() { return statistics_; }
  const Statistics& statistics() const { return statistics_; }
  const ServerFacts& facts() const { return facts_; }
  void SetSlow(absl::Duration slow) { slow_ns_ = absl::ToInt64Nanoseconds(slow); }

  // Streams and watches announce themselves; from DrainAll on, new ones are told at once.
  void Add(Lasting* stream);
  void Remove(Lasting* stream);
  void DrainAll();
  // Ends those whose caller is no longer known.
  void EndUnknown();
  int lasting() const;
  static absl::Status Draining();

  // Who is it, may he, and not too often? UNAUTHENTICATED, PERMISSION_DENIED, RESOURCE_EXHAUSTED. Audited.
  absl::Status Admit(Caller& caller, int method, Role least);
  // Counts one more call against the caller's rate.
  absl::Status TakeRate(const Caller& caller);
  // Work to the pool, counted against the caller's share. RESOURCE_EXHAUSTED: not taken.
  absl::Status Submit(const Caller& caller, absl::Duration estimate, std::function<void()> run);
  // Log and audit of a call that is over; what its caller should know of it goes into its trailing metadata.
  void Tell(const Caller& caller, grpc::CallbackServerContext* context, const Told& told);

  template <class Request, class Response>
  grpc::ServerUnaryReactor* Unary(grpc::CallbackServerContext* context, const Request* request, Response* response);
  // Counts and tells a call that `answer()` answers at once, on this thread.
  template <class Request, class Function>
  grpc::ServerUnaryReactor* AtOnce(grpc::CallbackServerContext* context, Function answer);

 private:
  template <class Request, class Response>
  class PooledCall;

  // Changes are an editor's: who may change which model, the engine says.
  template <class Request>
  static constexpr bool kChanges = std::is_same_v<Request, v1::CreateModelRequest> ||
                                   std::is_same_v<Request, v1::UpdateModelRequest> ||
                                   std::is_same_v<Request, v1::DeleteModelRequest>;
  template <class Request>
  static bool Changes(const Request& request) {
    if constexpr (requires { request.validate_only(); }) return !request.validate_only();
    return kChanges<Request>;
  }

  template <class Request, class Response>
  absl::Status Ask(const Caller& caller, const Request& request, Response* response, const Interrupt* interrupt) {
    if constexpr (kChanges<Request>)
      return engine_.Ask(request, response, interrupt, Changer{caller.name(), caller.admin()});
    else
      return engine_.Ask(request, response, interrupt);
  }

  // Answers of a call that is over are counted and told before they are sent. What Admit refused is told by it.
  template <class Request, class Response>
  grpc::Status Conclude(const Caller& caller, grpc::CallbackServerContext* context, const Request& request,
                        const Response& response, const absl::Status& status, absl::Time begin, bool admitted = true) {
    const absl::Duration duration = absl::Now() - begin;
    std::int64_t samples = 0;
    if constexpr (requires { response.info(); }) samples = status.ok() ? response.info().sample_count() : 0;
    statistics_.Count(MethodNumber<Request>(), duration, status.code(), samples);
    if constexpr (requires { request.context(); }) {
      // Names that do not exist and callers who may not ask are not worth a row.
      const auto name = ParseModelName("", request.context().model());
      if (name.ok() && !absl::IsNotFound(status) && !absl::IsUnauthenticated(status))
        statistics_.CountModel(MethodNumber<Request>(), std::string(name->id), duration, status.code(), samples);
    }
    Told told{MethodNumber<Request>(), "", status, duration, samples, admitted && Changes(request)};
    if constexpr (requires { request.context(); }) told.on = request.context().model();
    else if constexpr (requires { request.model_id(); }) told.on = "models/" + request.model_id();
    else if constexpr (requires { request.name(); }) told.on = request.name();
    Tell(caller, context, told);
    return wire::ToGrpc(status);
  }

  bool WorthALine(const absl::Status& status, absl::Duration duration) const {
    return !status.ok() || absl::ToInt64Nanoseconds(duration) > slow_ns_.load(std::memory_order_relaxed) ||
           journal_.tells_calls();
  }

  Engine& engine_;
  Pool& pool_;
  Access& access_;
  const Journal journal_;
  AuditBook audit_;
  const ServerFacts facts_;
  RateQuota rate_;
  std::atomic<std::int64_t> slow_ns_{INT64_MAX};
  Statistics statistics_;
  mutable std::mutex lasting_mutex_;  // guards the two below
  std::set<Lasting*> lasting_;
  bool draining_ = false;
};

template <class Request, class Response>
class Host::PooledCall final : public grpc::ServerUnaryReactor {
 public:
  PooledCall(Host& host, grpc::CallbackServerContext* context, Caller caller, const Request* request,
             Response* response, absl::Time begin)
      : caller_(std::move(caller)), interrupt_(absl::FromChrono(context->deadline())) {
    const absl::Status taken = host.Submit(caller_, Estimate(*request), [this, &host, context, request, response, begin] {
      // Nobody may be waiting any more by now.
      absl::Status status = interrupt_.Check();
      if (status.ok()) status = host.Ask(caller_, *request, response, &interrupt_);
      Finish(host.Conclude(caller_, context, *request, *response, status, begin));
    });
    if (!taken.ok()) Finish(host.Conclude(caller_, context, *request, *response, taken, begin));
  }

  void OnCancel() override { interrupt_.Cancel(); }
  void OnDone() override { delete this; }

 private:
  const Caller caller_;
  Interrupt interrupt_;
};

template <class Request, class Response>
grpc::ServerUnaryReactor* Host::Unary(grpc::CallbackServerContext* context, const Request* request,
                                      Response* response) {
  const absl::Time begin = absl::Now();
  Caller caller(*context);
  absl::Status status = Admit(caller, MethodNumber<Request>(), Changes(*request) ? Role::kEditor : Role::kViewer);
  const bool admitted = status.ok();
  if (admitted) {
    bool small = IsSmall(*request);
    // A model that must be read from the store first is no matter of microseconds.
    if constexpr (requires { request->context(); })
      small = small && engine_.registry().FindReady(request->context().model()) != nullptr;
    if (!small) return new PooledCall<Request, Response>(*this, context, std::move(caller), request, response, begin);
    const Interrupt interrupt(absl::FromChrono(context->deadline()));
    status = Ask(caller, *request, response, &interrupt);
  }
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(Conclude(caller, context, *request, *response, status, begin, admitted));
  return reactor;
}

template <class Request, class Function>
grpc::ServerUnaryReactor* Host::AtOnce(grpc::CallbackServerContext* context, Function answer) {
  const absl::Time begin = absl::Now();
  Caller caller(*context);
  const absl::Status status = Admit(caller, MethodNumber<Request>(), Role::kViewer);
  if (status.ok()) answer();
  const absl::Duration duration = absl::Now() - begin;
  statistics_.Count(MethodNumber<Request>(), duration, status.code(), 0);
  Tell(caller, context, {MethodNumber<Request>(), "", status, duration});
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(wire::ToGrpc(status));
  return reactor;
}

}  // namespace torqued
