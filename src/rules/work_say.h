// What the rules of the work family share: the workloads of the spec with the GPUs that they run on.
#pragma once
#include <optional>
#include <string>

#include "rules/say.h"
#include "spec/workload.h"
#include "targets/workload_plan.h"
#include "targets/workloads.h"

namespace clusterc {

// The highest share of the dense peak that a training run has published: 0.653 in BF16, MegaScale (arXiv 2402.15627,
// table 2).
constexpr double kBestPublishedUtilisation = 0.65;
constexpr double kUsualUtilisation = 0.40;  // Llama 3 405B: 0.38 to 0.43 (arXiv 2407.21783, table 4)

// Calls say(name, place of the name, workload, its GPUs) for each workload of this kind that names groups with GPUs.
template <class Say>
void each_workload(const RuleInput& in, std::string_view kind, Say say) {
  for (const auto& w : in.cluster.spec.workloads) {
    const std::string is = w.value.kind.value_or("training");
    if (is != kind && !(is == "fine-tuning" && kind == "training"))
      continue;  // fine-tuning is training of a model that is there
    if (const std::optional<WorkloadGpus> gpus = gpus_of(in.cluster, w.value)) say(w.name, w.name_span, w.value, *gpus);
  }
}
// The layout that a written split comes to, in memory that holds it or not; null where none was written, or nobody can
// say.
inline const Layout* written_layout(const WorkloadPlan& p) {
  if (!p.written) return nullptr;
  const std::optional<LayoutChoice>& choice = p.written->best ? p.written->best : p.written->smallest;
  return choice ? &choice->layout : nullptr;
}
// Whether a split without `data` has no equal part of the batch for some of the copies that the GPUs give
// (work-gpus-left-idle). What is no whole copy is none.
inline bool leaves_copies_idle(const WorkloadPlan& p, const ModelSplit& s) {
  const Layout* l = s.data ? nullptr : written_layout(p);
  return l && static_cast<double>(p.gpus) - l->gpus() >= l->copy();
}

inline std::string memory_of_all(const WorkloadGpus& g) { return format("{} x {}", g.gpus, to_text(*g.memory)); }

}  // namespace clusterc
