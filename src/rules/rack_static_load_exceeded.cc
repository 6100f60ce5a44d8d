#include "plan/placement.h"
#include "plan/plan.h"
#include "rules/rack_loads.h"
#include "rules/rule.h"
#include "spec/site.h"

namespace clusterc {
namespace {

void rack_static_load_exceeded(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  for (const RackGroupModel& g : c.racks) {
    if (!g.part) continue;
    const bool used = std::any_of(in.plan.racks.begin() + g.first, in.plan.racks.begin() + g.first + g.count,
                                  [](const RackPlan& r) { return !r.devices.empty(); });
    if (!used) continue;
    if (!g.part->static_load) {
      findings.note(
          rule.id, g.span,
          format("'{}' states no `static_load`, so the weight in rack group '{}' was not checked", g.model, g.name));
      continue;
    }
    const Kilograms limit = *g.part->static_load;
    std::int64_t unweighed = -1;
    for (std::int64_t r = g.first; r < g.first + g.count && unweighed < 0; ++r)
      if (const RackPlan& rack = in.plan.racks[r]; !rack.devices.empty() && !rack.weight_complete) unweighed = r;
    HeavyRacks heavy = racks_heavier_than(in, g, limit);
    if (heavy.worst >= 0) {
      const std::vector<Term> terms = weight_terms(in, heavy.worst);
      const int group = heaviest_node_group(terms);
      const double devices = in.plan.racks[heavy.worst].devices_weight.value;
      Finding& f = findings.error(rule.id, group >= 0 ? load_place(c.nodes[group]) : g.span,
                                  format("{} {} {}, but '{}' is rated for {}", rack_list(heavy.names, heavy.count),
                                         heavy.count == 1 ? "carries" : "carry up to", to_text(Kilograms(heavy.most)),
                                         g.model, to_text(limit)));
      f.label(format("({}) x 1.05 for rails + {} of cables = {}", sum_text(terms, Dimension::mass),
                     to_text(kRackCables), to_text(Kilograms(heavy.most))));
      f.note(g.spec->model.span, format("the limit comes from this rack: {} of static load", to_text(limit)));
      mention_unconfirmed(f, g.part->static_load, format("the static load of '{}'", g.model));
      f.help("spread the devices over more racks (`per_rack`), or use a stronger rack");
      mention_unconfirmed_load(f, heavy.most, limit.value, unconfirmed_weight(in, heavy.worst).value,
                               to_text(unconfirmed_weight(in, heavy.worst)));
      f.physics = devices > limit.value;  // with rails and cables at nothing it is still too much
      f.objects = std::move(heavy.objects);
    }
    if (unweighed >= 0) {
      std::vector<std::string> without;
      const auto add = [&](const std::string& model, bool known) {
        if (!known && std::find(without.begin(), without.end(), model) == without.end()) without.push_back(model);
      };
      for (const RackedDevice& d : in.plan.racks[unweighed].devices) {
        if (d.kind == DeviceKind::node)
          add(c.nodes[d.group].server.id, static_cast<bool>(c.nodes[d.group].server.part.weight));
        else if (d.kind == DeviceKind::storage && c.storage[d.group].part)
          add(c.storage[d.group].model, static_cast<bool>(c.storage[d.group].part->weight));
        else if (d.kind == DeviceKind::switch_) {
          for (const FabricTier& t : in.plan.fabrics[d.group].tiers)
            if (t.part) add(t.model, static_cast<bool>(t.part->weight));
        } else if (d.kind == DeviceKind::occupied)
          add("the equipment already there",
              std::all_of(g.spec->occupied.begin(), g.spec->occupied.end(),
                          [](const Occupied& o) { return static_cast<bool>(o.weight); }));
      }
      // What is said to stand on no unit of the rack is no device of it, and weighs all the same.
      if (without.empty() && g.part->weight) add("the equipment already there", false);
      if (!g.part->weight) add(g.model, false);
      findings.note(rule.id, g.span,
                    format("no `weight` is given for {}, so it counts as 0 kg in rack group '{}'",
                           name_list(without, static_cast<std::int64_t>(without.size())), g.name));
    }
  }
  for (const Unplaced& u : in.plan.unplaced) {
    if (u.lack != Unplaced::Lack::weight) continue;
    const SourceSpan at =
        u.kind == DeviceKind::node && u.span == c.nodes[u.group].span ? load_place(c.nodes[u.group]) : u.span;
    Finding& f = findings.error(rule.id, at,
                                format("{} {} no rack with enough weight capacity: {}", unplaced_name(in, u),
                                       u.count == 1 ? "has" : "have", u.why));
    if (const int racks = unplaced_racks(in, u); racks >= 0)
      f.note(c.racks[racks].spec->model.span, "the limit comes from this rack");
    f.help("use more or stronger racks");
    f.physics = true;
    f.object(unplaced_object(in, u));
  }
}

}  // namespace

extern const Rule kRackStaticLoadExceeded;  // registry.cc names it
const Rule kRackStaticLoadExceeded = {
    .id = "rack-static-load-exceeded",
    .code = "RACK-003",
    .severity = Severity::error,
    .physics = false,
    .summary = "a rack carries more than its static rating",
    .explanation = R"(## What it checks

The devices in a rack, with rails and cables, weigh no more than its static rating.

## Why it matters

An overloaded frame leans, its doors do not close, and its maker accepts no liability.

## Formula

```
sum of the devices x 1.05 (rails) + 20 kg (cables) <= static load of the rack
```

Unit: kg on both sides.

Source: data sheets (catalogue); 5 % and 20 kg are planning defaults, 20 to 60 kg of cables are usual.

Error: rails and cables are defaults: a rack may weigh 40 kg more. What states no weight counts as nothing, and a note
names it.

## Example

Eight DGX A100 (985 kg) + 49 kg of rails + 20 kg of cables = 1,054 kg in a rack that is rated 1,000 kg.

## How to fix

Spread the devices over more racks, or use a stronger rack.

## When to accept

Where the maker has rated the rack higher for this use, in writing. Devices that alone exceed the rating cannot be
accepted.
)",
    .check = rack_static_load_exceeded,
};

}  // namespace clusterc
