#include "fields/show.h"

#include "base/json_writer.h"
#include "fields/schema.h"
#include "unit/fields/sample.h"

namespace clusterc {
namespace {

TEST(ShowYaml, SaysWhereEachValueComesFrom) {
  auto r = read_sample(
      "title: \"a: b\"\naltitude: unknown\ncapacity: { unknown: \"not asked\" }\nracks: main\nleaves: [ { count: 1 } "
      "]\nnamed: { \"x y\": { count: 2, power: 700 W } }\n");
  ASSERT_TRUE(r->ok) << r->messages();
  r->sample.share = Value<double>::derived(0.75, "3 of 4\nhalls");
  r->sample.rate = Value<BitsPerSecond>(BitsPerSecond(4e11), {}, Origin::catalog);
  r->sample.rate.source = "data sheet";
  r->sample.rate.confirmed = false;
  EXPECT_EQ(show_yaml(r->sample), R"(title: "a: b"
share: 0.75   # derived: 3 of 4 halls
altitude: unknown
capacity: { unknown: not asked }
rate: 400 Gb/s   # catalogue: data sheet (unconfirmed)
colour: green   # default: calm
racks: [main]
leaves:
  -
    count: 1
    power: 1.5 kW   # default: the usual one
named:
  x y:
    count: 2
    power: 700 W
always:
  power: 1.5 kW   # default: the usual one
)");
}

TEST(ShowYaml, AwkwardTextReadsBack) {
  for (const char* text : {"",
                           "unknown",
                           "null",
                           "~",
                           "no",
                           "- x",
                           "a # b",
                           "a: b",
                           " lead",
                           "trail ",
                           "tab\tinside",
                           "two\nlines",
                           "quote\"back\\slash",
                           "ümläut",
                           "*star",
                           "&and",
                           "!tag",
                           "[x]",
                           "{x}",
                           "a, b",
                           "@at",
                           "%percent",
                           "`tick",
                           "?",
                           "...",
                           "---",
                           "0x10",
                           "1e3",
                           "#hash",
                           "x:",
                           "'single'",
                           "a  b",
                           "."}) {
    Sample sample;
    sample.title = Value<std::string>(text, {}, Origin::spec);
    sample.always.count = Value<std::int64_t>(1, {}, Origin::spec);
    sample.racks.emplace_back(text, SourceSpan{}, Origin::spec);
    const std::string yaml = show_yaml(sample);
    const auto back = read_sample(yaml);
    ASSERT_TRUE(back->ok) << yaml << back->messages();
    EXPECT_EQ(*back->sample.title, text) << yaml;
    ASSERT_EQ(back->sample.racks.size(), 1u) << yaml;
    EXPECT_EQ(*back->sample.racks[0], text) << yaml;
  }
}

TEST(ShowYaml, NumbersReadBackToTheLastBit) {
  for (const double watts : {0.1, 1.0 / 3, 10200.0, 1e-9, 123456789.123456789, 4e11 / 3}) {
    Sample sample;
    sample.title = Value<std::string>("x", {}, Origin::spec);
    sample.always.count = Value<std::int64_t>(1, {}, Origin::spec);
    sample.always.power = Value<Watts>(Watts(watts), {}, Origin::spec);
    const auto back = read_sample(show_yaml(sample));
    ASSERT_TRUE(back->ok) << back->messages();
    EXPECT_EQ(back->sample.always.power->value, watts);
  }
}

// 400 V x 32 A x sqrt(3) = 22,170.25 VA: people read four digits beside the formula, programs all of them.
TEST(ShowYaml, DerivedQuantitiesAreRoundedForPeopleOnly) {
  Sample sample;
  sample.title = Value<std::string>("x", {}, Origin::spec);
  sample.always.count = Value<std::int64_t>(1, {}, Origin::spec);
  sample.always.power = Value<Watts>::derived(Watts(22170.25033688163), "a formula");
  EXPECT_NE(show_yaml(sample).find("  power: 22.17 kW   # derived: a formula\n"), std::string::npos)
      << show_yaml(sample);
  const std::string bare = show_yaml(sample, {.origins = false});
  EXPECT_NE(bare.find("  power: 22.17025033688163 kW\n"), std::string::npos) << bare;
  EXPECT_EQ(read_sample(bare)->sample.always.power->value, 22170.25033688163);
}

TEST(ShowJson, HasOriginSourceAndConfirmed) {
  auto r = read_sample("title: x\naltitude: unknown\nleaf: { count: 2 }\n");
  r->sample.racks.clear();
  r->sample.always.power = {};
  std::string json;
  JsonWriter writer(json);
  show_json(r->sample, writer);
  EXPECT_EQ(
      json,
      R"({"title":{"value":"x","origin":"spec","confirmed":true},"altitude":{"value":null,"unknown":true,"origin":"spec","confirmed":true},)"
      R"("colour":{"value":"green","origin":"default","source":"calm","confirmed":true},"leaf":{"count":{"value":2,"origin":"spec","confirmed":true},)"
      R"("power":{"value":"1.5 kW","si":1500,"origin":"default","source":"the usual one","confirmed":true}}})");
}

TEST(Reference, HasARowForEveryKey) {
  const std::string page = reference_page(type_of<Sample>(), "Sample", "About.");
  EXPECT_NE(page.find("| `count` | a whole number, 1 to 8 | required | how many |\n"), std::string::npos) << page;
  EXPECT_NE(page.find("| `colour` | `red`, `green`, `blue-green` | `green`: calm | its colour |\n"), std::string::npos)
      << page;
  EXPECT_NE(page.find("| `named` | names, each [leaf](#leaf) |  | leaves by name |\n"), std::string::npos) << page;
}

}  // namespace
}  // namespace clusterc
