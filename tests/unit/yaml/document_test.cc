#include "yaml/document.h"

#include <gtest/gtest.h>

#include "diag/render.h"
#include "yaml/scan.h"

namespace clusterc {
namespace {

// A document as one line, every value with its place: {key@line:column-line:column: value@...}.
struct Parsed {
  Sources sources;
  Findings findings;
  FileId file = 0;
  std::optional<Document> document;

  explicit Parsed(std::string text, YamlLimits limits = {}) {
    file = sources.add("t.yaml", std::move(text));
    document = parse_yaml(sources, file, findings, limits);
  }

  std::string place(NodeId node) const {
    const SourceSpan span = document->span(node);
    const LineColumn begin = sources.position(file, span.begin), end = sources.position(file, span.end);
    std::string out = "@" + std::to_string(begin.line) + ":" + std::to_string(begin.column) + "-";
    if (end.line != begin.line) out += std::to_string(end.line) + ":";
    return out + std::to_string(end.column);
  }
  std::string show(NodeId node, bool places = true) const {
    std::string out;
    switch (document->kind(node)) {
      case Document::Kind::null:
        out = "null";
        break;
      case Document::Kind::scalar:
        out = document->quoted(node) ? "\"" + std::string(document->scalar(node)) + "\""
                                     : std::string(document->scalar(node));
        break;
      case Document::Kind::sequence:
        for (NodeId item = document->first_child(node); item != kNoNode; item = document->next_sibling(item))
          out += (out.empty() ? "" : ", ") + show(item, places);
        out = "[" + out + "]";
        break;
      case Document::Kind::mapping:
        for (std::size_t i = 0; i < document->size(node); ++i)
          out += (out.empty() ? "" : ", ") + show(document->key(node, i), places) + ": " +
                 show(document->value(node, i), places);
        out = "{" + out + "}";
        break;
    }
    return places ? out + place(node) : out;
  }
  std::string show() const { return document ? show(document->root()) : "nothing"; }
  std::string plain() const { return document ? show(document->root(), false) : "nothing"; }  // without places
  std::string errors() const {  // rule@line:column of each finding
    std::string out;
    for (const Finding& finding : findings.all()) {
      const LineColumn at = sources.position(finding.span.file, finding.span.begin);
      out += (out.empty() ? "" : " ") + finding.rule + "@" + std::to_string(at.line) + ":" + std::to_string(at.column);
    }
    return out;
  }
};

TEST(Document, HasAPlaceOnEveryKeyAndValue) {
  EXPECT_EQ(
      Parsed("a: 1\nb:\n  c: x y\n  d: [p, q]\n").show(),
      "{a@1:1-2: 1@1:4-5, b@2:1-2: {c@3:3-4: x y@3:6-9, d@4:3-4: [p@4:7-8, q@4:10-11]@4:6-12}@3:3-4:12}@1:1-4:12");
}

TEST(Document, ListsInBlocks) {
  EXPECT_EQ(Parsed("a:\n- x\n- k: v\n  l: w\nb: 1\n").show(),
            "{a@1:1-2: [x@2:3-4, {k@3:3-4: v@3:6-7, l@4:3-4: w@4:6-7}@3:3-4:7]@2:1-4:7, b@5:1-2: 1@5:4-5}@1:1-5:5");
}

TEST(Document, AnEmptyValueStandsBehindItsSign) {
  EXPECT_EQ(Parsed("a:\nb:   # remark\nc: ~\nnull: 1\n").show(),
            "{a@1:1-2: null@1:3-3, b@2:1-2: null@2:3-3, c@3:1-2: null@3:4-5, null@4:1-5: 1@4:7-8}@1:1-4:8");
  EXPECT_EQ(Parsed("- \n- x\n-\n").show(), "[null@1:2-2, x@2:3-4, null@3:2-2]@1:1-3:2");
  EXPECT_EQ(Parsed("{a: , b}").show(), "{a@1:2-3: null@1:4-4, b@1:7-8: null@1:8-8}@1:1-9");
}

TEST(Document, TextThatDiffersFromItsSource) {
  EXPECT_EQ(Parsed("a: \"x\\u00e9\\n\"\n").show(), "{a@1:1-2: \"x\xc3\xa9\n\"@1:4-15}@1:1-15");
  EXPECT_EQ(Parsed("a: 'it''s'\n").show(), "{a@1:1-2: \"it's\"@1:4-11}@1:1-11");
  EXPECT_EQ(Parsed("a: one\n  two\nb: \"q\n  r\"\n").show(),
            "{a@1:1-2: one two@1:4-2:6, b@3:1-2: \"q r\"@3:4-4:5}@1:1-4:5");
  EXPECT_EQ(Parsed("a: |\n  x \"[\n    y\n\nb: >-\n  p\n  q\n").show(),
            "{a@1:1-2: \"x \"[\n  y\n\"@1:4-3:6, b@5:1-2: \"p q\"@5:4-7:4}@1:1-7:4");
}

TEST(Document, QuotedAndTaggedAreText) {
  const Parsed p("a: '1'\nb: ! 2\nc: !!str 3\nd: 4\ne: !!str null\nf: !!int 5\n");
  EXPECT_EQ(p.plain(), "{a: \"1\", b: \"2\", c: \"3\", d: 4, e: \"null\", f: 5}");
  EXPECT_EQ(p.errors(), "");
}

TEST(Document, YesAndNoAreWords) { EXPECT_EQ(Parsed("no: yes\nNULL: off\n").plain(), "{no: yes, NULL: off}"); }

TEST(Document, ColumnsCountCharactersAndLineEndsOfAllKinds) {
  EXPECT_EQ(Parsed("\xef\xbb\xbf\xc3\xbc\xc3\xb6: \xe2\x82\xac x\r\nb: 1\r\n").show(),
            "{\xc3\xbc\xc3\xb6@1:1-3: \xe2\x82\xac x@1:5-8, b@2:1-2: 1@2:4-5}@1:1-2:5");
}

TEST(Document, DuplicateKeysAreErrorsAndTheFirstStays) {
  const Parsed p("a: 1\nb: {x: 1, x: 2, 'x': 3}\n\"a\": 3\n");
  EXPECT_EQ(p.plain(), "{a: 1, b: {x: 1}}");
  EXPECT_EQ(p.errors(), "spec-duplicate-key@2:11 spec-duplicate-key@2:17 spec-duplicate-key@3:1");
  ASSERT_EQ(p.findings.all().back().notes.size(), 1u);
  EXPECT_EQ(p.findings.all().back().notes[0].span, (SourceSpan{p.file, 0, 1}));
}

TEST(Document, ManyDuplicatesAreTenFindings) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "k" + std::to_string(i % 1000) + ": 1\n";
  const Parsed p(text);
  EXPECT_EQ(p.findings.all().size(), 10u);
  EXPECT_EQ(p.findings.all().back().notes.back().message, "990 more keys in this file are given twice");
  EXPECT_EQ(p.document->size(p.document->root()), 1000u);
}

TEST(Document, MergesGiveWayToWhatIsWritten) {
  const Parsed p("base: &b {x: 1, y: 2}\nmine:\n  <<: *b\n  y: 3\nboth:\n  <<: [{x: 8}, *b, {z: 9}]\n");
  EXPECT_EQ(p.errors(), "");
  EXPECT_EQ(p.plain(), "{base: {x: 1, y: 2}, mine: {y: 3, x: 1}, both: {x: 8, y: 2, z: 9}}");
  // Both places are kept: where the pair is written and where it is merged.
  const NodeId mine = p.document->find(p.document->root(), "mine");
  const NodeId key = p.document->key(mine, 1);
  EXPECT_EQ(p.place(key), "@1:11-12");
  EXPECT_EQ(p.sources.text(p.document->merged_at(key)), "*b");
  EXPECT_EQ(p.sources.position(p.file, p.document->merged_at(key).begin).line, 3u);
  EXPECT_FALSE(p.document->merged_at(p.document->key(mine, 0)).valid());
}

TEST(Document, AQuotedMergeSignIsAKey) {
  EXPECT_EQ(Parsed("\"<<\": 1\n").plain(), "{\"<<\": 1}");
  EXPECT_EQ(Parsed("<<: 1\n").errors(), "spec-merge-not-mapping@1:5");
}

TEST(Document, AliasesShareWhatTheyName) {
  const Parsed p("a: &x [1, 2]\nb: *x\nc: &t text\n*t : *x\n");
  EXPECT_EQ(p.errors(), "");
  EXPECT_EQ(p.show(),
            "{a@1:1-2: [1@1:8-9, 2@1:11-12]@1:7-13, b@2:1-2: [1@1:8-9, 2@1:11-12]@2:4-6, c@3:1-2: text@3:7-11, "
            "text@4:1-3: [1@1:8-9, 2@1:11-12]@4:6-8}@1:1-4:8");
}

TEST(Document, FindAndSize) {
  const Parsed p("a: 1\nb: [x, y]\n");
  const Document& d = *p.document;
  EXPECT_EQ(d.size(d.root()), 2u);
  EXPECT_EQ(d.find(d.root(), "c"), kNoNode);
  EXPECT_EQ(d.scalar(d.item(d.find(d.root(), "b"), 1)), "y");
  EXPECT_EQ(d.item(d.find(d.root(), "b"), 2), kNoNode);
  EXPECT_EQ(d.find(d.find(d.root(), "a"), "x"), kNoNode) << "a text has no keys";
}

// One clear error each, at the place where the slip is.
struct Slip {
  const char* text;
  const char* error;
};

class Slips : public testing::TestWithParam<Slip> {};

TEST_P(Slips, IsOneErrorAtItsPlace) {
  const Parsed p(GetParam().text);
  EXPECT_EQ(p.errors(), GetParam().error) << GetParam().text << render_text(p.findings, p.sources);
  EXPECT_FALSE(p.document.has_value());
}

INSTANTIATE_TEST_SUITE_P(
    Yaml, Slips,
    testing::Values(
        Slip{"", "spec-empty@1:1"}, Slip{"# only a remark\n", "spec-empty@1:1"},
        Slip{"a:\n\tb: 1\n", "spec-tab-in-indentation@2:1"}, Slip{"a:\n  - x\n \t- y\n", "spec-tab-in-indentation@3:2"},
        Slip{"a: 1\nkey:value\nb: 2\n", "spec-missing-blank@2:1"},
        Slip{"a:\n  b:c\n  d: 1\n", "spec-missing-blank@2:3"}, Slip{"x: {a: 1 b: 2}\n", "spec-missing-comma@1:10"},
        Slip{"x: [\"a\" \"b\"]\n", "spec-missing-comma@1:9"}, Slip{"x: [[1] [2]]\n", "spec-missing-comma@1:9"},
        Slip{"x: [1,,2]\n", "spec-empty-item@1:7"}, Slip{"x: [,1]\n", "spec-empty-item@1:5"},
        Slip{"x: [1, 2\ny: 3\n", "spec-bracket-not-closed@1:4"}, Slip{"x: [1}\n", "spec-bracket-not-closed@1:6"},
        Slip{"x: 1\ny: ]\n", "spec-bracket-not-closed@2:4"}, Slip{"a: \"abc\nb: 1\n", "spec-quote-not-closed@1:4"},
        Slip{"a: 'abc\n---\n", "spec-quote-not-closed@1:4"}, Slip{"a: one\n  b: 2\n", "spec-bad-indentation@2:3"},
        Slip{"a: one\n   : 2\n", "spec-yaml-syntax@2:4"}, Slip{"a:\n    b: 1\n  c: 2\n", "spec-bad-indentation@3:3"},
        Slip{"- x\ny: 1\n", "spec-bad-indentation@2:1"}, Slip{"a: 1\nword\n", "spec-yaml-syntax@2:1"},
        Slip{"a: b: c\n", "spec-yaml-syntax@1:5"}, Slip{"a: @b\n", "spec-yaml-syntax@1:4"},
        Slip{"a: - b\n", "spec-yaml-syntax@1:4"}, Slip{"a: 1\n---\nb: 2\n", "spec-second-document@2:1"},
        Slip{"a: 1\n...\nb: 2\n", "spec-second-document@3:1"}, Slip{"a: *x\n", "spec-unknown-alias@1:4"},
        Slip{"a: &x [*x]\n", "spec-alias-loop@1:8"}, Slip{"a: !foo x\n", "spec-unknown-tag@1:4"},
        Slip{"? [x]\n: y\n", "spec-key-not-text@1:3"}, Slip{": y\n", "spec-key-not-text@1:1"},
        Slip{"a: x\x1by\n", "spec-control-character@1:5"}, Slip{"a: \xff\n", "spec-not-utf8@1:4"},
        Slip{"\xff\xfe"
             "a",
             "spec-not-utf8@1:1"},
        Slip{"a: \"\\q\"\n", "spec-yaml-syntax@1:5"}));

TEST(Document, ANulByteIsAControlCharacter) {
  EXPECT_EQ(Parsed(std::string("a: b\0c\n", 7)).errors(), "spec-control-character@1:5");
}

// U+202E turns the direction of what follows, U+200B has no width, U+0085 ends a line, U+00AD is a hyphen where a line
// breaks, U+061C is a mark of direction: as bytes, and as escapes of double quotes.
TEST(Document, InvisibleCharactersAreRefused) {
  for (const char* text : {"a: b\xe2\x80\xae"
                           "c\n",
                           "a: \"b\xe2\x80\x8b\"\n", "a: b  # c\xe2\x81\xa6\n", "a: b\xc2\x85\n", "a: b\xef\xbb\xbf\n",
                           "a: b\xc2\xad"
                           "c\n",
                           "a: \xd8\x9c"
                           "b\n"}) {
    const std::string errors = Parsed(text).errors();
    EXPECT_TRUE(errors.starts_with("spec-control-character@1:")) << text << errors;
  }
  for (const char* text : {"a: \"\\u202e\"\n", "a: \"\\0\"\n", "a: \"b\\e[1m\"\n", "a: \"b\\rc\"\n", "a: \"\\x7f\"\n"})
    EXPECT_EQ(Parsed(text).errors(), "spec-control-character@1:4") << text;
  for (const char* text : {"a: \"\\N\"\n", "a: \"\\_\"\n"})
    EXPECT_EQ(Parsed(text).errors(), "spec-not-utf8@1:4") << text;
  for (const char* text :
       {"a: \"b\\n\\tc\"\n",
        "\xef\xbb\xbf"
        "a: b\n",
        "a: \xc3\xa9\xe2\x82\xac\xef\xbc\xa1\n", "a: b\r\nc: d\r\n", "a: \xe2\x80\x94 \xc2\xb5\n", "a: \xd8\xb4\n"})
    EXPECT_EQ(Parsed(text).errors(), "") << text;
}

TEST(Document, NestingStopsAtSixtyFourLevels) {
  const auto nested = [](int levels) {
    return std::string(static_cast<std::size_t>(levels), '[') + std::string(static_cast<std::size_t>(levels), ']');
  };
  EXPECT_EQ(Parsed(nested(64)).errors(), "");
  EXPECT_EQ(Parsed(nested(65)).errors(), "spec-nested-too-deep@1:65");
  std::string deep;
  for (int i = 0; i < 65; ++i) deep += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_EQ(Parsed(deep).errors(), "spec-nested-too-deep@65:65");
  EXPECT_EQ(Parsed(std::string(100000, '[')).errors(), "spec-nested-too-deep@1:65");
}

TEST(Document, AliasesCountAsNesting) {
  // Line i nests i + 1 levels and the root one more: line 62 reaches 64 levels, line 63 would be the 65th.
  std::string text = "l0: &l0 [x]\n";
  for (int i = 1; i < 63; ++i)
    text += "l" + std::to_string(i) + ": &l" + std::to_string(i) + " [*l" + std::to_string(i - 1) + "]\n";
  EXPECT_EQ(Parsed(text).errors(), "");
  EXPECT_EQ(Parsed(text + "l63: [*l62]\n").errors(), "spec-nested-too-deep@64:7");
}

TEST(Document, AnAliasBombIsCountedNotBuilt) {
  // Nine levels of nine aliases: 9^9 = 387 million values from 400 bytes.
  std::string text = "l0: &l0 [x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 10; ++i) {
    text += "l" + std::to_string(i) + ": &l" + std::to_string(i) + " [";
    for (int k = 0; k < 9; ++k) text += (k == 0 ? "*l" : ",*l") + std::to_string(i - 1);
    text += "]\n";
  }
  const Parsed p(text);
  EXPECT_EQ(p.findings.all().size(), 1u);
  EXPECT_EQ(p.findings.all()[0].rule, "spec-too-large");
  EXPECT_FALSE(p.document.has_value());
}

