#include "lsp/complete.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "diag/finding.h"
#include "spec/nodes.h"
#include "spec/sections.h"
#include "spec/spec.h"
#include "unit/lsp/marked.h"
#include "yaml/document.h"

namespace clusterc::lsp {
namespace {

std::vector<std::string> labels(const Completion& c) {
  std::vector<std::string> out;
  for (const auto& item : c.items) out.push_back(item.label);
  return out;
}
Completion complete(const std::string& marked, const Analysis* good = nullptr) {
  const Marked m(marked);
  return complete_at(Sketch(m.text), m.cursor, good);
}
std::vector<std::string> offered(const std::string& marked, const Analysis* good = nullptr) {
  return labels(complete(marked, good));
}
bool has(const std::vector<std::string>& all, std::string_view one) { return std::ranges::find(all, one) != all.end(); }
// The text after the item `label` was taken.
std::string taken(const std::string& marked, std::string_view label, const Analysis* good = nullptr) {
  const Marked m(marked);
  const Completion c = complete_at(Sketch(m.text), m.cursor, good);
  for (const auto& item : c.items)
    if (item.label == label) return m.text.substr(0, c.begin) + item.text + m.text.substr(c.end);
  return "(not offered)";
}

TEST(Complete, KeysByPlaceAndNotThoseThatAreThere) {
  const auto in_feed = offered("site:\n  feeds:\n    A: { breaker: 32 A, | }\n");
  EXPECT_TRUE(has(in_feed, "capacity"));
  EXPECT_TRUE(has(in_feed, "ups"));
  EXPECT_FALSE(has(in_feed, "breaker"));
  EXPECT_FALSE(has(in_feed, "region"));
  const auto in_site = offered("site:\n  region: na\n  |\n  altitude: 3 m\nracks:\n");
  EXPECT_TRUE(has(in_site, "supply"));
  EXPECT_FALSE(has(in_site, "region"));
  EXPECT_FALSE(has(in_site, "altitude"));  // stands further down
  EXPECT_TRUE(has(offered("site:\n  reg|\n  altitude: 3 m\n"), "region"));
  EXPECT_TRUE(has(offered("|"), "clusterc"));
  EXPECT_EQ(offered("|").front(), "clusterc");  // what is required comes first
  EXPECT_EQ(taken("|", "clusterc"), "clusterc: 1");
  EXPECT_TRUE(has(offered("clusterc: 1\nn|"), "networks"));
  EXPECT_TRUE(has(offered("racks:\n  a:\n    pdus:\n      - model: x\n        |\n"), "feed"));
  EXPECT_TRUE(has(offered("racks:\n  a:\n    pdus: [ { model: x, fe| } ]\n"), "feed"));
  EXPECT_TRUE(has(offered("racks:\n  a:\n    pdus: { model: x, | }\n"), "feed"));  // one item without brackets
  EXPECT_TRUE(offered("racks:\n  |\n").empty());                                   // names are the user's
  EXPECT_TRUE(offered("site:\n  region: na   # |\n").empty());
  EXPECT_TRUE(offered("nonsense:\n  |\n").empty());
}

TEST(Complete, KeysInTextThatIsNoYamlYet) {
  EXPECT_TRUE(has(offered("site:\n  supply: { phases: 3, |\nracks:\n  a: 1\n"), "voltage"));
  EXPECT_TRUE(has(offered("site:\n  supply: { phases: 3, vol|\nracks:\n"), "voltage"));
  EXPECT_TRUE(has(offered("site:\n  feeds: { left: { breaker: 32 A }, right: { |\nnodes:\n  gpu: { names: \"n[1-\n"),
                  "capacity"));
  EXPECT_TRUE(has(offered("site:\n  name: \"open\n  |\nracks:\n"), "region"));
}

TEST(Complete, KeyText) {
  EXPECT_EQ(taken("site:\n  alt|\n", "altitude"), "site:\n  altitude: \n");
  EXPECT_EQ(taken("site:\n  sup|\n", "supply"), "site:\n  supply:\n    \n");
  EXPECT_EQ(taken("site:\r\n  sup|\r\n", "supply"), "site:\r\n  supply:\r\n    \r\n");
  EXPECT_EQ(taken("site: { sup| }\n", "supply"), "site: { supply:  }\n");
  EXPECT_EQ(taken("site:\n  alt|x: 3 m\n", "altitude"), "site:\n  altitude: 3 m\n");  // its colon is there
}

TEST(Complete, Values) {
  EXPECT_EQ(offered("site:\n  region: |\n"), (std::vector<std::string>{"na", "iec"}));
  EXPECT_EQ(taken("site:\n  region:|\n", "iec"), "site:\n  region: iec\n");
  EXPECT_EQ(taken("site:\n  region: n|\n", "na"), "site:\n  region: na\n");
  EXPECT_EQ(offered("nodes:\n  gpu: { roles: [|\n").size(), EnumNames<Role>::names.size());
  EXPECT_TRUE(has(offered("nodes:\n  gpu:\n    roles:\n      - |\n"), "login"));
  EXPECT_EQ(taken("nodes:\n  gpu:\n    roles:\n      - login\n      |\n", "compute"),
            "nodes:\n  gpu:\n    roles:\n      - login\n      - compute\n");
  EXPECT_TRUE(has(offered("nodes:\n  gpu:\n    roles: l|\n"), "login"));  // one item without brackets
  EXPECT_EQ(offered("networks:\n  lan: { sharp: | }\n"), (std::vector<std::string>{"true", "false"}));
  EXPECT_EQ(offered("software:\n  iommu: |\n"), (std::vector<std::string>{"off", "passthrough", "translate"}));
  EXPECT_TRUE(has(offered("site: |\n"), "cloud"));
  EXPECT_TRUE(has(offered("software:\n  scheduler: |\n"), "slurm"));
  EXPECT_TRUE(has(offered("software:\n  mpi: |\n"), "openmpi"));
  EXPECT_TRUE(has(offered("networks:\n  oob:\n    connects: |\n"), "everything"));
  EXPECT_TRUE(offered("name: |\n").empty());
}

TEST(Complete, UnitsOfANumber) {
  const auto units = offered("site:\n  utility: 800|\n");
  EXPECT_TRUE(has(units, "800 kW"));
  EXPECT_FALSE(has(units, "800 kVA"));
  EXPECT_EQ(taken("site:\n  utility: 800 k|\n", "800 kW"), "site:\n  utility: 800 kW\n");
  EXPECT_TRUE(offered("site:\n  utility: |\n").empty());
}

TEST(Complete, PartsOfTheKindThatBelongsThere) {
  const auto servers = offered("nodes:\n  gpu: { model: | }\n");
  EXPECT_TRUE(has(servers, "nvidia-dgx-h100"));
  EXPECT_FALSE(has(servers, "nvidia-qm9700"));
  EXPECT_TRUE(has(offered("networks:\n  lan: { switch: nv| }\n"), "nvidia-qm9700"));
  EXPECT_TRUE(has(offered("networks:\n  lan:\n    tiers: { spine: | }\n"), "nvidia-sn5600"));
  EXPECT_TRUE(has(offered("nodes:\n  gpu:\n    server:\n      like: |\n"), "generic-2u"));
  EXPECT_TRUE(has(offered("site:\n  feeds: { A: { ups: { model: | } } }\n"), "ups-1mw"));
  EXPECT_EQ(taken("nodes:\n  gpu:\n    gpus: 4 x nv|\n", "nvidia-l40s"), "nodes:\n  gpu:\n    gpus: 4 x nvidia-l40s\n");
  EXPECT_EQ(taken("nodes:\n  gpu:\n    gpus: 4 x |\n", "nvidia-l40s"), "nodes:\n  gpu:\n    gpus: 4 x nvidia-l40s\n");
  EXPECT_EQ(taken("nodes:\n  gpu:\n    nics: { data: | }\n", "cx7-ndr-osfp"),
            "nodes:\n  gpu:\n    nics: { data: cx7-ndr-osfp }\n");
  EXPECT_EQ(taken("nodes:\n  gpu: { model: \"nv|\" }\n", "nvidia-dgx-h100"),
            "nodes:\n  gpu: { model: \"nvidia-dgx-h100\" }\n");
}

TEST(Complete, NamesOfTheSpec) {
  const std::string head =
      "site:\n  feeds: { A: {}, B: {} }\n  cooling: { hall: {} }\nracks:\n  main: {}\nstorage:\n  home: {}\nnodes:\n  "
      "gpu: {}\n";
  EXPECT_EQ(offered(head + "networks:\n  lan: { racks: | }\n"), (std::vector<std::string>{"main"}));
  EXPECT_EQ(offered(head + "networks:\n  lan: { connects: { | } }\n"),
            (std::vector<std::string>{"gpu", "home", "everything"}));
  EXPECT_EQ(taken(head + "networks:\n  lan: { connects: { g| } }\n", "gpu"),
            head + "networks:\n  lan: { connects: { gpu:  } }\n");
  EXPECT_EQ(offered("site:\n  feeds: { A: {}, B: {} }\n  cooling: { hall: { feeds: [ A, | ] } }\n"),
            (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(offered("site:\n  cooling: { hall: {} }\nracks:\n  main: { cooling: | }\n"),
            (std::vector<std::string>{"hall"}));
  EXPECT_EQ(offered(head + "workloads:\n  w: { checkpoint_to: | }\n"), (std::vector<std::string>{"home"}));
  EXPECT_EQ(offered(head + "networks:\n  a: {}\n  b: { shares_switches_with: | }\n"),
            (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(has(offered("accept:\n  - rule: power|\n"), "power-rack-over-budget"));
  EXPECT_TRUE(has(offered("severity:\n  |\n"), "power-rack-over-budget"));
  EXPECT_TRUE(has(offered("outputs:\n  |\n"), "slurm"));
}

TEST(Complete, WhatOnlyTheResolvedSpecKnows) {
  const auto good = analysed(kLab);
  ASSERT_TRUE(good->good());
  const std::string lab(kLab);
  EXPECT_TRUE(has(offered(lab + "  two: { connects: { gpu: { ports: | } } }\n", good.get()), "data"));
  const std::string with_tree = lab.substr(0, lab.find("networks:")) + "      pcie:\n        socket0: { slot1: | }\n";
  const auto devices = offered(with_tree, good.get());
  EXPECT_TRUE(has(devices, "gpus[3]"));
  EXPECT_FALSE(has(devices, "gpus[4]"));  // four of them, counted from 0
  EXPECT_TRUE(has(devices, "nics.data"));
  EXPECT_NE(taken(with_tree, "gpus[3]", good.get()).find("slot1: \"gpus[3]\" }"),
            std::string::npos);  // brackets are quoted where they would be a list
}

TEST(Complete, Documentation) {
  EXPECT_NE(resolve_documentation("part:gpu:nvidia-l40s", nullptr).find("memory: 48 "),
            std::string::npos);  // data sheet: 48 GB
  EXPECT_NE(resolve_documentation("rule:power-rack-over-budget", nullptr).find("How to fix"), std::string::npos);
  EXPECT_EQ(resolve_documentation("part:gpu:none", nullptr), "");
  EXPECT_EQ(resolve_documentation("part:none:none", nullptr), "");
  EXPECT_EQ(resolve_documentation("", nullptr), "");
}

// Every text of the example specs stands somewhere: where the table says that a name belongs there, it is among those
// that are offered, and where the resolver looks a name up, the table has a row.
TEST(Complete, EveryNameInTheExamplesIsOffered) {
  std::size_t names = 0;
  for (const std::string name : {"superpod", "lab", "nvl72", "campus", "cloud", "four-virtual"}) {
    FILE* file = std::fopen((std::string(CLUSTERC_SOURCE_DIR "/examples/") + name + ".yaml").c_str(), "rb");
    ASSERT_TRUE(file);
    std::string text(1 << 20, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
    const auto good = analysed(text);
    ASSERT_TRUE(good->good());
    const Sketch s(text);
    for (SketchId n = 1; n < s.nodes().size(); ++n) {
      const Spot spot = item_of(spot_of(s, n));
      ASSERT_TRUE(spot.type) << name << ": " << path_text(s, n);  // the examples have no unknown key
      if (s[n].kind != SketchNode::Kind::scalar) continue;
      const bool short_form = spot.type->form == Type::Form::record && spot.names.of != Names::Of::part;
      if (spot.names.of == Names::Of::nothing || spot.names.of == Names::Of::words || short_form ||
          s.value(n).starts_with("unknown"))
        continue;
      const Completion c = complete_at(s, s[n].end - (text[s[n].end - 1] == '"' ? 1 : 0), good.get());
      std::string_view written = s.value(n);
      if (spot.names.of == Names::Of::part) written = written.substr(written.rfind(' ') + 1);
      EXPECT_TRUE(has(labels(c), written)) << name << ": " << path_text(s, n) << " = " << written;
      ++names;
    }
  }
  EXPECT_GT(names, 100u);
}

}  // namespace
}  // namespace clusterc::lsp
