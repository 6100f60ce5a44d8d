// What devices see of each other: lldpcli's JSON and NetQ's graph.
#include "audit/neighbours.h"

#include <gtest/gtest.h>

#include <random>

#include "audit/fabric_audit.h"
#include "base/format.h"

namespace clusterc {
namespace {

// As lldpcli 1.0.16 prints it, with what is read of it.
std::string seen_by(const std::vector<std::array<std::string, 3>>& neighbours, bool far_routes) {
  std::string out = R"({"lldp": {"interface": [)";
  for (std::size_t i = 0; i < neighbours.size(); ++i)
    out += format(
        R"({}{{"{}": {{"via": "LLDP", "chassis": {{"{}": {{"id": {{"type": "mac", "value": "16:8c:57:df:f6:23"}}, )"
        R"("capability": [{{"type": "Bridge", "enabled": false}}, {{"type": "Router", "enabled": {}}}]}}}}, )"
        R"("port": {{"id": {{"type": "mac", "value": "16:8c:57:df:f6:23"}}, "descr": "{}"}}}}}})",
        i ? ", " : "", neighbours[i][0], neighbours[i][1], far_routes, neighbours[i][2]);
  return out + "]}}";
}

struct Read {
  Sources sources;
  Findings findings;
  SeenFabric seen;
};
std::unique_ptr<Read> read(const std::vector<std::pair<std::string, std::string>>& files,
                           const std::vector<std::string>& switches = {}) {
  auto out = std::make_unique<Read>();
  std::vector<NeighbourFile> all;
  for (const auto& [device, text] : files) all.push_back({out->sources.add(device + ".json", text), device});
  out->seen = read_neighbours(out->sources, all, {switches, {"h1"}, 1}, out->findings);
  return out;
}

TEST(Neighbours, LinksAreToldOnceAndSwitchesByTheirCapability) {
  const auto r = read({{"leaf1", seen_by({{"swp1", "h1", "eth1"}, {"swp2", "h2", "eth1"}}, false)},
                       {"h1", seen_by({{"eth1", "leaf1", "swp1"}}, true)}});
  EXPECT_TRUE(r->findings.empty());
  ASSERT_EQ(r->seen.links.size(), 2u);
  const SeenLink& first = r->seen.links[0];
  EXPECT_TRUE(r->seen.devices[static_cast<std::size_t>(first.a)].is_switch);
  EXPECT_EQ(r->seen.devices[static_cast<std::size_t>(first.a)].name, "leaf1");
  EXPECT_EQ(r->seen.devices[static_cast<std::size_t>(first.b)].name, "h1");
  EXPECT_EQ(first.a_name, "swp1");
  EXPECT_EQ(first.b_name, "eth1");
  EXPECT_TRUE(first.twice);
  EXPECT_FALSE(r->seen.links[1].twice);
  EXPECT_TRUE(r->seen.devices[static_cast<std::size_t>(first.b)].listed);
  EXPECT_FALSE(r->seen.devices[static_cast<std::size_t>(r->seen.links[1].b)].listed);
}

// A host with containers routes, too; a switch that is not called as planned has more neighbours than a host has ports.
TEST(Neighbours, AHostThatRoutesIsAHost) {
  const auto r = read({{"x", seen_by({{"swp1", "h1", "eth1"}, {"swp2", "other", "eth1"}}, true)},
                       {"h1", seen_by({{"eth1", "x", "swp1"}}, true)},
                       {"other", seen_by({{"eth1", "x", "swp2"}}, true)}});
  for (const SeenDevice& d : r->seen.devices) EXPECT_EQ(d.is_switch, d.name == "x") << d.name;
}

// A host that lacks its first interface keeps the number of its second one.
TEST(Neighbours, InterfacesAreNumberedOverAllHosts) {
  const auto r = read(
      {{"leaf1", seen_by({{"swp1", "h1", "ens2f0"}, {"swp2", "h1", "ens10f0"}, {"swp3", "h2", "ens10f0"}}, false)}},
      {"LEAF1"});
  ASSERT_EQ(r->seen.links.size(), 3u);
  const auto adapter = [&](std::size_t l) {
    return r->seen.devices[static_cast<std::size_t>(r->seen.links[l].b)].adapter;
  };
  EXPECT_EQ(adapter(0), 1);
  EXPECT_EQ(adapter(1), 2);
  EXPECT_EQ(adapter(2), 2);
}

TEST(Neighbours, WhatContradictsOrCannotBeReadIsTold) {
  const auto told = [](const std::vector<std::pair<std::string, std::string>>& files) {
    std::string out;
    const auto r = read(files, {"leaf1"});
    for (const Finding& f : r->findings.all()) out += f.rule + ": " + f.message + "\n";
    return out;
  };
  EXPECT_EQ(
      told({{"leaf1", seen_by({{"swp1", "h1", "eth1"}}, false)}, {"h1", seen_by({{"eth1", "leaf1", "swp2"}}, true)}}),
      "audit-capture-unread: 'h1' eth1 and 'leaf1' swp2 are plugged into each other here, and otherwise in an "
      "earlier place: the earlier one counts\n");
  EXPECT_EQ(told({{"leaf1", "{\"lldp\": "}}), "audit-capture-unread: this is not JSON\n");
  EXPECT_EQ(told({{"leaf1", "{\"a\": 1}"}}),
            "audit-capture-unread: this is neither what `lldpcli -f json show neighbors` prints of the device that the "
            "file is called after, nor a topology graph of NetQ\n");
  EXPECT_EQ(told({{"leaf1", R"({"lldp": {"interface": {"swp1": {"via": "LLDP"}}}})"}}),
            "audit-capture-unread: a neighbour without chassis or port\n");
}

// A planned cable of which neither end was captured is neither right nor missing.
TEST(Neighbours, WhatNobodyLookedAtIsNotJudged) {
  PlannedFabric plan;
  plan.network = "lan";
  plan.devices = {{"leaf/lan/01", "leaf1", 0, 0, 0},
                  {"leaf/lan/02", "leaf2", 0, 0, 0},
                  {"spine/lan/01", "spine1", 1, 0, 0},
                  {"node/h/1", "h1", -1, 0, 1},
                  {"node/h/2", "h2", -1, 0, 1}};
  plan.places.assign(plan.devices.size(), "");
  plan.cables = {{3, 0, 0, 1, BitsPerSecond(1e11), "lan/1"},
                 {4, 1, 0, 1, BitsPerSecond(1e11), "lan/1"},
                 {0, 2, 9, 1, BitsPerSecond(1e11), {}},
                 {1, 2, 9, 2, BitsPerSecond(1e11), {}}};
  const auto r = read({{"leaf1", seen_by({{"swp1", "h1", "eth1"}}, false)}}, {"leaf1", "leaf2", "spine1"});
  const FabricDifferences d = compare_fabric(r->seen, plan, match_fabric(r->seen, plan));
  EXPECT_EQ(d.right, 1);
  EXPECT_EQ(d.unseen, (std::vector<std::int32_t>{1, 3}));
  EXPECT_EQ(d.absent, (std::vector<std::int32_t>{2}));  // leaf1 sees no spine
  EXPECT_TRUE(d.missing.empty());
  EXPECT_TRUE(d.rates_unread);
}

// Both devices are seen by others, but the cable between them has no witness.
TEST(Neighbours, ACableBetweenTwoThatWereNotCollectedIsNotJudged) {
  PlannedFabric plan;
  plan.network = "lan";
  plan.devices = {{"leaf/lan/01", "leaf1", 0, 0, 0},
                  {"leaf/lan/02", "leaf2", 0, 0, 0},
                  {"spine/lan/01", "spine1", 1, 0, 0},
                  {"node/h/1", "h1", -1, 0, 2}};
  plan.places.assign(plan.devices.size(), "");
  plan.cables = {{3, 0, 0, 1, BitsPerSecond(1e11), "lan/1"},
                 {3, 1, 1, 1, BitsPerSecond(1e11), "lan/2"},
                 {0, 2, 9, 1, BitsPerSecond(1e11), {}},
                 {1, 2, 9, 2, BitsPerSecond(1e11), {}}};
  const auto r = read({{"leaf1", seen_by({{"swp1", "h1", "eth1"}, {"swp9", "spine1", "swp1"}}, false)},
                       {"spine1", seen_by({{"swp1", "leaf1", "swp9"}, {"swp2", "leaf2", "swp9"}}, false)}},
                      {"leaf1", "leaf2", "spine1"});
  const FabricDifferences d = compare_fabric(r->seen, plan, match_fabric(r->seen, plan));
  EXPECT_EQ(d.right, 3);
  EXPECT_EQ(d.unseen, (std::vector<std::int32_t>{1}));
  EXPECT_TRUE(d.missing.empty() && d.absent.empty());
}

TEST(Neighbours, HostileTextsEnd) {
  std::mt19937 random(11);
  const std::string good = seen_by({{"swp1", "h1", "eth1"}, {"swp2", "h2", "eth1"}}, false);
  for (int round = 0; round < 500; ++round) {
    std::string text = good;
    for (int k = 0; k < 1 + round % 20; ++k) text[random() % text.size()] = static_cast<char>(random() % 256);
    const auto r = read({{"leaf1", text}}, {"leaf1"});
    for (const SeenLink& l : r->seen.links) {
      ASSERT_LT(static_cast<std::size_t>(l.a), r->seen.devices.size());
      ASSERT_LT(static_cast<std::size_t>(l.b), r->seen.devices.size());
      ASSERT_LE(l.span.end, text.size());
    }
  }
  EXPECT_FALSE(read({{"leaf1", std::string(200000, '[')}})->findings.empty());
}

}  // namespace
}  // namespace clusterc
