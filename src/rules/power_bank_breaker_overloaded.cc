#include "plan/plan.h"
#include "plan/power/cords.h"
#include "plan/power/rack_limits.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

void check_group(const Rule& rule, const RuleInput& in, Findings& findings, const RackGroupModel& g) {
  const Cluster& c = in.cluster;
  const auto limit = [&](const PduPart& p) {
    return p.bank_breaker->value * (p.region ? (*p.region == Region::na ? 0.80 : 1.00) : c.continuous_factor);
  };
  const std::vector<PduCurrents>& currents = in.plan.pdu_currents();
  PduCurrents worst;
  double most = 0;
  FailingPdus failing = failing_pdus(in, g, [&](const PduLoad& load) {
    const PduPart* part = g.pdus[static_cast<std::size_t>(load.pdu)].part;
    if (!part || !part->bank_breaker || !part->banks) return 0.0;
    const Value<VoltAmperes> rating = pdu_rating(c, *part);
    if (rating && above(load.normal.value, rating->value))
      return 0.0;  // the whole PDU: power-branch-over-continuous-rating says so
    const PduCurrents& now = currents[static_cast<std::size_t>(&load - in.plan.pdus.data())];
    const double share = above(now.worst_bank, limit(*part)) ? now.worst_bank / limit(*part) : 0;
    if (share > most * (1 + kRounding)) {
      most = share;
      worst = now;
    }
    return share;
  });
  if (!failing.worst) return;
  const PduModel& pdu = g.pdus[static_cast<std::size_t>(failing.worst->pdu)];
  const PduPart& part = *pdu.part;
  const std::string when =
      worst.bank_lost_feed >= 0
          ? format("if feed '{}' fails, ", c.feeds[static_cast<std::size_t>(worst.bank_lost_feed)].name)
          : "";
  Finding& f =
      findings.error(rule.id, pdu.span,
                     format("{}one bank of '{}' in {} carries {}{}, but its breaker is rated for {} continuous", when,
                            pdu.model, rack_list(failing.names, failing.racks), !failing.uniform() ? "up to " : "",
                            to_text(Amperes(worst.worst_bank)), to_text(Amperes(limit(part)))));
  f.label(format("{} banks with a breaker of {} each; {} with all feeds", *part.banks, to_text(*part.bank_breaker),
                 to_text(Amperes(worst.bank))));
  f.note(part.bank_breaker.span, "the breaker of one bank");
  mention_unconfirmed(f, part.bank_breaker, format("the bank breaker of '{}'", pdu.model));
  const std::int64_t rack = failing.worst->rack;
  const Watts guess = unconfirmed_power(in, rack), all = in.plan.racks[static_cast<std::size_t>(rack)].power;
  if (all.value > 0)
    mention_unconfirmed_load(f, worst.worst_bank, limit(part), worst.worst_bank * std::min(1.0, guess / all),
                             to_text(guess));
  f.help("use a PDU with more banks, more supplies with less current each, or a third PDU");
  f.objects = std::move(failing.objects);
}

void power_bank_breaker_overloaded(const Rule& rule, const RuleInput& in, Findings& findings) {
  if (!in.cluster.own_site || in.cluster.continuous_factor == 0) return;
  for (const RackGroupModel& g : in.cluster.racks)
    if (std::any_of(g.pdus.begin(), g.pdus.end(),
                    [](const PduModel& p) { return p.part && p.part->banks && p.part->bank_breaker; }))
      check_group(rule, in, findings, g);
}

}  // namespace

extern const Rule kPowerBankBreakerOverloaded;  // registry.cc names it
const Rule kPowerBankBreakerOverloaded = {
    .id = "power-bank-breaker-overloaded",
    .code = "PWR-015",
    .severity = Severity::error,
    .physics = true,
    .summary = "one outlet bank carries more than the continuous rating of its breaker",
    .explanation = R"(## What it checks

The cords on one bank of a PDU's outlets carry no more than the continuous rating of the bank's own breaker, in normal
operation and after the loss of a feed.

## Why it matters

PDUs above 20 A have a breaker for each bank of outlets. Three cords of a GPU node on one bank trip that breaker while
the display of the whole PDU reads 40 %.

## Formula

```
sum of the currents of the cords on a bank <= bank_breaker x 0.80 (region na), x 1.00 (region iec)
```

Unit: A on both sides.

The planner puts the largest cords first, each on the bank that carries least.
Source: UL 489 and NFPA 70 (NEC) 210.20(A) for branch breakers; data sheets of the PDU (catalogue).

Error: none beyond its inputs, as long as the cords are plugged as planned.

## Example

Three cords of 9.7 A on one bank of 20 A: 29 A, but 16 A are allowed.

## How to fix

One heavy cord a bank, a PDU with more banks, or more PDUs.

## When to accept

Never: it is against the rating of the part that carries the load.
)",
    .check = power_bank_breaker_overloaded,
};

}  // namespace clusterc
