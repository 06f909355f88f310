#include "client/cli/local_backend.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <thread>

#include "client/cli/file.h"
#include "client/torqued/batch.h"
#include "client/torqued/question.h"
#include "server/service/compute/simulation.h"
#include "server/service/compute/states.h"
#include "server/service/engine.h"
#include "server/service/sweep/sweep.h"

namespace torqued::cli {
namespace {

namespace fs = std::filesystem;
using google::protobuf::Message;

constexpr size_t kSmallRequestBytes = 64 * 1024;
constexpr int64_t kMostBytes = 64 << 20;  // of one part's question or answer

constexpr char kNeedsServer[] = "--local: this needs a server (torqued, then without --local)";

// The answers in process, by the request's type.
class Dispatch {
 public:
  Dispatch() {
    Add<v1::CreateModelRequest, v1::CreateModelResponse>();
    Add<v1::GetModelRequest, v1::GetModelResponse>();
    Add<v1::ListModelsRequest, v1::ListModelsResponse>();
    Add<v1::UpdateModelRequest, v1::UpdateModelResponse>();
    Add<v1::DeleteModelRequest, v1::DeleteModelResponse>();
    Add<v1::ListModelRevisionsRequest, v1::ListModelRevisionsResponse>();
    Add<v1::ComputeForwardKinematicsRequest, v1::ComputeForwardKinematicsResponse>();
    Add<v1::ComputeJacobianRequest, v1::ComputeJacobianResponse>();
    Add<v1::AnalyzeVelocityRequest, v1::AnalyzeVelocityResponse>();
    Add<v1::AnalyzeSingularityRequest, v1::AnalyzeSingularityResponse>();
    Add<v1::ComputeInverseKinematicsRequest, v1::ComputeInverseKinematicsResponse>();
    Add<v1::ComputeStaticTorqueRequest, v1::ComputeStaticTorqueResponse>();
    Add<v1::ComputeInverseStaticsRequest, v1::ComputeInverseStaticsResponse>();
    Add<v1::ComputeLinkForcesRequest, v1::ComputeLinkForcesResponse>();
    Add<v1::ComputeSupportRequest, v1::ComputeSupportResponse>();
    Add<v1::ComputeInverseDynamicsRequest, v1::ComputeInverseDynamicsResponse>();
    Add<v1::ComputeForwardDynamicsRequest, v1::ComputeForwardDynamicsResponse>();
    Add<v1::ComputeEquationOfMotionRequest, v1::ComputeEquationOfMotionResponse>();
    Add<v1::ComputeTorqueBreakdownRequest, v1::ComputeTorqueBreakdownResponse>();
    Add<v1::CompareSimplifiedRequest, v1::CompareSimplifiedResponse>();
    Add<v1::ComputeOperationalSpaceRequest, v1::ComputeOperationalSpaceResponse>();
    Add<v1::ComputeEnergyRequest, v1::ComputeEnergyResponse>();
    Add<v1::ComputeDerivativesRequest, v1::ComputeDerivativesResponse>();
    Add<v1::ComputeRegressorRequest, v1::ComputeRegressorResponse>();
    Add<v1::IdentifyParametersRequest, v1::IdentifyParametersResponse>();
    Add<v1::ComputePathDynamicsRequest, v1::ComputePathDynamicsResponse>();
  }

  absl::Status Answer(Engine& engine, const Message& request, Message& response,
                      const Interrupt& interrupt) const {
    const auto found = answers_.find(request.GetDescriptor());
    if (found == answers_.end()) return absl::UnimplementedError(kNeedsServer);
    return found->second(engine, request, response, interrupt);
  }

 private:
  template <class Request, class Response>
  void Add() {
    answers_[Request::descriptor()] = [](Engine& engine, const Message& request, Message& response,
                                         const Interrupt& interrupt) {
      return engine.Ask(static_cast<const Request&>(request), static_cast<Response*>(&response),
                        &interrupt);
    };
  }

  using Function = absl::Status (*)(Engine&, const Message&, Message&, const Interrupt&);
  std::map<const google::protobuf::Descriptor*, Function> answers_;
};

// Beside the program in the build tree, or where it is installed.
std::string ShippedRobots() {
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const char* relative : {"../../../deploy/robots", "../share/torqued/robots"})
    if (fs::is_directory(folder / relative, ignored))
      return (folder / relative).lexically_normal().string();
  return "";
}

// A file's stem as a model id.
std::string IdOf(const fs::path& path) {
  std::string id = path.stem().string();
  for (char& c : id) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_' && c != '-')
      c = '-';
  }
  if (id.empty() || std::isalnum(static_cast<unsigned char>(id[0])) == 0) id = "m" + id;
  return id.substr(0, 63);
}

class LocalBackend : public Backend {
 public:
  LocalBackend(std::unique_ptr<Engine> engine, std::string robots, absl::Duration patience)
      : engine_(std::move(engine)), robots_(std::move(robots)), patience_(patience) {}

  absl::Status Call(const Message& request, Message& response, const Progress& progress) override {
    if (request.GetDescriptor() == v1::ListModelsRequest::descriptor())
      if (absl::Status status = RegisterAll(); !status.ok()) return status;
    response.Clear();
    const auto* context = request.GetDescriptor()->FindFieldByName("context");
    if (context == nullptr || request.ByteSizeLong() <= kSmallRequestBytes)
      return dispatch_.Answer(*engine_, request, response, Interrupt(absl::Now() + patience_));
    return CallInParts(request, response, progress);
  }

