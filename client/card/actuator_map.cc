#include "client/card/actuator_map.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/card/config.h"

namespace torqued {
namespace {

// Gauss-Jordan with row pivoting on [a | inverse]. False: singular to working precision.
bool Invert(std::array<AxisArray, kMaxAxes> a, int n, std::array<AxisArray, kMaxAxes>* inverse) {
  double largest = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) largest = std::max(largest, std::abs(a[i][j]));
  for (int i = 0; i < n; ++i) (*inverse)[i] = {}, (*inverse)[i][i] = 1;
  for (int c = 0; c < n; ++c) {
    int pivot = c;
    for (int r = c + 1; r < n; ++r)
      if (std::abs(a[r][c]) > std::abs(a[pivot][c])) pivot = r;
    if (!(std::abs(a[pivot][c]) > 1e-12 * largest)) return false;
    std::swap(a[c], a[pivot]);
    std::swap((*inverse)[c], (*inverse)[pivot]);
    const double scale = 1 / a[c][c];
    for (int j = 0; j < n; ++j) a[c][j] *= scale, (*inverse)[c][j] *= scale;
    for (int r = 0; r < n; ++r) {
      const double f = a[r][c];
      if (r == c || f == 0) continue;
      for (int j = 0; j < n; ++j) a[r][j] -= f * a[c][j], (*inverse)[r][j] -= f * (*inverse)[c][j];
    }
  }
  return true;
}

}  // namespace

ActuatorMap::ActuatorMap(const std::vector<std::vector<double>>& rows, int axes) : axes_(axes), coupled_(!rows.empty()) {
  for (int i = 0; i < axes; ++i)
    for (int j = 0; j < axes; ++j) forward_[i][j] = coupled_ ? rows[i][j] : i == j;
  Invert(forward_, axes, &inverse_);
}

std::string ActuatorMap::Problem(const std::vector<std::vector<double>>& rows, int axes) {
  if (rows.empty()) return "";
  if (static_cast<int>(rows.size()) != axes) return absl::StrCat("has ", rows.size(), " rows, want one per axis (", axes, ")");
  std::array<AxisArray, kMaxAxes> a{}, inverse{};
  for (int i = 0; i < axes; ++i) {
    if (static_cast<int>(rows[i].size()) != axes) return absl::StrCat("row ", i + 1, " has ", rows[i].size(), " numbers, want ", axes);
    for (int j = 0; j < axes; ++j) {
      if (!std::isfinite(rows[i][j])) return absl::StrCat("row ", i + 1, " is not finite");
      a[i][j] = rows[i][j];
    }
  }
  return Invert(a, axes, &inverse) ? "" : "is singular: some joint motion turns no motor";
}

AxisArray ActuatorMap::Multiply(const Matrix& m, const AxisArray& x) const noexcept {
  if (!coupled_) return x;
  AxisArray y{};
  for (int i = 0; i < axes_; ++i)
    for (int j = 0; j < axes_; ++j) y[i] += m[i][j] * x[j];
  return y;
}

AxisArray EncoderResolution(const CardConfig& config) {
  const ActuatorMap map(config.actuator_matrix, config.axis_count());
  AxisArray out{};
  for (int joint = 0; joint < config.axis_count(); ++joint)
    for (int motor = 0; motor < config.axis_count(); ++motor)
      out[joint] += std::abs(map.joint_from_motor(joint, motor) / config.axes[motor].CountsPerUnit());
  return out;
}

}  // namespace torqued
