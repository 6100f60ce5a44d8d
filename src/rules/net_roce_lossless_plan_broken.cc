#include "model/roce.h"
#include "plan/plan.h"
#include "rules/fix.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"

namespace clusterc {
namespace {

bool is_roce(const NetworkModel& n) { return n.spec->rdma.value_or(Rdma::none) == Rdma::roce; }

// Switches that trust DSCP sort by its upper three bits (RFC 2474, class selectors; default maps of Spectrum, Tomahawk
// and the adapters).
std::int64_t class_of(std::int64_t dscp) { return dscp / 8; }

void check_plan(const Rule& rule, Findings& findings, const NetworkModel& n) {
  const RocePlan& p = *n.spec->roce;
  const std::string object = "networks." + n.name;
  const std::int64_t priority = p.priority.value_or(-1),
                     dscp = p.dscp.value_or(-1);  // -1: what was written was refused
  if (priority >= 0 && dscp >= 0 && class_of(dscp) != priority) {
    Finding& f =
        findings.error(rule.id, first_place(written(p.dscp), written(p.priority), p.span),
                       format("packets of network '{}' marked DSCP {} go to class {}, but the lossless class is {}",
                              n.name, dscp, class_of(dscp), priority));
    f.label(format("{} / 8 = {}", dscp, class_of(dscp)));
    f.help(format("write `dscp: {}` (NCCL_IB_TC={})", priority * 8 + 2, traffic_class(priority * 8 + 2)))
        .object(object);
    write_instead(f, p.dscp, std::to_string(priority * 8 + 2));
  }
  const bool pfc = p.pfc.value_or(true), ecn = p.ecn.value_or(true);
  if (!pfc && !ecn) {
    findings
        .error(
            rule.id, first_place(written(p.pfc), p.span),
            format("network '{}' has neither pause frames nor ECN: RoCE loses packets as soon as two nodes send to one",
                   n.name))
        .note(p.ecn.span, "ECN is off here")
        .help("write `ecn: true`, and `pfc: true` unless all adapters recover from loss themselves")
        .object(object);
  } else if (pfc && !ecn) {
    Finding& f = findings.warning(
        rule.id, first_place(written(p.ecn), p.span),
        format("network '{}' has pause frames without ECN: one slow node can stop the ports of others", n.name));
    write_instead(f.help("write `ecn: true`").object(object), p.ecn, "true");
  } else if (!pfc) {
    findings
        .note(rule.id, first_place(written(p.pfc), p.span),
              format("network '{}' has ECN without pause frames: switches drop packets of RoCE when their queues are "
                     "full, and adapters must recover from the loss",
                     n.name))
        .help("write `pfc: true`, unless all adapters recover from loss themselves and their vendor states it")
        .object(object);
  }
}

void net_roce_lossless_plan_broken(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (std::size_t i = 0; i < c.networks.size(); ++i) {
    const NetworkModel& n = c.networks[i];
    const std::string object = "networks." + n.name;
    if (!is_roce(n)) {
      if (n.spec->roce)
        findings
            .warning(rule.id, n.spec->roce->span, format("network '{}' has a `roce` section but is not RoCE", n.name))
            .help("write `rdma: roce`, or remove `roce:`")
            .object(object);
      continue;
    }
    if (n.kind != LinkKind::ethernet) {
      findings
          .error(rule.id, n.spec->rdma.span,
                 format("network '{}' is {}, but RoCE is RDMA over Ethernet", n.name, enum_text(n.kind)))
          .help("remove `rdma:`: InfiniBand and EFA have their own RDMA")
          .object(object);
      continue;
    }
    if (n.shares >= 0 && !is_roce(c.networks[n.shares])) {
      const NetworkModel& host = c.networks[n.shares];
      Finding& f = findings.error(rule.id, n.spec->rdma.span,
                                  format("network '{}' uses RoCE, but it is on the switches of network '{}', which "
                                         "does not: no class is lossless on these switches",
                                         n.name, host.name));
      f.note(host.span, "the switches are those of this network");
      f.help(format("write `rdma: roce` for network '{}' too", host.name)).object(object);
    }
    if (!n.spec->roce) {
      // The plan of the host holds for its guests.
      if (n.shares < 0)
        findings
            .note(rule.id, n.spec->rdma.span,
                  format("network '{}' has no lossless class (key `roce`): no switch configuration for it is compiled, "
                         "and neither marking nor congestion control was checked",
                         n.name))
            .help(format("write `roce: {{}}` for class {}, DSCP {}, pause frames and ECN", kRocePriority, kRoceDscp))
            .object(object);
      continue;
    }
    check_plan(rule, findings, n);
    if (n.shares >= 0 && c.networks[n.shares].spec->roce) {
      const RocePlan& host = *c.networks[n.shares].spec->roce;
      if (const auto& theirs = host.priority, &own = n.spec->roce->priority; theirs && own && *theirs != *own) {
        Finding& f =
            findings.error(rule.id, first_place(written(own), n.spec->roce->span),
                           format("network '{}' has lossless class {}, but its switches have class {} for network '{}'",
                                  n.name, *own, *theirs, c.networks[n.shares].name));
        f.note(first_place(written(theirs), host.span), "the switches are set here");
        f.help("use one class for all networks on a switch").object(object);
      }
    }
  }
}

}  // namespace

extern const Rule kNetRoceLosslessPlanBroken;  // registry.cc names it
const Rule kNetRoceLosslessPlanBroken = {
    .id = "net-roce-lossless-plan-broken",
    .code = "NET-015",
    .severity = Severity::error,
    .physics = false,
    .summary = "RoCE has no consistent plan against loss and congestion on every hop",
    .explanation = R"(## What it checks

A RoCE network has one consistent plan on every hop:
- it is Ethernet, and the network whose switches it uses is RoCE too;
- its packets are marked for the lossless class, and all networks on a switch use the same class;
- there is congestion control (ECN), not pause frames alone.

A network without `roce:` has no such plan: nothing of it is compiled or checked, and a note says so. `roce: {}` is
class 3, DSCP 26, pause frames and ECN.

## Why it matters

RoCE expects that no packet is lost. Packets in the wrong class are dropped under load, so the same job is fast on an
idle network and slow on a busy one. Pause frames without ECN spread: one slow node stops a row of others.

## Formula

```
class of a packet = DSCP / 8, rounded down      (26 -> 3)
class of the packets = lossless class (roce.priority), the same for host and guest networks
pfc without ecn: warning; neither: error; ecn without pfc: note
NCCL_IB_TC = DSCP x 4                            (26 -> 104; 106 with the ECN bits)
```

Unit: code points, which have no unit.

Source: IEEE 802.1Qbb (priority flow control); RFC 3168 (ECN); RFC 2474 (code points); Y. Zhu et al., Congestion control for large-scale RDMA deployments, SIGCOMM 2015 (DCQCN).

Error: none beyond its inputs.

## Example

`roce: { priority: 3, dscp: 46 }`: packets go to class 5, which is lossy.

## How to fix

`roce: { priority: 3, dscp: 26 }`, and `rdma: roce` on the network that has the switches.

## When to accept

Where adapters recover from loss themselves and the vendor states that ECN is enough.
)",
    .check = net_roce_lossless_plan_broken,
};

}  // namespace clusterc
