#include "template/template.h"

#include <gtest/gtest.h>

#include "diag/source.h"

namespace clusterc {
namespace {

using Value = TemplateValue;

// What a template gives, or "error LINE:COLUMN: message" and the help.
struct Rendered {
  Sources sources;
  Findings findings;
  std::vector<std::pair<std::string, std::string>> others;  // what it may include
  TemplateLimits limits;

  static TemplateMap names() {
    const auto texts = [](std::vector<std::string> all) {
      std::vector<Value> items;
      for (std::string& t : all) items.push_back(Value::of(std::move(t)));
      return Value::list(std::make_shared<TemplateList>(std::move(items)));
    };
    Value rate = Value::of(std::string("400 Gb/s"));
    rate.si = 400e9, rate.dimension = Dimension::bit_rate;
    Value slow = Value::of(std::string("25 Gb/s"));
    slow.si = 25e9, slow.dimension = Dimension::bit_rate;
    Value cuda = Value::of(std::string("13.0"));
    cuda.version = true;
    Value no_version = Value::absent("nobody set it");
    no_version.version = true;
    Value no_rate = Value::absent("nobody set it");
    no_rate.sized = true, no_rate.dimension = Dimension::bit_rate;
    Value unset = texts({});
    unset.unset = true;
    return TemplateMap({{"name", Value::of(std::string("lab"))},
                        {"evil", Value::of(std::string("a\"; $(rm -rf /)\n#"))},
                        {"count", Value::of(std::int64_t{4})},
                        {"share", Value::of(0.25)},
                        {"yes", Value::of(true)},
                        {"rate", rate},
                        {"slow", slow},
                        {"list", texts({"a", "b", "c"})},
                        {"none", texts({})},
                        {"cuda", cuda},
                        {"unset", unset},
                        {"no_version", no_version},
                        {"no_rate", no_rate},
                        {"maps", Value::list(std::make_shared<TemplateList>(std::vector{Value::map(
                                     std::make_shared<TemplateMap>(std::vector<std::pair<std::string, Value>>{}))}))},
                        {"group", Value::map(std::make_shared<TemplateMap>(
                                      std::vector<std::pair<std::string, Value>>{{"nodes", Value::of(std::int64_t{8})},
                                                                                 {"cuda", Value::absent("")}},
                                      true))},
                        {"groups", Value::map(std::make_shared<TemplateMap>(std::vector<std::pair<std::string, Value>>{
                                       {"gpu", Value::of(std::int64_t{8})}, {"my-cpu", Value::of(std::int64_t{2})}}))},
                        {"compiled", Value::of(std::string("one\ntwo = \"2\"\n"), true)}});
  }

