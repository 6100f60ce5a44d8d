// The cabling of a running fabric: what ibnetdiscover prints, which planned device each one is, and the fewest moves.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "audit/fabric_audit.h"
#include "audit/not_compared.h"
#include "base/format.h"
#include "plan/plan.h"
#include "unit/model/examples.h"

namespace clusterc {
namespace {

using Index = std::int32_t;

// Units of `each` members with `rails` leaves, and spines with two links to each leaf. No plan is needed.
PlannedFabric by_hand(int units, int each, int rails, int spines) {
  PlannedFabric out;
  out.network = "compute";
  out.rails = true;
  const auto device = [&](std::string object, std::string host, int tier) {
    out.devices.push_back({std::move(object), std::move(host), tier, 0, 0});
    out.places.emplace_back();
    return static_cast<Index>(out.devices.size() - 1);
  };
  std::vector<Index> leaves, tops;
  for (int u = 0; u < units; ++u)
    for (int r = 0; r < rails; ++r)
      leaves.push_back(
          device(format("leaf/compute/u{}/r{}", u + 1, r + 1), format("leaf-compute-u{}-r{}", u + 1, r + 1), 0));
  for (int s = 0; s < spines; ++s)
    tops.push_back(device(format("spine/compute/{:02}", s + 1), format("spine-compute-{:02}", s + 1), 1));
  for (int n = 0; n < units * each; ++n) {
    const Index node = device(format("node/gpu/{:03}", n + 1), format("gpu{:03}", n + 1), -1);
    for (int r = 0; r < rails; ++r) {
      const Index leaf = leaves[static_cast<std::size_t>(n / each * rails + r)];
      out.cables.push_back({node, leaf, r, n % each + 1, BitsPerSecond(400e9), format("compute/{}", r + 1)});
    }
  }
  for (const Index leaf : leaves)
    for (int s = 0; s < spines; ++s)
      for (int k = 0; k < 2; ++k)
        out.cables.push_back({leaf, tops[static_cast<std::size_t>(s)], 40 + 2 * s + k, 0, BitsPerSecond(400e9), {}});
  return out;
}

// The fabric that the plan describes, with other names, and with ports and devices in an order of their own.
SeenFabric built(const PlannedFabric& plan, std::mt19937& random, bool planned_names) {
  SeenFabric out;
  std::vector<Index> order(plan.devices.size()), seen_of(plan.devices.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  std::shuffle(order.begin(), order.end(), random);
  for (const Index d : order) {
    const PlannedDevice& p = plan.devices[static_cast<std::size_t>(d)];
    if (p.tier < 0) continue;
    SeenDevice s;
    s.is_switch = true;
    s.listed = true;
    s.name = planned_names ? p.host : format("{}{:03}", p.tier == 0 ? "LEAF" : "SPINE", d);
    s.id = format("{:016x}", 0x1000 + d);
    seen_of[static_cast<std::size_t>(d)] = static_cast<Index>(out.devices.size());
    out.devices.push_back(s);
  }
  std::map<Index, std::int64_t> next;
  for (std::size_t c = 0; c < plan.cables.size(); ++c) {
    const PlannedCable& cable = plan.cables[c];
    const PlannedDevice& near = plan.devices[static_cast<std::size_t>(cable.near)];
    SeenLink l;
    l.a = seen_of[static_cast<std::size_t>(cable.far)];
    l.a_port = ++next[l.a];
    l.b_port = 1;
    if (near.tier < 0) {
      SeenDevice s;
      s.name = planned_names ? near.host : "host-" + near.host;
      s.adapter = cable.near_port + 1;
      s.listed = true;
      s.id = format("{:016x}", 0x100000 + c);
      l.b = static_cast<Index>(out.devices.size());
      out.devices.push_back(s);
    } else {
      l.b = seen_of[static_cast<std::size_t>(cable.near)];
      l.b_port = ++next[l.b];
    }
    l.lanes = 4, l.speed = "4xNDR", l.rate = BitsPerSecond(400e9);
    out.links.push_back(l);
  }
  return out;
}

FabricDifferences compared(const SeenFabric& seen, const PlannedFabric& plan) {
  return compare_fabric(seen, plan, match_fabric(seen, plan));
}

// Two ends at switches are swapped.
void swap_ends(SeenFabric& f, std::size_t i, std::size_t j) {
  std::swap(f.links[i].a, f.links[j].a);
  std::swap(f.links[i].a_port, f.links[j].a_port);
}

// What the moves say is done: the end of the link is put where the plan has it.
void repair(SeenFabric& f, const PlannedFabric& plan, const FabricMatch& match, const FabricDifferences& d) {
  std::map<Index, Index> seen_of;
  for (std::size_t i = 0; i < f.devices.size(); ++i)
    if (f.devices[i].is_switch && match.planned[i] >= 0) seen_of[match.planned[i]] = static_cast<Index>(i);
  std::map<Index, std::pair<Index, std::int64_t>> port_of;  // planned cable of a member -> its adapter
  for (std::size_t l = 0; l < f.links.size(); ++l)
    if (match.port[l] >= 0) port_of[match.port[l]] = {f.links[l].b, f.links[l].b_port};
  for (const CableMove& m : d.moves) {
    SeenLink& l = f.links[static_cast<std::size_t>(m.link)];
    const PlannedCable& c = plan.cables[static_cast<std::size_t>(m.cable)];
    const bool member = plan.devices[static_cast<std::size_t>(c.near)].tier < 0;
    l.a = seen_of.at(c.far);
    if (member)
      std::tie(l.b, l.b_port) = port_of.at(m.cable);
    else
      l.b = seen_of.at(c.near);
  }
}

TEST(FabricAudit, AFabricAsPlannedHasNoDifferences) {
  std::mt19937 random(1);
  const PlannedFabric plan = by_hand(4, 8, 4, 3);
  for (const bool names : {true, false}) {
    const FabricDifferences d = compared(built(plan, random, names), plan);
    EXPECT_EQ(d.right, static_cast<std::int64_t>(plan.cables.size()));
    EXPECT_TRUE(d.moves.empty() && d.missing.empty() && d.extra.empty() && d.absent.empty() && d.unplanned.empty());
  }
}

TEST(FabricAudit, SwapsAreRepairedWithAtMostTwoMovesEach) {
  std::mt19937 random(2);
  const PlannedFabric plan = by_hand(4, 18, 4, 9);
  for (int round = 0; round < 200; ++round) {
    SeenFabric seen = built(plan, random, round % 2 == 0);
    const int swaps = 1 + round % 20;
    for (int s = 0; s < swaps; ++s) swap_ends(seen, random() % seen.links.size(), random() % seen.links.size());
    const FabricMatch match = match_fabric(seen, plan);
    const FabricDifferences d = compare_fabric(seen, plan, match);
    EXPECT_LE(d.ends_to_move(), 2 * swaps);
    EXPECT_TRUE(d.missing.empty() && d.extra.empty() && d.absent.empty() && d.unplanned.empty());
    repair(seen, plan, match, d);
    const FabricDifferences after = compare_fabric(seen, plan, match);
    EXPECT_EQ(after.right, static_cast<std::int64_t>(plan.cables.size())) << "round " << round;
  }
}

// The fewest moves, by trying every order of the wrong cables: the number of ends that change, added up.
std::int64_t fewest_by_trial(std::vector<std::pair<Index, Index>> wrong, std::vector<std::pair<Index, Index>> missing) {
  std::sort(missing.begin(), missing.end());
  std::int64_t best = 1000;
  do {
    std::int64_t ends = 0;
    for (std::size_t i = 0; i < wrong.size(); ++i) {
      const auto [a, b] = wrong[i];
      const auto [c, d] = missing[i];
      ends += std::min((a != c) + (b != d), (a != d) + (b != c));
    }
    best = std::min(best, ends);
  } while (std::next_permutation(missing.begin(), missing.end()));
  return best;
}

TEST(FabricAudit, NoFewerMovesWouldDo) {
  std::mt19937 random(3);
  const PlannedFabric plan = by_hand(3, 6, 2, 4);
  for (int round = 0; round < 200; ++round) {
    SeenFabric seen = built(plan, random, true);
    const SeenFabric right = seen;
    for (int s = 0; s < 3; ++s) swap_ends(seen, random() % seen.links.size(), random() % seen.links.size());
    const FabricDifferences d = compared(seen, plan);
    // Links as pairs of devices, without those that both have.
    std::map<std::pair<Index, Index>, int> count;
    for (const SeenLink& l : seen.links) ++count[std::minmax(l.a, l.b)];
    for (const SeenLink& l : right.links) --count[std::minmax(l.a, l.b)];
    std::vector<std::pair<Index, Index>> wrong, missing;
    for (const auto& [pair, n] : count)
      for (int k = 0; k < std::abs(n); ++k) (n > 0 ? wrong : missing).push_back(pair);
    ASSERT_EQ(wrong.size(), missing.size());
    EXPECT_EQ(d.ends_to_move(), wrong.empty() ? 0 : fewest_by_trial(wrong, missing)) << "round " << round;
  }
}

TEST(FabricAudit, WhatIsMissingExtraOrSlowIsTold) {
  std::mt19937 random(4);
  const PlannedFabric plan = by_hand(2, 4, 2, 2);
  SeenFabric seen = built(plan, random, true);
  const auto of_host = [&](const std::string& host, std::int64_t adapter) {
    return std::find_if(seen.links.begin(), seen.links.end(), [&](const SeenLink& l) {
      const SeenDevice& d = seen.devices[static_cast<std::size_t>(l.b)];
      return d.name == host && d.adapter == adapter;
    });
  };
  of_host("gpu002", 1)->rate = BitsPerSecond(200e9);
  seen.links.erase(of_host("gpu003", 2));
  seen.links.erase(of_host("gpu008", 1));
  seen.links.erase(of_host("gpu008", 2));
  seen.links.push_back(seen.links.back());  // a third link between a leaf and a spine that have two
  const FabricMatch match = match_fabric(seen, plan);
  const FabricDifferences d = compare_fabric(seen, plan, match);
  ASSERT_EQ(d.slow.size(), 1u);
  ASSERT_EQ(d.missing.size(), 1u);
  EXPECT_EQ(plan.cables[static_cast<std::size_t>(d.missing[0])].port, "compute/2");
  ASSERT_EQ(d.absent.size(), 1u);
  EXPECT_EQ(plan.devices[static_cast<std::size_t>(d.absent[0])].host, "gpu008");
  EXPECT_EQ(d.extra.size(), 1u);
  EXPECT_TRUE(d.moves.empty());
}

// Takes the host's name from the adapters of these links, as where rdma-ndd does not run.
void forget_host(SeenFabric& f, std::size_t link) {
  SeenDevice& d = f.devices[static_cast<std::size_t>(f.links[link].b)];
  if (!d.is_switch) d.name.clear(), d.adapter = 0;
}

// With nothing but the ports that are left on a leaf, a swap cannot be seen: such cables are never called right.
TEST(FabricAudit, CablesOfUnnamedAdaptersAreNotJudged) {
  std::mt19937 random(6);
  const PlannedFabric plan = by_hand(1, 3, 2, 1);
  for (const bool swapped : {false, true}) {
    SeenFabric seen = built(plan, random, true);
    if (swapped) swap_ends(seen, 0, 3);  // the first adapter of one host and the second of another
    for (std::size_t l = 0; l < 6; ++l) forget_host(seen, l);
    const FabricDifferences d = compared(seen, plan);
    EXPECT_EQ(d.right, 4);  // between the leaves and the spine
    EXPECT_EQ(d.unjudged, 6);
    EXPECT_FALSE(d.unrecognised);
  }
  SeenFabric seen = built(plan, random, true);
  forget_host(seen, 2);
  const FabricDifferences d = compared(seen, plan);
  EXPECT_EQ(d.right, 9);
  EXPECT_EQ(d.unjudged, 1);
}

TEST(FabricAudit, UnitsOfFewHostsAreRecognisedWithoutNames) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const int units = 1 + round % 4, each = 3 + round % 3, rails = 2 + round % 2;
    const PlannedFabric plan = by_hand(units, each, rails, 2);
    SeenFabric seen = built(plan, random, false);
    const std::size_t ends = static_cast<std::size_t>(units * each * rails);
    swap_ends(seen, random() % ends, random() % ends);
    const FabricMatch match = match_fabric(seen, plan);
    const FabricDifferences d = compare_fabric(seen, plan, match);
    EXPECT_LE(d.ends_to_move(), 2) << "round " << round;
    EXPECT_TRUE(d.missing.empty() && d.extra.empty() && d.absent.empty() && d.unplanned.empty()) << "round " << round;
    EXPECT_EQ(match.by_name, 0);
    EXPECT_EQ(match.by_cables.size(), plan.devices.size());
    repair(seen, plan, match, d);
    EXPECT_EQ(compare_fabric(seen, plan, match).right, static_cast<std::int64_t>(plan.cables.size()));
  }
}

TEST(FabricAudit, AnotherFabricIsNotCompared) {
  std::mt19937 random(8);
  const PlannedFabric plan = by_hand(4, 4, 2, 2);
  SeenFabric seen = built(plan, random, false);
  for (std::size_t l = 0; l < seen.links.size(); ++l) forget_host(seen, l);
  AuditedFabric audited{seen, plan, match_fabric(seen, plan), {}, 0};
  audited.differences = compare_fabric(seen, plan, audited.match);
  ASSERT_TRUE(audited.differences.unrecognised);
  Findings findings;
  report_fabric(audited, 0, findings);
  ASSERT_EQ(findings.all().size(), 1u);
  EXPECT_EQ(
      findings.all().front().message,
      "the capture cannot be recognised as network 'compute': 0 of its 64 links fit one of the 64 planned cables");
}

// The end goes into a port that nothing is plugged into when the work is done.
TEST(FabricAudit, AMoveNamesNoOccupiedPort) {
  std::mt19937 random(9);
  const PlannedFabric plan = by_hand(1, 4, 2, 1);
  for (const bool occupied : {false, true}) {
    SeenFabric seen = built(plan, random, true);
    // The first adapter of gpu002 is in the second leaf; in its port, the second one of the first leaf, may be gpu003.
    seen.links[2].a = seen.links[1].a, seen.links[2].a_port = 60;
    if (occupied) seen.links[4].a_port = 2;
    AuditedFabric audited{seen, plan, match_fabric(seen, plan), {}, 0};
    audited.differences = compare_fabric(seen, plan, audited.match);
    Findings findings;
    report_fabric(audited, 0, findings);
    ASSERT_EQ(findings.all().size(), 1u);
    const Finding& f = findings.all().front();
    EXPECT_EQ(f.rule, "audit-cable-misplaced");
    EXPECT_EQ(f.helps.front().message,
              occupied ? "move its end from 'leaf-compute-u1-r2' port 60 to a free port of 'leaf-compute-u1-r1'"
                       : "move its end from 'leaf-compute-u1-r2' port 60 to 'leaf-compute-u1-r1' port 2");
  }
}

// Pods of `units` units; spine k of each pod is plugged into the cores of group k.
PlannedFabric three_tiers(int pods, int units, int each, int rails, int spines, int cores) {
  PlannedFabric out;
  out.network = "compute";
  out.rails = true;
  const auto device = [&](std::string object, std::string host, int tier, int pod) {
    out.devices.push_back({std::move(object), std::move(host), tier, pod, 0});
    out.places.emplace_back();
    return static_cast<Index>(out.devices.size() - 1);
  };
  std::vector<std::vector<Index>> groups(static_cast<std::size_t>(spines));
  for (int s = 0; s < spines; ++s)
    for (int k = 0; k < cores; ++k)
      groups[static_cast<std::size_t>(s)].push_back(device(format("core/compute/{:02}", s * cores + k + 1),
                                                           format("core-compute-{:02}", s * cores + k + 1), 2, s));
  int node = 0;
  for (int p = 0; p < pods; ++p) {
    std::vector<Index> leaves;
    for (int u = 0; u < units; ++u) {
      std::vector<Index> of_unit;
      for (int r = 0; r < rails; ++r)
        of_unit.push_back(device(format("leaf/compute/u{}/r{}", p * units + u + 1, r + 1),
                                 format("leaf-compute-u{}-r{}", p * units + u + 1, r + 1), 0, p));
      for (int n = 0; n < each; ++n) {
        const Index member = device(format("node/gpu/{:03}", ++node), format("gpu{:03}", node), -1, 0);
        for (int r = 0; r < rails; ++r)
          out.cables.push_back({member, of_unit[static_cast<std::size_t>(r)], r, n + 1, BitsPerSecond(400e9),
                                format("compute/{}", r + 1)});
      }
      leaves.insert(leaves.end(), of_unit.begin(), of_unit.end());
    }
    for (int s = 0; s < spines; ++s) {
      const Index spine = device(format("spine/compute/pod{}/{:02}", p + 1, s + 1),
                                 format("spine-compute-pod{}-{:02}", p + 1, s + 1), 1, p);
      for (const Index leaf : leaves) out.cables.push_back({leaf, spine, 40 + s, 1, BitsPerSecond(400e9), {}});
      for (const Index core : groups[static_cast<std::size_t>(s)])
        out.cables.push_back({spine, core, 40, 1, BitsPerSecond(400e9), {}});
    }
  }
  return out;
}

TEST(FabricAudit, ThreeTiersAreRecognisedByTheirCables) {
  std::mt19937 random(12);
  for (int round = 0; round < 100; ++round) {
    const PlannedFabric plan = three_tiers(2 + round % 3, 2 + round % 2, 4, 4, 4, 2 + round % 3);
    SeenFabric seen = built(plan, random, false);
    for (SeenDevice& d : seen.devices)  // names that follow no order of the plan
      if (d.is_switch) d.name = format("S{:08x}", random());
    const int swaps = round % 4;
    for (int s = 0; s < swaps; ++s) swap_ends(seen, random() % seen.links.size(), random() % seen.links.size());
    const FabricDifferences d = compared(seen, plan);
    EXPECT_LE(d.ends_to_move(), 2 * swaps) << "round " << round;
    EXPECT_TRUE(d.missing.empty() && d.extra.empty() && d.absent.empty() && d.unplanned.empty()) << "round " << round;
    if (swaps == 0) {
      EXPECT_EQ(d.right, static_cast<std::int64_t>(plan.cables.size()));
    }
  }
}

// A port that is in another network is no planned one, however many ports its host has here.
TEST(FabricAudit, AnAdapterOfAnotherNetworkIsNotTakenForAPlannedOne) {
  std::mt19937 random(13);
  const PlannedFabric plan = by_hand(1, 6, 3, 1);
  for (const bool names : {true, false}) {
    SeenFabric seen = built(plan, random, names);
    seen.devices[static_cast<std::size_t>(seen.links[1].b)].adapter = 7;  // the second one of the first host
    const FabricDifferences d = compared(seen, plan);
    EXPECT_EQ(d.right, static_cast<std::int64_t>(plan.cables.size()) - 1);
    EXPECT_EQ(d.missing.size(), 1u);
    EXPECT_EQ(d.unplanned.size(), 1u);
    EXPECT_TRUE(d.moves.empty() && d.absent.empty());
  }
}

// Two hosts, each with numbers of its own: nothing tells which are planned, and that is told.
TEST(FabricAudit, NumbersThatNothingDecidesAreTold) {
  std::mt19937 random(16);
  const PlannedFabric plan = by_hand(1, 2, 3, 1);
  for (const bool differ : {false, true}) {
    SeenFabric seen = built(plan, random, true);
    if (differ) seen.devices[static_cast<std::size_t>(seen.links[2].b)].adapter = 5;
    AuditedFabric audited{seen, plan, match_fabric(seen, plan), {}, 0};
    audited.differences = compare_fabric(seen, plan, audited.match);
    EXPECT_EQ(audited.differences.right, static_cast<std::int64_t>(plan.cables.size()));
    Findings findings;
    report_fabric(audited, 0, findings);
    ASSERT_EQ(findings.all().size(), differ ? 1u : 0u);
    if (differ) {
      EXPECT_EQ(findings.all().front().rule, "audit-adapters-differ");
      EXPECT_EQ(findings.all().front().severity, Severity::warning);
      EXPECT_NE(std::ranges::find(kNotCompared, findings.all().front().rule), std::end(kNotCompared));
    }
  }
}

TEST(FabricAudit, APortThatNoHostHasCostsNoOtherOne) {
  std::mt19937 random(14);
  const PlannedFabric plan = by_hand(2, 4, 4, 1);
  for (std::int64_t lost = 1; lost <= 4; ++lost) {
    SeenFabric seen = built(plan, random, true);
    std::erase_if(seen.links, [&](const SeenLink& l) {
      const SeenDevice& d = seen.devices[static_cast<std::size_t>(l.b)];
      return !d.is_switch && d.adapter == lost;
    });
    const FabricDifferences d = compared(seen, plan);
    EXPECT_EQ(d.right, static_cast<std::int64_t>(plan.cables.size()) - 8) << lost;
    EXPECT_EQ(d.missing.size(), 8u);
    EXPECT_TRUE(d.moves.empty() && d.absent.empty() && d.unplanned.empty());
  }
}

TEST(FabricAudit, HostsWithTheirDomainsAreThoseOfThePlan) {
  std::mt19937 random(15);
  const PlannedFabric plan = by_hand(2, 3, 2, 1);
  SeenFabric seen = built(plan, random, true);
  for (SeenDevice& d : seen.devices)
    if (!d.is_switch)
      d.name = (d.name == "gpu001" ? "gpu004" : d.name == "gpu004" ? "gpu001" : d.name) + ".example.org";
  const FabricMatch match = match_fabric(seen, plan);
  EXPECT_TRUE(match.by_cables.empty());
  EXPECT_EQ(compare_fabric(seen, plan, match).ends_to_move(), 4);  // two hosts were exchanged
}

// What ibnetdiscover prints, by hand after its manual page: three hosts on two rails and one spine. The cables of n1
// are swapped, the second leaf has one uplink of two, and the second adapter of n3 has two lanes of four.
constexpr const char* kDump = R"(#
# Topology file: generated on Mon Nov  2 10:00:00 2026
#
vendid=0x2c9
devid=0xd2f2
sysimgguid=0x2c90300000001
switchguid=0x2c90300000001(2c90300000001)
Switch	65 "S-0002c90300000001"		# "MF0;leaf-rail-1:MQM9700/U1" enhanced port 0 lid 1 lmc 0
[1]	"H-0002c90300000a02"[1](2c90300000a02) 		# "n1 HCA-2" lid 11 4xNDR
[2]	"H-0002c90300000b01"[1](2c90300000b01) 		# "n2 HCA-1" lid 12 4xNDR
[3]	"H-0002c90300000c01"[1](2c90300000c01) 		# "n3 HCA-1" lid 13 4xNDR
[33]	"S-0002c90300000003"[1]		# "MF0;spine-1:MQM9700/U1" lid 3 4xNDR
[34]	"S-0002c90300000003"[2]		# "MF0;spine-1:MQM9700/U1" lid 3 4xNDR
[65]	"H-0002c90300000ff0"[1](2c90300000ff0) 		# "Mellanox Technologies Aggregation Node" lid 9 4xNDR

Switch	65 "S-0002c90300000002"		# "MF0;leaf-rail-2:MQM9700/U1" enhanced port 0 lid 2 lmc 0
[1]	"H-0002c90300000a01"[1](2c90300000a01) 		# "n1 HCA-1" lid 21 4xNDR
[2]	"H-0002c90300000b02"[1](2c90300000b02) 		# "n2 mlx5_1" lid 22 4xNDR
[3]	"H-0002c90300000c02"[1](2c90300000c02) 		# "n3 HCA-2" lid 23 2xNDR
[33]	"S-0002c90300000003"[33]		# "MF0;spine-1:MQM9700/U1" lid 3 4xNDR

Switch	65 "S-0002c90300000003"		# "MF0;spine-1:MQM9700/U1" enhanced port 0 lid 3 lmc 0
[1]	"S-0002c90300000001"[33]		# "MF0;leaf-rail-1:MQM9700/U1" lid 1 4xNDR
[2]	"S-0002c90300000001"[34]		# "MF0;leaf-rail-1:MQM9700/U1" lid 1 4xNDR
[33]	"S-0002c90300000002"[33]		# "MF0;leaf-rail-2:MQM9700/U1" lid 2 4xNDR

Ca	1 "H-0002c90300000a02"		# "n1 HCA-2"
[1](2c90300000a02) 	"S-0002c90300000001"[1]		# lid 11 lmc 0 "MF0;leaf-rail-1:MQM9700/U1" lid 1 4xNDR

Ca	1 "H-0002c90300000b01"		# "n2 HCA-1"
[1](2c90300000b01) 	"S-0002c90300000001"[2]		# lid 12 lmc 0 "MF0;leaf-rail-1:MQM9700/U1" lid 1 4xNDR

Ca	1 "H-0002c90300000c01"		# "n3 HCA-1"
[1](2c90300000c01) 	"S-0002c90300000001"[3]		# lid 13 lmc 0 "MF0;leaf-rail-1:MQM9700/U1" lid 1 4xNDR

Ca	1 "H-0002c90300000ff0"		# "Mellanox Technologies Aggregation Node"
[1](2c90300000ff0) 	"S-0002c90300000001"[65]		# lid 9 lmc 0 "MF0;leaf-rail-1:MQM9700/U1" lid 1 4xNDR

Ca	1 "H-0002c90300000a01"		# "n1 HCA-1"
[1](2c90300000a01) 	"S-0002c90300000002"[1]		# lid 21 lmc 0 "MF0;leaf-rail-2:MQM9700/U1" lid 2 4xNDR

Ca	1 "H-0002c90300000b02"		# "n2 mlx5_1"
[1](2c90300000b02) 	"S-0002c90300000002"[2]		# lid 22 lmc 0 "MF0;leaf-rail-2:MQM9700/U1" lid 2 4xNDR

Ca	1 "H-0002c90300000c02"		# "n3 HCA-2"
[1](2c90300000c02) 	"S-0002c90300000002"[3]		# lid 23 lmc 0 "MF0;leaf-rail-2:MQM9700/U1" lid 2 2xNDR
)";

