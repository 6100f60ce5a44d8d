// What Slurm reads: nodes and their GPUs, memory, accounts and reservations.
#include "compile/slurm/slurm.h"

#include "base/text.h"
#include "unit/compile/compiled.h"

namespace clusterc {
namespace {

using test::between;
using test::Compiled;
using test::kHead;
using test::kVms;

std::string test_file(const std::string& name) {
  std::ifstream in(std::string(CLUSTERC_SOURCE_DIR) + "/tests/" + name, std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}
std::string consumer_spec(const std::string& name) { return test_file("consumers/specs/" + name + ".yaml"); }

std::string line_with(const std::string& text, std::string_view what) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos) return "no '" + std::string(what) + "' in " + text;
  const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

// A node without GPUs has 384 threads, one with four has 128; each keeps 744 GiB of 768 for jobs. Where the spec does
// not say what a node with GPUs counts, it counts as the largest node: 384 / 128 = 3 for a thread, 384 / 4 = 96 for a
// GPU, 384 / 744 = 0.516 for a GiB.
TEST(Slurm, SharesOfTeamsWeighNodesWithGpus) {
  const std::string spec = test_file("faults/damage/fairshare-counts-cores.yaml");
  const auto conf = [](std::string text, std::string_view from, std::string_view to) {
    if (const std::size_t at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
    Compiled c;
    c.spec(text, {"slurm"});
    EXPECT_EQ(c.findings.count(Severity::error), 0u) << c.told();
    return std::pair(c.file("slurm/slurm.conf"), c.file("slurm/accounts.sh"));
  };
  const auto ends = [](const std::string& line, std::string_view what) { return line.ends_with(what); };
  const std::string plain = conf(spec, "", "").first;
  EXPECT_PRED2(ends, line_with(plain, "PartitionName=gpu"), " TRESBillingWeights=CPU=3,Mem=0.516G,GRES/gpu=96");
  EXPECT_PRED2(ends, line_with(plain, "PartitionName=cpu"), " TRESBillingWeights=CPU=1,Mem=0.516G");
  EXPECT_NE(plain.find("\nPriorityFlags=MAX_TRES\n"), std::string::npos);
  const std::string l40s = "gpus: 4 x nvidia-l40s }";
  EXPECT_PRED2(ends, line_with(conf(spec, l40s, l40s + ", billing: 2000").first, "PartitionName=gpu"),
               " TRESBillingWeights=CPU=15.625,Mem=2.688G,GRES/gpu=500");
  // 40 shards: 384 / 40 is 9.6, in whole numbers 10; a quota of 2 GPUs is 2 x 10 x 10.
  const auto [shared, accounts] =
      conf(spec + "  c: { quota: { gpu: 2 gpus } }\n", l40s, l40s + ", software: { gpu_shards: 10 }");
  EXPECT_PRED2(ends, line_with(shared, "PartitionName=gpu"), " TRESBillingWeights=GRES/gpu=100,GRES/shard=10");
  EXPECT_NE(accounts.find("billing=200"), std::string::npos) << accounts;
  // Without shares nobody is billed.
  const std::string none = conf(spec.substr(0, spec.find("teams:")), "", "").first;
  EXPECT_EQ(none.find("TRESBillingWeights"), std::string::npos);
  EXPECT_EQ(none.find("PriorityFlags"), std::string::npos);
}

// amdgpu makes eight render nodes of each GPU, used or not: renderD129 to 135 are partitions of the first one, and what
// gres.conf does not list is kept from no job.
TEST(Slurm, EachMi300xIsTheFirstOfItsRenderNodes) {
  Compiled c;
  c.spec(consumer_spec("mi300x"), {"slurm", "ansible"});
  ASSERT_EQ(c.findings.count(Severity::error), 0u) << c.told();
  const std::string gres = c.file("slurm/gres.conf"), node = c.file("slurm/nodes/mi.sh");
  EXPECT_NE(
      gres.find("\nNodeName=mi[01-40] Name=gpu Type=mi300x File=/dev/dri/renderD[128,136,144,152,160,168,176,184]\n"),
      std::string::npos)
      << gres;
  std::string devices;
  for (int i = 0; i < 8; ++i) devices += "gpu_device /dev/dri/renderD" + std::to_string(128 + 8 * i) + "\n";
  EXPECT_NE(
      node.find("\n" + devices + "amd_gpus /sys/class/kfd/kfd/topology/nodes 8 128 136 144 152 160 168 176 184\n"),
      std::string::npos)
      << node;
  EXPECT_NE(c.file("ansible/health/mi.sh")
                .find("\namd_gpus /sys/class/kfd/kfd/topology/nodes 8 128 136 144 152 160 168 176 184\n"),
            std::string::npos)
      << c.file("ansible/health/mi.sh");
}

// A module of MI250X is two GPUs of the driver: four modules are eight of Slurm's.
TEST(Slurm, Mi250xFollowOneAnother) {
  Compiled c;
  c.spec(kVms.substr(0, kVms.find("  cpu:")) +
             "  a: { names: a1, instance: supermicro-8125gs-tnmr2, cpus: 2 x epyc-9654, memory: 24 x 96 GiB, gpus: 4 x "
             "amd-mi250x }\nsoftware: { scheduler: { kind: slurm, version: 22.05 } }\n",
         {"slurm"});
  ASSERT_EQ(c.findings.count(Severity::error), 0u) << c.told();
  EXPECT_NE(c.file("slurm/gres.conf").find("File=/dev/dri/renderD[128-135]\n"), std::string::npos)
      << c.file("slurm/gres.conf");
  EXPECT_NE(c.file("slurm/nodes/a.sh").find("nodes 0 128 129 130 131 132 133 134 135\n"), std::string::npos);
}

// 2 x 56 cores. Each of the four ways to say it, and what follows: CPUs, threads, CPUs of a GPU, memory of a CPU
// (2031616 / 112), the CPUs of a quota, and the kernel's argument, once.
TEST(Slurm, WithoutSmtACoreIsOneCpu) {
  const std::string whole = consumer_spec("smt-off"), argument = "kernel_arguments: [nosmt], ";
  for (const std::string& software : {argument, std::string("smt: nosmt, "), std::string("smt: false, "),
                                      "smt: nosmt, " + argument, "smt: false, " + argument}) {
    Compiled c;
    std::string text = whole;
    text.replace(text.find(argument), argument.size(), software);
    c.spec(text + "teams: { a: { quota: { gpu: 100 cores } } }\n", {"slurm", "ansible"});
    ASSERT_EQ(c.findings.count(Severity::error), 0u) << c.told();
    const std::string conf = c.file("slurm/slurm.conf"), vars = c.file("ansible/group_vars/group_gpu.yaml");
    EXPECT_EQ(line_with(conf, "NodeName=gpu[1-4]"),
              "NodeName=gpu[1-4] CPUs=112 Sockets=2 CoresPerSocket=56 ThreadsPerCore=1 RealMemory=2031616 "
              "Gres=gpu:h100:8 Feature=gpu,h100")
        << software;
    EXPECT_NE(line_with(conf, "PartitionName=gpu").find(" DefMemPerCPU=18139 DefCpuPerGPU=14"), std::string::npos)
        << software << conf;
    EXPECT_NE(c.file("slurm/gres.conf").find("Cores=0-55\n"), std::string::npos);
    EXPECT_NE(c.file("slurm/accounts.sh").find("cpu=100,"), std::string::npos);
    const bool by_kernel = software.find("nosmt") != std::string::npos;
    const std::size_t first = vars.find("  - nosmt\n");
    EXPECT_EQ(first != std::string::npos, by_kernel) << software << vars;
    if (by_kernel) {
      EXPECT_EQ(vars.find("- nosmt", first + 4), std::string::npos) << software << vars;  // once
    }
  }
  Compiled on;
  std::string text = whole;
  text.replace(text.find(argument), argument.size(), "");
  on.spec(text, {"slurm"});
  EXPECT_NE(on.file("slurm/slurm.conf").find("CPUs=224 Sockets=2 CoresPerSocket=56 ThreadsPerCore=2 "),
            std::string::npos);
}

// Azure/az-hop, issue 686: such a machine reports 435161 MiB. 466944 less 8 % is 429588; 120 CPUs: 3579 each.
TEST(Slurm, AVirtualMachineHasLessMemoryThanItsName) {
  Compiled c;
  c.spec(consumer_spec("realmemory-vm"), {"slurm", "ansible"});
  ASSERT_EQ(c.findings.count(Severity::error), 0u) << c.told();
  const std::string conf = c.file("slurm/slurm.conf");
  // Rocky Linux 9 keeps 512 MiB for a crash kernel: 429588 - 512
  EXPECT_NE(line_with(conf, "NodeName=hb[1-2]").find(" RealMemory=429076 "), std::string::npos) << conf;
  EXPECT_NE(line_with(conf, "PartitionName=hb").find(" DefMemPerCPU=3575"), std::string::npos) << conf;
  EXPECT_NE(conf.find("\n# hb: 466944 MiB, less 37356 MiB (8 %, hypervisor, kernel and daemons on Azure), less 512 MiB "
                      "(crash kernel)\n"),
            std::string::npos)
      << conf;
  EXPECT_NE(conf.find("\nSlurmctldParameters=node_reg_mem_percent=90\n"), std::string::npos) << conf;
  // 90 % of it: what the hypervisor keeps is not known so well
  EXPECT_NE(c.file("ansible/group_vars/group_hb.yaml").find("cluster_health_memory_mib: 386168\n"), std::string::npos);
}

// An extra line of the same key keeps the compiled option, unless it sets it.
TEST(Slurm, ExtraOptionsKeepTheMemoryThatANodeMayLack) {
  const auto told = [](const std::string& line) {
    Compiled c;
    c.spec(
        kVms +
            "software: { scheduler: { kind: slurm, version: 24.11 } }\noutputs: { slurm: { extra: { slurm.conf: [ '" +
            line + "' ] } } }\n",
        {"slurm"});
    EXPECT_EQ(c.findings.count(Severity::error), 0u) << c.told();
    const std::string conf = c.file("slurm/slurm.conf");
    const std::size_t first = conf.find("SlurmctldParameters");
    EXPECT_EQ(conf.find("SlurmctldParameters", first + 1), std::string::npos) << conf;
    return line_with(conf, "SlurmctldParameters");
  };
  EXPECT_EQ(told("SlurmctldParameters=enable_configless"),
            "SlurmctldParameters=enable_configless,node_reg_mem_percent=90");
  EXPECT_EQ(told("SlurmctldParameters=\"enable_configless\""),
            "SlurmctldParameters=\"enable_configless,node_reg_mem_percent=90\"");
  EXPECT_EQ(told("SlurmctldParameters=Node_Reg_Mem_Percent=75"), "SlurmctldParameters=Node_Reg_Mem_Percent=75");
}

// What a DEFAULT line keeps for the system is no job's: 2048 - 256 - 512 = 1280 MiB for 2 CPUs.
TEST(Slurm, MemoryOfACpuLeavesTheSystemItsOwn) {
  Compiled c;
  c.spec(kVms +
             "software: { scheduler: { kind: slurm, version: 24.11 } }\noutputs: { slurm: { extra: { slurm.conf: [ "
             "NodeName=DEFAULT MemSpecLimit=512 ] } } }\n",
         {"slurm"});
  ASSERT_EQ(c.findings.count(Severity::error), 0u) << c.told();
  const std::string conf = c.file("slurm/slurm.conf");
  EXPECT_NE(line_with(conf, "NodeName=n[").find(" RealMemory=1792 "), std::string::npos) << conf;
  EXPECT_NE(line_with(conf, "PartitionName=cpu").find(" DefMemPerCPU=640"), std::string::npos) << conf;
}

TEST(Slurm, GpusOfTwoModelsWithTheSameFirstWordKeepTheirWholeName) {
  Compiled c;
  const std::string server = ", memory: 24 x 32 GiB, ";
  c.spec(kVms.substr(0, kVms.find("  cpu:")) + "  a: { names: a1, instance: generic-2u-pcie4" + server +
             "gpus: 4 x nvidia-l40s }\n  b: { names: b1, instance: nvidia-dgx-h100 }\n  c: { names: c1, instance: "
             "nvidia-dgx-a100-640, software: { mig: 7x1g.10gb } }\n"
             "software: { scheduler: { kind: slurm, version: 22.05 } }\n",
         {"slurm"});
  ASSERT_EQ(c.findings.count(Severity::error), 0u) << c.told();
  const std::string gres = c.file("slurm/gres.conf"), conf = c.file("slurm/slurm.conf");
  EXPECT_NE(gres.find("NodeName=a1 Name=gpu Type=l40s File=/dev/nvidia[0-1] Cores=0-31\n"), std::string::npos) << gres;
  EXPECT_NE(gres.find("NodeName=b1 Name=gpu Type=h100 File=/dev/nvidia[0-3] Cores=0-55\n"), std::string::npos) << gres;
  EXPECT_NE(conf.find("Gres=gpu:1g.10gb:56 "), std::string::npos) << conf;  // 8 GPUs of 7 instances
  EXPECT_NE(gres.find("NodeName=c1 AutoDetect=nvml\n"), std::string::npos) << gres;
}

TEST(Slurm, BlocksNeedARelease) {
  Compiled c;
  c.spec(kVms + "software: { scheduler: { kind: slurm, version: 22.05, topology: block } }\n", {"slurm"});
  EXPECT_NE(c.told().find("block topology needs an NVLink domain that spans nodes, but no group has one"),
            std::string::npos)
      << c.told();
  Compiled old;
  old.spec(kVms + "software: { scheduler: { kind: slurm, version: 21.08 } }\n", {"slurm"});
  EXPECT_NE(old.told().find("Slurm 21.08 is older than 22.05"), std::string::npos) << old.told();
}

// slurmctld 22.05 ends with "Unable to create NodeAddr list from h1n[01-02]x": brackets stand at the end of a name
// only.
TEST(Slurm, PatternsWithBracketsInTheMiddleAreListed) {
  std::string spec = kVms;
  spec.replace(spec.find("\"n[1-600]\""), 10, "\"h[1-2]n[01-02]x\"");
  Compiled c;
  c.spec(spec + "software: { scheduler: { kind: slurm, version: 22.05 } }\n", {"slurm"});
  EXPECT_NE(c.file("slurm/slurm.conf").find("NodeName=h1n01x,h1n02x,h2n01x,h2n02x CPUs=2 "), std::string::npos)
      << c.file("slurm/slurm.conf");
}

// By hand: 2 nodes of 4 GPUs and 64 cores with 2 threads: 100 cores are 200 CPUs of Slurm. 8 GPUs cut in 7 are counted
// as instances: 3 GPUs are 21. 60 % are 600 parts of a thousand; who has none counts as one. Names are small in Slurm's
// database, partitions keep theirs.
TEST(Slurm, TeamsBecomeAccountsWithAQosForEachQuota) {
  Compiled c;
  c.spec(kVms.substr(0, kVms.find("  cpu:")) +
             "  fast: { names: \"a[1-2]\", instance: generic-2u-pcie4, memory: 24 x 32 GiB }\n  cut: { names: c1, "
             "instance: nvidia-dgx-a100-640, software: { mig: 7x1g.10gb } }\n"
             "software: { scheduler: { kind: slurm, version: 22.05, limits: { submit: 50, running: 5, time: 90 min }, "
             "requeue: false } }\n"
             "teams: { Physics: { share: 60 %, quota: { fast: 4 gpus, cut: 3 gpus }, users: [ada, grace] }, nlp: { "
             "quota: { fast: 100 cores } }, ops: { quota: { fast: 1 nodes } } }\n",
         {"slurm"});
  ASSERT_EQ(c.findings.count(Severity::error), 0u) << c.told();
  const std::string accounts = c.file("slurm/accounts.sh"), conf = c.file("slurm/slurm.conf");
  EXPECT_EQ(test::between(accounts, "quota physics.fast", "\n\n"),
            "quota physics.fast billing=-1,cpu=-1,gres/gpu=4,node=-1\nquota physics.cut "
            "billing=-1,cpu=-1,gres/gpu=21,node=-1\nteam physics 600\nmember physics ada\nmember physics grace");
  EXPECT_NE(accounts.find("quota nlp.fast billing=-1,cpu=200,gres/gpu=-1,node=-1\nteam nlp 1\n"), std::string::npos)
      << accounts;
  EXPECT_NE(accounts.find("quota ops.fast billing=-1,cpu=-1,gres/gpu=-1,node=1\nteam ops 1\n"), std::string::npos)
      << accounts;
  EXPECT_NE(accounts.find("    physics) printf '%s %s\\n' fast physics.fast cut physics.cut ;;\n    nlp) printf '%s "
                          "%s\\n' fast nlp.fast cut normal ;;\n"),
            std::string::npos)
      << accounts;
  EXPECT_NE(accounts.find("cluster=case\nsubmit=50\nrunning=5\n"), std::string::npos) << accounts;
  EXPECT_NE(conf.find("\nAccountingStorageHost=ctl\n"), std::string::npos) << conf;
  EXPECT_NE(conf.find("\nJobRequeue=0\n"), std::string::npos) << conf;
  EXPECT_NE(conf.find(" MaxTime=90 "), std::string::npos) << conf;
  EXPECT_NE(conf.find("\nPrologFlags=Alloc\n"), std::string::npos) << conf;
  for (const Bundle::File& f : c.bundle.files())
    if (f.path == "slurm/slurmdbd.conf") {
      EXPECT_EQ(f.mode, 0600u);
    } else if (f.path.ends_with(".sh")) {
      EXPECT_EQ(f.mode, f.path.find("/nodes/") == std::string::npos ? 0755u : 0644u) << f.path;
    }
}

TEST(Slurm, AccountingThatCannotBeIsRefused) {
  const auto told = [](const std::string& scheduler, const std::string& teams) {
    Compiled c;
    c.spec(kVms + "software: { scheduler: { kind: slurm, version: 24.11, " + scheduler + " } }\n" + teams, {"slurm"});
    return c.told();
  };
  const std::string teams = "teams: { a: {} }\n";
  EXPECT_NE(told("accounting: { nodes: \"n[1-2]\" }", teams)
                .find("2 nodes run slurmdbd, and each would use its own database"),
            std::string::npos);
  EXPECT_NE(told("accounting: { nodes: \"n[1-3]\", database: db }", teams)
                .find("slurmdbd runs on 2 at most: one and its backup"),
            std::string::npos);
  EXPECT_NE(told("accounting: { nodes: nobody }", teams).find("no node is named 'nobody'"), std::string::npos);
  EXPECT_NE(told("accounting: { password: { file: \"/etc/a b\" } }", teams).find("is not an absolute path"),
            std::string::npos);
  EXPECT_NE(told("limits: { submit: 5 }", "").find("the spec has no teams"), std::string::npos);
  EXPECT_NE(told("topology: none", "teams: { Root: {} }\n").find("already has an account 'root'"), std::string::npos);
  EXPECT_NE(told("topology: none", "teams: { A: {}, a: {} }\n").find("already has an account 'a'"), std::string::npos);
  EXPECT_NE(told("topology: none", "teams: { a: { users: [\"x;id\"] } }\n").find("'x;id' is not a valid account name"),
            std::string::npos);
  EXPECT_NE(
      told("topology: none", "teams: { a: { quota: { head: 1 nodes } } }\n").find("which Slurm does not schedule"),
      std::string::npos);
}

// Two bridges of two cards: each card names the one that it is joined to. A board of eight says nothing: all are alike.
TEST(Slurm, BridgedCardsAreLinked) {
  Compiled c;
  c.spec(kVms.substr(0, kVms.find("  cpu:")) +
             "  a: { names: a1, instance: generic-2u-pcie4, memory: 24 x 32 GiB, gpus: 4 x nvidia-h100-pcie-80, "
             "nvlink_bridge: 2 }\n  b: { names: b1, instance: nvidia-dgx-h100 }\n"
             "software: { scheduler: { kind: slurm, version: 24.11 } }\n",
         {"slurm"});
  ASSERT_EQ(c.findings.count(Severity::error), 0u) << c.told();
  const std::string gres = c.file("slurm/gres.conf");
  EXPECT_NE(gres.find("File=/dev/nvidia0 Cores=0-31 Links=-1,1,0,0\n"), std::string::npos) << gres;
  EXPECT_NE(gres.find("File=/dev/nvidia3 Cores=32-63 Links=0,0,1,-1\n"), std::string::npos) << gres;
  EXPECT_EQ(test::between(gres, "NodeName=b1", "\n").find("Links"), std::string::npos) << gres;
  EXPECT_NE(c.file("slurm/slurm.conf").find("\nPrologFlags=Alloc,ForceRequeueOnFail\n"), std::string::npos);
}

// An hour each, one behind the other, but for the last, which is the first again.
std::string with_reservations(int count) {
  std::string list;
  for (int i = 0; i < count; ++i) {
    const int hour = i + 1 == count ? 0 : i;
    char start[32];
    std::snprintf(start, sizeof start, "2027-%02d-%02dT%02d:00", 1 + hour / 24 / 28, 1 + hour / 24 % 28, hour % 24);
    list +=
        "      r" + std::to_string(i) + ": { start: " + start + ", length: 1 h, nodes: \"n[1-2]\", users: [ada] }\n";
  }
  return test::kHead +
         "nodes:\n  cpu: { names: \"n[1-2]\", virtual_machine: { cpus: 2, memory: 2 GiB } }\n  ctl: { names: ctl, "
         "virtual_machine: { cpus: 2, memory: 2 GiB }, roles: [scheduler] }\n" +
         "networks: { lan: { kind: ethernet, rate: 10 Gb/s, subnet: 10.1.0.0/24, connects: { cpu: 1, ctl: 1 } } }\n" +
         "software:\n  os: debian-12\n  scheduler:\n    kind: slurm\n    reservations:\n" + list;
}

TEST(Reservations, AThousandAreComparedAndItIsSaidWhereThatEnds) {
  Compiled last;
  last.spec(with_reservations(1000), {"slurm"});
  EXPECT_NE(last.told().find("'r999' reserves nodes that 'r0' reserves at the same time [slurm-reservation-unmade]"),
            std::string::npos)
      << last.told();
  Compiled beyond;
  beyond.spec(with_reservations(1002), {"slurm"});
  EXPECT_EQ(beyond.told().find("reserves nodes"), std::string::npos);
  const std::string note = "overlaps of this and later reservations were not checked";
  const std::string told = beyond.told();
  ASSERT_NE(told.find(note), std::string::npos) << told;
  EXPECT_EQ(told.find(note), told.rfind(note));
}

}  // namespace
}  // namespace clusterc
