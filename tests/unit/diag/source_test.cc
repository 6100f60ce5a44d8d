#include "diag/source.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {

TEST(Sources, CountsColumnsInCharacters) {
  Sources sources;
  // "ü" has two bytes, "€" three, the face four.
  const FileId file = sources.add("a.yaml", "k: \xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80x\nnext");
  const auto at = [&](std::uint32_t offset) {
    const LineColumn place = sources.position(file, offset);
    return std::pair(place.line, place.column);
  };
  EXPECT_EQ(at(0), std::pair(1u, 1u));
  EXPECT_EQ(at(3), std::pair(1u, 4u));
  EXPECT_EQ(at(4), std::pair(1u, 4u)) << "inside a character is that character";
  EXPECT_EQ(at(5), std::pair(1u, 5u));
  EXPECT_EQ(at(8), std::pair(1u, 6u));
  EXPECT_EQ(at(12), std::pair(1u, 7u));
  EXPECT_EQ(at(14), std::pair(2u, 1u));
  EXPECT_EQ(at(18), std::pair(2u, 5u)) << "the end of the file";
  EXPECT_EQ(at(999), std::pair(2u, 5u));
}

TEST(Sources, KnowsTheThreeLineEnds) {
  Sources sources;
  const FileId file = sources.add("a.yaml", "one\ntwo\r\nthree\rfour\n");
  EXPECT_EQ(sources.line_text(file, 1), "one");
  EXPECT_EQ(sources.line_text(file, 2), "two");
  EXPECT_EQ(sources.line_text(file, 3), "three");
  EXPECT_EQ(sources.line_text(file, 4), "four");
  EXPECT_EQ(sources.line_text(file, 5), "");
  EXPECT_EQ(sources.line_text(file, 6), "");
  EXPECT_EQ(sources.position(file, 9).line, 3u);
  EXPECT_EQ(sources.position(file, 20).line, 5u);
}

TEST(Sources, DoesNotCountAByteOrderMark) {
  Sources sources;
  const FileId file = sources.add("a.yaml",
                                  "\xef\xbb\xbf"
                                  "key: 1\n");
  EXPECT_EQ(sources.position(file, 3).column, 1u);
  EXPECT_EQ(sources.position(file, 8).column, 6u);
  EXPECT_EQ(sources.line_text(file, 1), "key: 1");
}

TEST(Sources, TextOfASpanIsCutToTheFile) {
  Sources sources;
  const FileId file = sources.add("a.yaml", "hello");
  EXPECT_EQ(sources.text({file, 1, 3}), "el");
  EXPECT_EQ(sources.text({file, 4, 99}), "o");
  EXPECT_EQ(sources.text({file, 9, 99}), "");
  EXPECT_EQ(sources.text(SourceSpan{}), "");
  EXPECT_EQ(sources.path(kNoFile), "");
}

TEST(Sources, CountsTheSameAcrossBlocksOfTheIndex) {
  // 3,000 lines of 7 bytes ("ab\r\n" + "c\r" + "\n" is 4 + 1 + 1 + 1: "c\r\n") in two lines each, so that a block of
  // 4,096 bytes ends on every place of the pattern sooner or later.
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "ab\r\nc\r\n";
  Sources sources;
  const FileId file = sources.add("a.yaml", text);
  for (std::uint32_t i = 0; i < 3000; ++i) {
    ASSERT_EQ(sources.position(file, 7 * i).line, 2 * i + 1);
    ASSERT_EQ(sources.position(file, 7 * i + 1).column, 2u);
    ASSERT_EQ(sources.position(file, 7 * i + 4).line, 2 * i + 2);
    ASSERT_EQ(sources.position(file, 7 * i + 6).line, 2 * i + 2) << "between the two characters of a line end";
    ASSERT_EQ(sources.line_text(file, 2 * i + 1), "ab");
    ASSERT_EQ(sources.line_text(file, 2 * i + 2), "c");
  }
  EXPECT_EQ(sources.line_text(file, 6001), "");
  EXPECT_EQ(sources.line_text(file, 6002), "");
  EXPECT_EQ(sources.position(file, 21000).line, 6001u);
}

TEST(Sources, AnEmptyFileHasOneLine) {
  Sources sources;
  const FileId file = sources.add("a.yaml", "");
  EXPECT_EQ(sources.position(file, 0).line, 1u);
  EXPECT_EQ(sources.position(file, 0).column, 1u);
  EXPECT_EQ(sources.line_text(file, 1), "");
}

}  // namespace
}  // namespace clusterc
