// How the GPUs of a group are cut by MIG, as `software.mig` says it: one profile on all of them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "spec/software.h"

namespace clusterc {

struct MigLayout {
  std::int64_t count = 1;                     // instances of each GPU
  std::int64_t slices = 0, gigabytes = 0;     // of each: compute, memory as its name rounds it
  std::string extra;                          // what an instance has besides: "me", the media engines
  std::string profile;                        // 1g.10gb, as nvidia-smi takes it
};

// "7x1g.10gb", "1g.10gb", "1g.10gb+me"; nullopt: off, not said, or no layout.
std::optional<MigLayout> mig_layout(const Software&);

}  // namespace clusterc
