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

void Evaluate(const Path& path, PathGrid& g) {
  const int n = path.joint_count(), columns = static_cast<int>(g.column_s.size());
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
}

}  // namespace

PathGrid MakeGrid(const Path& path, int intervals, const std::vector<bool>& dry) {
  const double length = path.length();
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
    // Out of rest and into it sdot^2 grows like s: a quarter of the steps in s is half of the time.
    std::vector<double> places(pieces + 1);
    for (int i = 0; i <= pieces; ++i) places[i] = i == pieces ? kept[k + 1].s : from + span * i / pieces;
    const double h = span / pieces;
    if (k == 0 || kept[k].must_stop)
      places.insert(places.begin() + 1, {from + h / 16, from + h / 4, from + h * 9 / 16});
    if (k + 2 == kept.size() || kept[k + 1].must_stop)
      places.insert(places.end() - 1, {places.back() - h * 9 / 16, places.back() - h / 4, places.back() - h / 16});
    const int last = static_cast<int>(places.size()) - 1;
    for (int i = 0; i <= last; ++i) {
      const double s = places[i];
      if (i == 0) {
        g.right.push_back(static_cast<int>(g.column_s.size()));
      } else {
        g.s.push_back(s);
        g.must_stop.push_back(i == last && kept[k + 1].must_stop);
        g.left.resize(g.s.size(), 0);
        g.left.back() = static_cast<int>(g.column_s.size());
        if (i < last) g.right.push_back(static_cast<int>(g.column_s.size()));
        g.section.push_back(static_cast<int>(k));
      }
      g.column_s.push_back(s);
    }
  }
  g.right.push_back(g.left.back());
  g.left.front() = 0;
  g.section_column.push_back(static_cast<int>(g.column_s.size()));
  Evaluate(path, g);
  return g;
}

PathGrid WithPoints(const Path& path, const PathGrid& grid, const std::vector<double>& extra, std::vector<int>& source) {
  PathGrid g;
  source.clear();
  size_t next = 0;
  const auto column = [&](int old, double s) {
    source.push_back(old);
    g.column_s.push_back(s);
    return static_cast<int>(g.column_s.size()) - 1;
  };
  const auto point = [&](double s, char must_stop, int left, int right) {
    g.s.push_back(s);
    g.must_stop.push_back(must_stop);
    g.left.push_back(left);
    g.right.push_back(right);
  };
  g.section_column.push_back(0);
  const int first = column(grid.right[0], grid.s[0]);
  point(grid.s[0], 0, first, first);
  for (int i = 0; i < grid.intervals(); ++i) {
    for (; next < extra.size() && extra[next] < grid.s[i + 1]; ++next) {
      g.section.push_back(grid.section[i]);
      const int between = column(-1, extra[next]);
      point(extra[next], 0, between, between);
    }
    g.section.push_back(grid.section[i]);
    const int left = column(grid.left[i + 1], grid.s[i + 1]);
    int right = left;
    if (grid.right[i + 1] != grid.left[i + 1]) {
      g.section_column.push_back(left + 1);
      right = column(grid.right[i + 1], grid.s[i + 1]);
    }
    point(grid.s[i + 1], grid.must_stop[i + 1], left, right);
  }
  g.section_column.push_back(static_cast<int>(g.column_s.size()));
  Evaluate(path, g);
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
