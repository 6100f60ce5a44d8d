// What SONiC cannot do with a switch of the plan, one finding for each kind and network.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "compile/sonic/sonic.h"

namespace clusterc {
namespace {

// The lossless classes of SONiC's own templates, whose queues and groups have lossless buffers (sonic-buildimage,
// files/build_templates/qos_config.j2, LOSSLESS_TC).
constexpr std::int64_t kFirstOfTemplates = 3, kLastOfTemplates = 4;

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
  if (!s.management)
    add(s, "sonic-management-unmade", "the switches have no management address in their config_db.json",
        "give the cluster a network that `connects: everything`, with a subnet");
  else if (!s.management_gateway)
    add(s, "sonic-management-unmade",
        "the switches have no management address in their config_db.json: SONiC wants a gateway with it, and the "
        "network of management ports has none",
        "give that network a `gateway`; without one the port asks DHCP for an address");
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
