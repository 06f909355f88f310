#include "client/torqued/batch.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string>
#include <vector>

#include "torqued/v1/dynamics.pb.h"
#include "torqued/v1/kinematics.pb.h"
#include "torqued/v1/statics.pb.h"

namespace torqued {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::RepeatedField;

bool OneResultPerRow(const Message& request) {
  const Descriptor* type = request.GetDescriptor();
  if (type == v1::ComputeInverseStaticsRequest::descriptor())
    return !static_cast<const v1::ComputeInverseStaticsRequest&>(request).has_payload();
  return type != v1::IdentifyParametersRequest::descriptor() &&
         type != v1::CompareSimplifiedRequest::descriptor() &&
         type != v1::SimulateRequest::descriptor() &&
         type != v1::SweepRequest::descriptor() && request.GetReflection() != nullptr &&
         type->FindFieldByName("context") != nullptr;
}

// A per-sample field: its numbers and how many of them make a row.
struct Rows {
  const RepeatedField<double>* values = nullptr;
  int width = 0;
};

// The per-sample fields that are present, in field order.
std::vector<Rows> FindRows(const Message& request, RowWidths widths) {
  const Descriptor* type = request.GetDescriptor();
  const Reflection* reflection = request.GetReflection();
  std::vector<Rows> result;
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    if (field->is_repeated() || field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE ||
        !reflection->HasField(request, field))
      continue;
    const Message& child = reflection->GetMessage(request, field);
    const Descriptor* kind = child.GetDescriptor();
    if (kind == v1::JointVectors::descriptor()) {
      const bool positions = field->name() == "positions" || field->name() == "seeds";
      result.push_back({&static_cast<const v1::JointVectors&>(child).values(),
                        positions ? widths.nq : widths.nv});
    } else if (kind == v1::Poses::descriptor()) {
      result.push_back({&static_cast<const v1::Poses&>(child).values(), 7});
    } else if (kind == v1::Wrenches::descriptor()) {
      result.push_back({&static_cast<const v1::Wrenches&>(child).values(), 6});
    } else if (kind == v1::Context::descriptor()) {
      for (const auto& wrench : static_cast<const v1::Context&>(child).wrenches())
        result.push_back({&wrench.values(), 6});
    }
  }
  if (type == v1::AnalyzeVelocityRequest::descriptor())
    result.push_back(
        {&static_cast<const v1::AnalyzeVelocityRequest&>(request).frame_velocities(), 6});
  if (type == v1::ComputeOperationalSpaceRequest::descriptor())
    result.push_back(
        {&static_cast<const v1::ComputeOperationalSpaceRequest&>(request).frame_accelerations(),
         6});
  return result;
}

// Doubles in one sample's answer, for the kinds whose answers are much larger than their questions.
int64_t AnswerDoubles(const Message& request, RowWidths w) {
  const Descriptor* type = request.GetDescriptor();
  const int64_t nv = w.nv;
  if (type == v1::ComputeRegressorRequest::descriptor())
    return nv * 10 * (2 * nv + 10);  // some links are fixed
  if (type == v1::ComputeDerivativesRequest::descriptor()) return 6 * nv * nv;
  if (type == v1::ComputeEquationOfMotionRequest::descriptor()) return 3 * nv * nv + 4 * nv;
  if (type == v1::ComputeTorqueBreakdownRequest::descriptor())
    return nv * (nv * nv / 2 + nv + 4) * 6;
  if (type == v1::ComputeOperationalSpaceRequest::descriptor()) return 100 + nv;
  if (type == v1::ComputeForwardKinematicsRequest::descriptor()) return 20 * (nv + 4);
  if (type == v1::ComputeLinkForcesRequest::descriptor()) return 6 * (nv + 8);
  return 8 * nv + 16;
}

void JoinInfo(const v1::AnswerInfo& part, v1::AnswerInfo& whole) {
  for (const int sample : part.samples_outside_limits())
    whole.add_samples_outside_limits(sample + whole.sample_count());
  whole.set_sample_count(whole.sample_count() + part.sample_count());
  if (!part.has_check()) return;
  v1::Check* check = whole.mutable_check();
  check->set_newton_euler_vs_lagrange(
      std::max(check->newton_euler_vs_lagrange(), part.check().newton_euler_vs_lagrange()));
  check->set_mass_rate_vs_coriolis(
      std::max(check->mass_rate_vs_coriolis(), part.check().mass_rate_vs_coriolis()));
  check->set_power_balance(std::max(check->power_balance(), part.check().power_balance()));
}

v1::Context* MutableContext(Message& request) {
  const auto* field = request.GetDescriptor()->FindFieldByName("context");
  return static_cast<v1::Context*>(request.GetReflection()->MutableMessage(&request, field));
}

// The same error, saying where the part that failed begins: its own sample numbers count from
// there.
absl::Status InPart(const absl::Status& status, int64_t begin) {
  if (begin == 0) return status;
  absl::Status result(status.code(),
                      absl::StrCat("from sample ", begin, " on: ", status.message()));
  status.ForEachPayload([&result](absl::string_view url, const absl::Cord& payload) {
    result.SetPayload(url, payload);
  });
  return result;
}

std::string AnsweringRevision(const Message& response) {
  const auto* field = response.GetDescriptor()->FindFieldByName("info");
  if (field == nullptr || field->message_type() != v1::AnswerInfo::descriptor()) return "";
  return static_cast<const v1::AnswerInfo&>(response.GetReflection()->GetMessage(response, field))
      .revision();
}

}  // namespace