TEST(Ibnetdiscover, LinksAndNamesAreRead) {
  Sources sources;
  Findings findings;
  const SeenFabric f = read_ibnetdiscover(sources, sources.add("fabric.txt", kDump), findings);
  EXPECT_TRUE(findings.empty());
  ASSERT_EQ(f.links.size(), 10u);  // each once, with the one to the aggregation node
  EXPECT_EQ(f.devices[0].name, "leaf-rail-1");
  EXPECT_EQ(f.devices[1].name, "n1");
  EXPECT_EQ(f.devices[1].adapter, 2);
  EXPECT_DOUBLE_EQ(f.links[0].rate.value, 400e9);
  const auto n2 =
      std::find_if(f.devices.begin(), f.devices.end(), [](const SeenDevice& d) { return d.id == "0002c90300000b02"; });
  EXPECT_EQ(n2->adapter, 2);  // mlx5_1 counts from 0
}

TEST(Ibnetdiscover, SwapMissingUplinkAndHalfWidthAreNamed) {
  Sources sources;
  Findings findings;
  const FileId file = sources.add("fabric.txt", kDump);
  const SeenFabric seen = read_ibnetdiscover(sources, file, findings);
  PlannedFabric plan = by_hand(1, 3, 2, 1);
  for (int n = 0; n < 3; ++n) plan.devices[static_cast<std::size_t>(3 + n)].host = format("n{}", n + 1);
  AuditedFabric audited{seen, plan, match_fabric(seen, plan), {}, 0};
  audited.differences = compare_fabric(seen, plan, audited.match);
  report_fabric(audited, file, findings);
  findings.sort(sources);
  std::vector<std::string> told;
  for (const Finding& f : findings.all()) told.push_back(f.rule + ": " + f.message);
  std::sort(told.begin(), told.end(), std::greater<>());
  ASSERT_EQ(told.size(), 4u);
  EXPECT_EQ(told[0],
            "audit-names-differ: 3 switches are not called as planned: they were recognised by their cables "
            "('leaf-compute-u1-r1' is 'leaf-rail-1', 'leaf-compute-u1-r2' is 'leaf-rail-2', 'spine-compute-01' is "
            "'spine-1')");
  EXPECT_EQ(told[1],
            "audit-link-slow: the link between 'leaf-rail-2' (planned as 'leaf-compute-u1-r2') port 3 and 'n3' adapter "
            "2 port 1 runs at 200 Gb/s (2xNDR), planned 400 Gb/s");
  EXPECT_EQ(told[2],
            "audit-link-missing: 'leaf-rail-2' (planned as 'leaf-compute-u1-r2') has 1 link to 'spine-1' (planned as "
            "'spine-compute-01'), planned 2");
  EXPECT_EQ(
      told[3],
      "audit-cable-misplaced: the cables of 'n1' adapter 2 port 1 and 'n1' adapter 1 port 1 are swapped: they are "
      "in 'leaf-rail-1' (planned as 'leaf-compute-u1-r1') port 1 and 'leaf-rail-2' (planned as "
      "'leaf-compute-u1-r2') port 1");
}

