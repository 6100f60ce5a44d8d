// The tables of a config_db.json that make a class of traffic lossless on a switch, as `roce:` has it on the nodes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "compile/switch_settings.h"

namespace clusterc {

inline constexpr std::string_view kQosMap = "ROCE";  // name of the maps and of the WRED profile

struct SwitchQos {
  std::vector<SwitchClass> classes;  // by priority; empty: no table is written
  std::vector<std::string> ports;    // "Ethernet0": those with a cable
  std::int64_t all_ports = 0;        // of the switch
  bool own_profile = true;           // false: the spec has a WRED_PROFILE
  // Whether the chip takes PFC_PRIORITY_TO_PRIORITY_GROUP_MAP (sonic-buildimage, files/build_templates/qos_config.j2:
  // asic types mellanox and barefoot).
  bool maps_pause_to_group = false;
};

// The traffic class of every code point, as the switch maps it: 64 numbers. A code point of a lossless class has the
// class' priority; others have their upper three bits (RFC 2474, class selectors), except that none of them gets into
// a lossless class: those are in the lowest class that is not lossless.
std::vector<std::int64_t> classes_of_code_points(const std::vector<SwitchClass>&);

void write_qos(JsonWriter&, const SwitchQos&);

}  // namespace clusterc
