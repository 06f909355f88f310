// A watch on the models: snapshot or what came since, SYNCED, then every change in order.
#pragma once

#include <grpcpp/support/server_callback.h>

#include "server/service/rpc/host.h"
#include "torqued/v1/models.pb.h"

namespace torqued {

// Changes wait for a slow watcher up to a bound; beyond it the watch ends with OUT_OF_RANGE, never with a gap.
grpc::ServerWriteReactor<v1::WatchModelsResponse>* StartWatch(Host& host, grpc::CallbackServerContext* context,
                                                             const v1::WatchModelsRequest& request);

}  // namespace torqued
