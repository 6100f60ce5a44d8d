#include "targets/checkpoint.h"

#include <algorithm>

#include "spec/ha.h"
#include "spec/workload.h"
#include "targets/workloads.h"

namespace clusterc {

double checkpoint_bytes_per_parameter(const Workload& w) { return 2 + optimizer_bytes(w.optimizer.value_or("adam")); }

CheckpointTime checkpoint_time(const Cluster& c, const Workload& w) {
  CheckpointTime out;
  if (w.model && w.model->parameters) {
    out.parameters = *w.model->parameters;
    if (const double trained = trained_parameters(w); trained > 0) out.parameters = std::min(out.parameters, trained);
    out.each = checkpoint_bytes_per_parameter(w);
    out.size = checkpoint_bytes(out.parameters, out.each);
  }
  std::vector<int> groups;
  for (const auto& on : w.on)
    if (const int at = c.find_node_group(on.name); at >= 0) groups.push_back(at);
  out.storage = checkpoint_storage(c, w, groups, StorageDirection::write);
  if (out.storage >= 0) out.gives = storage_rate(c, out.storage, StorageDirection::write);
  if (out.size && out.gives && out.gives->rate.value > 0) {
    out.takes = Seconds(out.size->value / out.gives->rate.value);
  } else if (w.checkpoint_within) {
    out.takes = *w.checkpoint_within;
    out.is_limit = true;
  }
  return out;
}

}  // namespace clusterc
