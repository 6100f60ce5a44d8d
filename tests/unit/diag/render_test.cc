#include "diag/render.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {

struct Fixture {
  Sources sources;
  Findings findings;
  FileId file = 0;

  explicit Fixture(std::string text, std::string path = "lab.yaml") {
    file = sources.add(std::move(path), std::move(text));
  }
  SourceSpan at(std::string_view what) const {
    const std::size_t begin = sources.text(file).find(what);
    return {file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + what.size())};
  }
};

TEST(RenderText, ShowsPlaceMessageCaretNoteAndHelp) {
  Fixture f(
      "racks:\n  pdus: [ { model: na-415-3ph-60, feed: A } ]\nnodes:\n  gpu: { names: \"n[1-4]\", racks: lab }\n");
  f.findings
      .error("power-branch-over-continuous-rating", {f.file, f.at("names").begin - 2, f.at("names").end},
             "rack 'r03' needs 43.7 kVA, its PDU carries 34.6 kVA continuously")
      .label("4 x 10.2 kW = 41.6 kW")
      .note(f.at("na-415-3ph-60"), "the limit comes from this PDU", "240 V x 60 A")
      .help("three of the four nodes would fit (33.0 kVA)");
  EXPECT_EQ(render_text(f.findings, f.sources),
            "lab.yaml:4:8: error: rack 'r03' needs 43.7 kVA, its PDU carries 34.6 kVA continuously "
            "[power-branch-over-continuous-rating]\n"
            "    4 |   gpu: { names: \"n[1-4]\", racks: lab }\n"
            "      |        ^~~~~~~ 4 x 10.2 kW = 41.6 kW\n"
            "lab.yaml:2:20: note: the limit comes from this PDU\n"
            "    2 |   pdus: [ { model: na-415-3ph-60, feed: A } ]\n"
            "      |                    ^~~~~~~~~~~~~ 240 V x 60 A\n"
            "lab.yaml:4:8: help: three of the four nodes would fit (33.0 kVA)\n");
}

TEST(RenderText, ShowsAFixAsTheLineWillRead) {
  Fixture f("x: {a: 1 b: 2}\n");
  f.findings.error("spec-missing-comma", {f.file, 9, 10}, "',' missing")
      .fixed_by("insert ','", {{{f.file, 8, 8}, ","}});
  EXPECT_EQ(render_text(f.findings, f.sources),
            "lab.yaml:1:10: error: ',' missing [spec-missing-comma]\n"
            "    1 | x: {a: 1 b: 2}\n"
            "      |          ^\n"
            "lab.yaml:1:9: help: insert ','\n"
            "    1 | x: {a: 1, b: 2}\n"
            "      |         +\n");
}

TEST(RenderText, PutsTheCaretUnderWideAndCombinedCharacters) {
  // Two CJK characters take four columns; e with a combining acute takes one.
  Fixture f("\xe6\xa9\x9f\xe6\x9e\xb6: x\ne\xcc\x81: y\n");
  f.findings.error("r", f.at("x"), "one");
  f.findings.error("r", f.at("y"), "two");
  EXPECT_EQ(render_text(f.findings, f.sources),
            "lab.yaml:1:5: error: one [r]\n    1 | \xe6\xa9\x9f\xe6\x9e\xb6: x\n      |       ^\n"
            "lab.yaml:2:5: error: two [r]\n    2 | e\xcc\x81: y\n      |    ^\n");
}

TEST(Render, QuotesNoLineOfASecretInAnyFormat) {
  Fixture f("name: lab\npassword: |\n  hunter2\n  hunter3\nother: 1\n");
  f.findings.withhold(f.at("|\n  hunter2\n  hunter3"));
  f.findings.error("r", f.at("hunter3"), "some other finding of the same line")
      .note(f.at("hunter2"), "see here")
      .fixed_by("drop it", {{f.at("hunter3"), ""}});
  f.findings.error("s", f.at("other"), "the line after it");
  f.findings.error("t", f.at("name"), "the line before it");
  for (const std::string& text : {render_text(f.findings, f.sources), render_json(f.findings, f.sources),
                                  render_sarif(f.findings, f.sources, {}), render_junit(f.findings, f.sources)})
    EXPECT_EQ(text.find("hunter"), std::string::npos) << text;
  const std::string text = render_text(f.findings, f.sources);
  EXPECT_NE(text.find("other: 1"), std::string::npos);
  EXPECT_NE(text.find("name: lab"), std::string::npos);
}

