// What do the numbers of a joint vector mean? Name, unit and kind of each column of q, v, a and
// tau.
#pragma once

#include <string>
#include <vector>

#include "torqued/v1/models.pb.h"

namespace torqued::cli {

enum class Quantity { kPosition, kVelocity, kAcceleration, kEffort };

struct Column {
  std::string id;        // "shoulder_pan_joint"; of a floating, spherical or planar joint with its
                         // component: "base.qx"
  std::string unit;      // "rad", "m/s", "Nm"; "" of a quaternion's components
  bool angular = false;  // of a revolute joint: may be given in degrees
};

// nq columns for positions, nv for the others, in the model's order.
std::vector<Column> Columns(const v1::Model& model, Quantity quantity);

// "q", "v", "a", "tau".
const char* Suffix(Quantity quantity);

// "shoulder_pan_joint.q[rad]".
std::string Heading(const Column& column, Quantity quantity);

// "shoulder_pan_joint [rad], ..." for messages.
std::string Describe(const std::vector<Column>& columns);

// Factor from `unit` to the column's own; 0: the unit does not fit. "" is the column's own unit.
double UnitFactor(const Column& column, Quantity quantity, const std::string& unit);

}  // namespace torqued::cli
