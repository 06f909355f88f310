#include "client/planning/stages.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace torqued {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kZero = 1e-11;  // relative: below it a coefficient of u is rounding
constexpr double kPi = 3.14159265358979323846;

double Level(const Friction& f, double speed, int direction) {
  const double coulomb = direction > 0 ? f.coulomb_positive : f.coulomb_negative;
  if (!(f.stribeck_velocity > 0)) return coulomb;
  const double r = speed / f.stribeck_velocity;
  return coulomb + (f.breakaway - coulomb) * std::exp(-r * r);
}
double Onset(const Friction& f, double speed) {
  return f.smoothing_velocity > 0 ? std::tanh(speed / f.smoothing_velocity) : 1;
}

// constant + slope x, above and below d F(w sqrt(x)) for x in the window.
struct FrictionBounds {
  double over0 = 0, over1 = 0, under0 = 0, under1 = 0;
};

FrictionBounds BoundFriction(const Friction& f, int direction, double rate, const FrictionWindow& window, int point) {
  FrictionBounds b;
  if (direction == 0) return b;
  const double w = std::abs(rate);
  double low = 0, high = kInfinity;
  if (window.viscous) low = std::sqrt(window.low[point]), high = std::sqrt(window.high[point]);
  const bool fast = std::isinf(high);
  const double level_low = Level(f, w * low, direction);
  const double level_high = fast ? (direction > 0 ? f.coulomb_positive : f.coulomb_negative) : Level(f, w * high, direction);
  double over0 = std::max(level_low, level_high) * (fast ? 1 : Onset(f, w * high)), over1 = 0;
  double under0 = std::min(level_low, level_high) * Onset(f, w * low), under1 = 0;
  if (window.viscous && f.viscous > 0) {
    const double root = std::sqrt(window.tangent[point]);
    over0 += f.viscous * w * 0.5 * root;
    over1 = f.viscous * w * 0.5 / root;
    const double slope = high + low > 0 && !fast ? 1 / (high + low) : 0;
    under0 += f.viscous * w * (low - slope * low * low);
    under1 = f.viscous * w * slope;
    if (high == low) over0 = under0 = f.viscous * w * low + under0 - f.viscous * w * (low - slope * low * low), over1 = under1 = 0;
  }
  if (direction > 0) return {over0, over1, under0, under1};
  return {-under0, -under1, -over0, -over1};
}

class Builder {
 public:
  Builder(const TimingProblem& problem, const FrictionWindow& window, Stages& out)
      : p_(problem), g_(*problem.grid), window_(window), out_(out) {}

  void Run() {
    const int n = g_.intervals();
    out_.upper_begin.clear();
    out_.lower_begin.clear();
    out_.upper.clear();
    out_.lower.clear();
    out_.upper_origin.clear();
    out_.lower_origin.clear();
    MeasureCoefficients();
    BoundSpeeds();
    for (int i = 0; i < n; ++i) {
      out_.upper_begin.push_back(static_cast<int>(out_.upper.size()));
      out_.lower_begin.push_back(static_cast<int>(out_.lower.size()));
      point_ = i;
      ds_ = g_.s[i + 1] - g_.s[i];
      if (!p_.start_only) MiddleSpeedRow(i);
      for (int end = 0; end < (p_.start_only ? 1 : 2); ++end) {
        const int column = end == 0 ? g_.right[i] : g_.left[i + 1];
        const double reach = end == 0 ? 0 : 2 * ds_;
        shift_ = p_.lean.empty() ? 0 : end == 0 ? p_.lean[i] : -p_.lean[i];
        TorqueRows(i, column, end, reach);
        AccelerationRows(i, column, reach);
        ToolRows(i, column, reach);
      }
    }
    out_.upper_begin.push_back(static_cast<int>(out_.upper.size()));
    out_.lower_begin.push_back(static_cast<int>(out_.lower.size()));
  }

