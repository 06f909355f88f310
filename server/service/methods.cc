#include "server/service/methods.h"

#include <absl/strings/str_cat.h>

#include <map>

#include "torqued/v1/dynamics.pb.h"
#include "torqued/v1/kinematics.pb.h"
#include "torqued/v1/models.pb.h"
#include "torqued/v1/server.pb.h"
#include "torqued/v1/statics.pb.h"
#include "torqued/v1/stream.pb.h"

namespace torqued {
namespace {

struct Table {
  std::vector<std::string> names;
  std::map<const google::protobuf::Descriptor*, int> by_request;
};

const Table& Methods() {
  static const Table* const table = [] {
    auto* t = new Table;
    for (const auto* request :
         {v1::CreateModelRequest::descriptor(), v1::ComputeJacobianRequest::descriptor(),
          v1::ComputeStaticTorqueRequest::descriptor(), v1::ComputeInverseDynamicsRequest::descriptor(),
          v1::StreamComputeRequest::descriptor(), v1::GetServerInfoRequest::descriptor()}) {
      const auto* file = request->file();
      for (int s = 0; s < file->service_count(); ++s)
        for (int m = 0; m < file->service(s)->method_count(); ++m) {
          const auto* method = file->service(s)->method(m);
          t->by_request[method->input_type()] = static_cast<int>(t->names.size());
          t->names.push_back(absl::StrCat("/", file->service(s)->full_name(), "/", method->name()));
        }
    }
    return t;
  }();
  return *table;
}

}  // namespace

const std::vector<std::string>& MethodNames() { return Methods().names; }

int MethodNumber(const google::protobuf::Descriptor* request) { return Methods().by_request.at(request); }

}  // namespace torqued
