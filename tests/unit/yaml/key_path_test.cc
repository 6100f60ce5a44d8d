#include "yaml/key_path.h"

#include <gtest/gtest.h>

#include <string>

namespace clusterc {
namespace {

// The path of the first (or, with `last`, the last) place of each word.
std::vector<std::string> paths(const std::string& text, const std::vector<std::string>& words, bool last = false) {
  Sources sources;
  Findings findings;
  const FileId file = sources.add("x.yaml", text);
  const auto d = parse_yaml(sources, file, findings);
  if (!d) return {"unreadable"};
  std::vector<SourceSpan> places;
  for (const std::string& w : words) {
    const auto at = static_cast<std::uint32_t>(last ? text.rfind(w) : text.find(w));
    places.push_back({file, at, static_cast<std::uint32_t>(at + w.size())});
  }
  return key_paths(*d, places);
}
using Paths = std::vector<std::string>;

TEST(KeyPath, NamesKeysAndValuesInAnyOrder) {
  const std::string text =
      "# head\nsite:\n  feeds: { A: { breaker: 63 A } }\nracks:\n  lab:\n    pdus:\n      - { model: eu-16, feed: A "
      "}\n      - { model: eu-32 }\n";
  EXPECT_EQ(paths(text, {"eu-32", "63 A", "site", "breaker", "pdus", "eu-16"}),
            (Paths{"racks.lab.pdus.model", "site.feeds.A.breaker", "site", "site.feeds.A.breaker", "racks.lab.pdus",
                   "racks.lab.pdus.model"}));
}

TEST(KeyPath, LinesAboveAndFurtherItemsChangeNothing) {
  const Paths before = paths("a:\n  b: [ {c: 1} ]\n", {"c"});
  EXPECT_EQ(before, Paths{"a.b.c"});
  EXPECT_EQ(paths("# x\n\nz: 1\na:\n  y: 2\n  b: [ {d: 0}, {c: 1} ]\n", {"c"}), before);
}

TEST(KeyPath, OutsideOfEverything) { EXPECT_EQ(paths("# head\na: 1\n# tail\n", {"head", "tail"}), (Paths{"", ""})); }

TEST(KeyPath, AnEmptyValueBelongsToItsKey) {
  Sources sources;
  Findings findings;
  const FileId file = sources.add("x.yaml", "a:\n  b:\nc: 1\n");
  const auto d = parse_yaml(sources, file, findings);
  ASSERT_TRUE(d);
  EXPECT_EQ(key_paths(*d, std::vector<SourceSpan>{d->span(d->value(d->value(d->root(), 0), 0))}), Paths{"a.b"});
}

TEST(KeyPath, AliasesAndMergesStandWhereTheyAreWritten) {
  const std::string text = "base: &b { x: 1 }\nuse: { <<: *b, y: 2 }\nagain: *b\n";
  EXPECT_EQ(paths(text, {"x", "y", "*b"}), (Paths{"base.x", "use.y", "use"}));
  EXPECT_EQ(paths(text, {"*b"}, true), Paths{"again"});
}

TEST(KeyPath, OtherFilesHaveNone) {
  Sources sources;
  Findings findings;
  const FileId file = sources.add("x.yaml", "a: 1\n");
  const auto d = parse_yaml(sources, file, findings);
  EXPECT_EQ(key_paths(*d, std::vector<SourceSpan>{{1, 0, 1}, {}}), (Paths{"", ""}));
}

}  // namespace
}  // namespace clusterc
