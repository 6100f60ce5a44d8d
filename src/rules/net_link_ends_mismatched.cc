#include "base/text.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"

namespace clusterc {
namespace {

std::string links_of(const NicPart& part) {
  std::vector<std::string> words;
  for (const auto& l : part.links)
    if (l) words.emplace_back(enum_text(*l));
  return join(words, " or ");
}

// Rates at which links exist, in Gb/s. Ethernet: IEEE 802.3 (2022) and P802.3dj (1600). InfiniBand: IBTA volume 2, SDR
// to XDR over 1, 2 and 4 lanes.
constexpr double kEthernet[] = {0.01, 0.1, 1, 2.5, 5, 10, 25, 40, 50, 100, 200, 400, 800, 1600};
constexpr double kInfiniband[] = {2.5, 5, 10, 14, 20, 25, 40, 50, 56, 100, 200, 400, 800};

// The nearest rates that exist, when this is none.
std::string nearest_rates(BitsPerSecond rate, LinkKind kind) {
  if (kind != LinkKind::ethernet && kind != LinkKind::infiniband) return {};
  const std::span<const double> all =
      kind == LinkKind::ethernet ? std::span<const double>(kEthernet) : std::span<const double>(kInfiniband);
  double below = 0, beyond = 0;
  for (const double r : all) {
    const double bits = r * 1e9;
    if (!above(bits, rate.value) && !above(rate.value, bits)) return {};
    if (bits < rate.value)
      below = bits;
    else if (beyond == 0)
      beyond = bits;
  }
  if (below == 0) return to_text(BitsPerSecond(beyond));
  return to_text(BitsPerSecond(below)) + (beyond > 0 ? " or " + to_text(BitsPerSecond(beyond)) : std::string());
}

// An end of the network: what its adapter speaks, and how fast.
void check_end(const Rule& rule, const RuleInput& in, Findings& findings, const NetworkModel& n, const EndPoints& e,
               const NicPart& part, const std::string& model, BitsPerSecond port_rate, SourceSpan nic_place) {
  const Cluster& c = in.cluster;
  const std::string who = e.group >= 0 ? c.nodes[e.group].name : c.storage[e.storage].name;
  const std::string object = "networks." + n.name;
  if (part.links.empty()) {
    findings.note(
        rule.id, e.span,
        format("'{}' states no `links`, so it was not checked whether it supports {}", model, enum_text(n.kind)));
  } else if (std::none_of(part.links.begin(), part.links.end(),
                          [&](const Value<LinkKind>& l) { return l.value == n.kind; })) {
    Finding& f = findings.error(rule.id, e.span,
                                format("network '{}' is {}, but '{}' of '{}' supports {}", n.name, enum_text(n.kind),
                                       model, who, links_of(part)));
    if (nic_place.valid()) f.note(nic_place, "the adapter is named here");
    mention_unconfirmed(f, part.links.front(), format("the links that '{}' supports", model));
    f.help(format("use an adapter that supports {}", enum_text(n.kind)));
    f.object(object);
    return;
  }
  if (n.kind == LinkKind::ethernet && part.ethernet_rate && above(n.rate.value, part.ethernet_rate->value) &&
      n.spec->rate.value) {
    Finding& f = findings.error(rule.id, e.span,
                                format("network '{}' runs at {}, but an Ethernet link of '{}' in '{}' runs at {}",
                                       n.name, to_text(n.rate), model, who, to_text(*part.ethernet_rate)));
    f.note(first_place(written(n.spec->rate), n.span), "the rate of the network");
    if (nic_place.valid()) f.note(nic_place, "the adapter is named here");
    mention_unconfirmed(f, part.ethernet_rate, format("the Ethernet rate of '{}'", model));
    f.help(format("write `rate: {}`: the port carries {} such links", to_text(*part.ethernet_rate),
                  static_cast<std::int64_t>(std::max(1.0, port_rate / *part.ethernet_rate))));
    f.object(object);
    return;
  }
  if (port_rate.value <= 0) {
    findings.note(rule.id, e.span,
                  format("'{}' states no `port_rate`, so it was not compared with the {} of network '{}'", model,
                         to_text(n.rate), n.name));
  } else if (above(n.rate.value, port_rate.value) && n.spec->rate.origin == Origin::spec) {
    // Where others reach the rate, a slower port on a switch that slows one port down is a choice; where none does, the
    // rate is wrong.
    const bool others =
        std::any_of(n.ends.begin(), n.ends.end(), [&](const EndPoints& o) { return o.rate.value >= n.rate.value; });
    Finding& f = findings.add(others ? Severity::note : Severity::error, rule.id, e.span,
                              format("network '{}' runs at {}, but a port of '{}' in '{}' runs at {}", n.name,
                                     to_text(n.rate), model, who, to_text(port_rate)));
    f.note(n.spec->rate.span, "the rate of the network");
    if (nic_place.valid()) f.note(nic_place, "the adapter is named here");
    mention_unconfirmed(f, part.port_rate, format("the port rate of '{}'", model));
    // A rate is a network's: of ports that are slower than those of the others there is a network beside it.
    f.help(others ? format("use a faster adapter, or a separate network with `rate: {}`", to_text(port_rate))
                  : format("write `rate: {}` for network '{}', or use a faster adapter", to_text(port_rate), n.name));
    f.object(object);
  }
}

// A switch of the network: what it switches, and how fast its ports are. `tier` is empty for the one that `switch`
// names, which all others link to.
void check_switch(const Rule& rule, Findings& findings, const NetworkModel& n, const SwitchPart& sw,
                  const Value<std::string>& named, std::string_view tier) {
  const std::string object = "networks." + n.name, role = tier.empty() ? std::string() : format("its {} ", tier),
                    as = tier.empty() ? "switch" : std::string(tier);
  const auto found = [&](SourceSpan other, std::string_view what, const std::string& message) -> Finding& {
    Finding& f = findings.error(rule.id, tier.empty() ? first_place(other, named.span, n.span) : named.span, message);
    if (tier.empty())
      f.note(named.span, "the switch is named here");
    else if (other.valid())
      f.note(other, format("the {} of the network", what));
    f.object(object);
    return f;
  };
  if (sw.link && *sw.link != n.kind) {
    Finding& f = found(written(n.spec->kind), "kind",
                       format("network '{}' is {}, but {}'{}' is a switch for {}", n.name, enum_text(n.kind), role,
                              *named, enum_text(*sw.link)));
    mention_unconfirmed(f, sw.link, format("the link kind of '{}'", *named));
    f.help(tier.empty() ? format("write `kind: {}`, or use a switch for {}", enum_text(*sw.link), enum_text(n.kind))
                        : format("use a {} for {}", as, enum_text(n.kind)));
  }
  if (sw.port_rate && above(n.rate.value, sw.port_rate->value)) {
    Finding& f = found(written(n.spec->rate), "rate",
                       format("network '{}' runs at {}, but a port of {}'{}' runs at {}", n.name, to_text(n.rate), role,
                              *named, to_text(*sw.port_rate)));
    mention_unconfirmed(f, sw.port_rate, format("the port rate of '{}'", *named));
    f.help(format("write `rate: {}`, or use a faster {}", to_text(*sw.port_rate), as));
  }
}

// Spines and cores of other switches, where the fabric has that tier (or could not be counted).
void check_tiers(const Rule& rule, const Plan& plan, Findings& findings, const NetworkModel& n) {
  for (const auto& [tier, part] : n.tier_parts) {
    if (!part) continue;
    for (const Fabric& f : plan.fabrics)
      if (f.name == n.name && (f.tiers.empty() || std::any_of(f.tiers.begin(), f.tiers.end(),
                                                              [&](const FabricTier& t) { return t.word == tier; })))
        check_switch(rule, findings, n, *part, n.spec->tiers.find(tier)->value, tier);
  }
}

void net_link_ends_mismatched(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const NetworkModel& n : c.networks) {
    // A provider's virtual interfaces run at any rate.
    if (const std::string rates = c.own_site && n.spec->rate.origin == Origin::spec && n.shares < 0
                                      ? nearest_rates(n.rate, n.kind)
                                      : std::string();
        !rates.empty()) {
      findings
          .error(rule.id, n.spec->rate.span,
                 format("network '{}' runs at {}, which is not an {} rate: the nearest {} {}", n.name, to_text(n.rate),
                        enum_text(n.kind), rates.find(" or ") == std::string::npos ? "is" : "are", rates))
          .help("write the rate of one port")
          .object("networks." + n.name);
      continue;  // whatever else does not fit follows from it
    }
    const Value<BitsPerSecond>& between = n.spec->uplink_rate;
    if (const std::string rates = c.own_site && between && n.shares < 0 ? nearest_rates(*between, n.kind) : "";
        !rates.empty())
      findings
          .error(rule.id, between.span,
                 format("links between switches of network '{}' run at {}, which is not an {} rate: the nearest {} {}",
                        n.name, to_text(*between), enum_text(n.kind),
                        rates.find(" or ") == std::string::npos ? "is" : "are", rates))
          .help("write the rate of one link")
          .object("networks." + n.name);
    if (n.switch_part && n.shares < 0) check_switch(rule, findings, n, *n.switch_part, n.spec->switch_model, {});
    if (n.shares < 0) check_tiers(rule, in.plan, findings, n);
    for (const EndPoints& e : n.ends) {
      if (e.group >= 0 && e.ports >= 0) {
        const ServerModel& s = c.nodes[e.group].server;
        const PortSet& ports = s.ports[e.ports];
        if (ports.nics < 0 || !s.nics[ports.nics].part) continue;
        const NicSet& nics = s.nics[ports.nics];
        const auto* by_spec = s.part.nics.find(nics.name);
        check_end(rule, in, findings, n, e, *nics.part, nics.model, ports.rate,
                  by_spec ? written(by_spec->value.model) : SourceSpan{});
      }
    }
  }
}

}  // namespace

