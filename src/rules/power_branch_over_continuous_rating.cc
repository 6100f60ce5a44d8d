#include "model/power.h"
#include "model/rounded_up.h"
#include "plan/plan.h"
#include "plan/power/power.h"
#include "plan/power/rack_limits.h"
#include "rules/power_say.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

// "sqrt(3) x 415 V x 60 A x 0.80 (continuous load, region na)"
std::string rating_formula(const Cluster& c, const PduPart& p) {
  if (!p.voltage || !p.phases || !p.breaker) return "its continuous apparent power";
  const std::string factor = c.continuous_factor > 0 && c.continuous_factor < 1
                                 ? format(" x {:.2f} (continuous load, region na)", c.continuous_factor)
                                 : "";
  return format("{}{} x {}{}", *p.phases >= 3 ? "sqrt(3) x " : "", to_text(*p.voltage), to_text(*p.breaker), factor);
}

void check_racks(const Rule& rule, const RuleInput& in, Findings& findings, const RackGroupModel& g, Classes& all) {
  const Cluster& c = in.cluster;
  FailingPdus failing = failing_pdus(in, g, [&](const PduLoad& load) {
    const PduPart* part = g.pdus[load.pdu].part;
    const Value<VoltAmperes> rating = part ? pdu_rating(c, *part) : Value<VoltAmperes>();
    return rating && above(load.normal.value, rating->value) ? load.normal.value / rating->value : 0.0;
  });
  const PduLoad* worst = failing.worst;
  if (!worst) return;
  const PduModel& pdu = g.pdus[worst->pdu];
  const Value<VoltAmperes> rating = pdu_rating(c, *pdu.part);
  const std::vector<Term> terms = power_terms(in, worst->rack);
  const int group = heaviest_node_group(terms);
  const SourceSpan at = group >= 0 ? load_place(c.nodes[group]) : g.span;
  const double pf = power_factor(c);
  const std::vector<const PowerClass*> classes = all.of(&g - c.racks.data());
  const PowerClass& k = class_of_rack(classes, worst->rack);
  const OnPdu on = on_pdu(in.plan, k, static_cast<std::size_t>(worst->pdu), -1);
  const std::string differ = loads_by_rack(c, failing, [](const PduLoad& load) { return load.normal; });
  Finding& f = findings.error(
      rule.id, at,
      format("{} must supply {}{}, but '{}' is rated for {} continuous", which_pdu(c, failing, on.alike, "each PDU of"),
             on.alike && !differ.empty() ? "up to " : "", to_text(worst->normal), pdu.model, to_text(*rating)));
  if (!differ.empty()) f.note({}, differ);
  const Watts rack_power = in.plan.racks[worst->rack].power;
  if (on.alike)
    f.label(format("{} = {} at power factor {:.2f} = {}, over {}", sum_text(terms, Dimension::power),
                   to_text(rack_power), pf, to_text(in.plan.apparent(rack_power)),
                   plural(static_cast<std::int64_t>(g.pdus.size()), "PDU")));
  else
    f.label(format("{} = {} at power factor {:.2f} = {}", sum_text(on.terms, Dimension::power),
                   to_text(Watts(worst->normal.value * pf)), pf, to_text(worst->normal)));
  f.note(pdu.span, "the limit comes from this PDU", rating_formula(c, *pdu.part));
  mention_unconfirmed(f, rating, format("the rating of '{}'", pdu.model));
  if (const Watts guess = unconfirmed_power(in, worst->rack); rack_power.value > 0)
    mention_unconfirmed_load(f, worst->normal.value, rating->value,
                             worst->normal.value * std::min(1.0, guess / rack_power), to_text(guess));
  // How many of the nodes would fit: what they draw now less what is too much.
  for (const Term& t : terms)
    if (t.kind == DeviceKind::node && t.group == group) {
      const double allowed = rating->value * pf * static_cast<double>(g.pdus.size()),
                   others = rack_power.value - t.each * static_cast<double>(t.count);
      const auto fit = static_cast<std::int64_t>(std::max(0.0, (allowed - others) / t.each + kRounding));
      if (!on.alike)
        f.help(format("move {} to other PDUs, use larger PDUs, or add one",
                      to_text(VoltAmperes(rounded_up((worst->normal - *rating).value)))));
      else
        f.help(
            fit > 0
                ? format("{} of the {} nodes of '{}' would fit: the rack then draws {} of the {} that its PDUs carry",
                         fit, t.count, c.nodes[group].name, to_text(Watts(others + t.each * static_cast<double>(fit))),
                         to_text(Watts(allowed)))
                : format("no node of '{}' fits beside the other devices ({} of {}): use larger PDUs",
                         c.nodes[group].name, to_text(Watts(others)), to_text(Watts(allowed))));
      const std::string cap = cap_help(c.nodes[group], Watts((allowed - others) / static_cast<double>(t.count)),
                                       [&](Watts w) { return pdus_hold_capped(in.plan, classes, g, false, group, w); });
      if (!cap.empty()) f.help(cap);
    }
  f.objects = std::move(failing.objects);
}

