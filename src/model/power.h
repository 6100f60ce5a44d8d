// Power of one device at the wall: what its maker states, else the sum of its parts. Pure; nothing is guessed for a GPU
// or CPU without a figure.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "model/cluster.h"

namespace clusterc {

// Planning defaults for parts whose catalogue entries carry no power. Modules and drives of one kind differ by more
// than these digits.
constexpr Watts kDimmPower{10};             // one DDR5 RDIMM under load (planning default)
constexpr Watts kDrivePower{20};            // one U.2 NVMe drive under load (planning default; SATA drives take less)
constexpr Watts kDiskPower{10};             // one disk of 3.5 inches under load (planning default; Exos X16: 10 W)
constexpr double kAirFanShare = 0.12;       // fans of an air-cooled server, of everything else in it (planning default)
constexpr double kLiquidFanShare = 0.03;    // what still needs air beside cold plates (planning default)
constexpr double kSupplyEfficiency = 0.94;  // 80 PLUS Platinum, 230 V internal redundant, half load (CLEAResult 80 PLUS
                                            // programme: 90/94/91 % at 20/50/100 %)

struct PowerTerm {
  std::string what;  // "nvidia-h100-sxm5-80", "memory module"
  std::int64_t count = 0;
  Watts each{0};
  bool confirmed = true;  // a planning default counts as confirmed: the sum says that it is derived
};

struct PowerGap {    // a figure that the sum lacks
  std::string fact;  // "tdp of 'nvidia-xyz'", "power of its processors"
  std::string what;  // the part
  std::int64_t count = 0;
  bool decides = true;  // a GPU or CPU: without it there is no sum
};

// Sum of the parts of one server. `complete` is false where a GPU or CPU has no figure: then `wall` is a lower bound
// and no power at all.
struct PowerSum {
  std::vector<PowerTerm> terms;
  std::vector<PowerGap> missing;
  Watts parts{0}, fans{0};  // DC
  Watts stated{0};          // of the parts, what the catalogue states: no planning defaults
  double fan_share = kAirFanShare, efficiency = kSupplyEfficiency;
  Watts wall{0};  // (parts + fans) / efficiency
  bool complete = true, confirmed = true;
  std::string formula() const;  // "(8 x 700 W nvidia-h100-sxm5-80 + …) x 1.12 fans / 0.94 efficiency"
};
PowerSum server_power_sum(const ServerModel&);
// What one GPU may draw without end: its TDP, or less where the spec limits it (power-gpu-limit-out-of-range holds the
// limit to the board's range).
Watts gpu_power(const ServerModel&, Watts tdp);

// Fills power, power_typical, power_idle and airflow of a server whose parts are resolved: the stated figure, made to
// follow where the spec fits other parts than it was stated for, less what a limit takes from its GPUs; else the sum;
// never more than `cap`. Following: stated + (parts fitted - parts that it was stated for) x fans / efficiency. Typical
// power, idle power and air keep their share of the highest, but for those that are written over the stated ones. Of
// kinds that the stated one does not list (but GPUs: it has none) nothing is known to differ. A GPU or CPU without a
// figure on either side: the sum.
void fill_server_power(ServerModel&, const Value<Watts>& cap);
// Adapters whose power nobody states and that the power of each node of the group, which is known otherwise, counts as
// nothing: those that the sum of its parts has, and those that the spec fits beside what a stated power is of. None
// where a cap is what limits the node: it holds for all that is in it. Example: 'generic-2u' of 1.4 kW with one more
// 'cx8-800': at least 1.4 kW.
std::vector<PowerGap> power_lacks(const NodeGroupModel&);

// Highest power of a switch at the wall. Without a published maximum: what its supplies can deliver with the spare ones
// failed, else the typical figure; both as derived, unconfirmed values that say so. Absent figures give an unknown
// value.
Value<Watts> switch_power(const SwitchPart&);

// Efficiency of a supply at `share` of its rated output, over that at half: 80 PLUS Platinum, 230 V internal redundant,
// 90/94/91 % at 20/50/100 % (CLEAResult 80 PLUS programme), straight lines between the points, level outside. A part's
// own figure sets the height, this the form.
double efficiency_form(double share);

// What one device is to its supplies. Watts at the wall, highest; a supply's output is direct current.
struct SupplyLoad {
  double watts = 0;
  bool throttles = false;   // draws less when it is told to (servers); switches and storage are all or nothing
  double idle = -1;         // least that it runs on; -1: not known
  double output = 0;        // of one supply; 0: not stated
  double power_factor = 0;  // of its supplies; 0: not stated, then the site's counts
  double input_amps = 0;    // highest input current of one supply, from its label; 0: not stated
  double efficiency = kSupplyEfficiency;  // at half load
  std::int64_t supplies = 0;              // 0: not known
  std::int64_t spare = -1;                // -1: not stated, then the outputs alone decide
};
enum class SupplyState : std::uint8_t {
  runs,
  throttled,
  unjudged,
  dead
};  // unjudged: nobody states what its supplies give, or how little it can draw
struct SupplyResult {
  SupplyState state;
  double watts;
};  // at the wall, shared evenly by the supplies that live
// With `alive` of its supplies. It runs where no more than may fail has failed and what is left delivers it. Else a
// server throttles, to what is left where that covers its idle power; anything else is dead. What cannot be judged
// counts as a load in full. Fewer supplies run at a higher load point: the wall takes dc / efficiency there, and never
// less than the stated highest power while it runs (that figure is a maximum already). Example: 10.2 kW at 94 %
// are 9.588 kW on 6 x 3.3 kW (48 % each); on 4 they run at 73 %: 10.2 kW x 0.9977 / 0.9855 = 10.33 kW.
SupplyResult on_supplies(const SupplyLoad&, std::int64_t alive);

// Voltage across a device's supply: between lines where that is a load voltage (208 V), else line to neutral (415 V:
// 240 V; 400 V: 231 V).
Volts load_voltage(std::int64_t phases, Volts);
Value<Volts> supply_voltage(const Site&);
// What a breaker may carry without end: sqrt(3) x V_LL x I x factor, one phase V x I x factor.
double continuous_share(const Cluster&,
                        const Value<double>& written);  // of a breaker's rating: the spec's, else by region
VoltAmperes continuous_rating(std::int64_t phases, Volts, Amperes breaker, double factor);

}  // namespace clusterc
