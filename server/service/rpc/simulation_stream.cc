#include "server/service/rpc/simulation_stream.h"

#include "server/service/compute/simulation.h"

namespace torqued {
namespace {

class SimulationStream final : public grpc::ServerWriteReactor<v1::SimulateResponse> {
 public:
  SimulationStream(Host& host, grpc::CallbackServerContext* context, const v1::SimulateRequest& request)
      : host_(host), context_(context), caller_(*context), interrupt_(absl::FromChrono(context->deadline())), begin_(absl::Now()) {
    if (const absl::Status s = host_.Admit(caller_, MethodNumber<v1::SimulateRequest>(), Role::kViewer); !s.ok()) {
      End(s);
      return;
    }
    Work([this, &request] {
      auto entry = host_.engine().registry().FindEntry("context.model", request.context().model());
      if (!entry.ok()) return End(entry.status());
      auto simulation = Simulation::Start(*entry, request);
      if (!simulation.ok()) return End(simulation.status());
      simulation_ = std::move(*simulation);
      WriteNext();
    });
  }

  void OnWriteDone(bool ok) override {
    if (!ok) return End(absl::CancelledError("the caller is gone"));
    if (!more_) return End(absl::OkStatus());
    Work([this] { WriteNext(); });
  }

  void OnCancel() override { interrupt_.Cancel(); }
  void OnDone() override { delete this; }

 private:
  template <class Function>
  void Work(Function function) {
    constexpr absl::Duration kPiece = absl::Milliseconds(5);
    const absl::Status taken = host_.Submit(caller_, kPiece, [this, function] {
      if (const absl::Status known = caller_.StillKnown(); !known.ok()) return End(known);
      function();
    });
    if (!taken.ok()) End(taken);
  }

  void WriteNext() {
    message_.Clear();
    const auto more = simulation_->Next(&message_, &interrupt_);
    if (!more.ok()) return End(more.status());
    more_ = *more;
    samples_ += message_.times_size();
    StartWrite(&message_);
  }

  void End(const absl::Status& status) {
    constexpr auto kMethod = &MethodNumber<v1::SimulateRequest>;
    const absl::Duration open = absl::Now() - begin_;
    host_.statistics().Count(kMethod(), open, status.code(), samples_);
    host_.Tell(caller_, context_, {kMethod(), "", status, open, samples_});
    Finish(wire::ToGrpc(status));
  }

  Host& host_;
  grpc::CallbackServerContext* const context_;
  Caller caller_;
  Interrupt interrupt_;
  const absl::Time begin_;
  std::unique_ptr<Simulation> simulation_;
  v1::SimulateResponse message_;
  std::int64_t samples_ = 0;
  bool more_ = true;
};

}  // namespace

grpc::ServerWriteReactor<v1::SimulateResponse>* StartSimulation(Host& host, grpc::CallbackServerContext* context,
                                                                const v1::SimulateRequest& request) {
  return new SimulationStream(host, context, request);
}

}  // namespace torqued
