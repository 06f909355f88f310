// How does a test write a robot down? Link by link; document order is the order of the calls.
#pragma once

#include <string>
#include <vector>

#include "server/core/tree/model.h"

namespace torqued::oracle {

Eigen::Isometry3d Translation(double x, double y, double z);
Eigen::Isometry3d Rpy(double roll, double pitch, double yaw);  // fixed axes, as URDF

// Inertia about the mass centre from its six components.
MassProperties Mass(double mass, const Eigen::Vector3d& com, double xx, double yy, double zz, double xy = 0, double xz = 0,
                    double yz = 0);

class Builder {
 public:
  explicit Builder(const std::string& root = "base");

  // A link on a new joint of `kind` with a coordinate of its own. Returns the link's index.
  int Add(int parent, JointKind kind, const Eigen::Isometry3d& X_PJ, const Eigen::Vector3d& axis,
          const std::optional<MassProperties>& inertia, const std::string& name = "");
  // A one-degree joint that follows others: q = sum factor p + offset.
  int AddCoupled(int parent, JointKind kind, const Eigen::Isometry3d& X_PJ, const Eigen::Vector3d& axis,
                 const std::optional<MassProperties>& inertia, const std::vector<CouplingTerm>& coupling, double offset);
  // Puts the joints into another document order; coordinates are numbered anew where they are owned.
  void Reorder(const std::vector<int>& order);

  Model& model() { return model_; }
  Model Build() const { return model_; }

 private:
  int AddLink(int parent, JointKind kind, const Eigen::Isometry3d& X_PJ, const Eigen::Vector3d& axis,
              const std::optional<MassProperties>& inertia, const std::string& name);
  Model model_;
};

// One row of a Denavit-Hartenberg table. theta or d is the joint's offset; the other three are fixed.
struct DhRow {
  double theta = 0, d = 0, a = 0, alpha = 0;
  bool prismatic = false;
  std::optional<MassProperties> inertia;  // in frame i's axes
};
// A serial arm; link i is frame i of the table, link 0 the base.
Model StandardDh(const std::vector<DhRow>& rows);
Model ModifiedDh(const std::vector<DhRow>& rows);

}  // namespace torqued::oracle
