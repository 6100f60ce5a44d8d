#include "spec/other_files.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::string_view kWithSlurmConf =
    "`clusterc check slurm.conf` reads it together with the slurm.conf of its folder";

// In the order of FileKind.
constexpr std::array<OtherFile, 21> kFiles = {{
    {FileKind::slurm_conf, "a slurm.conf",
     "`clusterc check FILE` judges it; `clusterc init --from slurm:FILE -o cluster.yaml` writes a spec of its cluster"},
    {FileKind::gres_conf, "a gres.conf", kWithSlurmConf},
    {FileKind::cgroup_conf, "a cgroup.conf", kWithSlurmConf},
    {FileKind::topology_conf, "a topology.conf", kWithSlurmConf},
    {FileKind::topology_yaml, "a topology.yaml of Slurm", kWithSlurmConf},
    {FileKind::hpl_dat, "an HPL.dat",
     "`clusterc check FILE --gpus N --gpu-memory SIZE` judges it; what a run must reach stands in a spec under "
     "`targets: { hpl: … }`"},
    {FileKind::ibnetdiscover, "a dump of ibnetdiscover",
     "`clusterc audit SPEC --fabric FILE` compares it with the plan of a spec"},
    {FileKind::iblinkinfo, "a list of iblinkinfo",
     "`clusterc audit SPEC --fabric FILE` compares it with the plan of a spec"},
    {FileKind::ibdiagnet_lst, "a list of links of ibdiagnet",
     "`clusterc audit SPEC --fabric FILE` compares it with the plan of a spec"},
    {FileKind::ibdiagnet_csv, "the tables of ibdiagnet",
     "`clusterc audit SPEC --fabric FILE` compares them with the plan of a spec"},
    {FileKind::port_counters, "a list of error counters of InfiniBand ports",
     "`clusterc check FILE` judges it; `clusterc audit SPEC --fabric DUMP --fabric FILE` names the cables"},
    {FileKind::nvidia_smi_xml, "a report of `nvidia-smi -q -x`",
     "`clusterc check FILE` judges it; `clusterc init --probe` on that machine writes a spec"},
    {FileKind::nvidia_smi_topo, "the matrix of `nvidia-smi topo -m`",
     "`clusterc check FILE` judges it; `clusterc init --probe` on that machine writes a spec with its PCIe tree"},
    {FileKind::lspci, "a list of `lspci -vvv`",
     "`clusterc check FILE` judges it; `clusterc init --probe` on that machine writes a spec with its PCIe tree"},
    {FileKind::lstopo_xml, "a topology that lstopo wrote",
     "`clusterc check FILE` judges it; `clusterc init --probe` on that machine writes a spec with its PCIe tree"},
    {FileKind::netbox_csv, "a CSV export of NetBox",
     "`clusterc audit SPEC --netbox FILE` compares its devices or cables with the plan of a spec; `clusterc plan SPEC "
     "-o DIR` writes CSV files for NetBox's import"},
    {FileKind::netbox_device_type, "a device type of NetBox",
     "a part of one's own is a file below the folder that a spec names with `parts: [./parts]`: `clusterc catalog "
     "PART` "
     "prints one to begin from"},
    {FileKind::dcgm_log, "a log of `dcgmi diag`",
     "`clusterc check FILE` judges it; `clusterc validate SPEC` runs and judges the tests of the nodes"},
    {FileKind::nccl_log, "a log of nccl-tests",
     "`clusterc check FILE` judges it; `clusterc validate SPEC` runs and judges collectives; the figure to expect is "
     "in `clusterc plan SPEC`"},
    {FileKind::lldp_json, "what `lldpcli -f json show neighbors` printed",
     "`clusterc audit SPEC --fabric NETWORK=FOLDER` compares a folder of such files, each called after its device, "
     "with "
     "the plan of a spec"},
    {FileKind::netq_json, "a topology graph of NetQ",
     "`clusterc audit SPEC --fabric NETWORK=FILE` compares it with the plan of a spec"},
}};

const OtherFile* row(FileKind kind) { return &kFiles[static_cast<std::size_t>(kind)]; }

// "NodeName" of "NodeName=n1 …" and of "nodename = n1"; empty: the line begins otherwise.
std::string_view first_key(std::string_view line) {
  std::size_t n = 0;
  while (n < line.size() && ((line[n] | 0x20) >= 'a' && (line[n] | 0x20) <= 'z')) ++n;
  const std::string_view rest = trim(line.substr(n));
  return rest.starts_with('=') ? line.substr(0, n) : std::string_view();
}

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}
std::string_view first_word(std::string_view line) { return line.substr(0, line.find_first_of(" \t")); }

// "0000:1b:00.0", "1b:00.0"
bool is_pci_address(std::string_view word) {
  const std::size_t dot = word.rfind('.');
  return word.size() >= 7 && dot == word.size() - 2 && word[dot - 3] == ':' &&
         word.find_first_not_of("0123456789abcdef:.") == word.npos;
}

// Exports of devices, cables and prefixes: titles as the page shows them, or names of fields.
bool is_netbox_header(std::string_view line) {
  const std::string lower = to_lower(line);
  std::vector<std::string> columns;
  for (const std::string_view word : split(lower, ',')) {
    std::string_view column = trim(word);
    if (column.size() > 1 && column.front() == '"' && column.back() == '"')
      column = column.substr(1, column.size() - 2);
    columns.push_back(replace_all(column, " ", "_"));
  }
  const auto has = [&](std::string_view name) { return std::ranges::find(columns, name) != columns.end(); };
  if (columns.size() < 4) return false;
  return (has("name") && has("site") && (has("device_type") || has("type")) && (has("role") || has("device_role"))) ||
         (has("side_a_device") && has("side_b_device")) ||
         (has("termination_a") && has("termination_b") && has("status"));
}

}  // namespace

