// What is read from the answers of BMCs, without a network: a map of resources stands for the BMC.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "audit/hardware_words.h"
#include "audit/redfish_walk.h"

namespace clusterc {
namespace {

using Tree = std::map<std::string, std::string>;

HardwareSeen walk(const Tree& tree, const RedfishLimits& limits = {}, std::size_t* requests = nullptr) {
  RedfishParser parser(limits);
  RedfishWalk walk(parser, limits);
  std::size_t n = 0;
  while (const auto path = walk.next()) {
    ++n;
    const auto at = tree.find(*path == "/redfish/v1/" ? "/redfish/v1" : *path);
    if (at == tree.end())
      walk.failed("answers HTTP 404");
    else
      walk.answer(at->second);
  }
  if (requests) *requests = n;
  return walk.take();
}

Tree one_system(const std::string& lists) {
  return {{"/redfish/v1", R"({"Systems": {"@odata.id": "/redfish/v1/Systems"}})"},
          {"/redfish/v1/Systems", R"({"Members": [{"@odata.id": "/redfish/v1/Systems/1"}]})"},
          {"/redfish/v1/Systems/1", R"({"BiosVersion": "1.0", "SerialNumber": "S1", )" + lists + "}"}};
}

std::string link(const std::string& to) { return R"({"@odata.id": ")" + to + "\"}"; }

TEST(RedfishPath, StaysBelowRedfishOnTheSameHost) {
  EXPECT_EQ(redfish_path("/redfish/v1/Systems/1/"), "/redfish/v1/Systems/1");
  EXPECT_EQ(redfish_path("/redfish/v1/Chassis/1/Power#/PowerSupplies/0"), "/redfish/v1/Chassis/1/Power");
  EXPECT_EQ(redfish_path("/redfish/v1/Systems?$skip=5"), "/redfish/v1/Systems?$skip=5");
  for (const char* bad : {"", "redfish/v1", "/redfish", "/redfish/", "//evil/redfish/v1", "https://evil/redfish/v1",
                          "/redfish/../etc", "/redfish/%2E%2e/x", "/redfish/v1/a b", "/redfish/v1/a\r\nX-Evil: 1",
                          "/other/v1", "/redfish/v1/\\evil", "/redfish/v1/\xc3\xa9"})
    EXPECT_FALSE(redfish_path(bad)) << bad;
  EXPECT_FALSE(redfish_path("/redfish/" + std::string(5000, 'a')));
}

TEST(RedfishWalk, WhatABmcDoesNotSayIsNotRead) {
  Tree tree = one_system(
      R"("ProcessorSummary": {"Count": null, "Model": null}, "Model": "To Be Filled By O.E.M.", "SKU": "nil")");
  const HardwareSeen seen = walk(tree);
  EXPECT_EQ(seen.bios, "1.0");
  EXPECT_EQ(seen.model, "");
  EXPECT_EQ(seen.sku, "");
  EXPECT_EQ(seen.cpu_count, -1);
  EXPECT_FALSE(seen.cpus.listed);
  EXPECT_FALSE(seen.dimms.listed);
  EXPECT_EQ(seen.unread_count, 0);
}

TEST(RedfishWalk, TheBaseboardOfGpusIsNoServer) {
  Tree tree = one_system("\"Id\": \"1\"");
  tree["/redfish/v1/Systems"] =
      "{\"Members\": [" + link("/redfish/v1/Systems/HGX") + "," + link("/redfish/v1/Systems/1") + "]}";
  tree["/redfish/v1/Systems/HGX"] = R"({"Id": "HGX_Baseboard_0", "BiosVersion": "9", "SerialNumber": "S9"})";
  const HardwareSeen seen = walk(tree);
  EXPECT_EQ(seen.hosts, 1);
  EXPECT_EQ(seen.bios, "1.0");
  tree["/redfish/v1/Systems/HGX"] = R"({"Id": "2", "BiosVersion": "9", "SerialNumber": "S9"})";
  EXPECT_EQ(walk(tree).hosts, 2);
}

TEST(RedfishWalk, MemoryOfGpusAndEmptySlotsAreNoModules) {
  const std::string m = "/redfish/v1/Systems/1/Memory";
  Tree tree = one_system("\"Memory\": " + link(m));
  tree[m] =
      "{\"Members\": [" + link(m + "/1") + "," + link(m + "/2") + "," + link(m + "/3") + "," + link(m + "/4") + "]}";
  tree[m + "/1"] = R"({"CapacityMiB": 65536, "PartNumber": "A ", "Status": {"State": "Enabled", "Health": "OK"}})";
  tree[m + "/2"] = R"({"CapacityMiB": 65536.0, "PartNumber": "A"})";
  tree[m + "/3"] = R"({"CapacityMiB": null, "Status": {"State": "Absent"}})";
  tree[m + "/4"] = R"({"CapacityMiB": 81559, "MemoryDeviceType": "HBM"})";
  const HardwareSeen seen = walk(tree);
  ASSERT_EQ(seen.dimms.kinds.size(), 1U);
  EXPECT_EQ(seen.dimms.kinds[0].model, "A");
  EXPECT_EQ(seen.dimms.kinds[0].size, 65536);
  EXPECT_EQ(seen.dimms.kinds[0].count, 2);
  EXPECT_TRUE(seen.dimms.listed && seen.dimms.complete);
}

TEST(RedfishWalk, AListOfWhichAMemberIsMissingIsNotComplete) {
  const std::string m = "/redfish/v1/Systems/1/Memory";
  Tree tree = one_system("\"Memory\": " + link(m));
  tree[m] = "{\"Members\": [" + link(m + "/1") + "," + link(m + "/2") + "]}";
  tree[m + "/1"] = R"({"CapacityMiB": 65536})";
  const HardwareSeen seen = walk(tree);
  EXPECT_FALSE(seen.dimms.complete);
  EXPECT_TRUE(seen.cpus.complete);
  ASSERT_EQ(seen.unread.size(), 1U);
  EXPECT_EQ(seen.unread[0], m + "/2 answers HTTP 404");
}

TEST(RedfishWalk, PagesAreFollowedOnce) {
  const std::string p = "/redfish/v1/Systems/1/Processors";
  Tree tree = one_system("\"Processors\": " + link(p));
  tree[p] = "{\"Members\": [" + link(p + "/1") + "], \"Members@odata.nextLink\": \"" + p + "?$skip=1\"}";
  tree[p + "?$skip=1"] = "{\"Members\": [" + link(p + "/2") + "], \"Members@odata.nextLink\": \"" + p + "?$skip=1\"}";
  tree[p + "/1"] = R"({"ProcessorType": "CPU", "Model": "A"})";
  tree[p + "/2"] = R"({"ProcessorType": "GPU", "Model": "B"})";
  std::size_t requests = 0;
  const HardwareSeen seen = walk(tree, {}, &requests);
  EXPECT_EQ(seen.cpus.count(), 1);
  EXPECT_EQ(seen.gpus.count(), 1);
  EXPECT_EQ(requests, 7U);
}

TEST(RedfishWalk, NoGpuInAListOfProcessorsSaysNothing) {
  const std::string p = "/redfish/v1/Systems/1/Processors";
  Tree tree = one_system("\"Processors\": " + link(p));
  tree[p] = "{\"Members\": [" + link(p + "/1") + "]}";
  tree[p + "/1"] = R"({"ProcessorType": "CPU", "Model": "A"})";
  const HardwareSeen seen = walk(tree);
  EXPECT_TRUE(seen.cpus.listed);
  EXPECT_FALSE(seen.gpus.listed);
}

TEST(RedfishWalk, LimitsHold) {
  RedfishLimits limits;
  limits.resources = 10;
  limits.answer_bytes = 4096;
  Tree tree = one_system("\"A\": 1");
  std::string members;
  for (int i = 0; i < 50; ++i) members += (i ? "," : "") + link("/redfish/v1/Systems/x" + std::to_string(i));
  tree["/redfish/v1/Systems"] = "{\"Members\": [" + members + "]}";
  const HardwareSeen seen = walk(tree, limits);
  EXPECT_LE(seen.resources, 11);
  EXPECT_FALSE(seen.cpus.complete);
  tree["/redfish/v1/Systems"] = "{\"a\": \"" + std::string(5000, 'x') + "\"}";
  EXPECT_EQ(walk(tree, limits).unread[0], "/redfish/v1/Systems is larger than the limit");
  tree["/redfish/v1/Systems"] = "{\"a\": " + std::string(100, '[') + std::string(100, ']') + "}";
  EXPECT_EQ(walk(tree, limits).unread[0], "/redfish/v1/Systems is nested too deep");
  tree["/redfish/v1/Systems"] = "<html>";
  EXPECT_EQ(walk(tree, limits).unread[0], "/redfish/v1/Systems is no JSON object");
}

TEST(RedfishWalk, AnIllSupplyIsNamedOnce) {
  const Tree tree = {{"/redfish/v1", R"({"Chassis": {"@odata.id": "/redfish/v1/Chassis"}})"},
                     {"/redfish/v1/Chassis", R"({"Members": [{"@odata.id": "/redfish/v1/Chassis/1"}]})"},
                     {"/redfish/v1/Chassis/1",
                      R"({"ChassisType": "RackMount", "Power": {"@odata.id": "/redfish/v1/Chassis/1/Power"},
           "PowerSubsystem": {"@odata.id": "/redfish/v1/Chassis/1/PowerSubsystem"}})"},
                     {"/redfish/v1/Chassis/1/PowerSubsystem",
                      R"({"PowerSupplies": {"@odata.id": "/redfish/v1/Chassis/1/PowerSubsystem/PowerSupplies"}})"},
                     {"/redfish/v1/Chassis/1/PowerSubsystem/PowerSupplies",
                      R"({"Members": [{"@odata.id": "/redfish/v1/Chassis/1/PowerSubsystem/PowerSupplies/Bay1"}]})"},
                     {"/redfish/v1/Chassis/1/PowerSubsystem/PowerSupplies/Bay1",
                      R"({"PowerCapacityWatts": 400, "Status": {"Health": "Warning"}})"},
                     {"/redfish/v1/Chassis/1/Power",
                      R"({"PowerSupplies": [{"PowerCapacityWatts": 400, "Status": {"Health": "Warning"}}]})"}};
  const HardwareSeen seen = walk(tree);
  ASSERT_EQ(seen.ill.size(), 1u);
  EXPECT_EQ(seen.ill[0].part, "Chassis/1/PowerSubsystem/PowerSupplies/Bay1");
}

