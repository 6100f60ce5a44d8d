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

TEST(Markdown, TextOfOthersIsNoMarkup) {
  EXPECT_EQ(markdown_text("a|b `c` [d](http://e) <f>\n# g @h www.i.example"),
            "a\\|b \\`c\\` \\[d\\]\\(http\\://e\\) &lt;f&gt; \\# g &#64;h www\\.i.example");
  EXPECT_EQ(markdown_text("\x1b[2J\xe2\x80\xae"), "\xef\xbf\xbd\\[2J\xef\xbf\xbd");
}

TEST(Markdown, NothingInABlockClosesIt) {
  EXPECT_EQ(markdown_block("text", "a\n```\nb\n"), "````text\na\n```\nb\n````\n");
}

}  // namespace
}  // namespace clusterc
