#include "model/storage_path.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/ha.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "spec/storage.h"

namespace clusterc {
namespace {

// Room for unpacked container images on a node that pulls its own: two images of about 60 GB (planning default).
constexpr Bytes kImageCache{120e9};

Bytes drive_bytes(const NodeGroupModel& g, const std::string* entry) {
  Bytes all{0};
  for (const auto& d : g.server.part.drives)
    if (d.value.size && (entry ? d.name == *entry : d.name != "boot"))
      all += *d.value.size * static_cast<double>(d.value.count.value_or(1));
  return all;
}

// A server of the catalogue that names none has some that nobody states, whatever else the spec writes of it; one that
// the spec describes alone has those that it names.
bool drives_unknown(const NodeGroupModel& g) {
  const bool from_catalogue = g.spec->model || g.spec->from || (g.spec->server && g.spec->server->like);
  return from_catalogue && g.server.part.drives.empty() && !g.server.virtual_machine && !g.server.instance;
}

void storage_scratch_absent_or_small(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  // Local storage: what it promises must lie on the drives of every node that mounts it.
  for (const StorageModel& s : c.storage) {
    if (s.spec->kind.value != StorageKind::local) continue;
    const std::string* entry = s.spec->drives ? &*s.spec->drives : nullptr;
    for (const int group : groups_named_by(c, *s.spec)) {
      const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
      if (g.count == 0 || g.server.virtual_machine || (s.spec->on.empty() && !g.computes)) continue;
      if (drives_unknown(g)) continue;  // told below
      const Bytes has = drive_bytes(g, entry);
      const Value<Bytes>& wants = s.spec->capacity;
      if (has.value > 0 && !(wants && above(wants->value, has.value))) continue;
      const SourceSpan at = has.value > 0 ? wants.span : first_place(s.spec->drives.span, s.span);
      Finding& f =
          has.value > 0
              ? findings.warning(rule.id, at,
                                 format("'{}' needs {} on each node, but nodes of '{}' have {} of drives", s.name,
                                        to_text(*wants), g.name, to_text(has)))
              : findings.warning(rule.id, at,
                                 format("'{}' is on the nodes' own drives, but nodes of '{}' have no drives{}", s.name,
                                        g.name, entry ? format(" named '{}'", *entry) : " besides boot"));
      f.note(g.span, "the nodes are declared here");
      f.help("add `drives: { scratch: 2 x 3.84 TB nvme }` to the group").object("nodes." + g.name);
    }
  }
  const auto keeps_local = [&](const NodeGroupModel& g) {
    return std::ranges::any_of(storage_of_group(c, static_cast<int>(&g - c.nodes.data())), [&](int i) {
      const StorageModel& s = c.storage[static_cast<std::size_t>(i)];
      return s.spec->kind.value == StorageKind::local && mounted_by(*s.spec, g) && (!s.spec->on.empty() || g.computes);
    });
  };
  for (const NodeGroupModel& g : c.nodes) {
    if (!drives_unknown(g) || !is_ours(g) || g.count == 0 ||
        !((g.computes && !g.software->containers.empty()) || keeps_local(g)))
      continue;
    findings
        .note(rule.id, g.span,
              format("the drives of '{}' are not in the catalogue, so the space on the nodes of '{}' was not checked: "
                     "write `drives`",
                     g.server.id, g.name))
        .object("nodes." + g.name);
  }
  // Containers on nodes without any drive of their own.
  for (const NodeGroupModel& g : c.nodes) {
    if (!is_ours(g) || !g.computes || g.count == 0 || g.software->containers.empty() || drives_unknown(g)) continue;
    const Bytes all = drive_bytes(g, nullptr);
    Bytes boot{0};
    for (const auto& d : g.server.part.drives)
      if (d.name == "boot" && d.value.size) boot = *d.value.size;  // a mirrored pair holds what one of them does
    if (all.value >= kImageCache.value || boot.value >= 2 * kImageCache.value) continue;
    Finding& f = findings.warning(rule.id, g.span,
                                  format("nodes of '{}' run containers but have {} of drives; {} for images is usual",
                                         g.name, to_text(all + boot), to_text(kImageCache)));
    f.note(g.software->containers.front().span, "containers are asked for here");
    f.help("add `drives: { scratch: 2 x 3.84 TB nvme }` to the group").object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kStorageScratchAbsentOrSmall;  // registry.cc names it
const Rule kStorageScratchAbsentOrSmall = {
    .id = "storage-scratch-absent-or-small",
    .code = "STOR-008",
    .severity = Severity::warning,
    .physics = false,
    .summary = "local drives are missing or too small",
    .explanation = R"(## What it checks

Storage of the kind `local` is on drives that its nodes have, and nodes that run containers have room for their images.

## Why it matters

Without local drives, images and caches are kept in memory or on the shared file system, and the start of one job slows
down all others.

## Formula

```
capacity of local storage <= sum of the drives it lies on, on each node that mounts it
drives of a node that runs containers >= 120 GB (two images of 60 GB), or a boot drive of twice that
```

Unit: bytes on both sides.

Source: arithmetic; 120 GB is a planning default. NVIDIA, DGX GB200 user guide, storage (local NVMe as cache).

Error: none beyond its inputs for local storage. 120 GB for images are a default, whose error is not known.

## Example

`scratch: { kind: local, drives: scratch }` over nodes that only have boot drives.

## How to fix

Add drives to the group, or remove the local storage.

## When to accept

Where images are on a fast shared file system by design.
)",
    .check = storage_scratch_absent_or_small,
};

}  // namespace clusterc
