// What a plug says: phases, the voltages that it is made for, and the current where its name has it.
#pragma once
#include <optional>
#include <string_view>

namespace clusterc {

struct NetboxPlug {
  std::string_view type;  // as NetBox calls it
  int phases = 1;
  double least = 0, most = 0;  // V; three phases: line to line
  double amperes = 0;          // 0: the name does not say
  double nominal = 0;          // V of the usual supply; 0: not known
  std::string_view region;     // "na", "iec"; empty: either
};

const NetboxPlug* find_plug(std::string_view type);  // nullptr: not of this table

// The most that a device can draw through it, in W: nullopt where its current is not known.
std::optional<double> plug_power(const NetboxPlug&);

// Names of NetBox's own lists, as the library's schema of 2025-05-29 has them.
bool known_interface_type(std::string_view);
bool known_plug_type(std::string_view);
bool known_outlet_type(std::string_view);

}  // namespace clusterc
