// A sweep on the wire: workers take its pieces in turn with everybody else's work; progress is told now and then.
#pragma once

#include <grpcpp/support/server_callback.h>

#include "server/service/rpc/host.h"

namespace torqued {

grpc::ServerWriteReactor<v1::SweepResponse>* StartSweep(Host& host, grpc::CallbackServerContext* context,
                                                        const v1::SweepRequest& request);

}  // namespace torqued
