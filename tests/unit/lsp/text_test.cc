// Places in UTF-16 code units, as LSP 3.17 counts them. "😀" is U+1F600: four bytes of UTF-8, two units of UTF-16 (D83D
// DE00); "é" is two bytes and one unit, "漢" three bytes and one unit (Unicode 15, UTF-8 and UTF-16 encoding forms,
// section 3.9).
#include "lsp/text.h"

#include <gtest/gtest.h>

namespace clusterc::lsp {
namespace {

TEST(TextDocument, CountsUtf16Units) {
  const TextDocument d("a: é漢😀b\nnext");
  //                    0123456789... bytes: 'a' ':' ' ' é(2) 漢(3) 😀(4) 'b'
  EXPECT_EQ(d.offset({0, 3}), 3u);
  EXPECT_EQ(d.offset({0, 4}), 5u);   // behind é
  EXPECT_EQ(d.offset({0, 5}), 8u);   // behind 漢
  EXPECT_EQ(d.offset({0, 7}), 12u);  // behind 😀
  EXPECT_EQ(d.offset({0, 6}), 8u);   // between its halves: before it
  EXPECT_EQ(d.position(12), (Position{0, 7}));
  EXPECT_EQ(d.position(10), (Position{0, 5}));  // inside its bytes: before it
  EXPECT_EQ(d.position(13), (Position{0, 8}));
}

TEST(TextDocument, KnowsThreeLineEnds) {
  const TextDocument d("one\r\ntwo\rthree\nfour");
  EXPECT_EQ(d.position(5), (Position{1, 0}));
  EXPECT_EQ(d.position(9), (Position{2, 0}));
  EXPECT_EQ(d.position(15), (Position{3, 0}));
  EXPECT_EQ(d.offset({1, 99}), 8u);   // beyond a line: its end, before the line break
  EXPECT_EQ(d.offset({0, 4}), 3u);    // between "\r" and "\n" there is no place
  EXPECT_EQ(d.offset({99, 0}), 19u);  // beyond the text: its end
  EXPECT_EQ(d.line_begin(17), 15u);
}

TEST(TextDocument, ReplacesRanges) {
  const TextDocument d("a\r\n😀: x\r\n");
  EXPECT_EQ(d.replaced({{1, 0}, {1, 2}}, "b"), "a\r\nb: x\r\n");
  EXPECT_EQ(d.replaced({{1, 2}, {1, 0}}, "b"), "a\r\nb: x\r\n");  // the wrong way round
  EXPECT_EQ(d.replaced({{0, 1}, {1, 0}}, " "), "a 😀: x\r\n");     // a line break goes
  EXPECT_EQ(d.replaced({{2, 0}, {9, 9}}, "end"), "a\r\n😀: x\r\nend");
  EXPECT_EQ(TextDocument("").replaced({{0, 0}, {0, 0}}, "x"), "x");
}

}  // namespace
}  // namespace clusterc::lsp
