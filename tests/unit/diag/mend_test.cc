#include "diag/mend.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace clusterc {
namespace {

// A language for the test: each 'x' is an error that 'o' mends; 'q' can be made 'x' (which is an error), 'z' can be
// made 'z' again (which mends nothing), 'k' hides an error that hides another, 'K' one of which nothing is known, 'u'
// and 'U' each other, and a text with '!' cannot be read until it is a '.'.
struct Toy {
  Sources sources;
  Findings findings;
};

CheckedText judge(const std::string& text) {
  auto toy = std::make_shared<Toy>();
  const FileId file = toy->sources.add("toy", text);
  const auto at = [&](std::size_t i) {
    return SourceSpan{file, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i + 1)};
  };
  if (const std::size_t bang = text.find('!'); bang != text.npos) {
    toy->findings.error("unreadable", at(bang), "a bang").fixed_by("write '.'", {{at(bang), "."}});
    return {toy, &toy->findings, &toy->sources, file, false};
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == 'x') toy->findings.error("an-x", at(i), "an x").fixed_by("write 'o'", {{at(i), "o"}});
    if (text[i] == 'q')
      toy->findings.warning("a-q", at(i), "a q at " + std::to_string(i)).fixed_by("write 'E'", {{at(i), "E"}});
    if (text[i] == 'k') toy->findings.error("a-k", at(i), "a k").fixed_by("write 'v'", {{at(i), "v"}});
    if (text[i] == 'v') toy->findings.error("a-v", at(i), "a v").fixed_by("write 'xd'", {{at(i), "xd"}});
    if (text[i] == 'K') toy->findings.error("a-K", at(i), "a K").fixed_by("write 'vE'", {{at(i), "vE"}});
    if (text[i] == 'u') toy->findings.error("a-u", at(i), "a u").fixed_by("write 'U'", {{at(i), "U"}});
    if (text[i] == 'U') toy->findings.error("a-U", at(i), "a U").fixed_by("write 'u'", {{at(i), "u"}});
    if (text[i] == 'E') toy->findings.error("an-E", at(i), "an E");
    if (text[i] == 'z') toy->findings.warning("a-z", at(i), "a z").fixed_by("write 'zz'", {{at(i), "zz"}});
    if (text[i] == 'd') toy->findings.warning("a-d", at(i), "a d").fixed_by("leave it out", {{at(i), ""}});
  }
  return {toy, &toy->findings, &toy->sources, file, true};
}

TEST(Mend, MendsWhatItCanAndSaysWhatNot) {
  const Mended m = mend("axqbx\nx", judge);
  EXPECT_EQ(m.text, "aoqbo\no");
  EXPECT_EQ(m.applied.size(), 3u);
  ASSERT_EQ(m.refused.size(), 1u);
  EXPECT_EQ(m.refused[0].rule, "a-q");
  EXPECT_EQ(m.refused[0].why_not, "it would bring up: an E [an-E]");
  EXPECT_EQ(m.refused[0].line, 1u);
  EXPECT_EQ(m.last.findings->count(Severity::error), 0u);
}

TEST(Mend, AFixAfterWhichItsFindingRemainsIsNotMade) {
  const Mended m = mend("z", judge);
  EXPECT_EQ(m.text, "z");
  ASSERT_EQ(m.refused.size(), 1u);
  EXPECT_EQ(m.refused[0].why_not, "its finding would remain");
}

TEST(Mend, WhatAnUnreadableTextHidIsNoNewError) {
  const Mended m = mend("a!xE", judge);
  EXPECT_EQ(m.text, "a.oE");  // and the second round mends what came to light
  EXPECT_EQ(m.applied.size(), 2u);
  EXPECT_TRUE(m.refused.empty());
}

