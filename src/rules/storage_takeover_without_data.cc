#include "model/storage_path.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/ha.h"
#include "spec/nodes.h"
#include "spec/storage.h"

namespace clusterc {
namespace {

void storage_takeover_without_data(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const StorageModel& s : c.storage) {
    const std::optional<HaMode> ha = storage_ha(c, s);
    if (const std::int64_t servers = s.nodes >= 0 ? c.nodes[s.nodes].count : 0;
        ha == HaMode::active_passive && servers > 1 && servers % 2 != 0)
      findings
          .note(rule.id, first_place(s.spec->servers->ha.span, c.nodes[s.nodes].spec->ha.span, s.span),
                format("the {} servers of '{}' form fail-over pairs ({}), but one has no partner and is not counted: "
                       "the plan counts {}",
                       servers, s.name, enum_text(*ha), plural(serving_nodes(c, s), "active server")))
          .object("storage." + s.name);
    if (!ha || !data_on_single_servers(c, s) || c.nodes[s.nodes].count < 2) continue;
    const std::int64_t drives = data_drives(c, s);
    const NodeGroupModel& g = c.nodes[s.nodes];
    const SourceSpan at = first_place(s.spec->servers->ha.span, g.spec->ha.span, s.span);
    const std::string message = format(
        "the servers of '{}' must take over from one another ({}), but the {} of each are local and nothing replicates "
        "them",
        s.name, enum_text(*ha), plural(drives, "drive"));
    // The whole of an NFS file system is on one server; Lustre and BeeGFS lose the part that a server has.
    const bool all_of_it = *s.spec->kind == StorageKind::nfs;
    Finding& f = all_of_it ? findings.error(rule.id, at, message) : findings.warning(rule.id, at, message);
    if (s.spec->protection)
      f.note(s.spec->protection.span, "this redundancy is within one server, and is lost with it");
    f.note(g.span, "these are the servers");
    f.help(
        "write `protection: replica 2` if each block is on two servers (DRBD, ZFS replication, BeeGFS mirrors): a "
        "pair then has the capacity of one server");
    if (all_of_it)
      f.help(
          "write `shared: true` at the drives if they are in an enclosure that both servers reach: `drives: { data: "
          "{ count: 4, size: 7.68 TB, kind: sas, shared: true } }`");
    f.help("use a system whose servers share an enclosure of dual-ported drives: `servers: { model: nfs-home-ha }`");
    f.object("storage." + s.name);
  }
}

}  // namespace

extern const Rule kStorageTakeoverWithoutData;  // registry.cc names it
const Rule kStorageTakeoverWithoutData = {
    .id = "storage-takeover-without-data",
    .code = "STOR-011",
    .severity = Severity::warning,
    .physics = false,
    .summary = "fail-over servers share no data",
    .explanation = R"(## What it checks

Fail-over servers (`ha`) from one group of nodes have the data of the failed server: NFS, Lustre and BeeGFS on drives
inside the servers replicate it (`protection: replica 2`), or the drives are in an enclosure that the servers share
(`shared: true`). For NFS this is an error: the whole file system is on one server.
Lustre with `targets` is not judged: both servers of a pair reach the paths of its targets.
With `active-passive` the servers form pairs, and one of each pair serves: its ports carry the traffic, and the pair has
the capacity of one server. A server without a partner is not counted, and a note says so.

## Why it matters

Drives inside a failed server are not available. Its partner takes over the address, but has none of the files.

## Formula

```
nfs, lustre or beegfs, `servers: { nodes: … }` with `ha`, drives besides boot:  `protection` is a replica or an erasure code over the servers, or the drives are `shared`
```

Unit: none. The question is whether a redundancy is declared.

Source: Lustre wiki, Lustre Server Requirements Guidelines and Creating Lustre Object Storage Services (a target is formatted with the servers that can mount it, and both reach
its device); D. Vossel, NFS v3/v4 Active Passive, Deployment Overview (davidvossel/phd: doc/presentations/nfs-ap-overview.pdf: the resource group mounts shared file systems
on the node that is active). That DRBD stands in the place of shared storage is general knowledge, not read.

## Example

`home: { kind: nfs, servers: { nodes: nfs, ha: active-passive } }` where the two nodes of `nfs` have eight drives each.

## How to fix

If both servers reach the drives, write `shared: true` at them. Otherwise write how the data is replicated: `protection:
replica 2`, and count its capacity once. Or buy servers that share their drives.

## When to accept

Where a program that the spec does not name replicates the drives.
)",
    .check = storage_takeover_without_data,
};

}  // namespace clusterc