 private:
  // a u + b x <= h, with `size` the magnitude of the limit behind it and `usual` the largest |a| of such rows along the path.
  // An `a` that is rounding beside that is zero: dividing by it would make rounding an acceleration.
  void Add(double a, double b, double h, double size, double usual, RowOrigin origin) {
    if (std::abs(a) <= kZero * usual || std::abs(a) * out_.u_scale <= kZero * size) {
      if (b * out_.x_scale > 1e-14 * size || (b > 0 && h < 0)) {
        if (h / b < out_.high[point_]) out_.high[point_] = h / b, out_.high_origin[point_] = origin;
      } else if (b * out_.x_scale < -1e-14 * size) {
        out_.low[point_] = std::max(out_.low[point_], h / b);
      } else if (h < -1e-12 * size) {
        out_.high[point_] = -1;  // no speed satisfies this row
        out_.high_origin[point_] = origin;
      }
      return;
    }
    const double inverse = 1 / a;
    if (a > 0) {
      out_.upper.push_back({h * inverse, b * inverse});
      out_.upper_origin.push_back(origin);
    } else {
      out_.lower.push_back({h * inverse, b * inverse});
      out_.lower_origin.push_back(origin);
    }
  }

  void TorqueRows(int i, int column, int end, double reach) {
    if (p_.m.size() == 0) return;
    for (int j = 0; j < g_.joint_count(); ++j) {
      double limit = p_.limits.torque(j) * p_.torque_factor;
      if (std::isinf(limit)) continue;
      if (p_.tighten.torque.size() > 0) limit *= 1 - p_.tighten.torque(j, i);
      FrictionBounds f = BoundFriction(p_.friction[j], DirectionOn(g_, i, j), g_.dq(j, column), window_, i + end);
      if (i + end == 0 && p_.rest_start) f.over0 = std::max(f.over0, 0.0), f.under0 = std::min(f.under0, 0.0);
      const double m = p_.m(j, column), c = p_.c(j, column), g = p_.g(j, column);
      const double over = c + f.over1, under = c + f.under1;
      const auto joint = static_cast<std::int16_t>(j);
      Add(m + reach * over, over, limit - g - f.over0 + m * shift_, limit, out_.largest_m[j], {LimitKind::kTorque, joint, 1});
      Add(-(m + reach * under), -under, limit + g + f.under0 - m * shift_, limit, out_.largest_m[j], {LimitKind::kTorque, joint, -1});
    }
  }

  void AccelerationRows(int i, int column, double reach) {
    for (int j = 0; j < g_.joint_count(); ++j) {
      double limit = p_.limits.acceleration(j);
      if (std::isinf(limit)) continue;
      if (p_.tighten.acceleration.size() > 0) limit *= 1 - p_.tighten.acceleration(j, i);
      const double b = g_.ddq(j, column), a = g_.dq(j, column) + reach * b, shift = g_.dq(j, column) * shift_;
      const auto joint = static_cast<std::int16_t>(j);
      Add(a, b, limit + shift, limit, out_.largest_rate[j], {LimitKind::kAcceleration, joint, 1});
      Add(-a, -b, limit - shift, limit, out_.largest_rate[j], {LimitKind::kAcceleration, joint, -1});
    }
  }

  // |t u + n x| in the plane of p' and p'': sixteen sides, a corner on the tangent so that straight lines lose nothing.
  void ToolRows(int i, int column, double reach) {
    if (!(p_.tool.acceleration > 0)) return;
    const Eigen::Vector3d dp = p_.tool.dp.col(column), ddp = p_.tool.ddp.col(column);
    const double along = dp.norm();
    const Eigen::Vector3d tangent = along > 0 ? Eigen::Vector3d(dp / along) : Eigen::Vector3d::Zero();
    const double bend = ddp.dot(tangent), normal = (ddp - bend * tangent).norm();
    double limit = p_.tool.acceleration * std::cos(kPi / 16);
    if (p_.tighten.tool.size() > 0) limit *= 1 - p_.tighten.tool(0, i);
    for (int k = 0; k < 8; ++k) {
      const double angle = (k + 0.5) * kPi / 8, x = std::cos(angle), y = std::sin(angle);
      const double b = x * bend + y * normal, a = x * along + reach * b, shift = x * along * shift_;
      Add(a, b, limit + shift, limit, out_.largest_tool_rate, {LimitKind::kToolAcceleration, -1, 1});
      Add(-a, -b, limit - shift, limit, out_.largest_tool_rate, {LimitKind::kToolAcceleration, -1, -1});
    }
  }

