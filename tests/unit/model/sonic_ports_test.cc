#include "model/sonic_ports.h"

#include <gtest/gtest.h>

#include <set>

#include "catalog/catalog.h"

namespace clusterc {
namespace {

constexpr double kGiga = 1e9;

Value<std::string> text(std::string t) { return Value<std::string>(std::move(t), {}, Origin::spec); }
Value<std::int64_t> number(std::int64_t n) { return Value<std::int64_t>(n, {}, Origin::spec); }

struct House {
  Sources sources;
  Findings findings;
  Catalog catalog{sources, findings};
};

// The file of its platform: "Ethernet8": { index 2, lanes 8 to 15 }, 2x400G as etp2a, etp2b
// (sonic-buildimage, device/mellanox/x86_64-nvidia_sn5600-r0/platform.json).
TEST(SonicPorts, APartOfASplitCageHasItsShareOfTheLanes) {
  House h;
  const SwitchPart* part = h.catalog.switch_("nvidia-sn5600");
  ASSERT_NE(part, nullptr);
  const auto map = SonicPortMap::of(*part);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->cages(), 64);
  const auto first = map->port(2, 2, 0, BitsPerSecond(400 * kGiga)),
             second = map->port(2, 2, 1, BitsPerSecond(400 * kGiga));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->name, "Ethernet8");
  EXPECT_EQ(first->alias, "etp2a");
  EXPECT_EQ(first->lanes, "8,9,10,11");
  EXPECT_EQ(first->index, 2);
  EXPECT_EQ(second->name, "Ethernet12");
  EXPECT_EQ(second->alias, "etp2b");
  EXPECT_EQ(second->lanes, "12,13,14,15");
  const SonicMode* mode = map->mode(2, 2, BitsPerSecond(400 * kGiga));
  ASSERT_NE(mode, nullptr);
  EXPECT_EQ(mode->text, "2x400G[200G,100G,50G,40G,25G,10G]");
  EXPECT_EQ(map->mode(2, 8, BitsPerSecond(100 * kGiga)), nullptr);
  EXPECT_EQ(map->mode(65, 1, BitsPerSecond(800 * kGiga)), nullptr);
  EXPECT_FALSE(map->port(65, 1, 0, BitsPerSecond(800 * kGiga)));
  EXPECT_FALSE(map->port(0, 1, 0, BitsPerSecond(800 * kGiga)));
}

// "Ethernet52": { index 50, lanes 196 to 199 }: the uplinks follow the 48 ports, and have four lanes.
TEST(SonicPorts, UplinksFollowThePorts) {
  House h;
  const auto map = SonicPortMap::of(*h.catalog.switch_("nvidia-sn2201"));
  ASSERT_TRUE(map);
  EXPECT_EQ(map->cages(), 52);
  const auto copper = map->port(48, 1, 0, BitsPerSecond(kGiga)),
             uplink = map->port(50, 1, 0, BitsPerSecond(100 * kGiga));
  ASSERT_TRUE(copper && uplink);
  EXPECT_EQ(copper->name + " " + copper->lanes, "Ethernet47 188");
  EXPECT_EQ(uplink->name + " " + uplink->lanes, "Ethernet52 196,197,198,199");
  ASSERT_NE(map->mode(48, 1, BitsPerSecond(kGiga)), nullptr);
  EXPECT_EQ(map->mode(48, 1, BitsPerSecond(kGiga))->text, "1x1000[100,10]");
}

// Both ports of a twin-port cage are parts of it: 128 ports of 400 Gb/s in 64 cages.
TEST(SonicPorts, TwinPortsShareACage) {
  House h;
  const auto map = SonicPortMap::of(*h.catalog.switch_("nvidia-sn5640"));
  ASSERT_TRUE(map);
  EXPECT_EQ(map->cages(), 64);
  EXPECT_EQ(map->ways(64), 2);
  EXPECT_EQ(map->port(64, 2, 1, BitsPerSecond(400 * kGiga))->alias, "etp64b");
}

TEST(SonicPorts, EveryMapOfTheCatalogueFitsItsSwitch) {
  House h;
  int maps = 0;
  for (const PartInfo& p : h.catalog.list()) {
    if (p.kind != PartKind::switch_) continue;
    const SwitchPart* part = h.catalog.switch_(p.id);
    ASSERT_NE(part, nullptr) << p.id;
    if (!part->sonic) continue;
    ++maps;
    std::string why;
    const auto map = SonicPortMap::of(*part, &why);
    ASSERT_TRUE(map) << p.id << ": " << why;
    std::set<std::string> names, aliases, lanes;
    for (std::int64_t cage = 1; cage <= map->cages(); ++cage) {
      for (std::int64_t way = 0; way < map->ways(cage); ++way) {
        const auto port = map->port(cage, map->ways(cage), way, map->rate(cage));
        ASSERT_TRUE(port) << p.id << " " << cage;
        EXPECT_TRUE(names.insert(port->name).second && aliases.insert(port->alias).second &&
                    lanes.insert(port->lanes).second)
            << p.id << " " << cage;
      }
      if (map->splits(cage)) {
        EXPECT_NE(map->mode(cage, map->ways(cage), map->rate(cage)), nullptr) << p.id << " " << cage;
      }
    }
  }
  EXPECT_GE(maps, 40);
}

TEST(SonicPorts, ListsAreWrittenInSteps) {
  EXPECT_EQ(numbers_in_steps("1-13/4 21 17"), (std::vector<std::int64_t>{1, 5, 9, 13, 21, 17}));
  EXPECT_EQ(numbers_in_steps(""), std::vector<std::int64_t>{});
  for (const char* wrong : {"1-", "-3", "1-9", "1-9/0", "9-1/2", "a", "0-99999999/1", "1,2", "1-9/2x"})
    EXPECT_FALSE(numbers_in_steps(wrong)) << wrong;
}

TEST(SonicPorts, AMapThatDoesNotFitSaysWhy) {
  SwitchPart part;
  part.ports = number(4);
  std::string why;
  EXPECT_FALSE(SonicPortMap::of(part, &why));
  EXPECT_EQ(why, "no names and lanes of its ports are known");
  part.sonic.emplace();
  SonicPorts& s = *part.sonic;
  s.platform = text("x86_64-own-r0"), s.hwsku = text("Own"), s.width = number(4), s.alias = text("etp{cage}");
  s.names = text("0-8/4"), s.lanes = text("0-12/4");
  EXPECT_FALSE(SonicPortMap::of(part, &why));
  EXPECT_EQ(why, "it has 4 cages, 'names' 3, 'lanes' 4");
  s.names = text("0-6/2");
  EXPECT_FALSE(SonicPortMap::of(part, &why));
  EXPECT_EQ(why, "two of its cages share a number of 'names' or 'lanes'");
  s.names = text("0-12/4"), s.alias = text("port");
  EXPECT_FALSE(SonicPortMap::of(part, &why));
  s.alias = text("etp{cage}"), s.modes = text("1x400");
  EXPECT_TRUE(SonicPortMap::of(part, &why)) << why;
  for (const char* wrong : {"400G", "9x100G", "1x400G[", "1x400G(9)", "1x", "x4"}) {
    s.modes = text(wrong);
    EXPECT_FALSE(SonicPortMap::of(part, &why)) << wrong;
  }
}

}  // namespace
}  // namespace clusterc
