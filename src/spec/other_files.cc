#include "spec/other_files.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::size_t kHead = 64 * 1024;

bool any_line(std::string_view text, auto&& holds) {
  for (std::string_view rest = text.substr(0, kHead); !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (holds(trim(rest.substr(0, end)))) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

bool begins(std::string_view line, std::string_view word) {
  return line.size() >= word.size() && to_lower(line.substr(0, word.size())) == word;
}

// Keys of slurm.conf(5) and gres.conf(5), in any case; a spec has no `=` behind a word.
bool is_slurm(std::string_view text) {
  constexpr std::array<std::string_view, 5> kKeys = {
      "clustername=", "slurmctldhost=", "nodename=", "partitionname=", "slurmctldport="};
  return any_line(text, [&](std::string_view line) {
    return std::ranges::any_of(kKeys, [&](std::string_view key) { return begins(line, key); });
  });
}

// ibnetdiscover(8), "Topology file format": records of switches and adapters between lines of ids.
bool is_ibnetdiscover(std::string_view text) {
  return any_line(text, [](std::string_view line) {
    return line.starts_with("switchguid=0x") || line.starts_with("caguid=0x") || line.starts_with("sysimgguid=0x") ||
           line.starts_with("# Topology file: generated on");
  });
}

// The matrix of `nvidia-smi topo -m`: a head of GPUs, and the legend of its words.
bool is_nvidia_topology(std::string_view text) {
  return any_line(text, [](std::string_view line) {
    return line.find("GPU0") != line.npos &&
           (line.find("CPU Affinity") != line.npos || line.find("GPU1") != line.npos) && line.find(':') == line.npos;
  });
}

// The devicetype-library of NetBox (netbox-community/devicetype-library, schema/devicetype.json): these three are
// required.
bool is_netbox_device_type(std::string_view text) {
  const auto key = [&](std::string_view name) {
    for (std::string_view rest = text.substr(0, kHead); !rest.empty();) {
      if (rest.starts_with(name)) return true;
      const std::size_t end = rest.find('\n');
      rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    }
    return false;
  };
  return key("manufacturer:") && key("model:") && key("slug:") && !key("clusterc:");
}

// HPL 2.3, testing/ptest/HPL.dat: two lines of free text, the output file, the device, and the number of orders.
bool is_hpl(std::string_view text) {
  text = text.substr(0, 1000);
  return text.find("HPLinpack benchmark input file") != text.npos || text.find("# of problems sizes (N)") != text.npos;
}

}  // namespace

std::optional<OtherFile> recognise_other_file(std::string_view text) {
  if (is_hpl(text))
    return OtherFile{
        "an HPL.dat",
        "`clusterc validate SPEC` makes the input of its own LINPACK run; what a run must reach stands in a "
        "spec under `targets: { hpl: … }`"};
  if (is_ibnetdiscover(text))
    return OtherFile{"a dump of ibnetdiscover",
                     "`clusterc audit SPEC --fabric FILE` compares it with the plan of a spec"};
  if (is_slurm(text))
    return OtherFile{"a slurm.conf",
                     "`clusterc compile SPEC -o DIR` writes slurm.conf; `clusterc init --ask` begins a spec"};
  if (is_nvidia_topology(text))
    return OtherFile{"the matrix of `nvidia-smi topo -m`",
                     "`clusterc init --probe` on that machine writes a spec with its PCIe tree"};
  if (is_netbox_device_type(text))
    return OtherFile{"a device type of NetBox",
                     "a part of one's own is a file below the folder that a spec names with "
                     "`parts: [./parts]`: `clusterc catalog PART` prints one to begin from"};
  return std::nullopt;
}

}  // namespace clusterc
