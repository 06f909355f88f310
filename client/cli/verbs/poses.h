// Asks forward kinematics and shows its poses: what fk and links share.
#pragma once

#include "client/cli/exit_code.h"
#include "client/cli/subject.h"
#include "torqued/v1/kinematics.pb.h"

namespace torqued::cli {

absl::StatusOr<Exit> ShowPoses(Session& session, const Subject& subject,
                               const v1::ComputeForwardKinematicsRequest& request,
                               const std::string& title);

}  // namespace torqued::cli
