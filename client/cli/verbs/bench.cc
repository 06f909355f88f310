// torquectl bench: how fast does this server answer, as a user sees it?
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <random>
#include <thread>

#include "client/cli/columns.h"
#include "client/cli/json.h"
#include "client/cli/numbers.h"
#include "client/cli/verbs/verbs.h"
#include "client/torqued/client.h"
#include "client/torqued/stream.h"
#include "torqued/v1/dynamics.pb.h"
#include "torqued/v1/kinematics.pb.h"
#include "torqued/v1/statics.pb.h"

namespace torqued::cli {
namespace {

using Clock = std::chrono::steady_clock;
using google::protobuf::Message;

constexpr int64_t kMostCallers = 1000;  // each is a thread
constexpr int64_t kMostBatch = 1'000'000;

struct Work {
  std::unique_ptr<Message> request, response;
};

// Random states (positions in +-1, rates in +-1) of a fixed seed.
template <class Request, class Response>
Work Make(const std::string& model, const v1::Model& shape, int64_t batch, bool rates) {
  auto request = std::make_unique<Request>();
  request->mutable_context()->set_model(model);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<> value(-1, 1);
  const auto columns = Columns(shape, Quantity::kPosition);
  for (int64_t s = 0; s < batch; ++s)
    for (const Column& column : columns)
      request->mutable_positions()->add_values(!column.unit.empty()         ? value(random)
                                               : column.id.ends_with(".qw") ? 1
                                                                            : 0);
  if constexpr (requires { request->mutable_velocities(); }) {
    for (int64_t i = 0; rates && i < batch * shape.velocity_count(); ++i)
      request->mutable_velocities()->add_values(value(random));
  }
  if constexpr (requires { request->mutable_accelerations(); }) {
    for (int64_t i = 0; rates && i < batch * shape.velocity_count(); ++i)
      request->mutable_accelerations()->add_values(value(random));
  }
  return {std::move(request), std::make_unique<Response>()};
}

Work MakeWork(const std::string& method, const std::string& model, const v1::Model& shape,
              int64_t batch) {
  if (method == "fk")
    return Make<v1::ComputeForwardKinematicsRequest, v1::ComputeForwardKinematicsResponse>(
        model, shape, batch, false);
  if (method == "jacobian")
    return Make<v1::ComputeJacobianRequest, v1::ComputeJacobianResponse>(model, shape, batch,
                                                                         false);
  if (method == "static")
    return Make<v1::ComputeStaticTorqueRequest, v1::ComputeStaticTorqueResponse>(model, shape,
                                                                                 batch, false);
  if (method == "fd")
    return Make<v1::ComputeForwardDynamicsRequest, v1::ComputeForwardDynamicsResponse>(model, shape,
                                                                                       batch, true);
  if (method == "eom")
    return Make<v1::ComputeEquationOfMotionRequest, v1::ComputeEquationOfMotionResponse>(
        model, shape, batch, true);
  return Make<v1::ComputeInverseDynamicsRequest, v1::ComputeInverseDynamicsResponse>(model, shape,
                                                                                     batch, true);
}

double Percentile(const std::vector<double>& sorted, double share) {
  return sorted.empty()
             ? 0
             : sorted[std::min(sorted.size() - 1,
                               static_cast<size_t>(share * static_cast<double>(sorted.size())))];
}

class Bench : public Verb {
 public:
  VerbText Text() const override {
    return {"bench",
            kServer,
            "latency percentiles and throughput of a method",
            {"bench ur5e", "bench ur5e --method fd --batch 4096 --concurrency 2 --duration 10s",
             "bench ur5e --rate 1000 --stream --duration 10s"},
            "With --rate calls are due at fixed times and latency counts from when a call was due, "
            "so that queueing shows;\n"
            "without it each caller asks again as soon as it is answered."};
  }

  void Declare(OptionSet& options) override {
    options.Argument("MODEL", model_, "model: id, id@revision");
    options.Choice("--method", method_, {"id", "fd", "static", "fk", "jacobian", "eom"},
                   "what to ask (default: id)");
    options.Whole("--batch", batch_, 1, "states per call, default 1");
    options.Whole("--concurrency", concurrency_, 1, "callers, default 1");
    options.Text("--duration", duration_, "5s", "how long, default 5s");
    options.Text("--rate", rate_, "N",
                 "calls per second of all callers together; default: as fast as answered");
    options.Flag("--stream", stream_,
                 "one StreamCompute per caller instead of unary calls (id only)");
    options.Flag("--poll", poll_, "with --stream: poll instead of sleeping");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    if (stream_ && !method_.empty() && method_ != "id")
      return absl::InvalidArgumentError("--stream: want --method id");
    const auto duration = ParseDuration("--duration", duration_);
    if (!duration.ok()) return duration.status();
    if (concurrency_ > kMostCallers)
      return absl::InvalidArgumentError(
          absl::StrCat("--concurrency: ", concurrency_, ", want at most ", kMostCallers));
    if (batch_ > kMostBatch)
      return absl::InvalidArgumentError(
          absl::StrCat("--batch: ", batch_, ", want at most ", kMostBatch));
    if (!rate_.empty()) {
      const auto rate = ParseNumber("--rate", rate_);
      if (!rate.ok()) return rate.status();
      if (!(*rate > 0))
        return absl::InvalidArgumentError("--rate: want more than 0 calls per second");
      period_ =
          std::chrono::nanoseconds(std::llround(1e9 * static_cast<double>(concurrency_) / *rate));
    }
    const auto who = session.backend();
    if (!who.ok()) return who.status();
    if ((*who)->client() == nullptr)
      return absl::InvalidArgumentError("bench: measures a server, want no --local");
    const auto shape = session.GetModel(model_);
    if (!shape.ok()) return shape.status();
    const auto name = (*who)->ModelName(model_, v1::BASE_UNSPECIFIED);

    const auto begin = Clock::now(),
               end = begin + std::chrono::duration_cast<Clock::duration>(*duration);
    std::vector<std::thread> callers;
    for (int64_t c = 0; c < concurrency_; ++c)
      callers.emplace_back([&, c] { Caller(*(*who)->client(), *name, *shape, c, begin, end); });
    for (std::thread& caller : callers) caller.join();
    Report(session, std::chrono::duration<double>(Clock::now() - begin).count());
    return errors_ > 0 ? Exit::kCheckFailed : Exit::kOk;
  }

