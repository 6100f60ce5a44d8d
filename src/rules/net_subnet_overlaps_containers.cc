#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/output.h"
#include "spec/software.h"

namespace clusterc {
namespace {

constexpr Ipv4Prefix prefix(std::uint32_t a, std::uint32_t b, std::uint32_t c, int length) {
  return {a << 24 | b << 16 | c << 8, length};
}
constexpr Ipv4Prefix kServices = prefix(10, 96, 0, 12);       // kubeadm init, --service-cidr
constexpr Ipv4Prefix kPodmanBridge = prefix(10, 88, 0, 16);   // podman-network(1), subnet notes
constexpr Ipv4Prefix kRootlessPodman = prefix(10, 0, 2, 24);  // slirp4netns(1), --cidr
constexpr Ipv4Prefix kDockerBridge = prefix(172, 17, 0, 16);  // dockerd, the first of its default address pools

// Systems whose own podman is older than 5.0, which took pasta (with the addresses of the host) in place of
// slirp4netns.
constexpr std::array<std::string_view, 6> kOldPodman = {"debian-11",    "debian-12", "ubuntu-22.04",
                                                        "ubuntu-24.04", "rocky-8",   "rhel-8"};

const NamedVersion* runtime(const Software& s, std::string_view name) {
  const auto found = std::find_if(s.containers.begin(), s.containers.end(),
                                  [&](const NamedVersion& r) { return r.kind && to_lower(*r.kind) == name; });
  return found == s.containers.end() ? nullptr : &*found;
}

bool has_slirp(const Software& s, const NamedVersion& podman) {
  if (podman.version) return *podman.version < Version{std::string("5.0")};
  return s.os && std::find(kOldPodman.begin(), kOldPodman.end(), *s.os) != kOldPodman.end();
}

// By group: whether it is in the network.
std::vector<char> members_of(const Cluster& c, const NetworkModel& n) {
  std::vector<char> members(c.nodes.size(), 0);
  for (const EndPoints& e : n.ends)
    if (e.group >= 0) members[static_cast<std::size_t>(e.group)] = 1;
  return members;
}

// By group: whether a router leads its nodes to other networks.
std::vector<char> routed_groups(const Cluster& c) {
  std::vector<char> routed(c.nodes.size(), 0);
  for (const NetworkModel& n : c.networks)
    if (!n.everything && n.spec->gateway)
      for (const EndPoints& e : n.ends)
        if (e.group >= 0) routed[static_cast<std::size_t>(e.group)] = 1;
  return routed;
}

// Where the output is compiled, it gives services a network that is free.
bool joins_kubernetes(const Cluster& c, const NodeGroupModel& g) {
  const auto& scheduler = c.spec.software->scheduler;
  if (!scheduler || scheduler->kind.value != SchedulerKind::kubernetes) return false;
  const auto* output = c.spec.outputs.find("kubernetes");
  if (!output || !output->value.skip.value_or(false)) return false;
  if (g.has_role(Role::control_plane) || (scheduler->schedules.empty() && g.computes)) return true;
  return std::any_of(scheduler->schedules.begin(), scheduler->schedules.end(),
                     [&](const auto& name) { return name && *name == g.name; });
}

void net_subnet_overlaps_containers(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  const std::vector<char> routed = routed_groups(c);
  for (const NetworkModel& n : c.networks) {
    if (n.everything || !n.subnet || !n.spec->subnet) continue;
    constexpr Ipv4Prefix kRanges[] = {kServices, kPodmanBridge, kRootlessPodman, kDockerBridge};
    if (std::ranges::none_of(kRanges, [&](const Ipv4Prefix& r) { return n.subnet->overlaps(r); })) continue;
    const std::vector<char> members = members_of(c, n);
    const auto say = [&](const NodeGroupModel& g, SourceSpan user, const Ipv4Prefix& range, const std::string& whose,
                         std::string_view help) {
      Finding& f = findings.warning(
          rule.id, n.spec->subnet.span,
          format("{} of network '{}' {} {}, {}", n.subnet->text(), n.name,
                 range.contains(n.subnet->base) && n.subnet->length >= range.length ? "lies within" : "overlaps",
                 range.text(), whose));
      f.note(first_place(user, g.span), format("nodes of '{}' run these containers", g.name));
      f.help(std::string(help)).object("networks." + n.name);
    };
    bool services = false, docker = false, podman = false;  // told of this network
    for (std::size_t i = 0; i < c.nodes.size(); ++i) {
      const NodeGroupModel& g = c.nodes[i];
      if (g.count == 0) continue;
      const bool inside = members[i] != 0;
      if (!services && inside && n.subnet->overlaps(kServices) && joins_kubernetes(c, g)) {
        services = true;
        say(g, c.spec.software->scheduler->kind.span, kServices,
            "the subnet from which kubeadm gives addresses to services of Kubernetes: hosts with such an address "
            "cannot be reached",
            "use another prefix; or start Kubernetes with another `--service-cidr`, and accept the finding");
      }
      const NamedVersion* p = runtime(g.software, "podman");
      if (!podman && p && inside && n.subnet->overlaps(kPodmanBridge)) {
        podman = true;
        say(g, p->kind.span, kPodmanBridge,
            "the network of containers that root starts with podman: such containers cannot reach hosts with such an "
            "address",
            "use another prefix; or set `default_subnet` in containers.conf, and accept the finding");
      } else if (!podman && p && inside && has_slirp(g.software, *p) && n.subnet->overlaps(kRootlessPodman)) {
        podman = true;
        say(g, p->kind.span, kRootlessPodman,
            "the network inside containers that users start with podman: such containers cannot reach hosts with such "
            "an address",
            "use another prefix; or run containers with `--network slirp4netns:cidr=…` or on the host's network, and "
            "accept the finding");
      }
      // Docker takes its next pool where the host has a route of its own into this one: only what lies behind a router
      // is hidden.
      const NamedVersion* d = runtime(g.software, "docker");
      if (!docker && d && !inside && n.spec->gateway && routed[i] && n.subnet->overlaps(kDockerBridge)) {
        docker = true;
        say(g, d->kind.span, kDockerBridge,
            "the bridge of Docker: nodes that reach the network through a router can no longer reach it once Docker "
            "runs",
            "use another prefix; or set `bip` or `default-address-pools` in daemon.json, and accept the finding");
      }
    }
  }
}

}  // namespace

extern const Rule kNetSubnetOverlapsContainers;  // registry.cc names it
const Rule kNetSubnetOverlapsContainers = {
    .id = "net-subnet-overlaps-containers",
    .code = "NET-029",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a network has addresses that container software on its nodes takes for itself",
    .explanation = R"(## What it checks

The `subnet` of a network shares no address with the ranges that container software on its nodes takes for itself, where
nobody says otherwise: services of Kubernetes, networks of podman, the bridge of Docker.

## Why it matters

Packets to an address that is in both ranges stay on the node: the name resolves, a ping from the host may work, and
containers find nothing there. With Kubernetes the first address of the range is the API server's own service.

## Formula

```
10.96.0.0/12    services of Kubernetes (kubeadm)        networks of its nodes, if `outputs` skips kubernetes
10.88.0.0/16    podman, containers of root              networks of nodes with podman
10.0.2.0/24     podman before 5.0, containers of users  networks of nodes with podman (slirp4netns)
172.17.0.0/16   Docker                                  networks that nodes with docker reach through a router
```

Unit: none. Address ranges are compared.

Docker takes its next range where the node itself is in such a network. The output kubernetes gives services a range
that is free.

Source: Kubernetes documentation, kubeadm init (`--service-cidr`); podman-network(1), subnet notes; slirp4netns(1), `--cidr`; Docker documentation, dockerd (`default-address-pools`).

## Example

`subnet: 10.100.0.0/16` for the nodes of a Kubernetes cluster that is not set up from the compiled files.

## How to fix

Use another prefix, or give the software another range.

## When to accept

Where the software has another range: the spec does not say which.
)",
    .check = net_subnet_overlaps_containers,
};

}  // namespace clusterc
