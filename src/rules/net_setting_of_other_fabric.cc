#include <algorithm>
#include <string>
#include <string_view>

#include "model/routing_engines.h"
#include "rules/rules.h"
#include "rules/say.h"

namespace clusterc {
namespace {

// Parts of the catalogue and of the user's own begin their name with their maker.
bool made_by(const SwitchPart& part, std::string_view maker) { return part.name && part.name->starts_with(maker); }

// NVIDIA's Spectrum-X is its Spectrum switches with these adapters (the source below).
bool has_spectrum_x(const NicPart& part) {
  return part.name->starts_with("NVIDIA") && part.name->find("ConnectX-6") == std::string::npos && part.name->find("ConnectX-5") == std::string::npos && part.name->find("BlueField-2") == std::string::npos;
}
// The first adapters on the network that have no part in it.
const NicSet* other_adapters(const Cluster& c, const NetworkModel& n) {
  for (const EndPoints& e : n.ends) {
    if (e.group < 0 || e.ports < 0 || e.members == 0) continue;
    const ServerModel& s = c.nodes[static_cast<std::size_t>(e.group)].server;
    const PortSet& ports = s.ports[static_cast<std::size_t>(e.ports)];
    if (ports.nics < 0) continue;
    const NicSet& nics = s.nics[static_cast<std::size_t>(ports.nics)];
    if (nics.part && nics.part->name && !nics.part->name->starts_with("Generic") && !has_spectrum_x(*nics.part)) return &nics;
  }
  return nullptr;
}

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NetworkModel& n : in.cluster.networks) {
    if (!n.spec) continue;
    const auto say = [&](SourceSpan at, std::string message, std::string help) -> Finding& {
      Finding& f = findings.error(rule.id, at, std::move(message));
      f.help(std::move(help)).object("networks." + n.name);
      return f;
    };
    const bool ethernet = n.kind == LinkKind::ethernet;
    if (ethernet && n.spec->routing && is_opensm_engine(*n.spec->routing))
      say(n.spec->routing.span, format("'{}' is a routing engine of OpenSM, network '{}' is Ethernet", *n.spec->routing, n.name), "leave `routing` out: leaves and spines of Ethernet get BGP");
    if (!n.spec->spectrum_x.value_or(false)) continue;
    if (!ethernet)
      say(n.spec->spectrum_x.span, format("Spectrum-X is Ethernet, network '{}' is InfiniBand", n.name), "leave `spectrum_x` out: `adaptive_routing: true` is InfiniBand's");
    else if (n.switch_part && n.switch_part->name && !made_by(*n.switch_part, "NVIDIA"))
      say(n.spec->spectrum_x.span, format("Spectrum-X needs NVIDIA's Spectrum switches, network '{}' has '{}' ({})", n.name, n.switch_model, *n.switch_part->name), "leave `spectrum_x` out, or Spectrum-4 switches: `switch: nvidia-sn5600`")
          .note(n.spec->switch_model.span, "the switches are named here");
    else if (const NicSet* nics = other_adapters(in.cluster, n))
      say(n.spec->spectrum_x.span, format("Spectrum-X needs BlueField-3, ConnectX-7 or newer adapters, network '{}' has '{}' ({})", n.name, nics->model, *nics->part->name), "leave `spectrum_x` out, or other adapters")
          .note(nics->span, "the adapters are named here");
  }
}

}  // namespace

constexpr std::string_view kExplanation = R"(## What it checks

What a network sets is something that its switches have: a routing engine of OpenSM on InfiniBand, Spectrum-X on NVIDIA's Ethernet switches and adapters. SHARP is
`spec-sharp-without-infiniband`'s.

## Why it matters

The setting is believed by whoever reads the spec, and nothing in the fabric does it: the paths of an Ethernet fabric stay where ECMP hashes them.

## Formula

```
kind: ethernet      no routing: ftree, updn, minhop, …
kind: infiniband    no spectrum_x
spectrum_x          switches of NVIDIA's, and BlueField-3, ConnectX-7 or newer adapters
```

Source: opensm(8), "ROUTING" (the engines are those of InfiniBand's subnet manager); NVIDIA, Network Operator 26.7.0, NVIDIA Spectrum-X Ethernet Networking Platform ("combines NVIDIA
Spectrum switches with the BlueField-3 SuperNIC, ConnectX-7 NIC, and ConnectX-8 SuperNIC families").

## Example

`kind: ethernet` with `routing: ftree`.

## How to fix

Leave the setting out, or choose the fabric that has it.

## When to accept

Where a switch of another maker is licensed for it, with its data sheet as the reason.
)";

extern const Rule kNetSettingOfOtherFabric;    // declared in registry.cc
const Rule kNetSettingOfOtherFabric = {
    .id = "net-setting-of-other-fabric",
    .code = "NET-023",
    .severity = Severity::error,
    .physics = false,
    .summary = "a network sets what its switches do not have",
    .explanation = kExplanation,
    .check = check,
};

}  // namespace clusterc
