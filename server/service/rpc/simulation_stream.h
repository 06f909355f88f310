// A simulation on the wire: a worker computes the next piece when the last one is written.
#pragma once

#include <grpcpp/support/server_callback.h>

#include "server/service/rpc/host.h"

namespace torqued {

grpc::ServerWriteReactor<v1::SimulateResponse>* StartSimulation(Host& host, grpc::CallbackServerContext* context,
                                                                const v1::SimulateRequest& request);

}  // namespace torqued
