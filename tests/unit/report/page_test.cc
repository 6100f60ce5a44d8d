// The page: what it may hold, and the drawings. What a reader does with it in a browser: tests/consumers/page.sh.
#include "report/page.h"

#include "report/page_data.h"
#include "report/plan_svg.h"
#include "unit/model/examples.h"

namespace clusterc {
namespace {

TEST(Page, Base64IsThatOfRfc4648) {  // section 10
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::string("\xff\xfe\x00", 3)), "//4A");
}

const char* const kSpec =
    "clusterc: 1\nrules: 2026.11\nname: \"</script><b>\"\n"
    "site: { region: iec, supply: { phases: 3, voltage: 400 V }, feeds: { \"<A>\": { breaker: 63 A } } }\n"
    "racks: { lab: { names: \"r[1-3]\", model: generic-48u-800x1200, pdus: [ { model: eu-400-3ph-32, feed: \"<A>\" } ] "
    "} "
    "}\n"
    "nodes: { gpu: { names: \"n[1-6]\", racks: lab, per_rack: 2, server: { like: generic-2u-pcie4, memory: 24 x 32 "
    "GiB, "
    "nics: { data: cx7-400-qsfp112 } } } }\n"
    "networks: { lan: { kind: ethernet, rate: 400 Gb/s, switch: nvidia-sn5600, racks: lab, connects: { gpu: { ports: "
    "data "
    "} } } }\n";

struct Planned {
  Resolved r;
  std::optional<Plan> plan;
  Planned() {
    r.text(kSpec);
    plan = plan_cluster(*r.cluster);
  }
};

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(Page, NoNameOfTheSpecIsMarkup) {
  const Planned p;
  ASSERT_TRUE(p.r.cluster);
  const PlanVerdict verdict{p.r.findings, p.r.sources};
  const std::string page =
      render_page(*p.r.cluster, *p.plan, expect_figures(*p.r.cluster, *p.plan, true), verdict, "0123", "<x>.yaml");
  // Four documents and one program are opened, and each is closed once: nothing else closes one.
  EXPECT_EQ(count_of(page, "<script"), 5U);
  EXPECT_EQ(count_of(page, "</script"), 5U);
  EXPECT_EQ(count_of(page, "<b>"), 0U);
  EXPECT_EQ(count_of(page, "<A>"), 0U);
  EXPECT_NE(page.find("\\u003c/script>\\u003cb>"), std::string::npos);
  EXPECT_NE(page.find("<title>&lt;/script&gt;&lt;b&gt;: plan</title>"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'; script-src 'sha256-"), std::string::npos);
}

TEST(Page, ProgramAndStyleMayStandInAPage) {
  const PageAssets assets = page_assets();
  EXPECT_EQ(assets.script.find("</script"), std::string_view::npos);
  EXPECT_EQ(assets.script.find("<!--"), std::string_view::npos);
  EXPECT_EQ(assets.style.find("</style"), std::string_view::npos);
  EXPECT_LE(assets.script.size() + assets.style.size(), 150000U);
}

TEST(Page, MarginsAreThoseOfThePlan) {
  const Planned p;
  const std::string data = render_page_data(*p.r.cluster, *p.plan, "spec.yaml");
  // 2 nodes of 2 U in each of 3 racks of 48 U, and the switch of 2 U in one of them: 6 of 48 and twice 4 of 48.
  EXPECT_EQ(count_of(data, "\"what\":\"rack units\""), 3U);
  EXPECT_EQ(count_of(data, "\"load\":\"4 U\",\"limit\":\"48 U\""), 2U);
  EXPECT_EQ(count_of(data, "\"load\":\"6 U\",\"limit\":\"48 U\""), 1U);
  // 32 A at 400 V on three phases, of which each line may carry all (region iec).
  EXPECT_EQ(count_of(data, "\"limit\":\"32 A\""), 3U);
}

TEST(PlanSvg, OneElevationForEachKindOfRack) {
  const Planned p;
  std::vector<std::string> names;
  std::string floor, all;
  render_svg_drawings(*p.r.cluster, *p.plan, [&](std::string_view name, std::string_view svg) {
    names.emplace_back(name);
    if (name == "floor.svg") floor = svg;
    all += svg;
  });
  // The switch stands in one rack; the other two are alike.
  ASSERT_EQ(names.size(), 3U);
  EXPECT_EQ(names.front(), "floor.svg");
  EXPECT_EQ(count_of(all, "alike: "), 1U);
  EXPECT_EQ(count_of(floor, ">r1<") + count_of(floor, ">r2<") + count_of(floor, ">r3<"), 3U);
  EXPECT_EQ(count_of(floor, "<b>"), 0U);
  EXPECT_NE(floor.find("&lt;/script&gt;&lt;b&gt;: floor plan"), std::string::npos);
}

}  // namespace
}  // namespace clusterc