extern const Rule kNetLinkEndsMismatched;  // registry.cc names it
const Rule kNetLinkEndsMismatched = {
    .id = "net-link-ends-mismatched",
    .code = "NET-007",
    .severity = Severity::error,
    .physics = true,
    .summary = "the two ends of a link do not match",
    .explanation = R"(## What it checks

Both ends of a link have the same kind and rate. The adapter and the switches (including those of `tiers`) are made for
the network's `kind`. None is slower than its `rate`, which is a rate that such links have. If only some of the members
are slower, it is a note: their switch ports run at the lower rate.

## Why it matters

The cable fits, but the link stays down, or runs at half the planned rate.

## Formula

```
kind of the network is one that the adapter speaks, and that of each switch: leaf, spine, core
rate of the network <= rate of a port of the adapter, and of each switch
rate is one that the kind has: Ethernet … 100, 200, 400, 800 Gb/s; InfiniBand … 100, 200, 400, 800 Gb/s
```

Unit: bit/s on both sides; kinds are compared by name.

Source: data sheets of adapter and switch (catalogue); IEEE 802.3 and InfiniBand architecture specification, volume 2 (rates).

Error: none beyond its inputs.

## Example

`kind: ethernet` with an InfiniBand switch; `rate: 400 Gb/s` with adapters of 200 Gb/s.

## How to fix

Write the rate or kind that the adapters have, or use other adapters.

## When to accept

Never: the link does not come up.
)",
    .check = net_link_ends_mismatched,
};

}  // namespace clusterc