TEST(RedfishWalk, PowerIsTheOlderPlaceOfSupplies) {
  Tree tree{
      {"/redfish/v1", R"({"Chassis": {"@odata.id": "/redfish/v1/Chassis"}})"},
      {"/redfish/v1/Chassis", R"({"Members": [{"@odata.id": "/redfish/v1/Chassis/1"}]})"},
      {"/redfish/v1/Chassis/1",
       R"({"ChassisType": "RackMount", "Power": {"@odata.id": "/redfish/v1/Chassis/1/Power"}})"},
      {"/redfish/v1/Chassis/1/Power",
       R"({"PowerSupplies": [{"PowerCapacityWatts": 3000, "Status": {"Health": "Warning"}}, {"PowerCapacityWatts": 3000},
                 {"Status": {"State": "Absent"}}], "PowerControl": [{"PowerLimit": {"LimitInWatts": 500}}]})"}};
  const HardwareSeen seen = walk(tree);
  EXPECT_EQ(seen.psus.count(), 2);
  EXPECT_EQ(seen.power_limit, 500);
  ASSERT_EQ(seen.ill.size(), 1U);
  EXPECT_EQ(seen.ill[0].part, "Chassis/1/Power#/PowerSupplies/0");
}

// The server with processors of these answers.
HardwareSeen with_processors(const std::vector<std::string>& answers, const std::string& system = "\"A\": 1") {
  const std::string p = "/redfish/v1/Systems/1/Processors";
  Tree tree = one_system(system + ", \"Processors\": " + link(p));
  std::string members;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::string at = p + "/" + std::to_string(i);
    members += (i ? "," : "") + link(at);
    tree[at] = R"({"ProcessorType": "GPU", "Model": "B", )" + answers[i] + "}";
  }
  tree[p] = "{\"Members\": [" + members + "]}";
  return walk(tree);
}
std::string ill(const HardwareSeen& seen) {
  std::string all;
  for (const auto& i : seen.ill) all += i.part + " " + i.words + (i.critical ? "!" : "") + "\n";
  return all;
}

