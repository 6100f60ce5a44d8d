// One small fabric in the words of each program that describes it, and error counters of its ports.
#include "audit/fabric_dump.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "audit/port_counters.h"
#include "base/format.h"
#include "base/text.h"
#include "spec/other_files.h"

namespace clusterc {
namespace {

// By hand after rdma-core's iblinkinfo.c: two hosts, the first one with two ports of one adapter, on a leaf and a
// spine.
constexpr const char* kLinks = R"(Switch: 0x0002c90300000001 MF0;leaf-1:MQM9700/U1:
          1    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>      11    1[  ] "n1 mlx5_0" ( )
          1    2[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>      12    2[  ] "n1 mlx5_0" ( )
          1    3[  ] ==( 2X        106.25 Gbps Active/  LinkUp)==>      13    1[  ] "n2 mlx5_0" (Could be 4X)
          1    4[  ] ==(               Down/ Polling)==>             [  ] "" ( )
          1   33[ 1] ==( 4X        106.25 Gbps Active/  LinkUp)==>       2    7[ 2] "MF0;spine-1:MQM9700/U1" ( )
CA: n1 mlx5_0:
      0x0002c90300000a01     11    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>       1    1[  ] "MF0;leaf-1:MQM9700/U1" ( )
      0x0002c90300000a02     12    2[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>       1    2[  ] "MF0;leaf-1:MQM9700/U1" ( )
CA: n2 mlx5_0:
      0x0002c90300000b01     13    1[  ] ==( 2X        106.25 Gbps Active/  LinkUp)==>       1    3[  ] "MF0;leaf-1:MQM9700/U1" (Could be 4X)
Switch: 0x0002c90300000003 MF0;spine-1:MQM9700/U1:
          2    7[ 2] ==( 4X        106.25 Gbps Active/  LinkUp)==>       1   33[ 1] "MF0;leaf-1:MQM9700/U1" ( )
)";

constexpr const char* kLines =
    R"(0x0002c90300000a01 "                     n1 mlx5_0"     11    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>  0x0002c90300000001      1    1[  ] "MF0;leaf-1:MQM9700/U1" ( )
0x0002c90300000a02 "                     n1 mlx5_0"     12    2[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>  0x0002c90300000001      1    2[  ] "MF0;leaf-1:MQM9700/U1" ( )
0x0002c90300000b01 "                     n2 mlx5_0"     13    1[  ] ==( 2X        106.25 Gbps Active/  LinkUp)==>  0x0002c90300000001      1    3[  ] "MF0;leaf-1:MQM9700/U1" (Could be 4X)
0x0002c90300000001 "         MF0;leaf-1:MQM9700/U1"      1    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>  0x0002c90300000a01     11    1[  ] "n1 mlx5_0" ( )
0x0002c90300000001 "         MF0;leaf-1:MQM9700/U1"      1    2[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>  0x0002c90300000a02     12    2[  ] "n1 mlx5_0" ( )
0x0002c90300000001 "         MF0;leaf-1:MQM9700/U1"      1    3[  ] ==( 2X        106.25 Gbps Active/  LinkUp)==>  0x0002c90300000b01     13    1[  ] "n2 mlx5_0" (Could be 4X)
0x0002c90300000001 "         MF0;leaf-1:MQM9700/U1"      1    4[  ] ==(               Down/ Polling)==>             [  ] "" ( )
0x0002c90300000001 "         MF0;leaf-1:MQM9700/U1"      1   33[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>  0x0002c90300000003      2    7[  ] "MF0;spine-1:MQM9700/U1" ( )
0x0002c90300000003 "        MF0;spine-1:MQM9700/U1"      2    7[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>  0x0002c90300000001      1   33[  ] "MF0;leaf-1:MQM9700/U1" ( )
0x0002c90300000003 "        MF0;spine-1:MQM9700/U1"      2    8[  ] ==(               Down/ Polling)==>             [  ] "" ( )
)";

constexpr const char* kLst =
    R"({ CA Ports:02 SystemGUID:0002c90300000a00 NodeGUID:0002c90300000a00 PortGUID:0002c90300000a01 VenID:000002c9 DevID:1021 Rev:00000000 {n1 mlx5_0} LID:000b PN:01 } { SW Ports:41 SystemGUID:0002c90300000001 NodeGUID:0002c90300000001 PortGUID:0002c90300000001 VenID:000002c9 DevID:d2f2 Rev:000000a0 {MF0;leaf-1:MQM9700/U1} LID:0001 PN:01 } PHY=4x LOG=ACT SPD=100
{ CA Ports:02 SystemGUID:0002c90300000a00 NodeGUID:0002c90300000a00 PortGUID:0002c90300000a02 VenID:000002c9 DevID:1021 Rev:00000000 {n1 mlx5_0} LID:000c PN:02 } { SW Ports:41 SystemGUID:0002c90300000001 NodeGUID:0002c90300000001 PortGUID:0002c90300000001 VenID:000002c9 DevID:d2f2 Rev:000000a0 {MF0;leaf-1:MQM9700/U1} LID:0001 PN:02 } PHY=4x LOG=ACT SPD=100
{ CA Ports:01 SystemGUID:0002c90300000b00 NodeGUID:0002c90300000b00 PortGUID:0002c90300000b01 VenID:000002c9 DevID:1021 Rev:00000000 {n2 mlx5_0} LID:000d PN:01 } { SW Ports:41 SystemGUID:0002c90300000001 NodeGUID:0002c90300000001 PortGUID:0002c90300000001 VenID:000002c9 DevID:d2f2 Rev:000000a0 {MF0;leaf-1:MQM9700/U1} LID:0001 PN:03 } PHY=2x LOG=ACT SPD=100
{ SW Ports:41 SystemGUID:0002c90300000001 NodeGUID:0002c90300000001 PortGUID:0002c90300000001 VenID:000002c9 DevID:d2f2 Rev:000000a0 {MF0;leaf-1:MQM9700/U1} LID:0001 PN:21 } { SW Ports:41 SystemGUID:0002c90300000003 NodeGUID:0002c90300000003 PortGUID:0002c90300000003 VenID:000002c9 DevID:d2f2 Rev:000000a0 {MF0;spine-1:MQM9700/U1} LID:0002 PN:07 } PHY=4x LOG=ACT SPD=100
)";

constexpr const char* kTables = R"(# Running version: 2.13.0
START_NODES
NodeDesc,NumPorts,NodeType,ClassVersion,BaseVersion,SystemImageGUID,NodeGUID,PortGUID,DeviceID,PartitionCap,revision,VendorID,LocalPortNum
"MF0;leaf-1:MQM9700/U1",65,2,1,1,0x0002c90300000001,0x0002c90300000001,0x0002c90300000001,54002,8,160,713,1
"MF0;spine-1:MQM9700/U1",65,2,1,1,0x0002c90300000003,0x0002c90300000003,0x0002c90300000003,54002,8,160,713,1
"n1 mlx5_0",2,1,1,1,0x0002c90300000a00,0x0002c90300000a00,0x0002c90300000a01,4129,128,0,713,1
"n2 mlx5_0",1,1,1,1,0x0002c90300000b00,0x0002c90300000b00,0x0002c90300000b01,4129,128,0,713,1
END_NODES

START_PORTS
NodeGuid,PortGuid,PortNum,LinkWidthActv,LinkSpeedActv,PortState
0x0002c90300000a00,0x0002c90300000a01,1,2,2048,4
0x0002c90300000a00,0x0002c90300000a02,2,2,2048,4
0x0002c90300000b00,0x0002c90300000b01,1,16,2048,4
0x0002c90300000001,0x0002c90300000001,1,2,2048,4
0x0002c90300000001,0x0002c90300000001,2,2,2048,4
0x0002c90300000001,0x0002c90300000001,3,16,2048,4
0x0002c90300000001,0x0002c90300000001,33,2,2048,4
0x0002c90300000003,0x0002c90300000003,7,2,2048,4
END_PORTS

START_LINKS
NodeGuid1,PortNum1,NodeGuid2,PortNum2
0x0002c90300000001,1,0x0002c90300000a00,1
0x0002c90300000001,2,0x0002c90300000a00,2
0x0002c90300000001,3,0x0002c90300000b00,1
0x0002c90300000001,33,0x0002c90300000003,7
END_LINKS

START_PM_INFO
NodeGUID,PortGUID,PortNumber,LinkDownedCounter,LinkErrorRecoveryCounter,SymbolErrorCounter,PortXmitWait,SymbolErrorCounterExt
0x0002c90300000001,0x0002c90300000001,3,11,0,255,99999,4711
0x0002c90300000a00,0x0002c90300000a01,1,10,10,10,99999,N/A
END_PM_INFO
)";

// "leaf-1 33 spine-1 7 4xNDR", sorted.
std::set<std::string> links_of(const SeenFabric& f) {
  std::set<std::string> out;
  for (const SeenLink& l : f.links) {
    const auto end = [&](std::int32_t d, std::int64_t port) {
      const SeenDevice& s = f.devices[static_cast<std::size_t>(d)];
      return format("{}{} {}", s.name, s.is_switch ? std::string() : format("/{}", s.adapter), port);
    };
    out.insert(format("{} {} {}", end(l.a, l.a_port), end(l.b, l.b_port), l.speed));
  }
  return out;
}

TEST(FabricDump, EveryProgramDescribesTheSameFabric) {
  const std::set<std::string> links = {"leaf-1 1 n1/1 1 4xNDR", "leaf-1 2 n1/1 2 4xNDR", "leaf-1 3 n2/1 1 2xNDR",
                                       "leaf-1 33 spine-1 7 4xNDR"};
  for (const char* text : {kLinks, kLines, kLst, kTables}) {
    Sources sources;
    Findings findings;
    const SeenFabric f = read_fabric_dump(sources, sources.add("fabric.txt", text), findings);
    EXPECT_EQ(links_of(f), links) << text;
    EXPECT_EQ(f.devices.size(), 4u) << text;
    EXPECT_TRUE(findings.empty()) << text;
    for (const SeenDevice& d : f.devices) EXPECT_TRUE(d.listed);
  }
}

TEST(FabricDump, ErrorsAboveTheirThresholdAreRead) {
  Sources sources;
  Findings findings;
  const SeenFabric tables = read_fabric_dump(sources, sources.add("t", kTables), findings);
  ASSERT_EQ(tables.counters.size(), 1u);  // 10 is the threshold, and waiting is no error of a cable
  EXPECT_EQ(counters_text(tables.counters[0]), "11 times that the link went down and 4711 symbol errors");
  const SeenFabric errors = read_fabric_dump(sources, sources.add("e", R"(Errors for "n1 mlx5_0"
   GUID 0x2c90300000a02 port 2: [LinkDownedCounter == 12] [PortXmitWait == 1440 (5.625KB)]
Errors for 0x2c90300000001 "MF0;leaf-1:MQM9700/U1"
   GUID 0x2c90300000001 port ALL: [SymbolErrorCounter == 17]
   GUID 0x2c90300000001 port 2: [SymbolErrorCounter == 17] [PortRcvErrors == 30 (30.000)]
       Link info:      1   2[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>  0x0002c90300000a02     12    2[  ] "n1 mlx5_0" ( )

## Summary: 4 nodes checked, 2 bad nodes found
)"),
                                             findings);
  ASSERT_EQ(errors.counters.size(), 2u);
  EXPECT_TRUE(errors.links.empty());
  EXPECT_EQ(errors.counters[0].guid, "0002c90300000a02");
  EXPECT_EQ(errors.counters[1].name, "MF0;leaf-1:MQM9700/U1");
  EXPECT_EQ(counters_text(errors.counters[1]), "17 symbol errors and 30 receive errors");
  const SeenFabric pm = read_fabric_dump(sources, sources.add("p", R"(----------------------------------
Port=3 Lid=0x0001 GUID=0x0002c90300000001 Device=54002 Port Name=leaf-1/U1/P3
----------------------------------
link_down_counter=0x0c
link_error_recovery_counter=0x00
symbol_error_counter=0x11
port_xmit_wait=0xffff
symbol_error_counter_extended=0x0000000000000100
)"),
                                         findings);
  ASSERT_EQ(pm.counters.size(), 1u);
  EXPECT_EQ(counters_text(pm.counters[0]), "12 times that the link went down and 256 symbol errors");
  EXPECT_TRUE(findings.empty());
  SeenFabric to = read_fabric_dump(sources, sources.add("l", kLinks), findings);
  EXPECT_TRUE(attach_counters(to, errors));  // one port by the GUID of the second port of an adapter
  SeenFabric strange;
  EXPECT_FALSE(attach_counters(strange, errors));
}

TEST(FabricDump, WhatWasCutIsTold) {
  const auto told = [](std::string_view text) {
    Sources sources;
    Findings findings;
    read_fabric_dump(sources, sources.add("x", std::string(text)), findings);
    std::string out;
    for (const Finding& f : findings.all()) out += f.rule + ": " + f.message + "\n";
    return out;
  };
  const std::string_view links = kLinks, tables = kTables;
  EXPECT_EQ(told(links.substr(0, links.find("Switch: 0x0002c90300000003"))),
            "audit-capture-unread: 1 ports, for example the one in this line, have a peer that the list lacks or that "
            "has no LID: "
            "their links were not read\n");
  EXPECT_EQ(told(tables.substr(0, tables.find("END_LINKS"))),
            "audit-capture-unread: the table LINKS has no end: the file was cut\n");
  EXPECT_EQ(told("Errors for \"n1\"\n   GUID 0x1 port 1: [SymbolErrorCounter == x]\n"),
            "audit-capture-unread: this counter has no number\n"
            "audit-capture-unread: the list has no line '## Summary': it was cut, and ports that it lacks were not "
            "read\n");
}

TEST(FabricDump, HostileTextsEnd) {
  std::mt19937 random(7);
  for (const char* whole : {kLinks, kLines, kLst, kTables})
    for (int round = 0; round < 200; ++round) {
      std::string text = whole;
      for (int k = 0; k < 1 + round % 20; ++k) text[random() % text.size()] = static_cast<char>(random() % 256);
      if (round % 3 == 0) text.resize(random() % text.size());
      Sources sources;
      Findings findings;
      const FileId file = sources.add("x", text);
      for (const auto read : {read_iblinkinfo, read_ibdiagnet_lst, read_ibdiagnet_csv, read_counters}) {
        const SeenFabric f = read(sources, file, findings);
        for (const SeenLink& l : f.links) EXPECT_LT(static_cast<std::size_t>(std::max(l.a, l.b)), f.devices.size());
      }
    }
}

}  // namespace
}  // namespace clusterc
