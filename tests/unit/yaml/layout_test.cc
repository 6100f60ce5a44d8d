#include "yaml/layout.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {

std::string laid_out(std::string_view text) {
  Sources sources;
  Findings findings;
  const auto out = lay_out_yaml(sources, sources.add("a.yaml", std::string(text)), findings);
  return out.value_or("?");
}

TEST(Layout, TwoBlanksALevelAndCommentsWithTheirLines) {
  EXPECT_EQ(laid_out("a:\n    # of b\n    b:\n          c: 1   # one\n\n\n\nd: 2"),
            "a:\n  # of b\n  b:\n    c: 1   # one\n\nd: 2\n");
  EXPECT_EQ(laid_out("a:\n- b: 1\n  c: 2\n-   d: 3\n"), "a:\n  - b: 1\n    c: 2\n  - d: 3\n");
}

TEST(Layout, WhatStandsInTextsStays) {
  EXPECT_EQ(laid_out("a: \"{x,y}\"\nb: 'p,q'\nc: p,q\n"), "a: \"{x,y}\"\nb: 'p,q'\nc: p,q\n");
  EXPECT_EQ(laid_out("a:\n      b: |\n          x  \n\n\n            y\n      c: 1\n"),
            "a:\n  b: |\n      x  \n\n\n        y\n  c: 1\n");
}

TEST(Layout, BracketsAndAlignedValues) {
  EXPECT_EQ(laid_out("a: {b: [1,2], c: {}}\nlonger:  { d: 1 }\n"), "a: { b: [1, 2], c: {} }\nlonger:  { d: 1 }\n");
  EXPECT_EQ(laid_out("a:\n    b: [ 1,\n         2 ]\n    c: 3\n"), "a:\n  b: [ 1,\n       2 ]\n  c: 3\n");
}

TEST(Layout, LineEndsStayAndNoYamlIsLeft) {
  EXPECT_EQ(laid_out("a:\r\n    b: 1  \r\n"), "a:\r\n  b: 1\r\n");
  EXPECT_EQ(laid_out("a: [1\n"), "?");
}

TEST(Layout, ADocumentIsTheSameWhereKindsTextsAndKeysAre) {
  Sources sources;
  Findings findings;
  const auto parsed = [&](std::string_view text) {
    return *parse_yaml(sources, sources.add("a.yaml", std::string(text)), findings);
  };
  EXPECT_TRUE(same_document(parsed("a: [1, x]\n"), parsed("a:\n  - 1\n  - x\n")));
  EXPECT_FALSE(same_document(parsed("a: 1\n"), parsed("a: \"1\"\n")));
  EXPECT_FALSE(same_document(parsed("a: 1\nb: 2\n"), parsed("b: 2\na: 1\n")));
  EXPECT_FALSE(same_document(parsed("a: [1]\n"), parsed("a: [1, 2]\n")));
}

}  // namespace
}  // namespace clusterc
