#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "model/routing_engines.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"

namespace clusterc {
namespace {

constexpr int kSpectrumX = 4;  // Spectrum-4 is the first with the adaptive routing that Spectrum-X is made of

// The generation of NVIDIA's Ethernet switches: "Spectrum-4 SN5600" by its own word, "SN4600C" by the series (SN2000 is
// Spectrum, SN3000 Spectrum-2, SN4000 Spectrum-3, SN5000 Spectrum-4); 0: another maker's, or none of these; -1:
// NVIDIA's, and nobody says. Parts of the catalogue and of the user's own begin their name with their maker.
int spectrum_generation(std::string_view name) {
  if (!name.starts_with("NVIDIA")) return 0;
  const auto digit = [&](std::size_t at) {
    return at < name.size() && name[at] >= '1' && name[at] <= '9' ? name[at] - '0' : 0;
  };
  constexpr std::string_view kFamily = "Spectrum-", kSeries = "SN";
  if (const std::size_t at = name.find(kFamily); at != name.npos && digit(at + kFamily.size()))
    return digit(at + kFamily.size());
  if (const std::size_t at = name.find(kSeries); at != name.npos && digit(at + kSeries.size()))
    return std::max(1, digit(at + kSeries.size()) - 1);
  return -1;
}

struct Named {
  const SwitchPart* part = nullptr;
  const Value<std::string>* model = nullptr;
};
// The switches that the network names, those of its tiers too.
std::vector<Named> switches_of(const NetworkModel& n) {
  std::vector<Named> out;
  if (n.switch_part) out.push_back({n.switch_part, &n.spec->switch_model});
  for (const auto& [tier, part] : n.tier_parts)
    if (part) out.push_back({part, &n.spec->tiers.find(tier)->value});
  return out;
}

// NVIDIA's Spectrum-X is its Spectrum switches with these adapters (the source below).
bool has_spectrum_x(const NicPart& part) {
  return part.name->starts_with("NVIDIA") && part.name->find("ConnectX-6") == std::string::npos &&
         part.name->find("ConnectX-5") == std::string::npos && part.name->find("BlueField-2") == std::string::npos;
}
// The first adapters on the network that have no part in it.
const NicSet* other_adapters(const Cluster& c, const NetworkModel& n) {
  for (const EndPoints& e : n.ends) {
    if (e.group < 0 || e.ports < 0 || e.members == 0) continue;
    const ServerModel& s = c.nodes[static_cast<std::size_t>(e.group)].server;
    const PortSet& ports = s.ports[static_cast<std::size_t>(e.ports)];
    if (ports.nics < 0) continue;
    const NicSet& nics = s.nics[static_cast<std::size_t>(ports.nics)];
    if (nics.part && nics.part->name && !nics.part->name->starts_with("Generic") && !has_spectrum_x(*nics.part))
      return &nics;
  }
  return nullptr;
}

void net_setting_of_other_fabric(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NetworkModel& n : in.cluster.networks) {
    if (!n.spec) continue;
    const auto say = [&](SourceSpan at, std::string message, std::string help) -> Finding& {
      Finding& f = findings.error(rule.id, at, std::move(message));
      f.help(std::move(help)).object("networks." + n.name);
      return f;
    };
    const Value<std::string>& routing = n.spec->routing;
    if (routing && n.kind == LinkKind::ethernet && is_opensm_engine(*routing))
      say(routing.span, format("'{}' is a routing engine of OpenSM, but network '{}' is Ethernet", *routing, n.name),
          "leave `routing` out: Ethernet leaves and spines use BGP");
    if (routing && n.kind == LinkKind::infiniband && !is_opensm_engine(*routing))
      say(routing.span,
          format("'{}' is not a routing engine of OpenSM, but network '{}' is InfiniBand", *routing, n.name),
          "leave `routing` out: InfiniBand leaves and spines use ftree");
    if (!n.spec->spectrum_x.value_or(false)) continue;
    if (n.kind != LinkKind::ethernet) {
      const bool infiniband = n.kind == LinkKind::infiniband;
      say(n.spec->spectrum_x.span,
          format("Spectrum-X is Ethernet, but network '{}' is {}", n.name,
                 infiniband ? "InfiniBand" : enum_text(n.kind)),
          infiniband ? "leave `spectrum_x` out: for InfiniBand write `adaptive_routing: true`"
                     : "leave `spectrum_x` out");
      continue;
    }
    bool older = false;
    for (const Named& s : switches_of(n)) {
      const int generation = s.part->name ? spectrum_generation(*s.part->name) : -1;
      if (generation >= 0 && generation < kSpectrumX) {
        say(n.spec->spectrum_x.span,
            format("Spectrum-X needs Spectrum-4 switches, but network '{}' has '{}' ({})", n.name, **s.model,
                   *s.part->name),
            "leave `spectrum_x` out, or use Spectrum-4 switches: `nvidia-sn5600`")
            .note(s.model->span, "the switches are named here");
        older = true;
        break;
      }
    }
    if (const NicSet* nics = older ? nullptr : other_adapters(in.cluster, n))
      say(n.spec->spectrum_x.span,
          format("Spectrum-X needs BlueField-3, ConnectX-7 or newer adapters, but network '{}' has '{}' ({})", n.name,
                 nics->model, *nics->part->name),
          "leave `spectrum_x` out, or use other adapters")
          .note(nics->span, "the adapters are named here");
  }
}

}  // namespace

extern const Rule kNetSettingOfOtherFabric;  // registry.cc names it
const Rule kNetSettingOfOtherFabric = {
    .id = "net-setting-of-other-fabric",
    .code = "NET-023",
    .severity = Severity::error,
    .physics = false,
    .summary = "a network uses a setting that its switches do not have",
    .explanation = R"(## What it checks

A network sets only what its switches support: a routing engine of OpenSM on InfiniBand; Spectrum-X only with Spectrum-4
or newer switches (leaves and those of `tiers`) and NVIDIA's adapters. SHARP is checked by
`spec-sharp-without-infiniband`.

## Why it matters

The setting has no effect in the fabric, but readers of the spec rely on it: an Ethernet fabric still distributes flows
by ECMP hashing.

## Formula

```
kind: ethernet      no routing: ftree, updn, minhop, …
kind: infiniband    no spectrum_x, and no routing but these
spectrum_x          each switch is NVIDIA's, Spectrum-4 (SN5000) or newer, and BlueField-3, ConnectX-7 or newer adapters
```

Unit: none. Kinds and generations are compared.

Source: opensm(8), "ROUTING" (the engines are those of InfiniBand's subnet manager); NVIDIA, Network Operator 26.7.0, NVIDIA Spectrum-X Ethernet Networking Platform ("combines NVIDIA
Spectrum switches with the BlueField-3 SuperNIC, ConnectX-7 NIC, and ConnectX-8 SuperNIC families"); NVIDIA, Cumulus NetQ 4.9, Spectrum support (adaptive routing: Spectrum-4 alone).

## Example

`kind: ethernet` with `routing: ftree`.

## How to fix

Leave the setting out, or use the fabric that supports it.

## When to accept

Where a switch of another maker is licensed for it. Give its data sheet as the reason.
)",
    .check = net_setting_of_other_fabric,
};

}  // namespace clusterc
