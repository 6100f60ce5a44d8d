// What each output says, held against values worked out by hand or read in the documentation of the program that reads
// it.
#include "base/text.h"
#include "compile/common.h"
#include "compile/slurm/slurm.h"
#include "unit/compile/compiled.h"
#include "write/pattern_text.h"

namespace clusterc {
namespace {

using test::between;
using test::Compiled;
using test::kHead;

const std::string kVms = kHead +
                         "nodes:\n  head: { names: ctl, virtual_machine: { cpus: 2, memory: 8 GiB }, roles: "
                         "[scheduler] }\n  cpu: { names: \"n[1-600]\", virtual_machine: { cpus: 2, memory: 2 GiB } }\n"
                         "networks:\n  lan: { kind: ethernet, rate: 10 Gb/s, subnet: 10.7.0.0/16, carries: [compute, "
                         "inband], connects: { head: 1, cpu: 1 } }\n";

// ---- which outputs

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

// ---- common

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

// ---- pattern text

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

// ---- hosts

TEST(Hosts, NoNameStandsForTwoMachines) {
  const auto told = [](const std::string& nodes, const std::string& networks) {
    Compiled c;
    c.spec(kHead + "nodes:\n" + nodes + "networks:\n" + networks, {"hosts"});
    return c.told();
  };
  const std::string vm = ", virtual_machine: { cpus: 2, memory: 2 GiB } }\n";
  const std::string lan = ": { kind: ethernet, rate: 1 Gb/s, subnet: 10.1.0.0/24, connects: { a: 1, b: 1 } }\n",
                    second = ": { kind: ethernet, rate: 1 Gb/s, subnet: 10.2.0.0/24, connects: { a: 1, b: 1 } }\n";
  EXPECT_NE(told("  a: { names: n1" + vm + "  b: { names: n1-lan" + vm, "  lan" + lan)
                .find("two machines have the name 'n1-lan' in hosts: node group 'a' and node group 'b' "
                      "[hosts-name-twice]"),
            std::string::npos);
  EXPECT_NE(told("  a: { names: n1" + vm + "  b: { names: n1-x" + vm, "  x-y" + lan + "  y" + second)
                .find("two machines have the name 'n1-x-y'"),
            std::string::npos);
  EXPECT_NE(told("  a: { names: localhost" + vm + "  b: { names: n2" + vm, "  lan" + lan).find("[hosts-name-twice]"),
            std::string::npos);
  EXPECT_NE(told("  a: { names: \"n[1-3]\"" + vm + "  b: { names: N2" + vm, "  lan" + lan)
                .find("two machines have the name 'n2' in hosts: node group 'a' and node group 'b' [hosts-name-twice]"),
            std::string::npos);  // to DNS
  EXPECT_EQ(told("  a: { names: \"N[1-3]\"" + vm + "  b: { names: n4" + vm, "  lan" + lan), "");
  EXPECT_EQ(
      told("  a: { names: \"n-[1-3]\"" + vm + "  b: { names: \"n-[4-6]-lan\"" + vm, "  lan" + lan + "  y" + second),
      "");
}

// ---- slurm

std::string consumer_spec(const std::string& name) {
  std::ifstream in(std::string(CLUSTERC_SOURCE_DIR) + "/tests/consumers/specs/" + name + ".yaml", std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}
std::string line_with(const std::string& text, std::string_view what) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos) return "no '" + std::string(what) + "' in " + text;
  const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
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

// ---- netplan

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

// ---- ansible

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

// ---- cloud-init

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

// ---- networkd, networkmanager

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
                .find("interface 'eth0' follows from the spec [output-extra-contradicts-spec]"),
            std::string::npos);
  EXPECT_NE(told("debian-12", d, "\"Name=mgmt0\"")
                .find("'Name=mgmt0' is not a valid line of 90-extra.network [output-extra-malformed]"),
            std::string::npos);
  EXPECT_NE(told("debian-12", d, "\"[Match]\", \"Name=a\\nReboot=yes\"").find("[output-extra-malformed]"),
            std::string::npos);
  EXPECT_NE(told("debian-12", d, "\"[Match]\", \"Name=a\\\\\"").find("[output-extra-malformed]"),
            std::string::npos);  // a backslash at the end takes the next line in
  EXPECT_EQ(told("rocky-9", m, "\"[connection]\", \"id=mgmt0\", \"interface-name=mgmt0\""), "");
  EXPECT_NE(
      told("rocky-9", m, "\"[connection]\", \"interface-name=eth0\"").find("interface 'eth0' follows from the spec"),
      std::string::npos);
}

// ---- warewulf, maas, openchami, xcat

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
                .find("an extra line sets 'mac', which follows from the spec"),
            std::string::npos);
  EXPECT_NE(told("xcat", "nodes.stanza", "nicips.eth0=10.0.0.1")
                .find("an extra line sets 'nicips.eth0', which follows from the spec"),
            std::string::npos);
  EXPECT_NE(
      told("xcat", "nodes.stanza", "n9:").find("'n9:' is not a valid line of nodes.stanza [output-extra-malformed]"),
      std::string::npos);
  EXPECT_EQ(told("xcat", "nodes.stanza", "provmethod=netboot"), "");
  EXPECT_NE(told("maas", "machines.sh", "power_type=manual")
                .find("an extra line sets 'power_type', which follows from the spec"),
            std::string::npos);
  EXPECT_NE(
      told("warewulf", "nodes.yaml", "comment: &a x").find("is copied to every node, so that it cannot have an anchor"),
      std::string::npos);
  EXPECT_NE(told("maas", "machines.sh", "; reboot").find("[output-extra-malformed]"), std::string::npos);
  EXPECT_NE(told("warewulf", "nodes.yaml", "ipmi: { ipaddr: 10.0.0.1 }")
                .find("nodes.yaml already has 'ipmi' [output-extra-contradicts-spec]"),
            std::string::npos);
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
