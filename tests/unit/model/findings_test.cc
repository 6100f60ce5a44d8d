// What resolution has to say. Each spec is a small sound one with one thing wrong.
#include "base/format.h"
#include "tests/unit/model/examples.h"

namespace clusterc {
namespace {

struct Sound {
  std::string feed = "A: { capacity: 500 kVA }",
              cooling = "hall: { method: contained-air, units: 2, each: { heat: 60 kW, airflow: 8000 CFM } }";
  std::string rack =
      "main: { names: \"r[1-2]\", model: generic-48u-800x1200, cooling: hall, pdus: [ { model: eu-400-3ph-32, feed: A "
      "} ] }";
  std::string nodes = "cpu: { names: \"c[1-4]\", model: generic-1u, racks: main }";
  std::string nets =
      "lan: { kind: ethernet, rate: 100 Gb/s, switch: nvidia-sn4600c, racks: main, connects: { cpu: { ports: data } } "
      "}";
  std::string more;
  std::string text() const {
    return format(
        "clusterc: 1\nname: t\nsite:\n  region: iec\n  supply: {{ phases: 3, voltage: 400 V }}\n  feeds:\n    {}\n  "
        "cooling:\n    {}\nracks:\n  {}\nnodes:\n  {}\nnetworks:\n  {}\n{}\n",
        feed, cooling, rack, nodes, nets, more);
  }
};
std::string told(const Sound& s) {
  Resolved r;
  r.text(s.text());
  EXPECT_TRUE(r.cluster);
  return r.told();
}

TEST(Findings, ASoundSpecHasNone) { EXPECT_EQ(told({}), ""); }

TEST(Findings, UnknownPartsGetTheNearestName) {
  Sound s;
  s.nodes = "cpu: { names: \"c[1-4]\", model: generic-1v, racks: main }";
  EXPECT_EQ(
      told(s),
      "13: the catalogue has no server 'generic-1v' [spec-unknown-part] help: did you mean 'generic-1u'?\n");  // and
                                                                                                               // nothing
                                                                                                               // about
                                                                                                               // its
                                                                                                               // ports
}

TEST(Findings, UnknownNamesOfEveryKind) {
  Sound s;
  s.rack =
      "main: { names: \"r[1-2]\", model: generic-48u-800x1200, cooling: hal, pdus: [ { model: eu-400-3ph-32, feed: B } "
      "] }";
  s.nodes = "cpu: { names: \"c[1-4]\", model: generic-1u, racks: mian }";
  s.nets =
      "lan: { kind: ethernet, rate: 100 Gb/s, switch: nvidia-sn4600c, racks: main, connects: { cpus: { ports: data }, "
      "cpu: { ports: dat } } }";
  s.more =
      "teams: { a: { quota: { gpu: 3 gpus } } }\nsoftware: { scheduler: { kind: slurm, schedules: [cpu, gpu], "
      "controllers: \"k[1-3]\" } }";
  const std::string all = told(s);
  EXPECT_NE(all.find("no cooling zone is named 'hal' [spec-unknown-name] help: did you mean 'hall'?"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("no feed is named 'B'"), std::string::npos) << all;
  EXPECT_NE(all.find("no rack group is named 'mian' [spec-unknown-name] help: did you mean 'main'?"), std::string::npos)
      << all;
  EXPECT_NE(all.find("no node group or storage is named 'cpus' [spec-unknown-name] help: did you mean 'cpu'?"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("no group of ports of 'cpu' is named 'dat' [spec-unknown-name] help: did you mean 'data'?"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("17: 3 of these names are not names of nodes: 'k1' and 2 more"), std::string::npos) << all;
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 8) << all;  // with the two 'gpu'
}

TEST(Findings, OneNameInTwoGroupsIsOneFinding) {
  Sound s;
  s.nodes =
      "cpu: { names: \"n[1-4]\", model: generic-1u, racks: main }\n  big: { names: \"n[3-9]\", model: generic-2u, "
      "racks: main }\n  odd: { names: \"n01\", model: generic-2u, racks: main }";
  EXPECT_EQ(told(s), "14: 'n3' and 1 more is in group 'cpu' and in group 'big' [spec-duplicate-name]\n");
}

TEST(Findings, WhatHasNoSafeDefaultIsAskedFor) {
  Sound s;
  s.feed = "A: { in_use: 3 kW }";
  s.cooling = "hall: { method: contained-air, units: 2 }";
  s.nets = "lan: { kind: ethernet, connects: { cpu: 1 } }";
  s.more = "storage: { home: { kind: nfs, mount: /home } }";
  const std::string all = told(s);
  EXPECT_NE(all.find("7: feed 'A' has neither capacity nor breaker [spec-missing-choice]"), std::string::npos) << all;
  EXPECT_NE(all.find("cooling zone 'hall' has neither model nor figures"), std::string::npos) << all;
  EXPECT_NE(all.find("network 'lan' has no switch"), std::string::npos) << all;
  EXPECT_NE(all.find("storage 'home' has no servers"), std::string::npos) << all;
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 4) << all;
}

TEST(Findings, AValueThatTheReaderRefusedIsNotMissingToo) {
  Sound s;
  s.feed = "A: { capacity: 500 }";
  const std::string all = told(s);
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 1) << all;
  EXPECT_EQ(all.find("spec-missing-choice"), std::string::npos) << all;
}

TEST(Findings, APortCannotHaveTwoCables) {
  Sound s;  // generic-1u: one adapter with two ports
  s.nets =
      "lan: { kind: ethernet, rate: 100 Gb/s, switch: nvidia-sn4600c, racks: main, connects: { cpu: 1 } }\n"
      "  two: { kind: ethernet, rate: 100 Gb/s, switch: nvidia-sn4600c, racks: main, connects: { cpu: 1 } }";
  Resolved fits;
  fits.text(s.text());
  EXPECT_EQ(fits.told(), "");
  EXPECT_EQ(fits.network("lan").ends[0].first_port, 0);
  EXPECT_EQ(fits.network("two").ends[0].first_port, 1);
  s.nets += "\n  three: { kind: ethernet, rate: 100 Gb/s, switch: nvidia-sn4600c, racks: main, connects: { cpu: 1 } }";
  const std::string all = told(s);
  EXPECT_NE(
      all.find("17: 3 ports 'data' of each node of 'cpu' are asked for, but the node has 2 [spec-not-enough-ports]"),
      std::string::npos)
      << all;
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 1) << all;
  // A guest uses its host's ports.
  s.nets =
      "lan: { rate: 100 Gb/s, switch: nvidia-sn4600c, racks: main, connects: { cpu: 2 } }\n  guest: { "
      "shares_switches_with: lan, vlan: 7, connects: { cpu: 2 } }";
  Resolved guest;
  guest.text(s.text());
  EXPECT_EQ(guest.told(), "");
  EXPECT_EQ(guest.network("guest").shares, 0);
  EXPECT_EQ(guest.network("guest").kind, LinkKind::ethernet);
  EXPECT_EQ(guest.network("guest").rate.value, 100e9);
  EXPECT_EQ(guest.network("guest").spec->rate.source, "as network 'lan'");
}

TEST(Findings, AdaptersMustSpeakTheNetworksLanguage) {
  Sound s;
  s.nodes = "cpu: { names: \"c[1-4]\", model: generic-1u, nics: { data: intel-e810-cqda2 }, racks: main }";
  s.nets = "ib: { kind: infiniband, rate: 200 Gb/s, switch: nvidia-qm8700, racks: main, connects: { cpu: 1 } }";
  const std::string all = told(s);
  EXPECT_NE(all.find("no adapter of group 'cpu' speaks infiniband, which network 'ib' is [spec-no-fitting-port]"),
            std::string::npos)
      << all;
}

TEST(Findings, CountsThatCannotBe) {
  Sound s;
  s.nets =
      "lan: { kind: ethernet, rate: 100 Gb/s, switch: nvidia-sn4600c, racks: main, built_for: { cpu: 3 }, connects: { "
      "cpu: { ports: data } } }";
  s.more = "workloads: { w: { on: { cpu: 5 } } }";
  const std::string all = told(s);
  EXPECT_NE(all.find("network 'lan' is built for 3 members of 'cpu', which has 4 [spec-count-mismatch]"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("workload 'w' runs on 5 nodes of 'cpu', which has 4 [spec-count-mismatch]"), std::string::npos)
      << all;
}

TEST(Findings, DevicesInSlotsMustExist) {
  Sound s;
  s.nodes =
      "cpu:\n    names: \"c[1-4]\"\n    racks: main\n    server: { like: generic-1u, pcie: { socket0: { slot1: "
      "\"gpus[0]\", slot2: nics.data } } }";
  const std::string all = told(s);
  EXPECT_NE(all.find("16: slot 'slot1' holds a device that group 'cpu' does not have [spec-unknown-device]"),
            std::string::npos)
      << all;
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 1) << all;
}

TEST(Findings, OccupiedRacksArePatterns) {
  Sound s;
  s.rack =
      "main: { names: \"r[1-4]\", model: generic-48u-800x1200, cooling: hall, occupied: [ { units: U1-U6, racks: "
      "\"r[2-3]\" }, { units: U8, racks: \"r[4-5]\" } ] }";
  EXPECT_EQ(told(s), "11: rack group 'main' has no rack 'r5' (r[1-4]) [spec-unknown-name]\n");
}

TEST(Findings, RearDoorsAreOneARack) {
  Sound s;
  s.cooling = "hall: { method: rear-door, each: { heat: 50 kW, airflow: 5000 CFM } }";
  Resolved r;
  r.text(s.text());
  EXPECT_EQ(r.told(), "");
  EXPECT_DOUBLE_EQ(r.cluster->zones[0].heat->value, 2 * 50e3);
}

TEST(Findings, APowerCapIsWhatANodeDraws) {
  Sound s;
  s.nodes = "cpu: { names: \"c[1-4]\", model: generic-1u, racks: main, power_cap: 900 W }";
  Resolved r;
  r.text(s.text());
  EXPECT_EQ(r.group("cpu").server.power->value, 900);
  EXPECT_EQ(r.group("cpu").server.power.source, "power_cap 900 W, not 1.25 kW");
}

}  // namespace
}  // namespace clusterc
