// What the rules of the work family share: the workloads of the spec with the GPUs that they run on.
#pragma once
#include <optional>
#include <string>

#include "rules/say.h"
#include "targets/workloads.h"

namespace clusterc {

// The highest share of the dense peak that a training run has published: 0.653 in BF16, MegaScale (arXiv 2402.15627, table 2).
constexpr double kBestPublishedUtilisation = 0.65;
constexpr double kUsualUtilisation = 0.40;     // Llama 3 405B: 0.38 to 0.43 (arXiv 2407.21783, table 4)

// Calls say(name, place of the name, workload, its GPUs) for each workload of this kind that names groups with GPUs.
template <class Say>
void each_workload(const RuleInput& in, std::string_view kind, Say say) {
  for (const auto& w : in.cluster.spec.workloads) {
    const std::string is = w.value.kind.value_or("training");
    if (is != kind && !(is == "fine-tuning" && kind == "training")) continue;      // fine-tuning is training of a model that is there
    if (const std::optional<WorkloadGpus> gpus = gpus_of(in.cluster, w.value)) say(w.name, w.name_span, w.value, *gpus);
  }
}
inline std::string memory_of_all(const WorkloadGpus& g) { return format("{} x {}", g.gpus, to_text(*g.memory)); }

}  // namespace clusterc
