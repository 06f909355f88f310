// Are two arrays of numbers the same, and if not, which entry differs most?
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>

namespace torqued::oracle {

// |got - want| <= tolerance * max(1, largest |want|) in every entry; NaN differs from everything.
::testing::AssertionResult Near(const Eigen::Ref<const Eigen::MatrixXd>& got, const Eigen::Ref<const Eigen::MatrixXd>& want,
                                double tolerance);

}  // namespace torqued::oracle