BatchRequest::BatchRequest(const Message& request, RowWidths widths)
    : request_(request), widths_(widths) {
  if (!OneResultPerRow(request)) return;
  for (const Rows& rows : FindRows(request, widths))
    if (rows.width > 0) samples_ = std::max<int64_t>(samples_, rows.values->size() / rows.width);
}

int64_t BatchRequest::SamplesPerPart(BatchLimits limits) const {
  int64_t count = samples_;
  if (limits.samples > 0) count = std::min(count, limits.samples);
  if (limits.bytes > 0 && samples_ > 0) {
    constexpr int64_t kFraming = 64 * 1024;  // names, info and tags around the numbers
    const int64_t room = std::max<int64_t>(limits.bytes - kFraming, limits.bytes / 2);
    const int64_t question = static_cast<int64_t>(request_.ByteSizeLong()) / samples_ + 1;
    count = std::min({count, room / question, room / (8 * AnswerDoubles(request_, widths_))});
  }
  return std::max<int64_t>(count, 1);
}

std::unique_ptr<Message> BatchRequest::Part(int64_t begin, int64_t count) {
  const std::vector<Rows> all = FindRows(request_, widths_);
  const auto split = [this](const Rows& rows) {
    return rows.width > 0 && rows.values->size() == samples_ * rows.width;
  };
  if (frame_ == nullptr) {
    frame_.reset(request_.New());
    frame_->CopyFrom(request_);
    const std::vector<Rows> own = FindRows(*frame_, widths_);
    for (size_t i = 0; i < own.size();
         ++i)  // emptied but for one number, so that the field stays present
      if (split(all[i])) const_cast<RepeatedField<double>*>(own[i].values)->Truncate(1);
  }
  std::unique_ptr<Message> part(frame_->New());
  part->CopyFrom(*frame_);
  const std::vector<Rows> own = FindRows(*part, widths_);
  for (size_t i = 0; i < own.size(); ++i) {
    if (!split(all[i])) continue;
    auto* values = const_cast<RepeatedField<double>*>(own[i].values);
    const double* first = all[i].values->data() + begin * all[i].width;
    values->Clear();
    values->Add(first, first + count * all[i].width);
  }
  return part;
}

void JoinAnswer(const Message& part, Message& whole) {
  const Descriptor* type = part.GetDescriptor();
  const Reflection* reflection = part.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(part, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->is_repeated()) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
        if (type == v1::ComputeRegressorResponse::descriptor())
          continue;  // the model's parameters: the same in each part
        for (int i = 0; i < reflection->FieldSize(part, field); ++i)
          reflection->AddDouble(&whole, field, reflection->GetRepeatedDouble(part, field, i));
      } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        for (int i = 0; i < reflection->FieldSize(part, field); ++i)
          reflection->AddMessage(&whole, field)
              ->CopyFrom(reflection->GetRepeatedMessage(part, field, i));
      }
      continue;
    }
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const Message& from = reflection->GetMessage(part, field);
    Message* to = reflection->MutableMessage(&whole, field);
    if (from.GetDescriptor() == v1::AnswerInfo::descriptor()) {
      JoinInfo(static_cast<const v1::AnswerInfo&>(from), static_cast<v1::AnswerInfo&>(*to));
    } else if (from.GetDescriptor() == v1::JointVectors::descriptor()) {
      static_cast<v1::JointVectors*>(to)->mutable_values()->MergeFrom(
          static_cast<const v1::JointVectors&>(from).values());
    } else if (from.GetDescriptor() == v1::Poses::descriptor()) {
      static_cast<v1::Poses*>(to)->mutable_values()->MergeFrom(
          static_cast<const v1::Poses&>(from).values());
    } else if (from.GetDescriptor() == v1::Matrices::descriptor() && field->name() != "base_map") {
      static_cast<v1::Matrices*>(to)->mutable_values()->MergeFrom(
          static_cast<const v1::Matrices&>(from).values());
    }
  }
}

absl::Status AskInParts(BatchRequest& batch, BatchLimits limits, Message& response,
                        const std::function<absl::Status(const Message&, Message&)>& ask,
                        const Progress& progress) {
  constexpr int64_t kSamplesBetweenReports = 10'000;
  int64_t per_part = batch.SamplesPerPart(limits);
  if (progress) per_part = std::min(per_part, kSamplesBetweenReports);
  response.Clear();
  if (batch.samples() <= per_part) return ask(batch.request(), response);

  std::unique_ptr<Message> answer(response.New());
  std::string revision;  // the first part's
  for (int64_t begin = 0; begin < batch.samples(); begin += per_part) {
    const auto part = batch.Part(begin, std::min(per_part, batch.samples() - begin));
    if (!revision.empty()) MutableContext(*part)->set_model(revision);
    Message& target = begin == 0 ? response : *answer;
    target.Clear();
    if (absl::Status status = ask(*part, target); !status.ok()) return InPart(status, begin);
    if (begin == 0)
      revision = AnsweringRevision(response);
    else
      JoinAnswer(*answer, response);
    if (progress) progress(std::min(begin + per_part, batch.samples()), batch.samples());
  }
  return absl::OkStatus();
}

}  // namespace torqued
