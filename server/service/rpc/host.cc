#include "server/service/rpc/host.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

namespace torqued {
namespace {

std::string CodeName(absl::StatusCode code) { return absl::StatusCodeToString(code); }

std::string ShortMethod(int method) {
  const std::string& name = MethodNames()[method];
  return name.substr(name.rfind('/') + 1);
}

}  // namespace

void Host::Add(Lasting* stream) {
  const std::lock_guard<std::mutex> lock(lasting_mutex_);
  lasting_.insert(stream);
  if (draining_) stream->Stop(Draining());
}

void Host::Remove(Lasting* stream) {
  const std::lock_guard<std::mutex> lock(lasting_mutex_);
  lasting_.erase(stream);
}

void Host::DrainAll() {
  const std::lock_guard<std::mutex> lock(lasting_mutex_);
  draining_ = true;
  for (Lasting* stream : lasting_) stream->Stop(Draining());
}

void Host::EndUnknown() {
  const std::lock_guard<std::mutex> lock(lasting_mutex_);
  for (Lasting* stream : lasting_)
    if (const absl::Status known = stream->StillKnown(); !known.ok()) stream->Stop(known);
}

int Host::lasting() const {
  const std::lock_guard<std::mutex> lock(lasting_mutex_);
  return static_cast<int>(lasting_.size());
}

absl::Status Host::Draining() {
  return wire::Error(absl::StatusCode::kUnavailable, "DRAINING", "the server is shutting down; connect again");
}

absl::Status Host::Admit(Caller& caller, int method, Role least) {
  absl::Status status = caller.Identify(access_);
  if (status.ok()) status = caller.Require(least);
  if (status.ok()) status = TakeRate(caller);
  // What is allowed and changes something is told with its outcome, when it is over.
  if (!status.ok() || (access_.required() && least == Role::kViewer))
    audit_.Note({caller.name(), caller.role(), caller.Peer(), ShortMethod(method), "",
                 status.ok() ? "allowed" : CodeName(status.code()), caller.request_id(), false});
  return status;
}

absl::Status Host::TakeRate(const Caller& caller) {
  const double rate = rate_.rate();
  if (rate <= 0) return absl::OkStatus();
  const std::string client = caller.Share();
  const absl::Duration wait = rate_.Take(client, absl::Now());
  if (wait <= absl::ZeroDuration()) return absl::OkStatus();
  return wire::Exhausted("RATE_LIMITED", client,
                         absl::StrFormat("%s makes more than %g calls a second; wait %s", client, rate,
                                         absl::FormatDuration(absl::Ceil(wait, absl::Milliseconds(1)))),
                         wait);
}

absl::Status Host::Submit(const Caller& caller, absl::Duration estimate, std::function<void()> run) {
  const std::string client = caller.Share();
  switch (pool_.Submit({client, estimate, std::move(run)})) {
    case Pool::Verdict::kTaken: return absl::OkStatus();
    case Pool::Verdict::kClientFull:
      return wire::Exhausted("CLIENT_BUSY", client,
                             absl::StrCat(client, " has ", pool_.limits().client_calls,
                                          " calls waiting or running here already; wait for their answers"),
                             absl::Milliseconds(100));
    case Pool::Verdict::kQueueFull:
      return wire::Exhausted("QUEUE_FULL", "queue",
                             absl::StrCat("the server is busy: ", pool_.limits().queue_length,
                                          " requests wait already; try again"),
                             pool_.Backlog());
    case Pool::Verdict::kBacklogFull: break;
  }
  return wire::Exhausted("QUEUE_FULL", "backlog",
                         absl::StrCat("the server is busy: what waits takes longer than ",
                                      absl::FormatDuration(pool_.limits().backlog), " already; try again"),
                         pool_.Backlog());
}

void Host::Tell(const Caller& caller, grpc::CallbackServerContext* context, const Told& told) {
  const std::string trace = caller.Traceparent();
  if (!told.status.ok() || caller.gave_request_id()) context->AddTrailingMetadata("x-request-id", caller.request_id());
  if (!trace.empty()) context->AddTrailingMetadata("traceparent", trace);
  if (told.change)
    audit_.Note({caller.name(), caller.role(), caller.Peer(), ShortMethod(told.method), told.on,
                 CodeName(told.status.code()), caller.request_id(), true});
  if (!WorthALine(told.status, told.duration)) return;
  const bool ours = told.status.code() == absl::StatusCode::kInternal || absl::IsDataLoss(told.status) || absl::IsUnknown(told.status);
  const bool slow = absl::ToInt64Nanoseconds(told.duration) > slow_ns_.load(std::memory_order_relaxed);
  const Weight weight = ours ? Weight::kError : slow ? Weight::kWarning : Weight::kDebug;
  if (weight == Weight::kDebug && !journal_.tells_calls()) return;
  journal_.write(weight, absl::StrCat(slow ? "slow call" : "call", LogField("id", caller.request_id()), LogField("who", caller.name()),
                                      LogField("peer", caller.Peer()), LogField("method", ShortMethod(told.method)), LogField("on", told.on),
                                      LogField("code", CodeName(told.status.code())), " us=", absl::ToInt64Microseconds(told.duration), " samples=", told.samples,
                                      LogField("trace", trace.empty() ? "" : trace.substr(3, 32)),
                                      LogField("span", trace.empty() ? "" : trace.substr(36, 16)),
                                      LogField("message", std::string(told.status.message()))));
}

}  // namespace torqued
