// How does a list of links and joints, tied by names, become a tree with coordinates?
//
// Both readers fill a Draft; here are the rules that both share: one root, no loop, names known and unique, mimic
// chains resolved, a mimic joint's friction and limits folded into the coordinate that drives it:
//     q_b = f p + o:   viscous f^2 B,  Coulomb |f| C (directions swapped where f < 0),  (lower - o)/f <= p <= (upper - o)/f.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/core/tree/model.h"
#include "server/robots/load.h"
#include "server/robots/report.h"

namespace torqued::robots {

struct DraftMimic {
  std::string joint;
  double multiplier = 1;
  double offset = 0;  // [rad] or [m]
};

struct DraftJoint {
  Joint joint;                // all but parent_link, child_link, coupling
  std::string parent, child;  // link names
  std::optional<DraftMimic> mimic;
  std::vector<std::pair<std::string, double>> coupling;  // coordinate name, factor; empty: its own coordinate
  Limits limits;
  Friction friction;
};

struct DraftCoordinate {
  Coordinate coordinate;  // name, kind, limits, friction
  int line = 0;
};

struct Draft {
  std::string name;
  std::vector<Link> links;         // document order
  std::vector<DraftJoint> joints;  // document order
  // Where given, every independent coordinate, in order; else one per joint that is not driven.
  std::vector<DraftCoordinate> coordinates;
  bool floating = false;           // the source asks for a floating base
  int line = 0;                    // of the robot itself
};

// The tree, its couplings and coordinates. On an error (report.failed()) the model is not to be used.
Model Assemble(Draft draft, BaseOption base, Report& report);

// The link that a tool frame is guessed to be: "tool0", else the end of the longest chain of moving joints.
std::string GuessToolFrame(const Model& model, Report& report);

}  // namespace torqued::robots
