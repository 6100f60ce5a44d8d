#include "plan/cost/cost.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/digits.h"
#include "base/format.h"
#include "plan/fabric/fabric.h"
#include "plan/power/power.h"
#include "plan/power/power_gaps.h"
#include "spec/network.h"
#include "spec/prices.h"
#include "spec/site.h"

namespace clusterc {
namespace {

// Money of the spec in the currency of the sums; nothing where no exchange is given (which was reported).
class Exchange {
 public:
  explicit Exchange(const Prices& p) : p_(p) {}
  template <Per P>
  std::optional<double> operator()(const Value<MoneyPer<P>>& v) const {
    if (!v) return std::nullopt;
    if (v->currency == *p_.currency) return v->amount;
    const auto* rate = p_.exchange.find(v->currency);
    if (!rate || !rate->value) return std::nullopt;
    return v->amount * *rate->value;
  }

 private:
  const Prices& p_;
};

// What has one price of what `count` pieces are of, group by group where groups have prices of their own.
struct Pieces {
  const PartPrice* price = nullptr;
  std::string by;
  std::int64_t count = 0;
};
// By node group: its own price; null: it has none.
std::vector<const PartPrice*> prices_of_groups(const Prices& p, const Cluster& c) {
  std::vector<const PartPrice*> prices(c.nodes.size(), nullptr);
  for (const auto& own : p.nodes)
    if (const int g = c.find_node_group(own.name); g >= 0 && !prices[static_cast<std::size_t>(g)])
      prices[static_cast<std::size_t>(g)] = &own.value;
  return prices;
}
std::vector<Pieces> pieces_of(const Prices& p, const Cluster& c, const std::vector<const PartPrice*>& of_groups,
                              std::string_view name, std::string_view kind_word, std::int64_t count,
                              const ServerFit* fit = nullptr, bool whole = false) {
  const auto* part = p.parts.find(name);
  const bool machine = fit && fit->server->virtual_machine;  // no instance of the catalogue: no kind has its price
  const auto* kind = machine ? nullptr : p.kinds.find(kind_word);
  std::vector<Pieces> pieces;
  std::int64_t rest = count;
  if (fit)
    for (const int i : fit->groups) {
      const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(i)];
      const PartPrice* own = of_groups[static_cast<std::size_t>(i)];
      if (!own || fit->tray) continue;
      if (whole) pieces.push_back({own, format("node group '{}'", g.name), g.count});
      rest -= count / fit->count * g.count;
    }
  if (rest > 0) {
    if (part)
      pieces.push_back({&part->value, "part", rest});
    else if (kind)
      pieces.push_back({&kind->value, format("kind '{}'", kind->name), rest});
    else
      pieces.push_back({nullptr, {}, rest});
  }
  return pieces;
}

// What the machines draw less than typical for each share of the time that they idle, where the catalogue knows it.
Watts saved_by_idling(const Cluster& c) {
  Watts saved{0};
  for (const NodeGroupModel& g : c.nodes) {
    const ServerModel& s = g.server;
    if (g.assembly >= 0 || s.virtual_machine || s.instance || !s.power || !s.power_idle) continue;
    const Watts typical = s.power_typical.value_or(*s.power);
    if (typical > *s.power_idle) saved += (typical - *s.power_idle) * static_cast<double>(g.count);
  }
  return saved;
}

void find_pue(const Plan& plan, Cost& cost) {
  const SitePower site = site_power(plan);
  cost.pue = site.pue();
  cost.pue_known = site.pue_known();
  if (site.by_pue) cost.pue_from = "stated in `site`";
  if (site.by_pue || site.equipment.value <= 0) return;
  cost.pue_from = format("{} of equipment, {} of cooling, {} of UPS losses, all at maximum load",
                         to_text(site.equipment), to_text(site.cooling), to_text(site.ups_loss));
  if (!site.cooling_known) cost.pue_from += "; the power of some cooling units is not stated";
}

double annuity(double purchase, double years, double interest) {
  if (interest <= 0) return purchase / years;
  return purchase * interest / (1 - std::pow(1 + interest, -years));
}

}  // namespace

