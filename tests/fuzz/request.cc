// Any bytes as any request: the first byte chooses the message, the rest is its serialization. It is answered or refused;
// an answer holds no number that is not finite, and a refusal is never our own fault (INTERNAL, UNKNOWN).
#include <google/protobuf/message.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "client/cli/local_backend.h"
#include "torqued/v1/dynamics.pb.h"
#include "torqued/v1/kinematics.pb.h"
#include "torqued/v1/models.pb.h"
#include "torqued/v1/statics.pb.h"

namespace torqued {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

struct Method {
  const Message *request, *response;
};

// Every unary method but those that change models: what one input leaves behind would change the next.
const std::vector<Method>& Methods() {
  static const auto* const methods = [] {
    auto* all = new std::vector<Method>;
    auto* factory = google::protobuf::MessageFactory::generated_factory();
    for (const Descriptor* first : {v1::ComputeJacobianRequest::descriptor(), v1::ComputeStaticTorqueRequest::descriptor(),
                                    v1::ComputeInverseDynamicsRequest::descriptor(), v1::GetModelRequest::descriptor()})
      for (int s = 0; s < first->file()->service_count(); ++s)
        for (int m = 0; m < first->file()->service(s)->method_count(); ++m) {
          const auto* method = first->file()->service(s)->method(m);
          const std::string& name = method->name();
          if (method->server_streaming() || name == "CreateModel" || name == "UpdateModel" || name == "DeleteModel") continue;
          all->push_back({factory->GetPrototype(method->input_type()), factory->GetPrototype(method->output_type())});
        }
    return all;
  }();
  return *methods;
}

cli::Backend& Backend() {
  static cli::Backend* const backend = [] {
    const char* robots = std::getenv("TORQUED_ROBOTS");
    auto made = cli::MakeLocalBackend(robots == nullptr ? "deploy/robots" : robots);
    if (!made.ok() || !(*made)->ModelName("two-link", v1::BASE_UNSPECIFIED).ok()) std::abort();
    return made->release();
  }();
  return *backend;
}

bool AllFinite(const Message& message) {
  std::vector<const FieldDescriptor*> fields;
  const auto* reflection = message.GetReflection();
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const int count = field->is_repeated() ? reflection->FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
        const double x = field->is_repeated() ? reflection->GetRepeatedDouble(message, field, i) : reflection->GetDouble(message, field);
        // A joint without limits has infinite ones: that is no number that was computed.
        if (std::isnan(x)) return false;
      } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !field->is_map()) {
        if (!AllFinite(field->is_repeated() ? reflection->GetRepeatedMessage(message, field, i) : reflection->GetMessage(message, field)))
          return false;
      }
    }
  }
  return true;
}

}  // namespace
}  // namespace torqued

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace torqued;
  if (size < 1) return 0;
  const Method& method = Methods()[data[0] % Methods().size()];
  const std::unique_ptr<google::protobuf::Message> request(method.request->New()), response(method.response->New());
  if (!request->ParseFromArray(data + 1, static_cast<int>(size - 1))) return 0;
  // Most mutations of a name lead nowhere: questions are about a model that is there.
  const auto* context = request->GetDescriptor()->FindFieldByName("context");
  if (context != nullptr) {
    constexpr const char* kModels[] = {"models/two-link", "models/quadruped", "models/ur5e", "models/rp-arm"};
    static_cast<v1::Context*>(request->GetReflection()->MutableMessage(request.get(), context))->set_model(kModels[(data[0] >> 6) & 3]);
  }
  const absl::Status status = Backend().Call(*request, *response, nullptr);
  const bool ours = status.code() == absl::StatusCode::kInternal || absl::IsUnknown(status);
  if (ours || (status.ok() && !AllFinite(*response))) {
    std::fprintf(stderr, "%s: %s\n%s\n", request->GetDescriptor()->name().c_str(), std::string(status.message()).c_str(),
                 request->ShortDebugString().substr(0, 2000).c_str());
    std::abort();
  }
  return 0;
}
