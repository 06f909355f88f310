#include "client/torqued/methods.h"

#include <cstdio>
#include <random>

#include "torqued/v1/models.pb.h"

namespace torqued {

std::string MethodPath(const google::protobuf::Descriptor& request) {
  const google::protobuf::FileDescriptor* file = request.file();
  for (int s = 0; s < file->service_count(); ++s)
    for (int m = 0; m < file->service(s)->method_count(); ++m) {
      const google::protobuf::MethodDescriptor* method = file->service(s)->method(m);
      if (method->input_type() == &request)
        return "/" + file->service(s)->full_name() + "/" + method->name();
    }
  return "";
}

bool IsIdempotent(const google::protobuf::Message& request) {
  const google::protobuf::Descriptor* type = request.GetDescriptor();
  if (type == v1::CreateModelRequest::descriptor()) {
    const auto& create = static_cast<const v1::CreateModelRequest&>(request);
    return create.validate_only() || !create.request_id().empty();
  }
  if (type == v1::UpdateModelRequest::descriptor())
    return static_cast<const v1::UpdateModelRequest&>(request).validate_only();
  return type != v1::DeleteModelRequest::descriptor();
}

std::string NewRequestId() {
  std::random_device random;
  char text[40];
  std::snprintf(text, sizeof text, "%08x-%08x-%08x-%08x", random(), random(), random(), random());
  return text;
}

}  // namespace torqued
