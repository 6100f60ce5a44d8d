// A described struct with one of everything, and a reader of text into it.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "fields/read.h"
#include "fields/scalars.h"

namespace clusterc {

enum class Colour { red, green, blue_green };
template <>
struct EnumNames<Colour> {
  static constexpr auto names =
      enum_table<Colour>({{Colour::red, "red"}, {Colour::green, "green"}, {Colour::blue_green, "blue-green"}});
};

struct Leaf {
  SourceSpan span;
  Value<std::int64_t> count;
  Value<Watts> power;
  static constexpr std::string_view type_name = "leaf";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("count", s.count, {.required = true, .doc = "how many", .least = 1, .most = 8});
    v("power", s.power, {.standard = "1.5 kW", .why = "the usual one", .doc = "draw of one"});
  }
};

struct Sample {
  SourceSpan span;
  Value<std::string> title;
  Value<bool> enabled;
  Value<double> share;
  Value<Meters> altitude;
  Value<VoltAmperes> capacity;
  Value<BitsPerSecond> rate;
  Value<Colour> colour;
  Value<Version> version;
  std::optional<Leaf> leaf;
  std::vector<Value<std::string>> racks;
  std::vector<Value<std::int64_t>> numbers;
  std::vector<Leaf> leaves;
  NamedMap<Leaf> named;
  std::optional<Drives> drives;
  Leaf always;
  static constexpr std::string_view type_name = "sample";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("title", s.title, {.required = true, .doc = "what it is called"});
    v("enabled", s.enabled, {.doc = "switched on"});
    v("share", s.share, {.doc = "part of the whole", .least = 0, .most = 2});
    v("altitude", s.altitude, {.doc = "height", .least = -500, .most = 6000});
    v("capacity", s.capacity, {.doc = "of the feed"});
    v("rate", s.rate, {.doc = "of the port"});
    v("colour", s.colour, {.standard = "green", .why = "calm", .doc = "its colour"});
    v("version", s.version, {.doc = "release"});
    v("leaf", s.leaf, {.doc = "one leaf"});
    v("racks", s.racks, {.standard = "[a, b]", .why = "both", .doc = "where"});
    v("numbers", s.numbers, {.doc = "some", .least = 0, .most = 100});
    v("leaves", s.leaves, {.doc = "many leaves"});
    v("named", s.named, {.doc = "leaves by name"});
    v("drives", s.drives, {.doc = "drives"});
    v("always", s.always, {.doc = "a leaf that is always there"});
  }
};

struct ReadResult {
  Sources sources;
  Findings findings;
  std::optional<Document> document;
  Sample sample;
  bool ok = false;
  std::string ids() const {  // "rule@line:column …" in the order of the file
    Findings sorted = findings;
    sorted.sort(sources);
    std::string out;
    for (const Finding& f : sorted.all()) {
      const LineColumn at = sources.position(f.span.file, f.span.begin);
      out += (out.empty() ? "" : " ") + f.rule + "@" + std::to_string(at.line) + ":" + std::to_string(at.column);
    }
    return out;
  }
  std::string messages() const {
    std::string out;
    for (const Finding& f : findings.all()) out += f.message + "\n";
    return out;
  }
  // The text after its fixes; spans of several fixes must not overlap.
  std::string fixed() const {
    Findings sorted = findings;
    sorted.sort(sources);
    std::string text(sources.text(0));
    for (auto f = sorted.all().rbegin(); f != sorted.all().rend(); ++f)
      if (f->fix)
        for (const Edit& e : f->fix->edits) text.replace(e.span.begin, e.span.end - e.span.begin, e.replacement);
    return text;
  }
};

inline std::unique_ptr<ReadResult> read_sample(std::string text, bool facts = false) {
  auto r = std::make_unique<ReadResult>();
  const FileId file = r->sources.add("sample.yaml", std::move(text));
  r->document = parse_yaml(r->sources, file, r->findings);
  if (!r->document) return r;
  ReadContext context{*r->document, r->findings};
  if (facts) {
    context.facts = true;
    context.origin = Origin::catalog;
    context.sources = r->document->find(r->document->root(), "sources");
  }
  static constexpr std::string_view also[] = {"sources"};
  r->ok = read_fields(context, r->document->root(), r->sample, {}, also);
  return r;
}

}  // namespace clusterc
