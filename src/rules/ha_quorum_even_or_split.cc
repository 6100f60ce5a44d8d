#include <map>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/ha.h"
#include "spec/nodes.h"
#include "spec/software.h"

namespace clusterc {
namespace {

void ha_quorum_even_or_split(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  // The members: nodes with the role etcd; in a Kubernetes cluster that names none, the control plane's (stacked etcd).
  std::vector<int> groups;
  for (const Role role : {Role::etcd, Role::control_plane}) {
    if (!groups.empty()) break;
    if (role == Role::control_plane &&
        !(c.spec.software->scheduler && c.spec.software->scheduler->kind.value == SchedulerKind::kubernetes))
      break;
    for (std::size_t g = 0; g < c.nodes.size(); ++g)
      if (c.nodes[g].has_role(role) && c.nodes[g].count > 0) groups.push_back(static_cast<int>(g));
  }
  const bool etcd = !groups.empty();
  for (std::size_t g = 0; g < c.nodes.size(); ++g)
    if (c.nodes[g].spec->ha.value == HaMode::quorum && c.nodes[g].count > 0 &&
        std::find(groups.begin(), groups.end(), static_cast<int>(g)) == groups.end() && groups.empty())
      groups.push_back(static_cast<int>(g));
  if (groups.empty()) return;
  std::int64_t members = 0;
  std::map<std::int64_t, std::int64_t> by_rack;
  for (int g : groups) {
    const NodeGroupModel& n = c.nodes[g];
    members += n.count;
    for (std::int64_t i = n.first; i < n.first + n.count; ++i)
      if (in.plan.node_rack[i] >= 0) ++by_rack[in.plan.node_rack[i]];
  }
  const NodeGroupModel& g = c.nodes[groups.front()];
  const SourceSpan at = first_place(written(g.spec->names), g.span);
  const std::int64_t survives = (members - 1) / 2;
  if (members % 2 == 0) {
    Finding& f = findings.error(rule.id, at,
                                format("{} with {} survives the loss of {}, the same as with {}",
                                       etcd ? std::string("etcd") : format("the quorum of '{}'", g.name),
                                       plural(members, "member"), survives, plural(members - 1, "member")));
    f.label(format("a majority of {} is {}", members, members / 2 + 1));
    f.help(format("use {} or {} members", members - 1, members + 1)).object("nodes." + g.name);
    return;
  }
  if (members == 1) {
    if (g.spec->ha.value == HaMode::quorum)
      findings.error(rule.id, g.spec->ha.span, format("'{}' must keep a quorum but has 1 member; 3 are needed", g.name))
          .help("write three names")
          .object("nodes." + g.name);
    return;  // a single node without `ha` is ha-service-single-instance's
  }
  for (const auto& [rack, here] : by_rack)
    if (here > survives && c.rack_count > 1) {
      Finding& f =
          findings.warning(rule.id, first_place(written(g.spec->racks), at),
                           format("{} of the {} {} are in rack '{}', but {} survives the loss of only {}", here,
                                  members, etcd ? std::string("etcd members") : format("members of '{}'", g.name),
                                  c.rack_name(rack), etcd ? "etcd" : "their quorum", survives));
      f.help("write `per_rack: 1`").object("nodes." + g.name).object("rack/" + c.rack_name(rack));
      return;
    }
}

}  // namespace

extern const Rule kHaQuorumEvenOrSplit;  // registry.cc names it
const Rule kHaQuorumEvenOrSplit = {
    .id = "ha-quorum-even-or-split",
    .code = "HA-002",
    .severity = Severity::error,
    .physics = false,
    .summary = "a quorum has an even number of members, or too many members in one rack",
    .explanation = R"(## What it checks

A majority-based store has an odd number of members, at least three where a quorum is asked for, and no rack holds more
members than may be lost (warning). Its members are the nodes with the role `etcd`, else those of the Kubernetes control
plane, else those with `ha: quorum`.

## Why it matters

Four members tolerate the loss of one, as three do, but with one more machine that can fail. With two of three in one
rack, the loss of that rack stops the cluster, although two racks still run.

## Formula

```
members survive floor((members - 1) / 2) losses; more than half must agree
members in one rack <= floor((members - 1) / 2)
```

Unit: members on both sides.

Source: D. Ongaro, J. Ousterhout, In search of an understandable consensus algorithm, USENIX ATC 2014; etcd FAQ ("why an odd number of cluster members").

Error: none beyond its inputs.

## Example

`ctl: { names: "k[1-4]", roles: [control-plane, etcd] }`.

## How to fix

Use three or five members, each in its own rack.

## When to accept

While members are being replaced.
)",
    .check = ha_quorum_even_or_split,
};

}  // namespace clusterc
