// What SONiC cannot do with a switch of the plan, one finding for each kind and network.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "compile/sonic/sonic.h"
#include "spec/software.h"

namespace clusterc {
namespace {

// The lossless classes of SONiC's own templates, whose queues and groups have lossless buffers (sonic-buildimage,
// files/build_templates/qos_config.j2, LOSSLESS_TC).
constexpr std::int64_t kFirstOfTemplates = 3, kLastOfTemplates = 4;
// Code points of unmarked packets (RFC 2474, 4.1) and of CS6. FRR sends BGP with CS6 (bgpd, "bgp session-dscp"), and
// mlx5 its congestion notifications.
constexpr std::int64_t kUnmarked = 0, kControl = 48;

std::string model_of(const ConfiguredSwitch& s) { return "'" + one_line(s.model) + "'"; }

}  // namespace

void SonicChecks::add(const ConfiguredSwitch& s, std::string_view rule, std::string message, std::string help) {
  const auto known = std::find_if(said_.begin(), said_.end(), [&](const Said& d) {
    return d.network == s.network && d.rule == rule && d.message == message;
  });
  Said& d =
      known != said_.end()
          ? *known
          : said_.emplace_back(Said{std::string(rule), std::move(message), std::move(help), s.network, 0, s.host});
  ++d.switches;
}

void SonicChecks::look(const ConfiguredSwitch& s, const SonicPortMap* map, const std::vector<SwitchClass>& classes,
                       const std::string& why) {
  if (!map) {
    add(s, "sonic-ports-unknown", "no config_db.json is written for switches " + model_of(s) + ": " + why,
        "give the part its `sonic:` facts (platform, hwsku, width, names, lanes, alias) from the files of the platform "
        "in sonic-buildimage, or name another switch");
    return;
  }
  const SonicPorts& facts = *s.part->sonic;
  for (const SwitchPort& p : s.ports) {
    if (p.name.empty())
      add(s, "sonic-mode-unknown",
          "SONiC has no port for a part of a cage of " + model_of(s) + " that is split into " + std::to_string(p.ways),
          "plan a rate or a number of parts that its `modes` have");
    else if ((map->splits(p.cage) || p.ways > 1) && !map->mode(p.cage, p.ways, p.rate))
      add(s, "sonic-mode-unknown",
          "SONiC has no breakout mode of " + std::to_string(p.ways) + " x " + to_text(p.rate) + " for hardware SKU '" +
              one_line(*facts.hwsku) + "' of " + model_of(s),
          "name a hardware SKU that has it (`sonic: { hwsku, modes }` of the part), or plan another rate");
  }
  if (!s.management || !s.reached->subnet)
    add(s, "sonic-management-unmade",
        "the switches have no management address in their config_db.json, and no list of who may use SSH: their port "
        "asks DHCP for an address, and whoever reaches a port of the fabric reaches their SSH",
        "give the cluster a network that `connects: everything`, with a `subnet` and a `gateway`; else load these "
        "files "
        "from the console");
  else if (!has_management_address(s))
    add(s, "sonic-management-unmade",
        "the switches have no management address in their config_db.json: SONiC wants a gateway with it, and the "
        "network of management ports has none",
        "give the network of management ports a `gateway`; without one, the management port asks DHCP for an address, "
        "and these files must be loaded from the console");
  bool pauses = false;
  for (const SwitchClass& c : classes) {
    if (!c.pfc) continue;
    pauses = true;
    if (c.priority < kFirstOfTemplates || c.priority > kLastOfTemplates)
      add(s, "sonic-class-without-buffers",
          "the lossless class is " + std::to_string(c.priority) +
              "; SONiC's own templates give lossless buffers to 3 and 4",
          "use priority 3 or 4, or write BUFFER_QUEUE and BUFFER_PG of this class as extra lines of config_db.json");
  }
  if (!pauses) return;
  const auto lengths = facts.lossless_lengths ? numbers_in_steps(*facts.lossless_lengths) : std::nullopt;
  if (!lengths || lengths->empty()) {
    add(s, "sonic-buffers-unknown",
        "no profiles of lossless buffers are known for hardware SKU '" + one_line(*facts.hwsku) + "' of " + model_of(s),
        "ask the maker of its SONiC for pg_profile_lookup.ini of this SKU; without profiles the switch drops packets "
        "of the lossless class");
    return;
  }
  const std::int64_t most = *std::max_element(lengths->begin(), lengths->end());
  for (const SwitchPort& p : s.ports)
    if (p.length.value > static_cast<double>(most)) {
      add(s, "sonic-buffers-unknown",
          "a cable is longer than " + std::to_string(most) + " m, the longest that lossless buffers of hardware SKU '" +
              one_line(*facts.hwsku) + "' are made for",
          "place the switches nearer to each other, or add a profile to pg_profile_lookup.ini");
      return;
    }
}

namespace {

void check_gateway(const NetworkModel& n, const NetworkModel& switches, bool routed, Findings& findings) {
  if (!n.spec || !n.spec->gateway) return;
  findings
      .note("sonic-gateway-unmade", n.spec->gateway.span,
            "no port of the switches of network '" + switches.name + "' leads to the gateway of '" + n.name +
                "': the plan has no cable to it, and ports without one are off")
      .help(std::string("on the switch at the other end of the cable: run `config interface startup PORT`, then ") +
            (routed ? "`config interface ip add PORT ADDRESS` and its neighbour in vtysh, `write`"
                    : "`config vlan member add -u VLAN PORT`") +
            ", and `config save`; extra lines go to every switch");
}

void check_code_points(const NetworkModel& n, const std::vector<SwitchClass>& classes, Findings& findings) {
  const auto say = [&](const std::string& what) {
    findings.warning("sonic-class-shared", n.spec->switch_os.span, "network '" + n.name + "': " + what)
        .help("give `roce` a code point of its own, such as `dscp: 26` with `priority: 3`");
  };
  for (const SwitchClass& c : classes) {
    const auto has = [&](std::int64_t d) { return std::find(c.dscps.begin(), c.dscps.end(), d) != c.dscps.end(); };
    if (has(kUnmarked)) say("the lossless class has code point 0, the one of every unmarked packet");
    if (has(kControl))
      say("the lossless class has code point 48, that of BGP and of congestion notifications: a pause stops them, too");
  }
}

}  // namespace

void SonicChecks::look(const ConfiguredFabric& fabric, const std::vector<SwitchClass>& classes,
                       Findings& findings) const {
  const NetworkModel& n = in_.cluster.networks[static_cast<std::size_t>(fabric.fabric)];
  for (const NetworkModel& o : in_.cluster.networks)
    if (&o == &n || o.shares == fabric.fabric) check_gateway(o, n, fabric.routed, findings);
  check_code_points(n, classes, findings);
  const SwitchManagement m = management_of(in_.system, fabric.fabric);
  if (m.time_servers_left > 0 && !in_.cluster.spec.software->time_servers.empty())
    findings
        .note("sonic-time-unmade", in_.cluster.spec.software->time_servers.front().span,
              std::to_string(m.time_servers_left) + " of " +
                  std::to_string(in_.cluster.spec.software->time_servers.size()) +
                  " time servers missing in the config_db.json of network '" + n.name +
                  "': its switches do not reach them over their management port")
        .help(
            "name servers in the network of management ports or behind its `gateway`; a name needs `name_servers` "
            "there as well");
  const auto unmade = [&](SourceSpan span, std::string_view key, std::string_view how) {
    findings
        .note("sonic-setting-unmade", span,
              "`" + std::string(key) + "` of network '" + n.name + "' is in no file of its switches")
        .help(std::string(how));
  };
  constexpr std::string_view kRouting =
      "SONiC's own models have no such setting: set it up with the tools of the maker of the switch, or leave it out";
  if (n.spec->spectrum_x.value_or(false)) unmade(n.spec->spectrum_x.span, "spectrum_x", kRouting);
  if (n.spec->adaptive_routing.value_or(false)) unmade(n.spec->adaptive_routing.span, "adaptive_routing", kRouting);
  if (n.spec->roce && n.spec->roce->headroom)
    unmade(n.spec->roce->headroom.span, "roce.headroom",
           "SONiC takes the headroom from its table for the rate and the length of the cable: leave it out, or change "
           "pg_profile_lookup.ini");
}

void SonicChecks::say(Findings& findings) const {
  for (const Said& d : said_) {
    const bool note = d.rule == "sonic-management-unmade" || d.rule == "sonic-class-without-buffers";
    const SourceSpan span = d.network->spec ? d.network->spec->switch_os.span : d.network->span;
    const std::string message = "network '" + d.network->name + "': " + d.message;
    Finding& f = note ? findings.note(d.rule, span, message) : findings.warning(d.rule, span, message);
    f.label(d.switches == 1 ? "switch " + d.first : std::to_string(d.switches) + " times, first for switch " + d.first)
        .help(d.help);
  }
}

}  // namespace clusterc
