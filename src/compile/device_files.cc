#include "compile/device_files.h"

#include "compile/common.h"
#include "system/interfaces.h"
#include "write/pattern_text.h"
#include "write/writers.h"

namespace clusterc {

using Kind = NetworkDevice::Kind;

void add_link_files(const CompileInput& in, GroupNetwork& network, std::string_view output_id,
                    std::vector<DeviceFile>& files) {
  if (!in.system.inventory) return;
  for (const NetworkDevice& d : network.devices()) {
    if (d.kind != Kind::port || d.infiniband) continue;
    // The address that the adapter was made with: that of a bond is given to its ports, and a VLAN has its port's.
    std::string text = made_by(in, output_id) + "[Match]\n";
    text += network.with_mac(d, "PermanentMACAddress=", "\n");
    IniWriter(text).section("Link").field("Name", d.name);
    files.push_back({"10-" + d.name + ".link", std::move(text), true, &d});
  }
}

void write_device_files(const CompileInput& in, int group, const GroupNetwork& network,
                        const std::vector<DeviceFile>& files, std::string_view output_id, std::uint32_t mode,
                        Bundle& bundle) {
  const NodeGroupModel& g = in.cluster.nodes[static_cast<std::size_t>(group)];
  const std::string top = std::string(output_id) + "/";
  struct Own {
    std::string_view name;
    PatternText text;
    const NetworkDevice* known;
  };
  std::vector<Own> own;
  for (const DeviceFile& f : files) {
    if (f.of_node)
      own.push_back({f.name, network.pattern(f.text), f.known});
    else
      bundle.add(top + "group/" + g.name + "/" + f.name, output_id, f.text, mode);
  }
  std::string folder, path;
  for (std::int64_t i = 0; i < g.count && !in.judging; ++i) {
    folder = top;
    append_bucket(g, i, folder);
    folder += '/';
    g.names.append_name(i, folder);
    folder += '/';
    for (const Own& f : own) {
      if (f.known && !network.mac(*f.known, i)) continue;
      path = folder;
      path += f.name;
      bundle.open(path, output_id, mode);
      network.append(f.text, i, bundle.text());
      bundle.close();
    }
  }
}

}  // namespace clusterc
