#include "tests/soak/questions.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/json_util.h>

#include <cmath>
#include <map>

#include "torqued/v1/dynamics.pb.h"
#include "torqued/v1/kinematics.pb.h"

namespace torqued::testing {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr int kRows = 40;

// What the names of fields do not tell.
const std::map<std::string, std::string>& Extras() {
  static const auto* const extras = new std::map<std::string, std::string>{
      {"torqued.v1.ComputeInverseStaticsRequest", R"({"wrench": {"exerter": "EXERTER_ROBOT"}})"},
      {"torqued.v1.ComputeSupportRequest", R"({"feet": ["fl_foot", "fr_foot", "hl_foot", "hr_foot"], "frictionCoefficient": 0.6})"},
      {"torqued.v1.CompareSimplifiedRequest", R"({"dropped": ["TERM_VELOCITY"]})"},
      {"torqued.v1.SimulateRequest", R"({"duration": 0.05, "step": 0.001})"},
  };
  return *extras;
}

void FillRows(v1::JointVectors& rows, int width, double phase, int count, int quaternion_at) {
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < width; ++k) {
      double x = 0.6 * std::sin(0.7 * i + 1.3 * k + phase);
      if (quaternion_at >= 0 && k >= quaternion_at && k < quaternion_at + 4) x = k == quaternion_at + 3 ? 1 : 0;
      rows.add_values(x);
    }
}

std::unique_ptr<Message> New(const std::string& type) {
  const auto* descriptor = google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(type);
  if (descriptor == nullptr) return nullptr;
  return std::unique_ptr<Message>(google::protobuf::MessageFactory::generated_factory()->GetPrototype(descriptor)->New());
}

}  // namespace

std::unique_ptr<Message> FillRequest(const std::string& request_type, const std::string& model, cli::Backend& local) {
  auto request = New(request_type);
  if (!request) return nullptr;
  const auto* descriptor = request->GetDescriptor();
  const auto* reflection = request->GetReflection();
  const auto* context = descriptor->FindFieldByName("context");
  if (context == nullptr || context->message_type() != v1::Context::descriptor()) return nullptr;
  const auto extra = Extras().find(request_type);
  if (extra != Extras().end() && !google::protobuf::util::JsonStringToMessage(extra->second, request.get()).ok()) return nullptr;
  static_cast<v1::Context*>(reflection->MutableMessage(request.get(), context))->set_model("models/" + model);

  v1::GetModelRequest get;
  get.set_name("models/" + model);
  const auto got = local.Ask<v1::GetModelResponse>(get);
  if (!got.ok()) return nullptr;
  const int nq = got->model().position_count(), nv = got->model().velocity_count();
  const int rows = request_type == "torqued.v1.SimulateRequest" ? 1 : kRows;
  double phase = 0;
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor* field = descriptor->field(i);
    if (field->is_repeated() || field->message_type() != v1::JointVectors::descriptor() || field->name() == "seeds") continue;
    const bool positions = field->name() == "positions";
    auto& vectors = static_cast<v1::JointVectors&>(*reflection->MutableMessage(request.get(), field));
    FillRows(vectors, positions ? nq : nv, ++phase, rows, positions && nq > nv ? 3 : -1);
  }
  if (auto* ik = dynamic_cast<v1::ComputeInverseKinematicsRequest*>(request.get())) {
    v1::ComputeForwardKinematicsRequest forward;
    *forward.mutable_context() = ik->context();
    FillRows(*forward.mutable_positions(), nq, 1, 3, nq > nv ? 3 : -1);
    const auto poses = local.Ask<v1::ComputeForwardKinematicsResponse>(forward);
    if (poses.ok()) *ik->mutable_poses() = poses->poses();
  }
  return request;
}

void AskOnce(cli::Backend& backend, const Question& question, absl::Status* status, std::string* bytes) {
  bytes->clear();
  const std::unique_ptr<Message> part(question.answer->New());
  const auto keep = [&] {
    google::protobuf::io::StringOutputStream stream(bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    part->SerializeToCodedStream(&coded);
    return true;
  };
  if (question.server_streams) {
    *status = backend.Receive(*question.request, *part, [&] {
      std::string one;
      one.swap(*bytes);
      keep();
      *bytes = one + *bytes;
      return true;
    });
    return;
  }
  *status = backend.Call(*question.request, *part, nullptr);
  if (status->ok()) keep();
}

}  // namespace torqued::testing