  std::string operator()(std::string text) {
    const FileId file = sources.add("x.tmpl", std::move(text));
    std::vector<std::pair<std::string, std::shared_ptr<const Template>>> parsed;
    const auto t = Template::parse(sources, file, findings);
    std::string out;
    if (t) {
      for (auto& [name, other] : others)
        parsed.emplace_back(name, Template::parse(sources, sources.add(name, other), findings));
      parsed.emplace_back("x.tmpl", t);
      t->render(
          names(),
          [&](std::string_view name) -> const Template* {
            for (const auto& [known, other] : parsed)
              if (known == name) return other.get();
            return nullptr;
          },
          out, findings, limits);
    }
    if (findings.empty()) return out;
    const Finding& f = findings.all().front();
    EXPECT_EQ(findings.all().size(), 1u);
    const LineColumn at = sources.position(f.span.file, f.span.begin);
    return "error " + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + f.message +
           (f.helps.empty() ? "" : "; " + f.helps.front().message);
  }
};

std::string render(std::string text) { return Rendered()(std::move(text)); }

TEST(Template, ValuesAndFilters) {
  EXPECT_EQ(render("cluster={{ name }} n={{ count }} s={{ share }} y={{ yes }} r={{ rate }}\n"),
            "cluster=lab n=4 s=0.25 y=true r=400 Gb/s\n");
  EXPECT_EQ(render("{{ list | join(\",\") }} {{ list | length }} {{ list | first }}{{ list | last }}{{ list[1] }}{{ "
                   "list[-1] }}"),
            "a,b,c 3 acbc");
  EXPECT_EQ(render("{{ rate | si }} {{ name | upper }} {{ 'ABC' | lower }} [{{ '  x ' | trim }}]"),
            "400000000000 LAB abc [x]");
  EXPECT_EQ(
      render(
          "{{ group.nodes }} {{ groups.gpu }} {{ groups[\"my-cpu\"] }} {{ groups['gp' | safe | replace('p', 'pu')] }}"),
      "8 8 2 8");
  EXPECT_EQ(render("{{ group.cuda | default(\"12.9\") }} {{ groups.tpu | default(0) }}"), "12.9 0");
  EXPECT_EQ(render("{{ list | tojson }} {{ groups | tojson }} {{ group | tojson }} {{ rate | tojson }}"),
            "[\"a\",\"b\",\"c\"] {\"gpu\":8,\"my-cpu\":2} {\"nodes\":8} \"400 Gb/s\"");
  EXPECT_EQ(render("{{ -3 }} {{ 1.5 }} {{ 'a\\n\\'b' }}"), "-3 1.5 a\n'b");
}

// What the spec says may hold anything; nothing of it stands unquoted in a file.
TEST(Template, NothingStandsUnquoted) {
  EXPECT_EQ(
      render("x={{ evil }}"),
      "error 1:6: 'a\"; $(rm -rf /) #' has signs that mean something in configuration files, and is not quoted; | "
      "tojson (JSON, YAML and most others), | quote (a word for a shell); | safe where the file takes it as it is");
  EXPECT_EQ(render("x={{ evil | tojson }}"), "x=\"a\\\"; $(rm -rf /)\\n#\"");
  EXPECT_EQ(render("x={{ evil | quote }}"), "x='a\"; $(rm -rf /)\n#'");
  EXPECT_EQ(render("x={{ evil | safe }}"), "x=a\"; $(rm -rf /)\n#");
  // Neither a list nor a replacement hides it.
  EXPECT_EQ(render("{{ [name, evil] | join(',') }}").substr(0, 33), "error 1:4: 'a\"; $(rm -rf /) #' ha");
  EXPECT_EQ(render("{{ compiled | replace('one', evil) }}").substr(0, 16), "error 1:30: 'a\";");
  EXPECT_EQ(render("{{ evil | upper }}").substr(0, 11), "error 1:4: ");
  EXPECT_EQ(render("{{ evil | trim }}").substr(0, 11), "error 1:4: ");
  EXPECT_EQ(render("{% for line in evil | lines %}{{ line }}{% endfor %}").substr(0, 12), "error 1:34: ");
  // What was quoted and then changed is quoted no more.
  for (const char* changed :
       {"evil | quote | lines | first", "evil | tojson | upper", "evil | quote | replace(\"'\", \"\")",
        "(evil | quote) | trim", "[evil | quote] | join('') | lower"})
    EXPECT_EQ(render("{{ " + std::string(changed) + " }}").substr(0, 9), "error 1:4") << changed;
  EXPECT_EQ(render("{{ evil | upper | quote }}"), "'A\"; $(RM -RF /)\n#'");
  // What the author wrote, and the compiled file, is theirs.
  EXPECT_EQ(render("{{ \"{a: [b]}\" }} {{ compiled }}"), "{a: [b]} one\ntwo = \"2\"\n");
}

// 50 Gb/s is less than 100 Gb/s, 9.0 before 13.0, whatever their letters say.
TEST(Template, QuantitiesAndVersionsAreComparedBySize) {
  EXPECT_EQ(
      render(
          "{% if rate >= '50 Gb/s' and rate == '0.4 Tb/s' and '500 Gb/s' > rate and slow < '0.1 Tb/s' %}ok{% endif %}"),
      "ok");
  EXPECT_EQ(render("{% if cuda >= '9.0' and cuda == 13 and cuda == '13' and cuda < '13.0.1' and cuda > 12.9 and '9' < "
                   "cuda %}ok{% endif %}"),
            "ok");
  EXPECT_EQ(render("{% if rate in ['400000 Mb/s'] and cuda in ['13.0.0'] and '13' in [cuda] and slow not in ['2.5 "
                   "Gb/s'] %}ok{% endif %}"),
            "ok");
}

// What stands for a value that nobody set is compared as that value would be.
TEST(Template, DefaultsHaveTheKindOfWhatIsMissing) {
  EXPECT_EQ(
      render(
          "{% if no_version | default('9.0') < '12.0' and no_rate | default('50 Gb/s') < '400 Gb/s' %}ok{% endif %}"),
      "ok");
  EXPECT_EQ(render("{{ no_rate | default('fast') }}").substr(0, 10), "error 1:4:");
  EXPECT_EQ(render("{% if cuda >= 'x' %}{% endif %}"),
            "error 1:7: 'x' is no version that could be compared with another");
  EXPECT_EQ(render("{{ compiled | replace('one', 'two') | replace('two', '2') }}"), "2\n2 = \"2\"\n");
}

// A list that nobody wrote is empty, and not defined.
TEST(Template, ListsThatNobodyWrote) {
  EXPECT_EQ(render("{% for x in unset %}x{% endfor %}{{ unset | length }}{% if unset is defined %}no{% endif %}{% if "
                   "none is defined %}yes{% endif %}{% for x in unset | default(['d']) %}{{ x }}{% endfor %}"),
            "0yesd");
}

TEST(Template, TagsAndLines) {
  EXPECT_EQ(render("a\n  {% if count > 3 and not none %}\nb\n  {% elif yes %}\nc\n  {% else %}\nd\n  {% endif %}\ne\n"),
            "a\nb\ne\n");
  EXPECT_EQ(render("{% if none %}a{% elif count == 4 %}b{% else %}c{% endif %}"), "b");
  EXPECT_EQ(render("{% if name in ['lab', 'x'] %}1{% endif %}{% if 'gpu' in groups %}2{% endif %}{% if 'wo =' in "
                   "compiled %}3{% endif %}{% if 4 not in list %}4{% endif %}{% if 4 in [4, 'x'] %}5{% endif %}"),
            "12345");
  EXPECT_EQ(render("{% for x in list %}\n{{ loop.index }}/{{ loop.length }} {{ x }}{% if not loop.last %},{% endif "
                   "%}\n\n{% endfor %}\n"),
            "1/3 a,\n2/3 b,\n3/3 c\n");
  EXPECT_EQ(render("{% for k, v in groups | items %}{{ k }}={{ v }} {% endfor %}{% for x in none %}{{ x }}{% else "
                   "%}empty{% endfor %}"),
            "gpu=8 my-cpu=2 empty");
  EXPECT_EQ(render("{% for x in list %}{% for x in ['z'] %}{{ x }}{% endfor %}{{ x }}{% endfor %}"), "zazbzc");
  EXPECT_EQ(render("a {#- gone -#} b {# gone #}\nc"), "ab c");
  EXPECT_EQ(render("a  {%- if yes -%}  b  {%- endif +%}\nc"), "ab\nc");
  EXPECT_EQ(render("  {%+ if yes %}b{% endif %}\n"), "  b");
  EXPECT_EQ(render("{% raw %}{{ item.name }} {% if %}{% endraw %}!"), "{{ item.name }} {% if %}!");
  EXPECT_EQ(render("{% for line in compiled | lines %}[{{ line }}]{% endfor %}"), "[one][two = \"2\"]");
  EXPECT_EQ(render("{% if rate > slow and slow < rate and rate | si == 400000000000 and group.cuda is not defined and "
                   "group.nodes is defined %}ok{% endif %}"),
            "ok");
  EXPECT_EQ(render("{% if yes or group.nope %}short{% endif %}"), "short");  // what decides nothing is not asked
}

TEST(Template, Includes) {
  Rendered r;
  r.others = {{"parts/head", "# {{ name }} {{ x }}\n"}};
  EXPECT_EQ(r("{% for x in list %}{% include \"parts/head\" %}{% endfor %}end\n"), "# lab a\n# lab b\n# lab c\nend\n");
  EXPECT_EQ(render("\n{% include \"parts/tail\" %}"),
            "error 2:12: there is no file 'parts/tail' in the folder of templates; name it as seen from that folder");
  EXPECT_EQ(render("{% include \"x.tmpl\" %}"),
            "error 1:12: files include each other more than 16 deep; one of them includes itself");
  Rendered wrong;  // what is wrong in it stands there
  wrong.others = {{"part", "\n{{ nmae }}"}};
  EXPECT_EQ(wrong("{% include 'part' %}"), "error 2:4: nothing is called 'nmae'; did you mean 'name'?");
}

TEST(Template, SaysWhereAndWhy) {
  EXPECT_EQ(render("a\nb {{ nmae }}"), "error 2:6: nothing is called 'nmae'; did you mean 'name'?");
  EXPECT_EQ(render("{{ group.noeds }}"), "error 1:4: there is no 'noeds' here; did you mean 'nodes'?");
  EXPECT_EQ(render("{% if group.noeds is defined %}{% endif %}"),
            "error 1:7: there is no 'noeds' here; did you mean 'nodes'?");  // a key that nothing can define
  EXPECT_EQ(render("{% if groups.tpu is defined %}{% else %}no{% endif %}"), "no");
  EXPECT_EQ(
      render("{{ groups.gpi }}"),
      "error 1:4: there is no 'gpi' here; did you mean 'gpu'?; if it may be missing, write {% if … is defined %}, "
      "or | default(\"…\")");
  EXPECT_EQ(render("{{ group.cuda }}"),
            "error 1:4: 'cuda' has no value; if it may be missing, write {% if … is defined %}, or | default(\"…\")");
  EXPECT_EQ(render("{{ list }}"),
            "error 1:4: this is a list, and no text; | join(\",\") makes one text of it, | tojson a list in brackets");
  EXPECT_EQ(render("{{ name | uper }}"), "error 1:11: there is no filter 'uper'; did you mean 'upper'?");
  EXPECT_EQ(render("{{ name | join }}"), "error 1:11: the filter 'join' takes 1 argument, not 0");
  EXPECT_EQ(render("{{ name.upper() }}"),
            "error 1:14: nothing can be called here; filters follow |: tojson, quote, safe, default, join, "
            "replace, items, length, first, last, lower, upper, trim, lines, si");
  EXPECT_EQ(render("{{ compiled | replace(\"three\", \"3\") }}"),
            "error 1:23: the text has no 'three' that could be replaced; compile without this template, and look at "
            "the file");
  EXPECT_EQ(render("{% fr x in list %}"), "error 1:4: there is no tag 'fr'; did you mean 'for'?");
  EXPECT_EQ(render("{% set x = 1 %}").substr(0, 30), "error 1:4: there is no tag 'se");
  EXPECT_EQ(render("x\n {% if yes %}\n{% for a in list %}{% endfor %}"),
            "error 2:2: the block that begins here has no end; write {% endif %} at its end");
  EXPECT_EQ(render("{% endfor %}"), "error 1:4: nothing is open that 'endfor' could belong to");
  EXPECT_EQ(render("a {{ name "), "error 1:3: the tag that begins here has no end; write }} at its end");
  EXPECT_EQ(render("a {{ 'x }}"),
            "error 1:6: the text that begins here has no end; write ' at its end, on the same line; \\n is a line end");
  EXPECT_EQ(render("{{ name name }}"), "error 1:9: 'name' was not expected here; a tag ends with }}");
  EXPECT_EQ(render("{# x"), "error 1:1: the comment that begins here has no end; write #} at its end");
  EXPECT_EQ(render("{% raw %}x"), "error 1:1: the block that begins here has no end; write {% endraw %} at its end");
  EXPECT_EQ(render("{% if rate > 5 %}{% endif %}"),
            "error 1:7: '5' is no quantity of the kind that it is compared with; write it with its unit, \"50 Gb/s\"; "
            "| si gives a quantity as the number of its SI unit");
  EXPECT_EQ(render("{% if rate > '5 kW' %}{% endif %}").substr(0, 70),
            "error 1:7: '5 kW' is no quantity of the kind that it is compared with;");
  EXPECT_EQ(render("{% if 'a' in maps %}{% endif %}"),
            "error 1:7: the items of this list are maps: nothing is found among them; {% for item in … %} goes through "
            "them, {% if item.… == … %} asks for one");
  EXPECT_EQ(render("{% if yes %}{% endfor %}"),
            "error 1:16: 'endfor' stands where the block that is open wants elif, else, endif");
  EXPECT_EQ(render("{{ $labels.instance }}"),
            "error 1:4: a value is missing here; braces that the file itself has stand between {% raw %} and {% endraw "
            "%}; a file without .tmpl is taken as it is");
  EXPECT_EQ(render("{{ 1 < 2 < 3 }}"), "error 1:10: two comparisons follow each other; join them with 'and'");
  EXPECT_EQ(
      render("{{ list[3] }}"),
      "error 1:4: there is no item 3 in a list of 3, which are counted from 0; if it may be missing, write {% if … "
      "is defined %}, or | default(\"…\")");
  EXPECT_EQ(render("{{ 99999999999999999999 }}"), "error 1:4: this number is too large");
  EXPECT_EQ(render("{{ \"\\x\" }}").substr(0, 43), "error 1:5: this backslash means nothing; \\n");
  EXPECT_EQ(render("{% for k in groups %}{% endfor %}"),
            "error 1:13: this is a map; {% for key, value in … | items %} goes through it");
  EXPECT_EQ(render("{% for a, b in list %}{% endfor %}"),
            "error 1:16: the loop has two names, and its items are no pairs; {% for key, value in … | items %} goes "
            "through a map");
}

TEST(Template, Bounds) {
  Rendered steps;
  steps.limits.steps = 1000;
  EXPECT_EQ(steps("{% for a in list %}{% for b in list %}{% for c in list %}{% for d in list %}{% for e in list %}{% "
                  "for f in list %}x{% endfor %}{% endfor %}{% endfor %}{% endfor %}{% endfor %}{% endfor %}")
                .substr(12),
            "the template takes more than 1000 steps; look for loops in loops over many nodes");
  Rendered bytes;
  bytes.limits.bytes = std::size_t{1} << 20;
  std::string doubling = "{{ compiled";
  for (int i = 0; i < 40; ++i) doubling += " | replace('o', 'oooo')";
  EXPECT_EQ(bytes(doubling + " }}").substr(0, 52), "error 1:4: the template gives more than 1 MiB");
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "{% if yes %}";
  EXPECT_EQ(render(deep).substr(0, 70), "error 1:757: blocks lie more than 64 deep in each other; take inner on");
  EXPECT_EQ(render("{{ " + std::string(100'000, '(') + "1").substr(0, 58),
            "error 1:68: more than 64 brackets lie in each other");
  EXPECT_EQ(render("{% if " + std::string(4, ' ') +
                   [] {
                     std::string s;
                     for (int i = 0; i < 100'000; ++i) s += "not ";
                     return s;
                   }() +
                   "yes %}{% endif %}")
                .substr(0, 60)
                .find("error 1:"),
            0u);
  std::string chain = "{{ name";
  for (int i = 0; i < 100'000; ++i) chain += " | lower";
  EXPECT_NE(render(chain + " }}").find("this expression is too long"), std::string::npos);
}

}  // namespace
}  // namespace clusterc
