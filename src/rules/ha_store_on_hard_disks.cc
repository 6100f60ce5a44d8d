#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/nodes.h"
#include "spec/software.h"

namespace clusterc {
namespace {

// The members of etcd: nodes with that role; in a Kubernetes cluster that names none, the control plane's (stacked
// etcd).
Role role_of_members(const Cluster& c) {
  for (const NodeGroupModel& g : c.nodes)
    if (g.has_role(Role::etcd) && g.count > 0) return Role::etcd;
  return Role::control_plane;
}

void ha_store_on_hard_disks(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  const Role role = role_of_members(c);
  if (role == Role::control_plane &&
      !(c.spec.software->scheduler && c.spec.software->scheduler->kind.value == SchedulerKind::kubernetes))
    return;
  for (const NodeGroupModel& g : c.nodes) {
    if (g.count == 0 || !g.has_role(role) || !is_ours(g)) continue;
    // Its log lies under /var/lib, on the drives of the system; where other drives are faster, it may be put there.
    const Drives* boot = nullptr;
    bool faster = false;
    SourceSpan at;
    for (const auto& d : g.server.part.drives) {
      const bool disks = d.value.kind.value_or(DriveKind::nvme) == DriveKind::hdd;
      if (d.name == "boot") {
        boot = disks ? &d.value : nullptr;
        at = first_place(in_spec(d.value.kind.span, g), in_spec(d.value.span, g));
      } else {
        faster = faster || !disks;
      }
    }
    if (!boot || faster) continue;
    findings
        .warning(rule.id, first_place(at, g.span),
                 format("etcd on '{}' writes its log to hard disks: one rotation of a disk takes 8.3 of the 10 ms "
                        "in which a write must end",
                        g.name))
        .help("write `drives: { boot: 2 x 960 GB nvme }`, or use a faster drive for /var/lib/etcd")
        .object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kHaStoreOnHardDisks;  // registry.cc names it
const Rule kHaStoreOnHardDisks = {
    .id = "ha-store-on-hard-disks",
    .code = "HA-006",
    .severity = Severity::warning,
    .physics = false,
    .summary = "etcd writes its log to hard disks",
    .explanation = R"(## What it checks

Members of etcd (role `etcd`, else the control plane of Kubernetes) have a drive that is no hard disk: for the system
(`boot`), or another one that etcd can be put on.

## Why it matters

etcd writes each change to its log and waits for the drive. While other programs use a hard disk, a write takes tens or
hundreds of milliseconds; heartbeats come too late, the members elect a new leader again and again, and the API answers
"etcdserver: request timed out".

## Formula

```
99 of 100 writes (fdatasync) < 10 ms; a hard disk of 7,200 turns a minute needs 8.3 ms for one turn alone
```

Unit: ms.

Source: etcd documentation, hardware recommendations (disks) and FAQ (wal_fsync_duration_seconds below 10 ms).

Error: none where the drive is a hard disk: one turn takes this long. A controller with a battery-backed cache hides it and is not known here.

## Example

`ctl: { roles: [control-plane, etcd], drives: { boot: 2 x 1 TB hdd } }`.

## How to fix

`drives: { boot: 2 x 960 GB nvme }`.

## When to accept

In a small cluster that is only for tests.
)",
    .check = ha_store_on_hard_disks,
};

}  // namespace clusterc