TEST(Document, LimitsCanBeRaisedAndLowered) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "- x\n";
  // 4,000 bytes of text and 1,001 nodes of 24 bytes: 28,024 bytes.
  EXPECT_EQ(Parsed(text, {.memory_bytes = 28024}).errors(), "");
  EXPECT_EQ(Parsed(text, {.memory_bytes = 28023}).errors().substr(0, 14), "spec-too-large");
  EXPECT_EQ(Parsed(text, {.text_bytes = 3999}).errors(), "spec-too-large@1:1");
}

TEST(Document, ColonsThatAreNoSigns) {
  EXPECT_EQ(Parsed("a: http://x:80/y\nb: 10:20\nc: [x:y, 12:34:56]\nd: {u: http://z}\n").plain(),
            "{a: http://x:80/y, b: 10:20, c: [x:y, 12:34:56], d: {u: http://z}}");
}

TEST(Document, RemarksBlankLinesAndOddLayout) {
  EXPECT_EQ(Parsed("# top\n\na:   # behind\n\n  # before\n  b: x#y # z\n\n  c: {  # in\n    d: 1,   # more\n    e: [\n "
                   "2\n ]\n  }\nf: g\n")
                .plain(),
            "{a: {b: x#y, c: {d: 1, e: [2]}}, f: g}");
  EXPECT_EQ(Parsed("--- # start\na: 1\n...\n# end\n").plain(), "{a: 1}");
  EXPECT_EQ(Parsed("%YAML 1.2\n---\na: 1\n").plain(), "{a: 1}");
  EXPECT_EQ(Parsed("- - a\n  - b\n- - c\n").plain(), "[[a, b], [c]]");
  EXPECT_EQ(Parsed("? a\n: b\n? c\n").plain(), "{a: b, c: null}");
  EXPECT_EQ(Parsed("{\"a\":1,\"b\":[true,null]}").plain(), "{\"a\": 1, \"b\": [true, null]}");
}