TEST(RedfishWalk, DisabledAndOfflinePartsAreNamedAndNotCounted) {
  const HardwareSeen seen =
      with_processors({R"("Status": {"State": "Enabled", "Health": "OK"})",
                       R"("Status": {"State": "Disabled", "Health": "OK"})", R"("Status": {"State": "StandbyOffline"})",
                       R"("Status": {"State": "UnavailableOffline"})", R"("Status": {"State": "Absent"})"});
  EXPECT_EQ(seen.gpus.count(), 1);
  EXPECT_TRUE(with_processors({R"("Status": {"State": "Disabled"})"}).gpus.listed);
  EXPECT_EQ(ill(seen),
            "Systems/1/Processors/1 reports the state 'Disabled', so it does not count as present\n"
            "Systems/1/Processors/2 reports the state 'StandbyOffline', so it does not count as present\n"
            "Systems/1/Processors/3 reports the state 'UnavailableOffline', so it does not count as present\n");
}

TEST(RedfishWalk, AServerThatIsOffIsNamedOnce) {
  const HardwareSeen seen = with_processors({R"("Status": {"State": "UnavailableOffline"})"}, R"("PowerState": "Off")");
  EXPECT_EQ(seen.gpus.count(), 1);
  EXPECT_EQ(ill(seen), "Systems/1 reports the power state 'Off'\n");
}

