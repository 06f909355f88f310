// A server in process that answers by simple arithmetic and fails on request, to see what the
// client does about it.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "google/rpc/error_details.pb.h"
#include "torqued/v1/dynamics.grpc.pb.h"
#include "torqued/v1/models.grpc.pb.h"
#include "torqued/v1/server.grpc.pb.h"
#include "torqued/v1/statics.grpc.pb.h"
#include "torqued/v1/stream.grpc.pb.h"

namespace torqued {

// Answers efforts = 2 positions (statics), positions + velocities + accelerations (inverse
// dynamics).
class FakeServer : public v1::StaticsService::Service,
                   public v1::DynamicsService::Service,
                   public v1::ServerService::Service,
                   public v1::ModelService::Service,
                   public v1::StreamService::Service {
 public:
  explicit FakeServer(int port = 0) { Start(port); }
  ~FakeServer() override { Stop(); }

  void Start(int port) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:" + std::to_string(port), grpc::InsecureServerCredentials(),
                             &port_);
    builder.SetMaxReceiveMessageSize(-1);
    builder.RegisterService(static_cast<v1::StaticsService::Service*>(this));
    builder.RegisterService(static_cast<v1::DynamicsService::Service*>(this));
    builder.RegisterService(static_cast<v1::ServerService::Service*>(this));
    builder.RegisterService(static_cast<v1::ModelService::Service*>(this));
    builder.RegisterService(static_cast<v1::StreamService::Service*>(this));
    server_ = builder.BuildAndStart();
  }
  void Stop() {
    if (server_) server_->Shutdown(std::chrono::system_clock::now());
    server_.reset();
  }

  int port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  // Knobs.
  std::atomic<int> fail_next{0};  // so many calls answer UNAVAILABLE
  std::atomic<int64_t> samples_per_request{0}, message_bytes{0};
  std::atomic<int> end_stream_after{-1};  // answers, then the stream is broken off (once)
  std::atomic<bool> swallow{false};       // the stream does not answer
  // What was seen.
  std::atomic<int> calls{0}, creates{0}, streams{0}, contexts{0};
  std::mutex mutex;
  std::vector<int> batch_sizes;     // guarded by mutex
  std::vector<std::string> models;  // guarded by mutex: asked for

  grpc::Status ComputeStaticTorque(grpc::ServerContext*,
                                   const v1::ComputeStaticTorqueRequest* request,
                                   v1::ComputeStaticTorqueResponse* response) override {
    ++calls;
    if (fail_next.fetch_sub(1) > 0) return {grpc::StatusCode::UNAVAILABLE, "draining"};
    const auto& q = request->positions().values();
    if (!q.empty() && q[0] != q[0]) return BadPositions();
    Note(request->context().model(), q.size() / 2);
    response->mutable_info()->set_revision("models/two/revisions/0123456789ab");
    response->mutable_info()->set_sample_count(q.size() / 2);
    if (request->context().report_limits()) response->mutable_info()->add_samples_outside_limits(0);
    for (const double value : q) response->mutable_efforts()->add_values(2 * value);
    return grpc::Status::OK;
  }

  grpc::Status ComputeInverseDynamics(grpc::ServerContext*,
                                      const v1::ComputeInverseDynamicsRequest* request,
                                      v1::ComputeInverseDynamicsResponse* response) override {
    ++calls;
    Add(*request, *response);
    return grpc::Status::OK;
  }

  grpc::Status GetServerInfo(grpc::ServerContext*, const v1::GetServerInfoRequest*,
                             v1::GetServerInfoResponse* response) override {
    response->mutable_limits()->set_samples_per_request(samples_per_request);
    response->mutable_limits()->set_message_bytes(message_bytes);
    return grpc::Status::OK;
  }

  grpc::Status GetModel(grpc::ServerContext*, const v1::GetModelRequest* request,
                        v1::GetModelResponse* response) override {
    response->mutable_model()->set_name(request->name());
    response->mutable_model()->set_position_count(2);
    response->mutable_model()->set_velocity_count(2);
    return grpc::Status::OK;
  }

  grpc::Status CreateModel(grpc::ServerContext*, const v1::CreateModelRequest* request,
                           v1::CreateModelResponse* response) override {
    ++creates;
    if (fail_next.fetch_sub(1) > 0) return {grpc::StatusCode::UNAVAILABLE, "draining"};
    response->mutable_model()->set_name("models/" + request->model_id());
    response->mutable_model()->set_etag(request->request_id());
    return grpc::Status::OK;
  }

  grpc::Status DeleteModel(grpc::ServerContext*, const v1::DeleteModelRequest*,
                           v1::DeleteModelResponse*) override {
    ++calls;
    return {grpc::StatusCode::UNAVAILABLE, "draining"};
  }

  grpc::Status ListModels(grpc::ServerContext*, const v1::ListModelsRequest* request,
                          v1::ListModelsResponse* response) override {
    const int page = request->page_token().empty() ? 0 : std::stoi(request->page_token());
    response->add_models()->set_name("models/m" + std::to_string(page));
    if (page < 2) response->set_next_page_token(std::to_string(page + 1));
    return grpc::Status::OK;
  }

  grpc::Status WatchModels(grpc::ServerContext*, const v1::WatchModelsRequest* request,
                           grpc::ServerWriter<v1::WatchModelsResponse>* writer) override {
    v1::WatchModelsResponse event;
    for (int64_t i = request->resume_after(); writer->Write(event); ++i) event.set_position(i + 1);
    return grpc::Status::OK;
  }

  // One part, then silence until the caller gives up.
  grpc::Status Simulate(grpc::ServerContext* context, const v1::SimulateRequest*,
                        grpc::ServerWriter<v1::SimulateResponse>* writer) override {
    v1::SimulateResponse part;
    part.add_times(0);
    writer->Write(part);
    while (!context->IsCancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return grpc::Status::CANCELLED;
  }

  grpc::Status StreamCompute(grpc::ServerContext*,
                             grpc::ServerReaderWriter<v1::StreamComputeResponse,
                                                      v1::StreamComputeRequest>* stream) override {
    ++streams;
    int answered = 0;
    v1::StreamComputeRequest request;
    while (stream->Read(&request)) {
      if (request.inverse_dynamics().has_context()) ++contexts;
      if (swallow) continue;
      if (end_stream_after >= 0 && answered >= end_stream_after) {
        end_stream_after = -1;
        return {grpc::StatusCode::UNAVAILABLE, "going away"};
      }
      v1::StreamComputeResponse response;
      response.set_sequence(request.sequence());
      response.set_server_nanoseconds(1234);
      if (request.inverse_dynamics().positions().values_size() != 2) {
        response.mutable_error()->set_code(3);
        response.mutable_error()->set_message("positions: want 2");
      } else {
        Add(request.inverse_dynamics(), *response.mutable_inverse_dynamics());
      }
      stream->Write(response);
      ++answered;
    }
    return grpc::Status::OK;
  }

 private:
  void Note(const std::string& model, int samples) {
    const std::lock_guard lock(mutex);
    batch_sizes.push_back(samples);
    models.push_back(model);
  }

  static void Add(const v1::ComputeInverseDynamicsRequest& request,
                  v1::ComputeInverseDynamicsResponse& response) {
    response.mutable_info()->set_sample_count(request.positions().values_size() / 2);
    for (int i = 0; i < request.positions().values_size(); ++i)
      response.mutable_efforts()->add_values(request.positions().values(i) +
                                             request.velocities().values(i) +
                                             request.accelerations().values(i));
  }

  static grpc::Status BadPositions() {
    google::rpc::Status rich;
    google::rpc::BadRequest bad;
    auto* violation = bad.add_field_violations();
    violation->set_field("positions");
    violation->set_description("value 0 is nan, want finite");
    rich.add_details()->PackFrom(bad);
    google::rpc::ErrorInfo info;
    info.set_reason("NOT_FINITE");
    (*info.mutable_metadata())["index"] = "0";
    rich.add_details()->PackFrom(info);
    return {grpc::StatusCode::INVALID_ARGUMENT, "positions: value 0 is nan, want finite",
            rich.SerializeAsString()};
  }

  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace torqued
