// Which ports are told of a lossless class, by hand: DSCP x 4 is the traffic class (RFC 2474).
#include "unit/compile/compiled.h"

namespace clusterc {
namespace {

using test::between;
using test::Compiled;

constexpr std::string_view kNodes =
    "clusterc: 1\nrules: 2026.11\nname: case\nsite: { region: iec, supply: { phases: 3, voltage: 400 V } }\n"
    "nodes:\n  gpu: { names: \"g[1-4]\", model: nvidia-dgx-h100 }\n  vm: { names: vm1, virtual_machine: { cpus: 2, "
    "memory: 2 GiB } }\nnetworks:\n";
constexpr std::string_view kStorage =
    "  storage: { kind: ethernet, rate: 200 Gb/s, switch: nvidia-sn5600, subnet: 10.2.0.0/16, carries: [storage], "
    "connects: { gpu: { ports: storage } }";

std::string network(std::string_view more) {
  return std::string(kNodes) + std::string(kStorage) + ", " + std::string(more) + " }\n";
}

// The lines that name ports; "-": nothing was made.
std::string ports(const std::string& spec) {
  Compiled c;
  c.spec(spec, {"roce"});
  EXPECT_EQ(c.findings.count(Severity::error), 0) << c.told();
  std::string out;
  for (const auto& f : c.bundle.files())
    if (f.path == "roce/gpu/cluster-roce")
      out += between(std::string(c.bundle.bytes(f)), "\nport ", "exit").substr(1);
    else if (f.path != "roce/cluster-roce.service" && f.path.starts_with("roce/"))
      out += f.path + "\n";
  return out.empty() ? "-" : out;
}

TEST(Roce, APortIsToldOfTheClassOfItsNetwork) {
  EXPECT_EQ(ports(network("rdma: roce, roce: {}")), "port storage1 3 104 on 1 26\nport storage2 3 104 on 1 26\n");
  EXPECT_EQ(ports(network("rdma: roce, roce: { priority: 5, dscp: 46, pfc: false }")),
            "port storage1 5 184 off 1 46\nport storage2 5 184 off 1 46\n");
  EXPECT_EQ(ports(network("rdma: roce, roce: { ecn: false }")),
            "port storage1 3 104 on 0 26\nport storage2 3 104 on 0 26\n");
}

TEST(Roce, WhereNoClassIsPlannedNothingIsSet) {
  EXPECT_EQ(ports(network("rdma: roce")), "-");
  EXPECT_EQ(ports(network("rdma: iwarp")), "-");
  EXPECT_EQ(ports(std::string(kNodes) + "  storage: { kind: infiniband, rate: 400 Gb/s, switch: nvidia-qm9700, "
                                        "connects: { gpu: { ports: storage } } }\n"),
            "-");
  EXPECT_EQ(ports(std::string(kNodes) + "  lan: { kind: ethernet, rdma: roce, roce: {}, rate: 100 Gb/s, switch: "
                                        "nvidia-sn5600, subnet: 10.2.0.0/16, connects: { vm: 1 } }\n"),
            "-");  // its host's
}

// A guest's packets go where those of the network do whose switches it uses; the class of both is said once, what
// carries jobs first.
TEST(Roce, GuestsOfAPortHaveItsClass) {
  const std::string guest =
      "  jobs: { shares_switches_with: storage, vlan: 9, subnet: 10.3.0.0/16, carries: [compute], connects: { gpu: { "
      "ports: storage } }";
  EXPECT_EQ(ports(network("rdma: roce, roce: {}") + guest + " }\n"),
            "port storage1 3 104 on 1 26\nport storage2 3 104 on 1 26\n");
  EXPECT_EQ(ports(network("rdma: roce, roce: {}") + guest + ", rdma: roce, roce: { dscp: 24 } }\n"),
            "port storage1 3 96 on 1 24 26\nport storage2 3 96 on 1 24 26\n");
}

}  // namespace
}  // namespace clusterc
