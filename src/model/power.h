// Power of one device at the wall: what its maker states, else the sum of its parts. Pure; nothing is guessed for a GPU or CPU without a figure.
#pragma once
#include <string>
#include <vector>

#include "model/cluster.h"

namespace clusterc {

// Planning defaults for parts whose catalogue entries carry no power. Modules and drives of one kind differ by more than these digits.
constexpr Watts kDimmPower{10};              // one DDR5 RDIMM under load (planning default)
constexpr Watts kDrivePower{20};             // one U.2 NVMe drive under load (planning default; other drives take less)
constexpr double kAirFanShare = 0.12;        // fans of an air-cooled server, of everything else in it (planning default)
constexpr double kLiquidFanShare = 0.03;     // what still needs air beside cold plates (planning default)
constexpr double kSupplyEfficiency = 0.94;   // 80 PLUS Platinum, 230 V internal redundant, half load (CLEAResult 80 PLUS programme: 90/94/91 % at 20/50/100 %)

struct PowerTerm {
  std::string what;               // "nvidia-h100-sxm5-80", "memory module"
  std::int64_t count = 0;
  Watts each{0};
  bool confirmed = true;          // a planning default counts as confirmed: the sum says that it is derived
};

// Sum of the parts of one server. `complete` is false where a GPU or CPU has no figure: then `wall` is a lower bound and no power at all.
struct PowerSum {
  std::vector<PowerTerm> terms;
  std::vector<std::string> missing;          // "tdp of nvidia-xyz", "processors"
  Watts parts{0}, fans{0};                   // DC
  double fan_share = kAirFanShare, efficiency = kSupplyEfficiency;
  Watts wall{0};                             // (parts + fans) / efficiency
  bool complete = true, confirmed = true;
  std::string formula() const;               // "(8 x 700 W nvidia-h100-sxm5-80 + …) x 1.12 fans / 0.94 efficiency"
};
PowerSum server_power_sum(const ServerModel&);

// Fills power, power_typical and power_idle of a server whose parts are resolved: the part's figure, else the sum; never more than `cap`.
void fill_server_power(ServerModel&, const Value<Watts>& cap);

// Highest power of a switch at the wall. Without a published maximum: what its supplies can deliver with the spare ones failed, else the
// typical figure; both as derived, unconfirmed values that say so. Absent figures give an unknown value.
Value<Watts> switch_power(const SwitchPart&);

// Voltage across a device's supply: between lines where that is a load voltage (208 V), else line to neutral (415 V: 240 V; 400 V: 231 V).
Volts load_voltage(std::int64_t phases, Volts);
Value<Volts> supply_voltage(const Site&);
// What a breaker may carry without end: sqrt(3) x V_LL x I x factor, one phase V x I x factor.
VoltAmperes continuous_rating(std::int64_t phases, Volts, Amperes breaker, double factor);

}  // namespace clusterc
