// What the rules of the work family share: the workloads of the spec with the GPUs that they run on.
#pragma once
#include <optional>
#include <string>

#include "rules/say.h"
#include "targets/workloads.h"

namespace clusterc {

inline std::string number(double n, int digits = 4) { return format("{:.{}g}", n, digits); }

// Calls say(name, place of the name, workload, its GPUs) for each workload of these kinds that names groups with GPUs.
template <class Say>
void each_workload(const RuleInput& in, std::string_view kind, Say say) {
  for (const auto& w : in.cluster.spec.workloads) {
    if (w.value.kind.value_or("training") != kind) continue;
    if (const std::optional<WorkloadGpus> gpus = gpus_of(in.cluster, w.value)) say(w.name, w.name_span, w.value, *gpus);
  }
}
inline std::string memory_of_all(const WorkloadGpus& g) { return format("{} x {}", g.gpus, to_text(*g.memory)); }

}  // namespace clusterc
