#include "tests/oracle/match.h"

#include <cmath>
#include <iomanip>

namespace torqued::oracle {

::testing::AssertionResult Near(const Eigen::Ref<const Eigen::MatrixXd>& got, const Eigen::Ref<const Eigen::MatrixXd>& want,
                                double tolerance) {
  if (got.rows() != want.rows() || got.cols() != want.cols())
    return ::testing::AssertionFailure() << got.rows() << "x" << got.cols() << " values, want " << want.rows() << "x"
                                         << want.cols();
  if (want.size() == 0) return ::testing::AssertionSuccess();
  const double scale = std::max(1.0, want.cwiseAbs().maxCoeff());
  int row = -1, col = -1, count = 0;
  double worst = 0;
  for (int i = 0; i < want.rows(); ++i)
    for (int j = 0; j < want.cols(); ++j) {
      const double difference = std::abs(got(i, j) - want(i, j));
      if (difference <= tolerance * scale) continue;
      ++count;
      if (row < 0 || difference > worst || std::isnan(difference)) row = i, col = j, worst = difference;
    }
  if (count == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << std::setprecision(17) << count << " of " << want.size()
                                       << " entries differ; worst (" << row << ", " << col << "): got " << got(row, col)
                                       << ", want " << want(row, col) << ", difference " << worst << ", allowed "
                                       << tolerance * scale;
}

}  // namespace torqued::oracle