// "{ a: 1 b: 2" and a comma: the text is still unreadable, and what is told then was not there before.
TEST(Mend, AFixThatOnlyMovesAMistakeOfSyntaxIsNotMade) {
  const auto moving = [](const std::string& text) {
    auto toy = std::make_shared<Toy>();
    const FileId file = toy->sources.add("toy", text);
    const auto at = [&](std::size_t i) {
      return SourceSpan{file, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i)};
    };
    const std::size_t open = text.find('{');
    if (open != text.npos && text.find(',') == text.npos)
      toy->findings.error("comma", at(open), "a comma lacks").fixed_by("write ','", {{at(open + 1), ","}});
    else if (open != text.npos || text.find('?') != text.npos)
      toy->findings.error("end", at(text.size()), "no end");
    return CheckedText{toy, &toy->findings, &toy->sources, file, toy->findings.empty()};
  };
  const Mended moved = mend("{a\nb", moving);
  EXPECT_EQ(moved.text, "{a\nb");
  ASSERT_EQ(moved.refused.size(), 1u);
  EXPECT_EQ(moved.refused[0].why_not, "it would bring up: no end [end]");
  EXPECT_EQ(mend("{a\n?b", moving).text, "{,a\n?b");  // that one was there without the edited line, too
}

TEST(Mend, WhatAFixBringsToLightIsMendedWithIt) {
  const Mended m = mend("dk.k", judge);
  EXPECT_EQ(m.text, "o.o");
  EXPECT_EQ(m.applied.size(), 9u);  // of each k: 'v', 'xd', 'o' and the d that goes; and the first d
  EXPECT_TRUE(m.refused.empty());
  EXPECT_EQ(m.last.findings->all().size(), 0u);
}

// The first check is of the text, the second of 'v', which a third would mend: with two the budget is the reason, not
// the finding that came to light.
TEST(Mend, WhereTheChecksEndInsideAFixTheyAreTheReason) {
  const Mended m = mend("k", judge, 2);
  EXPECT_EQ(m.text, "k");
  ASSERT_EQ(m.refused.size(), 1u);
  EXPECT_EQ(m.refused[0].why_not, "too many fixes for one run: run it again");
  EXPECT_EQ(mend("k", judge, 10).text, "o");
}

// The first round mends the k, what came to light under it, and the x; the second what these left.
TEST(Mend, WhatIsMendedWithAFixIsToldBehindIt) {
  const Mended m = mend("k\nx", judge);
  std::string told;
  for (const MendStep& s : m.applied) told += s.rule + " " + std::to_string(s.line) + "; ";
  EXPECT_EQ(told, "a-k 1; a-v 1; an-x 2; an-x 1; a-d 1; ");
}

TEST(Mend, AFixThatBringsUpOneThatNothingMendsIsNotMade) {
  const Mended m = mend("Kk", judge);
  EXPECT_EQ(m.text, "Ko");
  ASSERT_EQ(m.refused.size(), 1u);
  EXPECT_EQ(m.refused[0].rule, "a-K");
}

TEST(Mend, FixesThatBringUpOneAnotherEnd) {
  std::size_t checks = 0;
  const Mended m = mend("u", [&](const std::string& text) { return ++checks, judge(text); });
  EXPECT_EQ(m.text, "u");
  ASSERT_EQ(m.refused.size(), 1u);
  EXPECT_LT(checks, 40u);
}

TEST(Mend, PlacesMoveWithTheText) {
  const Mended m = mend("ddddqdddq", judge);
  EXPECT_EQ(m.text, "qq");
  EXPECT_EQ(m.applied.size(), 7u);
  EXPECT_EQ(m.refused.size(), 2u);  // each is looked at once
}

TEST(Mend, AcceptedFindingsAreLeft) {
  const Mended m = mend("x", [](const std::string& text) {
    CheckedText j = judge(text);
    const_cast<Findings*>(j.findings)->all().front().accepted = "known";
    return j;
  });
  EXPECT_EQ(m.text, "x");
  EXPECT_TRUE(m.refused.empty());
}

TEST(Mend, ChecksAreBounded) {
  std::size_t checks = 0;
  const Mended m = mend(
      std::string(500, 'q'),
      [&](const std::string& text) {
        ++checks;
        return judge(text);
      },
      50);
  EXPECT_LE(checks, 50u);
  EXPECT_EQ(m.text, std::string(500, 'q'));
  EXPECT_EQ(m.refused.size(), 500u);
  EXPECT_EQ(m.refused.back().why_not, "too many fixes for one run: run it again");
}

}  // namespace
}  // namespace clusterc
