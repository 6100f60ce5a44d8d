#include <gtest/gtest.h>

#include "lsp/describe.h"
#include "lsp/navigate.h"
#include "unit/lsp/marked.h"

namespace clusterc::lsp {
namespace {

// The cursor stands on the first letter of `on` in the small spec, or `behind` bytes further.
std::size_t place_of(std::string_view text, std::string_view on, std::size_t behind = 0) {
  const std::size_t at = text.find(on);
  EXPECT_NE(at, text.npos) << on;
  return at + behind;
}

struct Shown {
  std::shared_ptr<const Analysis> good = analysed(kLab);
  Sketch sketch{kLab};
  std::string at(std::string_view on, std::size_t behind = 0) const {
    const auto hover = hover_at(sketch, place_of(kLab, on, behind), good.get(), true);
    return hover ? hover->markdown : "";
  }
};

bool holds(const std::string& text, std::string_view what) { return text.find(what) != std::string::npos; }

TEST(Hover, KeySaysWhatItIsAndItsValue) {
  const Shown s;
  const std::string breaker = s.at("breaker");
  EXPECT_TRUE(holds(breaker, "rating of its main breaker")) << breaker;
  EXPECT_TRUE(holds(breaker, "32 A")) << breaker;
  const std::string supply = s.at("supply: { phases");
  EXPECT_TRUE(holds(supply, "power_factor: 0.96   # default")) << supply;  // filled in, with its reason
}

TEST(Hover, NameShowsWhatFollowsFromIt) {
  const Shown s;
  const std::string left = s.at("left: { breaker");
  // iec: all of the breaker may be used; sqrt(3) x 400 V x 32 A = 22.17 kVA
  EXPECT_TRUE(holds(left, "22.17")) << left;
  EXPECT_TRUE(holds(left, "derived: sqrt(3) x 400 V x 32 A")) << left;
  const std::string group = s.at("gpu:\n    names");
  EXPECT_TRUE(holds(group, "4 nodes")) << group;
  EXPECT_TRUE(holds(group, "4 x `nvidia-l40s`")) << group;
}

TEST(Hover, PartShowsItsFacts) {
  const Shown s;
  const std::string part = s.at("nvidia-l40s");
  EXPECT_TRUE(holds(part, "gpu of the catalogue")) << part;
  EXPECT_TRUE(holds(part, "memory: ")) << part;
  EXPECT_TRUE(holds(part, "Source: ")) << part;
  const auto hover = hover_at(s.sketch, place_of(kLab, "nvidia-l40s", 3), s.good.get(), true);
  ASSERT_TRUE(hover);
  EXPECT_EQ(std::string(kLab).substr(hover->begin, hover->end - hover->begin), "nvidia-l40s");  // without its count
}

TEST(Hover, NothingBetweenThings) {
  const Shown s;
  EXPECT_EQ(s.at("  region:"), "");
}

TEST(Hover, WithoutAResolvedSpec) {
  const Sketch half("site:\n  region: na\n  altitude: { \n");
  const auto hover = hover_at(half, 9, nullptr, false);
  ASSERT_TRUE(hover);
  EXPECT_TRUE(holds(hover->markdown, "electrical region"));
}

TEST(Hover, PlainTextHasNoMarks) { EXPECT_EQ(plain_text("**a**: `b`\n\n```yaml\nc: 1\n```\n"), "a: b\n\nc: 1\n"); }

struct Found {
  std::string uri, text;
};
std::optional<Found> definition(std::string_view text, std::string_view on, std::size_t behind = 0,
                                std::string* kept = nullptr) {
  const auto good = analysed(text);
  const Sketch sketch(text);
  const auto keep = [&](std::string_view name, std::string_view body) -> std::optional<std::string> {
    if (kept) *kept = body;
    return "/kept/" + std::string(name);
  };
  const auto target = definition_at(sketch, place_of(text, on, behind), good.get(), keep);
  if (!target) return std::nullopt;
  if (!target->uri.empty()) return Found{target->uri, std::to_string(target->range.start.line)};
  return Found{
      "", std::string(text.substr(target->begin, target->end - target->begin)) + "@" + std::to_string(target->begin)};
}

TEST(Definition, NamesOfTheSpec) {
  const std::string lab(kLab);
  const auto at = [&](std::string_view what, std::size_t behind = 0) {
    return std::to_string(lab.find(what) + behind);
  };
  EXPECT_EQ(definition(kLab, "feed: left", 7)->text, "left@" + at("left:"));
  EXPECT_EQ(definition(kLab, "cooling: room", 9)->text, "room@" + at("room: { method"));
  EXPECT_EQ(definition(kLab, "    racks: main\n    server", 11)->text, "main@" + at("main:"));
  EXPECT_EQ(definition(kLab, "gpu: { ports")->text, "gpu@" + at("gpu:\n"));
  EXPECT_EQ(definition(kLab, "ports: data", 8)->text, "data@" + at("data: cx6"));
  EXPECT_FALSE(definition(kLab, "region: iec", 8));
  EXPECT_FALSE(definition(kLab, "names: r1", 8));
}

TEST(Definition, PartsOfTheCatalogue) {
  std::string kept;
  const auto part = definition(kLab, "4 x nvidia-l40s", 6, &kept);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->uri, "file:///kept/gpus/nvidia-l40s.yaml");
  EXPECT_EQ(part->text, "1");  // `id:` is the second line of a part
  EXPECT_NE(kept.find("id: nvidia-l40s"), std::string::npos);
  EXPECT_EQ(definition(kLab, "nvidia-sn4600c")->uri, "file:///kept/switches/nvidia-sn4600c.yaml");
  const std::string wrong = std::string(kLab) + "  two: { switch: no-such }\n";
  EXPECT_FALSE(definition(wrong, "no-such"));
}

TEST(Definition, WorksInTextThatIsNoYaml) {
  EXPECT_EQ(definition("racks:\n  main: {}\nnodes:\n  gpu: { racks: main, nam\nnetworks:\n", "main, nam")->text,
            "main@9");
}

TEST(Uri, RoundTrip) {
  EXPECT_EQ(path_of_uri("file:///a%20b/c.yaml"), "/a b/c.yaml");
  EXPECT_EQ(path_of_uri("file://localhost/x"), "/x");
  EXPECT_EQ(path_of_uri("untitled:Untitled-1"), std::nullopt);
  EXPECT_EQ(path_of_uri("file://host/x"), std::nullopt);
  EXPECT_EQ(path_of_uri("file:///a%2"), std::nullopt);
  EXPECT_EQ(path_of_uri("file:///a%00b"), std::nullopt);
  EXPECT_EQ(uri_of_path("/a b/é.yaml"), "file:///a%20b/%C3%A9.yaml");
  EXPECT_EQ(path_of_uri(uri_of_path("/x/%41#?y")), "/x/%41#?y");
}

}  // namespace
}  // namespace clusterc::lsp