TEST(Ibnetdiscover, ADumpThatWasCutIsTold) {
  const std::string dump = kDump;
  const auto told = [&](const std::string& text) {
    Sources sources;
    Findings findings;
    read_ibnetdiscover(sources, sources.add("fabric.txt", text), findings);
    std::string out;
    for (const Finding& f : findings.all()) out += f.rule + ": " + f.message + "\n";
    return out;
  };
  EXPECT_EQ(told(dump), "");
  EXPECT_EQ(told(dump.substr(0, dump.find("\nCa\t"))),
            "audit-capture-unread: the dump has no record of 7 of its 10 devices, for example of the one in this line: "
            "the dump was cut, or edited\n");
  std::string edited = dump;
  const std::string line = "[34]\t\"S-0002c90300000003\"";
  edited.erase(edited.find(line), edited.find('\n', edited.find(line)) + 1 - edited.find(line));
  EXPECT_EQ(told(edited),
            "audit-capture-unread: 1 of 10 links have one of their ends only, for example the one in this line: the "
            "dump was cut, or edited\n");
}

TEST(Ibnetdiscover, HostileTextsEnd) {
  std::mt19937 random(5);
  const std::string dump = kDump;
  for (int round = 0; round < 300; ++round) {
    std::string text = dump;
    for (int k = 0; k < 1 + round % 30; ++k) text[random() % text.size()] = static_cast<char>(random() % 256);
    Sources sources;
    Findings findings;
    const SeenFabric seen = read_ibnetdiscover(sources, sources.add("x", text), findings);
    const PlannedFabric plan = by_hand(1, 3, 2, 1);
    const FabricDifferences d = compared(seen, plan);
    EXPECT_LE(d.right + d.unjudged, d.planned_cables);
  }
}

}  // namespace
}  // namespace clusterc
