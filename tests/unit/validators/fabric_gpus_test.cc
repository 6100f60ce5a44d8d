// clusterc-fabric between the memories of GPUs: which GPU goes with which adapter, and what perftest is told.
#include "fabric/gpus.h"
#include "fabric/ports.h"
#include "unit/validators/fabric_tree.h"

namespace {
using namespace clusterc::fabric_tree;
using namespace clusterc::fabric;

// As in a server: a GPU and an adapter below each of two switches, a second GPU below the first, and an adapter that is
// on another node of memory.
class FabricGpus : public FabricPairFault {
 protected:
  void SetUp() override {
    FabricPairFault::SetUp();
    place("sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:00.0/0000:18:00.0", "mlx5_0", 0);
    place("sys/devices/pci0000:37/0000:37:01.0/0000:38:00.0/0000:39:00.0/0000:3a:00.0", "mlx5_2", 0);
    place("sys/devices/pci0000:97/0000:97:01.0/0000:98:00.0", "mlx5_10", 1);
    gpu("sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:01.0/0000:19:00.0", 0);
    gpu("sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:02.0/0000:1a:00.0", 0);
    gpu("sys/devices/pci0000:37/0000:37:01.0/0000:38:00.0/0000:39:01.0/0000:3b:00.0", 0);
    put("sys/module/nvidia_peermem/refcnt", "0");
  }
  void place(const std::string& at, const std::string& device, int node) const {
    put(at + "/numa_node", std::to_string(node));
    fs::create_directories(root / "sys/class/infiniband" / device);
    fs::create_directory_symlink(root / at, root / "sys/class/infiniband" / device / "device");
  }
  void gpu(const std::string& at, int node, const char* vendor = "0x10de", const char* kind = "0x030200") const {
    put(at + "/numa_node", std::to_string(node)), put(at + "/class", kind), put(at + "/vendor", vendor);
    fs::create_directories(root / "sys/bus/pci/devices");
    fs::create_directory_symlink(root / at, root / "sys/bus/pci/devices" / fs::path(at).filename());
  }
  std::pair<Result, Result> gpus(const std::string& help, const char* maker = "cuda") const {
    setenv("HELP", help.c_str(), 1);
    auto out = both("", {"--gpudirect", maker});
    unsetenv("HELP");
    return out;
  }
  std::vector<std::string> lines() const {
    std::ifstream file(root / "lines");
    std::vector<std::string> out;
    for (std::string line; std::getline(file, line);) out.push_back(line);
    return out;
  }
  static constexpr const char* kCuda = "      --use_cuda=<id>\n      --use_cuda_bus_id=<id>\n";
};

TEST_F(FabricGpus, EachGpuGoesWithThePortNextToIt) {
  const std::vector<Port> ports = read_ports(root);
  const std::vector<Gpu> found = read_gpus(root, Maker::nvidia);
  ASSERT_EQ(found.size(), 3u);
  std::string text;
  for (const GpuPort& p : pair_gpus(root, ports, {0, 1, 3}, found))  // mlx5_0, mlx5_2, mlx5_10
    text += ports[p.port].device + " " + found[p.gpu].address + " " + std::string(nearness_text(p.nearness)) + "; ";
  EXPECT_EQ(text,
            "mlx5_0 0000:19:00.0 same PCIe switch; mlx5_2 0000:3b:00.0 same PCIe switch; mlx5_10 0000:1a:00.0 another "
            "NUMA node, or not known; ");
  // Fewer adapters than GPUs: the second GPU of the switch shares its adapter.
  text.clear();
  for (const GpuPort& p : pair_gpus(root, ports, {0, 1}, found))
    text += ports[p.port].device + " " + found[p.gpu].address + "; ";
  EXPECT_EQ(text, "mlx5_0 0000:19:00.0; mlx5_0 0000:1a:00.0; mlx5_2 0000:3b:00.0; ");
}

TEST_F(FabricGpus, EachGpuWritesToTheOtherHostsBothWaysAndAtOnce) {
  const auto [a, b] = gpus(kCuda);
  // Three pairs, from each side, and both ways at once from the second.
  expect_measured(a, 3 + 4), expect_measured(b, 3 + 3 + 4);
  for (const json& m : b.records) {
    if (m.value("metric", "").find("gpu_write") == std::string::npos) continue;
    EXPECT_DOUBLE_EQ(m["value"], 49e9);
    EXPECT_EQ(m["parameters"]["gpu_memory"], "peer memory");
  }
  const json* const first = record(a, "rdma.gpu_write", "mlx5_0/1");
  ASSERT_TRUE(first);
  EXPECT_EQ((*first)["parameters"]["gpu"], "0000:19:00.0");
  EXPECT_EQ((*first)["parameters"]["gpu_nearness"], "same PCIe switch");
  // Each GPU is a device of its own: two may share a port.
  EXPECT_EQ((*first)["device"]["label"], "link0-gpu0");
  EXPECT_TRUE(record(b, "rdma.gpu_write.both", "mlx5_2/1") && !record(a, "rdma.gpu_write.both", "mlx5_2/1"));
  // Both sides take the GPU of the port; only what is both ways says so.
  std::size_t with_gpu = 0, both_ways = 0;
  for (const std::string& line : lines()) {
    with_gpu += line.find("--ib-dev=mlx5_0 ") != line.npos && line.find("--use_cuda_bus_id=0000:19:00.0") != line.npos;
    both_ways += line.find("--bidirectional") != line.npos;
    EXPECT_EQ(line.find("dmabuf"), line.npos);
  }
  EXPECT_EQ(with_gpu, 2u * 2 * 3);   // two runs of each of three tests, both sides of each
  EXPECT_EQ(both_ways, 2u * 2 * 3);  // of three pairs
  expect_nobody_left();
}

TEST_F(FabricGpus, WithoutTheModuleTheKernelsBuffersAreTaken) {
  fs::remove_all(root / "sys/module");
  const auto [a, b] = gpus(std::string(kCuda) + "      --use_cuda_dmabuf\n");
  ASSERT_TRUE(record(a, "rdma.gpu_write", "mlx5_0/1")) << a.text;
  EXPECT_EQ((*record(a, "rdma.gpu_write", "mlx5_0/1"))["parameters"]["gpu_memory"], "DMA-BUF");
  for (const std::string& line : lines()) EXPECT_NE(line.find("--use_cuda_dmabuf"), line.npos);
}

TEST_F(FabricGpus, WhatIsMissingIsNamed) {
  const auto detail = [](const Result& r) {
    EXPECT_EQ(r.status, 2) << r.text;
    return r.records.back().value("detail", "");
  };
  EXPECT_EQ(
      detail(gpus("").first).find("ib_write_bw was built without CUDA, '--use_cuda_bus_id' is none of its options"),
      0u);
  EXPECT_EQ(detail(gpus(kCuda, "rocm").second), "there is no GPU of AMD here");
  fs::remove_all(root / "sys/module");
  const auto [a, b] = gpus(kCuda);
  EXPECT_NE(detail(a).find("the module nvidia_peermem is not loaded"), std::string::npos);
  EXPECT_EQ(a.records.back()["reason"], "program missing");
  EXPECT_TRUE(record(b, "fabric.link", "mlx5_0/1"));
  EXPECT_EQ(run({program("fabric"), "--gpudirect", "cuda"}).status, 2);
}

// ROCm counts GPUs in the order of KFD's nodes, the first of which are processors.
TEST_F(FabricGpus, GpusOfAmdHaveTheNumbersOfRocm) {
  gpu("sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:03.0/0000:1b:00.0", 0, "0x1002", "0x120000");
  gpu("sys/devices/pci0000:37/0000:37:01.0/0000:38:00.0/0000:39:02.0/0000:3c:00.0", 0, "0x1002", "0x120000");
  const auto node = [&](int number, int units, int place) {
    put("sys/class/kfd/kfd/topology/nodes/" + std::to_string(number) + "/properties",
        "cpu_cores_count 0\nsimd_count " + std::to_string(units) + "\nlocation_id " + std::to_string(place) +
            "\ndomain 0");
  };
  node(0, 0, 0), node(1, 1216, 0x3c00), node(2, 1216, 0x1b00);
  const auto found = read_gpus(root, Maker::amd);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].number, 1u);
  EXPECT_EQ(found[1].number, 0u);
  GpuMemory memory;
  std::string why;
  put("sys/module/amdgpu/refcnt", "0");
  ASSERT_TRUE(find_gpu_memory(root, Maker::amd, "      --use_rocm=<id>\n", memory, why)) << why;
  EXPECT_EQ(memory.arguments(found[0]), std::vector<std::string>{"--use_rocm=1"});
  ASSERT_TRUE(find_gpu_memory(root, Maker::amd, "      --use_rocm=<id>\n      --use_rocm_dmabuf\n", memory, why));
  EXPECT_EQ(memory.arguments(found[1]), (std::vector<std::string>{"--use_rocm=0", "--use_rocm_dmabuf"}));
}

}  // namespace