// Left over because no rack has the power for it: nothing is overloaded yet, but only since it stands nowhere.
void check_unplaced(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const Unplaced& u : in.plan.unplaced) {
    if (u.lack != Unplaced::Lack::power) continue;
    if (const int racks = unplaced_racks(in, u); racks >= 0 && budget_decides(c, c.racks[racks]))
      continue;  // power-rack-over-budget says so
    const SourceSpan at =
        u.kind == DeviceKind::node && u.span == c.nodes[u.group].span ? load_place(c.nodes[u.group]) : u.span;
    Finding& f = findings.error(
        rule.id, at,
        format("{} {} no rack with enough power: {}", unplaced_name(in, u), u.count == 1 ? "has" : "have", u.why));
    const int racks = unplaced_racks(in, u);
    if (racks >= 0 && !c.racks[racks].pdus.empty()) {
      const RackGroupModel& g = c.racks[racks];
      const PduModel& pdu = g.pdus.front();
      const Value<VoltAmperes> rating = pdu.part ? pdu_rating(c, *pdu.part) : Value<VoltAmperes>();
      const RackLimits limits = rack_limits(c, g);
      if (rating) {
        f.label(format("a rack can carry {} with all feeds", to_text(limits.normal)));
        f.note(pdu.span, "the limit comes from these PDUs",
               format("{} x {} x power factor {:.2f}", g.pdus.size(), to_text(*rating), power_factor(c)));
        mention_unconfirmed(f, rating, format("the rating of '{}'", pdu.model));
      }
    }
    f.help("use more racks, larger PDUs, or a `power_cap`");
    f.object(unplaced_object(in, u));
  }
}

void check_feeds(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (std::size_t i = 0; i < c.feeds.size() && i < in.plan.feeds.size(); ++i) {
    const FeedModel& feed = c.feeds[i];
    const FeedLoad& load = in.plan.feeds[i];
    if (!feed.capacity) {
      if (feed.capacity.unknown || feed.spec->capacity.unknown || feed.spec->breaker.unknown)
        findings.note(rule.id, feed.span,
                      format("feed '{}' has neither capacity nor breaker, so its load of {} was not checked", feed.name,
                             to_text(load.normal)));
      continue;  // absent: the resolver asked for it
    }
    const VoltAmperes drawn = at_breaker(feed, load.normal);
    if (!above(drawn.value, feed.capacity->value)) continue;
    Finding& f = findings.error(rule.id, first_place(feed.capacity.span, feed.span),
                                format("feed '{}' must supply {} but is rated for {} continuous", feed.name,
                                       to_text(drawn), to_text(*feed.capacity)));
    f.label(feed.capacity.origin == Origin::derived
                ? feed.capacity.source
                : format("{} at power factor {:.2f} = {}", to_text(load.power), power_factor(c), to_text(load.normal)));
    if (feed.spec->in_use)
      f.note(feed.spec->in_use.span, format("{} of this is other equipment", to_text(*feed.spec->in_use)));
    note_ups_loss(f, feed, load.normal);
    if (const Watts guess = unconfirmed_power(in, -1); guess.value > 0)
      mention_unconfirmed_load(f, drawn.value, feed.capacity->value, in.plan.apparent(guess).value,
                               format("up to {}", to_text(guess)));
    note_unplaced(f, in);
    f.help(format("reduce the load by {}, or use a feed of at least {}",
                  to_text(VoltAmperes(rounded_up((drawn - *feed.capacity).value))),
                  to_text(VoltAmperes(rounded_up(drawn.value)))));
    f.object("feed/" + feed.name);
  }
}

void check_panels(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (c.panels.empty() || !c.spec.site || !c.spec.site->supply) return;
  const Supply& supply = *c.spec.site->supply;
  if (!supply.voltage || !supply.phases || c.continuous_factor == 0) return;  // the reader asked for them
  const std::vector<FeedLoad> on = panel_loads(in.plan);
  for (std::size_t i = 0; i < c.panels.size(); ++i) {
    const Value<Amperes>& breaker = c.panels[i].spec->breaker;
    if (!breaker) continue;
    const double share = continuous_share(c, c.panels[i].spec->continuous);
    const VoltAmperes rating = continuous_rating(*supply.phases, *supply.voltage, *breaker, share);
    if (!above(on[i].normal.value, rating.value)) continue;
    Finding& f = findings.error(rule.id, breaker.span,
                                format("panel '{}' must supply {} but is rated for {} continuous", c.panels[i].name,
                                       to_text(on[i].normal), to_text(rating)));
    f.label(format("{}{} x {} x {:.2f}", *supply.phases >= 3 ? "sqrt(3) x " : "", to_text(*supply.voltage),
                   to_text(*breaker), share));
    f.help("move PDUs to another panel, or use a larger breaker");
    f.object("panel/" + c.panels[i].name);
  }
}

