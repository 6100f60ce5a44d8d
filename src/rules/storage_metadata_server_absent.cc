#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/nodes.h"
#include "spec/storage.h"

namespace clusterc {
namespace {

// Nodes with the role storage that serve no storage of the spec: they are somebody's metadata servers, and the spec
// does not say whose.
bool spare_servers(const Cluster& c) {
  for (std::size_t g = 0; g < c.nodes.size(); ++g)
    if (c.nodes[g].has_role(Role::storage) && c.nodes[g].count > 0 &&
        std::none_of(c.storage.begin(), c.storage.end(),
                     [&](const StorageModel& s) { return s.nodes == static_cast<int>(g); }))
      return true;
  return false;
}

void storage_metadata_server_absent(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const StorageModel& s : c.storage) {
    if (!s.spec || s.spec->kind.value != StorageKind::lustre || !s.part || s.count == 0 || !s.part->nodes) continue;
    // A system of several servers is an appliance that brings its own; of one server the figures are those of data
    // alone.
    if (*s.part->nodes > 1 || spare_servers(c)) continue;
    Finding& f = findings.warning(
        rule.id, first_place(s.spec->servers ? s.spec->servers->model.span : SourceSpan{}, s.span),
        format("storage '{}' is Lustre on {} x '{}' of 1 object server each, but has no server for its metadata",
               s.name, s.count, s.model));
    mention_unconfirmed(f, s.part->nodes, format("the number of servers in '{}'", s.model));
    f.help(
        "add two metadata nodes, in a network with the clients: `mds: { names: \"mds[1-2]\", model: …, roles: "
        "[storage] }`");
    f.object("storage." + s.name);
  }
}

}  // namespace

extern const Rule kStorageMetadataServerAbsent;  // registry.cc names it
const Rule kStorageMetadataServerAbsent = {
    .id = "storage-metadata-server-absent",
    .code = "STOR-010",
    .severity = Severity::warning,
    .physics = false,
    .summary = "Lustre has object servers but no metadata server",
    .explanation = R"(## What it checks

Lustre on purchased systems with one server each (object servers) has nodes for its metadata: a group with the role
`storage` that serves no other storage.

## Why it matters

Object servers store data but no names. Without a metadata and a management server there is no file system to mount, and
these two machines with their fast drives are missing from the order.

## Formula

```
servers of one system = 1  and  no group with the role storage is free to serve metadata
```

Unit: none. The question is whether a node has a role.

Source: Lustre Operations Manual, "Understanding Lustre architecture": a file system has a management server, metadata servers and object servers. Appliances of several servers bring
theirs; what nodes of the spec serve is theirs to divide.

## Example

`scratch: { kind: lustre, servers: { model: lustre-oss-block, count: 4 } }` and no other servers.

## How to fix

`mds: { names: "mds[1-2]", model: generic-2u, roles: [storage] }`, in a network with the clients.

## When to accept

Where the metadata servers are outside of the spec, or the object servers also serve the metadata.
)",
    .check = storage_metadata_server_absent,
};

}  // namespace clusterc
