// The first spec of a machine, from what the probe says.
#include "audit/machine.h"

#include <gtest/gtest.h>

#include <fstream>

#include "unit/model/examples.h"

namespace clusterc {
namespace {

// Made up after the data sheet of a DGX H100: two 56-core processors, 2 TiB, eight GPUs as NVML names them (80 GB parts
// show 81,559 MiB).
std::string dgx() {
  std::string gpus;
  for (int i = 0; i < 8; ++i)
    gpus += std::string(i ? "," : "") + R"({"name":"NVIDIA H100 80GB HBM3","memory_bytes":85520809984})";
  return R"({"record":"probe","host":"dgx-01.example.org","os":{"id":"ubuntu","version":"22.04"},"kernel":{"release":"5.15.0-1042-nvidia"},)"
         R"("cpu":{"arch":"x86_64","model":"Intel(R) Xeon(R) Platinum 8480C","sockets":2,"cores":112,"threads_per_core":2},)"
         R"("memory":{"total_bytes":2164000000000},"platform":{"virtual_machine":false},"nvidia":{"driver":"550.90.07"},"gpus":[)" +
         gpus +
         R"(],"nics":[{"name":"ens1","physical":true,"driver":"mlx5_core","bits_per_second":400000000000},{"name":"lo","physical":false}],)"
         R"("drives":[{"name":"nvme0n1","bytes":3840755982336,"nvme":true}],"programs":{"mpirun":"/usr/bin/mpirun"}})";
}

std::string sample() {
  std::ifstream in(std::string(CLUSTERC_SOURCE_DIR) + "/validators/probe/samples/virtual-machine.jsonl");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(R"({"record":"probe")")) return line;
  return {};
}

// Read back as a spec: no error.
void reads_back(const std::string& yaml) {
  Resolved r;
  r.text(yaml);
  ASSERT_TRUE(r.cluster);
  EXPECT_EQ(r.findings.count(Severity::error), 0u) << r.told() << yaml;
}

TEST(Machine, DgxIsRecognised) {
  std::string error;
  const auto m = read_probe(dgx(), error);
  ASSERT_TRUE(m) << error;
  EXPECT_EQ(m->sockets, 2);
  EXPECT_EQ(m->gpus.size(), 8u);
  EXPECT_EQ(m->nics.size(), 1u);  // the physical one
  Resolved parts;
  const std::string spec = spec_of_machine(*m, parts.catalog);
  EXPECT_NE(spec.find("gpus: \"8 x nvidia-h100-sxm5-80\"\n"), std::string::npos) << spec;
  EXPECT_NE(spec.find("names: dgx-01\n"), std::string::npos) << spec;
  EXPECT_NE(spec.find("550.90.07"), std::string::npos) << spec;
  reads_back(spec);
}

// A container, a chroot or a hardened kernel may hide /sys and parts of /proc: what was not seen is not zero.
TEST(Machine, WhatTheProbeDidNotSeeIsUnknown) {
  const auto spec_of = [](std::string_view cpu, std::string_view memory, bool virtual_machine) {
    std::string error;
    const auto m =
        read_probe(std::string(R"({"record":"probe","host":"box",)") + std::string(cpu) + std::string(memory) +
                       R"("os":{"id":"debian","version":"12"},"platform":{"virtual_machine":)" +
                       (virtual_machine ? "true" : "false") + "}}",
                   error);
    Resolved parts;
    return m ? spec_of_machine(*m, parts.catalog) : error;
  };
  constexpr std::string_view kModel = R"("cpu":{"arch":"x86_64","model":"Intel(R) Xeon(R) Platinum 8480C"},)",
                             kThreads = R"("cpu":{"arch":"x86_64","threads":6},)",
                             kAll =
                                 R"("cpu":{"arch":"x86_64","threads":6,"cores":3,"threads_per_core":2,"sockets":1},)",
                             kMemory = R"("memory":{"total_bytes":68719476736},)";
  for (const std::string_view cpu : {std::string_view(), kModel, kThreads, kAll})
    for (const std::string_view memory : {std::string_view(), kMemory})
      for (const bool guest : {true, false}) {
        const std::string spec = spec_of(cpu, memory, guest);
        reads_back(spec);
        EXPECT_EQ(spec.find(": 0"), std::string::npos) << spec;
        EXPECT_EQ(spec.find(" 0 "), std::string::npos) << spec;
        EXPECT_EQ(spec.find("\"1 GiB"), std::string::npos) << spec;
      }
  EXPECT_NE(spec_of(kModel, kMemory, true).find("cpus:\n        unknown: "), std::string::npos);
  EXPECT_NE(spec_of(kThreads, kMemory, true).find("cpus: 6\n"), std::string::npos);
  EXPECT_NE(spec_of(kAll, kMemory, true).find("cpus: 6\n"), std::string::npos);
  EXPECT_NE(spec_of(kAll, "", true).find("memory:\n        unknown: "), std::string::npos);
  EXPECT_NE(spec_of(kModel, "", false).find("sockets:\n        unknown: "), std::string::npos);
}

TEST(Machine, VirtualMachineReadsBack) {
  std::string error;
  const auto m = read_probe(sample(), error);
  ASSERT_TRUE(m) << error;
  EXPECT_TRUE(m->virtual_machine);
  Resolved parts;
  const std::string spec = spec_of_machine(*m, parts.catalog);
  // 25,276,514,304 B are 23.54 GiB: whole ones, rounded down.
  EXPECT_NE(spec.find("23 GiB"), std::string::npos) << spec;
  EXPECT_EQ(spec.find("gpus:"), std::string::npos) << spec;
  reads_back(spec);
}

TEST(Machine, UnlikeOrUnknownGpusAreNotGuessed) {
  std::string error;
  auto m = read_probe(dgx(), error);
  ASSERT_TRUE(m);
  Resolved parts;
  m->gpus[3].name = "NVIDIA A100-SXM4-80GB";
  EXPECT_EQ(spec_of_machine(*m, parts.catalog).find("\n      gpus:"), std::string::npos);
  for (auto& gpu : m->gpus) gpu.name = "Imaginary X1";
  const std::string spec = spec_of_machine(*m, parts.catalog);
  EXPECT_NE(spec.find("'Imaginary X1' is not in the catalogue"), std::string::npos) << spec;
  reads_back(spec);
}

TEST(Machine, OtherLinesAreNoProbe) {
  std::string error;
  EXPECT_FALSE(read_probe(R"({"record":"header"})", error));
  EXPECT_FALSE(read_probe(dgx().substr(0, 200), error));
  EXPECT_FALSE(error.empty());
}

}  // namespace
}  // namespace clusterc