std::string_view bill_kind_word(BillKind k) {
  switch (k) {
    case BillKind::assembly:
      return "assembly";
    case BillKind::rack:
      return "rack";
    case BillKind::pdu:
      return "pdu";
    case BillKind::server:
      return "server";
    case BillKind::instance:
      return "instance";
    case BillKind::storage:
      return "storage";
    case BillKind::switch_:
      return "switch";
    case BillKind::cable:
      return "cable";
    case BillKind::module:
      return "module";
    case BillKind::fibre:
      return "fibre";
    case BillKind::ups:
      return "ups";
    case BillKind::cooling:
      return "cooling";
    case BillKind::cdu:
      return "cdu";
    case BillKind::missing:
      return "missing";
  }
  return "missing";
}

namespace {

// The lines of one row of the bill: one for each price that its pieces have.
void add_lines(const BillRow& r, const std::vector<Pieces>& all, const Prices& p, const Exchange& in_sum, Cost& cost) {
  for (const Pieces& pieces : all) {
    CostLine l{.part = r.part,
               .what = r.what,
               .kind = r.kind,
               .count = pieces.count,
               .length = r.length,
               .by = pieces.by,
               .price = pieces.price};
    if (pieces.price) {
      const auto each = in_sum(pieces.price->price), metre = in_sum(pieces.price->per_metre);
      if (each || (metre && r.length.value > 0)) l.each = each.value_or(0) + metre.value_or(0) * r.length.value;
      l.hour = in_sum(pieces.price->per_hour);
      l.uncertainty = pieces.price->uncertainty.value_or(p.uncertainty.value_or(0));
    }
    if (!l.priced()) ++cost.unpriced;
    cost.hardware += l.sum();
    cost.uncertainty += l.sum() * l.uncertainty;
    cost.rent += l.hour.value_or(0) * static_cast<double>(l.count) * kHoursPerYear;
    cost.lines.push_back(std::move(l));
  }
}

// `slope`: energy of a year, from none used to all used.
void compare_with_cloud(const Prices& p, const Exchange& in_sum, double gpu_hours, double slope, Cost& cost) {
  const double unused = cost.year - slope * cost.utilisation;  // of a year in which nothing runs
  for (const auto& offer : p.cloud) {
    const auto on_demand = in_sum(offer.value.gpu_hour);
    if (!on_demand) continue;
    struct Terms {
      std::string_view word;
      std::optional<double> discount;
      bool always;
    };
    for (const Terms& t : {Terms{"on demand", 0.0, false}, Terms{"spot", offer.value.spot.value, false},
                           Terms{"reserved", offer.value.reserved.value, true}}) {
      if (!t.discount) continue;
      CloudComparison one{.name = offer.name, .terms = t.word, .gpu_hour = *on_demand * (1 - *t.discount)};
      const double full = one.gpu_hour * gpu_hours;
      one.year = t.always ? full : full * cost.utilisation;
      if (!t.always && full > slope) one.break_even = unused / (full - slope);
      if (one.year > cost.running) one.payback_years = cost.purchase / (one.year - cost.running);
      cost.cloud.push_back(std::move(one));
    }
  }
}

}  // namespace

