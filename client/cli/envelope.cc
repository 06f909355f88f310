#include "client/cli/envelope.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <cmath>

namespace torqued::cli {
namespace {

constexpr double kWidth = 640, kHeight = 150, kLeft = 80, kTop = 40, kGap = 50;
constexpr char kBand[] = "#1b6ca8", kLimit[] = "#c8553d";

struct Panel {
  double x0, x1, y0, y1, top;

  double X(double x) const { return kLeft + kWidth * (x - x0) / (x1 - x0); }
  double Y(double y) const { return top + kHeight * (y1 - y) / (y1 - y0); }
};

std::string Escape(const std::string& text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}});
}

void Frame(const Panel& p, const std::string& name, const std::string& unit, std::string& svg) {
  absl::StrAppendFormat(&svg, "<text x=\"%.0f\" y=\"%.1f\">%s</text>\n", kLeft, p.top - 6,
                        Escape(name + (unit.empty() ? "" : " [" + unit + "]")));
  absl::StrAppendFormat(&svg,
                        "<rect x=\"%.0f\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\" fill=\"none\" "
                        "stroke=\"#999\"/>\n",
                        kLeft, p.top, kWidth, kHeight);
  for (const double y : {p.y0, (p.y0 + p.y1) / 2, p.y1})
    absl::StrAppendFormat(&svg, "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n",
                          kLeft - 6, p.Y(y) + 4, y);
  for (const double x : {p.x0, (p.x0 + p.x1) / 2, p.x1})
    absl::StrAppendFormat(&svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.4g</text>\n",
                          p.X(x), p.top + kHeight + 15, x);
}

void Band(const Panel& p, const v1::SweepResponse& answer, int column, std::string& svg) {
  std::string upper, lower;
  for (const auto& one : answer.cases()) {
    const auto& c = one.columns(column);
    const double x = p.X(one.payload().mass());
    absl::StrAppendFormat(&upper, "%.2f,%.2f ", x, p.Y(c.maximum().value()));
    lower = absl::StrFormat("%.2f,%.2f ", x, p.Y(c.minimum().value())) + lower;
  }
  absl::StrAppend(&svg, "<polygon points=\"", upper, lower, "\" fill=\"", kBand,
                  "\" fill-opacity=\"0.25\" stroke=\"", kBand, "\"/>\n");
}

void Histogram(const Panel& p, const v1::SweepColumn& c, std::string& svg) {
  const double each = (c.histogram_upper() - c.histogram_lower()) / c.histogram_size();
  for (int k = 0; k < c.histogram_size(); ++k) {
    const double x = c.histogram_lower() + k * each;
    const double y = p.Y(static_cast<double>(c.histogram(k)));
    absl::StrAppendFormat(&svg,
                          "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\" "
                          "fill-opacity=\"0.6\"/>\n",
                          p.X(x), y, p.X(x + each) - p.X(x), p.Y(0) - y, kBand);
  }
}

// A limit within sight or near it is part of the picture; one far off would flatten the rest.
void WidenToLimit(const v1::SweepColumn& c, double& low, double& high) {
  if (!c.has_limit()) return;
  const double reach = std::max(std::abs(low), std::abs(high));
  if (c.limit() > 4 * reach) return;
  low = std::min(low, -c.limit());
  high = std::max(high, c.limit());
}

}  // namespace

std::string EnvelopeSvg(const v1::SweepResponse& answer, const std::vector<std::string>& units) {
  const auto& first = answer.cases(0);
  const bool payloads = answer.cases_size() > 1;
  std::string svg;
  for (int k = 0; k < first.columns_size(); ++k) {
    Panel p{0, 1, 0, 1, kTop + k * (kHeight + kGap)};
    if (payloads) {
      p.x0 = first.payload().mass();
      p.x1 = answer.cases(answer.cases_size() - 1).payload().mass();
      p.y0 = HUGE_VAL, p.y1 = -HUGE_VAL;
      for (const auto& one : answer.cases()) {
        p.y0 = std::min(p.y0, one.columns(k).minimum().value());
        p.y1 = std::max(p.y1, one.columns(k).maximum().value());
      }
      WidenToLimit(first.columns(k), p.y0, p.y1);
      const double margin = std::max(0.05 * (p.y1 - p.y0), 1e-9);
      p.y0 -= margin;
      p.y1 += margin;
    } else {
      p.x0 = first.columns(k).histogram_lower();
      p.x1 = first.columns(k).histogram_upper();
      for (const int64_t n : first.columns(k).histogram())
        p.y1 = std::max(p.y1, static_cast<double>(n));
    }
    const std::string unit = static_cast<size_t>(k) < units.size() ? units[k] : "";
    Frame(p, first.columns(k).name(), unit, svg);
    if (!payloads) {
      Histogram(p, first.columns(k), svg);
      continue;
    }
    Band(p, answer, k, svg);
    if (!first.columns(k).has_limit()) continue;
    for (const double y : {-first.columns(k).limit(), first.columns(k).limit()})
      if (y > p.y0 && y < p.y1)
        absl::StrAppendFormat(&svg,
                              "<line x1=\"%.0f\" x2=\"%.0f\" y1=\"%.2f\" y2=\"%.2f\" stroke=\"%s\" "
                              "stroke-dasharray=\"6 4\"/>\n",
                              kLeft, kLeft + kWidth, p.Y(y), p.Y(y), kLimit);
  }
  const double height = kTop + first.columns_size() * (kHeight + kGap);
  return absl::StrCat(
      absl::StrFormat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
                      "font-family=\"sans-serif\" font-size=\"12\">\n"
                      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
                      "<text x=\"%.0f\" y=\"18\" font-size=\"14\">%s</text>\n",
                      kLeft + kWidth + 30, height, kLeft,
                      payloads ? "torque over payload [kg]; dashed: limit"
                               : "how often each value occurs"),
      svg, "</svg>\n");
}

}  // namespace torqued::cli
