#include "server/service/rpc/simulation_stream.h"

#include "server/service/compute/simulation.h"

namespace torqued {
namespace {

class SimulationStream final : public grpc::ServerWriteReactor<v1::SimulateResponse> {
 public:
  SimulationStream(Host& host, grpc::CallbackServerContext* context, const v1::SimulateRequest& request)
      : host_(host), interrupt_(absl::FromChrono(context->deadline())), begin_(absl::Now()) {
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
    if (!host_.pool().Submit(std::move(function))) End(host_.QueueFull());
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
    host_.statistics().Count(MethodNumber<v1::SimulateRequest>(), absl::Now() - begin_, status.ok(), samples_);
    Finish(wire::ToGrpc(status));
  }

  Host& host_;
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
