// Storage systems: bought, served by a node group, outside, or the nodes' own drives.
#include "model/resolution.h"
#include "spec/storage.h"

namespace clusterc {
namespace {

// Local storage lies on an entry of the nodes' drives.
void check_local(Resolution& r, const Storage& s, const std::vector<int>& on) {
  if (!s.drives) return;
  bool found = false;
  std::vector<std::string_view> known;
  const auto look = [&](const NodeGroupModel& g) {
    for (const auto& d : g.server.part.drives) {
      if (d.name == *s.drives) found = true;
      known.push_back(d.name);
    }
  };
  if (on.empty())
    for (const NodeGroupModel& g : r.cluster.nodes) look(g);
  for (int g : on) {
    if (g < 0) return;  // the group was reported
    look(r.cluster.nodes[g]);
  }
  if (!found) r.unknown_name(*s.drives, s.drives.span, known, "entry of drives");
}

}  // namespace

void resolve_storage(Resolution& r) {
  Cluster& c = r.cluster;
  for (const auto& entry : c.spec.storage) {
    const Storage& s = entry.value;
    StorageModel m;
    m.name = entry.name;
    m.span = entry.name_span;
    m.spec = &s;
    std::vector<int> on;
    for (const auto& group : s.on) on.push_back(r.find(group, c.nodes, "node group"));
    if (s.kind.value == StorageKind::local) check_local(r, s, on);
    if (s.servers) {
      const StorageServers& servers = *s.servers;
      m.part = r.part(servers.model, PartKind::storage, &Catalog::storage);
      m.model = servers.model.value_or("");
      m.nodes = r.find(servers.nodes, c.nodes, "node group");
      m.racks = r.find(servers.racks, c.racks, "rack group");
      if (servers.model)
        m.count = servers.count.value_or(1);
      else if (m.nodes >= 0)
        m.count = c.nodes[m.nodes].count;
      if (m.part) m.nics = resolve_nics(r, m.part->nics);
      if (!was_written(servers.model) && !was_written(servers.nodes) && !was_written(servers.external))
        r.missing(servers.span.valid() ? servers.span : entry.name_span,
                  format("storage '{}' says not what serves it", entry.name),
                  "write `model: …`, `nodes: …` or `external: …`");
    } else if (s.kind && *s.kind != StorageKind::local) {
      r.missing(entry.name_span, format("storage '{}' has no servers", entry.name),
                "write `servers: { model: … }`, `{ nodes: … }` or `{ external: … }`");
    }
    if (s.targets)
      for (const auto* set : {&s.targets->management, &s.targets->metadata, &s.targets->data})
        if (*set && (*set)->nodes) r.find((*set)->nodes, c.nodes, "node group");
    c.storage.push_back(std::move(m));
  }
}

}  // namespace clusterc
