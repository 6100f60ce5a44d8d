// What the driver says in the kernel's log, and rows of memory that were replaced.
#include "harness/kernel_log.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "harness/sensors.h"

namespace clusterc::harness {
namespace {

TEST(KernelLog, AnotherGpusXidsAreNotThisOnes) {
  const std::vector<Xid> all = {{"0000:17:00", 94}, {"0000:18:00", 79}, {"0000:17:01", 13}};
  EXPECT_EQ(xids_text(xids_of(all, "0000:17:00.0")), "94 on 0000:17:00");
  EXPECT_EQ(xids_text(xids_of(all, "")), "");
}

// Lines as NVIDIA's "Xid Errors" shows them, behind the head of a record of /dev/kmsg.
TEST(KernelLog, AnXidHasItsNumberAndItsGpu) {
  const auto xid =
      parse_xid("4,1234,5678901,-;NVRM: Xid (PCI:0000:17:00): 94, pid=7194, Contained: SM (0x1). RST: No, D-RST: No");
  ASSERT_TRUE(xid);
  EXPECT_EQ(xid->address, "0000:17:00");
  EXPECT_EQ(xid->number, 94u);
  EXPECT_FALSE(parse_xid("6,1235,5678902,-;NVRM: loading NVIDIA UNIX Open Kernel Module"));
  EXPECT_FALSE(parse_xid("NVRM: Xid (PCI:0000:17:00): unknown"));
  EXPECT_FALSE(parse_xid("NVRM: Xid (PCI:"));
}

TEST(KernelLog, OnlyWhatComesAfterTheBeginningCounts) {
  const auto path = std::filesystem::temp_directory_path() / ("clusterc-kmsg-" + std::to_string(getpid()));
  std::ofstream(path) << "NVRM: Xid (PCI:0000:17:00): 63, old\n";
  KernelLog log(path.c_str());
  EXPECT_TRUE(log.readable());
  EXPECT_TRUE(log.xids().empty());
  std::ofstream(path, std::ios::app) << "something else\nNVRM: Xid (PCI:0000:17:00): 94, pid=1\n"
                                     << "NVRM: Xid (PCI:0000:18:00): 48, pid=2\n";
  EXPECT_EQ(xids_text(log.xids()), "94 on 0000:17:00, 48 on 0000:18:00");
  EXPECT_TRUE(log.xids().empty());
  std::filesystem::remove(path);
  EXPECT_FALSE(KernelLog("/nowhere/kmsg").readable());
}

TEST(GpuRows, ARowThatWaitsIsNamed) {
  std::string why;
  const auto rows_of = [&](const char* gpu, const char* uuid) {
    GpuSensors sensors(Nvml::open(why, CLUSTERC_FAKE_NVML), why, {{gpu, uuid}});
    return sensors.rows_text();
  };
  EXPECT_EQ(rows_of("gpu0", "GPU-1"), "");
  EXPECT_EQ(rows_of("gpu2", "GPU-3"), "gpu2: a row of memory waits for a reset of the GPU to be replaced");
  EXPECT_EQ(rows_of("gpu3", "GPU-4"), "");  // too old to tell
}

// Two GPUs of 700 W each.
TEST(GpuPower, TheCapOfAllIsTold) {
  std::string why;
  const GpuSensors sensors(Nvml::open(why, CLUSTERC_FAKE_NVML), why, {{"gpu0", "GPU-1"}, {"gpu1", "GPU-2"}});
  double watts = 0;
  for (const auto& [name, value] : sensors.parameters())
    if (name == "power_limit_w") watts = std::get<double>(value);
  EXPECT_EQ(watts, 1400);
}

}  // namespace
}  // namespace clusterc::harness
