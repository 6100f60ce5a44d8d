// Frameworks whose wheels bring CUDA with them: which release needs which, and so which driver.
#pragma once
#include <optional>
#include <string_view>

#include "model/cluster.h"

namespace clusterc {

struct NamedVersion;

// A release at PyPI. cudnn, nccl: what its wheel requires, as pip writes it; empty: it leaves them to its own extra.
struct FrameworkWheel {
  std::string_view name, release, requirement;  // "pytorch", "2.8.0", "torch"; of an extra: "jax[cuda13]"
  std::string_view cuda, cudnn, nccl;
};

// The newest release that the entry of `frameworks` allows and the group's driver runs; where it runs none of them, the
// newest that is allowed. Null: no release of the table, or the wheels are for other machines.
const FrameworkWheel* wheel_of(const NodeGroupModel&, const NamedVersion&);
// The oldest driver for the CUDA of a wheel; nullopt: not known.
std::optional<std::string_view> driver_for(const FrameworkWheel&);
bool driver_runs(const NodeGroupModel&, const FrameworkWheel&);

}  // namespace clusterc
