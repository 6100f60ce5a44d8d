#include "base/json_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace clusterc {
namespace {

template <class Write>
std::string written(Write write, JsonStyle style = {}) {
  std::string out;
  JsonWriter json(out, style);
  write(json);
  EXPECT_TRUE(json.complete());
  return out;
}

TEST(JsonWriter, KeepsTheOrderOfTheCaller) {
  EXPECT_EQ(written([](JsonWriter& j) {
              j.begin_object().field("b", 1).field("a", "x").array("list").value(true).null().value(2u).end_array();
              j.object("empty").end_object().end_object();
            }),
            R"({"b":1,"a":"x","list":[true,null,2],"empty":{}})");
}

TEST(JsonWriter, Indents) {
  EXPECT_EQ(written(
                [](JsonWriter& j) {
                  j.begin_object().field("a", 1).array("b").value(1).value(2).end_array();
                  j.array("c", JsonWriter::Layout::line).value(1).begin_object().field("d", 2).end_object().end_array();
                  j.array("e").end_array().end_object();
                },
                {.indent = 2}),
            "{\n  \"a\": 1,\n  \"b\": [\n    1,\n    2\n  ],\n  \"c\": [1, {\"d\": 2}],\n  \"e\": []\n}");
}

TEST(JsonWriter, EscapesWhatJsonForbidsInStrings) {
  // RFC 8259, section 7: quotation mark, reverse solidus and U+0000 to U+001F must be escaped; DEL may be.
  EXPECT_EQ(written([](JsonWriter& j) { j.value(std::string_view("a\"\\\n\r\t\x01\x00\x7f/<", 11)); }),
            R"("a\"\\\n\r\t\u0001\u0000\u007f/<")");
  EXPECT_EQ(written([](JsonWriter& j) { j.value("</script>"); }, {.html_safe = true}), R"("\u003c/script>")");
}

TEST(JsonWriter, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(written([](JsonWriter& j) { j.value("\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80"); }),
            "\"\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80\"");
  EXPECT_EQ(written([](JsonWriter& j) {
              j.value(
                  "a\xff"
                  "b");
            }),
            "\"a\xef\xbf\xbd"
            "b\"");
  // A surrogate (ED A0 80) and an overlong slash (C0 AF): one replacement a byte.
  EXPECT_EQ(written([](JsonWriter& j) { j.value("\xed\xa0\x80"); }), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(written([](JsonWriter& j) { j.value("\xc0\xaf"); }), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(written([](JsonWriter& j) { j.value("\xe2\x82"); }), "\"\xef\xbf\xbd\xef\xbf\xbd\"");  // cut short
}

TEST(JsonWriter, NumbersReadBackTheSame) {
  EXPECT_EQ(
      written([](JsonWriter& j) {
        j.begin_array().value(0.1).value(1e300).value(43.7).value(-0.0).value(std::nan("")).value(INFINITY);
        j.value(std::numeric_limits<std::int64_t>::min()).value(std::numeric_limits<std::uint64_t>::max()).end_array();
      }),
      "[0.1,1e+300,43.7,-0,null,null,-9223372036854775808,18446744073709551615]");
}

TEST(JsonWriter, OptionalsAreNullOrTheirValue) {
  EXPECT_EQ(written([](JsonWriter& j) {
              j.begin_array().value(std::optional<double>()).value(std::optional<std::string>("x")).end_array();
            }),
            R"([null,"x"])");
}

TEST(JsonWriter, MayBeDrainedOnTheWay) {
  std::string out, all;
  JsonWriter json(out);
  json.begin_array().value(1);
  all += out, out.clear();
  json.value(2);
  all += out, out.clear();
  json.end_array();
  EXPECT_EQ(all + out, "[1,2]");
}

TEST(JsonWriter, RefusesWrongUse) {
  std::string out;
  EXPECT_THROW(JsonWriter(out).key("a"), std::logic_error);
  EXPECT_THROW(JsonWriter(out).begin_object().value(1), std::logic_error);
  EXPECT_THROW(JsonWriter(out).begin_object().key("a").key("b"), std::logic_error);
  EXPECT_THROW(JsonWriter(out).begin_object().key("a").end_object(), std::logic_error);
  EXPECT_THROW(JsonWriter(out).begin_object().end_array(), std::logic_error);
  EXPECT_THROW(JsonWriter(out).value(1).value(2), std::logic_error);
  EXPECT_FALSE(JsonWriter(out).begin_array().complete());
}

}  // namespace
}  // namespace clusterc