std::optional<Cost> cost_of(const Plan& plan, RacksBought racks, const std::vector<BillRow>& besides) {
  const Cluster& c = *plan.cluster;
  if (!c.spec.prices || !c.spec.prices->currency || c.spec.prices->currency->size() != 3)
    return std::nullopt;  // reported by the reader
  const Prices& p = *c.spec.prices;
  const Exchange in_sum(p);
  Cost cost;
  cost.prices = &p;
  cost.currency = *p.currency;
  const std::vector<ServerFit> fits = server_fits(c);
  const std::vector<const PartPrice*> of_groups = prices_of_groups(p, c);
  std::vector<BillRow> rows = bill_rows(plan, fits, racks);
  rows.insert(rows.end(), besides.begin(), besides.end());
  for (const BillRow& r : rows)
    add_lines(r,
              pieces_of(p, c, of_groups, r.part, r.kind, r.count + r.spares,
                        r.fit < 0 ? nullptr : &fits[static_cast<std::size_t>(r.fit)], !r.put_in),
              p, in_sum, cost);
  cost.purchase = cost.hardware;
  for (const auto& e : p.once)
    if (const auto amount = in_sum(e.value)) {
      cost.once.push_back({e.name, *amount});
      cost.purchase += *amount;
    }
  cost.budget = in_sum(p.budget);
  for (const auto& e : p.yearly)
    if (const auto amount = in_sum(e.value)) {
      cost.yearly.push_back({e.name, *amount});
      cost.running += *amount;
    }
  cost.lifetime = p.lifetime ? p.lifetime->years : 5;
  cost.utilisation = p.utilisation.value_or(0.8);
  cost.interest = p.interest.value_or(0);
  cost.gpus = plan.gpu_count;

  // Everything but the machines draws its typical power all the time, so energy is a straight line over the
  // utilisation.
  const Watts idling = saved_by_idling(c);
  find_pue(plan, cost);
  cost.power_known = power_gaps(plan).power_known();
  cost.average = plan.it_typical - idling * (1 - cost.utilisation);
  const auto per_kwh = in_sum(p.electricity);
  const double hours_pue = cost.pue * kHoursPerYear / 1000;  // W -> kWh of a year
  cost.kilowatt_hours = cost.average.value * hours_pue;
  const bool draws = plan.it_typical.value > 0 || !cost.power_known;
  if (per_kwh)
    cost.energy = cost.kilowatt_hours * *per_kwh;
  else if (!draws)
    cost.energy = 0;  // rented machines: energy is in the rent
  const bool support_yearly = p.yearly.find("support") != nullptr;
  if (p.support)
    cost.support = *p.support * cost.hardware;
  else if (support_yearly || (cost.hardware <= 0 && cost.rent > 0))
    cost.support = 0;
  cost.running += cost.energy.value_or(0) + cost.support.value_or(0) + cost.rent;
  cost.write_off = annuity(cost.purchase, cost.lifetime, cost.interest);
  cost.year = cost.write_off + cost.running;
  if (cost.gpus <= 0) return cost;

  const double gpu_hours = static_cast<double>(cost.gpus) * kHoursPerYear;
  cost.gpu_hour = cost.year / (gpu_hours * cost.utilisation);
  cost.gpu_hour_at_full = cost.year / gpu_hours;
  compare_with_cloud(p, in_sum, gpu_hours, per_kwh ? idling.value * hours_pue * *per_kwh : 0, cost);
  return cost;
}

std::optional<FabricSaving> saving_of_oversubscription(const Plan& plan, const Cost& cost, int network,
                                                       double oversubscription) {
  const auto i = static_cast<std::size_t>(network);
  Cluster cluster = *plan.cluster;  // its groups go on pointing into the one that it was made from, which lives longer
  if (!cluster.networks[i].spec) return std::nullopt;
  Network changed = *cluster.networks[i].spec;
  changed.oversubscription.value = oversubscription;
  cluster.networks[i].spec = &changed;
  Plan other;
  other.cluster = &cluster;
  plan_fabrics(other);
  const Fabric& now = plan.fabrics[i];
  const Fabric& then = other.fabrics[i];
  if (then.tiers.empty() || !then.unbuildable.empty()) return std::nullopt;
  FabricSaving saving{
      .switches = now.switch_count() - then.switch_count(),
      .cables = now.leaf_spine_cables + now.spine_core_cables - then.leaf_spine_cables - then.spine_core_cables};
  const auto add = [&](const Fabric& f, double sign) {
    for (const FabricTier& t : f.tiers) {
      const auto line = std::find_if(cost.lines.begin(), cost.lines.end(), [&](const CostLine& l) {
        return l.part == t.model && l.kind == bill_kind_word(BillKind::switch_);
      });
      if (line == cost.lines.end() || !line->each)
        saving.priced = false;
      else
        saving.money += sign * *line->each * static_cast<double>(t.count);
    }
  };
  add(now, 1);
  add(then, -1);
  return saving;
}

std::string money_text(double amount, std::string_view currency) {
  std::array<char, 400> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), amount, std::chars_format::fixed,
                                 std::abs(amount) < 100 ? 2 : 0)
                       .ptr;
  return in_threes(std::string(buffer.data(), end)) + " " + std::string(currency);
}

}  // namespace clusterc
