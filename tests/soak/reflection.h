// Which methods does a server have, as it says itself? Asked through grpc.reflection.v1alpha, whose few messages are
// read by field number.
#pragma once

#include <grpcpp/channel.h>

#include <memory>
#include <string>
#include <vector>

namespace torqued::testing {

struct RemoteMethod {
  std::string name, request;  // "/torqued.v1.ModelService/GetModel", "torqued.v1.GetModelRequest"
  bool client_streams = false, server_streams = false;
};

// Of every service that is listed. Throws std::runtime_error where the server does not answer.
std::vector<RemoteMethod> AskMethods(const std::shared_ptr<grpc::Channel>& channel);

}  // namespace torqued::testing
