// Spec x catalogue -> Cluster. Every reference is looked up once, here; what cannot be found is reported and marked,
// and resolution goes on.
#include <memory>

#include "model/resolution.h"

namespace clusterc {

std::unique_ptr<Cluster> resolve_cluster(Spec spec, Catalog& catalog, Findings& findings) {
  auto cluster = std::make_unique<Cluster>();
  cluster->spec = std::move(spec);
  Resolution r(*cluster, catalog, findings);
  resolve_site(r);
  resolve_nodes(r);
  resolve_storage(r);
  resolve_networks(r);
  resolve_cables(r);
  resolve_references(r);
  resolve_software(r);
  check_host_names(r);
  return cluster;
}

}  // namespace clusterc
