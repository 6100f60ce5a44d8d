// What the plan costs with the prices of the spec: the purchase, a year of running it, an hour of a GPU, and where
// renting costs the same.
//
//   purchase      P = sum over the bill of count x price, + what is paid once (freight, installation)
//   energy        E(u) = W(u) x PUE x 8,760 h x price of a kWh,  W(u) = u x typical + (1 - u) x idle for machines whose
//   idle power is known, else typical running       R(u) = E(u) + support share x hardware + what is paid yearly + rent
//   x 8,760 h write-off     A = P / n, or with interest i the annuity P i / (1 - (1 + i)^-n) GPU-hour      (A + R(u)) /
//   (GPUs x 8,760 h x u) break-even    on demand, spot: the u at which p x GPUs x 8,760 h x u = A + R(u); reserved
//   capacity is paid at every u payback       P / (cloud of a year - R(u)), without interest
// No price is invented: what has none is listed, and every sum that it belongs to is "at least".
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/cost/fitted.h"

namespace clusterc {

struct PartPrice;

constexpr double kHoursPerYear = 8760;  // 365 d x 24 h

std::string_view bill_kind_word(BillKind);  // "server", "switch", as `prices.kinds` has them; "missing"

struct CostLine {
  std::string part, what;
  std::string_view kind = "missing";  // bill_kind_word, or fitted_kind_word of what is put into servers
  std::int64_t count = 0;             // with spares
  Meters length{0};
  std::optional<double> each;  // of one piece; absent with `hour` absent: unpriced
  std::optional<double> hour;  // rented
  double uncertainty = 0;      // share
  std::string by;              // "part", "kind 'cable'", "node group 'gpu'"
  const PartPrice* price = nullptr;
  double sum() const { return each.value_or(0) * static_cast<double>(count); }
  bool priced() const { return each || hour; }
};

struct NamedSum {
  std::string name;
  double amount = 0;
};

struct CloudComparison {
  std::string name;
  std::string_view terms;  // "on demand", "spot", "reserved"
  double gpu_hour = 0;     // after the discount
  double year = 0;         // the same GPU-hours; reserved: all of them
  std::optional<double>
      break_even;  // share of the hours above which own GPUs cost less; may exceed 1. Absent: reserved, or never
  std::optional<double> payback_years;  // absent: never
};

struct Cost {
  const Prices* prices = nullptr;
  std::string currency;
  // As the bill and what is put into servers, those of differently priced groups apart. The price of a node group
  // (`prices.nodes`) is of the node with all that is in it: parts of such nodes have no line.
  std::vector<CostLine> lines;
  std::int64_t unpriced = 0;  // lines
  std::vector<NamedSum> once, yearly;
  double hardware = 0, uncertainty = 0;  // money
  double purchase = 0;
  std::optional<double> budget;

  Watts average{0};  // of the equipment, at the utilisation
  double pue = 1;
  std::string pue_from;
  bool pue_known = true;      // false: not all cooling states its draw, so it is at least this
  bool power_known = true;    // false: the power of something is unknown, so average and energy are at least these
  double kilowatt_hours = 0;  // of a year, PUE included
  std::optional<double> energy, support;  // absent: no price
  double rent = 0;                        // of a year
  double running = 0;                     // of a year, as far as it is priced
  double write_off = 0, year = 0;
  double lifetime = 5, utilisation = 1, interest = 0;
  std::int64_t gpus = 0;
  std::optional<double> gpu_hour, gpu_hour_at_full;  // of an hour that is used; of any hour that it stands there
  std::vector<CloudComparison> cloud;
  bool complete() const { return unpriced == 0 && energy && support && energy_known(); }
  bool energy_known() const { return pue_known && power_known; }
};

// Nothing where the spec has no `prices`, or none that can be added up.
// `besides`: what is paid for and not in the bill of this plan.
std::optional<Cost> cost_of(const Plan&, RacksBought = RacksBought::all, const std::vector<BillRow>& besides = {});

// What one network would need less of at another oversubscription: the same network planned again. Nothing where it
// cannot be built so.
struct FabricSaving {
  std::int64_t switches = 0, cables = 0;
  double money = 0;
  bool priced = true; /* every model that is saved has a price */
};
std::optional<FabricSaving> saving_of_oversubscription(const Plan&, const Cost&, int network, double oversubscription);

// "310,000 EUR"; two decimals below 100.
std::string money_text(double amount, std::string_view currency);

}  // namespace clusterc
