#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"

namespace clusterc {
namespace {

// GIDs 0 and 1 are those of the link-local IPv6 address, which each port has (RoCE v1 and v2); those of IPv4 follow
// (Linux, drivers/infiniband/core/roce_gid_mgmt.c).
constexpr std::int64_t kLastLinkLocal = 1;

// IPv4 addresses of a port: one of each network that shares it.
std::int64_t addresses(const Cluster& c, int network) {
  const int shares = c.networks[static_cast<std::size_t>(network)].shares, host = shares >= 0 ? shares : network;
  std::int64_t n = 0;
  for (int i = 0; i < static_cast<int>(c.networks.size()); ++i) {
    const NetworkModel& g = c.networks[static_cast<std::size_t>(i)];
    if ((i == host || g.shares == host) && g.spec->subnet) ++n;
  }
  return n;
}

void net_roce_gid_wrong(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (std::size_t i = 0; i < in.cluster.networks.size(); ++i) {
    const NetworkModel& n = in.cluster.networks[i];
    if (n.kind != LinkKind::ethernet || n.spec->rdma.value_or(Rdma::none) != Rdma::roce || n.spec->subnet.unknown)
      continue;
    const std::string object = "networks." + n.name;
    if (n.spec->roce && n.spec->roce->dscp && n.spec->roce->gid_index && *n.spec->roce->gid_index == 0) {
      Finding& f = findings.warning(rule.id, n.spec->roce->gid_index.span,
                                    format("GID index 0 is RoCE v1: its frames have no IP header and therefore no DSCP "
                                           "value for the lossless class of network '{}'",
                                           n.name));
      if (const SourceSpan dscp = written(n.spec->roce->dscp); dscp.valid())
        f.note(dscp, "the DSCP value of the lossless class is set here");
      f.help(
           "write `gid_index: 3`, which is RoCE v2 with IPv4 on ConnectX, or leave `gid_index` out: software then "
           "chooses it")
          .object(object);
      continue;
    }
    if (n.spec->subnet && n.spec->roce && n.spec->roce->gid_index && *n.spec->roce->gid_index <= kLastLinkLocal) {
      const bool first = *n.spec->roce->gid_index == 0;
      Finding& f = findings.warning(
          rule.id, n.spec->roce->gid_index.span,
          format("GID index {} of network '{}' is {}, which no router forwards: jobs across subnets end with a timeout",
                 *n.spec->roce->gid_index, n.name,
                 first ? "RoCE v1, without an IP header" : "the link-local address (RoCE v2, fe80::)"));
      f.note(n.spec->subnet.span, "the IPv4 addresses of its ports have the indices from 2 on");
      f.help(
           "write `gid_index: 3`, which is RoCE v2 with IPv4 on ConnectX, or leave `gid_index` out: software then "
           "chooses it")
          .object(object);
      continue;
    }
    if (n.spec->subnet) {
      const std::int64_t ipv4 = addresses(in.cluster, static_cast<int>(i)), last = kLastLinkLocal + 2 * ipv4;
      if (!n.spec->roce || !n.spec->roce->gid_index || *n.spec->roce->gid_index <= last) continue;
      Finding& f =
          findings.warning(rule.id, n.spec->roce->gid_index.span,
                           format("GID index {} does not exist on the ports of network '{}', which have 0 to {}",
                                  *n.spec->roce->gid_index, n.name, last));
      f.label(format("2 for the link-local address + 2 x {} for IPv4", ipv4))
          .help(
              "write `gid_index: 3`, which is RoCE v2 with IPv4 on ConnectX, or leave `gid_index` out: software then "
              "chooses it")
          .object(object);
      continue;
    }
    if (n.spec->roce && n.spec->roce->gid_index && *n.spec->roce->gid_index > kLastLinkLocal) {
      Finding& f = findings.error(
          rule.id, n.spec->roce->gid_index.span,
          format(
              "GID index {} belongs to an IPv4 address, but network '{}' has no `subnet`: its ports have GIDs 0 to {}",
              *n.spec->roce->gid_index, n.name, kLastLinkLocal));
      f.help("write `subnet: …`, or leave `gid_index` out: software then chooses it").object(object);
      continue;
    }
    if (n.spec->roce && n.spec->roce->gid_index) continue;  // software is told to use a link-local one
    Finding& f = findings.warning(rule.id, n.spec->rdma.span,
                                  format("network '{}' is RoCE but has no `subnet`: without IPv4 its ports have only "
                                         "link-local GIDs, which cannot be routed and which NCCL does not use",
                                         n.name));
    f.help("write `subnet: …` with an address for each port").object(object);
  }
}

}  // namespace

extern const Rule kNetRoceGidWrong;  // registry.cc names it
const Rule kNetRoceGidWrong = {
    .id = "net-roce-gid-wrong",
    .code = "NET-017",
    .severity = Severity::error,
    .physics = false,
    .summary = "a RoCE network has no IPv4 addresses, or names a GID that does not exist",
    .explanation = R"(## What it checks

A RoCE network has IPv4 addresses (`subnet`), and the GID index that software must use (`roce.gid_index`) exists.

## Why it matters

RoCE v2 finds its peer by an IP address, which is in the port's GID table. With an index that is empty there, jobs end
with a timeout (error 12) on the first message. Without IPv4, NCCL falls back to index 0, which is RoCE v1 and cannot be
routed.

## Formula

```
no subnet: GIDs 0 and 1 (link-local, v1 and v2)
with dscp: index 0 is a warning (v1 has no IP header)
subnet:    indices 0 and 1 are a warning: v1, and v2 with the link-local address, which no router forwards
subnet:    IPv4 GIDs follow, two for each address (on ConnectX 2 and 3; other makers order them otherwise); a larger index than all of them is a warning
```

Unit: none. Indices of a table are compared.

Source: Linux, drivers/infiniband/core/roce_gid_mgmt.c; NVIDIA NCCL, issues 426, 769 and 1131, nccl-tests, issue 24 (timeouts by GID index).

## Example

`rdma: roce` with `roce: { gid_index: 3 }` and no `subnet`.

## How to fix

Write a prefix with an address for each port, and no fixed index: NCCL 2.21 and newer choose it.

## When to accept

With one switch, and software that is configured to use the link-local GID.
)",
    .check = net_roce_gid_wrong,
};

}  // namespace clusterc
