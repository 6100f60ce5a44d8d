// How the GPUs of a group are cut by MIG, as `software.mig` says it: one profile on all of them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace clusterc {

struct Software;

struct MigLayout {
  std::int64_t count = 1;                  // instances of each GPU
  std::int64_t slices = 0, gigabytes = 0;  // of each: compute, memory as its name rounds it
  std::string extra;                       // what an instance has besides: "me", the media engines
  std::string profile;                     // 1g.10gb, as nvidia-smi takes it
};

// "7x1g.10gb", "1g.10gb", "1g.10gb+me"; nullopt: off, not said, or no layout.
std::optional<MigLayout> mig_layout(const Software&);

// The layout as the spec writes it where the GPUs are cut, also one that nobody can read; empty: they are whole. "no"
// and the like are no layout, which software-mig-layout-mismatched says, and cut nothing.
std::string_view cut_by_mig(const Software&);
// Why nothing that needs all GPUs of a node runs there. Instances have no road to one another (NVIDIA, MIG user guide,
// deployment considerations: no GPU-to-GPU P2P, neither PCIe nor NVLink), and a program sees one of them (the same,
// CUDA device enumeration). Empty: the GPUs are whole.
std::string why_not_all_gpus(const Software&);

}  // namespace clusterc