  void Cap(int point, double x, RowOrigin origin) {
    if (x < out_.high[point]) out_.high[point] = x, out_.high_origin[point] = origin;
  }

  bool Reaches(const SpeedCap& cap, int i) const {
    return std::min(cap.s_to, g_.s[i + 1]) - std::max(cap.s_from, g_.s[i]) > 1e-9 * g_.s.back();
  }

  // x half-way, which is x + ds (u - lean / 2), stays under what the path allows there.
  void MiddleSpeedRow(int i) {
    double least = kInfinity;
    RowOrigin origin;
    const auto cap = [&](double v, RowOrigin of) {
      if (v * v < least) least = v * v, origin = of;
    };
    for (int j = 0; j < g_.joint_count(); ++j)
      if (g_.middle_dq(j, i) != 0)
        cap(p_.limits.velocity(j) / g_.middle_dq(j, i), {LimitKind::kVelocity, static_cast<std::int16_t>(j), 1});
    if (p_.tool.speed > 0)
      cap(p_.tool.speed / std::max(p_.tool.middle_dp.col(i).norm(), 1e-300), {LimitKind::kToolSpeed, -1, 1});
    for (const SpeedCap& c : p_.caps)
      if (Reaches(c, i)) cap(c.path_speed, {LimitKind::kSpeedCap, -1, 1});
    if (std::isinf(least)) return;
    if (p_.tighten.speed.size() > 0) least *= 1 - p_.tighten.speed(0, i);
    const double lean = p_.lean.empty() ? 0 : p_.lean[i];
    Add(ds_, 1, least + 0.5 * lean * ds_, least, ds_, origin);
  }

  void BoundSpeeds() {
    const int n = g_.intervals();
    out_.low.assign(n + 1, 0);
    out_.high.assign(n + 1, kInfinity);
    out_.high_origin.assign(n + 1, RowOrigin{});
    for (int i = 0; i <= n; ++i)
      for (int column : {g_.left[i], g_.right[i]}) {
        for (int j = 0; j < g_.joint_count(); ++j)
          if (g_.dq(j, column) != 0) {
            const double v = p_.limits.velocity(j) / g_.dq(j, column);
            Cap(i, v * v, {LimitKind::kVelocity, static_cast<std::int16_t>(j), 1});
          }
        if (p_.tool.speed > 0) {
          const double v = p_.tool.speed / std::max(p_.tool.dp.col(column).norm(), 1e-300);
          Cap(i, v * v, {LimitKind::kToolSpeed, -1, 1});
        }
      }
    // Both ends of every interval that a cap reaches into.
    for (const SpeedCap& cap : p_.caps)
      for (int i = 0; i < n; ++i)
        if (Reaches(cap, i))
          for (int point : {i, i + 1}) Cap(point, cap.path_speed * cap.path_speed, {LimitKind::kSpeedCap, -1, 1});
    if (p_.tighten.speed.size() > 0)
      for (int i = 0; i < n; ++i)
        for (int point : {i, i + 1}) out_.high[point] *= 1 - p_.tighten.speed(0, i);
    if (p_.rest_start) Hold(0, g_.right[0]);
    if (p_.rest_end) Hold(n, g_.left[n]);
    out_.x_scale = NaturalSpeedSq();
    out_.u_scale = out_.x_scale / (2 * g_.s.back());
    for (int i = 0; i <= n; ++i) {
      Cap(i, 1e9 * out_.x_scale, {});
      if (g_.must_stop[i]) Cap(i, 0, {LimitKind::kStop, -1, 1});
      if (window_.viscous) {
        out_.low[i] = window_.low[i];
        Cap(i, window_.high[i], {LimitKind::kWindow, -1, 1});
      }
    }
  }

