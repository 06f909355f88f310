// The services, one factory each: their classes stay in their own files, where the generated gRPC code is.
#pragma once

#include <grpcpp/impl/service_type.h>

#include <memory>

#include "server/service/rpc/host.h"

namespace torqued {

std::unique_ptr<grpc::Service> MakeModelService(Host& host);
std::unique_ptr<grpc::Service> MakeKinematicsService(Host& host);
std::unique_ptr<grpc::Service> MakeStaticsService(Host& host);
std::unique_ptr<grpc::Service> MakeDynamicsService(Host& host);
std::unique_ptr<grpc::Service> MakeStreamService(Host& host);
std::unique_ptr<grpc::Service> MakeServerService(Host& host);

}  // namespace torqued
