// A folder of reference files: one robot with states and right values per MODEL.json, derivatives in MODEL.deriv.json.
//
// Format (all SI, matrices as nested rows, spatial rows linear then angular):
//   joints[]  name, type, axis, idx_q, idx_v, nq, nv, child_link, parent_joint, placement {p, R} in the parent joint's
//             frame, inertia {mass, com, I_com} of all that hangs rigidly on the joint; urdf: file in the folder's urdf/
//   states[]  q, v, a, tau_in and tau, M, g, c, nle, qdd, ee {p, R}, J.*, Jdot_v.*, energies, com, Lambda_inv, Lambda
//   deriv     dtau_dq, dtau_dv, dqdd_dq, dqdd_dv, Minv, regressor, dynamic_parameters
// Joints are matched by name: their order in a file means nothing. A joint of nq = 2, nv = 1 holds cosine and sine.
#pragma once

#include <Eigen/Core>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "server/core/tree/model.h"

namespace torqued::conformance {

struct ReferenceRobot {
  std::string name;
  nlohmann::json data, derivatives;  // derivatives: null if the file is missing
  std::string urdf_path;             // empty if there is none: the robot is built from joints[]
};

// Every MODEL.json of the folder, by name. Throws std::exception on a file that cannot be read.
std::vector<ReferenceRobot> ReadFolder(const std::string& folder);

// From the URDF, or from joints[] (then without links fixed to the world).
Model BuildModel(const ReferenceRobot& robot);

Eigen::VectorXd ToVector(const nlohmann::json& j);
Eigen::MatrixXd ToMatrix(const nlohmann::json& j);
Eigen::Isometry3d ToPose(const nlohmann::json& j);

// Where each entry of the reference's vectors stands in the model's.
class JointMap {
 public:
  // Throws std::runtime_error naming a joint that one side lacks.
  JointMap(const nlohmann::json& robot, const Model& model);

  Eigen::VectorXd Positions(const Eigen::VectorXd& reference) const;
  Eigen::VectorXd Rates(const Eigen::VectorXd& reference) const;         // v, a, tau: reference -> model
  Eigen::VectorXd Back(const Eigen::VectorXd& model) const;             // model -> reference
  Eigen::MatrixXd BackRows(const Eigen::MatrixXd& m) const;             // rows are entries of v
  Eigen::MatrixXd BackColumns(const Eigen::MatrixXd& m) const;

 private:
  struct Pair {
    int reference_q, model_q, reference_nq, model_nq;
  };
  std::vector<Pair> positions_;
  std::vector<int> model_v_;  // per reference entry of v
  int model_nq_ = 0;
};

}  // namespace torqued::conformance
