// Round trips: what other programs read from the text is what was given to the writer.
#include "write/writers.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "base/json_writer.h"
#include "base/subprocess.h"
#include "skipping.h"

namespace clusterc {
namespace {

// Each is a trap of some reader.
const std::vector<std::string> kHostile = {"",
                                           " ",
                                           "a",
                                           "a b",
                                           " a",
                                           "a ",
                                           "no",
                                           "No",
                                           "on",
                                           "y",
                                           "null",
                                           "~",
                                           "true",
                                           "010",
                                           "0x1f",
                                           "1e3",
                                           "1:30",
                                           "2026-01-01",
                                           "1_000",
                                           ".5",
                                           "-",
                                           "- a",
                                           "---",
                                           "...",
                                           "a: b",
                                           "a:b",
                                           "a #b",
                                           "#a",
                                           "a'b",
                                           "a\"b",
                                           "a\\b",
                                           "a\\nb",
                                           "{a}",
                                           "[a]",
                                           "*a",
                                           "&a",
                                           "!a",
                                           "|",
                                           ">",
                                           "%a",
                                           "@a",
                                           "`a",
                                           "<<",
                                           "=",
                                           "?",
                                           "? a",
                                           "a,b",
                                           "$HOME",
                                           "$(id)",
                                           "`id`",
                                           "a;b",
                                           "a|b",
                                           "a&b",
                                           "*",
                                           "~root",
                                           "!!",
                                           "a\tb",
                                           "a\nb",
                                           "a\nb\n",
                                           "a\nb\n\n",
                                           "\na",
                                           " a\nb",
                                           "a\n b\n",
                                           "a\n\n\nb",
                                           "\n",
                                           "\n\n",
                                           "a\rb",
                                           "a\r\nb",
                                           "tr\u00e4ge \u2013 \u65e5\u672c",
                                           "\u2028x",
                                           "x\u0085y",
                                           "\ufeffbom",
                                           "\x1b[0m",
                                           "\x7f",
                                           "gpu[001-127]",
                                           "10.0.0.1/16",
                                           "02:00:0a:00:00:01",
                                           "C:\\x",
                                           "a\n# no comment\n---\nb\n",
                                           "\tx\ny",
                                           "=1+1",
                                           "a\n  \nb",
                                           "x\n\ty\n",
                                           "..",
                                           "_",
                                           "1",
                                           "-1",
                                           "+1",
                                           "12e03",
                                           "NaN",
                                           ".nan",
                                           ".inf",
                                           "0o17",
                                           "1.2.3",
                                           "a=b",
                                           "a%b",
                                           "\\",
                                           "'",
                                           "\"",
                                           "''"};

std::string json(const std::vector<std::string>& items) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_array();
  for (const auto& item : items) writer.value(item);
  writer.end_array();
  return out;
}

// Runs a Python program on `input`; it prints nothing when it is content.
void python(const std::string& program, const std::string& input, const std::vector<std::string>& expected) {
  const auto result =
      run({.argv = {"python3", "-c",
                    "import sys, json\ntext = sys.stdin.buffer.read().decode()\nexpected = json.loads(sys.argv[1])\n" +
                        program +
                        "\nfor e, f in zip(expected, found):\n  if e != f: print('expected %r, found %r' % (e, f))\n"
                        "if len(expected) != len(found): print(len(expected), 'expected,', len(found), 'found')",
                    json(expected)},
           .input = input});
  if (result.err.find("No module named 'yaml'") != std::string::npos) CLUSTERC_MISSING("python3-yaml is not installed");
  EXPECT_EQ(result.out + result.err, "") << input;
  EXPECT_TRUE(result.ok()) << result.reason;
}

TEST(YamlWriter, Layout) {
  std::string out;
  YamlWriter yaml(out);
  yaml.comment("made by a test\nof two lines").begin_map();
  yaml.field("name", "aurora").field("version", "24.10").field("nodes", 127).field("ratio", 0.5).field("open", false);
  yaml.map("empty").end_map().list("none").end_list();
  yaml.map("network").comment("inside").field("kind", "no").map("deep").field("a", 1).end_map().end_map();
  yaml.list("files")
      .begin_map()
      .field("path", "/etc/x")
      .field("content", "one\ntwo\n")
      .end_map()
      .value("b c")
      .begin_list()
      .value(1)
      .value(2)
      .end_list()
      .begin_map()
      .end_map()
      .end_list();
  yaml.key("list").flow({"a", "b c"}).key("nothing").null();
  yaml.end_map();
  EXPECT_EQ(out,
            "# made by a test\n# of two lines\nname: aurora\nversion: \"24.10\"\nnodes: 127\nratio: 0.5\nopen: "
            "false\nempty: {}\nnone: []\n"
            "network:\n  # inside\n  kind: \"no\"\n  deep:\n    a: 1\nfiles:\n  - path: /etc/x\n    content: |\n      "
            "one\n      two\n  - \"b c\"\n"
            "  - - 1\n    - 2\n  - {}\nlist: [a, \"b c\"]\nnothing: null\n");
}

TEST(YamlWriter, WrongUse) {
  std::string out;
  EXPECT_THROW(YamlWriter(out).value("a"), std::logic_error);
  EXPECT_THROW(YamlWriter(out).begin_map().value("a"), std::logic_error);
  EXPECT_THROW(YamlWriter(out).begin_map().key("a").key("b"), std::logic_error);
  EXPECT_THROW(YamlWriter(out).begin_map().end_list(), std::logic_error);
  EXPECT_THROW(YamlWriter(out).begin_list().key("a"), std::logic_error);
}

// PyYAML reads YAML 1.1, as Ansible, cloud-init and netplan do.
TEST(YamlWriter, PyYamlReadsWhatWasGiven) {
  std::string out;
  YamlWriter yaml(out);
  yaml.begin_map().list("values");
  for (const auto& text : kHostile) yaml.value(text);
  yaml.end_list().list("maps");
  for (const auto& text : kHostile) yaml.begin_map().field("first", text).field("second", "x").end_map();
  yaml.end_list().map("keys");
  for (const auto& text : kHostile) yaml.field(text, text);
  yaml.end_map().key("flow").flow(kHostile).field("after", "end").end_map();
  python(
      "import yaml\nd = yaml.safe_load(text)\nassert d['after'] == 'end'\nassert all(m['second'] == 'x' for m in "
      "d['maps'])\n"
      "assert list(d['keys']) == list(d['keys'].values()) == expected\nassert d['flow'] == expected\n"
      "assert [m['first'] for m in d['maps']] == expected\nfound = d['values']",
      out, kHostile);
}

TEST(YamlWriter, Numbers) {
  std::string out;
  YamlWriter yaml(out);
  yaml.begin_list()
      .value(std::numeric_limits<std::int64_t>::min())
      .value(std::numeric_limits<std::uint64_t>::max())
      .value(0.1)
      .value(1e300);
  yaml.value(std::numeric_limits<double>::infinity()).value(true).end_list();
  EXPECT_EQ(out, "- -9223372036854775808\n- 18446744073709551615\n- 0.1\n- 1e+300\n- .inf\n- true\n");
}

TEST(ShellWriter, TheShellReadsWhatWasGiven) {
  std::string out;
  ShellWriter shell(out);
  shell.comment("a test\nrm -rf is not run");
  for (const auto& text : kHostile) {
    shell.assign("VALUE", text);
    out += "printf '%s\\0' \"$VALUE\"\n";
    shell.command({"printf", "%s\\0", text});
  }
  ASSERT_TRUE(shell.ok()) << shell.error();
  std::string expected;
  for (const auto& text : kHostile) (expected += text + std::string(1, '\0')) += text + std::string(1, '\0');
  EXPECT_EQ(run({.argv = {"sh"}, .input = out}).out, expected);
}

TEST(ShellWriter, Refuses) {
  std::string out;
  ShellWriter shell(out);
  shell.assign("A B", "x");
  EXPECT_EQ(shell.error(), "the value of 'A B' cannot have a name like this: 'A B'");
  EXPECT_EQ(out, "");
  EXPECT_FALSE(ShellWriter(out).assign("A", std::string_view("a\0b", 3)).ok());
  EXPECT_TRUE(ShellWriter(out).export_("A", "a b").command({"X=1", "y"}).ok());
  EXPECT_EQ(out, "export A='a b'\n'X=1' y\n");
}

TEST(CsvWriter, PythonReadsWhatWasGiven) {
  std::string out;
  CsvWriter csv(out);
  for (const auto& text : kHostile) csv.cell(text).cell(1).cell(text).end_row();
  python(
      "import csv, io\nrows = list(csv.reader(io.StringIO(text, newline='')))\nassert all(r[1] == '1' and r[0] == r[2] "
      "for r in rows)\n"
      "found = [r[0] for r in rows]",
      out, kHostile);
  out.clear();
  CsvWriter(out).row({"a", "b,c", "d\"e"});
  EXPECT_EQ(out, "a,\"b,c\",\"d\"\"e\"\n");
}

TEST(SheetWriter, NoCellIsAFormulaOrALineOfItsOwn) {
  std::string out;
  SheetWriter(out)
      .row({"=1+1", "+a", "-a", "@a", " =a",
            "\xef\xbc\x9d"
            "1",
            "\t=a"})
      .row({"-1.5", "-", "+2e3", "n[1-4]", "a=b", ""});
  SheetWriter(out).row({"a\n=b,c", "::d", "a \"b\""});
  EXPECT_EQ(out,
            "'=1+1,'+a,'-a,'@a,' =a,'\xef\xbc\x9d"
            "1,' =a\n-1.5,-,+2e3,n[1-4],a=b,\n\"a =b,c\",\\::d,\"a \"\"b\"\"\"\n");
}

TEST(IniWriter, PythonReadsWhatWasGivenOrItWasRefused) {
  std::string out;
  IniWriter(out).section("s");
  std::vector<std::string> accepted;
  for (const auto& text : kHostile) {
    IniWriter one(out);
    one.field("k" + std::to_string(accepted.size()), text);
    if (one.ok())
      accepted.push_back(text);
    else
      EXPECT_NE(one.error().find("the value of 'k"), std::string::npos);
  }
  EXPECT_GT(accepted.size(), 50u);
  for (const char* text : {"a\nb", " a", "a #b", "#a", "\"", "a\\b\\"}) {
    IniWriter one(out);
    EXPECT_FALSE(one.field("k", text).ok()) << text;
  }
  python(
      "import configparser\nc = configparser.RawConfigParser(inline_comment_prefixes=('#', ';'), "
      "delimiters=('=',))\nc.read_string(text)\n"
      "found = list(c['s'].values())",
      out, accepted);
}

TEST(IniWriter, Layout) {
  std::string out;
  IniWriter ini(out);
  ini.comment("made by a test")
      .section("Unit")
      .field("After", "network.target")
      .section("Service")
      .field("Restart", true)
      .line("bare");
  EXPECT_EQ(out, "# made by a test\n[Unit]\nAfter=network.target\n\n[Service]\nRestart=true\nbare\n");
  EXPECT_FALSE(ini.section("a]b").ok());
}

TEST(KeyValueWriter, Lines) {
  std::string out;
  KeyValueWriter kv(out);
  kv.comment("made by a test").line("ClusterName", "aurora").blank();
  kv.pair("NodeName", "gpu[001-127]")
      .pair("CPUs", 112)
      .pair("Gres", "gpu:h100:8")
      .pair("Reason", "not yet there")
      .end_line();
  kv.line("TRESBillingWeights", "CPU=1.0,Mem=0.25G");
  EXPECT_TRUE(kv.ok());
  EXPECT_EQ(out,
            "# made by a test\nClusterName=aurora\n\nNodeName=gpu[001-127] CPUs=112 Gres=gpu:h100:8 Reason=\"not yet "
            "there\"\n"
            "TRESBillingWeights=CPU=1.0,Mem=0.25G\n");
  for (const char* text : {"a\nb", "a\"b", "a#b", "a\\b"})
    EXPECT_FALSE(KeyValueWriter(out).pair("A", text).ok()) << text;
  EXPECT_FALSE(KeyValueWriter(out).pair("A B", "x").ok());
}

}  // namespace
}  // namespace clusterc
