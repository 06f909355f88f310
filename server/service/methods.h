// Which calls are there? Every method of every service of torqued.v1, numbered once, found by its request's type.
#pragma once

#include <google/protobuf/descriptor.h>

#include <string>
#include <vector>

namespace torqued {

// "/torqued.v1.DynamicsService/ComputeInverseDynamics"; the index is the method's number.
const std::vector<std::string>& MethodNames();

// REQUIRES: the request of some method. Every request type belongs to exactly one.
int MethodNumber(const google::protobuf::Descriptor* request);

template <class Request>
int MethodNumber() {
  static const int number = MethodNumber(Request::descriptor());
  return number;
}

}  // namespace torqued
