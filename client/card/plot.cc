#include "client/card/plot.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace torqued {
namespace {

constexpr double kLeft = 78, kPanelWidth = 440, kGap = 90, kTop = 64, kPanelHeight = 120, kRow = 178;
constexpr const char* kColours[] = {"#1f6fb4", "#d1495b", "#7a7a7a"};

std::string Escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (static_cast<unsigned char>(c) >= 32) out += c;
  }
  return out;
}

struct Series {
  std::function<double(const CycleRecord&)> value;
  const Recording* recording;
  const char* colour;
  bool thin = false;
};

struct Panel {
  std::string title, unit;
  std::vector<Series> series;
  std::vector<double> lines;  // dashed: limits
};

double TimeOf(const Recording& r, const CycleRecord& c) {
  return r.cycle_s * static_cast<double>(c.feedback.cycle - r.cycles.front().feedback.cycle);
}

double Duration(const Recording& r) { return r.cycles.empty() ? 0 : TimeOf(r, r.cycles.back()); }

// 1, 2 or 5 times a power of ten, about a quarter of the range.
double Tick(double range) {
  const double raw = range / 4, power = std::pow(10, std::floor(std::log10(raw)));
  const double m = raw / power;
  return power * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10);
}

void Draw(const Panel& p, double x0, double y0, double duration, std::string* out) {
  double low = 0, high = 0;
  for (const Series& s : p.series)
    for (const CycleRecord& c : s.recording->cycles)
      if (const double v = s.value(c); std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
  const double data_range = std::max(high - low, 1e-12);
  for (const double l : p.lines)  // a limit far away would flatten the curves
    if (std::abs(l) < 1.6 * std::max(std::abs(low), std::abs(high))) low = std::min(low, l), high = std::max(high, l);
  const double pad = 0.06 * std::max(high - low, data_range);
  low -= pad, high += pad;
  const auto X = [&](double t) { return x0 + kPanelWidth * (duration > 0 ? t / duration : 0); };
  const auto Y = [&](double v) { return y0 + kPanelHeight * (high - v) / (high - low); };
  absl::StrAppendFormat(out, "<text x='%.1f' y='%.1f' class='h'>%s</text>\n", x0, y0 - 8, Escape(p.title));
  absl::StrAppendFormat(out, "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' class='f'/>\n", x0, y0, kPanelWidth, kPanelHeight);
  const double tick = Tick(high - low);
  for (double v = std::ceil(low / tick) * tick; v <= high; v += tick) {
    absl::StrAppendFormat(out, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' class='g'/>", x0, Y(v), x0 + kPanelWidth, Y(v));
    absl::StrAppendFormat(out, "<text x='%.1f' y='%.1f' class='l' text-anchor='end'>%.4g</text>\n", x0 - 5, Y(v) + 3.5, std::abs(v) < 1e-9 * tick ? 0 : v);
  }
  absl::StrAppendFormat(out, "<text x='%.1f' y='%.1f' class='l' text-anchor='end'>%s</text>\n", x0 - 5, y0 - 8, Escape(p.unit));
  if (duration > 0) {
    const double step = Tick(duration);
    for (double t = 0; t <= duration * 1.0001; t += step)
      absl::StrAppendFormat(out, "<text x='%.1f' y='%.1f' class='l' text-anchor='middle'>%.4g</text>\n", X(t), y0 + kPanelHeight + 14, t);
  }
  for (const double l : p.lines)
    if (l > low && l < high) absl::StrAppendFormat(out, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' class='d'/>\n", x0, Y(l), x0 + kPanelWidth, Y(l));
  for (const Series& s : p.series) {
    std::string path;
    const auto& cycles = s.recording->cycles;
    for (std::size_t k = 0; k < cycles.size();) {
      // All cycles of one half-pixel column: first, lowest, highest, last in their order.
      const int column = static_cast<int>(2 * X(TimeOf(*s.recording, cycles[k])));
      std::size_t end = k, lowest = k, highest = k;
      for (; end < cycles.size() && static_cast<int>(2 * X(TimeOf(*s.recording, cycles[end]))) == column; ++end) {
        if (s.value(cycles[end]) < s.value(cycles[lowest])) lowest = end;
        if (s.value(cycles[end]) > s.value(cycles[highest])) highest = end;
      }
      const auto [first, second] = std::minmax(lowest, highest);
      for (const std::size_t at : {first, second}) {
        if (at == second && second == first && at != lowest) continue;
        const double v = s.value(cycles[at]);
        if (std::isfinite(v)) absl::StrAppendFormat(&path, "%s%.1f %.1f", path.empty() ? "M" : "L", X(TimeOf(*s.recording, cycles[at])), Y(v));
        if (first == second) break;
      }
      k = end;
    }
    if (!path.empty()) absl::StrAppendFormat(out, "<path d='%s' fill='none' stroke='%s' stroke-width='%s'/>\n", path, s.colour, s.thin ? "0.8" : "1.3");
  }
}

}  // namespace

std::string PlotSvg(const Recording& r, const CardConfig* config, const PlotOptions& o) {
  const bool both = o.compare != nullptr && !o.compare->cycles.empty();
  const double duration = std::max(Duration(r), both ? Duration(*o.compare) : 0);
  const int joints = static_cast<int>(r.joints.size());
  const double width = kLeft + 2 * kPanelWidth + kGap + 20, height = kTop + (joints + 1) * kRow + 20;
  std::string svg = absl::StrFormat(
      "<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' viewBox='0 0 %.0f %.0f' font-family='sans-serif'>\n"
      "<style>.h{font-size:12px;font-weight:bold}.l{font-size:10px;fill:#444}.f{fill:#fff;stroke:#888}.g{stroke:#e4e4e4}"
      ".d{stroke:#444;stroke-dasharray:5 4}</style>\n<rect width='100%%' height='100%%' fill='#fff'/>\n",
      width, height, width, height);
  absl::StrAppendFormat(&svg, "<text x='%.0f' y='22' class='h'>Motion card %s: %s, cycle %g ms; time in s</text>\n", kLeft - 50, Escape(r.driver), Escape(r.outcome), 1e3 * r.cycle_s);
  absl::StrAppendFormat(&svg, "<text x='%.0f' y='40' class='l'><tspan fill='%s'>%s</tspan>", kLeft - 50, kColours[0], Escape(o.label));
  if (both) absl::StrAppendFormat(&svg, "   <tspan fill='%s'>%s</tspan>", kColours[1], Escape(o.compare_label));
  absl::StrAppendFormat(&svg, "   <tspan fill='%s'>thin: torque measured</tspan>   dashed: limit</text>\n", kColours[2]);
  for (int i = 0; i < joints; ++i) {
    const double y = kTop + i * kRow + 14;
    const auto error = [i](const CycleRecord& c) { return c.feedback.q_command[i] - c.feedback.q[i]; };
    const auto command = [i](const CycleRecord& c) { return c.feedback.tau_command[i]; };
    const auto measured = [i](const CycleRecord& c) { return c.feedback.tau[i]; };
    Panel left{r.joints[i] + ": following error", r.linear[i] ? "m" : "rad", {}, {}};
    Panel right{r.joints[i] + ": torque", r.linear[i] ? "N" : "Nm", {}, {}};
    if (both && i < static_cast<int>(o.compare->joints.size())) {
      left.series.push_back({error, o.compare, kColours[1]});
      right.series.push_back({command, o.compare, kColours[1]});
    }
    left.series.push_back({error, &r, kColours[0]});
    right.series.push_back({measured, &r, kColours[2], true});
    right.series.push_back({command, &r, kColours[0]});
    if (config && i < config->axis_count()) {
      left.lines = {config->axes[i].following.floor, -config->axes[i].following.floor};
      right.lines = {config->axes[i].torque, -config->axes[i].torque};
    }
    Draw(left, kLeft, y, duration, &svg);
    Draw(right, kLeft + kPanelWidth + kGap, y, duration, &svg);
  }
  const double y = kTop + joints * kRow + 14;
  Draw({"lateness of the card's cycle", "us", {{[](const CycleRecord& c) { return 1e-3 * static_cast<double>(c.feedback.lateness_ns); }, &r, kColours[0]}}, {}}, kLeft, y, duration, &svg);
  Draw({"lateness of the bridge's cycle", "us", {{[](const CycleRecord& c) { return 1e-3 * static_cast<double>(c.bridge_lateness_ns); }, &r, kColours[0]}}, {}},
       kLeft + kPanelWidth + kGap, y, duration, &svg);
  return svg + "</svg>\n";
}

}  // namespace torqued
