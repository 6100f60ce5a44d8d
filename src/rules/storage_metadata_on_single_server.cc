#include "model/storage_path.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const StorageModel& s : c.storage) {
    if (s.spec->kind.value == StorageKind::local || s.spec->kind.value == StorageKind::object || !s.spec->servers)
      continue;
    if (!s.part && s.nodes < 0) continue;  // outside: what stands there is not known
    if (s.part && !s.part->nodes) continue;
    const std::int64_t servers = s.part ? s.count * *s.part->nodes : s.count;
    if (servers != 1) continue;
    std::int64_t clients = 0;
    for (const NodeGroupModel& g : c.nodes)
      if (g.computes && static_cast<int>(&g - c.nodes.data()) != s.nodes && mounted_by(*s.spec, g)) clients += g.count;
    const Value<HaMode>& ha = s.spec->servers->ha;
    if (clients < 2 && !ha) continue;
    const SourceSpan place = s.nodes >= 0
                                 ? first_place(s.spec->servers->nodes.span, s.span)
                                 : first_place(written(s.spec->servers->count), s.spec->servers->model.span, s.span);
    Finding& f =
        ha ? findings.error(rule.id, ha.span,
                            format("'{}' is to survive the loss of a server ({}), it has 1 server, 2 are needed",
                                   s.name, enum_text(*ha)))
           : findings.warning(
                 rule.id, place,
                 format("'{}' depends on 1 server, {} mount it and stop with it", s.name, plural(clients, "node")));
    if (ha)
      f.note(place, "what serves it");
    else if (s.part)
      mention_unconfirmed(f, s.part->nodes, format("the number of servers in '{}'", s.model));
    f.help("two servers that take over from one another: a second one and `ha: active-passive`")
        .object("storage." + s.name);
  }
}

}  // namespace

constexpr std::string_view kExplanation = R"(## What it checks

Shared storage that several nodes mount is served by more than one server; what is declared to survive the loss of one (`ha`) has two (error).

## Why it matters

Home directories and software live there. When the one server reboots, every job that opens a file hangs, on all nodes at once, and 500 nodes that import Python in the same second bring it down by themselves.

## Formula

```
servers = systems x servers in each, or nodes of the serving group
servers >= 2
```

Source: arithmetic; storage outside of the spec is not judged.

## Example

`home: { kind: nfs, servers: { nodes: nfs } }` where the group `nfs` is one node.

## How to fix

A second server with shared drives or replication; container images and software on the nodes' own drives.

## When to accept

A small cluster whose users live with a stop.
)";

extern const Rule kStorageMetadataOnSingleServer;  // registry.cc names it
const Rule kStorageMetadataOnSingleServer = {
    .id = "storage-metadata-on-single-server",
    .code = "STOR-007",
    .severity = Severity::warning,
    .physics = false,
    .summary = "shared storage depends on one server",
    .explanation = kExplanation,
    .check = check,
};

}  // namespace clusterc
