#include <cmath>

#include "plan/plan.h"
#include "plan/power/power.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

// A switch with two ends on one source, or that stands before nothing, is no help.
bool check_wiring(const Rule& rule, const RuleInput& in, std::size_t t, Findings& findings) {
  const Cluster& c = in.cluster;
  const TransferModel& m = c.transfers[t];
  const auto named = [&](const auto& list) {
    return std::ranges::any_of(list, [&](const auto& p) { return p.transfer == static_cast<int>(t); });
  };
  const bool used =
      named(c.panels) || std::ranges::any_of(c.racks, [&](const RackGroupModel& g) { return named(g.pdus); });
  if (!used) {
    findings.warning(rule.id, m.span, format("no panel and no PDU is supplied by transfer switch '{}'", m.name))
        .help(format("write `transfer: {}` on the panels or PDUs behind it", m.name))
        .object("transfer/" + m.name);
    return false;
  }
  if (m.feeds[0] >= 0 && m.feeds[0] == m.feeds[1])
    findings
        .warning(rule.id, m.spec->sources[1].span,
                 format("both sources of transfer switch '{}' are on feed '{}': if this feed fails, both sources fail",
                        m.name, c.feeds[static_cast<std::size_t>(m.feeds[0])].name))
        .help("name a source on another feed")
        .object("transfer/" + m.name);
  if (!m.bridges && m.spec->kind)
    findings
        .note(rule.id, first_place(m.spec->time.span, m.span),
              m.spec->time
                  ? format("transfer switch '{}' changes over in {}, but power supplies bridge only 20 ms: devices "
                           "behind it restart, so it does not count as a second source",
                           m.name, to_text(*m.spec->time))
                  : format("transfer switch '{}' states no `time`, so it does not count as a second source", m.name))
        .help("write the longest transfer time that the maker of the switch states: `time: 16 ms`")
        .object("transfer/" + m.name);
  return true;
}

void power_transfer_switch_overloaded(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site || c.transfers.empty()) return;
  const std::vector<TransferLoad> loads = transfer_loads(in.plan);
  for (std::size_t t = 0; t < c.transfers.size(); ++t) {
    if (!check_wiring(rule, in, t, findings)) continue;
    const TransferModel& m = c.transfers[t];
    const TransferLoad& load = loads[t];
    if (load.rating < 0) {
      findings
          .note(rule.id, m.span,
                format("the supply before transfer switch '{}' is not stated, so it was not checked", m.name))
          .object("transfer/" + m.name);
      continue;
    }
    const bool normal = above(load.normal.value, load.rating);
    const VoltAmperes most = normal ? load.normal : load.worst;
    if (!above(most.value, load.rating)) continue;
    const std::string when = normal || load.lost < 0
                                 ? ""
                                 : format("if feed '{}' fails, ", c.feeds[static_cast<std::size_t>(load.lost)].name);
    const std::string which = load.rack < 0 ? format("transfer switch '{}'", m.name)
                                            : format("transfer switch '{}' before PDU '{}/{}'", m.name,
                                                     c.rack_name(load.rack), static_cast<char>('a' + load.pdu));
    Finding& f = findings.error(rule.id, first_place(written(m.spec->rating), m.span),
                                format("{}{} must carry {} but is rated for {}", when, which, to_text(most),
                                       to_text(VoltAmperes(load.rating))));
    f.label(format("{} on each line carry {}", to_text(*m.spec->rating), to_text(VoltAmperes(load.rating))));
    const double amps = std::ceil(m.spec->rating->value * most.value / load.rating * (1 - 1e-9));
    f.help(format("use a switch of `rating: {}` or more, or reduce the load behind it", to_text(Amperes(amps))));
    f.object("transfer/" + m.name);
  }
}

}  // namespace

extern const Rule kPowerTransferSwitchOverloaded;  // registry.cc names it
const Rule kPowerTransferSwitchOverloaded = {
    .id = "power-transfer-switch-overloaded",
    .code = "PWR-031",
    .severity = Severity::error,
    .physics = false,
    .summary = "a transfer switch is too small for what is behind it, too slow, or has no second source",
    .explanation = R"(## What it checks

A static or automatic transfer switch (`site: { transfer_switches: … }`) carries everything behind it, with all feeds
and after the loss of any one. Its two sources hang on two feeds, and it changes over soon enough.

## Why it matters

A transfer switch is one device on the path of everything behind it: overloaded, it takes both sources away. One that
changes over too slowly lets the equipment restart.

## Formula

```
sum of the PDUs behind it (of a rack ATS: its own PDU)  <= sqrt(3) x voltage x rating   (one phase: voltage x rating)
break while it changes over                              <= 20 ms
```

Unit: VA on both sides, with the voltage in V and the rating in A; s on both sides.

`rating` is the current that it carries without end, so no factor for continuous load applies.
Source: arithmetic; 20 ms without voltage is what supplies bear (ITI (CBEMA) curve application note, 2000, "dropout").

Error: none beyond its inputs.

## Example

A static switch of 100 A at 400 V (69.3 kVA) before PDUs that carry 80 kVA.

## How to fix

Use a larger switch, or spread the PDUs over two. Name sources on two feeds.

## When to accept

Where what is behind it never runs at full load at the same time.
)",
    .check = power_transfer_switch_overloaded,
};

}  // namespace clusterc
