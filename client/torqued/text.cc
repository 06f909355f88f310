#include "client/torqued/text.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/stubs/common.h>

#include <algorithm>
#include <string>
#include <vector>


namespace torqued {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

absl::Status Check(const std::string& prefix, const Message& message);

absl::Status CheckOne(const std::string& field, const std::string& text) {
  using google::protobuf::internal::IsStructurallyValidUTF8;
  if (IsStructurallyValidUTF8(text.data(), static_cast<int>(text.size()))) return absl::OkStatus();
  int line = 1;
  for (size_t begin = 0; begin < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    if (!IsStructurallyValidUTF8(text.data() + begin, static_cast<int>(end - begin))) break;
    begin = end;
  }
  return absl::InvalidArgumentError(absl::StrCat(field, ": line ", line, ": the text is not valid UTF-8"));
}

absl::Status CheckField(const std::string& name, const Message& message, const FieldDescriptor* field, int at) {
  const auto* reflection = message.GetReflection();
  std::string scratch;
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING)
    return CheckOne(name, at < 0 ? reflection->GetStringReference(message, field, &scratch)
                                 : reflection->GetRepeatedStringReference(message, field, at, &scratch));
  return Check(name + ".", at < 0 ? reflection->GetMessage(message, field)
                                  : reflection->GetRepeatedMessage(message, field, at));
}

absl::Status Check(const std::string& prefix, const Message& message) {
  const auto* reflection = message.GetReflection();
  std::vector<const FieldDescriptor*> set;
  reflection->ListFields(message, &set);
  for (const FieldDescriptor* field : set) {
    const bool text = field->type() == FieldDescriptor::TYPE_STRING;
    if (!text && field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const std::string name = prefix + std::string(field->name());
    if (!field->is_repeated()) {
      if (absl::Status s = CheckField(name, message, field, -1); !s.ok()) return s;
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i)
      if (absl::Status s = CheckField(absl::StrCat(name, "[", i, "]"), message, field, i); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckStrings(const Message& message) { return Check("", message); }

}  // namespace torqued
