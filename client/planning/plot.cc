#include "client/planning/plot.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace torqued {
namespace {

const char* const kColours[] = {"#1b6ca8", "#c8553d", "#588b3a", "#7d4ea3", "#b8860b", "#3d8b8b", "#8b3d62", "#555555"};

struct Curve {
  std::string name, colour;
  std::vector<double> x, y;
  bool dashed = false;
};

std::string Escape(const std::string& text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}});
}

// 1, 2 or 5 times a power of ten, about a fifth of the span.
double Step(double span) {
  const double raw = span / 5, power = std::pow(10, std::floor(std::log10(raw))), lead = raw / power;
  return (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10) * power;
}

class Sheet {
 public:
  Sheet(const PlotOptions& options, int panels) : options_(options) {
    height_ = 40 + panels * (options.panel_height + 40);
    svg_ = absl::StrFormat(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"%d\" y=\"22\" font-size=\"15\">%s</text>\n",
        options.width, height_, kLeft, Escape(options.title));
  }

  // `even`: one scale for both axes.
  void Panel(const std::string& name, const std::string& x_label, const std::string& y_label,
             const std::vector<Curve>& curves, bool even = false) {
    double x0 = HUGE_VAL, x1 = -HUGE_VAL, y0 = HUGE_VAL, y1 = -HUGE_VAL;
    for (const Curve& c : curves)
      for (size_t k = 0; k < c.x.size(); ++k)
        x0 = std::min(x0, c.x[k]), x1 = std::max(x1, c.x[k]), y0 = std::min(y0, c.y[k]), y1 = std::max(y1, c.y[k]);
    if (!(x1 > x0)) x1 = x0 + 1;
    const double margin = y1 > y0 ? 0.06 * (y1 - y0) : 0.5 * std::max(std::abs(y0), 1e-3);
    y0 -= margin, y1 += margin;
    const double w = options_.width - kLeft - kRight, h = options_.panel_height;
    if (even) {
      const double unit = std::max((x1 - x0) / w, (y1 - y0) / h), cx = 0.5 * (x0 + x1), cy = 0.5 * (y0 + y1);
      x0 = cx - 0.5 * unit * w, x1 = cx + 0.5 * unit * w, y0 = cy - 0.5 * unit * h, y1 = cy + 0.5 * unit * h;
    }
    const double top = 40 + panel_++ * (options_.panel_height + 40.0);
    const auto X = [&](double x) { return kLeft + w * (x - x0) / (x1 - x0); };
    const auto Y = [&](double y) { return top + h * (y1 - y) / (y1 - y0); };
    absl::StrAppendFormat(&svg_, "<text x=\"%d\" y=\"%.0f\">%s</text>\n", kLeft, top - 5, Escape(name));
    for (double step = Step(y1 - y0), y = std::ceil(y0 / step) * step; y <= y1; y += step)
      absl::StrAppendFormat(&svg_,
                            "<path d=\"M%d %.1fH%.0f\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n",
                            kLeft, Y(y), kLeft + w, kLeft - 6, Y(y) + 4, std::abs(y) < 1e-9 * step ? 0.0 : y);
    for (double step = Step(x1 - x0), x = std::ceil(x0 / step) * step; x <= x1; x += step)
      absl::StrAppendFormat(&svg_,
                            "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#eee\"/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.4g</text>\n",
                            X(x), top, top + h, X(x), top + h + 14, std::abs(x) < 1e-9 * step ? 0.0 : x);
    absl::StrAppendFormat(&svg_, "<rect x=\"%d\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" fill=\"none\" stroke=\"#999\"/>\n", kLeft,
                          top, w, h);
    absl::StrAppendFormat(&svg_, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">%s</text>\n", kLeft + w, top + h + 28, Escape(x_label));
    absl::StrAppendFormat(&svg_, "<text x=\"14\" y=\"%.0f\" transform=\"rotate(-90 14 %.0f)\" text-anchor=\"middle\">%s</text>\n",
                          top + h / 2, top + h / 2, Escape(y_label));
    double key = kLeft + w;
    for (const Curve& c : curves) {
      absl::StrAppend(&svg_, "<path fill=\"none\" stroke=\"", c.colour, "\" stroke-width=\"1.5\"",
                      c.dashed ? " stroke-dasharray=\"5 4\"" : "", " d=\"");
      const size_t stride = std::max<size_t>(1, c.x.size() / 800);
      for (size_t k = 0; k < c.x.size(); k = k + 1 == c.x.size() ? k + 1 : std::min(k + stride, c.x.size() - 1))
        absl::StrAppendFormat(&svg_, "%c%.1f %.1f", k == 0 ? 'M' : 'L', X(c.x[k]), Y(c.y[k]));
      absl::StrAppend(&svg_, "\"/>\n");
      if (c.name.empty()) continue;
      absl::StrAppendFormat(&svg_, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\" fill=\"%s\">%s</text>\n", key, top - 5, c.colour, Escape(c.name));
      key -= 8.0 * c.name.size() + 16;
    }
  }

