#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/site.h"

namespace clusterc {
namespace {

// Only Amazon's networks speak EFA (its own page in the catalogue: aws-efa-p5).
constexpr std::string_view kEfaProvider = "aws";
// Providers by the first word of their instances' names in the catalogue.
constexpr std::string_view kProviders[] = {"aws", "azure", "gcp", "oci", "coreweave", "lambda", "crusoe", "nebius"};

std::string_view provider_of(std::string_view instance) {
  for (const std::string_view p : kProviders)
    if (instance.starts_with(p) && instance.size() > p.size() && instance[p.size()] == '-') return p;
  return "";
}

// The fastest port of an instance, of what the catalogue knows.
BitsPerSecond fastest_port(const ServerModel& s) {
  BitsPerSecond most{0};
  for (const NicSet& n : s.nics)
    if (n.part && n.part->port_rate && *n.part->port_rate > most) most = *n.part->port_rate;
  return most;
}

void net_cloud_network_mismatched(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (c.own_site || !c.spec.site) return;
  const Value<std::string>& provider = c.spec.site->provider;
  const auto known = [&] {
    return provider &&
           std::find(std::begin(kProviders), std::end(kProviders), std::string_view(*provider)) != std::end(kProviders);
  };
  for (const NodeGroupModel& g : c.nodes) {
    if (!g.server.instance || !known()) continue;
    const std::string_view of = provider_of(g.server.id);
    if (of.empty() || of == *provider) continue;
    Finding& f = findings.error(
        rule.id, first_place(g.spec->instance.span, g.span),
        format("'{}' of group '{}' is an instance of {}, but the site is at {}", g.server.id, g.name, of, *provider));
    f.note(provider.span, "the provider is named here")
        .help(format("write `provider: {}`, or use an instance of {}", of, *provider))
        .object("nodes." + g.name);
  }
  for (const NetworkModel& n : c.networks) {
    if (n.kind == LinkKind::efa && known() && *provider != kEfaProvider) {
      Finding& f = findings.error(rule.id, first_place(n.spec->kind.span, n.span),
                                  format("network '{}' is EFA, which {} does not offer", n.name, *provider));
      f.note(provider.span, "the provider is named here")
          .help("write `kind: infiniband` or `kind: ethernet`, as the provider's network is")
          .object("networks." + n.name);
      continue;
    }
    if (!n.spec->rate) continue;
    for (const EndPoints& e : n.ends) {
      if (e.group < 0 || !c.nodes[static_cast<std::size_t>(e.group)].server.instance) continue;
      const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(e.group)];
      const BitsPerSecond port =
          e.ports >= 0 ? g.server.ports[static_cast<std::size_t>(e.ports)].rate : fastest_port(g.server);
      if (port.value <= 0 || !above(n.spec->rate->value, port.value)) continue;
      Finding& f = findings.warning(rule.id, n.spec->rate.span,
                                    format("network '{}' has a rate of {}, but the fastest port of '{}' has {}", n.name,
                                           to_text(*n.spec->rate), g.server.id, to_text(port)));
      f.note(e.span, format("'{}' is connected here", g.name))
          .help(format("write `rate: {}`: the rate is that of one port, and an instance has several", to_text(port)))
          .object("networks." + n.name);
      break;
    }
  }
  if (!c.spec.site->feeds.empty())
    findings
        .warning(rule.id, c.spec.site->feeds.entries.front().name_span,
                 "the site is a cloud, so its `feeds` belong to the provider: they are neither planned nor checked")
        .help("write `kind: own` if the room is yours, else remove the feeds")
        .object("site");
}

}  // namespace

extern const Rule kNetCloudNetworkMismatched;  // registry.cc names it
const Rule kNetCloudNetworkMismatched = {
    .id = "net-cloud-network-mismatched",
    .code = "NET-021",
    .severity = Severity::error,
    .physics = false,
    .summary = "instances, networks or rates do not exist at the cloud's provider",
    .explanation = R"(## What it checks

In a cloud, instances and networks are those of the provider that the site names, a network is no faster than one port
of its instances, and the site has no feeds of its own.

## Why it matters

Instance rates are advertised as the sum of all adapters. A plan with that sum on each port expects results that no test
reaches. An instance of another provider makes the whole spec doubtful.

## Formula

```
provider of the instance = provider of the site
EFA only at aws
rate of a network <= rate of one port of the instance; where the network uses the provider's own port: of the instance's fastest
```

Unit: bit/s on both sides; providers are compared by name.

Source: catalogue (the pages of the instances and of their adapters).

Error: none beyond its inputs.

## Example

`vpc: { kind: ethernet, rate: 3200 Gb/s, … }` with instances that have 32 ports of 100 Gb/s.

## How to fix

Write the rate of one port, the provider that has these instances, or `kind: own` where the feeds are yours.

## When to accept

Where the provider resells instances of another, or has a network whose rate the catalogue does not know.
)",
    .check = net_cloud_network_mismatched,
};

}  // namespace clusterc
