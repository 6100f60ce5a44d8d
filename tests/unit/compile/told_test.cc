// What machines are told of lies where they reach it, or somebody is told: by hand from small clusters.
#include "base/text.h"
#include "unit/compile/compiled.h"

namespace clusterc {
namespace {

using test::Compiled;

const std::string kSite =
    "clusterc: 1\nrules: 2026.11\nname: case\n"
    "site: { region: iec, supply: { phases: 3, voltage: 400 V }, feeds: { A: { breaker: 63 A } }, cooling: { hall: { "
    "method: contained-air, each: { heat: 60 kW, airflow: 8000 CFM }, supply: 22 C } } }\n"
    "racks: { main: { names: r1, model: generic-48u-800x1200, cooling: hall, pdus: [ { model: eu-400-3ph-32, feed: A } "
    "] } }\n";

// ctl provisions from lan; nas is in the storage network alone; both have a BMC in oob.
std::string cluster(std::string_view gateway, std::string_view software, std::string_view rest = {}) {
  const std::string server =
      ", racks: main, server: { like: generic-1u, nics: { data: 2 x cx6-vpi-200 }, memory: 24 x 32 GiB }";
  return kSite + "nodes:\n  ctl: { names: ctl" + server +
         ", roles: [provisioning], ha: active-passive }\n  nas: { names: nas1" + server + " }\n" +
         "networks:\n  lan: { kind: ethernet, rate: 100 Gb/s, switch: nvidia-sn4600c, racks: main, subnet: "
         "10.1.0.0/24" +
         std::string(gateway) + ", carries: [inband], connects: { ctl: { ports: data, count: 1 } } }\n" +
         "  stor: { kind: ethernet, rate: 100 Gb/s, switch: nvidia-sn4600c, racks: main, subnet: 10.3.0.0/24, carries: "
         "[storage], connects: { nas: { ports: data, count: 1 } } }\n" +
         "  oob: { kind: ethernet, rate: 1 Gb/s, switch: nvidia-sn2201, racks: main, subnet: 10.2.0.0/24, connects: "
         "everything }\n" +
         "software: { os: debian-12, domain: case.example, " + std::string(software) + " }\n" + std::string(rest);
}

struct Told : Compiled {
  explicit Told(std::string yaml) {
    spec(std::move(yaml));
    if (system) note_what_is_left(*system, findings);
  }
  std::string note(std::string_view rule) const {
    for (const Finding& f : findings.all())
      if (f.rule == rule) return f.message;
    return {};
  }
};

TEST(Told, ServersInNetworksOfOthersAreNoted) {
  const Told d(cluster("", "time_servers: [ctl]"));
  EXPECT_EQ(d.note("time-server-unreached"),
            "time server 'ctl' resolves to an address in a network that nodes of 'nas' are not in");
  EXPECT_EQ(d.note("name-server-unreached"),
            "nodes of 'nas' have no name server: the cluster's own name server is in none of their networks, so that "
            "they resolve "
            "only names in /etc/hosts");
  EXPECT_EQ(d.note("network-no-way-out"),
            "nodes of 'ctl', 'nas' have no gateway: they have no route to the package repositories that the plays use");
  EXPECT_EQ(Told(cluster("", "time_servers: [ctl], mirror: { server: ctl }")).note("network-no-way-out"), "");
  EXPECT_EQ(Told(cluster(", gateway: 10.1.0.1", "time_servers: [ntp.example.org]")).note("network-no-way-out"),
            "nodes of 'nas' have no gateway, but server 'ntp.example.org' is in none of their networks");
  const auto all = [](std::string_view software) {
    const Told t(cluster("", software));
    std::string out;
    for (const Finding& f : t.findings.all())
      if (f.rule == "network-no-way-out") out += f.message + "; ";
    return out;
  };
  EXPECT_EQ(all("time_servers: [10.1.0.9, 10.3.0.9]"),
            "nodes of 'ctl' have no gateway, but server '10.3.0.9' is in none of their networks; nodes of 'nas' have "
            "no gateway, but server '10.1.0.9' is in none of their networks; ");
  // Each is said, whatever else is not reached.
  EXPECT_EQ(all("time_servers: [a.example.org, b.example.org], identity: { kind: ldap, server: "
                "\"ldaps://ldap.example.org\" }"),
            "nodes of 'ctl', 'nas' have no gateway, but servers 'a.example.org', 'b.example.org' are in none of their "
            "networks; nodes of 'ctl', 'nas' have no gateway, but use the directory 'ldap.example.org': this name must "
            "resolve to an address in one of their networks; ");
}

// nas is in stor alone, ctl in lan alone; a file system of an outside host is mounted by both where `on` is left out.
TEST(Told, FileSystemsOfHostsThatNobodyReaches) {
  const auto mounted = [](std::string_view gateway, std::string_view servers) {
    return Told(cluster(gateway, "time_servers: [10.1.0.9], name_servers: [10.1.0.9], mirror: { server: ctl }",
                        "storage: { home: { " + std::string(servers) + ", mount: /home } }\n"));
  };
  const auto all = [](const Told& t) {
    std::string out;
    for (const Finding& f : t.findings.all())
      if (f.rule == "network-no-way-out" && f.message.find("/home") == std::string::npos &&
          f.message.find("'home'") != std::string::npos)
        out += f.message + "\n";
    return out;
  };
  EXPECT_EQ(all(mounted("", "kind: nfs, servers: { external: nas.example.org }")),
            "nodes of 'ctl', 'nas' have no gateway, but mount 'home' from 'nas.example.org': this name must resolve to "
            "an address in one of their networks\n");
  EXPECT_EQ(all(mounted("", "kind: nfs, servers: { external: 10.3.0.200 }")),
            "nodes of 'ctl' have no gateway, but mount 'home' from '10.3.0.200': this address is in none of their "
            "networks\n");
  EXPECT_EQ(all(mounted("", "kind: nfs, servers: { external: 10.1.0.200 }, source: \"10.1.0.200:/vol\"")),
            "nodes of 'nas' have no gateway, but mount 'home' from '10.1.0.200': this address is in none of their "
            "networks\n");
  EXPECT_EQ(all(mounted(", gateway: 10.1.0.1", "kind: nfs, servers: { external: 10.3.0.200 }")), "");
  EXPECT_EQ(all(mounted("", "kind: nfs, servers: { external: 10.3.0.200 }, on: [nas]")), "");
  EXPECT_EQ(all(mounted("", "kind: beegfs, servers: { external: mgmt }, source: 10.9.0.4")),
            "nodes of 'ctl', 'nas' have no gateway, but mount 'home' from '10.9.0.4': this address is in none of their "
            "networks\n");
}

TEST(Told, NamesOfAProviderAreAskedOfNobody) {
  const auto cloud = [](std::string_view software) {
    return Told(
               "clusterc: 1\nrules: 2026.11\nname: case\nsite: { kind: cloud, provider: aws }\nnodes:\n  ctl: { names: "
               "ctl1, roles: [provisioning], virtual_machine: { cpus: 2, memory: 2 GiB } }\n"
               "networks: { lan: { kind: ethernet, rate: 10 Gb/s, subnet: 10.1.0.0/24, carries: [inband], connects: { "
               "ctl: 1 } } }\nsoftware: { os: debian-12, " +
               std::string(software) + " }\n")
        .note("name-server-provider-unasked");
  };
  EXPECT_EQ(cloud("domain: c.example"),
            "nodes use the compiled name server of 'c.example', which resolves other names on the internet: names that "
            "only the provider's resolver has are not found");
  EXPECT_EQ(cloud("domain: c.example, name_servers: [10.1.0.17, 10.1.0.2]"), "");
  EXPECT_EQ(cloud("time_servers: [10.1.0.2]"), "");
  EXPECT_EQ(Told(cluster("", "")).note("name-server-provider-unasked"), "");
}

TEST(Told, HostsOutsideInTheClustersDomainAreHidden) {
  const std::string hides =
      "'ntp.case.example' is in the cluster's domain 'case.example', but the compiled name server has no record of "
      "'ntp': no node of the cluster can resolve it";
  EXPECT_EQ(Told(cluster("", "time_servers: [NTP.case.example]")).note("dns-hides-host"), "'NTP" + hides.substr(4));
  EXPECT_EQ(
      Told(cluster("", "time_servers: [ntp.case.example]", "outputs: { dns: { extra: { zone: [ntp A 10.9.0.1] } } }\n"))
          .note("dns-hides-host"),
      "");
  EXPECT_EQ(Told(cluster("", "time_servers: [ntp.case.example]",
                         "outputs: { dns: { skip: true }, dnsmasq: { extra: { dnsmasq.conf: "
                         "[\"host-record=ntp.case.example,10.9.0.1\"] } } }\n"))
                .note("dns-hides-host"),
            "");
  EXPECT_EQ(Told(cluster("", "time_servers: [ntp.case.example]",
                         "outputs: { dns: { skip: true }, dnsmasq: { extra: { dnsmasq.conf: "
                         "[\"host-record=xntp,10.9.0.1\"] } } }\n"))
                .note("dns-hides-host"),
            hides);
  EXPECT_EQ(
      Told(cluster("", "time_servers: [ctl.case.example, nas1-stor.case.example, ntp.example]")).note("dns-hides-host"),
      "");
  EXPECT_EQ(Told(cluster("", "time_servers: [ntp.case.example], name_servers: [10.9.0.9]")).note("dns-hides-host"), "");
  EXPECT_EQ(Told(cluster("", "time_servers: [ntp.case.example]", "outputs: { dns: { skip: true } }\n"))
                .note("dns-hides-host"),
            hides);  // dnsmasq's local=
  EXPECT_EQ(
      Told(cluster("", "identity: { kind: ldap, server: \"ldaps://ldap.case.example:636/\" }")).note("dns-hides-host"),
      "'ldap.case.example" + replace_all(hides.substr(17), "'ntp'", "'ldap'"));
}

// tri's name means its address in d, which head is not in; they share st alone. Where d has a router as lan has, or
// head a leg in d, it is reached.
TEST(Told, NodesThatTheSchedulerDoesNotReachByTheirNames) {
  const auto note = [](std::string_view router, std::string_view leg) {
    const std::string vm = ", virtual_machine: { cpus: 2, memory: 2 GiB }";
    return Told(kSite + "nodes:\n  head: { names: head" + vm + ", roles: [scheduler] }\n  tri: { names: t1" + vm +
                " }\nnetworks:\n" +
                "  lan: { kind: ethernet, rate: 10 Gb/s, switch: nvidia-sn4600c, subnet: 10.1.0.0/24, gateway: "
                "10.1.0.1, carries: [inband], connects: { head: 1 } }\n" +
                "  st: { kind: ethernet, rate: 10 Gb/s, switch: nvidia-sn4600c, subnet: 10.3.0.0/24, carries: "
                "[storage], connects: { head: 1, tri: 1 } }\n" +
                "  d: { kind: ethernet, rate: 10 Gb/s, switch: nvidia-sn4600c, subnet: 10.6.0.0/24, " +
                std::string(router) + "carries: [inband], connects: { tri: 1" + std::string(leg) + " } }\n")
        .note("name-unreached");
  };
  EXPECT_EQ(note("", ""),
            "'head' connects to nodes by their plain names, but the names of 'tri' resolve to addresses in a network "
            "that 'head' is not in");
  EXPECT_EQ(note("gateway: 10.6.0.1, ", ""), "");
  EXPECT_EQ(note("", ", head: 1"), "");
}

TEST(Told, KeaServesNoNames) {
  EXPECT_EQ(Told(cluster("", "name_servers: []", "outputs: { kea: {}, dns: { skip: true } }\n"))
                .note("name-server-unreached"),
            "nodes of 'ctl', 'nas' have no name server: Kea serves no names, and the output dns is not compiled, so "
            "that they resolve only names in /etc/hosts");
}

// A server of a service that lies outside, and groups without a gateway.
TEST(Told, DirectoriesAndDatabasesThatNobodyReaches) {
  const auto all = [](std::string_view gateway, std::string_view software) {
    std::string out;
    const Told told(cluster(gateway, "time_servers: [ctl], mirror: { server: ctl }, " + std::string(software)));
    for (const Finding& f : told.findings.all())
      if (f.rule == "network-no-way-out" && f.message.find("but use the ") != std::string::npos)
        out += f.message + "\n";
    return out;
  };
  EXPECT_EQ(all("", "identity: { kind: ldap, server: \"ldaps://ldap.example.org\" }"),
            "nodes of 'ctl', 'nas' have no gateway, but use the directory 'ldap.example.org': this name must resolve "
            "to an address in one of their networks\n");
  EXPECT_EQ(
      all("", "identity: { kind: ldap, server: \"ldaps://10.3.0.9\" }"),
      "nodes of 'ctl' have no gateway, but use the directory '10.3.0.9': this address is in none of their networks\n");
  EXPECT_EQ(all(", gateway: 10.1.0.1", "identity: { kind: ldap, server: \"ldaps://10.3.0.9\" }"), "");
  const auto base = [&](std::string_view gateway, std::string_view host) {
    return all(gateway,
               "scheduler: { kind: slurm, version: 22.05, controllers: ctl, accounting: { nodes: ctl, database: " +
                   std::string(host) + " } }");
  };
  EXPECT_EQ(base("", "db.example.org"),
            "nodes of 'ctl' have no gateway, but use the database 'db.example.org': this name must resolve to an "
            "address in one of their networks\n");
  EXPECT_EQ(base("", "10.1.0.200"), "");
  EXPECT_EQ(base(", gateway: 10.1.0.1", "db.example.org"), "");
}

// What a source names by its address is asked for by nobody's name.
TEST(Told, AServerThatIsMountedByAddressIsNotHidden) {
  const auto hidden = [](std::string_view source) {
    return Told(cluster("", "time_servers: [10.1.0.9]",
                        "storage: { fast: { kind: beegfs, servers: { external: mgmt.case.example }, source: " +
                            std::string(source) + ", mount: /fast } }\n"))
        .note("dns-hides-host");
  };
  EXPECT_EQ(hidden("10.1.0.77"), "");
  EXPECT_EQ(hidden("mgmt.case.example"),
            "'mgmt.case.example' is in the cluster's domain 'case.example', but the compiled name server has no record "
            "of 'mgmt': no node of the cluster can resolve it");
}

TEST(Told, WhoMayLogInWhereADirectoryLetsEverybodyIn) {
  const std::string directory = "identity: { kind: ldap, server: \"ldaps://ldap.example.org\" }",
                    teams = "teams: { a: { users: [ada] } }\n";
  EXPECT_EQ(Told(cluster("", directory, teams)).note("login-ungated"),
            "every user of the directory service can log in to 'ctl', 'nas' by ssh: the cluster has no scheduler, and "
            "`identity` names no `administrators`");
  // Teams change nothing of who may log in.
  EXPECT_EQ(Told(cluster("", directory)).note("login-ungated"),
            "every user of the directory service can log in to 'ctl', 'nas' by ssh: the cluster has no scheduler, and "
            "`identity` names no `administrators`");
  EXPECT_EQ(Told(cluster("", "identity: { kind: ldap, server: \"ldaps://ldap.example.org\", administrators: [ops] }"))
                .note("login-ungated"),
            "");
  EXPECT_EQ(Told(cluster("", "identity: { kind: local }", teams)).note("login-ungated"), "");
  EXPECT_EQ(Told(cluster("", directory, teams + "outputs: { ansible: { skip: true } }\n")).note("login-ungated"), "");
}

TEST(Told, WhoAsksSwitchesBySnmp) {
  const auto note = [](std::string_view programs, std::string_view watch) {
    std::string spec = cluster("", "monitoring: [" + std::string(programs) + "]");
    if (!watch.empty()) spec = replace_all(spec, "roles: [provisioning]", "roles: [" + std::string(watch) + "]");
    return Told(spec).note("snmp-closed");
  };
  EXPECT_EQ(note("prometheus, snmp-exporter", ""),
            "an SNMP exporter is named, but no node with the role monitoring has an address: the firewall lets only "
            "root query switches and PDUs, from 'ctl'");
  EXPECT_EQ(note("prometheus, snmp-exporter", "provisioning, monitoring"), "");
  EXPECT_EQ(note("prometheus", ""), "");
}

// Ports that IP over InfiniBand goes over have no address that a .link file could match: no row of the inventory helps.
TEST(Told, NamesOfInfinibandPortsAreTheImagesOwn) {
  const auto told = [](std::string_view nics, std::string_view network) {
    const Told d(kSite + "nodes: { gpu: { names: g1, racks: main, server: { like: generic-2u, nics: { data: " +
                 std::string(nics) + " }, memory: 24 x 32 GiB } } }\n" + "networks: { net: { " + std::string(network) +
                 ", racks: main, subnet: 10.78.0.0/24, carries: [compute, inband], connects: { gpu: { ports: data } } "
                 "} }\nsoftware: { os: debian-12 }\n");
    for (const Finding& f : d.findings.all())
      if (f.rule == "network-names-unmade") return f.message + " | " + f.helps.front().message;
    return std::string();
  };
  EXPECT_EQ(told("cx7-ndr-osfp", "kind: infiniband, rate: 400 Gb/s, switch: nvidia-qm9700"),
            "no output names InfiniBand ports: the names in their network configuration, such as 'data1' on 'g1', must "
            "exist on the machine | name the ports in the image, or by your own udev rules with their GUIDs");
  EXPECT_EQ(told("cx6-vpi-200", "kind: ethernet, rate: 100 Gb/s, switch: nvidia-sn4600c").find("InfiniBand"),
            std::string::npos);
}

// DHCP gives out addresses in lan and oob; 10.1.0.17 is ctl, as hosts has it. BMCs are told of a server in their own
// network, or of one outside where they have a gateway; never of the cluster's name server.
TEST(Told, DhcpTellsOfWhatItsClientsReach) {
  const auto options = [](std::string_view gateway, std::string_view software) {
    const Told d(cluster(gateway, software));
    std::string out;
    const std::string conf = d.file("dnsmasq/dnsmasq.conf");
    for (std::size_t at = conf.find("dhcp-option="); at != std::string::npos; at = conf.find("dhcp-option=", at + 1)) {
      const std::string line = conf.substr(at + 16, conf.find('\n', at) - at - 16);
      if (line.find("router") == std::string::npos) out += line + "; ";
    }
    return out;
  };
  EXPECT_EQ(options("", "time_servers: [10.1.0.9, 10.2.0.9, 192.0.2.1]"),
            "lan,option:dns-server,10.1.0.17; lan,option:ntp-server,10.1.0.9; oob,option:dns-server; "
            "oob,option:ntp-server,10.2.0.9; ");
  EXPECT_EQ(options(", gateway: 10.1.0.254", "time_servers: [192.0.2.1], name_servers: [192.0.2.53]"),
            "lan,option:dns-server,192.0.2.53; lan,option:ntp-server,192.0.2.1; oob,option:dns-server; ");
}

TEST(Told, WhatNothingMakesIsNoted) {
  EXPECT_EQ(Told(cluster("", "name_servers: []")).note("ha-unmade"),
            "no output implements `ha` of 'ctl': its nodes do not fail over");
  EXPECT_EQ(Told(cluster("", "name_servers: []", "teams: { a: { users: [ada] } }\n")).note("team-users-unmade"),
            "no output creates the users of teams, such as 'ada', on 'nas'");
  EXPECT_EQ(Told(cluster("", "identity: { kind: ldap, server: \"ldaps://ldap.example.org\" }",
                         "teams: { a: { users: [ada] } }\n"))
                .note("team-users-unmade"),
            "");
}

}  // namespace
}  // namespace clusterc
