// Which remote method answers a request message, and may it be asked again?
#pragma once

#include <google/protobuf/message.h>

#include <string>

namespace torqued {

// "/torqued.v1.StaticsService/ComputeStaticTorque" for a ComputeStaticTorqueRequest: each request
// type of the contract belongs to one method of the service in its own file. Empty for a message
// that is no request.
std::string MethodPath(const google::protobuf::Descriptor& request);

// True where a repeat after a lost answer changes nothing: questions, and registrations that carry
// a request_id.
bool IsIdempotent(const google::protobuf::Message& request);

// A request_id that no other call has.
std::string NewRequestId();

}  // namespace torqued
