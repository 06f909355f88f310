// Is this robot possible, complete, and read by others as it is here?
//
// A rigid body's inertia about its centre of mass has principal moments I1 <= I2 <= I3 with I1 >= 0 and I1 + I2 >= I3
// (equality: a flat body, or with I1 = 0 a thin rod). Accepted to 1e-6 of the largest moment, the rounding of numbers
// written with six digits. Repair takes the nearest second moments of mass s_i = (I1 + I2 + I3)/2 - I_i >= 0.
#pragma once

#include <Eigen/Core>
#include <array>

#include "server/robots/capabilities.h"
#include "server/robots/load.h"
#include "server/robots/report.h"

namespace torqued::robots {

// Ascending.
std::array<double, 3> PrincipalMoments(const Eigen::Matrix3d& inertia_about_com);

// I1 + I2 - I3 of the ascending principal moments: negative for an impossible tensor [kg m^2].
double TriangleSlack(const std::array<double, 3>& moments);

bool IsPhysicalInertia(const Eigen::Matrix3d& inertia_about_com);

// The physical tensor with the nearest second moments of mass; a physical one is returned unchanged.
Eigen::Matrix3d NearestPhysicalInertia(const Eigen::Matrix3d& inertia_about_com);

// Numerically invertible (rank by full pivoting).
bool Invertible(const Eigen::MatrixXd& square);

// Findings about the model; under Policy::kRepair it is changed. Under Policy::kStrict a physical finding is an error
// of the report that names all of them.
void Audit(Policy policy, SourceFormat format, Model& model, Report& report);

}  // namespace torqued::robots
