// Which file of a cluster a text is, by what it holds and not by its name: files that people have already, which are no
// specs. One table; a reader and a judge for each kind stand beside it.
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
  nvidia_smi_xml,
  nvidia_smi_topo,
  lspci,
  lstopo_xml,
  netbox_csv,
  dcgm_log,
  nccl_log,
};

struct KnownFile {
  FileKind kind;
  std::string_view what;     // "a slurm.conf"
  std::string_view read_by;  // how it is read where `check` does not judge it; empty: `check` judges it
};

inline constexpr std::size_t kFileHead = 64 * 1024;  // of a text, what decides

// nullptr: none of these. A text with a key `clusterc` is a spec, whatever else it holds.
const KnownFile* recognise_file(std::string_view text);

}  // namespace clusterc
