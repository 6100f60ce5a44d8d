// What has to be there before something else can be: by hand, from what a deployer of the compiled files would meet.
#include "unit/compile/compiled.h"

namespace clusterc {
namespace {

using test::between;
using test::Compiled;
using test::kHead;

struct Deployed : Compiled {
  explicit Deployed(const std::string& yaml, std::set<std::string, std::less<>> only = {}) {
    spec(kHead + yaml, std::move(only));
    if (system) note_what_is_left(*system, findings);
  }
  const Finding* finding(std::string_view rule) const {
    for (const Finding& f : findings.all())
      if (f.rule == rule) return &f;
    return nullptr;
  }
};

// An installer takes the drives called boot, so that nothing there is ever empty: to demand a mount would drain every
// node.
TEST(Deploy, NobodyAsksForAFileSystemBesideTheSystem) {
  Deployed d(
      "nodes:\n  n: { names: \"n[1-2]\", instance: generic-2u, nics: { data: cx6-vpi-200 }, drives: { boot: 960 GB "
      "nvme, more: 1.92 TB nvme }, roles: [scheduler, compute] }\n"
      "networks: { lan: { kind: ethernet, rate: 100 Gb/s, subnet: 10.1.0.0/24, carries: [compute, inband], connects: { "
      "n: { ports: data } } } }\n"
      "storage: { scratch: { kind: local, on: n, drives: boot, mount: /scratch }, more: { kind: local, on: n, drives: "
      "more, mount: /more } }\n"
      "software: { os: debian-12, scheduler: { kind: slurm, version: 22.05 } }\n");
  const Finding* note = d.finding("storage-drives-unsaid");
  ASSERT_NE(note, nullptr) << d.told();
  EXPECT_EQ(note->message,
            "no output creates the file system 'scratch', and no health check covers it: the operating system of 'n' "
            "is on 'boot'");
  EXPECT_EQ(between(d.file("slurm/nodes/n.sh"), "scratch", "/more"), "scratch_folder /scratch\nscratch ");
  EXPECT_EQ(between(d.file("ansible/group_vars/group_n.yaml"), "cluster_drives:", "mount"),
            "cluster_drives:\n  - storage: more\n    ");
}

constexpr std::string_view kNodes =
    "nodes:\n"
    "  ctl: { names: \"c[1-2]\", virtual_machine: { cpus: 2, memory: 4 GiB }, roles: [scheduler] }\n"
    "  n:   { names: \"n[1-2]\", virtual_machine: { cpus: 2, memory: 4 GiB }, roles: [compute] }\n"
    "  nas: { names: nas1, virtual_machine: { cpus: 2, memory: 4 GiB }, roles: [storage] }\n"
    "networks: { lan: { kind: ethernet, rate: 100 Gb/s, subnet: 10.1.0.0/24, carries: [compute, storage, inband], "
    "connects: { ctl: 1, n: 1, nas: 1 } } }\n";

// Where two controllers keep their state, and on which machine Ansible makes the folder: "-" on each of them, "" on one
// that is not the cluster's.
TEST(Deploy, TheStateOfControllersLiesWhereItsFolderIsMade) {
  const auto state = [](std::string_view storage, std::string_view extra = {}) {
    const Deployed d(std::string(kNodes) + "storage: { " + std::string(storage) +
                     " }\nsoftware: { os: debian-12, scheduler: { kind: slurm, version: 22.05 } }\n" +
                     (extra.empty() ? ""
                                    : "outputs: { slurm: { extra: { slurm.conf: [ \"StateSaveLocation=" +
                                          std::string(extra) + "\" ] } } }\n"));
    const std::string vars = d.file("ansible/group_vars/group_ctl.yaml"), key = "cluster_slurm_state_server: ";
    const Finding* const told = d.finding("slurm-state-not-shared");
    const std::string path = between(d.file("slurm/slurm.conf"), "StateSaveLocation=", "\n").substr(18);
    return path + " on " + (vars.find(key) == std::string::npos ? "-" : between(vars, key, "\n").substr(key.size())) +
           (!told                                 ? ""
            : told->severity == Severity::warning ? " (not shared)"
                                                  : " (not known)");
  };
  const std::string home = "home: { kind: nfs, servers: { nodes: nas }, mount: /home }",
                    filer = "filer: { kind: nfs, servers: { external: filer.example.org }, mount: /filer }";
  EXPECT_EQ(state(home), "/home/slurm/case/state on nas1");
  EXPECT_EQ(state(home + ", state: { kind: nfs, servers: { external: filer.example.org }, on: ctl, mount: /state }"),
            "/state/slurm/case/state on \"\"");  // it is meant for it
  EXPECT_EQ(state(home + ", " + filer, "/filer/slurm"), "/filer/slurm on \"\"");
  EXPECT_EQ(state(home + ", " + filer, "/home/slurm"), "/home/slurm on nas1");
  EXPECT_EQ(state(home, "/homes/slurm"), "/homes/slurm on - (not known)");
  EXPECT_EQ(state("fast: { kind: lustre, servers: { external: mgs.example.org }, mount: /fast }"),
            "/var/spool/slurmctld on - (not shared)");  // nobody mounts it
}

TEST(Deploy, HomesAreMadeOrSomebodyIsTold) {
  const auto with = [](std::string_view server, std::string_view teams) {
    return Deployed(std::string(kNodes) + "storage: { home: { kind: nfs, servers: { " + std::string(server) +
                    " }, mount: /home } }\nsoftware: { os: debian-12, identity: { kind: ldap, server: "
                    "\"ldaps://ldap.example.org\" } }\n" +
                    std::string(teams));
  };
  const Deployed named = with("nodes: nas", "teams: { a: { users: [ada, grace] }, b: { users: [ada] } }\n");
  EXPECT_EQ(between(named.file("ansible/group_vars/group_nas.yaml"), "cluster_home_users:", "cluster_identity"),
            "cluster_home_users:\n  - ada\n  - grace\n");
  EXPECT_EQ(named.file("ansible/group_vars/group_ctl.yaml").find("cluster_home_users"), std::string::npos);
  EXPECT_EQ(named.finding("storage-homes-unmade"), nullptr);
  EXPECT_NE(with("nodes: nas", "").finding("storage-homes-unmade"), nullptr);
  EXPECT_NE(with("external: nas.example.org", "teams: { a: { users: [ada] } }\n").finding("storage-homes-unmade"),
            nullptr);
}

// Jobs have what slurmd has, whose service systemd gives 8 MiB of locked memory where nobody says otherwise
// (systemd-system.conf(5), DefaultLimitMEMLOCK).
TEST(Deploy, JobsMayLockWhatTheSpecSays) {
  const auto slurmd = [](std::string_view limits) {
    const Deployed d(
        "nodes: { n: { names: \"n[1-2]\", virtual_machine: { cpus: 2, memory: 4 GiB } }, c: { names: c1, "
        "virtual_machine: { cpus: 2, memory: 4 GiB }, roles: [scheduler] } }\n"
        "networks: { lan: { kind: ethernet, rate: 10 Gb/s, subnet: 10.1.0.0/24, carries: [compute, inband], connects: "
        "{ n: 1, c: 1 } } }\n"
        "software: { os: debian-12, scheduler: { kind: slurm, version: 22.05 }" +
            std::string(limits) + " }\n",
        {"ansible"});
    return between(d.file("ansible/group_vars/group_n.yaml"), "cluster_slurmd_settings:", "\ncluster_slurmd_");
  };
  EXPECT_NE(slurmd(", limits: { memlock: 64 GiB }").find("LimitMEMLOCK=67108864K"), std::string::npos)
      << slurmd(", limits: { memlock: 64 GiB }");
  EXPECT_NE(slurmd(", limits: { memlock: unlimited }").find("LimitMEMLOCK=infinity"), std::string::npos);
  EXPECT_EQ(slurmd("").find("LimitMEMLOCK"), std::string::npos);
  EXPECT_NE(slurmd(", limits: { nofile: 65536, nproc: 4096 }").find("LimitNOFILE=65536\n"), std::string::npos);
  EXPECT_NE(slurmd(", limits: { nofile: 65536, nproc: 4096 }").find("LimitNPROC=4096\n"), std::string::npos);
  EXPECT_EQ(slurmd(", limits: { nofile: 65536 }").find("LimitNPROC"), std::string::npos);
}

// slurmd's own limits are those of jobs only where the submitter's are not carried along (man slurm.conf,
// PropagateResourceLimitsExcept).
TEST(Deploy, LimitsOfLoginNodesAreNotCarriedAlong) {
  const auto kept = [](std::string_view limits) {
    const Deployed d(std::string(kNodes) + "software: { os: debian-12, scheduler: { kind: slurm, version: 22.05 }" +
                         std::string(limits) + " }\n",
                     {"slurm"});
    return between(d.file("slurm/slurm.conf"), "PropagateResourceLimitsExcept=", "\n").substr(30);
  };
  EXPECT_EQ(kept(""), "MEMLOCK");
  EXPECT_EQ(kept(", limits: { nofile: 65536 }"), "MEMLOCK,NOFILE");
  EXPECT_EQ(kept(", limits: { nproc: 4096, nofile: 65536 }"), "MEMLOCK,NOFILE,NPROC");
}

// An IPv6 address of an NFS server stands in brackets, as otherwise its colons would end it (nfs(5)). A BeeGFS server
// that is called as in a network is mounted by those in it.
TEST(Deploy, ServersAreMountedAsTheirClientsReadThem) {
  const auto mounted = [](std::string_view storage, std::string_view group) {
    const Deployed d(
        "nodes:\n  n: { names: n1, virtual_machine: { cpus: 2, memory: 4 GiB } }\n  o: { names: o1, virtual_machine: { "
        "cpus: 2, memory: 4 GiB } }\n  s: { names: s1, virtual_machine: { cpus: 2, memory: 4 GiB } }\n"
        "networks:\n  lan: { kind: ethernet, rate: 100 Gb/s, subnet: 10.1.0.0/24, carries: [inband], connects: { n: 1, "
        "o: 1, s: 1 } }\n"
        "  fast: { kind: ethernet, rate: 100 Gb/s, subnet: 10.2.0.0/24, carries: [storage], connects: { n: 1, s: 1 } "
        "}\n"
        "storage: { work: { " +
            std::string(storage) + ", mount: /work } }\nsoftware: { os: debian-12 }\n",
        {"ansible"});
    const std::string vars = d.file("ansible/group_vars/group_" + std::string(group) + ".yaml");
    return vars.find("  - source: ") == std::string::npos ? "" : between(vars, "  - source: ", "\n").substr(12);
  };
  EXPECT_EQ(mounted("kind: nfs, servers: { external: \"2001:db8::5\" }", "n"), "\"[2001:db8::5]:/work\"");
  EXPECT_EQ(mounted("kind: nfs, servers: { external: filer.example.org }", "n"), "\"filer.example.org:/work\"");
  EXPECT_EQ(mounted("kind: beegfs, servers: { nodes: s }, source: s1-fast", "n"), "beegfs_nodev");
  EXPECT_EQ(mounted("kind: beegfs, servers: { nodes: s }, source: s1-fast", "o"), "");
  EXPECT_EQ(mounted("kind: beegfs, servers: { nodes: s }, source: s1-lan", "o"), "beegfs_nodev");
}

}  // namespace
}  // namespace clusterc
