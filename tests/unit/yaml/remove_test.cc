#include "yaml/remove.h"

#include <gtest/gtest.h>

#include <string>

#include "yaml/document.h"

namespace clusterc {
namespace {

// Removes item `index` of the list `a`; "?" where nothing is sure. What is left must be YAML with one item less.
std::string without(const std::string& text, std::size_t index) {
  Sources sources;
  Findings findings;
  const FileId file = sources.add("x.yaml", text);
  const auto d = parse_yaml(sources, file, findings);
  if (!d) return "unreadable";
  const NodeId list = d->find(d->root(), "a");
  const auto edit = removal_of_item(sources, d->span(d->item(list, index)));
  if (!edit) return "?";
  std::string out = text;
  out.replace(edit->span.begin, edit->span.end - edit->span.begin, edit->replacement);
  Sources after_sources;
  Findings after_findings;
  const FileId after_file = after_sources.add("y.yaml", out);
  const auto after = parse_yaml(after_sources, after_file, after_findings);
  if (!after) return "broken: " + out;
  const NodeId left = after->find(after->root(), "a");
  EXPECT_TRUE(after->is_sequence(left)) << out;
  EXPECT_EQ(after->size(left), d->size(list) - 1) << out;
  EXPECT_EQ(after->size(after->root()), d->size(d->root())) << out;
  return out;
}

TEST(RemoveItem, BlockStyleGoesWithItsLines) {
  const std::string text = "a:\n  # first\n  - { x: 1 }   # why\n  # second\n  - x: 2\n    y: 3\nb: 1\n";
  EXPECT_EQ(without(text, 0), "a:\n  # second\n  - x: 2\n    y: 3\nb: 1\n");
  EXPECT_EQ(without(text, 1), "a:\n  # first\n  - { x: 1 }   # why\nb: 1\n");
  // Comments of something else stay: in another column, or with a line between.
  EXPECT_EQ(without("a:\n  - 1\n    # of one\n  # of two\r\n  # too\r\n  - 2\r\n", 1), "a:\n  - 1\n    # of one\n");
  EXPECT_EQ(without("a:\n  # all\n\n  # one\n  - 1\n  - 2\n", 0), "a:\n  # all\n\n  - 2\n");
  EXPECT_EQ(without("a:\n# all\n  - 1\n  - 2\n", 0), "a:\n# all\n  - 2\n");
  EXPECT_EQ(without("a:\n- 1\n- 2\n", 1), "a:\n- 1\n");
  EXPECT_EQ(without("a:\n- 1\n- 2", 1), "a:\n- 1\n");
  EXPECT_EQ(without("a:\r\n  - 1\r\n  - 2\r\nb: 3\r\n", 0), "a:\r\n  - 2\r\nb: 3\r\n");
}

TEST(RemoveItem, TheOnlyItemBecomesAnEmptyList) {
  EXPECT_EQ(without("a:\n  - { x: 1 }   # why\nb: 1\n", 0), "a:\n  []   # why\nb: 1\n");
  EXPECT_EQ(without("a:\n  # one\n  - 1\nb: 1\n", 0), "a:\n  []\nb: 1\n");
  EXPECT_EQ(without("a:\n  - x: 1\n    y: [ 2, 3 ]\nb:\n  - 1\n", 0), "a:\n  []\nb:\n  - 1\n");
  EXPECT_EQ(without("b:\n  - 1\na:\n  - x: 1\n", 0), "b:\n  - 1\na:\n  []\n");
}

TEST(RemoveItem, InBrackets) {
  EXPECT_EQ(without("a: [ {x: 1}, {x: 2}, {x: 3} ]\n", 0), "a: [ {x: 2}, {x: 3} ]\n");
  EXPECT_EQ(without("a: [ {x: 1}, {x: 2}, {x: 3} ]\n", 1), "a: [ {x: 1}, {x: 3} ]\n");
  EXPECT_EQ(without("a: [ {x: 1}, {x: 2}, {x: 3} ]\n", 2), "a: [ {x: 1}, {x: 2} ]\n");
  EXPECT_EQ(without("a: [ {x: 1} ]\n", 0), "a: [  ]\n");
  EXPECT_EQ(without("a: [\n  1,\n  2,   # two\n  3\n]\n", 1), "a: [\n  1,\n  3\n]\n");
  EXPECT_EQ(without("a: [\n  1,\n  2\n]\n", 1), "a: [\n  1\n]\n");
}

TEST(RemoveItem, LeavesWhatIsNotPlain) {
  EXPECT_EQ(without("a:\n  - &x { x: 1 }\n  - *x\n", 0), "?");
  EXPECT_EQ(without("a:\n  - !!str 1\n  - 2\n", 0), "?");
  EXPECT_EQ(without("a: [ 1, # one,\n  2 ]\n", 1), "?");
}

std::string without_pair(const std::string& text, const std::string& pair) {
  Sources sources;
  const FileId file = sources.add("x.yaml", text);
  const auto at = static_cast<std::uint32_t>(text.rfind(pair));
  const auto edit = removal_of_pair(sources, {file, at, static_cast<std::uint32_t>(at + pair.size())});
  if (!edit) return "?";
  std::string out = text;
  return out.replace(edit->span.begin, edit->span.end - edit->span.begin, edit->replacement);
}

TEST(RemovePair, TheSecondOfTwo) {
  EXPECT_EQ(without_pair("m:\n  a: 1\n  b: 2\n  a: 1   # again\n  c: 3\n", "a: 1"), "m:\n  a: 1\n  b: 2\n  c: 3\n");
  EXPECT_EQ(without_pair("m: { a: 1, b: 2, a: 1 }\n", "a: 1"), "m: { a: 1, b: 2 }\n");
  EXPECT_EQ(without_pair("m: { a: 1, a: 1, b: 2 }\n", "a: 1"), "m: { a: 1, b: 2 }\n");
  EXPECT_EQ(without_pair("m: {\n  a: 1,\n  a: 1\n}\n", "a: 1"), "m: {\n  a: 1\n}\n");
}

}  // namespace
}  // namespace clusterc
