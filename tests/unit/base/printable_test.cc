#include "base/printable.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {

constexpr const char* kGone = "\xef\xbf\xbd";

TEST(Printable, PlainTextStaysAsItIs) {
  for (const char* text : {"", "n1", "a: b::c", "Müller, 50 %", "東京", "n[1-4]", "# [a]", "#[", "✈️"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, LineEndsAndTabsAreBlanks) {
  EXPECT_EQ(printable("a\nb\r\nc\td\xc2\x85"
                      "e\xe2\x80\xa8"
                      "f\xe2\x80\xa9g"),
            "a b  c d e f g");
}

// Control characters; overrides and isolates of UAX 9; zero width; soft hyphen; tags; a Hangul filler.
TEST(Printable, WhatATerminalObeysOrNobodySeesIsReplaced) {
  for (const char* sign :
       {"\x01", "\x1b", "\x7f", "\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\x8b", "\xef\xbb\xbf", "\xc2\xad",
        "\xd8\x9c", "\xe1\xa0\x8e", "\xf3\xa0\x81\x81", "\xe3\x85\xa4", "\xe2\x81\xa0"})
    EXPECT_EQ(printable(std::string("a") + sign + "b"), std::string("a") + kGone + "b") << sign;
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), std::string("a") + kGone + "b");
}

// A lone byte, an overlong '/', half of a surrogate pair, beyond Unicode, cut off (Unicode 15, table 3-7).
TEST(Printable, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(printable("a\xff"), std::string("a") + kGone);
  EXPECT_EQ(printable("\xc0\xaf"), std::string(kGone) + kGone);
  EXPECT_EQ(printable("\xe0\x80\xaf"), std::string(kGone) + kGone + kGone);
  EXPECT_EQ(printable("\xed\xa0\x80"), std::string(kGone) + kGone + kGone);
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), std::string(kGone) + kGone + kGone + kGone);
  EXPECT_EQ(printable("a\xe2\x80"), std::string("a") + kGone + kGone);
}

TEST(Printable, NoRunnerObeysIt) {
  EXPECT_EQ(printable("::add-mask::x"), "\\::add-mask::x");
  EXPECT_EQ(printable("\n \t::error::x"), "   \\::error::x");
  EXPECT_EQ(printable("\xc2\xa0\xe3\x80\x80::x"), "\xc2\xa0\xe3\x80\x80\\::x");  // .NET's TrimStart takes these, too
  EXPECT_EQ(printable(":"), "\\:");  // "NAME: …" of ours would make "::" of it
  EXPECT_EQ(printable("a ##[add-mask]b"), "a ##\\[add-mask]b");
  EXPECT_EQ(printable("##vso[task.x]b ##[c"), "##vso\\[task.x]b ##\\[c");
  EXPECT_EQ(printable("##\xe2\x80\x8b["), std::string("##") + kGone + "[");
}

TEST(Printable, OnceIsEnough) {
  for (const char* text : {"::a", "##[a]", "a\x1b\xff\n::b", ":"})
    EXPECT_EQ(printable(printable(text)), printable(text));
}

TEST(Printable, WholeTextsHoldNoCommands) {
  EXPECT_EQ(without_commands("a\n::b\n  ::c\n:d ##[e]\n\n::"), "a\n\\::b\n  \\::c\n:d ##\\[e]\n\n\\::");
  EXPECT_EQ(without_commands("a: b\n  c\n"), "a: b\n  c\n");
}

}  // namespace
}  // namespace clusterc
