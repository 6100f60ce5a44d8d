#include "lsp/sketch.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "lsp/cursor.h"
#include "yaml/document.h"

namespace clusterc::lsp {
namespace {

// "a(b=1,[-,-])": the shape in one line, half keys with a '?'.
std::string shape(const Sketch& s, SketchId n) {
  std::string out;
  for (SketchId c = s[n].first; c != kNoSketch; c = s[c].next) {
    if (!out.empty()) out += ' ';
    out += s[c].item ? "-" : std::string(s.key(c));
    if (!s[c].colon) out += '?';
    if (s[c].kind == SketchNode::Kind::scalar) out += "=" + std::string(s.value(c));
    if (s[c].first != kNoSketch) out += "(" + shape(s, c) + ")";
  }
  return out;
}
std::string shape(std::string_view text) { return shape(Sketch(text), 0); }

TEST(Sketch, WholeText) {
  EXPECT_EQ(shape("a: 1\nb:\n  c: x y # no\n  d: [p, {q: 1}]\n  - e\n"), "a=1 b(c=x y d(-=p -(q=1)) -=e)");
  EXPECT_EQ(shape("list:\n  - model: x\n    feed: A\n  - y\n"), "list(-(model=x feed=A) -=y)");
  EXPECT_EQ(shape("list:\n- model: x\n  feed: A\n-\n- y\nnext: 1"),
            "list(-(model=x feed=A) - -=y) next=1");  // a list in the column of its key
  EXPECT_EQ(shape("a: \"x: # y\" # c\nb: 'it''s'\n\"q r\": 1\n"), "a=x: # y b=it''s q r=1");
  EXPECT_EQ(shape("t: |\n  any: thing\n\n  - else\nu: 1"), "t u=1");
  EXPECT_EQ(shape("{ clusterc: 1, name: x,\n site: {region: na} }"), "clusterc=1 name=x site(region=na)");
  EXPECT_EQ(shape("a: {\n  b: 1,\n  c: [ 1,\n    2 ]\n}\nd: 2"), "a(b=1 c(-=1 -=2)) d=2");
  EXPECT_EQ(shape("a: &x {b: 1}\nc: *x\nd: !t e\n"), "a(b=1) c=*x d=e");
  EXPECT_EQ(shape("--- \na: 1\n...\n"), "a=1");
  EXPECT_EQ(shape("a:\r\n  b: 1\r\n\r\n  c: 2\r\n"), "a(b=1 c=2)");
  EXPECT_EQ(shape("\xef\xbb\xbf"
                  "a: 1\n"),
            "a=1");
}

TEST(Sketch, HalfWrittenText) {
  EXPECT_EQ(shape("site:\n  region: na\n  alt\n  supply: { phases: 3, vol\nracks:\n  a: 1\n"),
            "site(region=na alt? supply(phases=3 vol?)) racks(a=1)");
  EXPECT_EQ(shape("a: { b: [1, 2\n     c: 3\nd: 4"),
            "a(b(-=1 -=2 -=c -=3)) d=4");  // a comma is missing: the list goes on
  EXPECT_EQ(shape("a: \"open\nb: 1"), "a=open b=1");
  EXPECT_EQ(shape("a: { b: {c: 1, d: ] }\ne: 2"), "a(b(c=1 d)) e=2");
  EXPECT_EQ(shape("names: gpu[01-\nb: 1"), "names=gpu[01- b=1");
  EXPECT_EQ(shape("m: { names: gpu[1-2], k: 1 }"), "m(names=gpu[1-2] k=1)");  // quotes forgotten: no list
  EXPECT_EQ(shape("a:\n  - \n  - b: 1\n    c\n"), "a(- -(b=1 c?))");
  EXPECT_EQ(shape("a: }\nb: ]"), "a=} b=]");
}

TEST(Sketch, TakesAnyDepthAndAnyBytes) {
  const std::string brackets(1 << 16, '['), dashes = [] {
    std::string s;
    for (int i = 0; i < 1 << 15; ++i) s += "- ";
    return s;
  }();
  std::string stairs;
  for (int i = 0; i < 2000; ++i) stairs += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  for (const std::string& text :
       {brackets, "a: " + brackets, dashes, stairs, std::string("a: \0b\n\xff\xfe: {\x80", 13)}) {
    const Sketch s(text);
    for (std::size_t at = 0; at <= text.size(); at += 1 + text.size() / 50) {
      bool on_key = false;
      (void)cursor_at(s, at);
      (void)thing_at(s, at, on_key);
    }
    for (const SketchNode& n : s.nodes()) {
      EXPECT_LE(n.key_begin, n.key_end);
      EXPECT_LE(n.begin, n.end);
      EXPECT_LE(n.extent, text.size());
    }
  }
}

// For text that is YAML, the loader is the judge: the sketch has the same keys at the same places.
TEST(Sketch, AgreesWithTheLoader) {
  for (const std::string name : {"superpod", "lab", "nvl72", "campus", "cloud", "four-virtual", "roce-16384"}) {
    Sources sources;
    Findings findings;
    FILE* file = std::fopen((std::string(CLUSTERC_SOURCE_DIR "/examples/") + name + ".yaml").c_str(), "rb");
    ASSERT_TRUE(file);
    std::string text(1 << 20, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
    const auto document = parse_yaml(sources, sources.add("x", text), findings);
    ASSERT_TRUE(document) << name;
    const Sketch sketch(text);
    struct Walk {
      const Document& d;
      const Sketch& s;
      std::size_t keys = 0;
      void compare(NodeId n, SketchId m) {
        SketchId child = s[m].first;
        if (d.is_mapping(n)) {
          for (std::size_t i = 0; i < d.size(n); ++i, child = s[child].next) {
            ASSERT_NE(child, kNoSketch);
            EXPECT_EQ(d.scalar(d.key(n, i)), s.key(child));
            const SourceSpan at = d.span(d.key(n, i));
            EXPECT_TRUE(at.begin == s[child].key_begin || at.begin + 1 == s[child].key_begin);
            ++keys;
            compare(d.value(n, i), child);
          }
          EXPECT_EQ(child, kNoSketch);
        } else if (d.is_sequence(n)) {
          for (std::size_t i = 0; i < d.size(n); ++i, child = s[child].next) {
            ASSERT_NE(child, kNoSketch);
            compare(d.item(n, i), child);
          }
          EXPECT_EQ(child, kNoSketch);
        } else if (d.is_scalar(n) && s[m].kind == SketchNode::Kind::scalar && !d.quoted(n)) {
          EXPECT_EQ(d.scalar(n), s.value(m));
        }
      }
    } walk{*document, sketch};
    walk.compare(document->root(), 0);
    EXPECT_GT(walk.keys, 30u) << name;
  }
}

}  // namespace
}  // namespace clusterc::lsp
