#include "proto/wire/grpc_status.h"

#include "proto/wire/errors.h"

namespace torqued::wire {

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const google::rpc::Status proto = ToProto(WithErrorInfo(status));
  return grpc::Status(static_cast<grpc::StatusCode>(proto.code()), proto.message(),
                      proto.SerializeAsString());
}

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  google::rpc::Status proto;
  if (status.error_details().empty() || !proto.ParseFromString(status.error_details()))
    proto.Clear();
  proto.set_code(status.error_code());
  proto.set_message(status.error_message());
  return FromProto(proto);
}

}  // namespace torqued::wire