TEST(RenderText, LetsNoTextReachTheTerminalAsACommand) {
  Fixture f("a: \x1b[31mred\x07\n");
  f.findings.error("r", f.at("red"), "name '\x1b[2J' with \xff and\nmore");
  const std::string text = render_text(f.findings, f.sources);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "lab.yaml:1:9: error: name '\xef\xbf\xbd[2J' with \xef\xbf\xbd and more [r]");
}

TEST(RenderText, CutsALongLineAroundTheCaret) {
  Fixture f(std::string(100000, 'x') + "HERE" + std::string(100000, 'y'));
  f.findings.error("r", f.at("HERE"), "m");
  const std::string text = render_text(f.findings, f.sources);
  EXPECT_LT(text.size(), 400u);
  // "    1 | ..." and 60 characters before the caret: column 8 + 3 + 60 = 71 of both lines.
  const std::size_t second = text.find('\n') + 1, third = text.find('\n', second) + 1;
  EXPECT_EQ(text.substr(second + 71, 4), "HERE");
  EXPECT_EQ(text.substr(third + 71, 4), "^~~~");
}

TEST(RenderText, WithoutAPlaceOrText) {
  Fixture f("");
  f.findings.error("r", {}, "no place");
  f.findings.error("r", {f.file, 0, 0}, "empty file");
  EXPECT_EQ(render_text(f.findings, f.sources), "error: no place [r]\nlab.yaml:1:1: error: empty file [r]\n");
}

TEST(RenderText, AnAcceptedFindingIsNoErrorAndTakesOneLine) {
  Fixture f("a: 1\n");
  f.findings.error("r", f.at("1"), "too much").label("by 1").help("less").accepted = "agreed until 2027-01";
  EXPECT_EQ(render_text(f.findings, f.sources),
            "lab.yaml:1:4: note: error accepted (agreed until 2027-01): too much [r]\n");
}

TEST(RenderText, ColorsOnRequest) {
  Fixture f("a: 1\n");
  f.findings.warning("r", f.at("1"), "m");
  EXPECT_NE(render_text(f.findings, f.sources, {.color = true}).find("\x1b[35mwarning: \x1b[0m"), std::string::npos);
}

TEST(RenderSummary, Counts) {
  Findings findings;
  EXPECT_EQ(render_summary(findings), "no findings");
  findings.error("r", {}, "");
  findings.error("r", {}, "");
  findings.warning("r", {}, "");
  findings.warning("r", {}, "").accepted = "so";
  for (int i = 0; i < 3; ++i) findings.note("r", {}, "");
  EXPECT_EQ(render_summary(findings), "2 errors, 1 warning, 3 notes (1 accepted)");
}

TEST(RenderJson, HasEveryField) {
  Fixture f("a: 1\nb: 2\n");
  f.findings.error("power-x", f.at("2"), "m \"q\"")
      .label("l")
      .note(f.at("1"), "n", "u")
      .help("h")
      .object("rack/r1")
      .fixed_by("t", {{f.at("2"), "3"}});
  EXPECT_EQ(render_json(f.findings, f.sources), R"({
  "format": "clusterc-findings",
  "version": 1,
  "findings": [
    {
      "severity": "error",
      "rule": "power-x",
      "message": "m \"q\"",
      "label": "l",
      "place": {"file": "lab.yaml", "line": 2, "column": 4, "end_line": 2, "end_column": 5, "offset": 8, "end_offset": 9},
      "notes": [
        {
          "message": "n",
          "label": "u",
          "place": {"file": "lab.yaml", "line": 1, "column": 4, "end_line": 1, "end_column": 5, "offset": 3, "end_offset": 4}
        }
      ],
      "helps": [
        {
          "message": "h"
        }
      ],
      "fix": {
        "title": "t",
        "edits": [
          {
            "place": {"file": "lab.yaml", "line": 2, "column": 4, "end_line": 2, "end_column": 5, "offset": 8, "end_offset": 9},
            "replacement": "3"
          }
        ]
      },
      "objects": ["rack/r1"],
      "physics": false,
      "accepted": null,
      "in_baseline": false
    }
  ],
  "summary": {
    "errors": 1,
    "warnings": 0,
    "notes": 0,
    "accepted": 0,
    "in_baseline": 0
  }
}
)");
}

