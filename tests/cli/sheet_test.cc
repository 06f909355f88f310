#include "client/cli/sheet.h"

#include <gtest/gtest.h>

namespace torqued::cli {
namespace {

TEST(Sheet, TextLeftNumbersRight) {
  const Sheet sheet{
      "torques", {"joint", "torque [Nm]"}, {{"shoulder", -34.303794779}, {"w\xC3\xA4rm", 2.0}}};
  EXPECT_EQ(ToTable(sheet),
            "torques\n"
            "joint     torque [Nm]\n"
            "shoulder   -34.303795\n"
            "w\xC3\xA4rm         2.000000\n");
}

TEST(Sheet, CsvIsExactAndQuoted) {
  const Sheet sheet{"", {"a,b", "n"}, {{"say \"hi\"", 0.1}, {"plain", int64_t{3}}}};
  EXPECT_EQ(ToCsv(sheet), "\"a,b\",n\n\"say \"\"hi\"\"\",0.1\nplain,3\n");
}

}  // namespace
}  // namespace torqued::cli
