#include "plan/fabric/bgp.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"

namespace clusterc {
namespace {

// RFC 7607 (0), RFC 6793 (23456), RFC 5398 (documentation), RFC 7300 (the last of either size).
bool never_used(std::int64_t n) {
  return n == 0 || n == 23456 || (n >= 64496 && n <= 64511) || (n >= 65535 && n <= 65551) || n == 4294967295;
}

void net_bgp_numbers_clash_or_exhausted(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (std::size_t i = 0; i < c.networks.size(); ++i) {
    const NetworkModel& n = c.networks[i];
    if (!n.spec->asn) continue;
    const std::int64_t first = *n.spec->asn, count = bgp_numbers(in.plan.fabrics[i]),
                       last = first + std::max<std::int64_t>(1, count) - 1;
    const SourceSpan at = n.spec->asn.span;
    const std::string object = "networks." + n.name;
    if (count == 0) {
      findings
          .note(rule.id, at,
                format("network '{}' has no switches of its own in this plan, so its BGP AS numbers were not counted",
                       n.name))
          .object(object);
      continue;
    }
    const Fabric& f = in.plan.fabrics[i];
    const std::string arithmetic = format("{} leaves{}{}", f.tiers[0].count,
                                          f.tiers.size() > 1 ? format(" + {} for the spines", f.planes * f.pods) : "",
                                          f.tiers.size() > 2 ? format(" + {} for the cores", f.planes) : "");
    const BgpRange* in_range = nullptr;
    for (const BgpRange* r : {&kPrivateBgp16, &kPrivateBgp32})
      if (first >= r->first && first <= r->last) in_range = r;
    if (in_range && last > in_range->last) {
      Finding& x =
          findings.error(rule.id, at,
                         format("network '{}' needs {} BGP AS numbers, but the range from {} to {} has only {}", n.name,
                                count, first, in_range->last, in_range->last - first + 1));
      x.label(arithmetic);
      x.help(format("write `asn: {}`: the first private 32-bit number", kPrivateBgp32.first)).object(object);
      continue;
    }
    if (!in_range && (never_used(first) || never_used(last) || (first < kPrivateBgp16.first && last >= 64496))) {
      findings
          .error(rule.id, at,
                 format("BGP AS numbers {} to {} of network '{}' include reserved ones; private ones are {} to {} and "
                        "{} to {}",
                        first, last, n.name, kPrivateBgp16.first, kPrivateBgp16.last, kPrivateBgp32.first,
                        kPrivateBgp32.last))
          .label(arithmetic)
          .help(format("write `asn: {}`", kPrivateBgp32.first))
          .object(object);
      continue;
    }
    if (!in_range)
      findings
          .warning(rule.id, at,
                   format("BGP AS number {} of network '{}' is public; private ones are {} to {} and {} to {}", first,
                          n.name, kPrivateBgp16.first, kPrivateBgp16.last, kPrivateBgp32.first, kPrivateBgp32.last))
          .help(format("write `asn: {}`, unless the number is registered to you", kPrivateBgp32.first))
          .object(object);
    for (std::size_t j = 0; j < i; ++j) {
      const NetworkModel& o = c.networks[j];
      const std::int64_t others = bgp_numbers(in.plan.fabrics[j]);
      if (!o.spec->asn || others == 0 || first > *o.spec->asn + others - 1 || last < *o.spec->asn) continue;
      Finding& x = findings.error(rule.id, at,
                                  format("BGP AS numbers {} to {} of network '{}' and {} to {} of network '{}' overlap",
                                         first, last, n.name, *o.spec->asn, *o.spec->asn + others - 1, o.name));
      x.label(arithmetic).note(o.spec->asn.span, "the other range begins here");
      x.help(format("write `asn: {}`", *o.spec->asn + others)).object(object);
      break;
    }
  }
}

}  // namespace

extern const Rule kNetBgpNumbersClashOrExhausted;  // registry.cc names it
const Rule kNetBgpNumbersClashOrExhausted = {
    .id = "net-bgp-numbers-clash-or-exhausted",
    .code = "NET-013",
    .severity = Severity::error,
    .physics = false,
    .summary = "BGP AS numbers overlap, run out, or are public",
    .explanation = R"(## What it checks

Counting from the first BGP AS number in a network's spec (`asn`), there are enough private numbers for its switches,
and no two networks use the same ones (errors). A public number is a warning.

## Why it matters

A router drops routes that contain its own AS number. Two leaves with the same number do not learn the routes to each
other's nodes, and no log says why.

## Formula

```
numbers = leaves + pods (one for the spines of each) + 1 (for the cores, in three tiers)
private: 64512 to 65534 (1,023 of them), 4200000000 to 4294967294
asn + numbers - 1 <= last of the range
```

Unit: AS numbers on both sides.

Source: RFC 7938, section 5.2.1 (numbers of leaves and spines); RFC 6996 (private numbers); RFC 5398, 6793, 7300 and 7607 (reserved numbers).

Error: none beyond its inputs.

## Example

`asn: 64512` for 1,200 leaves.

## How to fix

`asn: 4200000000` has room for 94 million.

## When to accept

A public number that is registered to you. Overlapping numbers only where routers are configured to accept their own
number (`allowas-in`).
)",
    .check = net_bgp_numbers_clash_or_exhausted,
};

}  // namespace clusterc
