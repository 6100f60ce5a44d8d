// What a node has for its jobs: device files of its GPUs, threads of its cores, memory. Figures by hand, from published
// machines.
#include <algorithm>

#include "model/gpu_devices.h"
#include "model/node_memory.h"
#include "model/smt.h"
#include "spec/software.h"
#include "tests/unit/model/examples.h"

namespace clusterc {
namespace {

constexpr std::string_view kHead = "clusterc: 1\nrules: 2026.11\nname: case\n";

struct Nodes : Resolved {
  // `group` is what the group `n` says, `software` the cluster's.
  Nodes(std::string_view group, std::string_view software = {}, std::string_view provider = "local") {
    text(std::string(kHead) + "site: { kind: cloud, provider: " + std::string(provider) +
         " }\nnodes:\n  n: { names: \"n[1-2]\", " + std::string(group) + " }\n" +
         (software.empty() ? "" : "software: { " + std::string(software) + " }\n"));
  }
  const NodeGroupModel& n() const { return group("n"); }
  NodeMemory memory() const { return node_memory(*cluster, n()); }
};

std::string machine(std::string_view modules) {
  return "server: { like: generic-1u, cpus: 2 x epyc-9555, memory: " + std::string(modules) + " }";
}
std::string virtual_machine(std::string_view memory) {
  return "virtual_machine: { cpus: 120, memory: " + std::string(memory) + " }";
}

// ---- device files

// AMD, "GPU partitioning", "Containers": the render nodes of 8 x MI300X, whole or the first partition of each.
TEST(GpuDevices, AGpuWithPartitionsTakesEightRenderNodes) {
  const std::vector<std::int64_t> published{128, 136, 144, 152, 160, 168, 176, 184};
  for (const char* gpu : {"amd-mi300x", "amd-mi325x", "amd-mi350x", "amd-mi355x"}) {
    const Nodes r("server: { like: supermicro-8125gs-tnmr2, gpus: 8 x " + std::string(gpu) + " }");
    const GpuDeviceFiles files = gpu_device_files(r.n().server);
    EXPECT_EQ(files.stem, "/dev/dri/renderD") << gpu;
    EXPECT_EQ(files.numbers, published) << gpu;
    EXPECT_TRUE(kfd_lists_each_gpu_once(r.n().server)) << gpu;
  }
}

// AMD, MI250X data sheet: a module has two dies, 128 GB, 383 TFLOP/s (BF16), 560 W; each die is a GPU of the driver.
TEST(GpuDevices, AModuleOfMi250xIsTwoGpus) {
  const Nodes old("server: { like: supermicro-8125gs-tnmr2, gpus: 4 x amd-mi250x }");
  const ServerModel& s = old.n().server;
  EXPECT_EQ(s.gpu_count, 8);
  EXPECT_EQ(gpu_device_files(s).numbers, (std::vector<std::int64_t>{128, 129, 130, 131, 132, 133, 134, 135}));
  EXPECT_DOUBLE_EQ(s.gpu->memory->value, 64e9);
  EXPECT_DOUBLE_EQ(s.gpu->bf16->value, 191.5e12);
  EXPECT_DOUBLE_EQ(s.gpu->tdp->value, 280);
}

TEST(GpuDevices, OthersFollowOneAnother) {
  const Nodes old("server: { like: supermicro-8125gs-tnmr2, gpus: 4 x amd-mi250x }");
  EXPECT_FALSE(kfd_lists_each_gpu_once(old.n().server));
  const Nodes nvidia("model: nvidia-dgx-h100");
  EXPECT_EQ(gpu_device_files(nvidia.n().server).stem, "/dev/nvidia");
  EXPECT_EQ(gpu_device_files(nvidia.n().server).numbers, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

// ---- threads of a core

TEST(Smt, TheKeyAndTheArgumentDecideOfTheThreads) {
  const auto told = [](std::string_view software) {
    const Nodes r("model: nvidia-dgx-h100", software);
    return std::to_string(r.n().server.cores) + " x " + std::to_string(r.n().server.threads_per_core) +
           (kernel_switches_smt_off(r.n().software) ? " kernel" : "");
  };
  EXPECT_EQ(told(""), "112 x 2");  // 2 x Xeon 8480C, 56 cores
  EXPECT_EQ(told("smt: true"), "112 x 2");
  EXPECT_EQ(told("smt: false"), "112 x 1");
  EXPECT_EQ(told("smt: nosmt"), "112 x 1 kernel");
  EXPECT_EQ(told("kernel_arguments: [quiet, nosmt]"), "112 x 1 kernel");
  EXPECT_EQ(told("kernel_arguments: [nosmt=force]"), "112 x 1 kernel");
  EXPECT_EQ(told("smt: false, kernel_arguments: [nosmt]"), "112 x 1");
  EXPECT_EQ(told("kernel_arguments: [nosmtp]"), "112 x 2");
}

TEST(Smt, AGroupHasItsOwn) {
  const Nodes r("model: nvidia-dgx-h100, software: { smt: true }", "smt: false");
  EXPECT_EQ(r.n().server.threads_per_core, 2);
}

// `cpus` of a virtual machine are what its system sees: 8 of them are 8 cores, or 4 cores with two threads, of which
// nosmt leaves 4.
TEST(Smt, ProcessorsOfAVirtualMachine) {
  const auto told = [](std::string_view software) {
    const Nodes r("virtual_machine: { cpus: 8, memory: 32 GiB }", software);
    return std::to_string(r.n().server.cores) + " x " + std::to_string(r.n().server.threads_per_core);
  };
  EXPECT_EQ(told(""), "8 x 1");
  EXPECT_EQ(told("smt: true"), "4 x 2");
  EXPECT_EQ(told("smt: false"), "8 x 1");
  EXPECT_EQ(told("smt: nosmt"), "4 x 1");
  EXPECT_EQ(told("kernel_arguments: [nosmt]"), "4 x 1");
}

// ---- memory

// What published machines report (`slurmd -C`, slurmctld's log), in MiB. RealMemory may be no more, and no more than a
// tenth less than it: what is held back is memory that nobody uses.
TEST(NodeMemory, IsNoMoreThanPublishedMachinesReport) {
  struct Published {
    std::string group;
    std::string_view provider;
    std::int64_t reported;
  };
  const Published machines[] = {
      {"model: nvidia-dgx-h100", "local", 2063205},       // 8 x H100, 2 x 56 cores, 2 TiB
      {machine("32 x 64 GiB"), "local", 2063725},         // 8 x H200
      {machine("8 x 64 GiB"), "local", 515615},           // 512 GiB
      {machine("8 x 16 GiB"), "local", 128515},           // lyulyul/shine-cluster, pull 82
      {virtual_machine("456 GiB"), "azure", 435161},      // Azure/az-hop, issue 686: HB120rs_v2
      {virtual_machine("456 GiB"), "local", 435161},      // the same, where nobody says whose it is
      {virtual_machine("64 GiB"), "aws", 63622},          // aws/aws-parallelcluster, issue 1517
      {"instance: aws-p5-48xlarge", "aws", 1992294},      // ParallelCluster's own for 2 TiB: 95 %
      {virtual_machine("128 GiB"), "openstack", 128616},  // stackhpc/ansible-role-openhpc, pull 93
  };
  for (const Published& m : machines) {
    const Nodes r(m.group, "", m.provider);
    ASSERT_TRUE(r.cluster) << m.group;
    const NodeMemory memory = r.memory();
    EXPECT_LE(memory.jobs, m.reported) << m.group << " " << memory.formula;
    EXPECT_GE(memory.jobs, m.reported * 9 / 10) << m.group << " " << memory.formula;
    EXPECT_LE(memory.least_usable, m.reported) << m.group;
    EXPECT_GE(m.reported * 100, memory.jobs * kLeastMemoryPercent) << m.group;
  }
}

TEST(NodeMemory, ByHand) {
  EXPECT_EQ(Nodes("model: nvidia-dgx-h100").memory().jobs, 2031616);                 // 2097152 - 65536 (1/32)
  EXPECT_EQ(Nodes(machine("1 x 4 GiB")).memory().jobs, 4096 - 256);                  // 1/32 is 128: 256 at least
  EXPECT_EQ(Nodes(virtual_machine("456 GiB"), "", "azure").memory().jobs, 429588);   // 466944 - 37356 (8 %, rounded up)
  EXPECT_EQ(Nodes(virtual_machine("456 GiB"), "", "aws").memory().jobs, 443596);     // 466944 - 23348 (5 %)
  EXPECT_EQ(Nodes(virtual_machine("456 GiB"), "", "google").memory().jobs, 452864);  // 466944 - 400 - 456 x 30
  EXPECT_EQ(Nodes(virtual_machine("2 GiB")).memory().jobs, 1792);                    // 8 % is 164: 256 at least
  const NodeMemory vm = Nodes(virtual_machine("456 GiB"), "", "azure").memory();
  EXPECT_EQ(vm.least_usable, 386629);  // 90 % of 429588
  EXPECT_EQ(vm.formula, "466944 MiB, less 37356 MiB (8 %, hypervisor, kernel and daemons on Azure)");
}

// docs.redhat.com, "Memory requirements for kdump": 512 MB from 64 GB on. Ubuntu 24.10: 4096M from 128 GB on, below 2
// TB.
TEST(NodeMemory, ACrashKernelIsReserved) {
  const auto crash = [](std::string_view software, std::string_view modules = "8 x 16 GiB") {
    const NodeMemory m = Nodes(machine(modules), software).memory();
    EXPECT_EQ(m.jobs, m.fitted - m.system - m.crash);
    return m.crash;
  };
  EXPECT_EQ(crash("os: debian-12"), 0);
  EXPECT_EQ(crash("os: ubuntu-24.04"), 0);
  EXPECT_EQ(crash("os: rocky-9"), 512);
  EXPECT_EQ(crash("os: rhel-9.4", "1 x 32 GiB"), 256);
  EXPECT_EQ(crash("os: almalinux-8", "1 x 2 GiB"), 192);
  EXPECT_EQ(crash("os: rocky-9, arch: aarch64"), 676);
  EXPECT_EQ(crash("os: centos-7"), 0);
  EXPECT_EQ(crash("os: ubuntu-25.04"), 4096);
  EXPECT_EQ(crash("os: ubuntu-24.10", "1 x 64 GiB"), 2048);
  EXPECT_EQ(crash("os: ubuntu-25.04", "32 x 64 GiB"), 0);
  const auto argument = [&](std::string_view arguments, std::string_view modules = "8 x 16 GiB") {
    return crash("os: rocky-9, kernel_arguments: [" + std::string(arguments) + "]", modules);
  };
  EXPECT_EQ(argument("\"crashkernel=2G\""), 2048);
  EXPECT_EQ(argument("\"crashkernel=768M@16M\""), 768);
  EXPECT_EQ(argument("\"crashkernel=0\""), 0);
  EXPECT_EQ(argument("\"crashkernel=auto\""), 512);
  EXPECT_EQ(argument("\"crashkernel=1G,high\""), 1024 + 256);
  EXPECT_EQ(argument("\"crashkernel=1G,high\", \"crashkernel=72M,low\""), 1024 + 72);
  EXPECT_EQ(argument("\"crashkernel=512M-2G:64M,2G-:128M\""), 128);
  // kdump.rst: the end of a range does not belong to it
  EXPECT_EQ(argument("\"crashkernel=4G-128G:256M,128G-:1G@32M\""), 1024);
  EXPECT_EQ(argument("\"crashkernel=4G-128G:256M,128G-:1G\"", "8 x 8 GiB"), 256);
  EXPECT_EQ(argument("\"crashkernel=256M\", \"crashkernel=512M\""), 512);  // the last one counts
  EXPECT_EQ(argument("\"crashkernel=99999999999999999999T\""), 0);
  EXPECT_EQ(argument("\"crashkernel=-\""), 0);
  EXPECT_EQ(argument("\"crashkernel=50%\""), 0);  // the kernel refuses the sign and reserves nothing
  EXPECT_EQ(argument("\"crashkernel=1G-2G\""), 0);
}

TEST(NodeMemory, WhatTheKernelIsNotGivenIsNotThere) {
  const NodeMemory m = Nodes(machine("8 x 16 GiB"), "os: debian-12, kernel_arguments: [\"mem=64G\"]").memory();
  EXPECT_EQ(m.fitted, 65536);
  EXPECT_EQ(m.jobs, 65536 - 2048);
}

}  // namespace
}  // namespace clusterc
