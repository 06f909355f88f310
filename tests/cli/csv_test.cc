#include "client/cli/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace torqued::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<CsvTable> Parse(const std::string& text) {
  std::istringstream in(text);
  return ParseCsv("log.csv", in);
}

TEST(Csv, CommaSemicolonAndTab) {
  for (const char* text : {"a,b\n1,-2\n3,4\n", "a;b\n1;-2\n3;4\n", "a\tb\n1\t-2\n3\t4",
                           "\xEF\xBB\xBF\"a\",\"b\"\r\n1,-2\r\n\r\n# a remark\r\n3,\"4\"\r\n"}) {
    const auto table = Parse(text);
    ASSERT_TRUE(table.ok()) << table.status();
    EXPECT_THAT(table->header, ElementsAre("a", "b"));
    EXPECT_THAT(table->values, ElementsAre(1, -2, 3, 4));
    EXPECT_EQ(table->row_count, 2);
  }
}

TEST(Csv, ErrorsNameLineAndColumn) {
  EXPECT_THAT(std::string(Parse("a,b\n1,2\n1\n").status().message()),
              HasSubstr("log.csv:3: 1 values, want 2"));
  EXPECT_THAT(std::string(Parse("a,b\n1,x\n").status().message()), HasSubstr("log.csv:2: b: 'x'"));
  EXPECT_THAT(std::string(Parse("a;b\n0,5;1\n").status().message()),
              HasSubstr("decimal mark: point"));
  EXPECT_THAT(std::string(Parse("").status().message()), HasSubstr("empty"));
  EXPECT_THAT(std::string(Parse("a,b\n").status().message()), HasSubstr("no rows"));
  EXPECT_THAT(std::string(ReadCsv("/nonexistent.csv").status().message()),
              HasSubstr("/nonexistent.csv: cannot be read"));
}

}  // namespace
}  // namespace torqued::cli
