// The catalogue's cables, modules and fibres, the spec's own among them: the plan chooses from all of them.
#include <algorithm>

#include "model/resolution.h"

namespace clusterc {

void resolve_cables(Resolution& r) {
  Cluster& c = r.cluster;
  const bool anything = c.own_site && std::any_of(c.networks.begin(), c.networks.end(),
                                                  [](const NetworkModel& n) { return n.switch_part != nullptr; });
  if (!anything) return;
  for (const PartInfo& part : r.catalog.list())
    if (part.kind == PartKind::cable)
      if (const CablePart* found = r.catalog.cable(part.id)) c.cables.push_back({std::string(part.id), found});
}

}  // namespace clusterc
