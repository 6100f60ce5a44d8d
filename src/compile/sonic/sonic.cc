// sonic/NETWORK-N/SWITCH/frr.conf: BGP of a switch whose fabric routes.
#include "compile/sonic/sonic.h"

#include <algorithm>

#include "base/text.h"
#include "compile/common.h"

namespace clusterc {
namespace {

bool wanted(const Cluster& c) {
  return std::any_of(c.networks.begin(), c.networks.end(), [](const NetworkModel& n) {
    return n.spec && n.spec->switch_os && *n.spec->switch_os == SwitchOs::sonic;
  });
}

void emit(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "sonic", {kFrrFile}, findings);
  const std::string extra = frr_extra(in, findings);
  if (in.judging) return;
  for (const ConfiguredFabric& fabric : configured_fabrics(in.system)) {
    if (fabric.os != SwitchOs::sonic) continue;
    const std::string& network = in.cluster.networks[static_cast<std::size_t>(fabric.fabric)].name;
    std::int64_t number = 0;
    each_switch(in.system, fabric, [&](const ConfiguredSwitch& s) {
      std::string folder = "sonic/" + network + '-';
      append_int(folder, number++ / kBucket);
      folder += '/', folder += s.host, folder += '/';
      if (s.routed) write_frr(in, fabric, s, folder, extra, bundle);
    });
  }
}

}  // namespace

extern const Output kSonicOutput;  // registry.cc names it
const Output kSonicOutput{
    .id = "sonic",
    .summary = "BGP of each switch of a network with `switch_os: sonic`, if its leaves route",
    .consumers = "FRR 8.4 and newer",
    .wanted = wanted,
    .emit = emit,
};

}  // namespace clusterc
