// Files that people have already: what they are, and what is certainly wrong in them.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "audit/files/judge.h"
#include "audit/files/slurm_cluster.h"
#include "audit/files/xml_values.h"
#include "base/format.h"
#include "model/node_memory.h"

namespace clusterc {
namespace {

using Ids = std::multiset<std::string>;

// Ids of the findings in a file and those beside it, by name: the first is judged.
struct Folder {
  std::string first;
  std::map<std::string, std::string> beside;
  FileChoices choices = {};
  Sources sources = {};
  Findings findings = {};
  std::string summary = {};
  Ids judge() {
    const FileId file = sources.add("first", first);
    const OtherFile* known = recognise_other_file(first);
    if (!known) return {"unknown"};
    const auto read = [&](const std::string& name) -> std::optional<FileId> {
      const auto found = beside.find(name);
      if (found == beside.end()) return std::nullopt;
      return sources.add(name, found->second);
    };
    summary = judge_file(*known, sources, file, choices, read, findings).value_or("not judged");
    Ids out;
    for (const Finding& f : findings.all()) out.insert(format("{} {}", severity_name(f.severity), f.rule));
    return out;
  }
};

const std::string kFenced = "ClusterName=x\nSlurmctldHost=x\nGresTypes=gpu\nTaskPlugin=task/cgroup\n";
const std::map<std::string, std::string> kCgroup = {{"cgroup.conf", "ConstrainDevices=yes\n"}};

std::map<std::string, std::string> with_gres(const std::string& gres) {
  auto out = kCgroup;
  out["gres.conf"] = gres;
  return out;
}

TEST(OtherFiles, AreRecognisedByWhatTheyHold) {
  const std::pair<const char*, FileKind> kSamples[] = {
      {"# ours\nclustername = x\nNodeName=n1\n", FileKind::slurm_conf},
      {"NodeName=n1 CPUs=4\n", FileKind::slurm_conf},
      {"NodeName=n1 Name=gpu File=/dev/nvidia0\n", FileKind::gres_conf},
      {"AutoDetect=nvml\n", FileKind::gres_conf},
      {"ConstrainDevices=yes\n", FileKind::cgroup_conf},
      {"SwitchName=a Nodes=n[1-4]\n", FileKind::topology_conf},
      {"---\n- topology: tree\n  cluster_default: true\n", FileKind::topology_yaml},
      {"a\nb\nHPL.out\n6\n1\n1000 Ns\n", FileKind::hpl_dat},
      {"#\n# Topology file: generated on Mon\n", FileKind::ibnetdiscover},
      {"CA: n1 HCA-1:\n  0x1 1 1[  ] ==( 4X 100.0 Gbps Active/ LinkUp)==>  0x2 3 4[  ] \"leaf\" ( )\n",
       FileKind::iblinkinfo},
      {"<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n", FileKind::nvidia_smi_xml},
      {"\t\x1b[4mGPU0\tGPU1\tCPU Affinity\x1b[0m\n", FileKind::nvidia_smi_topo},
      {"00:01.0 PCI bridge\n\tLnkCap: Port #0\n\tLnkSta: Speed 16GT/s\n", FileKind::lspci},
      {"00:00.0 Host bridge: Intel Corporation Device 0d57\n\tControl: I/O- Mem-\n", FileKind::lspci},
      {"<?xml?><!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n", FileKind::lstopo_xml},
      {"Name,Status,Site,Rack,Role,Device Type\nn1,active,a,b,c,d\n", FileKind::netbox_csv},
      {"manufacturer: A\nmodel: B\nslug: a-b\n", FileKind::netbox_device_type},
      {"Successfully ran diagnostic for group.\n", FileKind::dcgm_log},
      {"# nThread 1 nGpus 8 minBytes 8 maxBytes 8589934592\n", FileKind::nccl_log},
      {"{\n  \"lldp\": {\n    \"interface\": [\n", FileKind::lldp_json},
      {"[{ \"links\": [{ \"compounded_links\": [", FileKind::netq_json},
  };
  for (const auto& [text, kind] : kSamples) {
    const OtherFile* known = recognise_other_file(text);
    ASSERT_TRUE(known) << text;
    EXPECT_EQ(known->kind, kind) << text << known->name;
    EXPECT_FALSE(known->way_out.empty());
  }
}

TEST(OtherFiles, ASpecIsNone) {
  for (const char* text : {"clusterc: 1\nname: x\n# NodeName=n1\n", "clusterc: 1\nNodeName=n1\n", "", "\n\n\n\n\n",
                           "SlurmUser=slurm\nDbdHost=db\nStorageType=x\n", "a,b,c,d\n", "name: x\n",
                           "{ clusterc: 1, name: lldp }\n", "[]\n"})
    EXPECT_FALSE(recognise_other_file(text)) << text;
}

TEST(SlurmFile, IsTakenApartAsSlurmDoes) {
  Sources sources;
  Findings findings;
  const std::string text = "nodename=n1 \\  \n  cpus = 4 # comment \\\nGres=\"gpu:a\"\\\n\\\nx\nInclude b\n";
  const FileId file = sources.add("a", text);
  int reads = 0;
  const SlurmText read = read_slurm_text(
      sources, file,
      [&](const std::string& name) -> std::optional<FileId> {
        ++reads;
        EXPECT_EQ(name, "b");
        return sources.add("b", reads < 100 ? "Include /etc/slurm/b\nA=1\n" : "");
      },
      findings);
  ASSERT_GE(read.records.size(), 2u);
  EXPECT_EQ(read.records[0].find("cpus")->value, "4");
  EXPECT_EQ(sources.text(read.records[0].find("cpus")->span), "cpus = 4");
  EXPECT_LE(reads, 9);  // files that include themselves end
  EXPECT_FALSE(read.whole);
}

TEST(SlurmFile, CountsGpusOfGres) {
  const auto count = [](const char* text) {
    std::int64_t n = 0;
    for (const SlurmGres& g : gpus_of_gres(text)) n += g.count;
    return n;
  };
  EXPECT_EQ(count("gpu:a100:8"), 8);
  EXPECT_EQ(count("gpu:8(S:0,1),shard:64"), 8);
  EXPECT_EQ(count("gpu"), 1);
  EXPECT_EQ(count("gpu:a100:4,gpu:v100:2"), 6);
  EXPECT_EQ(count("gpu:a100:no_consume:4"), 4);
  EXPECT_EQ(count("nic:2"), 0);
  EXPECT_EQ(count("GPU:1K"), 1024);
}

// slurm.conf(5): what RealMemory may be is what the compiled files take, system_memory_of_real_machine.
TEST(SlurmFile, RealMemoryLeavesRoomForTheSystem) {
  const auto ids = [](std::int64_t mib, const std::string& more = "", const std::string& of_node = "") {
    Folder f{kFenced + more + format("NodeName=n1 RealMemory={} {}\n", mib, of_node), {}};
    return f.judge();
  };
  const std::int64_t tib = 1024 * 1024;
  EXPECT_EQ(ids(tib), Ids{"error file-slurm-memory-overstated"});
  EXPECT_EQ(ids(24 * 32 * 1024), Ids{"warning file-slurm-memory-overstated"});
  EXPECT_EQ(ids(tib - system_memory_of_real_machine(tib)), Ids{});
  EXPECT_EQ(ids(1000000), Ids{});
  EXPECT_EQ(ids(tib, "SlurmctldParameters=node_reg_mem_percent=90\n"), Ids{});
  EXPECT_EQ(ids(tib, "SlurmctldParameters=node_reg_mem_percent=99\n"), Ids{"error file-slurm-memory-overstated"});
  EXPECT_EQ(ids(tib, "SlurmdParameters=config_overrides\n"), Ids{});
  EXPECT_EQ(ids(tib, "", "State=CLOUD"), Ids{});
}

TEST(SlurmFile, DevicesAreThoseThatArePromised) {
  const auto ids = [](const std::string& gres_of_node, const std::string& gres_conf) {
    Folder f{kFenced + "NodeName=n[1-4] Gres=" + gres_of_node + "\n", with_gres(gres_conf)};
    return f.judge();
  };
  const Ids error{"error file-slurm-gres-differs"}, warning{"warning file-slurm-gres-differs"};
  EXPECT_EQ(ids("gpu:a:8", "Name=gpu Type=a File=/dev/nvidia[0-7]\n"), Ids{});
  EXPECT_EQ(
      ids("gpu:a:8", "Name=gpu Type=A File=/dev/nvidia[0-3]\nName=gpu Type=a File=/dev/nvidia4,/dev/nvidia[5-7]\n"),
      Ids{});
  EXPECT_EQ(ids("gpu:a:8", "Name=gpu Type=a File=/dev/nvidia[0-6]\n"), error);
  EXPECT_EQ(ids("gpu:a:8", "Name=gpu Type=a File=/dev/nvidia[0-8]\n"), warning);
  EXPECT_EQ(ids("gpu:a:8", "Name=gpu Type=b File=/dev/nvidia[0-7]\n"), error);
  EXPECT_EQ(ids("gpu:a:8", "Name=gpu File=/dev/nvidia[0-7]\n"), error);
  EXPECT_EQ(ids("gpu:8", "Name=gpu Type=b File=/dev/nvidia[0-7]\n"), Ids{});
  EXPECT_EQ(
      ids("gpu:8", "NodeName=n[1-3] Name=gpu File=/dev/nvidia[0-7]\nNodeName=n4 Name=gpu File=/dev/nvidia[0-3]\n"),
      error);
  EXPECT_EQ(ids("gpu:8", "NodeName=m1 Name=gpu File=/dev/nvidia[0-3]\n"), Ids{});  // slurm.conf alone describes them
  EXPECT_EQ(ids("gpu:8", "AutoDetect=nvml\nName=gpu File=/dev/nvidia[0-3]\n"), Ids{});
  EXPECT_EQ(ids("gpu:8", "Name=gpu MultipleFiles=/dev/nvidia[0-3]\n"), Ids{});
  EXPECT_EQ(ids("gpu:8", "Name=shard Count=3\n"), Ids{});
}

TEST(SlurmFile, GpusAreConfined) {
  const auto ids = [](const std::string& settings, const std::map<std::string, std::string>& beside) {
    Folder f{"ClusterName=x\nGresTypes=gpu\n" + settings + "NodeName=n1 Gres=gpu:8\n", beside};
    return f.judge();
  };
  const Ids error{"error file-slurm-gpus-unconfined"};
  EXPECT_EQ(ids("TaskPlugin=task/affinity,task/cgroup\n", kCgroup), Ids{});
  EXPECT_EQ(ids("TaskPlugin=affinity, cgroup\n", kCgroup).count("error file-slurm-gpus-unconfined"),
            1u);  // "cgroup" is a word of its own
  EXPECT_EQ(ids("TaskPlugin=affinity,cgroup\n", kCgroup), Ids{});
  EXPECT_EQ(ids("", kCgroup), error);
  EXPECT_EQ(ids("TaskPlugin=task/cgroup\n", {}), error);
  EXPECT_EQ(ids("TaskPlugin=task/cgroup\n", {{"cgroup.conf", "ConstrainDevices=no\n"}}), error);
  EXPECT_EQ(ids("TaskPlugin=task/cgroup\nProctrackType=proctrack/pgid\n", kCgroup),
            Ids{"warning file-slurm-gpus-unconfined"});
}

TEST(SlurmFile, OneMistakeALineIsCounted) {
  std::string text = kFenced;
  for (int i = 0; i < 500; ++i) text += format("NodeName=n{} CPUs=3 Sockets=2 CoresPerSocket=2\n", i);
  Folder f{text, kCgroup};
  EXPECT_EQ(f.judge().count("error file-slurm-cpus-differ"), 20u);
  EXPECT_EQ(f.findings.all().back().notes.back().message, "480 more findings of this kind are not shown");
}

TEST(SlurmFile, AFileThatIsNotThereHidesWhatNeedsAllLines) {
  Folder f{kFenced + "Include nodes\nNodeName=n1\nPartitionName=a Nodes=n[1-9]\n", {}};
  EXPECT_EQ(f.judge(), Ids{"warning file-slurm-unread"});
}

std::string hpl(const std::string& n, const std::string& nb, const std::string& p, const std::string& q) {
  return "a\nb\nHPL.out\n6 device\n1\n" + n + " Ns\n1\n" + nb + " NBs\n0\n1\n" + p + " Ps\n" + q + " Qs\n16.0\n";
}

// 8 GPUs of 80 GB: 640 GB; 90 % of it are N = sqrt(576e9 / 8) = 268,328.
TEST(HplDat, IsComparedWithTheGpus) {
  const FileChoices eight{8, Bytes(80e9)};
  const auto ids = [&](const std::string& text, FileChoices choices) {
    Folder f{text, {}, choices};
    return f.judge();
  };
  EXPECT_EQ(ids(hpl("267264", "1024", "2", "4"), eight), Ids{});
  EXPECT_EQ(ids(hpl("267264", "1024", "4", "4"), eight), Ids{"error file-hpl-grid"});
  EXPECT_EQ(ids(hpl("267264", "1024", "2", "2"), eight), Ids{"warning file-hpl-grid"});
  EXPECT_EQ(ids(hpl("283648", "1024", "2", "4"), eight), Ids{"error file-hpl-size"});    // 643.6 GB
  EXPECT_EQ(ids(hpl("102400", "1024", "2", "4"), eight), Ids{"warning file-hpl-size"});  // 83.9 GB
  EXPECT_EQ(ids(hpl("267265", "1024", "2", "4"), eight), Ids{"warning file-hpl-size"});
  EXPECT_EQ(ids(hpl("267264", "1024", "2", "4"), {}), Ids{"note file-hpl-unjudged"});
  EXPECT_EQ(ids(hpl("267264", "x", "2", "4"), eight), Ids{"error file-hpl-malformed"});
  EXPECT_EQ(ids(hpl("267264", "1024", "0", "4"), eight), Ids{"error file-hpl-malformed"});
  EXPECT_EQ(ids(hpl("1000", "1024", "2", "4"), {}).count("error file-hpl-malformed"), 1u);
}

TEST(XmlValues, AreReadWithTheirPlaces) {
  const std::string text = "<?xml?><!-- <b> --><a x=\"1\"><b> 5 </b><c/><d><e>u v</e></d></a>";
  std::map<std::string, std::string, std::less<>> got;
  std::uint32_t end = 0;
  EXPECT_TRUE(read_xml_values(
      text, 0,
      [&](std::string_view path, std::string_view value, SourceSpan span) {
        got.emplace(path, value);
        if (!value.empty()) {
          EXPECT_EQ(std::string_view(text).substr(span.begin, span.end - span.begin), value);
        }
      },
      end));
  EXPECT_EQ(got,
            (std::map<std::string, std::string, std::less<>>{{"a", ""}, {"a/b", "5"}, {"a/d", ""}, {"a/d/e", "u v"}}));
  for (const char* broken : {"<a><b></a>", "<a>", "a", "<a><b>5</b>", "</a>", "<a", "<a><!-- ", "<>", "<a/>"})
    EXPECT_FALSE(read_xml_values(
        broken, 0, [](auto&&...) {}, end))
        << broken;
}

TEST(NvidiaSmi, AnIdleGpuMayHaveASlowLink) {
  const auto ids = [](const std::string& state, const std::string& idle, const std::string& gen) {
    Folder f{"<nvidia_smi_log><gpu><pci><pci_gpu_link_info><pcie_gen><max_link_gen>5</max_link_gen><current_link_gen>" +
                 gen + "</current_link_gen></pcie_gen></pci_gpu_link_info></pci><performance_state>" + state +
                 "</performance_state><clocks_event_reasons><clocks_event_reason_gpu_idle>" + idle +
                 "</clocks_event_reason_gpu_idle></clocks_event_reasons></gpu></nvidia_smi_log>",
             {}};
    return f.judge();
  };
  EXPECT_EQ(ids("P0", "Not Active", "4"), Ids{"warning file-smi-link-degraded"});
  EXPECT_EQ(ids("P0", "Not Active", "5"), Ids{});
  EXPECT_EQ(ids("P8", "Not Active", "1"), Ids{});
  EXPECT_EQ(ids("P0", "Active", "1"), Ids{});
  EXPECT_EQ(ids("P0", "Not Active", "N/A"), Ids{});
}

TEST(NvidiaSmi, ABrokenReportIsNoGoodOne) {
  Folder f{"<nvidia_smi_log><gpu><uuid>x</uuid></gpu><gpu>", {}};
  EXPECT_EQ(f.judge(), Ids{"error file-smi-unread"});
  Folder g{"\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV18\t0-3\n", {}};
  EXPECT_EQ(g.judge(), Ids{"error file-smi-unread"});
}

// Pairs of GPUs with a bridge of their own differ from the other pairs by design.
TEST(NvidiaSmi, BridgedPairsAreWhole) {
  Folder f{
      "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\nGPU0\t X \tNV12\tSYS\tSYS\t0\nGPU1\tNV12\t X \tSYS\tSYS\t0\n"
      "GPU2\tSYS\tSYS\t X \tNV12\t0\nGPU3\tSYS\tSYS\tNV12\t X \t0\n",
      {}};
  EXPECT_EQ(f.judge(), Ids{});
  EXPECT_EQ(f.summary, "the matrix of `nvidia-smi topo -m`: 4 GPUs, 0 network adapters");
}

}  // namespace
}  // namespace clusterc
