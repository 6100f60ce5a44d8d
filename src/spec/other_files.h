// Files of a cluster that are no specs: named by what they hold, not by their name, with what clusterc does with such a
// file. Newcomers hand them over in place of a spec; `check` judges some of them (audit/files/).
#pragma once
#include <cstdint>
#include <string_view>

namespace clusterc {

enum class FileKind : std::uint8_t {
  slurm_conf,
  gres_conf,
  cgroup_conf,
  topology_conf,
  topology_yaml,
  hpl_dat,
  ibnetdiscover,
  iblinkinfo,
  ibdiagnet_lst,
  ibdiagnet_csv,
  port_counters,
  nvidia_smi_xml,
  nvidia_smi_topo,
  lspci,
  lstopo_xml,
  netbox_csv,
  netbox_device_type,
  dcgm_log,
  nccl_log,
  lldp_json,
  netq_json,
};

struct OtherFile {
  FileKind kind;
  std::string_view name;     // "a slurm.conf"
  std::string_view way_out;  // what to do, for a help
};

inline constexpr std::size_t kOtherFileHead = 64 * 1024;  // of a text, what decides

// By signs that no spec has. nullptr: a spec, or something unknown.
const OtherFile* recognise_other_file(std::string_view text);

}  // namespace clusterc
