#include "client/cli/json.h"

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/util/time_util.h>

#include <cmath>
#include <vector>

#include "client/cli/numbers.h"

namespace torqued::cli {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::util::TimeUtil;

class Writer {
 public:
  explicit Writer(bool pretty) : pretty_(pretty) {}

  void Put(const Message& message) {
    if (message.GetDescriptor() == google::protobuf::Timestamp::descriptor()) {
      text_ +=
          JsonString(TimeUtil::ToString(static_cast<const google::protobuf::Timestamp&>(message)));
      return;
    }
    if (message.GetDescriptor() == google::protobuf::Duration::descriptor()) {
      text_ +=
          JsonString(TimeUtil::ToString(static_cast<const google::protobuf::Duration&>(message)));
      return;
    }
    const Reflection* reflection = message.GetReflection();
    Open('{');
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
      const FieldDescriptor* field = message.GetDescriptor()->field(i);
      const bool shown = field->is_repeated()    ? reflection->FieldSize(message, field) > 0
                         : field->has_presence() ? reflection->HasField(message, field)
                                                 : true;
      if (!shown) continue;
      Next();
      text_ += JsonString(field->name()) + (pretty_ ? ": " : ":");
      if (field->is_map())
        PutMap(message, field);
      else if (field->is_repeated())
        PutList(message, field);
      else
        PutValue(message, field, -1);
    }
    Close('}');
  }

  std::string Take() { return std::move(text_); }

 private:
  void PutList(const Message& message, const FieldDescriptor* field) {
    const int size = message.GetReflection()->FieldSize(message, field);
    const bool nested = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (nested) {
      Open('[');
      for (int i = 0; i < size; ++i) Next(), PutValue(message, field, i);
      Close(']');
      return;
    }
    text_ += '[';
    for (int i = 0; i < size; ++i) {
      if (i > 0) text_ += pretty_ ? ", " : ",";
      PutValue(message, field, i);
    }
    text_ += ']';
  }

  void PutMap(const Message& message, const FieldDescriptor* field) {
    const Reflection* reflection = message.GetReflection();
    const FieldDescriptor* key = field->message_type()->map_key();
    const FieldDescriptor* value = field->message_type()->map_value();
    Open('{');
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      const Message& entry = reflection->GetRepeatedMessage(message, field, i);
      Next();
      text_ += JsonString(entry.GetReflection()->GetString(entry, key)) + (pretty_ ? ": " : ":");
      PutValue(entry, value, -1);
    }
    Close('}');
  }

  void PutValue(const Message& message, const FieldDescriptor* field, int index) {
    const Reflection* r = message.GetReflection();
    const bool one = index < 0;
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_DOUBLE:
        PutDouble(one ? r->GetDouble(message, field) : r->GetRepeatedDouble(message, field, index));
        return;
      case FieldDescriptor::CPPTYPE_FLOAT:
        PutDouble(one ? r->GetFloat(message, field) : r->GetRepeatedFloat(message, field, index));
        return;
      case FieldDescriptor::CPPTYPE_INT32:
        text_ += std::to_string(one ? r->GetInt32(message, field)
                                    : r->GetRepeatedInt32(message, field, index));
        return;
      case FieldDescriptor::CPPTYPE_UINT32:
        text_ += std::to_string(one ? r->GetUInt32(message, field)
                                    : r->GetRepeatedUInt32(message, field, index));
        return;
      case FieldDescriptor::CPPTYPE_INT64:  // 64-bit integers are strings in proto3 JSON
        text_ += '"' +
                 std::to_string(one ? r->GetInt64(message, field)
                                    : r->GetRepeatedInt64(message, field, index)) +
                 '"';
        return;
      case FieldDescriptor::CPPTYPE_UINT64:
        text_ += '"' +
                 std::to_string(one ? r->GetUInt64(message, field)
                                    : r->GetRepeatedUInt64(message, field, index)) +
                 '"';
        return;
      case FieldDescriptor::CPPTYPE_BOOL:
        text_ += (one ? r->GetBool(message, field) : r->GetRepeatedBool(message, field, index))
                     ? "true"
                     : "false";
        return;
      case FieldDescriptor::CPPTYPE_ENUM: {
        const int number =
            one ? r->GetEnumValue(message, field) : r->GetRepeatedEnumValue(message, field, index);
        const auto* value = field->enum_type()->FindValueByNumber(number);
        text_ += value != nullptr ? JsonString(value->name()) : std::to_string(number);
        return;
      }
      case FieldDescriptor::CPPTYPE_STRING:
        text_ += JsonString(one ? r->GetString(message, field)
                                : r->GetRepeatedString(message, field, index));
        return;
      case FieldDescriptor::CPPTYPE_MESSAGE:
        Put(one ? r->GetMessage(message, field) : r->GetRepeatedMessage(message, field, index));
        return;
    }
  }

  void PutDouble(double value) {
    if (std::isfinite(value))
      text_ += Shortest(value);
    else
      text_ += std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  }

  void Open(char bracket) {
    text_ += bracket;
    counts_.push_back(0);
  }
  void Next() {
    if (counts_.back()++ > 0) text_ += ',';
    NewLine();
  }
  void Close(char bracket) {
    const bool empty = counts_.back() == 0;
    counts_.pop_back();
    if (!empty) NewLine();
    text_ += bracket;
  }
  void NewLine() {
    if (pretty_) text_ += '\n' + std::string(2 * counts_.size(), ' ');
  }

  const bool pretty_;
  std::string text_;
  std::vector<int> counts_;  // members so far, per open bracket
};

}  // namespace

std::string JsonString(const std::string& text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += "\\u00";
          out += kHex[c >> 4];
          out += kHex[c & 15];
        } else {
          out += c;
        }
    }
  }
  return out + '"';
}

std::string ToJson(const Message& message) {
  Writer writer(true);
  writer.Put(message);
  return writer.Take() + "\n";
}

std::string ToJsonLine(const Message& message) {
  Writer writer(false);
  writer.Put(message);
  return writer.Take() + "\n";
}

}  // namespace torqued::cli