TEST(Document, LinesThatAreFoldedNeedNoParser) {
  struct Case {
    const char* text;
    bool simple;
    const char* value;
  };
  for (const Case& c : {Case{"a: >-\n  one\n  two\nb: c\n", true, "{a: \"one two\", b: c}"},
                        Case{"- >-\n  x: 'y', [z]\n- >-\n     deep\n", true, "[\"x: 'y', [z]\", \"deep\"]"},
                        Case{"a: >-\n  one\n\n\nb: c\n", true, "{a: \"one\", b: c}"},
                        Case{"a: >-\n  one\n\n  two\n", false, "{a: \"one\\ntwo\"}"},  // an empty line is a line end
                        Case{"a: >-\n  one\n    two\n  three\n", false, "{a: \"one\\n  two\\nthree\"}"},
                        Case{"a: >\n  one\n", false, "{a: \"one\\n\"}"}}) {
    const Parsed p(c.text);
    Findings none;
    EXPECT_EQ(scan_yaml(p.sources, p.file, none, {}).simple, c.simple) << c.text;
    std::string shown = p.plain();
    for (std::size_t at = 0; (at = shown.find('\n', at)) != shown.npos;) shown.replace(at, 1, "\\n");
    EXPECT_EQ(shown, c.value) << c.text;
  }
  EXPECT_EQ(Parsed("a: >-\n  one\n  two\nb: c\n").document->node_count(), 5u);
}

// YAML 1.2.2, 9.1.2 and rule 206 (c-forbidden): no line of a document's content begins with "---" or "...", inside
// brackets either.
TEST(Document, AMarkOfDocumentsIsNoTextInsideBrackets) {
  for (const char* text : {"a: 1\nc: {\n...  }\n", "a: 1\nc: [\n--- ]\n", "a: 1\nc: { b,\n...\n}\n"})
    EXPECT_FALSE(Parsed(text).document.has_value()) << text;
  EXPECT_EQ(Parsed("a: 1\nc: {\n ... }\n").plain(), "{a: 1, c: {...: null}}");  // not at the begin of its line
}

}  // namespace
}  // namespace clusterc
