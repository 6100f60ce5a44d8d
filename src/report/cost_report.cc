#include "report/cost_report.h"

#include <cmath>

#include "base/format.h"
#include "plan/cost/fitted.h"
#include "report/table.h"
#include "spec/prices.h"

namespace clusterc {
namespace {

std::string share(double x) { return format("{:.3g} %", x * 100); }
std::string years_text(double years) {
  return years < 2 ? format("{:.3g} months", years * 12) : format("{:.3g} years", years);
}

std::string energy_text(double kwh) {
  if (kwh >= 1e6) return format("{:.4g} GWh", kwh / 1e6);
  if (kwh >= 1e3) return format("{:.4g} MWh", kwh / 1e3);
  return format("{:.4g} kWh", kwh);
}

// One row a kind: what it costs, and what of it has no price.
std::string kinds_text(const Cost& cost) {
  Table table({"kind", ">pieces", ">price", ">without a price"});
  std::vector<std::string_view> kinds;  // as the bill has them, and what is put into servers behind them
  for (int k = 0; k < static_cast<int>(BillKind::missing); ++k) {
    kinds.push_back(bill_kind_word(static_cast<BillKind>(k)));
    if (static_cast<BillKind>(k) != BillKind::server) continue;
    for (int f = 0; f <= static_cast<int>(FittedKind::nvlink_bridge); ++f)
      kinds.push_back(fitted_kind_word(static_cast<FittedKind>(f)));
  }
  kinds.push_back(bill_kind_word(BillKind::missing));
  for (const std::string_view kind : kinds) {
    std::int64_t pieces = 0, unpriced = 0;
    double sum = 0;
    for (const CostLine& l : cost.lines) {
      if (l.kind != kind) continue;
      pieces += l.count;
      sum += l.sum();
      if (!l.priced()) unpriced += l.count;
    }
    if (pieces > 0)
      table.row({std::string(kind), std::to_string(pieces),
                 sum > 0 || unpriced < pieces ? money_text(sum, cost.currency) : "-",
                 unpriced ? std::to_string(unpriced) : ""});
  }
  return table.text();
}

constexpr std::size_t kNamed = 8;

std::string unpriced_text(const Cost& cost) {
  std::string out;
  std::size_t named = 0;
  for (const CostLine& l : cost.lines) {
    if (l.priced()) continue;
    if (++named > kNamed) continue;
    out += format("{}{} x {}", out.empty() ? "  without a price: " : ", ", l.count, l.part);
    if (l.length.value > 0) out += format(" ({})", to_text(l.length));
  }
  if (named > kNamed) out += format(" and {} more lines", named - kNamed);
  return out.empty() ? out : out + "\n";
}

std::string_view at_least(bool complete) { return complete ? "" : "at least "; }

}  // namespace

std::string render_cost_text(const Cost& cost) {
  const std::string& e = cost.currency;
  std::string out = kinds_text(cost) + unpriced_text(cost);
  const bool bought = cost.unpriced == 0;
  for (const NamedSum& s : cost.once) out += format("  {}: {}\n", s.name, money_text(s.amount, e));
  out += format("  purchase: {}{}", at_least(bought), money_text(cost.purchase, e));
  if (cost.uncertainty > 0) out += format(", with an uncertainty of {}", money_text(cost.uncertainty, e));
  if (cost.budget) out += format("; budget {}", money_text(*cost.budget, e));
  out += format("\n  a year: {}{}\n", at_least(cost.complete()), money_text(cost.year, e));
  out += format("    write-off over {:.3g} years{}: {}{}\n", cost.lifetime,
                cost.interest > 0 ? format(" at {} a year", share(cost.interest)) : "", at_least(bought),
                money_text(cost.write_off, e));
  if (cost.average.value > 0 || !cost.power_known) {
    out += format("    energy: {}{} on average at {} utilisation x PUE {}{:.3g} x 8,760 h = {}",
                  at_least(cost.power_known), to_text(cost.average), share(cost.utilisation), at_least(cost.pue_known),
                  cost.pue, energy_text(cost.kilowatt_hours));
    out +=
        cost.energy ? format(": {}{}\n", at_least(cost.energy_known()), money_text(*cost.energy, e)) : ": not priced\n";
    if (!cost.pue_from.empty()) out += format("      PUE: {}\n", cost.pue_from);
  }
  if (cost.rent > 0) out += format("    rent: {}{}\n", at_least(bought), money_text(cost.rent, e));
  if (!cost.support)
    out += "    support: not priced\n";
  else if (*cost.support > 0)
    out += format("    support: {}{}\n", at_least(bought), money_text(*cost.support, e));
  for (const NamedSum& s : cost.yearly) out += format("    {}: {}\n", s.name, money_text(s.amount, e));
  if (cost.gpu_hour)
    out += format("  a GPU-hour: {}{} at {} utilisation, {} at 100 % utilisation\n", at_least(cost.complete()),
                  money_text(*cost.gpu_hour, e), share(cost.utilisation), money_text(*cost.gpu_hour_at_full, e));
  if (cost.cloud.empty()) return out;
  Table table({"rented", "terms", ">GPU-hour", ">a year", "own costs less", "purchase paid back"});
  for (const CloudComparison& c : cost.cloud) {
    // Where the year is "at least", so is what follows from it; that own ones cost less is then said of the priced part
    // only.
    const std::string_view least = at_least(cost.complete());
    std::string above = c.terms == "reserved"
                            ? (c.year > cost.year ? (cost.complete() ? "yes" : "yes, as far as priced") : "no")
                        : !c.break_even     ? "never"
                        : *c.break_even > 1 ? format("never ({}{} of the hours)", least, share(*c.break_even))
                                            : format("above {}{} used", least, share(*c.break_even));
    table.row({c.name, std::string(c.terms), money_text(c.gpu_hour, e), money_text(c.year, e), std::move(above),
               c.payback_years ? format("after {}{}", least, years_text(*c.payback_years)) : "never"});
  }
  out += "  the same GPU-hours rented, without storage and transfer:\n" + table.text();
  return out;
}

void cost_json(JsonWriter& json, const Cost& cost) {
  json.field("currency", cost.currency)
      .field("complete", cost.complete())
      .field("unpriced_lines", cost.unpriced)
      .field("hardware", cost.hardware)
      .field("uncertainty", cost.uncertainty)
      .field("purchase", cost.purchase)
      .field("budget", cost.budget);
  const auto sums = [&](std::string_view key, const std::vector<NamedSum>& list) {
    json.object(key, kLine);
    for (const NamedSum& s : list) json.field(s.name, s.amount);
    json.end_object();
  };
  sums("once", cost.once);
  sums("yearly", cost.yearly);
  json.object("energy", kLine)
      .field("average_w", cost.average.value)
      .field("pue", cost.pue)
      .field("pue_from", cost.pue_from)
      .field("pue_known", cost.pue_known)
      .field("power_known", cost.power_known)
      .field("kwh_per_year", cost.kilowatt_hours)
      .field("per_year", cost.energy)
      .end_object();
  json.field("support_per_year", cost.support)
      .field("rent_per_year", cost.rent)
      .field("running_per_year", cost.running)
      .field("write_off_per_year", cost.write_off)
      .field("total_per_year", cost.year)
      .field("lifetime_years", cost.lifetime)
      .field("utilisation", cost.utilisation)
      .field("interest", cost.interest)
      .field("gpu_hour", cost.gpu_hour)
      .field("gpu_hour_at_full_use", cost.gpu_hour_at_full);
  json.array("cloud");
  for (const CloudComparison& c : cost.cloud)
    json.begin_object(kLine)
        .field("name", c.name)
        .field("terms", c.terms)
        .field("gpu_hour", c.gpu_hour)
        .field("per_year", c.year)
        .field("break_even_utilisation", c.break_even)
        .field("payback_years", c.payback_years)
        .end_object();
  json.end_array();
  json.array("lines");
  for (const CostLine& l : cost.lines) {
    json.begin_object(kLine).field("part", l.part).field("what", l.what).field("kind", l.kind).field("count", l.count);
    if (l.length.value > 0) json.field("length_m", l.length.value);
    json.field("each", l.each).field("per_hour", l.hour).field("sum", l.sum()).field("priced_by", l.by);
    if (l.price) {
      const Value<std::string>& source = l.price->source.or_else(cost.prices->source);
      const Value<Date>& date = l.price->date.or_else(cost.prices->date);
      if (source) json.field("source", *source);
      if (date) json.field("date", date->text());
      json.field("uncertainty", l.uncertainty);
    }
    json.end_object();
  }
  json.end_array();
}

}  // namespace clusterc
