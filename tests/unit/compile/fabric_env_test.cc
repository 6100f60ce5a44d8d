// What libraries are told of the fabric, by hand from NCCL's user guide (NCCL_CROSS_NIC), RFC 2474 (DSCP x 4) and the
// prefixes of opensm.conf.
#include "unit/compile/compiled.h"

namespace clusterc {
namespace {

using test::Compiled;

std::string fabric(std::string_view network, std::string_view more = "") {
  return "clusterc: 1\nrules: 2026.11\nname: case\nsite: { region: iec, supply: { phases: 3, voltage: 400 V } }\n"
         "nodes:\n  gpu: { names: \"g[01-64]\", model: nvidia-dgx-h100 }\n"
         "networks:\n  compute: { rate: 400 Gb/s, connects: { gpu: { ports: compute } }, " +
         std::string(network) + " }\n" + std::string(more);
}
std::string nccl(const std::string& spec) {
  Compiled c;
  c.spec(spec, {"fabric-env"});
  EXPECT_EQ(c.told(), "");
  return c.file("fabric-env/gpu/nccl.conf");
}
constexpr std::string_view kIb = "kind: infiniband, switch: nvidia-qm9700, ",
                           kRoce = "kind: ethernet, rdma: roce, switch: nvidia-sn5600, subnet: 10.1.0.0/16, ";

// 64 nodes on rails of 64-port switches: with full bandwidth NCCL's own way is the right one; with half of it, or none,
// rails are kept apart.
TEST(FabricEnv, RailsAreKeptApartWhereTheWayBetweenThemIsSlow) {
  const std::string ib(kIb);
  EXPECT_EQ(nccl(fabric(ib + "topology: rail-optimised")).find("NCCL_CROSS_NIC"), std::string::npos);
  EXPECT_NE(nccl(fabric(ib + "topology: rail-optimised, oversubscription: 3")).find("\nNCCL_CROSS_NIC=0\n"),
            std::string::npos);
  EXPECT_NE(
      nccl(fabric(ib + "topology: rail-only")).find("is rail-only: no switch connects the rails\nNCCL_CROSS_NIC=0\n"),
      std::string::npos);
}

TEST(FabricEnv, RoceIsMarkedForItsClassAndOthersAreNot) {
  const std::string roce(kRoce), ib(kIb);
  const std::string told = nccl(fabric(roce + "roce: { priority: 5, dscp: 40, gid_index: 3 }, spectrum_x: true"));
  for (const std::string line : {"\nNCCL_IB_TC=160\n", "\nNCCL_IB_GID_INDEX=3\n", "\nNCCL_IB_ADAPTIVE_ROUTING=1\n"})
    EXPECT_NE(told.find(line), std::string::npos) << told;
  const std::string plain = nccl(fabric(roce + "mtu: 9000"));  // no `roce:`, so its class is not known
  for (const std::string key : {"\nNCCL_IB_TC", "\nNCCL_IB_GID_INDEX", "\nNCCL_IB_ADAPTIVE"})
    EXPECT_EQ(plain.find(key), std::string::npos) << plain;
  EXPECT_EQ(nccl(fabric(ib + "adaptive_routing: true")).find("ADAPTIVE"),
            std::string::npos);  // on InfiniBand NCCL does by itself
  EXPECT_NE(nccl(fabric(ib + "sharp: true")).find("\nNCCL_COLLNET_ENABLE=1\n"), std::string::npos);
}

TEST(FabricEnv, AdaptersAreFoundByInterfaceOrPrefix) {
  Compiled ib, roce, nameless;
  ib.spec(fabric(kIb,
                 "  storage: { kind: infiniband, rate: 400 Gb/s, switch: nvidia-qm9700, connects: { gpu: { ports: "
                 "storage } } }\n"),
          {"fabric-env"});
  EXPECT_NE(
      ib.file("fabric-env/gpu/apply.sh")
          .find("\ninfiniband fe80:0000:0000:0000\nexpect 8 compute\nput nccl.conf /etc/nccl.conf NCCL_IB_HCA==\n"),
      std::string::npos)
      << ib.file("fabric-env/gpu/apply.sh");
  roce.spec(fabric(kRoce), {"fabric-env"});
  EXPECT_NE(
      roce.file("fabric-env/gpu/apply.sh")
          .find("\nroce compute1 compute2 compute3 compute4 compute5 compute6 compute7 compute8\nexpect 8 compute\n"),
      std::string::npos);
  nameless.spec(fabric("kind: ethernet, rdma: roce, switch: nvidia-sn5600, roce: { dscp: 26 }"),
                {"fabric-env"});  // no subnet, no interface
  EXPECT_EQ(nameless.file("fabric-env/gpu/apply.sh").find("expect"), std::string::npos);
  EXPECT_NE(nameless.file("fabric-env/gpu/nccl.conf")
                .find("# NCCL_IB_HCA is left to the library: network 'compute': it has no subnet"),
            std::string::npos);
}

TEST(FabricEnv, ExtraLinesAddAndNeverContradict) {
  Compiled c;
  c.spec(fabric(kRoce,
                "outputs: { fabric-env: { extra: { nccl.conf: [ 'NCCL_DEBUG=WARN', 'NCCL_IB_HCA=mlx5', 'nccl_x=1', "
                "'NCCL_X=a b', 'NCCL_X=$(id)' ], rccl.conf: [ 'NCCL_DEBUG=WARN' ] } } }\n"),
         {"fabric-env"});
  EXPECT_NE(c.file("fabric-env/gpu/nccl.conf").find("\n# outputs.fabric-env.extra of the spec\nNCCL_DEBUG=WARN\n"),
            std::string::npos);
  EXPECT_NE(c.told().find(
                "an extra line sets 'NCCL_IB_HCA', which is already set from the spec [output-extra-contradicts-spec]"),
            std::string::npos)
      << c.told();
  for (const std::string bad : {"nccl_x=1", "NCCL_X=a b", "NCCL_X=$(id)"})
    EXPECT_NE(c.told().find("'" + bad + "' is not a valid line of nccl.conf [output-extra-malformed]"),
              std::string::npos)
        << c.told();
  EXPECT_NE(c.told().find(
                "output 'fabric-env' has no file 'rccl.conf' that can have extra lines [output-extra-unknown-file]"),
            std::string::npos);  // no AMD GPU here
}

}  // namespace
}  // namespace clusterc
