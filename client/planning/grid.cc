#include "client/planning/grid.h"

#include <algorithm>
#include <cmath>

namespace torqued {
namespace {

// Marks where a dry joint turns round, found between samples and pinned down by bisection.
void AddReversals(const Path& path, int samples, const std::vector<bool>& dry, std::vector<Break>& marks) {
  const int n = path.joint_count();
  std::vector<double> q(n), before(n), after(n), at(n), ddq(n);
  const double h = path.length() / samples;
  path.Evaluate(0, Side::kRight, q.data(), before.data(), ddq.data());
  for (int k = 1; k <= samples; ++k) {
    const double s = k == samples ? path.length() : k * h;
    path.Evaluate(s, Side::kLeft, q.data(), after.data(), ddq.data());
    double size = 0;
    for (int j = 0; j < n; ++j) size = std::max(size, std::abs(after[j]));
    for (int j = 0; j < n; ++j) {
      if (!dry[j] || std::abs(before[j]) < 1e-9 * size || std::abs(after[j]) < 1e-9 * size) continue;
      if ((before[j] > 0) == (after[j] > 0)) continue;
      double lo = s - h, hi = s;
      for (int step = 0; step < 48; ++step) {
        const double mid = 0.5 * (lo + hi);
        path.Evaluate(mid, Side::kRight, q.data(), at.data(), ddq.data());
        ((at[j] > 0) == (before[j] > 0) ? lo : hi) = mid;
      }
      marks.push_back({0.5 * (lo + hi), false});
    }
    before = after;
  }
}

}  // namespace

PathGrid MakeGrid(const Path& path, int intervals, const std::vector<bool>& dry) {
  const double length = path.length();
  const int n = path.joint_count();
  std::vector<Break> marks = path.breaks();
  if (std::find(dry.begin(), dry.end(), true) != dry.end()) AddReversals(path, intervals, dry, marks);
  std::sort(marks.begin(), marks.end(), [](const Break& a, const Break& b) { return a.s < b.s; });

  std::vector<Break> kept = {{0, false}};
  for (const Break& b : marks) {
    if (b.s < 1e-9 * length || b.s > length * (1 - 1e-9)) continue;
    if (b.s - kept.back().s < 1e-9 * length) {
      // The stop keeps its own place: q' jumps exactly there.
      if (b.must_stop && !kept.back().must_stop && kept.size() > 1) kept.back() = b;
      continue;
    }
    kept.push_back(b);
  }
  kept.push_back({length, false});

  const int sections = static_cast<int>(kept.size()) - 1;
  const int fewest = std::clamp(intervals / (4 * sections), 2, 24);
  PathGrid g;
  g.s.push_back(0);
  g.must_stop.push_back(0);
  for (size_t k = 0; k + 1 < kept.size(); ++k) {
    const double from = kept[k].s, span = kept[k + 1].s - from;
    const int pieces = std::max(fewest, static_cast<int>(std::lround(intervals * span / length)));
    g.section_column.push_back(static_cast<int>(g.column_s.size()));
    for (int i = 0; i <= pieces; ++i) {
      const double s = i == pieces ? kept[k + 1].s : from + span * i / pieces;
      if (i == 0) {
        g.right.push_back(static_cast<int>(g.column_s.size()));
      } else {
        g.s.push_back(s);
        g.must_stop.push_back(i == pieces && kept[k + 1].must_stop);
        g.left.resize(g.s.size(), 0);
        g.left.back() = static_cast<int>(g.column_s.size());
        if (i < pieces) g.right.push_back(static_cast<int>(g.column_s.size()));
        g.section.push_back(static_cast<int>(k));
      }
      g.column_s.push_back(s);
    }
  }
  g.right.push_back(g.left.back());
  g.left.front() = 0;
  const int columns = static_cast<int>(g.column_s.size());
  g.section_column.push_back(columns);
  g.q.resize(n, columns);
  g.dq.resize(n, columns);
  g.ddq.resize(n, columns);
  for (size_t k = 0; k + 1 < g.section_column.size(); ++k)
    for (int c = g.section_column[k]; c < g.section_column[k + 1]; ++c)
      path.Evaluate(g.column_s[c], c + 1 == g.section_column[k + 1] ? Side::kLeft : Side::kRight, g.q.col(c).data(),
                    g.dq.col(c).data(), g.ddq.col(c).data());
  g.middle_dq.resize(n, g.intervals());
  g.middle_ddq.resize(n, g.intervals());
  Eigen::VectorXd q(n);
  for (int i = 0; i < g.intervals(); ++i)
    path.Evaluate(0.5 * (g.s[i] + g.s[i + 1]), Side::kRight, q.data(), g.middle_dq.col(i).data(), g.middle_ddq.col(i).data());
  return g;
}

ColumnWeights WeightsAt(const PathGrid& grid, int interval, double s) {
  const int begin = grid.section_column[grid.section[interval]], end = grid.section_column[grid.section[interval] + 1];
  ColumnWeights w;
  w.count = std::min(4, end - begin);
  w.first = std::clamp(grid.right[interval] - 1, begin, end - w.count);
  for (int a = 0; a < w.count; ++a) {
    w.weight[a] = 1;
    for (int b = 0; b < w.count; ++b)
      if (a != b)
        w.weight[a] *= (s - grid.column_s[w.first + b]) / (grid.column_s[w.first + a] - grid.column_s[w.first + b]);
  }
  return w;
}

}  // namespace torqued
