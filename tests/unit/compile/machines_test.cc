// What nodes are set up with: plays, user data and the files of their networks.
#include "base/text.h"
#include "unit/compile/compiled.h"

namespace clusterc {
namespace {

using test::between;
using test::Compiled;
using test::kHead;
using test::kVms;

const std::string kRoom =
    "clusterc: 1\nrules: 2026.11\nname: case\nsite:\n  region: iec\n  supply: { phases: 3, voltage: 400 V }\n  feeds: "
    "{ A: { breaker: 63 A }, B: { breaker: 63 A } }\n"
    "  cooling: { hall: { method: contained-air, each: { heat: 60 kW, airflow: 8000 CFM }, supply: 22 C } }\n"
    "racks:\n  main: { names: r1, model: generic-48u-800x1200, cooling: hall, pdus: [ { model: eu-400-3ph-32, feed: A "
    "}, { model: eu-400-3ph-32, feed: B } ] }\n";

// Four ports in bonds of two: two bonds, each with an address; a guest without a tag of its own comes over both.
TEST(Netplan, AsManyBondsAsThePlanHasAddresses) {
  Compiled c;
  c.spec(
      kRoom +
          "nodes:\n  cpu: { names: n1, racks: main, server: { like: generic-2u, nics: { data: 4 x cx6-vpi-200 }, "
          "memory: 24 x 32 GiB } }\nnetworks:\n"
          "  guest: { shares_switches_with: lan, vlan: 7, subnet: 10.2.0.0/24, connects: { cpu: { ports: data } } }\n"
          "  lan: { kind: ethernet, rate: 100 Gb/s, switch: nvidia-sn4600c, racks: main, bond: 2, subnet: 10.1.0.0/24, "
          "carries: [inband], connects: { cpu: { ports: data } } }\n"
          "software: { os: debian-12 }\n",
      {"netplan", "hosts"});
  ASSERT_TRUE(c.plan) << c.told();
  const std::string text = c.file("netplan/cpu-0/n1.yaml");
  EXPECT_NE(text.find("    bond0:\n      interfaces: [data1, data2]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("    bond1:\n      interfaces: [data3, data4]\n"), std::string::npos) << text;
  // stride 2 in a slot of 16 addresses: the first place is kept free, so 16 + 2
  for (const char* address : {"10.1.0.18/24", "10.1.0.19/24", "10.2.0.18/24", "10.2.0.19/24"})
    EXPECT_NE(text.find(address), std::string::npos) << address << text;
  EXPECT_NE(text.find("    bond0.7:\n      id: 7\n      link: bond0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("    bond1.7:\n      id: 7\n      link: bond1\n"), std::string::npos) << text;
  EXPECT_NE(c.file("hosts/hosts").find("10.1.0.19 n1-lan-2\n"), std::string::npos);
}

// IFNAMSIZ: 15 characters and a zero (include/uapi/linux/if.h). "abcdefghijklmno" has 15, and its port a number behind
// it.
TEST(Netplan, InterfaceNamesFit) {
  Compiled c;
  c.spec(kHead +
             "nodes:\n  hw: { names: h1, instance: generic-2u-pcie4, memory: 24 x 32 GiB, nics: { abcdefghijklmno: "
             "cx6-vpi-200 }, pcie: { socket1: { slot5: nics.abcdefghijklmno } } }\n"
             "networks:\n  lan: { kind: ethernet, rate: 1 Gb/s, subnet: 10.1.0.0/24, connects: { hw: { ports: "
             "abcdefghijklmno } } }\n",
         {"netplan"});
  EXPECT_NE(
      c.told().find(
          "interface 'abcdefghijklmno1' of 'hw' has 16 characters, Linux allows 15 [netplan-interface-name-too-long]"),
      std::string::npos)
      << c.told();
}

TEST(Ansible, GroupsThatWouldHaveOneName) {
  std::string spec = kVms;
  spec.replace(spec.find("  head:"), 7, "  a_b:");
  spec.replace(spec.find("  cpu:"), 6, "  a-b:");
  spec.replace(spec.find("head: 1, cpu: 1"), 15, "a_b: 1, a-b: 1");
  Compiled c;
  c.spec(spec, {"ansible"});
  EXPECT_NE(c.told().find("'a-b' and 'a_b' would have the same name in Ansible: group_a_b [ansible-groups-collide]"),
            std::string::npos)
      << c.told();
}

// Versions stay text: 570.10 is not 570.1.
TEST(Ansible, VersionsAreText) {
  Compiled c;
  c.spec(kVms + "software: { os: debian-12, cuda: 12.10, nccl: 2.20 }\n", {"ansible"});
  EXPECT_NE(c.file("ansible/group_vars/group_cpu.yaml").find("cluster_cuda: \"12.10\"\n"), std::string::npos)
      << c.file("ansible/inventory.yaml");
}

// Linux, Documentation/admin-guide/kernel-parameters.txt: Intel's IOMMU is turned on by name, AMD's is on; 512 pages of
// 2 MiB.
TEST(Ansible, KernelArgumentsFollowTheProcessor) {
  const auto arguments = [](std::string_view cpu, std::string_view iommu) {
    Compiled c;
    c.spec(kHead + "nodes: { gpu: { names: g1, instance: generic-2u, cpus: 2 x " + std::string(cpu) +
               " } }\nnetworks: { lan: { kind: ethernet, rate: 100 Gb/s, connects: { gpu: 1 } } }\n" +
               "software: { os: ubuntu-24.04, huge_pages: 512, kernel_arguments: [nosmt], iommu: " +
               std::string(iommu) + " }\n",
           {"ansible"});
    return between(c.file("ansible/group_vars/group_gpu.yaml"), "cluster_kernel_arguments:\n", "cluster_sysctl");
  };
  EXPECT_EQ(arguments("xeon-8480p", "passthrough"),
            "cluster_kernel_arguments:\n  - \"intel_iommu=on\"\n  - \"iommu=pt\"\n  - \"hugepagesz=2M\"\n  - "
            "\"hugepages=512\"\n  - nosmt\n");
  EXPECT_EQ(arguments("epyc-9654", "passthrough"),
            "cluster_kernel_arguments:\n  - \"iommu=pt\"\n  - \"hugepagesz=2M\"\n  - \"hugepages=512\"\n  - nosmt\n");
  EXPECT_EQ(
      arguments("epyc-9654", "off"),
      "cluster_kernel_arguments:\n  - \"amd_iommu=off\"\n  - \"hugepagesz=2M\"\n  - \"hugepages=512\"\n  - nosmt\n");
}

// By hand: 1501 nodes with a port each in one subnet are 1502 neighbours with the head, and 2048 is the next power of
// two. 512 neighbours and 1024 nodes are as many as the kernel's own settings hold.
TEST(Ansible, KernelHoldsAsManyNeighboursAsTheSubnetHas) {
  const auto sysctl = [](int nodes, std::string_view group) {
    Compiled c;
    c.spec(kHead + "nodes:\n  gpu: { names: \"g[1-" + std::to_string(nodes) +
               "]\", virtual_machine: { cpus: 2, memory: 2 GiB } }\n"
               "  head: { names: head, virtual_machine: { cpus: 2, memory: 2 GiB }, roles: [scheduler] }\n"
               "networks: { lan: { kind: ethernet, rate: 100 Gb/s, subnet: 10.0.0.0/16, connects: { gpu: 1, head: 1 } "
               "} }\n"
               "software: { os: debian-12, scheduler: { kind: slurm, version: 22.05, schedules: [gpu] } }\n",
           {"ansible"});
    const std::string vars = c.file("ansible/group_vars/group_" + std::string(group) + ".yaml");
    return vars.find("cluster_sysctl") == std::string::npos ? std::string()
                                                            : between(vars, "cluster_sysctl:", "\ncluster");
  };
  EXPECT_EQ(sysctl(511, "gpu"), "");
  EXPECT_EQ(sysctl(511, "head"), "");
  const std::string neighbours =
      "cluster_sysctl: |\n  net.ipv4.neigh.default.gc_thresh1 = 2048\n  net.ipv4.neigh.default.gc_thresh2 = 4096\n"
      "  net.ipv4.neigh.default.gc_thresh3 = 8192";
  EXPECT_EQ(sysctl(1501, "gpu"), neighbours);
  EXPECT_EQ(sysctl(1501, "head"), neighbours + "\n  net.core.somaxconn = 4096\n  net.ipv4.tcp_max_syn_backlog = 4096");
  EXPECT_NE(sysctl(5000, "head").find("net.core.somaxconn = 8192"), std::string::npos);
}

// Names as in NVIDIA's driver, fabric manager and CUDA installation guides: open modules of the branch; from R580 on
// the daemons' packages bear no branch; dnf has module streams. Volta has proprietary modules only, Blackwell open ones
// only (catalog/compatibility/gpu-architectures.yaml).
TEST(Ansible, PackagesFollowTheGpu) {
  const auto packages = [](std::string_view server, std::string_view software) {
    Compiled c;
    c.spec(kHead + "nodes: { gpu: { names: \"g[1-2]\", " + std::string(server) + " } }\nsoftware: { " +
               std::string(software) + " }\n",
           {"ansible"});
    std::string out;
    bool inside = false;
    for (const std::string_view line : split(c.file("ansible/group_vars/group_gpu.yaml"), '\n')) {
      if (!line.starts_with(' ')) inside = line.ends_with("_packages:");
      if (inside && !line.starts_with(' '))
        out += out.empty() ? "" : "; ", out += line.substr(8, line.size() - 18), out += ':';
      else if (inside && line.starts_with("  - "))
        out += ' ', out += line.substr(4);
    }
    return out + (c.findings.empty() ? "" : " " + c.told());
  };
  const std::string volta = "instance: generic-4u-pcie8, gpus: 8 x nvidia-v100-pcie-32, nics: { data: cx6-vpi-200 }";
  EXPECT_EQ(packages("instance: nvidia-dgx-h100", "os: ubuntu-22.04, gpu_driver: 535"),
            "nvidia: cuda-drivers-535 linux-headers-generic; fabric_manager: nvidia-fabricmanager-535");
  EXPECT_EQ(packages("instance: nvidia-dgx-h100", "os: rocky-9.4, gpu_driver: 570, kernel_modules: open"),
            "nvidia: \"@nvidia-driver:570-open\" kernel-devel-matched kernel-headers; fabric_manager: "
            "nvidia-fabricmanager-570");
  EXPECT_EQ(packages("instance: nvidia-dgx-b200", "os: ubuntu-24.04, gpu_driver: 580.95.05"),
            "nvidia: \"nvidia-open-580=580.95.05-*\" linux-headers-generic; fabric_manager: "
            "\"nvidia-fabricmanager=580.95.05-*\" nvlink5-580");
  EXPECT_EQ(packages(volta, "os: debian-12, gpu_driver: 580, cuda: 12.9, nccl: 2.28"),
            "nvidia: cuda-drivers-580 linux-headers-amd64; cuda: cuda-toolkit-12-9 \"libnccl2=2.28.*+cuda12.?\" "
            "\"libnccl-dev=2.28.*+cuda12.?\"");
  EXPECT_EQ(packages(volta, "os: rocky-9, cuda: 12.9.1, nccl: 2.28.9"),
            "cuda: cuda-toolkit-12-9 \"libnccl-2.28.9-*+cuda12.?\" \"libnccl-devel-2.28.9-*+cuda12.?\"");
  EXPECT_NE(packages("instance: nvidia-dgx-h100", "os: plan9-4, gpu_driver: 570")
                .find("no repository of GPU software is known for 'plan9-4': the plays install no GPU software on "
                      "'gpu' [ansible-os-unsupported]"),
            std::string::npos);
}

// Text of a spec is no template, and what a shell would read is no kernel argument: one finding, for all groups.
TEST(Ansible, ForeignTextIsNeverRun) {
  Compiled c;
  c.spec(kVms +
             "software: { os: debian-12, kernel_arguments: [\"a;reboot\"], identity: { kind: ldap, server: "
             "\"ldaps://a\", base: \"dc={{ 7*7 }}\" } }\n",
         {"ansible"});
  EXPECT_NE(c.file("ansible/group_vars/group_cpu.yaml").find("  base: !unsafe \"dc={{ 7*7 }}\"\n"), std::string::npos)
      << c.file("ansible/group_vars/group_cpu.yaml");
  EXPECT_EQ(c.findings.count(Severity::error), 1) << c.told();
  EXPECT_NE(c.told().find("'a;reboot' is not a valid kernel argument [ansible-kernel-argument-malformed]"),
            std::string::npos)
      << c.told();
}

TEST(CloudInit, LockedMemoryIsUnlimitedWhereRdmaIsUsed) {
  std::string spec = kVms;
  spec.replace(spec.find("kind: ethernet"), 14, "kind: ethernet, rdma: roce");
  Compiled with, without;
  with.spec(spec + "software: { os: debian-12 }\n", {"cloud-init"});
  without.spec(kVms + "software: { os: debian-12 }\n", {"cloud-init"});
  EXPECT_NE(with.file("cloud-init/cpu.user-data").find("      * - memlock unlimited\n      root - memlock unlimited\n"),
            std::string::npos)
      << with.told() << with.file("cloud-init/cpu.user-data");
  EXPECT_EQ(without.file("cloud-init/cpu.user-data").find("memlock"), std::string::npos);
  EXPECT_EQ(without.file("cloud-init/cpu-1/n600/meta-data"), "instance-id: \"case-n600\"\nlocal-hostname: \"n600\"\n");
}

// Whoever has no netplan gets the same as network-config; whoever has it gets none.
TEST(CloudInit, NetworkConfigWhereNetplanIsNotRead) {
  Compiled rocky, debian;
  rocky.spec(kVms + "software: { os: rocky-9 }\n");
  debian.spec(kVms + "software: { os: debian-12 }\n");
  EXPECT_NE(rocky.file("cloud-init/cpu-0/n1/network-config").find("network:\n  version: 2\n  ethernets:\n    eth0:\n"),
            std::string::npos);
  EXPECT_EQ(rocky.file("netplan/cpu-0/n1.yaml"), "no file netplan/cpu-0/n1.yaml");
  EXPECT_EQ(debian.file("cloud-init/cpu-0/n1/network-config"), "no file cloud-init/cpu-0/n1/network-config");
}

TEST(NetworkReaders, EverySystemHasOne) {
  const auto first = [](std::string_view os, std::string_view outputs = "") {
    Compiled c;
    c.spec(kVms + "software: { os: " + std::string(os) + " }\n" + std::string(outputs));
    std::string out;
    for (const std::string& path : c.paths())
      if (path.starts_with("net") || path.ends_with("network-config")) {
        const std::string what = path.substr(0, path.find('/'));
        if (out.find(what) == std::string::npos) out += (out.empty() ? "" : " ") + what;
      }
    return out;
  };
  constexpr std::string_view kNetworkd = "outputs: { networkd: {} }\n",
                             kNoManager = "outputs: { networkmanager: { skip: true } }\n";
  EXPECT_EQ(first("debian-12"), "netplan");
  EXPECT_EQ(first("debian-12", kNetworkd), "networkd");
  EXPECT_EQ(first("debian-12", "outputs: { networkd: { skip: true } }\n"), "netplan");
  EXPECT_EQ(first("rocky-9.4"), "cloud-init networkmanager");
  EXPECT_EQ(first("rocky-9.4", kNetworkd), "cloud-init networkmanager");  // EPEL's networkd is nobody's default
  EXPECT_EQ(first("rhel-7"), "cloud-init");
  EXPECT_EQ(first("dgx-os-6"), "netplan");
  EXPECT_EQ(first("fedora-42"), "cloud-init networkmanager");
  EXPECT_EQ(first("rocky-9.4", kNoManager), "cloud-init");
  EXPECT_EQ(first("sles-15", kNetworkd), "cloud-init");
  EXPECT_EQ(first("amazon-linux-2", kNetworkd), "cloud-init");
  EXPECT_EQ(first("amazon-linux-2023", kNetworkd), "cloud-init networkd");
}

// What all nodes share stands once: 600 nodes and one head with an address each, nothing for a group.
TEST(NetworkReaders, OneFileForEachAddress) {
  Compiled c;
  c.spec(kVms + "software: { os: rocky-9 }\n", {"networkmanager"});
  EXPECT_EQ(c.paths().size(), 601u);
  EXPECT_EQ(c.bundle.files().front().mode, 0600u);
}

// IP over InfiniBand is a device of its own type; more than a packet of the fabric holds asks for connected mode (RFC
// 4391, RFC 4755).
TEST(NetworkReaders, IpOverInfiniband) {
  const auto profile = [](std::string_view mtu) {
    Compiled c;
    c.spec(kRoom +
               "nodes: { gpu: { names: g1, racks: main, server: { like: generic-2u, nics: { ib: cx7-ndr-osfp }, "
               "memory: 24 x 32 GiB } } }\n"
               "networks: { ib: { kind: infiniband, rate: 400 Gb/s, switch: nvidia-qm9700, racks: main, subnet: "
               "10.78.0.0/24, " +
               std::string(mtu) + "connects: { gpu: { ports: ib } } } }\nsoftware: { os: rocky-9 }\n",
           {"networkmanager"});
    return between(c.file("networkmanager/gpu-0/g1/ib1.nmconnection"), "[connection]", "[ipv4]");
  };
  EXPECT_EQ(profile(""),
            "[connection]\nid=ib1\ntype=infiniband\ninterface-name=ib1\n\n[infiniband]\ntransport-mode=datagram\n\n");
  EXPECT_EQ(profile("mtu: 9000, "),
            "[connection]\nid=ib1\ntype=infiniband\ninterface-name=ib1\n\n[infiniband]\ntransport-mode=connected\nmtu="
            "9000\n\n");
}

TEST(NetworkReaders, ExtraLines) {
  const auto told = [](std::string_view os, std::string_view output, std::string_view lines) {
    Compiled c;
    c.spec(kVms + "software: { os: " + std::string(os) + " }\noutputs: { " + std::string(output) + ": [ " +
               std::string(lines) + " ] } } }\n",
           {"networkd", "networkmanager"});
    return c.told();
  };
  const std::string_view d = "networkd: { extra: { 90-extra.network",
                         m = "networkmanager: { extra: { extra.nmconnection";
  EXPECT_EQ(told("debian-12", d, "\"[Match]\", \"Name=mgmt0\", \"[Network]\", \"DHCP=yes\""), "");
  EXPECT_NE(told("debian-12", d, "\"[Match]\", \"Name=mgmt0 eth0\"")
                .find("interface 'eth0', which is already set from the spec [output-extra-contradicts-spec]"),
            std::string::npos);
  EXPECT_NE(told("debian-12", d, "\"Name=mgmt0\"")
                .find("'Name=mgmt0' is not a valid line of 90-extra.network [output-extra-malformed]"),
            std::string::npos);
  EXPECT_NE(told("debian-12", d, "\"[Match]\", \"Name=a\\nReboot=yes\"").find("[output-extra-malformed]"),
            std::string::npos);
  EXPECT_NE(told("debian-12", d, "\"[Match]\", \"Name=a\\\\\"").find("[output-extra-malformed]"),
            std::string::npos);  // a backslash at the end takes the next line in
  EXPECT_EQ(told("rocky-9", m, "\"[connection]\", \"id=mgmt0\", \"interface-name=mgmt0\""), "");
  EXPECT_NE(told("rocky-9", m, "\"[connection]\", \"interface-name=eth0\"")
                .find("interface 'eth0', which is already set from the spec"),
            std::string::npos);
}

}  // namespace
}  // namespace clusterc
