// Many states, one call each: the seam between messages and the code that computes rows.
//
// Rows in, rows out, row-major. `asked` holds the conditions and the wrenches of the context; results of dynamics have
// J^T F added (or taken away) already. Errors only from Call::Check.
#pragma once

#include "server/service/compute/context.h"

namespace torqued {

// efforts [rows x nv]; velocities and accelerations may be absent (zero).
absl::Status InverseDynamicsRows(const Call& call, const Asked& asked, const wire::Rows& q, const wire::Rows& v,
                                 const wire::Rows& a, double* efforts);

// efforts [rows x nv]: gravity and springs as the terms say.
absl::Status StaticTorqueRows(const Call& call, const Asked& asked, const wire::Rows& q, double* efforts);

// jacobians [rows x 6 x nv], each row-major.
absl::Status JacobianRows(const Call& call, const Asked& asked, int frame, Expression expression, const wire::Rows& q,
                          double* jacobians);

// accelerations [rows x nv] for joint efforts [rows x nv] (wrenches are taken from them already); efforts and
// accelerations do not overlap. FAILED_PRECONDITION naming the joint where M has no inverse.
absl::Status ForwardDynamicsRows(const Call& call, const Asked& asked, const wire::Rows& q, const wire::Rows& v,
                                 const double* efforts, double* accelerations);

// poses [rows x frames x 7]: position, quaternion.
absl::Status ForwardKinematicsRows(const Call& call, const std::vector<int>& frames, const wire::Rows& q, double* poses);

// m, c, g [rows x nv] along a path with derivatives dq, ddq.
absl::Status PathDynamicsRows(const Call& call, const Asked& asked, const wire::Rows& q, const wire::Rows& dq,
                              const wire::Rows& ddq, double* m, double* c, double* g);

// efforts [rows x nv] += sign J^T F for every wrench.
absl::Status AddWrenchTorques(const Call& call, const std::vector<AskedWrench>& wrenches, const wire::Rows& q,
                              double sign, double* efforts);

}  // namespace torqued
