#include "unit/fields/sample.h"

namespace clusterc {
namespace {

TEST(ReadFields, ReadsEveryShape) {
  const auto r = read_sample(R"(title: 24.10
enabled: true
share: 4/3
altitude: 120 m
capacity: 1.6 MVA
rate: 400 Gb/s
colour: blue-green
version: 24.10
leaf: { count: 2, power: 10.2 kW }
racks: main
numbers: [1, 0x10, 0o17]
leaves: [ { count: 1 }, { count: 3, power: 700 W } ]
named: { left: { count: 4 }, right: { count: 5 } }
drives: 2 x 1.92 TB nvme
always: { count: 8 }
)");
  ASSERT_TRUE(r->ok) << r->messages();
  EXPECT_EQ(r->ids(), "");
  const Sample& s = r->sample;
  EXPECT_EQ(*s.title, "24.10");  // text stays as it was written
  EXPECT_EQ(*s.enabled, true);
  EXPECT_DOUBLE_EQ(*s.share, 4.0 / 3);
  EXPECT_EQ(s.altitude->value, 120);
  EXPECT_EQ(s.capacity->value, 1.6e6);
  EXPECT_EQ(s.rate->value, 4e11);
  EXPECT_EQ(*s.colour, Colour::blue_green);
  EXPECT_EQ(s.version->text(), "24.10");
  EXPECT_EQ(s.leaf->power->value, 10200);
  ASSERT_EQ(s.racks.size(), 1u);
  EXPECT_EQ(*s.racks[0], "main");
  ASSERT_EQ(s.numbers.size(), 3u);
  EXPECT_EQ(*s.numbers[1], 16);
  EXPECT_EQ(*s.numbers[2], 15);
  EXPECT_EQ(s.leaves[1].power->value, 700);
  EXPECT_EQ(s.leaves[0].power->value, 1500);
  EXPECT_EQ(s.leaves[0].power.origin, Origin::standard);
  EXPECT_EQ(s.leaves[0].power.source, "the usual one");
  ASSERT_NE(s.named.find("right"), nullptr);
  EXPECT_EQ(*s.named.find("right")->value.count, 5);
  EXPECT_EQ(*s.drives->count, 2);
  EXPECT_EQ(s.drives->size->value, 1.92e12);
  EXPECT_EQ(s.drives->count.origin, Origin::spec);
  EXPECT_EQ(r->sources.text(s.altitude.span), "120 m");
  EXPECT_EQ(r->sources.text(s.named.find("right")->name_span), "right");
}

TEST(ReadFields, DefaultsSayWhy) {
  const auto r = read_sample("title: x\n");
  ASSERT_TRUE(r->ok) << r->messages();
  EXPECT_EQ(*r->sample.colour, Colour::green);
  EXPECT_EQ(r->sample.colour.origin, Origin::standard);
  EXPECT_EQ(r->sample.colour.source, "calm");
  ASSERT_EQ(r->sample.racks.size(), 2u);
  EXPECT_EQ(*r->sample.racks[1], "b");
  EXPECT_FALSE(r->sample.leaf);
  EXPECT_EQ(r->sample.always.power->value, 1500);  // a plain member has its defaults even when it is left out
  EXPECT_FALSE(r->sample.always.count);
  EXPECT_EQ(r->sample.altitude.origin, Origin::absent);
}

TEST(ReadFields, AllProblemsComeInOneRun) {
  const auto r = read_sample(R"(titel: x
enabled: yes
share: 3
altitude: 120
capacity: 30 kW
rate: 400 Gb
colour: gren
leaf: { power: 1 kW }
numbers: [010, 7, 101, 1.5]
nonsense_of_some_kind: 1
)");
  EXPECT_FALSE(r->ok);
  EXPECT_EQ(r->ids(),
            "spec-unknown-key@1:1 spec-wrong-type@2:10 spec-out-of-range@3:8 spec-missing-unit@4:11 "
            "spec-wrong-unit@5:11 spec-wrong-unit@6:7 "
            "spec-unknown-value@7:9 spec-missing-key@8:1 spec-wrong-type@9:11 spec-out-of-range@9:19 "
            "spec-wrong-type@9:24 spec-unknown-key@10:1")
      << r->messages();
}

TEST(ReadFields, FixesAreRight) {
  const auto r = read_sample("titel: x\nenabled: yes\ncolour: gren\nnumbers: [\"4\"]\n");
  EXPECT_EQ(r->findings.count(Severity::error), 4u) << r->messages();
  const std::string fixed = r->fixed();
  EXPECT_EQ(fixed, "title: x\nenabled: true\ncolour: green\nnumbers: [4]\n");
  EXPECT_EQ(read_sample(fixed)->ids(), "");
}

TEST(ReadFields, NoFixWhereTwoAreAsNear) {
  // One slip from 'leaf', two from 'leaves': told, and fixed only where nothing else is as near.
  const auto r = read_sample("title: x\nleavf: { count: 1 }\n");
  ASSERT_EQ(r->findings.all().size(), 1u);
  EXPECT_EQ(r->findings.all()[0].helps.at(0).message, "did you mean 'leaf'?");
  const auto taken = read_sample("title: x\ntitel: y\n");
  ASSERT_EQ(taken->findings.all().size(), 1u);
  EXPECT_FALSE(taken->findings.all()[0].fix);  // it would make a duplicate key
}

TEST(ReadFields, BareNumberNamesTheUnit) {
  const auto r = read_sample("title: x\naltitude: 120\n");
  ASSERT_EQ(r->ids(), "spec-missing-unit@2:11");
  EXPECT_NE(r->findings.all()[0].message.find("'altitude' has no unit: '120'"), std::string::npos) << r->messages();
  EXPECT_NE(r->findings.all()[0].helps.at(0).message.find("120 m"), std::string::npos);
}

TEST(ReadFields, KilowattsAreNotKilovoltamperes) {
  const auto r = read_sample("title: x\ncapacity: 30 kW\n");
  ASSERT_EQ(r->ids(), "spec-wrong-unit@2:11");
  EXPECT_NE(r->findings.all()[0].notes.at(0).message.find("power factor"), std::string::npos);
  EXPECT_NE(r->findings.all()[0].message.find("'kW' measures"), std::string::npos) << r->messages();
}

TEST(ReadFields, OutOfRangeShowsBothNumbersWithUnits) {
  const auto r = read_sample("title: x\naltitude: 9 km\n");
  ASSERT_EQ(r->ids(), "spec-out-of-range@2:11");
  EXPECT_EQ(r->findings.all()[0].message, "'altitude' is 9000 m, but the maximum is 6000 m");
}

TEST(ReadFields, UnknownIsAValue) {
  const auto r =
      read_sample("title: x\naltitude: unknown\ncapacity: { unknown: nobody measured it }\nshare: \"unknown\"\n");
  EXPECT_EQ(r->ids(), "spec-wrong-type@4:8");  // quoted, it is text
  EXPECT_TRUE(r->sample.altitude.unknown);
  EXPECT_FALSE(r->sample.altitude);
  EXPECT_TRUE(r->sample.capacity.unknown);
  EXPECT_EQ(r->sample.capacity.source, "nobody measured it");
  EXPECT_EQ(r->sample.capacity.origin, Origin::spec);
}

TEST(ReadFields, BooleansAreYaml12) {
  for (const char* text : {"true", "True", "TRUE", "false", "False", "FALSE"})
    EXPECT_EQ(read_sample(std::string("title: x\nenabled: ") + text + "\n")->ids(), "") << text;
  for (const char* text : {"yes", "no", "on", "Off", "1", "\"true\"", "tru"})
    EXPECT_EQ(read_sample(std::string("title: x\nenabled: ") + text + "\n")->ids(), "spec-wrong-type@2:10") << text;
  EXPECT_EQ(*read_sample("title: no\n")->sample.title, "no");
}

TEST(ReadFields, WrongShapes) {
  EXPECT_EQ(read_sample("- a\n- b\n")->ids(), "spec-wrong-type@1:3");
  EXPECT_EQ(read_sample("title: [a]\n")->ids(), "spec-wrong-type@1:1");
  EXPECT_EQ(read_sample("title: x\nleaf: 3\n")->ids(), "spec-wrong-type@2:7");
  EXPECT_EQ(read_sample("title: x\nnamed: [a]\n")->ids(), "spec-wrong-type@2:1");
  EXPECT_EQ(read_sample("title: x\naltitude:\n")->ids(), "spec-wrong-type@2:1");
  EXPECT_EQ(read_sample("title: x\nleaves: [3]\n")->ids(), "spec-wrong-type@2:10");
  EXPECT_EQ(read_sample("title: x\ndrives: many\n")->ids(), "spec-wrong-type@2:9");
  EXPECT_EQ(read_sample("title: x\ndrives: 0 x 1 TB\n")->ids(), "spec-out-of-range@2:9");
}

TEST(ReadFields, MissingKeyStandsAtTheMapping) {
  const auto r = read_sample("title: x\nnamed:\n  left:\n    power: 1 kW\nleaves:\n  - power: 1 kW\n");
  EXPECT_EQ(r->ids(), "spec-missing-key@3:3 spec-missing-key@6:5");
  EXPECT_EQ(r->findings.all()[0].rule, "spec-missing-key");
}

TEST(ReadFields, CatalogueFacts) {
  const auto r = read_sample(R"(sources: { s1: Data sheet of 2025, s2: Manual }
title: { value: Box, source: s2, confirmed: true }
altitude: { value: 3000, unit: m, source: s1, confirmed: true }
share: { value: 97, unit: "%", source: direct words, confirmed: false }
rate: 400 Gb/s
racks: { value: [a, b], source: s2, confirmed: true }
colour: { value: red }
)",
                             true);
  ASSERT_TRUE(r->ok) << r->messages();
  const Sample& s = r->sample;
  EXPECT_EQ(s.altitude->value, 3000);
  EXPECT_EQ(s.altitude.source, "Data sheet of 2025");
  EXPECT_TRUE(s.altitude.confirmed);
  EXPECT_EQ(s.altitude.origin, Origin::catalog);
  EXPECT_DOUBLE_EQ(*s.share, 0.97);
  EXPECT_EQ(s.share.source, "direct words");
  EXPECT_FALSE(s.share.confirmed);
  EXPECT_EQ(s.rate.source, "Data sheet of 2025");  // plain: the first source, unconfirmed
  EXPECT_FALSE(s.rate.confirmed);
  ASSERT_EQ(s.racks.size(), 2u);
  EXPECT_EQ(s.racks[1].source, "Manual");
  EXPECT_TRUE(s.racks[1].confirmed);
  EXPECT_FALSE(s.colour.confirmed);
}

TEST(ReadFields, MistakesInFacts) {
  const auto r = read_sample(
      "title: { value: Box, sorce: s1 }\nnumbers: { value: 4, unit: W }\naltitude: { value: 4, unit: kW }\nenabled: { "
      "value: true, confirmed: maybe }\n",
      true);
  EXPECT_EQ(r->ids(), "spec-unknown-key@1:22 spec-wrong-unit@2:28 spec-wrong-unit@3:20 spec-wrong-type@4:36")
      << r->messages();
  EXPECT_EQ(read_sample("title: { value: Box }\n")->ids(), "spec-wrong-type@1:1");  // a spec has no facts
}

}  // namespace
}  // namespace clusterc
