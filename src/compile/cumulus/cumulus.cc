// cumulus/NETWORK-N/SWITCH/startup.yaml of each switch, cumulus/README.md for whoever sets them up, and what Cumulus
// Linux cannot do with a switch of the plan.
#include "compile/cumulus/cumulus.h"

#include <algorithm>

#include "base/text.h"
#include "compile/common.h"
#include "compile/template_text.h"
#include "spec/network.h"

namespace clusterc {
namespace {

bool wants_cumulus(const Cluster& c) {
  return std::any_of(c.networks.begin(), c.networks.end(), [](const NetworkModel& n) {
    return n.spec && n.spec->switch_os && *n.spec->switch_os == SwitchOs::cumulus;
  });
}

bool is_sold_with_it(const SwitchPart& part) { return part.port_names && *part.port_names == "swp"; }

struct Counted {
  std::string tier, model;
  std::int64_t count = 0;
  bool routed = false, managed = false, supported = false;
};

void count(std::vector<Counted>& counts, const ConfiguredSwitch& s) {
  if (counts.empty() || counts.back().tier != s.tier || counts.back().model != s.model) {
    const bool managed = s.management && s.reached->subnet;
    counts.push_back({std::string(s.tier), std::string(s.model), 0, s.routed, managed, is_sold_with_it(*s.part)});
  }
  ++counts.back().count;
}

// What the files of all switches of a network leave undone.
void check(const CompileInput& in, const ConfiguredFabric& fabric, const std::vector<SwitchClass>& classes,
           const std::vector<Counted>& counts, Findings& findings) {
  const NetworkModel& n = in.cluster.networks[static_cast<std::size_t>(fabric.fabric)];
  const std::string network = "network '" + n.name + "': ";
  for (const Counted& c : counts)
    if (!c.supported)
      findings
          .warning("cumulus-switch-unsupported", n.spec->switch_os.span,
                   network + "no startup.yaml is written for switches '" + one_line(c.model) +
                       "': the catalogue does not say that they are sold with Cumulus Linux")
          .help("name a Spectrum switch, such as `switch: nvidia-sn4600c`, or write `switch_os: sonic`");
  if (std::ranges::any_of(counts, [](const Counted& c) { return c.supported && !c.managed; }))
    findings
        .note("cumulus-management-unmade", n.spec->switch_os.span,
              network + "the switches have no management address in their startup.yaml: eth0 asks DHCP")
        .help("give the cluster a network that `connects: everything`, with a `subnet`");
  if (!classes.empty() && !is_class_of_nvue(classes))
    findings
        .warning("cumulus-class-unmade", n.spec->switch_os.span,
                 network +
                     "the switches get no lossless class: `qos roce` of Cumulus Linux has priority 3, code point 26, "
                     "pause frames and marking, and the spec has another class")
        .help("write `roce: { priority: 3, dscp: 26 }`, or set up the class of the spec on the switches by hand");
  for (const NetworkModel& o : in.cluster.networks)
    if ((&o == &n || o.shares == fabric.fabric) && o.spec && o.spec->gateway)
      findings
          .note("cumulus-gateway-unmade", o.spec->gateway.span,
                "no port of the switches of network '" + n.name + "' leads to the gateway of '" + o.name +
                    "': the plan has no cable to it, and ports without one are down")
          .help(
              "on the switch at the other end of the cable: run `nv set interface PORT link state up`, set its address "
              "or VLAN, run "
              "`nv config apply` and `nv config save`");
  if (n.spec->spectrum_x.value_or(false))
    findings
        .note("cumulus-setting-unmade", n.spec->spectrum_x.span,
              network + "of `spectrum_x` the switches get adaptive routing and the lossless class, nothing else")
        .help("follow the Spectrum-X guide for this release of Cumulus Linux");
  if (n.spec->roce && n.spec->roce->headroom)
    findings
        .note("cumulus-setting-unmade", n.spec->roce->headroom.span,
              network + "`roce.headroom` is in no file of the switches")
        .help("leave it out: `qos roce` sizes the headroom for the chip");
}

void write_readme(const CompileInput& in, const std::vector<std::pair<std::string, Counted>>& all, Bundle& bundle) {
  bundle.open("cumulus/README.md", "cumulus");
  std::string& out = bundle.text();
  out += made_by(in, {}, "");
  out += template_text("cumulus/guide.md");
  for (const auto& [network, c] : all) {
    out += "- network ", out += one_line(network), out += ": ", append_int(out, c.count);
    out += " x ", out += c.tier, out += ", ", out += one_line(c.model);
    out += c.supported ? ", folders `cumulus/" + one_line(network) + "-*/`" : std::string(", without startup.yaml");
    out += c.routed ? "; routes" : "; one broadcast domain";
    out += c.managed ? "; management address of the plan" : "; NO management address: eth0 asks DHCP";
    out += '\n';
  }
  bundle.close();
}

void emit_cumulus(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "cumulus", {}, findings);
  if (!in.system.makes("sonic")) check_switches(in.system, findings);
  std::vector<std::pair<std::string, Counted>> all;
  for (const ConfiguredFabric& fabric : configured_fabrics(in.system)) {
    if (fabric.os != SwitchOs::cumulus) continue;
    const std::string& network = in.cluster.networks[static_cast<std::size_t>(fabric.fabric)].name;
    const std::vector<SwitchClass> classes = switch_classes(in.cluster, fabric.fabric);
    std::vector<Counted> counts;
    std::int64_t number = 0;
    each_switch(in.system, fabric, [&](const ConfiguredSwitch& s) {
      count(counts, s);
      if (in.judging) return;
      std::string folder = "cumulus/" + network + '-';
      append_int(folder, number++ / kBucket);
      folder += '/', folder += s.host, folder += '/';
      if (is_sold_with_it(*s.part)) write_startup(in, s, classes, folder, bundle);
    });
    check(in, fabric, classes, counts, findings);
    for (Counted& c : counts) all.emplace_back(network, std::move(c));
  }
  if (!in.judging && !all.empty()) write_readme(in, all, bundle);
}

}  // namespace

extern const Output kCumulusOutput;  // registry.cc names it
const Output kCumulusOutput{
    .id = "cumulus",
    .summary =
        "each switch of a network with `switch_os: cumulus`: ports with breakout and speed, addresses, VLANs, BGP if "
        "its "
        "leaves route, RoCE, LLDP, time (startup.yaml of NVUE)",
    .consumers = "Cumulus Linux 5.9 to 5.14 (NVUE)",
    .wanted = wants_cumulus,
    .emit = emit_cumulus,
};

}  // namespace clusterc
