// Who is installed over which network, and from which medium; whose addresses nobody gets. By hand.
#include "unit/compile/compiled.h"

namespace clusterc {
namespace {

using test::Compiled;

std::string vm(const std::string& name, std::string_view more = "") {
  return "  " + name + ": { names: " + name + "1, virtual_machine: { cpus: 2, memory: 2 GiB }" + std::string(more) +
         " }\n";
}
const std::string kSite =
    "clusterc: 1\nrules: 2026.11\nname: case\nsite: { region: iec, supply: { phases: 3, voltage: 400 V } }\nsoftware: "
    "{ os: debian-12 }\nnodes:\n" +
    vm("head", ", roles: [provisioning]");
const std::string kLan =
    "networks:\n  lan: { kind: ethernet, rate: 100 Gb/s, switch: nvidia-sn4600c, subnet: 10.1.0.0/24, carries: "
    "[inband], connects: { head: 1, ";

TEST(Install, NobodyStartsOverATaggedNetwork) {
  Compiled c;
  c.spec(kSite + vm("one") + vm("two") + kLan +
             "one: 1 } }\n  side: { shares_switches_with: lan, vlan: 200, subnet: 10.2.0.0/24, carries: [inband], "
             "connects: { head: 1, two: 1 } }\n",
         {"ipxe", "dnsmasq"});
  EXPECT_EQ(c.findings.count(Severity::error), 0) << c.told();
  EXPECT_EQ(c.file("ipxe/one.ipxe").substr(0, 6), "#!ipxe");
  EXPECT_EQ(c.file("ipxe/two.ipxe"), "no file ipxe/two.ipxe");
  EXPECT_NE(c.told().find("no output installs 'two': its nodes are in 'side' with the VLAN tag 200"), std::string::npos)
      << c.told();
  EXPECT_EQ(c.file("dnsmasq/dnsmasq.conf").find("10.2.0.0"), std::string::npos);
}

TEST(Install, EachArchitectureHasItsMedium) {
  Compiled c;
  c.spec(kSite + vm("x", ", software: { os: ubuntu-24.04 }") +
             vm("arm", ", software: { os: ubuntu-24.04, arch: aarch64 }") +
             vm("red", ", software: { os: rhel-9, arch: aarch64 }") + kLan + "x: 1, arm: 1, red: 1 } }\n",
         {"ipxe"});
  EXPECT_EQ(c.findings.count(Severity::error), 0) << c.told();
  const auto kernel = [&](const std::string& group) {
    return test::between(c.file("ipxe/" + group + ".ipxe"), "\nkernel ", " initrd=").substr(8);
  };
  EXPECT_EQ(kernel("x"), "http://10.1.0.17/cluster/media/ubuntu-24.04/casper/vmlinuz");
  EXPECT_EQ(kernel("arm"), "http://10.1.0.17/cluster/media/ubuntu-24.04-arm64/casper/vmlinuz");
  EXPECT_EQ(kernel("red"), "http://10.1.0.17/cluster/media/rhel-9-aarch64/BaseOS/aarch64/os/images/pxeboot/vmlinuz");
}

// Slots of 16 and of 32 would give somebody .33; in slots of 64 head is .65 and n1 .129.
TEST(Install, NobodyGetsTheAddressOfAHostOutside) {
  const auto hosts = [](std::string_view storage) {
    Compiled c;
    c.spec(kSite + vm("n") + kLan + "n: 1 } }\n" + std::string(storage), {"hosts"});
    EXPECT_EQ(c.findings.count(Severity::error), 0) << c.told();
    std::string out;
    std::istringstream lines(c.file("hosts/hosts"));
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("10.")) out += line.substr(0, line.find(' ', line.find(' ') + 1)) + "; ";
    return out;
  };
  EXPECT_EQ(hosts(""), "10.1.0.17 head1; 10.1.0.33 n1; ");
  const std::string moved = "10.1.0.65 head1; 10.1.0.129 n1; ";
  EXPECT_EQ(hosts("storage: { home: { kind: nfs, servers: { external: 10.1.0.33 }, mount: /home } }\n"), moved);
  EXPECT_EQ(hosts("storage: { home: { kind: lustre, servers: { external: mds }, source: "
                  "\"10.9.0.1@tcp:10.1.0.33@tcp:/fs\", mount: /home } }\n"),
            moved);
  EXPECT_EQ(hosts("storage: { home: { kind: nfs, servers: { external: 10.1.0.40 }, mount: /home } }\n"),
            "10.1.0.17 head1; 10.1.0.33 n1; ");
}

TEST(Install, NodesOfTheClusterAreNotOutside) {
  Compiled c;
  c.spec(kSite + vm("n") + kLan +
         "n: 1 } }\nstorage: { home: { kind: nfs, servers: { external: head1 }, mount: /home } }\n");
  EXPECT_NE(c.told().find("'head1' is a node of 'head', but `external`"), std::string::npos) << c.told();
}

}  // namespace
}  // namespace clusterc
