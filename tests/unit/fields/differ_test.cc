#include "fields/differ.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {

struct Inner {
  SourceSpan span;
  Value<double> share;
  Value<std::string> name;
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("share", s.share, {});
    v("name", s.name, {});
  }
};
struct Outer {
  Value<Watts> power;
  Value<std::int64_t> count;
  std::vector<Value<std::string>> words;
  std::optional<Inner> inner;
  NamedMap<Inner> things;
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("power", s.power, {});
    v("count", s.count, {});
    v("words", s.words, {});
    v("inner", s.inner, {});
    v("things", s.things, {});
  }
};

template <class T>
Value<T> written(T v) {
  return Value<T>(std::move(v), {}, Origin::spec);
}
Named<Inner> thing(const char* name, double share) {
  Named<Inner> n{name, {}, {}};
  n.value.share = written(share);
  return n;
}
std::string told(const Outer& a, const Outer& b) {
  std::string out;
  for (const ValueChange& c : written_changes(a, b)) out += c.path + ": '" + c.before + "' -> '" + c.after + "'\n";
  return out;
}

TEST(Differ, OnlyWhatSomebodyWrote) {
  Outer a, b;
  a.power = Value<Watts>::derived(Watts(1), "a sum");
  b.power = Value<Watts>::standard(Watts(2), "why");
  EXPECT_EQ(told(a, b), "");
  b.power = written(Watts(10200));
  EXPECT_EQ(told(a, b), "power: '' -> '10.2 kW'\n");
  EXPECT_EQ(told(b, a), "power: '10.2 kW' -> ''\n");
}

TEST(Differ, ListsSectionsAndEntries) {
  Outer a, b;
  a.words = {written<std::string>("x")};
  b.words = {written<std::string>("x"), written<std::string>("y")};
  b.inner.emplace();
  b.inner->name = written<std::string>("n");
  a.things.entries = {thing("one", 1), thing("two", 2), thing("old", 3)};
  b.things.entries = {thing("two", 2.5), thing("one", 1), thing("new", 4)};
  EXPECT_EQ(told(a, b),
            "words: '[x]' -> '[x, y]'\ninner: '' -> '{ name: n }'\nthings.two.share: '2' -> '2.5'\nthings.old: '{ "
            "share: 3 }' -> ''\nthings.new: '' -> '{ share: 4 }'\n");
}

TEST(Differ, TheSameInAnotherOrderIsTheSame) {
  Outer a, b;
  a.things.entries = {thing("one", 1), thing("two", 2)};
  b.things.entries = {thing("two", 2), thing("one", 1)};
  EXPECT_EQ(told(a, b), "");
}

// Two groups that were filled in are nothing that was written: of the list that names one of them only that is shown.
TEST(Differ, WhatWasFilledIntoAListIsNotShown) {
  Outer before, after;
  for (const char* word : {"a", "b"})
    before.words.push_back(Value<std::string>::derived(word, "a group without a role", {}));
  after.words.emplace_back("a", SourceSpan{}, Origin::spec);
  const std::vector<ValueChange> changes = written_changes(before, after);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].before, "");
  EXPECT_EQ(changes[0].after, "[a]");
  EXPECT_TRUE(written_changes(before, Outer{}).empty());
}

}  // namespace
}  // namespace clusterc
