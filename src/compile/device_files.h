// Files of a group's network devices, in the folder of the output that writes them (systemd-networkd, NetworkManager).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compile/output.h"
#include "system/group_network.h"

namespace clusterc {

// Files of a group in a folder of its own output: those with an address or a MAC in them are a node's own,
// "<output>/<group>-<bucket>/<node>/<name>"; the others are the same for all, "<output>/group/<group>/<name>".
struct DeviceFile {
  std::string name, text;
  bool of_node = false;
  const NetworkDevice* known = nullptr;  // written only for nodes whose MAC of this port is known
};
// "10-data1.link": systemd.link(5), by which udev calls the port what the spec calls it, whoever sets up the network
// then.
void add_link_files(const CompileInput&, GroupNetwork&, std::string_view output_id, std::vector<DeviceFile>&);
void write_device_files(const CompileInput&, int group, const GroupNetwork&, const std::vector<DeviceFile>&,
                        std::string_view output_id, std::uint32_t mode, Bundle&);

}  // namespace clusterc
