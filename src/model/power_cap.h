// What a limit on the power of a node, or of its GPUs, leaves of it.
#pragma once
#include <optional>
#include <string>

#include "model/cluster.h"

namespace clusterc {

// Least that a server runs on: the highest of what is known, its idle power as its maker states it and its GPUs at the
// lowest limit that their board takes (at the wall). nullopt: neither is known.
struct LeastPower {
  Watts watts{0};
  std::string formula;  // "idle power of 'nvidia-dgx-h100'", "8 x 200 W / 0.94 supply efficiency"
  SourceSpan span;      // the fact that decides
  std::string source;
  bool confirmed = true;
};
std::optional<LeastPower> least_power(const ServerModel&);

// How many of a server's supplies are spare, of those that it has; -1: nobody says. That belongs to their number: where
// the spec changes the number alone, the spares of the part are not those of the spec.
std::int64_t spare_supplies(const PsuSet&);

// Highest power at the wall as if no `power_cap` held it.
Value<Watts> uncapped_power(const ServerModel&);
// What its parts take at the wall while all of them work at their rated power, no cap held: never more than the highest
// power. Absent where unknown.
Value<Watts> working_power(const ServerModel&);

// Why a group's parts cannot work at their rated power: "`power_cap` 3 kW, its parts take 11.1 kW". Empty where nothing
// holds them back. Published figures are of parts at full power, so there is none of such a group.
std::string slowed_by(const NodeGroupModel&);

}  // namespace clusterc