TEST(RedfishWalk, APredictedFailureAndARollUpAreNamed) {
  EXPECT_EQ(ill(with_processors({R"("FailurePredicted": true)", R"("FailurePredicted": false)"})),
            "Systems/1/Processors/0 reports that a failure is predicted\n");
  const std::string critical = R"("Status": {"Health": "OK", "HealthRollup": "Critical"})";
  EXPECT_EQ(ill(with_processors({"\"A\": 1"}, critical)),
            "Systems/1 reports health roll-up 'Critical', and no part of it as ill!\n");
  EXPECT_EQ(ill(with_processors({R"("Status": {"Health": "Critical"})"}, critical)),
            "Systems/1/Processors/0 reports health 'Critical'!\n");
  EXPECT_EQ(ill(with_processors({R"("Status": {"Health": "OK", "HealthRollup": "Warning"})"},
                                R"("Status": {"HealthRollup": "Warning"})")),
            "Systems/1/Processors/0 reports health roll-up 'Warning', and no part of it as ill\n");
}

TEST(RedfishWalk, AnAdapterWithoutAModelMayBeDisabled) {
  const std::string c = "/redfish/v1/Chassis", a = c + "/1/NetworkAdapters";
  Tree tree{{"/redfish/v1", "{\"Chassis\": " + link(c) + "}"},
            {c, "{\"Members\": [" + link(c + "/1") + "]}"},
            {c + "/1", "{\"NetworkAdapters\": " + link(a) + "}"},
            {a, "{\"Members\": [" + link(a + "/1") + "]}"},
            {a + "/1", R"({"Status": {"State": "Disabled", "Health": "OK"}})"}};
  EXPECT_EQ(walk(tree).nics.count(), 1);
  EXPECT_EQ(ill(walk(tree)), "");
  tree[a + "/1"] = R"({"Model": "ConnectX-7", "Status": {"State": "Disabled"}})";
  EXPECT_EQ(walk(tree).nics.count(), 0);
}

TEST(RedfishWalk, SystemsAreCountedAndEmptySerialNumbersAreNone) {
  EXPECT_EQ(walk({{"/redfish/v1", "{}"}}).systems, 0);
  EXPECT_EQ(walk(one_system("\"A\": 1")).systems, 1);
  Tree tree = one_system("\"A\": 1");
  tree["/redfish/v1/Systems/1"] = R"({"BiosVersion": "1.0", "SerialNumber": "0123456789"})";
  EXPECT_EQ(walk(tree).serial, "");
}

CpuPart cpu(const char* name) {
  CpuPart p;
  p.name = Value<std::string>(name, {}, Origin::catalog);
  return p;
}
GpuPart gpu(const char* name, GpuForm form) {
  GpuPart p;
  p.name = Value<std::string>(name, {}, Origin::catalog);
  p.form = Value<GpuForm>(form, {}, Origin::catalog);
  return p;
}

TEST(HardwareWords, Processors) {
  EXPECT_EQ(is_cpu(cpu("Intel Xeon Platinum 8462Y+"), "Intel(R) Xeon(R) Platinum 8462Y+"), true);
  EXPECT_EQ(is_cpu(cpu("Intel Xeon Platinum 8358"), "Intel(R) Xeon(R) Platinum 8362 CPU @ 2.80GHz"), false);
  EXPECT_EQ(is_cpu(cpu("Intel Xeon Platinum 8480+ (8480C in DGX)"), "Intel(R) Xeon(R) Platinum 8480C"), true);
  EXPECT_EQ(is_cpu(cpu("AMD EPYC 75F3"), "AMD EPYC 75F3 32-Core Processor"), true);
  EXPECT_EQ(is_cpu(cpu("Intel Xeon Platinum 8462Y+"), "Intel(R) Xeon(R) processor"), std::nullopt);
  EXPECT_EQ(is_cpu(cpu("Intel Xeon Platinum 8462Y+"), ""), std::nullopt);
}

