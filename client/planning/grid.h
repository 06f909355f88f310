// At which points of a path are the dynamics asked? A grid aligned to everything that jumps.
//
// Points are aligned to the path's breaks and to sign changes of q'_j of joints with dry friction; between such marks a
// *section* is smooth and its points are evenly spaced, but for the first and last interval where the motion rests. A point
// on a mark has two columns, one seen from each side.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "client/planning/path.h"

namespace torqued {

struct PathGrid {
  std::vector<double> s;            // N + 1 points, ascending
  std::vector<int> left, right;     // column of point i as the end of interval i - 1 and as the start of interval i
  std::vector<char> must_stop;      // per point: q' jumps there
  std::vector<int> section;         // per interval
  std::vector<int> section_column;  // first column of each section, and one past the last
  std::vector<double> column_s;     // s of each column
  Eigen::MatrixXd q, dq, ddq;       // joints x columns
  Eigen::MatrixXd middle_dq, middle_ddq;  // joints x intervals, half-way along each

  int intervals() const { return static_cast<int>(s.size()) - 1; }
  int joint_count() const { return static_cast<int>(q.rows()); }
};

// About `intervals` intervals, with a fair share for short sections: blends bend most. REQUIRES: path.length() > 0, intervals >= 2.
// `dry`: per joint, whether the sign of its motion matters.
PathGrid MakeGrid(const Path& path, int intervals, const std::vector<bool>& dry);

// A value between columns of a section from four columns around s (cubic Lagrange, fewer where the section is shorter).
// Weights for columns first .. first + count - 1.
struct ColumnWeights {
  int first = 0, count = 0;
  double weight[4] = {0, 0, 0, 0};
};
ColumnWeights WeightsAt(const PathGrid& grid, int interval, double s);

// The grid with more points, inside its intervals, ascending. `source`: per new column, the old column or -1.
PathGrid WithPoints(const Path& path, const PathGrid& grid, const std::vector<double>& extra, std::vector<int>& source);

}  // namespace torqued
