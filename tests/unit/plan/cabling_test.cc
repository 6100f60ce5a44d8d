// The parts that join the ports, chosen from the built-in catalogue.
#include "plan/fabric/cabling.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "plan/cost/accessories.h"
#include "unit/model/examples.h"

namespace clusterc {
namespace {

CablePart with_lengths(std::initializer_list<double> lengths, double reach) {
  CablePart p;
  for (double l : lengths) p.lengths.emplace_back(Meters(l), SourceSpan{}, Origin::catalog);
  p.reach = Value<Meters>(Meters(reach), {}, Origin::catalog);
  return p;
}

TEST(Cabling, TheNextLongerLengthIsBought) {
  const CablePart dac = with_lengths({0.5, 1, 1.5, 2}, 2);
  EXPECT_EQ(sold_length(dac, Meters(0.2)).value, 0.5);
  EXPECT_EQ(sold_length(dac, Meters(1)).value, 1);
  EXPECT_EQ(sold_length(dac, Meters(1.01)).value, 1.5);
  EXPECT_EQ(sold_length(dac, Meters(2.1)).value, 0);  // beyond its reach: none
  // Made to length: whole metres up to 10, steps of 5 up to 100, of 10 beyond, never past the reach.
  const CablePart made = with_lengths({}, 502);
  EXPECT_EQ(sold_length(made, Meters(3.2)).value, 4);
  EXPECT_EQ(sold_length(made, Meters(10.5)).value, 15);
  EXPECT_EQ(sold_length(made, Meters(101)).value, 110);
  EXPECT_EQ(sold_length(made, Meters(500.5)).value, 502);
}

TEST(Cabling, CagesTakeTheirOwnPlugsAndSlowerQsfp) {
  EXPECT_TRUE(cage_takes("osfp", "osfp"));
  EXPECT_FALSE(cage_takes("osfp", "osfp-flat"));  // fins do not fit under a riding heat sink
  EXPECT_FALSE(cage_takes("osfp-flat", "osfp"));
  EXPECT_TRUE(cage_takes("qsfp112", "qsfp28"));
  EXPECT_TRUE(cage_takes("qsfp56", "qsfp28"));
  EXPECT_FALSE(cage_takes("qsfp28", "qsfp56"));
  EXPECT_FALSE(cage_takes("rj45", "qsfp28"));
  EXPECT_TRUE(cage_takes("qsfp-dd", "qsfp28"));
  EXPECT_TRUE(cage_takes("qsfp-dd", "qsfp56"));
  EXPECT_FALSE(cage_takes("qsfp-dd", "qsfp112"));  // of lanes of 100 Gb/s
  EXPECT_FALSE(cage_takes("qsfp56", "qsfp-dd"));
}

struct Count {
  const Plan& plan;
  const Cluster& cluster;
  bool module(int part) const { return cluster.cables[static_cast<std::size_t>(part)].part->module.value_or(false); }
  // Of all parts of a use: modules, or cables and fibre.
  std::int64_t modules(const std::string& what) const { return sum(what, true); }
  std::int64_t cables(const std::string& what) const { return sum(what, false); }
  std::int64_t sum(const std::string& what, bool modules) const {
    std::int64_t n = 0;
    for (const Cabling::Lot& l : plan.cabling().lots())
      if (l.what == what && module(l.part) == modules) n += l.count;
    return n;
  }
  std::int64_t of(const std::string& part, const std::string& what, double length = 0) const {
    std::int64_t n = 0;
    for (const Cabling::Lot& l : plan.cabling().lots())
      if (cluster.cables[static_cast<std::size_t>(l.part)].id == part && l.what == what &&
          (length == 0 || l.length.value == length))
        n += l.count;
    return n;
  }
};

std::string superpod_text() {
  std::ifstream in(std::string(CLUSTERC_SOURCE_DIR) + "/examples/superpod.yaml", std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

// NVIDIA DGX SuperPOD reference architecture with DGX H100, RA-11333-001 V11 (2023-09-22), appendix A, tables 7 and 8:
// the 4 SU, 127-node bill. It is all fibre, which the spec says with `media`. Outside what topology gives are, and are
// not held here:
//   storage 494 + 48 x 2x200, 369 transceivers, 16 switches: the number of switches is the publication's, ours follow
//   from the ports in use in-band 8 switches, 6 inter-switch links, 24 leaf to core, 8 for NFS: its in-band network is
//   a chain of pairs, ours a leaf and spine out-of-band 8 switches, 64 + 8 switch ports: it counts its own numbers of
//   storage and in-band switches; 2 cables between fabric managers
TEST(Cabling, SuperpodAsPublished) {
  Resolved r;
  r.text(replace_all(superpod_text(), "built_for: { gpu: 128 }", "built_for: { gpu: 128 }\n    media: multimode"));
  ASSERT_TRUE(r.cluster);
  const Plan p = plan_cluster(*r.cluster);
  const Count n{p, *r.cluster};
  // cables_compute_ndr 2040 = 127 x 8 + 1,024; the fabric managers' four are listed apart
  EXPECT_EQ(n.cables("compute: gpu to leaf"), 1016);
  EXPECT_EQ(n.cables("compute: leaf to spine"), 1024);
  EXPECT_EQ(n.cables("compute: gpu to leaf") + n.cables("compute: leaf to spine"), 2040);
  EXPECT_EQ(n.cables("compute: fm to leaf"), 4);
  // transceivers_compute_switch 1536 = (1,024 leaf ports down + 2 x 1,024 ends of leaf-spine) / 2, twin-port
  EXPECT_EQ(n.modules("compute: leaf"), 1024);
  EXPECT_EQ(n.modules("compute: spine"), 512);
  EXPECT_EQ(n.modules("compute: leaf") + n.modules("compute: spine"), 1536);
  EXPECT_EQ(n.of("mma4z00-ns", "compute: leaf") + n.of("mma4z00-ns", "compute: spine"), 1536);
  // transceivers_compute_node 508 = 127 x 8 / 2, twin-port with a flat top; transceivers_ufm 4, single
  EXPECT_EQ(n.of("mma4z00-ns-flt", "compute: gpu"), 508);
  EXPECT_EQ(n.of("mma4z00-ns400", "compute: fm"), 4);
  // transceivers_storage_node 254 = 127 x 2, single-port QSFP112
  EXPECT_EQ(n.of("mma1z00-ns400", "storage: gpu"), 254);
  // cables_inband dgx_200g_aoc 254 = 127 x 2 (ours at the 100 Gb/s of the switch)
  EXPECT_EQ(n.cables("inband: gpu to leaf"), 254);
  // cables_oob_1g: dgx 127, pdus 108, infiniband switches of the compute fabric 48, management and UFM 8
  EXPECT_EQ(n.cables("oob: gpu to leaf"), 127);
  EXPECT_EQ(n.cables("oob: PDUs to leaf"), 108);
  EXPECT_EQ(n.cables("oob: management ports of compute switches to leaf"), 48);
  EXPECT_EQ(n.cables("oob: fm to leaf") + n.cables("oob: head to leaf") + n.cables("oob: login to leaf"), 8);
  EXPECT_TRUE(p.cabling().unbuilt().empty()) << p.cabling().unbuilt()[0].what << ": " << p.cabling().unbuilt()[0].why;
  // racks 38 = 32 of four systems + 6; pdus_compute 96 = 32 x 3, pdus_other 12 = 6 x 2; 127 systems, 4 UFM appliances,
  // 4 management servers; 48 switches
  const auto pieces = [&](BillKind kind, const std::string& part = {}) {
    std::int64_t count = 0;
    for (const BillLine& l : p.bill())
      if (l.kind == kind && (part.empty() || l.part == part)) count += l.count;
    return count;
  };
  EXPECT_EQ(pieces(BillKind::rack), 38);
  EXPECT_EQ(pieces(BillKind::pdu, "na-415-3ph-60"), 96);
  EXPECT_EQ(pieces(BillKind::pdu, "na-415-3ph-60-c13"), 12);
  EXPECT_EQ(pieces(BillKind::server, "nvidia-dgx-h100"), 127);
  EXPECT_EQ(pieces(BillKind::server, "generic-1u"), 4);
  EXPECT_EQ(pieces(BillKind::server, "generic-2u"), 4);
  EXPECT_EQ(p.fabrics[0].tiers[0].count + p.fabrics[0].tiers[1].count, 48);
}

// 127 systems with six C20 inlets and eight storage systems with two: 778 cords. 61 + 15 + 7 switches and 8 servers
// with two C14 each: 182. 38 racks of 48 U less 127 x 8, 4 x 2, 4 x 1, 8 x 2, 61, 15 x 2 and 7 U: 682 panels. Four rows
// of eight racks of 0.8 m, one of six, 3 m from one to the next: 12 m across.
TEST(Accessories, OfTheSuperpod) {
  Resolved r;
  r.example("superpod");
  std::vector<std::tuple<std::string, double, std::int64_t>> all;
  for (const Accessory& a : accessories_of(plan_cluster(*r.cluster))) all.emplace_back(a.part, a.length.value, a.count);
  const decltype(all) wanted{{"power-cord-c13-c14", 0, (61 + 15 + 7 + 8) * 2},
                             {"power-cord-c19-c20", 0, 127 * 6 + 8 * 2},
                             {"blanking-panel-1u", 0, 38 * 48 - 127 * 8 - 4 * 2 - 4 - 8 * 2 - 61 - 15 * 2 - 7},
                             {"cable-tray", 4.8, 1},
                             {"cable-tray", 6.4, 4},
                             {"cable-tray", 12, 1}};
  EXPECT_EQ(all, wanted);
}

// Left to itself the plan takes copper where it reaches: a straight cable between twin-port cages carries two links.
TEST(Cabling, CopperFirst) {
  Resolved r;
  r.example("superpod");
  const Plan p = plan_cluster(*r.cluster);
  const Count n{p, *r.cluster};
  const std::string what = "compute: leaf to spine";
  const std::int64_t straight = n.of("mcp4y10", what) + n.of("acc-ndr-straight", what);
  EXPECT_GT(n.of("mcp4y10", what), 0);
  EXPECT_EQ(2 * straight + n.of("mfp7e10", what), 1024);
  EXPECT_EQ(n.modules("compute: spine"), (1024 - 2 * straight) / 2);
}

// Two percent of each part, rounded up: 2 % of 127 x 8 = 1,016 flat modules of 508 are 10.16, so 11.
TEST(Cabling, SparesHaveALineOfTheirOwn) {
  Resolved r;
  r.example("superpod");
  const Plan p = plan_cluster(*r.cluster);
  std::int64_t spares = 0, lines = 0;
  for (const BillLine& b : p.bill())
    if (b.part == "mma4z00-ns-flt" && b.count == 0) {
      spares += b.spares;
      ++lines;
      EXPECT_TRUE(b.planning_default);
      EXPECT_EQ(b.what, "spares: 2 % of 508");
    }
  EXPECT_EQ(lines, 1);
  EXPECT_EQ(spares, 11);
}

// Spares of one part in many lengths: no more than 2 % of all of them, rounded up, and each length has its whole ones.
TEST(Cabling, SparesAreAShareOfThePartNotOfEachLength) {
  Resolved r;
  r.example("superpod");
  const Plan p = plan_cluster(*r.cluster);
  struct Sum {
    std::int64_t pieces = 0, spares = 0;
    std::map<double, std::pair<std::int64_t, std::int64_t>> lengths;
  };
  std::map<std::string, Sum> parts;
  for (const BillLine& b : p.bill()) {
    if (b.kind != BillKind::cable && b.kind != BillKind::module && b.kind != BillKind::fibre) continue;
    Sum& s = parts[b.part];
    s.pieces += b.count;
    s.spares += b.spares;
    s.lengths[b.length.value].first += b.count;
    s.lengths[b.length.value].second += b.spares;
  }
  ASSERT_GT(parts["cat6"].lengths.size(), 2u);
  for (const auto& [part, s] : parts) {
    EXPECT_EQ(s.spares, (2 * s.pieces + 99) / 100) << part;
    for (const auto& [length, n] : s.lengths) EXPECT_GE(n.second, 2 * n.first / 100) << part << " " << length;
  }
}

std::string small(const std::string& nodes, const std::string& nics, const std::string& network,
                  const std::string& more = "") {
  return "clusterc: 1\nname: small\nsite:\n  region: iec\n  supply: { phases: 3, voltage: 400 V }\n  feeds: { A: { "
         "capacity: 200 kVA } }\n"
         "racks:\n  main: { names: r1, model: generic-48u-800x1200, pdus: [ { model: eu-400-3ph-63, feed: A } ] }\n"
         "nodes:\n  n: { names: \"" +
         nodes + "\", model: generic-2u, nics: { " + nics +
         " }, racks: main }\n"
         "networks:\n  fast: { " +
         network + ", racks: main, connects: { n: { ports: fast } } }\ncabling: { slack: 0 m" + more +
         " }\nsoftware: { os: ubuntu-24.04 }\n";
}

// Three single-port adapters on twin-port cages: a splitter for the first two, half of one for the third. Both stand in
// one rack, the switch in the uppermost of 48 units: (48 - 1) x 44.45 mm + 0.8 m of rack = 2.89 m to the lowest node,
// so 3 m.
TEST(Cabling, SplitterCountsOnce) {
  Resolved r;
  r.text(small("n[1-3]", "fast: cx7-ndr-osfp", "kind: infiniband, rate: 400 Gb/s, switch: nvidia-qm9700"));
  ASSERT_TRUE(r.cluster);
  const Plan p = plan_cluster(*r.cluster);
  const Count n{p, *r.cluster};
  EXPECT_EQ(n.of("mcp7y00", "fast: n to switch", 3), 2) << r.told();
  EXPECT_EQ(n.modules("fast: switch"), 0);
}

// Four links of 200 Gb/s in one cage of a switch whose ports are split in two: DAC of one head and four tails; optics
// share a split fibre.
TEST(Cabling, SplitPortsShareAFibre) {
  Resolved r;
  r.text(small("n[1-8]", "fast: cx7-dual200",
               "kind: infiniband, rate: 200 Gb/s, switch: nvidia-qm9700, breakout: 2, media: multimode"));
  ASSERT_TRUE(r.cluster);
  const Plan p = plan_cluster(*r.cluster);
  const Count n{p, *r.cluster};
  // 8 x 2 links of 200 Gb/s: 16 / 4 = 4 twin-port modules in the switch, 16 / 2 = 8 split fibres, 16 modules in the
  // adapters
  EXPECT_EQ(n.of("mma4z00-ns", "fast: switch"), 4) << r.told();
  EXPECT_EQ(n.of("mfp7e20", "fast: n to switch"), 8);
  EXPECT_EQ(n.of("mma1z00-ns400", "fast: n"), 16);
}

TEST(Cabling, WhatNothingReachesIsTold) {
  Resolved r;
  r.text(small("n[1-2]", "fast: cx7-ndr-osfp",
               "kind: infiniband, rate: 400 Gb/s, switch: nvidia-qm9700, media: twisted-pair"));
  ASSERT_TRUE(r.cluster);
  const Plan p = plan_cluster(*r.cluster);
  ASSERT_EQ(p.cabling().unbuilt().size(), 1u);
  const Cabling::Unbuilt& u = p.cabling().unbuilt()[0];
  EXPECT_EQ(u.count, 2);
  EXPECT_EQ(u.what, "fast: n to switch");
  EXPECT_EQ(u.why, "no part in the catalogue connects osfp (2 links) to osfp-flat at 400 Gb/s");
  EXPECT_EQ(u.near.object, "node/n/1");
}

// Every link has its parts, both ends of modules of one kind, and a length no shorter than the way and no longer than
// the part reaches.
TEST(Cabling, EveryCableIsWithinReach) {
  for (const char* name : {"superpod", "roce-16384", "nvl72", "lab"}) {
    Resolved r;
    r.example(name);
    ASSERT_TRUE(r.cluster);
    const Plan p = plan_cluster(*r.cluster);
    const Links links(p);
    std::int64_t all = 0, without = 0;
    for (std::size_t f = 0; f < p.fabrics.size(); ++f)
      links.each(static_cast<int>(f), [&](const PluggedLink& l) {
        const Cabling::Run run = p.cabling().run(l);
        ++all;
        if (!run.cable) {
          without += l.length > 0;
          return true;
        }
        EXPECT_GE(run.length.value + 1e-4, l.length) << name;
        EXPECT_LE(run.length.value, run.cable->part->reach->value + 1e-6) << name;
        EXPECT_EQ(run.near_module == nullptr, run.far_module == nullptr);
        if (run.near_module) {
          EXPECT_EQ(*run.near_module->part->optic, *run.far_module->part->optic);
          // Each end of the fibre goes into the module there, whichever way round: MPO at the head of split fibre, LC
          // at its tails.
          const CablePart& fibre = *run.cable->part;
          const std::string tail = fibre.far_connector.value_or(*fibre.connector);
          EXPECT_EQ(std::set({*run.near_module->part->fibre, *run.far_module->part->fibre}),
                    std::set({*fibre.connector, tail}));
          EXPECT_LE(run.length.value,
                    std::max({run.near_module->part->reach->value, run.far_module->part->reach->value}) + 1e-6);
        }
        return !testing::Test::HasFailure();
      });
    std::int64_t told = 0;
    for (const Cabling::Unbuilt& u : p.cabling().unbuilt()) told += u.count;
    EXPECT_EQ(without, told) << name;
    EXPECT_GT(all, 0) << name;
  }
}

// The rules look at fabrics in doubt alone: what they are told must be what the bill has.
TEST(Cabling, TheDoubtfulFabricsHoldAllThatCannotBeBuilt) {
  for (const char* name : {"superpod", "roce-16384", "nvl72", "lab", "cloud", "campus", "published/colossus-array",
                           "published/roce-rail-64"}) {
    Resolved r;
    r.example(name);
    ASSERT_TRUE(r.cluster) << name;
    const Plan p = plan_cluster(*r.cluster);
    const auto told = [](const Cabling& c) {
      std::vector<std::string> out;
      for (const Cabling::Unbuilt& u : c.unbuilt())
        out.push_back(
            format("{} {} {} {} {:.3f} {:.3f}", u.fabric, u.what, u.why, u.count, u.longest.value, u.reach.value));
      return out;
    };
    EXPECT_EQ(told(p.doubtful_cabling()), told(p.cabling())) << name;
    if (std::string_view(name) == "superpod") {
      EXPECT_TRUE(told(p.cabling()).empty());
    }
    if (std::string_view(name) == "roce-16384") {
      EXPECT_FALSE(told(p.cabling()).empty());
    }
  }
}

}  // namespace
}  // namespace clusterc
