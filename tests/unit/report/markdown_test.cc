// CommonMark 0.31, 6.1: a code span ends at a run of as many backticks as began it, and loses a blank on both sides.
#include "report/markdown.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {

TEST(Markdown, ACodeSpanShowsItsTextAsItIs) {
  EXPECT_EQ(markdown_code("/srv/mirror"), "`/srv/mirror`");
  EXPECT_EQ(markdown_code("*a* <b> \\"), "`*a* <b> \\`");  // nothing in it is markup
  EXPECT_EQ(markdown_code("a`b"), "``a`b``");
  EXPECT_EQ(markdown_code("`a`` "), "``` `a``  ```");
  EXPECT_EQ(markdown_code("two\nlines"), "`two lines`");
}

}  // namespace
}  // namespace clusterc
