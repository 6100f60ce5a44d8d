#include "model/storage_path.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/ha.h"
#include "spec/storage.h"

namespace clusterc {
namespace {

std::int64_t clients_of(const Cluster& c, const StorageModel& s) {
  std::int64_t clients = 0;
  for (const NodeGroupModel& g : c.nodes)
    if (g.computes && static_cast<int>(&g - c.nodes.data()) != s.nodes && mounted_by(*s.spec, g)) clients += g.count;
  return clients;
}

// Several servers, each of which alone has a part of the files, and nothing that takes over.
void check_parts(const Rule& rule, const Cluster& c, const StorageModel& s, Findings& findings) {
  if (s.nodes < 0 || c.nodes[s.nodes].count < 2 || storage_ha(c, s) || !data_on_single_servers(c, s)) return;
  const std::int64_t clients = clients_of(c, s);
  if (clients < 2) return;
  const NodeGroupModel& g = c.nodes[s.nodes];
  Finding& f = findings.warning(
      rule.id, first_place(s.spec->servers->nodes.span, s.span),
      format(
          "'{}' depends on each of its {}: if one fails, the files on its {} are out of reach of the {} that mount it",
          s.name, plural(g.count, "server"), plural(data_drives(c, s), "drive"), plural(clients, "node")));
  if (s.spec->protection) f.note(s.spec->protection.span, "this redundancy is within one server, and is lost with it");
  f.note(g.span, "these are the servers");
  f.help(
      "write `ha: active-active` and `protection: replica 2` if each block is on two servers; or accept the finding "
      "with a reason if this data can be lost");
  f.object("storage." + s.name);
}

void storage_metadata_on_single_server(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const StorageModel& s : c.storage) {
    if (s.spec->kind.value == StorageKind::local || s.spec->kind.value == StorageKind::object || !s.spec->servers)
      continue;
    if (!s.part && s.nodes < 0) continue;  // outside: what stands there is not known
    if (s.part && !s.part->nodes) continue;
    const std::int64_t servers = s.part ? s.count * *s.part->nodes : s.count;
    if (servers > 1) check_parts(rule, c, s, findings);
    if (servers != 1) continue;
    const std::int64_t clients = clients_of(c, s);
    const Value<HaMode>& ha = s.spec->servers->ha;
    if (clients < 2 && !ha) continue;
    const SourceSpan place = s.nodes >= 0
                                 ? first_place(s.spec->servers->nodes.span, s.span)
                                 : first_place(written(s.spec->servers->count), s.spec->servers->model.span, s.span);
    Finding& f =
        ha ? findings.error(rule.id, ha.span,
                            format("'{}' must survive the loss of a server ({}) but has 1 server; 2 are needed", s.name,
                                   enum_text(*ha)))
           : findings.warning(rule.id, place,
                              format("'{}' depends on 1 server: if it fails, {} that mount it stop", s.name,
                                     plural(clients, "node")));
    if (ha)
      f.note(place, "its server");
    else if (s.part)
      mention_unconfirmed(f, s.part->nodes, format("the number of servers in '{}'", s.model));
    f.help("add a second server and write `ha: active-passive`").object("storage." + s.name);
  }
}

}  // namespace

extern const Rule kStorageMetadataOnSingleServer;  // registry.cc names it
const Rule kStorageMetadataOnSingleServer = {
    .id = "storage-metadata-on-single-server",
    .code = "STOR-007",
    .severity = Severity::warning,
    .physics = false,
    .summary = "shared storage depends on one server, or on each of several",
    .explanation = R"(## What it checks

Shared storage that several nodes mount has more than one server. Storage that must survive the loss of a server (`ha`)
has two (error). Several servers of NFS, Lustre or BeeGFS with drives of their own replicate their files (`protection`)
or take over from one another (`ha`): else each of them is a single one for its part of the files.

## Why it matters

Home directories and software are on it. When the one server reboots, every job that opens a file hangs, on all nodes at
once. And 500 nodes that import Python in the same second can overload it.

## Formula

```
servers = systems x servers in each, or nodes of the serving group
servers >= 2; data besides boot inside of each server: `ha`, or a `protection` over the servers
```

Unit: servers on both sides.

Source: arithmetic; storage outside of the spec is not judged.

Error: none beyond its inputs.

## Example

`home: { kind: nfs, servers: { nodes: nfs } }` where the group `nfs` is one node.

## How to fix

Use a second server with shared drives or replication; keep container images and software on the nodes' own drives.

## When to accept

In a small cluster whose users accept an outage.
)",
    .check = storage_metadata_on_single_server,
};

}  // namespace clusterc