std::string unknown_power(std::string_view part, std::string_view whose) {
  return format("the power of '{}' is unknown, so {} as 0 W in all power and heat checks: write `power`", part, whose);
}

void power_branch_over_continuous_rating(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  Classes classes(in.plan);
  for (const RackGroupModel& g : c.racks) {
    if (draws_power(in, g) && g.pdus.empty())
      findings.note(rule.id, g.span,
                    format("rack group '{}' has no `pdus`, so its branch circuits were not checked", g.name));
    for (const PduModel& p : g.pdus)
      if (p.part && !pdu_rating(c, *p.part))
        findings.note(
            rule.id, p.span,
            format("'{}' states neither `apparent` nor `voltage` and `breaker`, so its branch circuit was not checked",
                   p.model));
    check_racks(rule, in, findings, g, classes);
  }
  for (const NodeGroupModel& g : c.nodes)
    if (is_ours(g) && g.racks >= 0 && g.count > 0 && !g.server.power) {
      // GPUs are what a room's power is for: nobody should build on sums without them.
      const bool gpus = g.server.gpu_count > 0;
      const std::string message = unknown_power(g.server.id, "group '" + g.name + "' counts");
      (gpus ? findings.warning(rule.id, g.server.span, message) : findings.note(rule.id, g.server.span, message))
          .object("nodes." + g.name);
    }
  for (const NodeGroupModel& g : c.nodes) {
    if (!is_ours(g) || g.racks < 0 || g.assembly >= 0 || g.count == 0) continue;
    for (const PowerGap& gap : power_lacks(g))
      findings
          .note(rule.id, g.server.span,
                format("the power of '{}' is unknown, so {} of this part in each node of group '{}' {} as 0 W in all "
                       "power and heat "
                       "checks: write `power`",
                       gap.what, gap.count, g.name, gap.count == 1 ? "counts" : "count"))
          .object("nodes." + g.name);
  }
  for (const Fabric& f : in.plan.fabrics) {
    const NetworkModel& n = c.networks[static_cast<std::size_t>(f.network)];
    for (const FabricTier& t : f.tiers)
      if (t.part && !switch_power(*t.part)) {
        findings.note(rule.id, n.span, unknown_power(t.model, "the switches of network '" + n.name + "' count"))
            .object("networks." + n.name);
        break;
      }
  }
  check_unplaced(rule, in, findings);
  check_feeds(rule, in, findings);
  check_panels(rule, in, findings);
}

}  // namespace

extern const Rule kPowerBranchOverContinuousRating;  // registry.cc names it
const Rule kPowerBranchOverContinuousRating = {
    .id = "power-branch-over-continuous-rating",
    .code = "PWR-001",
    .severity = Severity::error,
    .physics = true,
    .summary = "a branch circuit carries more than its continuous rating",
    .explanation = R"(## What it checks

With all feeds available, every PDU, panel and feed carries no more than its continuous rating.
Equipment whose power is unknown counts as 0 W in every sum of power and heat. A finding names it: a warning for nodes
with GPUs, a note for other nodes and for switches.

## Why it matters

A breaker that is loaded above its continuous rating opens after minutes or hours under full load. Everything behind it
loses power at once, and the load moves to the next breaker. In region `na` the code allows 80 % of the breaker's rating
for loads of three hours and more; training jobs are such a load.

## Formula

```
load of one PDU [VA]   = sum over the cords on it of (power of the device [W] / its supplies) / power factor
rating, three phases   = sqrt(3) x line-to-line voltage x breaker x f
rating, one phase      = voltage x breaker x f
f                      = 0.80 (region na), 1.00 (region iec)
```

Unit: VA on both sides; power in W, voltage in V, breaker in A.

Source: NFPA 70 (NEC) 210.20(A) and 215.3; HP, "Power basics for IT professionals", tables 4 and 5. The power of a rack is the sum of the highest powers of what
stands in it; which cord hangs on which PDU is planned, the largest first, each on the PDU that is least loaded (docs/what-if.md). What states no power counts as nothing, and a finding names it: a server (a warning, where it has GPUs), a switch, or
an adapter that was fitted beside those that the stated power of its server is of.

Error: none beyond its inputs, as long as the cords are plugged as planned. A power factor of 0.96 is a default where
none is written; what states no power makes the load a lower bound.

## Example

Two nodes of 10.2 kW on one 208 V three-phase 60 A PDU: 20.4 kW / 0.96 = 21.3 kVA, the PDU carries sqrt(3) x 208 V x 60 A x 0.80 = 17.3 kVA.

## How to fix

Put fewer nodes in a rack (`per_rack`), take larger PDUs or one more of them, or enforce a `power_cap` on the nodes.

## When to accept

Never: it is against the rating of the part that carries the load.
)",
    .check = power_branch_over_continuous_rating,
};

}  // namespace clusterc