TEST(HardwareWords, Gpus) {
  const GpuPart h100 = gpu("NVIDIA H100 SXM5 80GB", GpuForm::sxm5);
  EXPECT_EQ(is_gpu(h100, "H100 80GB HBM3"), true);
  EXPECT_EQ(is_gpu(h100, "NVIDIA H100 PCIe 80 GB"), false);
  EXPECT_EQ(is_gpu(h100, "NVIDIA H200"), false);
  EXPECT_EQ(is_gpu(h100, "H100 64GB HBM2"), false);
  EXPECT_EQ(is_gpu(h100, ""), std::nullopt);
  EXPECT_EQ(is_gpu(h100, "NVIDIA GPU"), std::nullopt);
}

TEST(HardwareWords, AnotherVariantOfAGpuIsAnotherGpu) {
  const GpuPart pcie = gpu("NVIDIA H100 PCIe 80GB", GpuForm::pcie), sxm = gpu("NVIDIA H100 SXM5 80GB", GpuForm::sxm5),
                nvl = gpu("NVIDIA H100 NVL 94GB", GpuForm::pcie);
  EXPECT_EQ(is_gpu(pcie, "NVIDIA H100 PCIe"), true);  // all such cards have 80 GB
  EXPECT_EQ(is_gpu(pcie, "NVIDIA H100 80GB HBM3"), false);
  EXPECT_EQ(is_gpu(pcie, "NVIDIA H100 NVL"), false);
  EXPECT_EQ(is_gpu(pcie, "NVIDIA H100"), std::nullopt);
  EXPECT_EQ(is_gpu(pcie, "NVIDIA H100 80GB"), std::nullopt);
  EXPECT_EQ(is_gpu(sxm, "NVIDIA H100"), std::nullopt);
  EXPECT_EQ(is_gpu(sxm, "NVIDIA H100 SXM5"), std::nullopt);  // 64, 80 or 96 GB
  EXPECT_EQ(is_gpu(sxm, "NVIDIA H100 NVL"), false);
  EXPECT_EQ(is_gpu(nvl, "NVIDIA H100 NVL"), true);
  EXPECT_EQ(is_gpu(nvl, "NVIDIA H100 80GB HBM3"), false);
  EXPECT_EQ(is_gpu(gpu("NVIDIA H200 SXM5 141GB", GpuForm::sxm5), "NVIDIA H200"), std::nullopt);
  EXPECT_EQ(is_gpu(gpu("NVIDIA H200 NVL 141GB", GpuForm::pcie), "NVIDIA H200 141GB HBM3e"), false);
  const GpuPart a100 = gpu("NVIDIA A100 PCIe 80GB", GpuForm::pcie);
  EXPECT_EQ(is_gpu(a100, "NVIDIA A100-PCIE-40GB"), false);
  EXPECT_EQ(is_gpu(a100, "NVIDIA A100 80GB PCIe"), true);
  EXPECT_EQ(is_gpu(a100, "NVIDIA A100-PCIE"), std::nullopt);
  EXPECT_EQ(is_gpu(a100, "NVIDIA A100-SXM4-80GB"), false);
}

TEST(HardwareWords, AGpuInOneVariantNeedsNoMoreThanItsName) {
  EXPECT_EQ(is_gpu(gpu("NVIDIA L40 48GB", GpuForm::pcie), "NVIDIA L40"), true);
  EXPECT_EQ(is_gpu(gpu("AMD Instinct MI350P (PCIe)", GpuForm::pcie), "AMD Instinct MI350P HBM3E"), true);
  EXPECT_EQ(is_gpu(gpu("NVIDIA GH200 Grace Hopper Superchip 96GB HBM3", GpuForm::superchip), "NVIDIA GH200 480GB"),
            std::nullopt);
  const GpuPart server = gpu("NVIDIA RTX PRO 6000 Blackwell Server Edition", GpuForm::pcie);
  EXPECT_EQ(is_gpu(server, "NVIDIA RTX PRO 6000 Blackwell Server Edition"), true);
  EXPECT_EQ(is_gpu(server, "NVIDIA RTX 6000 Ada Generation"), false);
  EXPECT_EQ(is_gpu(server, "NVIDIA RTX PRO 6000"), std::nullopt);
}

TEST(HardwareWords, Adapters) {
  EXPECT_EQ(adapter_family("MCX75310AAS-NEAT"), "ConnectX-7");
  EXPECT_EQ(adapter_family("NVIDIA ConnectX-7 1 x NDR OSFP"), "ConnectX-7");
  EXPECT_EQ(adapter_family("BlueField-2 DPU 100GbE Dual-Port MBF2H536C-CECOT"), "BlueField-2");
  EXPECT_EQ(adapter_family("AOC-STGS-i2T"), "");
}

}  // namespace
}  // namespace clusterc