const OtherFile* recognise_other_file(std::string_view text) {
  text = text.substr(0, kOtherFileHead);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  int slurm = 0, gres = 0, cgroup = 0, topology = 0, netbox = 0;
  bool topo = false, blocks = false;
  std::size_t number = 0;
  std::array<std::string_view, 5> first = {};  // lines, trimmed
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    // A CR alone ends a line, too: the reader of the file says that the program takes it for one long line.
    const std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    const std::string_view raw = text.substr(begin, end - begin), line = trim(raw);
    begin = end + (text.substr(end).starts_with("\r\n") ? 2 : 1);
    if (number < first.size()) first[number] = line;
    if (raw.starts_with("clusterc:")) return nullptr;
    if (line.empty() || line.front() == '#') continue;
    topo |= line.find("GPU0") != line.npos && line.find(':') == line.npos &&
            (line.find("CPU Affinity") != line.npos || line.find("GPU1") != line.npos);
    netbox += raw.starts_with("manufacturer:") || raw.starts_with("model:") || raw.starts_with("slug:");
    blocks |= raw.starts_with("- topology:") || raw.starts_with("- topology :");
    const std::string key = to_lower(first_key(line));
    if (key.empty()) continue;
    for (const std::string_view own : {"clustername", "slurmctldhost", "controlmachine", "partitionname", "selecttype",
                                       "proctracktype", "slurmctldport", "slurmdspooldir"})
      slurm += key == own;
    const std::string words = to_lower(line);
    if (key == "nodename" && words.find("file=") == words.npos && words.find("name=", 9) == words.npos) ++slurm;
    gres += key == "autodetect" || ((key == "nodename" || key == "name") &&
                                    (words.find("file=") != words.npos || words.find("count=") != words.npos));
    cgroup += key.starts_with("constrain") || key == "cgroupplugin" || key == "cgroupautomount";
    topology += key == "switchname" || key == "blockname";
  }
  if (slurm > 0) return row(FileKind::slurm_conf);
  if (gres > 0) return row(FileKind::gres_conf);
  if (cgroup > 0) return row(FileKind::cgroup_conf);
  if (topology > 0) return row(FileKind::topology_conf);

  // HPL 2.3, testing/ptest/HPL.dat: two lines of free text, the output file, the device, and the number of sizes.
  if (is_number(first_word(first[3])) && is_number(first_word(first[4])) &&
      (text.find("Ns") != text.npos || text.find("problem") != text.npos))
    return row(FileKind::hpl_dat);
  const std::string_view top = text.substr(0, 1000);
  if (top.find("HPLinpack benchmark input file") != top.npos || top.find("# of problems sizes (N)") != top.npos)
    return row(FileKind::hpl_dat);
  const auto has = [&](std::string_view words) { return text.find(words) != text.npos; };
  // lldpcli(8), json; NetQ: a list of graphs.
  if (const std::string_view json = trim(text); json.starts_with('{') || json.starts_with('[')) {
    if (has("\"compounded_links\"")) return row(FileKind::netq_json);
    if (json.starts_with('{') && trim(json.substr(1)).starts_with("\"lldp\"")) return row(FileKind::lldp_json);
  }
  if (has("<nvidia_smi_log>")) return row(FileKind::nvidia_smi_xml);
  if (has("<topology") && (has("hwloc") || has("<object type=\"Machine\""))) return row(FileKind::lstopo_xml);
  // ibnetdiscover(8), "Topology file format": records of switches and adapters between lines of ids.
  if (has("\nswitchguid=") || has("\ncaguid=") || has("\nsysimgguid=0x") || has("# Topology file: generated on"))
    return row(FileKind::ibnetdiscover);
  // ibqueryerrors repeats links as iblinkinfo writes them, and ibdiagnet's tables hold words of everything.
  if (has("START_NODES") && has("NodeGUID")) return row(FileKind::ibdiagnet_csv);
  if ((has("Errors for ") && has("   GUID 0x")) || (has("## Summary: ") && has(" nodes checked, ")) ||
      (has("Port=") && has(" Lid=") && has(" GUID=0x") && has("link_down")))
    return row(FileKind::port_counters);
  if ((has("Switch: 0x") || has("Switch 0x") || has("CA: ") || text.starts_with("0x")) && has("==(") && has(")==>"))
    return row(FileKind::iblinkinfo);
  if (has("{ SW Ports:") && has(" NodeGUID:") && has(" PHY=")) return row(FileKind::ibdiagnet_lst);
  if (topo) return row(FileKind::nvidia_smi_topo);
  const std::size_t begin = text.find_first_not_of("\r\n");
  if (begin != text.npos && is_pci_address(first_word(text.substr(begin))) &&
      (has("\tControl: I/O") || has("LnkSta:") || has("Capabilities: <access denied>")))
    return row(FileKind::lspci);
  if (has("# nThread") && has("minBytes")) return row(FileKind::nccl_log);
  if (has("Successfully ran diagnostic for group") || (has("DCGM Version") && has("Diagnostic")))
    return row(FileKind::dcgm_log);
  // netbox-community/devicetype-library, schema/devicetype.json: these three are required.
  if (netbox >= 3) return row(FileKind::netbox_device_type);
  if (blocks) return row(FileKind::topology_yaml);
  if (is_netbox_header(first[0])) return row(FileKind::netbox_csv);
  return nullptr;
}

}  // namespace clusterc