  void Hold(int point, int column) {
    if (p_.g.size() == 0) return;
    for (int j = 0; j < g_.joint_count(); ++j)
      if (std::abs(p_.g(j, column)) > p_.limits.torque(j) * p_.torque_factor * (1 + 1e-9)) {
        const auto joint = static_cast<std::int16_t>(j);
        out_.high[point] = -1;
        out_.high_origin[point] = {LimitKind::kTorque, joint, static_cast<std::int8_t>(p_.g(j, column) > 0 ? 1 : -1)};
      }
  }

  // What accelerating all along the path would reach, with each joint as slow to accelerate as anywhere on it; or, where
  // nothing limits accelerations, the smallest speed cap.
  double NaturalSpeedSq() const {
    double u = kInfinity, slowest = kInfinity;
    for (int j = 0; j < g_.joint_count(); ++j) {
      if (out_.largest_m[j] > 0) u = std::min(u, 2 * p_.limits.torque(j) * p_.torque_factor / out_.largest_m[j]);
      if (out_.largest_rate[j] > 0) u = std::min(u, p_.limits.acceleration(j) / out_.largest_rate[j]);
    }
    if (p_.tool.acceleration > 0 && out_.largest_tool_rate > 0)
      u = std::min(u, p_.tool.acceleration / out_.largest_tool_rate);
    if (!std::isinf(u)) return 2 * u * g_.s.back();
    for (double x : out_.high)
      if (x > 0) slowest = std::min(slowest, x);
    return std::isinf(slowest) ? 0 : slowest;
  }

  void MeasureCoefficients() {
    out_.largest_m.assign(g_.joint_count(), 0);
    out_.largest_rate.assign(g_.joint_count(), 0);
    out_.largest_tool_rate = 0;
    for (int j = 0; j < g_.joint_count(); ++j) {
      if (p_.m.size() > 0) out_.largest_m[j] = p_.m.row(j).cwiseAbs().maxCoeff();
      out_.largest_rate[j] = g_.dq.row(j).cwiseAbs().maxCoeff();
    }
    if (p_.tool.acceleration > 0) out_.largest_tool_rate = p_.tool.dp.colwise().norm().maxCoeff();
  }

  const TimingProblem& p_;
  const PathGrid& g_;
  const FrictionWindow& window_;
  Stages& out_;
  int point_ = 0;
  double ds_ = 0, shift_ = 0;
};

}  // namespace

void BuildStages(const TimingProblem& problem, const FrictionWindow& window, Stages& out) {
  Builder(problem, window, out).Run();
}

bool FrictionVaries(const std::vector<Friction>& friction) {
  for (const Friction& f : friction)
    if (f.viscous != 0 || f.stribeck_velocity > 0 || f.smoothing_velocity > 0) return true;
  return false;
}

double FrictionAt(const Friction& f, double v, int direction) {
  if (direction == 0) return 0;
  const double speed = std::abs(v);
  return direction * (f.viscous * speed + Level(f, speed, direction) * Onset(f, speed));
}

int DirectionOn(const PathGrid& grid, int interval, int joint) {
  const int a = grid.right[interval], b = grid.left[interval + 1];
  const double sum = grid.dq(joint, a) + grid.dq(joint, b);
  // Rounding of joints that do not move is no direction.
  if (std::abs(sum) < 1e-9 * (grid.dq.col(a).lpNorm<Eigen::Infinity>() + grid.dq.col(b).lpNorm<Eigen::Infinity>())) return 0;
  return sum > 0 ? 1 : -1;
}

}  // namespace torqued