// Blanks and line ends outside of strings taken out, so that a test may look for a piece of JSON.
std::string packed(std::string_view json) {
  std::string out;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '"' && (i == 0 || json[i - 1] != '\\')) in_string = !in_string;
    if (in_string || (json[i] != ' ' && json[i] != '\n')) out += json[i];
  }
  return out;
}

TEST(RenderSarif, CarriesRulesFixesRelatedPlacesAndSuppressions) {
  Fixture f("a: 1\nb: 2\n", "my specs/lab.yaml");
  const RuleText rules[] = {{.id = "unused-rule",
                             .code = "X-1",
                             .summary = "s",
                             .explanation = "e",
                             .help_uri = "",
                             .severity = Severity::warning},
                            {.id = "power-x",
                             .code = "PWR-1",
                             .summary = "power",
                             .explanation = "why",
                             .help_uri = "https://example.org/power-x"}};
  f.findings.error("power-x", f.at("2"), "m")
      .label("l")
      .note(f.at("1"), "n")
      .object("rack/r1")
      .fixed_by("t", {{f.at("2"), "3"}});
  f.findings.warning("spec-y", f.at("1"), "w").accepted = "known";
  const std::string sarif = packed(render_sarif(f.findings, f.sources, rules));
  const auto has = [&](std::string_view piece) {
    EXPECT_NE(sarif.find(piece), std::string::npos) << piece << "\nin " << sarif;
  };
  has(R"("version":"2.1.0")");
  has(R"({"id":"power-x","shortDescription":{"text":"power"},"fullDescription":{"text":"why"},"help":{"text":"why"},"helpUri":"https://example.org/power-x","defaultConfiguration":{"level":"error"},"properties":{"code":"PWR-1"}},{"id":"spec-y"})");
  EXPECT_EQ(sarif.find("unused-rule"), std::string::npos) << "a rule without a result has no descriptor";
  has(R"("ruleId":"power-x","ruleIndex":0,"level":"error","message":{"text":"m: l"})");
  has(R"("ruleId":"spec-y","ruleIndex":1,"level":"warning")");
  has(R"("artifactLocation":{"uri":"my%20specs/lab.yaml"})");
  has(R"("region":{"startLine":2,"startColumn":4,"endLine":2,"endColumn":5,"byteOffset":8,"byteLength":1,"snippet":{"text":"b: 2"}})");
  has(R"("logicalLocations":[{"fullyQualifiedName":"rack/r1"}])");
  has(R"("relatedLocations":[{"id":1,"message":{"text":"n"})");
  has(R"("replacements":[{"deletedRegion":{"startLine":2,"startColumn":4,"endLine":2,"endColumn":5,"byteOffset":8,"byteLength":1},"insertedContent":{"text":"3"}}])");
  has(R"("suppressions":[{"kind":"inSource","justification":"known"}])");
}

TEST(RenderJunit, FailsOnErrorsOnly) {
  Fixture f("a: 1\n");
  f.sources.add("other.yaml", "b: 2\n");
  f.findings.error("x", f.at("1"), "a < b & \"c\"");
  f.findings.error("y", f.at("1"), "m").accepted = "known";
  f.findings.warning("z", f.at("a"), "w");
  EXPECT_EQ(render_junit(f.findings, f.sources), R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="clusterc">
  <testsuite name="lab.yaml" tests="3" failures="1" errors="0" skipped="1">
    <testcase name="x at 1:4" classname="lab.yaml" file="lab.yaml" line="1">
      <failure type="x" message="a &lt; b &amp; &quot;c&quot;">lab.yaml:1:4: error: a &lt; b &amp; &quot;c&quot; [x]
    1 | a: 1
      |    ^
</failure>
    </testcase>
    <testcase name="y at 1:4" classname="lab.yaml" file="lab.yaml" line="1">
      <skipped message="accepted: known"/>
    </testcase>
    <testcase name="z at 1:1" classname="lab.yaml" file="lab.yaml" line="1">
      <system-out>lab.yaml:1:1: warning: w [z]
    1 | a: 1
      | ^
</system-out>
    </testcase>
  </testsuite>
  <testsuite name="other.yaml" tests="1" failures="0" errors="0" skipped="0">
    <testcase name="no findings" classname="other.yaml"/>
  </testsuite>
</testsuites>
)");
}

}  // namespace
}  // namespace clusterc