  absl::Status Receive(const Message& request, Message& part,
                       const std::function<bool()>& each) override {
    if (request.GetDescriptor() == v1::SimulateRequest::descriptor())
      return RunSimulation(static_cast<const v1::SimulateRequest&>(request),
                           static_cast<v1::SimulateResponse&>(part), each);
    if (request.GetDescriptor() == v1::SweepRequest::descriptor())
      return RunSweep(static_cast<const v1::SweepRequest&>(request),
                      static_cast<v1::SweepResponse&>(part), each);
    return absl::UnimplementedError(kNeedsServer);
  }

  absl::Status RunSimulation(const v1::SimulateRequest& question, v1::SimulateResponse& part,
                             const std::function<bool()>& each) {
    auto entry = engine_->registry().FindEntry("context.model", question.context().model());
    if (!entry.ok()) return entry.status();
    auto simulation = Simulation::Start(*std::move(entry), question);
    if (!simulation.ok()) return simulation.status();
    for (bool more = true; more;) {
      part.Clear();
      const Interrupt interrupt(absl::Now() + patience_);
      const auto next = (*simulation)->Next(&part, &interrupt);
      if (!next.ok()) return next.status();
      more = each() && *next;
    }
    return absl::OkStatus();
  }

  absl::Status RunSweep(const v1::SweepRequest& question, v1::SweepResponse& part,
                        const std::function<bool()>& each) {
    auto entry = engine_->registry().FindEntry("context.model", question.context().model());
    if (!entry.ok()) return entry.status();
    const auto sweep = Sweep::Start(*std::move(entry), question);
    if (!sweep.ok()) return sweep.status();
    Interrupt interrupt;
    bool wanted = true;
    const int threads = static_cast<int>(std::thread::hardware_concurrency());
    const absl::Status status = torqued::RunSweep(**sweep, threads, &interrupt, [&] {
      part.Clear();
      (*sweep)->Progress(&part);
      wanted = wanted && each();
      if (!wanted) interrupt.Cancel();
    });
    if (!wanted) return absl::OkStatus();
    if (!status.ok()) return status;
    part.Clear();
    (*sweep)->Answer(&part);
    each();
    return absl::OkStatus();
  }

  // Registers what is named, and only that: reading all robots would take longer than most answers.
  absl::StatusOr<std::string> ModelName(const std::string& argument, v1::Base base) override {
    std::error_code ignored;
    if (fs::is_regular_file(argument, ignored)) {
      const std::string id = IdOf(argument);
      if (absl::Status status = Register(argument, id, base); !status.ok()) return status;
      return torqued::ModelResource(id);
    }
    const std::string id = ModelId(torqued::ModelResource(argument));
    const std::string stem = id.substr(0, id.find('@'));
    for (const char* extension : {".yaml", ".yml", ".urdf", ".xml"}) {
      const fs::path path = fs::path(robots_) / (stem + extension);
      if (robots_.empty() || stem.find('/') != std::string::npos ||
          !fs::is_regular_file(path, ignored))
        continue;
      if (absl::Status status = Register(path, stem, base); !status.ok()) return status;
      return torqued::ModelResource(argument);
    }
    if (absl::Status status = RegisterAll(); !status.ok())
      return status;  // so that near names can be offered
    return torqued::ModelResource(argument);
  }

 private:
  // As with a server: a large question becomes several, so that answers stay of a size that fits.
  absl::Status CallInParts(const Message& request, Message& response, const Progress& progress) {
    const auto* field = request.GetDescriptor()->FindFieldByName("context");
    v1::GetModelRequest get;
    get.set_name(
        static_cast<const v1::Context&>(request.GetReflection()->GetMessage(request, field))
            .model());
    v1::GetModelResponse got;
    if (absl::Status status = engine_->Ask(get, &got); !status.ok()) return status;
    BatchRequest batch(request, {got.model().position_count(), got.model().velocity_count()});
    return AskInParts(
        batch, {kMostSamples, kMostBytes}, response,
        [this](const Message& part, Message& answer) {
          return dispatch_.Answer(*engine_, part, answer, Interrupt(absl::Now() + patience_));
        },
        progress);
  }

  absl::Status Register(const fs::path& path, const std::string& id, v1::Base base) {
    auto text = ReadWholeFile("MODEL", path.string());
    if (!text.ok()) return text.status();
    v1::CreateModelRequest request;
    request.set_model_id(id);
    request.mutable_source()->set_text(*std::move(text));
    request.mutable_source()->set_base(base);
    v1::CreateModelResponse response;
    const absl::Status status = engine_->Ask(request, &response);
    if (status.ok() || status.code() == absl::StatusCode::kAlreadyExists) return absl::OkStatus();
    return absl::Status(status.code(), absl::StrCat(path.string(), ": ", status.message()));
  }

  absl::Status RegisterAll() {
    if (robots_.empty()) return absl::OkStatus();
    return RegisterFolder(engine_->registry(), robots_, [](const std::string&) {});
  }

  const Dispatch dispatch_;
  const std::unique_ptr<Engine> engine_;
  const std::string robots_;
  const absl::Duration patience_;  // for each answer
};

}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> MakeLocalBackend(const std::string& robots,
                                                          absl::Duration patience) {
  std::error_code ignored;
  if (!robots.empty() && !fs::is_directory(robots, ignored))
    return absl::InvalidArgumentError(absl::StrCat("--robots: ", robots, ": no such folder"));
  auto engine = Engine::Open({});
  if (!engine.ok()) return engine.status();
  return std::make_unique<LocalBackend>(*std::move(engine),
                                        robots.empty() ? ShippedRobots() : robots, patience);
}

}  // namespace torqued::cli