  std::string Done() { return svg_ + "</svg>\n"; }

 private:
  static constexpr int kLeft = 78, kRight = 20;
  PlotOptions options_;
  int height_ = 0, panel_ = 0;
  std::string svg_;
};

std::vector<double> RowOf(const Eigen::MatrixXd& m, int j) {
  std::vector<double> out(m.cols());
  for (int k = 0; k < m.cols(); ++k) out[k] = m(j, k);
  return out;
}

}  // namespace

absl::StatusOr<std::string> PlotTrajectory(Plot plot, const Trajectory& t, const MotionLimits& limits, const TimedPath* timed,
                                           const Eigen::Matrix3Xd& tool, const PlotOptions& options) {
  if (absl::Status s = CheckShape(t); !s.ok()) return s;
  const int n = t.joint_count();
  const auto colour = [](int j) { return kColours[j % 8]; };
  switch (plot) {
    case Plot::kTorque: {
      if (!t.has_tau()) return absl::FailedPreconditionError("torque plot: the trajectory has no torques");
      Sheet sheet(options, n);
      for (int j = 0; j < n; ++j) {
        std::vector<Curve> curves = {{"torque", colour(j), t.time_s, RowOf(t.tau, j), false}};
        const double limit = limits.torque(j);
        if (!std::isinf(limit))
          for (double side : {limit, -limit})
            curves.push_back({"", "#c00", {t.time_s.front(), t.time_s.back()}, {side, side}, true});
        sheet.Panel(t.joint_names[j], "time [s]", "torque [Nm, N]", curves);
      }
      return sheet.Done();
    }
    case Plot::kPhasePlane: {
      if (!timed || !timed->grid) return absl::FailedPreconditionError("phase plane: only for planned paths");
      Sheet sheet(options, 1);
      Curve speed{"path speed", kColours[0], timed->grid->s, {}, false}, limit{"limit curve", "#c00", timed->grid->s, {}, true};
      double top = 0;
      for (double x : timed->solution.x) speed.y.push_back(std::sqrt(x)), top = std::max(top, std::sqrt(x));
      for (double x : timed->solution.high) limit.y.push_back(std::min(std::sqrt(std::max(x, 0.0)), 1.6 * top));
      sheet.Panel("phase plane", "s", "path speed", {limit, speed});
      return sheet.Done();
    }
    case Plot::kSpeed: {
      Sheet sheet(options, 1);
      std::vector<Curve> curves;
      bool all = true;
      for (int j = 0; j < n; ++j) all = all && !std::isinf(limits.velocity(j));
      for (int j = 0; j < n; ++j)
        curves.push_back({t.joint_names[j], colour(j), t.time_s, RowOf(all ? t.v / limits.velocity(j) : t.v, j), false});
      sheet.Panel("joint speeds", "time [s]", all ? "part of the limit" : "speed [rad/s, m/s]", curves);
      return sheet.Done();
    }
    case Plot::kPower: {
      if (!t.has_tau()) return absl::FailedPreconditionError("power plot: the trajectory has no torques");
      Sheet sheet(options, 1);
      std::vector<Curve> curves;
      const Eigen::MatrixXd power = t.tau.cwiseProduct(t.v);
      for (int j = 0; j < n; ++j) curves.push_back({t.joint_names[j], colour(j), t.time_s, RowOf(power, j), false});
      curves.push_back({"sum", "#000", t.time_s, RowOf(power.colwise().sum(), 0), true});
      sheet.Panel("power", "time [s]", "power [W]", curves);
      return sheet.Done();
    }
    case Plot::kHand: {
      if (tool.cols() != t.sample_count()) return absl::FailedPreconditionError("hand plot: want one tool point per sample");
      Sheet sheet(options, 2);
      const Eigen::MatrixXd p = tool;
      sheet.Panel("from above", "x [m]", "y [m]", {{"", kColours[0], RowOf(p, 0), RowOf(p, 1), false}}, true);
      sheet.Panel("from the side", "x [m]", "z [m]", {{"", kColours[1], RowOf(p, 0), RowOf(p, 2), false}}, true);
      return sheet.Done();
    }
  }
  return absl::InvalidArgumentError("plot: unknown kind");
}

}  // namespace torqued
