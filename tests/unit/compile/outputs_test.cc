// What each output says, held against values worked out by hand or read in the documentation of the program that reads
// it.
#include "base/text.h"
#include "compile/common.h"
#include "unit/compile/compiled.h"
#include "write/pattern_text.h"

namespace clusterc {
namespace {

using test::between;
using test::Compiled;
using test::kHead;
using test::kVms;

TEST(Compile, OnlyMakesWhatIsAskedForAndSaysWhatIsNotCalledFor) {
  Compiled c;
  c.spec(kVms, {"hosts", "slurm"});
  EXPECT_EQ(c.paths(), std::vector<std::string>{"hosts/hosts"});
  EXPECT_EQ(c.uncalled, std::vector<std::string_view>{"slurm"});  // no scheduler in the spec
  EXPECT_EQ(c.told(), "");
}

TEST(Compile, ExtraLinesOfAnOutputThatIsNotMadeAreAWarning) {
  Compiled c;
  c.spec(kVms +
         "outputs:\n  slurm: { extra: { slurm.conf: [ \"ReturnToService=2\" ] } }\n  hosts: { skip: true, extra: { "
         "hosts: [ \"10.0.0.9 nas\" ] } }\n  ansible: { skip: true }\n");
  EXPECT_EQ(c.findings.count(Severity::error), 0u);
  EXPECT_EQ(c.findings.count(Severity::warning), 2u);
  EXPECT_NE(c.told().find("the extra lines of 'slurm.conf' are not used: this cluster does not need the output 'slurm' "
                          "[output-extra-unused]"),
            std::string::npos)
      << c.told();
  EXPECT_NE(c.told().find("the extra lines of 'hosts' are not used: `outputs` skips 'hosts' [output-extra-unused]"),
            std::string::npos)
      << c.told();
}

// 601 nodes and a gateway in the 254 addresses of a /24. The rules would have said so first; here nobody asked them.
TEST(Compile, NoFileWithoutTheAddressesItNeeds) {
  std::string spec = kVms;
  spec.replace(spec.find("10.7.0.0/16"), 11, "10.7.0.0/24");
  Compiled c;
  c.spec(spec);
  EXPECT_EQ(c.findings.count(Severity::error), 1u);
  EXPECT_NE(c.told().find(
                "subnet 10.7.0.0/24 of network 'lan' has too few addresses for its machines [output-address-missing]"),
            std::string::npos)
      << c.told();
}

TEST(Common, OneLine) {
  EXPECT_EQ(one_line("a\nb\r\tc\x7f"), "a b  c ");
  EXPECT_EQ(one_line("plain"), "plain");
}

TEST(Common, HeaderNamesSpecDigestAndWhatWasAccepted) {
  Compiled c;
  Finding f;
  f.rule = "node-memory-channels-uneven";
  f.objects = {"node/cpu"};
  f.accepted = "two lines\n# of reason";
  c.accepted.push_back(f);
  c.spec(kVms, {"hosts"});
  EXPECT_EQ(between(c.file("hosts/hosts"), "# made", "127.0.0.1"),
            "# made by clusterc from spec 'case'; do not edit: use outputs.hosts.extra\n# accepted: "
            "node-memory-channels-uneven node/cpu: two lines # of reason\n");
}

TEST(Common, BucketsHold512) {
  Compiled c;
  c.spec(kVms, {"netplan"});
  const auto paths = c.paths();  // n1 … n512 in the first, n513 … n600 in the second, and the head
  const auto in = [&](std::string_view folder) {
    return std::count_if(paths.begin(), paths.end(), [&](const std::string& p) { return p.starts_with(folder); });
  };
  EXPECT_EQ(in("netplan/cpu-0/"), 512);
  EXPECT_EQ(in("netplan/cpu-1/"), 88);
  EXPECT_EQ(in("netplan/head-0/"), 1);
  EXPECT_EQ(c.file("netplan/cpu-1/n513.yaml").substr(0, 6), "# made");
}

TEST(Common, ThePrimaryNetworkCarriesInbandTraffic) {
  Compiled c;
  c.spec(kHead +
         "nodes:\n  cpu: { names: n1, virtual_machine: { cpus: 2, memory: 2 GiB } }\nnetworks:\n  oob: { kind: "
         "ethernet, rate: 1 Gb/s, subnet: 10.1.0.0/24, connects: { cpu: 1 } }\n"
         "  ai: { kind: ethernet, rate: 1 Gb/s, subnet: 10.2.0.0/24, carries: [compute], connects: { cpu: 1 } }\n  "
         "lan: { kind: ethernet, rate: 1 Gb/s, subnet: 10.3.0.0/24, carries: [inband], connects: { cpu: 1 } }\n");
  ASSERT_TRUE(c.plan) << c.told();
  EXPECT_EQ(primary_network(*c.cluster), c.cluster->find_network("lan"));
  EXPECT_NE(c.file("hosts/hosts").find("10.3.0.17 n1 n1-lan\n"), std::string::npos)
      << c.file("hosts/hosts");  // slot 1 of a /24 in 16 slots
  EXPECT_NE(c.file("hosts/hosts").find("10.2.0.17 n1-ai\n"), std::string::npos);
}

TEST(PatternText, FillsItsMarksInOrder) {
  const PatternText t(
      "a " + PatternText::mark("5a17", 1) + " b " + PatternText::mark("5a17", 0) + PatternText::mark("5a17", 12) + " c",
      "5a17");
  std::string out;
  t.append(out, [](std::size_t n, std::string& to) { to += "<" + std::to_string(n) + ">"; });
  EXPECT_EQ(out, "a <1> b <0><12> c");
}

TEST(PatternText, AUsersWordIsNoMark) {
  for (const std::string text : {"clustercMark0Z", "clustercMarkn0Z", "clustercMark5a17nZ",
                                 "clustercMark5a17nxZ clustercMark5a17n", "clustercMark"}) {
    std::string out;
    PatternText(text + PatternText::mark("5a17", 3), "5a17").append(out, [](std::size_t n, std::string& to) {
      to += std::to_string(n);
    });
    EXPECT_EQ(out, text + "3");
  }
}

TEST(Hosts, NoNameStandsForTwoMachines) {
  const auto told = [](const std::string& nodes, const std::string& networks) {
    Compiled c;
    c.spec(kHead + "nodes:\n" + nodes + "networks:\n" + networks, {"hosts"});
    return c.told();
  };
  const std::string vm = ", virtual_machine: { cpus: 2, memory: 2 GiB } }\n";
  const std::string lan = ": { kind: ethernet, rate: 1 Gb/s, subnet: 10.1.0.0/24, connects: { a: 1, b: 1 } }\n",
                    second = ": { kind: ethernet, rate: 1 Gb/s, subnet: 10.2.0.0/24, connects: { a: 1, b: 1 } }\n";
  EXPECT_NE(
      told("  a: { names: n1" + vm + "  b: { names: n1-lan" + vm, "  lan" + lan)
          .find("two machines have the name 'n1-lan' in the compiled file hosts: node group 'a' and node group 'b' "
                "[hosts-name-twice]"),
      std::string::npos);
  EXPECT_NE(told("  a: { names: n1" + vm + "  b: { names: n1-x" + vm, "  x-y" + lan + "  y" + second)
                .find("two machines have the name 'n1-x-y'"),
            std::string::npos);
  EXPECT_NE(told("  a: { names: localhost" + vm + "  b: { names: n2" + vm, "  lan" + lan).find("[hosts-name-twice]"),
            std::string::npos);
  EXPECT_NE(told("  a: { names: \"n[1-3]\"" + vm + "  b: { names: N2" + vm, "  lan" + lan)
                .find("two machines have the name 'n2' in the compiled file hosts: node group 'a' and node group 'b' "
                      "[hosts-name-twice]"),
            std::string::npos);  // to DNS
  EXPECT_EQ(told("  a: { names: \"N[1-3]\"" + vm + "  b: { names: n4" + vm, "  lan" + lan), "");
  EXPECT_EQ(
      told("  a: { names: \"n-[1-3]\"" + vm + "  b: { names: \"n-[4-6]-lan\"" + vm, "  lan" + lan + "  y" + second),
      "");
}

TEST(NodeLists, OnlyTheOneThatIsNamed) {
  const auto made = [](std::string_view outputs) {
    Compiled c;
    c.spec(kVms + "software: { os: debian-12 }\n" + std::string(outputs));
    std::string out;
    for (const std::string& path : c.paths())
      if (path.find("nodes.yaml") != std::string::npos || path.ends_with(".stanza") || path.ends_with("machines.sh"))
        out += path + " ";
    return out;
  };
  EXPECT_EQ(made(""), "");
  EXPECT_EQ(made("outputs: { warewulf: {} }\n"), "warewulf/nodes.yaml ");
  EXPECT_EQ(made("outputs: { xcat: {}, maas: { skip: true } }\n"), "xcat/nodes.stanza ");
}

// Without an inventory no MAC is known: 601 virtual machines, none of which MAAS would take.
TEST(NodeLists, SayWhatIsNotKnown) {
  Compiled maas, warewulf;
  maas.spec(kVms + "outputs: { maas: {} }\n", {"maas"});
  EXPECT_NE(maas.told().find("601 nodes are not in the list: MAAS needs the MAC of the port that a node starts from "
                             "[output-nodes-left-out]"),
            std::string::npos)
      << maas.told();
  EXPECT_NE(maas.told().find("eth0,MAC"), std::string::npos) << maas.told();
  EXPECT_EQ(maas.file("maas/machines.sh").find("\nmachine "), std::string::npos);
  warewulf.spec(kVms + "outputs: { warewulf: {} }\n", {"warewulf"});
  EXPECT_NE(
      warewulf.file("warewulf/nodes.yaml").find("\n# no MAC address is known of ports: 601; add rows to the inventory"),
      std::string::npos);
  EXPECT_NE(warewulf.file("warewulf/nodes.yaml").find("  discoverable: true\n"), std::string::npos);
}

TEST(NodeLists, ExtraLines) {
  const auto told = [](std::string_view output, std::string_view file, std::string_view line) {
    Compiled c;
    c.spec(kVms + "outputs: { " + std::string(output) + ": { extra: { " + std::string(file) + ": [ \"" +
               std::string(line) + "\" ] } } }\n",
           {std::string(output)});
    return c.told();
  };
  EXPECT_NE(told("xcat", "nodes.stanza", "mac=02:00:00:00:00:01")
                .find("an extra line sets 'mac', which is already set from the spec"),
            std::string::npos);
  EXPECT_NE(told("xcat", "nodes.stanza", "nicips.eth0=10.0.0.1")
                .find("an extra line sets 'nicips.eth0', which is already set from the spec"),
            std::string::npos);
  EXPECT_NE(
      told("xcat", "nodes.stanza", "n9:").find("'n9:' is not a valid line of nodes.stanza [output-extra-malformed]"),
      std::string::npos);
  EXPECT_EQ(told("xcat", "nodes.stanza", "provmethod=netboot"), "");
  EXPECT_NE(told("maas", "machines.sh", "power_type=manual")
                .find("an extra line sets 'power_type', which is already set from the spec"),
            std::string::npos);
  EXPECT_NE(
      told("warewulf", "nodes.yaml", "comment: &a x").find("is copied to every node, so that it cannot have an anchor"),
      std::string::npos);
  EXPECT_NE(told("maas", "machines.sh", "; reboot").find("[output-extra-malformed]"), std::string::npos);
  EXPECT_NE(told("warewulf", "nodes.yaml", "ipmi: { ipaddr: 10.0.0.1 }")
                .find("nodes.yaml already has 'ipmi' [output-extra-contradicts-spec]"),
            std::string::npos);
}

// Two that ship logs would send each line twice.
TEST(SyslogNg, IsNotMadeBesideAnotherThatShipsLogs) {
  const auto made = [](const std::string& monitoring) {
    Compiled d;
    d.spec(test::kHead +
               "nodes: { mon: { names: mon, virtual_machine: { cpus: 2, memory: 2 GiB }, roles: [monitoring] } }\n" +
               "networks: { lan: { kind: ethernet, rate: 10 Gb/s, subnet: 10.1.0.0/24, connects: { mon: 1 } } "
               "}\nsoftware: { os: debian-12, monitoring: [" +
               monitoring + "] }\n",
           {"syslog-ng"});
    return !d.file("syslog-ng/mon.conf").starts_with("no file");
  };
  EXPECT_TRUE(made("loki"));
  EXPECT_TRUE(made("prometheus, elk"));
  EXPECT_FALSE(made("prometheus"));
  EXPECT_FALSE(made("loki, promtail"));
  EXPECT_FALSE(made("elk, filebeat"));
}

}  // namespace
}  // namespace clusterc
