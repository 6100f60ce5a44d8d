// The numbers that the rules compare are those of catalog/compatibility, both ways: no row of one lacks in the other.
#include "model/software_versions.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "catalog/embedded.h"
#include "rules/software_say.h"
#include "unit/model/examples.h"
#include "yaml/document.h"

namespace clusterc {
namespace {

using Row = std::map<std::string, std::string>;  // lists as "a b"

std::vector<Row> rows_of(std::string_view table) {
  std::vector<Row> out;
  const auto file = find_embedded("compatibility", table);
  EXPECT_TRUE(file) << table;
  if (!file) return out;
  Sources sources;
  Findings findings;
  const auto document = parse_yaml(sources, sources.add(std::string(table), std::string(file->text)), findings);
  EXPECT_TRUE(document && findings.empty()) << table;
  if (!document) return out;
  const NodeId rows = document->find(document->root(), "rows");
  for (std::size_t i = 0; i < document->size(rows); ++i) {
    const NodeId row = document->item(rows, i);
    Row& r = out.emplace_back();
    for (std::size_t k = 0; k < document->size(row); ++k) {
      const NodeId value = document->value(row, k);
      std::string text;
      if (document->is_sequence(value))
        for (std::size_t n = 0; n < document->size(value); ++n)
          text += (n > 0 ? " " : "") + std::string(document->scalar(document->item(value, n)));
      else
        text = document->scalar(value);
      r[std::string(document->scalar(document->key(row, k)))] = text;
    }
  }
  EXPECT_FALSE(out.empty()) << table;
  return out;
}

TEST(SoftwareVersions, DriversOfCudaMajors) {
  std::map<std::string, std::string> table, ours;
  for (Row& r : rows_of("cuda-major-driver")) table[r["cuda"]] = r["driver"];
  for (const CudaMajor& m : kCudaMajors) ours[std::to_string(m.major)] = m.driver;
  EXPECT_EQ(table, ours);
}

TEST(SoftwareVersions, FirstDrivers) {
  for (const FirstDriver& d : kFirstDrivers) {
    std::set<std::string> majors;  // update 0 of the toolkit, or what stands for it ("11.0.3")
    for (Row& r : rows_of("cuda-toolkit-driver"))
      if (r["cuda"] == d.cuda || r["cuda"].rfind(std::string(d.cuda) + ".", 0) == 0)
        majors.insert(r["driver"].substr(0, r["driver"].find('.')));
    EXPECT_EQ(majors, std::set<std::string>{std::string(d.driver)}) << d.cuda;
  }
  for (const GpuGeneration& g : kGpuGenerations) {
    const bool older = g.name == "volta" || g.name == "turing";  // their first toolkits are in no table
    EXPECT_EQ(first_driver(g.first_cuda).empty(), older) << g.name;
  }
}

TEST(SoftwareVersions, Generations) {
  std::set<std::string> table, ours;
  for (Row& r : rows_of("gpu-architectures")) {
    std::string sm;
    for (const char c : r["sm"] + " ") {
      if (c != ' ') {
        sm += c;
        continue;
      }
      table.insert(r["architecture"] + " " + sm + " " + r["first_cuda"] + " " + r["last_cuda"] + " " +
                   r["last_driver"] + " " + r["kernel_modules"] + " " + r["confirmed"]);
      sm.clear();
    }
  }
  for (const GpuGeneration& g : kGpuGenerations)
    ours.insert(std::string(g.name) + " " + std::string(g.sm) + " " + std::string(g.first_cuda) + " " +
                std::string(g.last_cuda) + " " + std::string(g.last_driver) + " " +
                (g.open && g.proprietary ? "open proprietary"
                 : g.open                ? "open"
                                         : "proprietary") +
                (g.confirmed ? " true" : " false"));
  EXPECT_EQ(table, ours);
}

// The toolkits of single parts are those of their generation.
TEST(SoftwareVersions, ToolkitsOfParts) {
  Sources sources;
  Findings findings;
  Catalog catalog(sources, findings);
  for (Row& r : rows_of("gpu-toolkit")) {
    const GpuPart* part = catalog.gpu(r["gpu"]);
    ASSERT_NE(part, nullptr) << r["gpu"];
    const GpuGeneration* g = gpu_generation(part->sm->text());
    ASSERT_NE(g, nullptr) << r["gpu"];
    EXPECT_EQ(r["from"], g->first_cuda) << r["gpu"];
    EXPECT_EQ(r["until"], g->last_cuda) << r["gpu"];
  }
}

TEST(SoftwareVersions, KernelModulesOfBranches) {
  std::string first_open_standard, first_open_only;
  for (Row& r : rows_of("kernel-modules")) {
    if (r["standard"] == "open" && first_open_standard.empty()) first_open_standard = r["driver"];
    if (r["proprietary"] == "false" && first_open_only.empty()) first_open_only = r["driver"];
  }
  EXPECT_EQ(first_open_standard, kOpenByDefaultDriver);
  EXPECT_EQ(first_open_only, kOpenOnlyDriver);
}

TEST(SoftwareVersions, AdapterStacks) {
  std::set<std::string> table, ours;
  for (Row& r : rows_of("adapter-stack")) {
    if (r["nic"] == "connectx-6-dx") continue;  // its name holds ConnectX-6, with the same stacks
    table.insert(r["nic"] + " " + r["mlnx_ofed_first"] + " " + r["mlnx_ofed_lts"] + " " + r["mlnx_ofed"] + " " +
                 (r["doca"] == "any" ? "" : r["doca"]));
  }
  for (const AdapterStack& a : kAdapterStacks) {
    std::string family;
    for (const char c : a.family) family += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    ours.insert(family + " " + std::string(a.first_mlnx_ofed) + " " + std::string(a.first_of_long_term) + " " +
                std::string(a.last_mlnx_ofed) + " " + std::string(a.first_doca));
  }
  EXPECT_EQ(table, ours);
}

TEST(SoftwareVersions, RocmGpus) {
  std::set<std::string> table, ours;
  for (Row& r : rows_of("rocm-gpus"))
    table.insert(r["gpu"] + " " + r["target"] + " " + r["first_rocm"] + " " + r["confirmed"]);
  for (const RocmGpu& g : kRocmGpus)
    ours.insert(std::string(g.gpu) + " " + std::string(g.target) + " " + std::string(g.first_rocm) +
                (g.confirmed ? " true" : " false"));
  EXPECT_EQ(table, ours);
}

TEST(SoftwareVersions, FileSystemClients) {
  std::set<std::string> table, ours;
  for (Row& r : rows_of("file-system-clients")) table.insert(r["client"] + " " + r["kernel"] + " " + r["release"]);
  for (const ClientKernel& k : kClientKernels)
    ours.insert(std::string(k.client) + " " + std::string(k.kernel) + " " + std::string(k.release));
  EXPECT_EQ(table, ours);
}

TEST(SoftwareVersions, DriverKernels) {
  std::set<std::string> table, ours;
  for (Row& r : rows_of("driver-kernels"))
    table.insert(r["driver"] + " " + r["until"] + " " + r["last"] + " " + r["kernel"]);
  for (const DriverKernel& k : kDriverKernels)
    ours.insert(std::string(k.branch) + " " + std::string(k.until) + (k.last ? " true " : " false ") +
                std::string(k.kernel));
  EXPECT_EQ(table, ours);
}

// Which servers have NVSwitches is told by form and number of their GPUs; the table names servers.
TEST(SoftwareVersions, NvSwitchServers) {
  for (Row& r : rows_of("fabric-manager")) {
    Resolved spec;
    spec.text(
        "clusterc: 1\nrules: 2026.11\nname: one\nsite: { kind: cloud, provider: local }\nnodes:\n  gpu: { names: "
        "\"n[1-2]\", model: " +
        r["server"] + " }\n");
    ASSERT_TRUE(spec.cluster) << r["server"];
    EXPECT_EQ(has_nvswitch(spec.cluster->nodes[0]), r["fabric_manager"] == "true") << r["server"];
  }
  Resolved spec;
  spec.text(
      "clusterc: 1\nrules: 2026.11\nname: one\nsite: { kind: cloud, provider: local }\nnodes:\n  gpu: { names: "
      "\"n[1-2]\", model: generic-4u-pcie8, gpus: 8 x nvidia-l40s }\n");
  ASSERT_TRUE(spec.cluster);
  EXPECT_FALSE(has_nvswitch(spec.cluster->nodes[0]));
}

}  // namespace
}  // namespace clusterc
