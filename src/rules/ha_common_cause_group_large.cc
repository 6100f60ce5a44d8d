#include <set>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

// The feed, or panel, without which a rack of this group is dark; -1: it has another.
int only(const RackGroupModel& g, bool panels) {
  int found = -1;
  for (const PduModel& p : g.pdus) {
    const int here = panels ? p.panel : p.feed, other = panels ? p.other_panel : p.other_feed;
    if (here < 0 || (other >= 0 && other != here) || (found >= 0 && here != found)) return -1;
    found = here;
  }
  for (const auto& [feed, shelves] : g.shelves) {  // of its busbar: no panel is before them
    if (shelves <= 0) continue;
    if (panels || (found >= 0 && feed != found)) return -1;
    found = feed;
  }
  return found;
}

void ha_common_cause_group_large(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  std::vector<std::int64_t> by_feed(c.feeds.size()), by_panel(c.panels.size());
  std::int64_t placed = 0, frames = 0;
  std::set<std::int64_t> racks;  // one rack cannot be spread
  for (const NodeGroupModel& g : c.nodes) {
    if (!g.computes) continue;
    if (g.assembly >= 0) {
      const AssemblyGroupModel& a = c.assemblies[g.assembly];
      placed += g.count;
      frames += a.count;
      int feed = -1, fed = 0;
      for (const auto& [f, shelves] : a.shelves)
        if (shelves > 0) feed = f, ++fed;
      if (fed == 1 && feed >= 0) by_feed[feed] += g.count;
      continue;
    }
    for (std::int64_t i = g.first; i < g.first + g.count; ++i) {
      const std::int64_t rack = in.plan.node_rack[i];
      const int group = rack < 0 ? -1 : c.rack_group_of(rack);
      if (group < 0) continue;
      ++placed;
      racks.insert(rack);
      if (const int f = only(c.racks[group], false); f >= 0) ++by_feed[f];
      if (const int p = only(c.racks[group], true); p >= 0) ++by_panel[p];
    }
  }
  const auto say = [&](std::string_view word, const std::string& name, SourceSpan at, std::int64_t lost) {
    Finding& f =
        findings.warning(rule.id, at, format("the loss of {} '{}' stops {} of {} nodes", word, name, lost, placed));
    f.label(
        format("all {} of their racks are on it: {} of the nodes, but with two sources each should power at most half",
               frames > 0 ? "PDUs and power shelves" : "PDUs",
               percent(static_cast<double>(lost) / static_cast<double>(placed))));
    const std::string half = format("or put half of the racks on each of two {}", word == "busway"  ? "busways"
                                                                                  : word == "panel" ? "panels"
                                                                                                    : "feeds");
    f.help(frames > 0
               ? format("write `feeds` of each assembly with half of its shelves on another feed; in racks add a "
                        "second PDU on another {}, {}",
                        word, half)
               : format("add a second PDU on another {} in each rack, {}", word, half))
        .object(format("{}/{}", word, name));
  };
  if (static_cast<std::int64_t>(racks.size()) + frames < 2 || (c.feeds.size() < 2 && c.panels.size() < 2))
    return;  // nothing to spread, or nothing to spread over
  bool told = false;
  if (c.feeds.size() >= 2)
    for (std::size_t i = 0; i < by_feed.size(); ++i)
      if (2 * by_feed[i] > placed) say("feed", c.feeds[i].name, c.feeds[i].span, by_feed[i]), told = true;
  if (c.panels.size() >= 2 && !told)
    for (std::size_t i = 0; i < by_panel.size(); ++i)
      if (2 * by_panel[i] > placed)
        say(c.panels[i].spec->busway.value_or(false) ? "busway" : "panel", c.panels[i].name, c.panels[i].span,
            by_panel[i]);
}

}  // namespace

extern const Rule kHaCommonCauseGroupLarge;  // registry.cc names it
const Rule kHaCommonCauseGroupLarge = {
    .id = "ha-common-cause-group-large",
    .code = "HA-004",
    .severity = Severity::warning,
    .physics = false,
    .summary = "the loss of one feed or busway stops most of the nodes",
    .explanation = R"(## What it checks

Where a site has several feeds, panels or busways, and the nodes are in several racks, the loss of one does not stop
more than half of the compute nodes.

## Why it matters

A second feed is paid for so that one may fail. Racks whose PDUs are all on one feed have no redundancy. If these are
most of the racks, most of the cluster stops with that feed.

## Formula

```
nodes in racks all of whose PDUs hang on one feed (panel, busway) <= half of the nodes
assemblies: all power shelves on one feed
```

Unit: nodes on both sides.

Half is what is left when racks with one cord are spread evenly over two.

Source: arithmetic.

Error: none beyond its inputs.

## Example

Eight racks on busway B1 and one on B2: the loss of B1 stops 64 of 72 nodes.

## How to fix

Connect the PDUs of each rack to two feeds, or spread the racks evenly over the feeds.

## When to accept

Where the second feed is only for cooling and control.
)",
    .check = ha_common_cause_group_large,
};

}  // namespace clusterc
