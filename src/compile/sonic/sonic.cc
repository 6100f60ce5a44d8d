// sonic/NETWORK-N/SWITCH/: config_db.json of a switch, BGP of one whose fabric routes (frr.conf), and what it is to see
// at the other ends of its cables (neighbours.csv); sonic/README.md and sonic/check-neighbours for whoever sets them
// up.
#include "compile/sonic/sonic.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "compile/common.h"
#include "compile/template_text.h"

namespace clusterc {
namespace {

bool wants_sonic(const Cluster& c) {
  return std::any_of(c.networks.begin(), c.networks.end(), [](const NetworkModel& n) {
    return n.spec && n.spec->switch_os && *n.spec->switch_os == SwitchOs::sonic;
  });
}

// Maps of the models, each made once.
class Maps {
 public:
  const SonicPortMap* of(const SwitchPart& part, std::string& why) {
    const auto [at, is_new] = maps_.try_emplace(&part);
    if (is_new) at->second.first = SonicPortMap::of(part, &at->second.second);
    why = at->second.second;
    return at->second.first ? &*at->second.first : nullptr;
  }

 private:
  std::map<const SwitchPart*, std::pair<std::optional<SonicPortMap>, std::string>> maps_;
};

struct Counted {
  std::string network, tier, model, platform, hwsku;
  std::int64_t count = 0;
  bool routed = false, whole = false, managed = false;
  std::optional<Ipv4Prefix> access;  // from where they answer SSH and SNMP
};

void count(std::vector<Counted>& counts, const ConfiguredSwitch& s, bool whole) {
  if (counts.empty() || counts.back().network != s.network->name || counts.back().tier != s.tier ||
      counts.back().model != s.model) {
    Counted& c = counts.emplace_back();
    c.network = s.network->name, c.tier = std::string(s.tier), c.model = std::string(s.model);
    if (whole) c.platform = *s.part->sonic->platform, c.hwsku = *s.part->sonic->hwsku;
    c.routed = s.routed, c.whole = whole, c.managed = has_management_address(s), c.access = s.reached->subnet;
  }
  ++counts.back().count;
}

void write_access(std::string& out, const Counted& c, bool own_access) {
  out +=
      c.managed ? "; management address of the plan" : "; NO management address: eth0 asks DHCP, load from the console";
  if (own_access)
    out += "; SSH as the extra lines of the spec have it";
  else if (c.access)
    out += "; SSH and SNMP from " + c.access->text() + " alone";
  else
    out += "; SSH from everywhere";
}

// own_access: the spec has an access list.
void write_readme(const CompileInput& in, const std::vector<Counted>& counts, bool own_access, Bundle& bundle) {
  bundle.open("sonic/README.md", "sonic");
  std::string& out = bundle.text();
  out += made_by(in, "sonic", "");
  out += template_text("sonic/guide.md");
  for (const Counted& c : counts) {
    out += "- network ", out += one_line(c.network), out += ": ", append_int(out, c.count);
    out += " x ", out += c.tier, out += ", ", out += one_line(c.model), out += ", folders `sonic/";
    out += one_line(c.network), out += "-*/`";
    if (c.whole)
      out += ", platform " + one_line(c.platform) + ", hardware SKU " + one_line(c.hwsku);
    else
      out += ", without config_db.json: SONiC's names and lanes of its ports are not known";
    out += c.routed ? "; routes with frr.conf" : "; one broadcast domain, no frr.conf";
    if (c.whole) write_access(out, c, own_access);
    out += '\n';
  }
  bundle.close();
}

void emit_sonic(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "sonic", {kFrrFile, kConfigFile}, findings);
  const std::string extra = frr_extra(in, findings);
  const std::vector<SonicTable> tables = sonic_tables(in, findings);
  check_switches(in.system, findings);
  SonicChecks checks(in);
  Maps maps;
  std::vector<Counted> counts;
  for (const ConfiguredFabric& fabric : configured_fabrics(in.system)) {
    if (fabric.os != SwitchOs::sonic) continue;
    const std::string& network = in.cluster.networks[static_cast<std::size_t>(fabric.fabric)].name;
    const std::vector<SwitchClass> classes = switch_classes(in.cluster, fabric.fabric);
    checks.look(fabric, classes, findings);
    std::int64_t number = 0;
    each_switch(in.system, fabric, [&](const ConfiguredSwitch& s) {
      std::string why;
      const SonicPortMap* map = maps.of(*s.part, why);
      checks.look(s, map, classes, why);
      if (in.judging) return;
      std::string folder = "sonic/" + network + '-';
      append_int(folder, number++ / kBucket);
      folder += '/', folder += s.host, folder += '/';
      if (map) write_config_db(s, *map, classes, tables, folder, bundle);
      if (s.routed) write_frr(in, fabric, s, folder, extra, bundle);
      write_neighbours(s, folder, bundle);
      count(counts, s, map != nullptr);
    });
  }
  checks.say(findings);
  if (in.judging || counts.empty()) return;
  bundle.add("sonic/check-neighbours", "sonic", template_text("sonic/check-neighbours"), 0755);
  write_readme(in, counts, has_own_access(tables), bundle);
}

}  // namespace

extern const Output kSonicOutput;  // registry.cc names it
const Output kSonicOutput{
    .id = "sonic",
    .summary =
        "each switch of a network with `switch_os: sonic`: ports, addresses, lossless class, expected neighbours "
        "(config_db.json), and BGP if its leaves route (frr.conf)",
    .consumers = "SONiC 202211 and newer; FRR 8.4 and newer",
    .wanted = wants_sonic,
    .emit = emit_sonic,
};

}  // namespace clusterc