 private:
  void Caller(Client& client, const std::string& model, const v1::Model& shape, int64_t number,
              Clock::time_point begin, Clock::time_point end) {
    Work work = MakeWork(method_, model, shape, batch_);
    std::unique_ptr<TorqueStream> stream;
    if (stream_) {
      stream = client.OpenStream(Question(model), client.options().deadline);
      stream->set_busy_poll(poll_);
    }
    std::vector<double> latencies;
    int64_t errors = 0;
    std::string first_error;
    // Callers start a part of the period apart.
    Clock::time_point due = begin + period_ * number / std::max<int64_t>(concurrency_, 1);
    while (Clock::now() < end) {
      if (period_.count() > 0)
        std::this_thread::sleep_until(due);
      else
        due = Clock::now();
      const absl::Status status = stream != nullptr ? AskStream(*stream, *work.request)
                                                    : client.Call(*work.request, *work.response);
      latencies.push_back(std::chrono::duration<double, std::micro>(Clock::now() - due).count());
      if (!status.ok() && errors++ == 0) first_error = std::string(status.message());
      due += period_;
    }
    const std::lock_guard lock(mutex_);
    latencies_.insert(latencies_.end(), latencies.begin(), latencies.end());
    errors_ += errors;
    if (first_error_.empty()) first_error_ = first_error;
  }

  static absl::Status AskStream(TorqueStream& stream, const Message& question) {
    v1::StreamComputeRequest request;
    *request.mutable_inverse_dynamics() =
        static_cast<const v1::ComputeInverseDynamicsRequest&>(question);
    request.mutable_inverse_dynamics()->clear_context();
    return stream.Ask(std::move(request)).status();
  }

  void Report(Session& session, double seconds) {
    std::sort(latencies_.begin(), latencies_.end());
    const auto calls = static_cast<double>(latencies_.size());
    const std::vector<std::pair<std::string, double>> facts = {
        {"calls", calls},
        {"errors", static_cast<double>(errors_)},
        {"calls_per_second", calls / seconds},
        {"states_per_second", calls * static_cast<double>(batch_) / seconds},
        {"p50_us", Percentile(latencies_, 0.5)},
        {"p90_us", Percentile(latencies_, 0.9)},
        {"p99_us", Percentile(latencies_, 0.99)},
        {"p999_us", Percentile(latencies_, 0.999)},
        {"max_us", latencies_.empty() ? 0 : latencies_.back()}};
    if (session.shared().json) {
      session.out() << "{";
      for (size_t i = 0; i < facts.size(); ++i)
        session.out() << (i > 0 ? ", " : "") << JsonString(facts[i].first) << ": "
                      << Shortest(facts[i].second);
      session.out() << "}\n";
      return;
    }
    Sheet sheet{
        absl::StrCat(method_.empty() ? "id" : method_, " of ", model_, ", ", batch_,
                     " states per call, ", concurrency_, " callers", stream_ ? ", streams" : ""),
        {},
        {{}}};
    for (const auto& [name, value] : facts) {
      sheet.columns.push_back(name);
      sheet.rows[0].push_back(session.shared().csv ? Cell(value) : Cell(Fixed(value, 1)));
    }
    session.out() << (session.shared().csv ? ToCsv(sheet) : ToTable(sheet));
    if (!first_error_.empty()) session.err() << "first error: " << first_error_ << "\n";
  }

  std::string model_, method_, duration_ = "5s", rate_;
  int64_t batch_ = 1, concurrency_ = 1;
  bool stream_ = false, poll_ = false;
  std::chrono::nanoseconds period_{0};
  std::mutex mutex_;  // guards what follows
  std::vector<double> latencies_;
  int64_t errors_ = 0;
  std::string first_error_;
};

}  // namespace

std::unique_ptr<Verb> MakeBench() { return std::make_unique<Bench>(); }

}  // namespace torqued::cli
