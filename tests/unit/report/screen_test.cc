#include "report/screen.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {

TEST(Screen, ALineThatFitsStays) { EXPECT_EQ(fold_to_width("one two\n\n  three\n", 10), "one two\n\n  three\n"); }

TEST(Screen, TextGoesOnFourCharactersFurtherIn) {
  EXPECT_EQ(fold_to_width("  one two three four\n", 12), "  one two\n      three\n      four\n");
}

TEST(Screen, TheLastColumnOfATableGoesOnBelowItself) {
  EXPECT_EQ(fold_to_width("  gpu  why it is not judged at all\nend", 20),
            "  gpu  why it is not\n       judged at all\nend");
}

TEST(Screen, AWordThatIsTooLongStaysWhole) {
  EXPECT_EQ(fold_to_width("0123456789abcdef", 10), "0123456789abcdef");
  EXPECT_EQ(fold_to_width("0123456789abcdef gh", 10), "0123456789abcdef\n    gh");
}

// An umlaut takes one column and two bytes.
TEST(Screen, CountsCharacters) {
  EXPECT_EQ(fold_to_width("\xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xa4\xc3\xa4", 6), "\xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xa4\xc3\xa4");
  EXPECT_EQ(fold_to_width("\xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xa4\xc3\xa4", 5),
            "\xc3\xa4\xc3\xa4\xc3\xa4\n  \xc3\xa4\xc3\xa4");
}

TEST(Screen, MarksWhatExceedsALimit) {
  EXPECT_EQ(color_limits("  A  ! 12 kVA  B\n"), "  A  \x1b[1;31m! 12 kVA\x1b[0m  B\n");
  EXPECT_EQ(color_limits("  ! above the rating"), "  \x1b[1;31m! above the rating\x1b[0m");
  EXPECT_EQ(color_limits("NOT BUILDABLE: 1 error\nnothing!\n"), "\x1b[1;31mNOT BUILDABLE\x1b[0m: 1 error\nnothing!\n");
  EXPECT_EQ(color_limits("BUILDABLE\n"), "\x1b[1;32mBUILDABLE\x1b[0m\n");
}

}  // namespace
}  // namespace clusterc
