// From networks to fabrics.
//
// Slots (fabric_shape.h) are given out in the order of the spec: a group's block begins where the one before it ends
// *at the size built for*, so growth within `built_for` moves no cable. On a rail-optimised fabric whoever has fewer
// ports than rails (fabric managers) takes single slots from the last one of the last unit down, on top of all that is
// built for. Uplinks of management switches do likewise. Only where `built_for` fills scalable units to the last slot
// the single ports stand inside it (slots_needed): in the reference SuperPOD these are the ports of the 128th node, so
// 127 of the 128 can come (FabricBlock::room). Leaves that have ports to spare beside a scalable unit take them there
// (Fabric::single_beside): the port after the unit's on rail 1, rail 2 and so on of the last unit. Leaves count their
// node ports from 1 and their uplinks from the top end, link by link; the m links to one spine lie side by side, so
// that twin-port cages and split ports carry one cable. Several planes are as many copies of one fabric: link x of a
// member goes to plane x modulo the planes, and is its link x / planes there. The links of a port that is split over
// the planes follow one another, so each plane has one of them. A network that is out-of-band for everything counts
// nodes' management ports first, then storage, then the switches of each fabric, then PDUs rack by rack, then shelves
// and trays of assemblies. Its switches have ports of their own for uplinks (48 x 1 Gb/s + 4 x 100 Gb/s): two go to the
// first Ethernet fabric that carries in-band traffic, its own or a guest's, which therefore is planned again with those
// ports. On other networks such ports join leaves and spines, where `tiers` names the spine: a switch of the leaf's
// kind has no ports for them.
#include "plan/fabric/fabric.h"

#include <algorithm>

#include "base/format.h"
#include "spec/network.h"
#include "spec/nodes.h"

namespace clusterc {

std::int64_t switch_radix(const SwitchPart& part, BitsPerSecond rate, const Value<std::int64_t>& wish,
                          std::int64_t* ways_out) {
  std::int64_t ways = 1;
  if (part.port_rate && rate.value > 0) {
    ways = static_cast<std::int64_t>(*part.port_rate / rate + 1e-9);
    ways = std::min(ways, wish ? std::min(*wish, part.breakout.value_or(*wish)) : part.breakout.value_or(1));
    ways = std::max<std::int64_t>(ways, 1);
  }
  if (ways_out) *ways_out = ways;
  return part.ports.value_or(0) * ways;
}

std::int64_t managed_devices(const AssemblyPart& part) {
  std::int64_t n = part.power_shelves.value_or(0);
  for (const auto& tray : part.trays)
    if (!tray.value.server) n += tray.value.count.value_or(0);
  return n;
}

const FabricBlock* Fabric::block_of(int of_network, int end) const {
  for (const FabricBlock& b : blocks)
    if (b.what == FabricBlock::What::ends && b.network == of_network && b.end == end) return &b;
  return nullptr;
}

std::int64_t Fabric::switch_count() const {
  std::int64_t n = 0;
  for (const FabricTier& t : tiers) n += t.count;
  return n;
}

namespace {

constexpr std::int64_t kUplinksOfAManagementSwitch =
    2;  // one cable may fail (DGX SuperPOD RA, appendix A: 16 uplinks of 8 switches)

struct Builder {
  const Cluster& c;
  Plan& plan;

  bool own_switches(const NetworkModel& n) const {
    return n.switch_part && n.shares < 0 && !n.direct && n.kind != LinkKind::efa && n.kind != LinkKind::nvlink &&
           c.own_site;
  }
  static bool has_uplink_ports(const NetworkModel& n) { return n.switch_part->uplinks.value_or(0) > 0; }
  static const SwitchPart* named_tier(const NetworkModel& n, std::string_view word) {
    for (const auto& [name, part] : n.tier_parts)
      if (name == word) return part;
    return nullptr;
  }
  static bool spines_on_uplink_ports(const NetworkModel& n) {
    return has_uplink_ports(n) && n.switch_part->uplink_rate && !n.everything && named_tier(n, "spine");
  }
  // Tier whose `tiers` entry names the switch. Over uplink ports of their own no tier is a switch of the leaf's kind.
  static std::string_view named_by(const NetworkModel& n, std::string_view word) {
    return word == "core" && spines_on_uplink_ports(n) && !named_tier(n, word) ? "spine" : word;
  }

  void add_ends(Fabric& f, int network, const std::vector<FabricBlock>* known) const {
    const NetworkModel& n = c.networks[network];
    for (std::size_t e = 0; e < n.ends.size(); ++e) {
      const EndPoints& p = n.ends[e];
      // Guests on the same ports as the host's own members need no cable of their own.
      bool same = false;
      if (known)
        for (const FabricBlock& b : *known) {
          const EndPoints& o = c.networks[b.network].ends[b.end];
          same = same ||
                 (o.group == p.group && o.storage == p.storage && o.ports == p.ports && (p.ports >= 0 || p.group < 0));
        }
      if (same || p.ports_each <= 0) continue;
      f.blocks.push_back({.network = network,
                          .end = static_cast<int>(e),
                          .members = p.members,
                          .ports_each = p.ports_each * p.split,
                          .built_for = std::max(p.built_for, p.members),
                          .leaves = n.shares < 0 ? p.leaves : -1});
    }
  }

  void add_equipment(Fabric& f) const {
    for (const Fabric& other : plan.fabrics)
      if (other.network != f.network && other.switch_count() > 0)
        f.blocks.push_back({.what = FabricBlock::What::switches,
                            .of = other.network,
                            .members = other.switch_count(),
                            .built_for = other.switch_count()});
    std::int64_t pdus = 0;
    for (const RackGroupModel& r : c.racks) pdus += r.count * static_cast<std::int64_t>(r.pdus.size());
    if (pdus) f.blocks.push_back({.what = FabricBlock::What::pdus, .members = pdus, .built_for = pdus});
    for (std::size_t a = 0; a < c.assemblies.size(); ++a)
      if (c.assemblies[a].part)
        if (const std::int64_t n = c.assemblies[a].count * managed_devices(*c.assemblies[a].part))
          f.blocks.push_back(
              {.what = FabricBlock::What::shelves, .of = static_cast<int>(a), .members = n, .built_for = n});
  }

  // Nodes that are fabric managers and nothing else send management datagrams.
  static bool manages_only(const Cluster& c, const FabricBlock& b) {
    if (b.what != FabricBlock::What::ends) return false;
    const EndPoints& e = c.networks[static_cast<std::size_t>(b.network)].ends[static_cast<std::size_t>(b.end)];
    return e.group >= 0 && c.nodes[static_cast<std::size_t>(e.group)].only_manages_fabrics();
  }

  // Lays the blocks out for leaves in units of `rails`, and says what that asks for.
  // Of one plane.
  static FabricDemand lay_out(const Cluster& c, Fabric& f, std::int64_t rails, bool rail_optimised, bool own_leaves) {
    FabricDemand d{.rails = rails};
    const NetworkModel& n = c.networks[static_cast<std::size_t>(f.network)];
    // Leaves of their own: rails are nothing to them, pairs of a bond are.
    const std::int64_t pair = n.spec ? n.spec->bond.value_or(1) : 1;
    if (n.spec)
      for (const auto& own : n.spec->leaves)
        d.own_leaves.push_back(
            {.each = pair,
             .oversubscription = own.value.oversubscription.value_or(n.spec->oversubscription.value_or(1))});
    const bool only_own =
        std::all_of(f.blocks.begin(), f.blocks.end(), [](const FabricBlock& b) { return b.leaves >= 0; });
    for (FabricBlock& b : f.blocks) {
      const std::int64_t ports = ceil_div(b.ports_each, f.planes);
      if (only_own || !own_leaves) b.leaves = -1;
      if (b.leaves >= 0) {
        std::int64_t& slots = d.own_leaves[static_cast<std::size_t>(b.leaves)].slots;
        b.width = ceil_div(ports, pair);
        b.from_last = false;
        b.first = slots;
        slots += b.built_for * b.width;
        continue;
      }
      b.width = ceil_div(ports, rails);
      b.from_last = b.what == FabricBlock::What::uplinks || (rail_optimised && ports < rails);
    }
    if (std::all_of(d.own_leaves.begin(), d.own_leaves.end(), [](const OwnLeavesDemand& o) { return o.slots == 0; }))
      d.own_leaves.clear();
    // A fabric of single ports only has nobody to make room for.
    if (std::all_of(f.blocks.begin(), f.blocks.end(),
                    [](const FabricBlock& b) { return b.from_last || b.leaves >= 0; }))
      for (FabricBlock& b : f.blocks) b.from_last = false;
    std::int64_t first = 0, extra = 0, busy = 0, width = 0;
    for (FabricBlock& b : f.blocks) {
      if (b.leaves >= 0) continue;
      if (b.from_last) {
        b.first = extra;
        extra += b.built_for * b.ports_each;  // over all planes
        if (!manages_only(c, b)) busy += b.built_for * b.ports_each;
        continue;
      }
      b.first = first;
      d.slots_present = std::max(d.slots_present, b.members ? first + b.members * b.width : 0);
      first += b.built_for * b.width;
      if (!width) width = b.width;
    }
    d.slots_built = first;
    d.extra_ports = ceil_div(extra, f.planes);
    d.extra_busy = ceil_div(busy, f.planes);
    if (rail_optimised && width) d.slot_multiple = width;
    return d;
  }

  // Of the links between switches, where the spec does not say. The ports of an Ethernet leaf are split for those as
  // for its nodes, and each share runs as fast as the port lets it: 400 Gb/s of nodes on ports of 800 that cannot be
  // split leave 800 for the uplinks. InfiniBand splits ports for nodes only: JUPITER has NDR200 nodes and NDR uplinks
  // (apps.fz-juelich.de/jsc/hps/jupiter/configuration.html). No tier's port is overrun. (Splits that are no power of
  // two are nobody's: as the nodes.)
  static BitsPerSecond uplink_rate(const NetworkModel& n, std::int64_t ways, bool cores) {
    double rate = n.rate.value;
    const bool own_ports = spines_on_uplink_ports(n);
    if (n.spec && n.spec->uplink_rate)
      rate = std::max(rate, n.spec->uplink_rate->value);
    else if (own_ports)
      rate = n.switch_part->uplink_rate->value;
    else if (n.switch_part->port_rate && (ways & (ways - 1)) == 0)
      rate = std::max(rate,
                      n.switch_part->port_rate->value / static_cast<double>(n.kind == LinkKind::infiniband ? 1 : ways));
    if (const Value<BitsPerSecond>& port = own_ports ? n.switch_part->uplink_rate : n.switch_part->port_rate)
      rate = std::min(rate, port->value);
    for (const auto& [name, part] : n.tier_parts)
      if ((name == "spine" || (cores && name == "core")) && part && part->port_rate)
        rate = std::min(rate, part->port_rate->value);
    return std::max(BitsPerSecond(rate), n.rate);
  }

  // Ports of a switch of this tier at the rate between switches; of a leaf as many as it has for nodes.
  static std::int64_t radix_of(std::string_view word, const NetworkModel& n, BitsPerSecond rate, std::int64_t radix) {
    if (const SwitchPart* part = named_tier(n, named_by(n, word)); part && part->ports)
      if (const std::int64_t own = switch_radix(*part, rate, Value<std::int64_t>(), nullptr); own > 0) return own;
    return radix;
  }

  static std::string ports_of_tiers(const FabricDemand& d) {
    return d.spine_radix == d.radix && d.core_radix == d.radix
               ? std::to_string(d.radix)
               : clusterc::format("{}, {} and {}", d.radix, d.spine_radix, d.core_radix);
  }

  static std::int64_t scalable_unit(const Cluster& c, const Fabric& f) {
    for (const FabricBlock& b : f.blocks) {
      if (b.what != FabricBlock::What::ends || b.from_last || b.leaves >= 0) continue;
      const EndPoints& p = c.networks[b.network].ends[b.end];
      if (p.group >= 0 && c.nodes[p.group].spec && c.nodes[p.group].spec->scalable_unit)
        return *c.nodes[p.group].spec->scalable_unit * b.width;
    }
    return 0;
  }

  // Slots of the nodes of one rack, where each rack has leaves of its own; 0: leaves take as many as are best.
  static std::int64_t slots_of_a_rack(const Cluster& c, const Fabric& f) {
    const NetworkModel& n = c.networks[f.network];
    if (!n.spec || !n.spec->leaf_per_rack.value_or(false)) return 0;
    for (const FabricBlock& b : f.blocks) {
      if (b.what != FabricBlock::What::ends || b.leaves >= 0) continue;
      const EndPoints& p = c.networks[b.network].ends[b.end];
      if (p.group >= 0 && c.nodes[p.group].spec) return c.nodes[p.group].spec->per_rack.value_or(0) * b.width;
    }
    return 0;
  }

  // For leaves in units of `rails`: the layout, and the switches that the network names.
  // `cores`: should there be three tiers.
  static FabricDemand demand(const Cluster& c, Fabric& f, std::int64_t rails, bool rail_optimised, bool cores,
                             bool own_leaves = true) {
    const NetworkModel& n = c.networks[f.network];
    FabricDemand d = lay_out(c, f, rails, rail_optimised, own_leaves);
    const Value<std::int64_t> breakout = n.spec ? n.spec->breakout : Value<std::int64_t>();
    d.radix = switch_radix(*n.switch_part, n.rate, breakout, &f.ways);
    // Spines and cores may be other switches; one without a number of ports counts as the leaf does
    // (net-switch-ports-exceeded says so).
    f.uplink_rate = uplink_rate(n, f.ways, cores);
    d.uplink_speed = n.rate.value > 0 ? f.uplink_rate / n.rate : 1;
    const std::int64_t ports_between = switch_radix(*n.switch_part, f.uplink_rate, breakout, nullptr);
    d.own_uplinks = spines_on_uplink_ports(n) ? *n.switch_part->uplinks : 0;
    if (d.own_uplinks == 0 && ports_between > 0 && d.radix % ports_between == 0)
      d.uplink_ports = d.radix / ports_between;
    f.uplink_ports = d.uplink_ports;
    d.spine_radix = radix_of("spine", n, f.uplink_rate, d.radix / d.uplink_ports);
    d.core_radix = radix_of("core", n, f.uplink_rate, d.radix / d.uplink_ports);
    d.cage = d.radix / std::max<std::int64_t>(1, n.switch_part->ports.value_or(1)) *
             n.switch_part->ports_per_cage.value_or(1);  // as plan/fabric/links.cc has it
    d.even_groups = n.kind == LinkKind::infiniband;
    if (n.spec) {
      d.oversubscription = n.spec->oversubscription.value_or(1);
      d.core_oversubscription = n.spec->core_oversubscription.value_or(1);
      d.spines = n.spec->spines.value_or(0);
      d.links = n.spec->links_per_spine.value_or(0);
      d.room_above = n.spec->room_for_cores.value_or(false);
      d.rail_pods = rail_optimised && n.spec->pods.value_or(PodsOf::units) == PodsOf::rails;
    }
    d.unit_slots = rail_optimised ? scalable_unit(c, f) : slots_of_a_rack(c, f);
    return d;
  }

  void count_ports(Fabric& f) const {
    f.end_ports = f.end_ports_built_for = f.node_cables = 0;
    for (const FabricBlock& b : f.blocks) {
      f.end_ports += b.members * b.ports_each;
      f.end_ports_built_for += b.built_for * b.ports_each;
      if (b.what != FabricBlock::What::uplinks) f.node_cables += b.members * b.ports_each;
    }
  }

  // How many of each block's members can come before they meet the single ports at the end.
  static void make_room(Fabric& f) {
    std::int64_t single = 0;
    for (const FabricBlock& b : f.blocks)
      if (b.from_last) single = std::max(single, b.first + b.built_for * b.ports_each);
    if (f.single_beside) single = 0;
    const std::int64_t free = f.units * f.tiers[0].down - ceil_div(ceil_div(single, f.planes), f.leaves_per_unit);
    for (FabricBlock& b : f.blocks)
      b.room = b.from_last || b.leaves >= 0 || b.width == 0
                   ? b.built_for
                   : std::clamp((free - b.first) / b.width, b.members, b.built_for);
  }

  // Leaves and spines, of one plane. What the spec asks of spines is left where no fabric of three tiers has it:
  // net-topology-not-followed says so.
  FabricShape shape_of_tiers(Fabric& f, FabricDemand& d) const {
    const NetworkModel& n = c.networks[f.network];
    d.may_be_single = false;
    if (has_uplink_ports(n) && !spines_on_uplink_ports(n)) {
      if (!d.own_leaves.empty()) d = demand(c, f, d.rails, f.rail_optimised, false, false);
      FabricShape s{
          .tiers = 2, .down = d.radix, .units = std::max<std::int64_t>(1, ceil_div(slots_needed(d), d.radix))};
      s.leaves = s.units * d.rails;
      return s;
    }
    FabricShape s = fabric_shape(d);
    // Only leaves that two tiers join are of several kinds.
    if (s.tiers == 0 && !d.own_leaves.empty()) {
      d = demand(c, f, d.rails, f.rail_optimised, false, false);
      d.may_be_single = false;
      s = fabric_shape(d);
    }
    // Two tiers have no cores; the ports of those may be slower than what joins leaves and spines.
    if (s.tiers != 2 && uplink_rate(n, f.ways, true) < f.uplink_rate) {
      d = demand(c, f, d.rails, f.rail_optimised, true, false);
      d.may_be_single = false;
      s = fabric_shape(d);
    }
    if (s.tiers == 0 && (d.spines > 0 || d.links > 0)) {
      d.spines = d.links = 0;
      s = fabric_shape(d);
    }
    return s;
  }

  void clear(Fabric& f) const {
    const NetworkModel& n = c.networks[f.network];
    f.tiers.clear();
    f.unbuildable.clear();
    f.leaf_spine_cables = f.spine_core_cables = f.uplink_cables = 0;
    f.links_per_pair = f.core_links_per_pair = 0;
    f.oversubscription = f.core_oversubscription = 1;
    f.link_rate = f.uplink_rate = n.rate;
    f.planes = n.spec ? n.spec->planes.value_or(1) : 1;
    f.single_beside = f.rail_pods = false;
    f.leaf_groups.clear();
  }

  // One switch, or leaves and spines. False: neither carries it, and the fabric says why.
  bool choose_shape(const NetworkModel& n, Fabric& f, std::int64_t bond, FabricDemand d, FabricShape& s) const {
    const std::int64_t radix = d.radix;
    // Rail-only has one rail in each plane.
    const bool wants_rails = n.spec && n.spec->topology && *n.spec->topology == NetworkTopology::rail_optimised;
    std::int64_t rails = 1;
    if (wants_rails) {
      for (const FabricBlock& b : f.blocks) rails = std::max(rails, ceil_div(b.ports_each, f.planes));
      // Each plane has every rail that its share of a member's links can make: eight adapters with a port to each of
      // two planes are eight rails in both, eight with one port to either of them four.
      if (n.spec->rails) rails = f.planes > 1 ? std::min(rails, *n.spec->rails) : *n.spec->rails;
    }

    // One switch (one for each link of a bond) where all fits, rails or not, unless there are to be spines.
    const bool fits_one = slots_needed(d) <= radix && d.own_leaves.empty() && d.spines == 0 && d.links == 0 &&
                          !d.room_above && (d.unit_slots == 0 || slots_needed(d) <= d.unit_slots);
    const bool one_wanted = n.spec && n.spec->topology && *n.spec->topology == NetworkTopology::single;
    if (fits_one || one_wanted) {
      if (!d.own_leaves.empty()) d = demand(c, f, bond, false, false, false);
      s = {.tiers = 1, .down = radix, .units = 1, .leaves = bond};
      f.leaves_per_unit = bond;
    } else {
      if (rails > 1) {
        d = demand(c, f, rails, true, false);
        f.rail_optimised = true;
      }
      f.leaves_per_unit = d.rails;
      s = shape_of_tiers(f, d);
      if (s.tiers == 0) {
        f.unbuildable = clusterc::format(
            "{} ports{}{} are needed, three tiers of switches with {} ports reach {} without oversubscription",
            ceil_div(f.end_ports_built_for, f.planes), f.planes > 1 ? " in each plane" : "",
            d.unit_slots > 0 ? clusterc::format(" in scalable units of {}", d.unit_slots) : "", ports_of_tiers(d),
            three_tier_limit(d));
        f.node_cables = 0;
        return false;
      }
    }
    return true;
  }

  static void take_shape(const FabricShape& s, Fabric& f) {
    f.rails = f.rail_optimised ? f.leaves_per_unit : 1;
    const auto common = std::ranges::find_if(f.blocks, [](const FabricBlock& b) { return b.leaves < 0; });
    const std::int64_t width = std::max<std::int64_t>(1, common == f.blocks.end() ? 1 : common->width);
    f.unit = s.tiers == 1 ? 0 : s.down / width;
    f.units = s.units;
    f.links_per_pair = s.links;
    f.core_links_per_pair = s.core_links;
    f.pods = s.pods;
    f.rail_pods = s.rail_pods;
    f.leaves_per_pod = s.tiers >= 2 ? s.leaves_per_pod(f.leaves_per_unit) : 0;
    f.spines_per_pod = s.spines_per_pod;
    f.cores_per_group = s.cores_per_group;
    f.spines_per_group = s.spines_per_group;
    f.single_beside = s.single_beside;
  }

  void add_tier(const NetworkModel& n, std::int64_t radix, FabricTier t, Fabric& f) const {
    t.model = n.switch_model;
    t.part = n.switch_part;
    t.ports = f.tiers.empty() ? radix : radix_of(t.word, n, f.uplink_rate, radix / f.uplink_ports);
    const std::string_view by = named_by(n, t.word);
    if (const SwitchPart* part = named_tier(n, by)) {
      t.model = *n.spec->tiers.find(by)->value.value;
      t.part = part;
    }
    f.tiers.push_back(std::move(t));
  }

  struct OwnLeaves {
    std::int64_t count = 0, links = 0;  // links: to each spine
  };
  static OwnLeaves add_own_leaves(const NetworkModel& n, const FabricShape& s, std::int64_t bond, Fabric& f) {
    OwnLeaves own;
    for (std::size_t g = 0; g < s.own_leaves.size(); ++g) {
      const OwnLeavesShape& o = s.own_leaves[g];
      const std::int64_t up = o.links * s.spines_per_pod;
      f.leaf_groups.push_back(
          {.name = n.spec->leaves.entries[g].name,
           .first = s.leaves + own.count,
           .count = o.leaves,
           .each = bond,
           .down = o.down,
           .up = up,
           .links_per_pair = o.links,
           .oversubscription =
               up > 0 ? static_cast<double>(o.down) / (static_cast<double>(up) * f.uplink_speed()) : 1});
      own.count += o.leaves;
      own.links += o.leaves * o.links;
    }
    return own;
  }

  void build(int network) const {
    const NetworkModel& n = c.networks[network];
    Fabric& f = plan.fabrics[network];
    count_ports(f);
    clear(f);
    if (f.end_ports_built_for == 0) return;

    const std::int64_t bond = n.spec ? n.spec->bond.value_or(1) : 1;
    const FabricDemand d = demand(c, f, bond, false, false);
    const std::int64_t radix = d.radix;
    if (radix <= 0) {
      f.unbuildable = "the number of ports of the switch is not stated";
      return;
    }
    FabricShape s;
    if (!choose_shape(n, f, bond, d, s)) return;
    take_shape(s, f);
    const bool no_spines = has_uplink_ports(n) && (s.tiers == 1 || !spines_on_uplink_ports(n));
    if (s.tiers == 1 || no_spines) {
      f.uplink_rate = f.link_rate;
      f.uplink_ports = 1;
    }

    const auto tier = [&](const char* word, std::int64_t count, std::int64_t down, std::int64_t up) {
      add_tier(n, radix, {.word = word, .count = f.planes * count, .down = down, .up = up}, f);
    };
    if (no_spines) {
      const std::int64_t up = std::min(kUplinksOfAManagementSwitch, *n.switch_part->uplinks);
      tier(s.leaves == bond ? "switch" : "leaf", s.leaves, s.down, f.uplinks_to >= 0 ? up : 0);
      make_room(f);
      f.uplink_cables = f.uplinks_to >= 0 ? f.planes * s.leaves * up : 0;
      return;
    }
    const OwnLeaves own = add_own_leaves(n, s, bond, f);
    tier(s.tiers == 1 ? "switch" : "leaf", s.leaves + own.count, s.down, s.up);
    make_room(f);
    if (s.tiers == 1) return;
    f.leaf_spine_cables = f.planes * (s.leaves * s.up + own.links * s.spines_per_pod);
    f.oversubscription = static_cast<double>(s.down + s.beside_busy) / (static_cast<double>(s.up) * f.uplink_speed());
    tier("spine", s.spines(), f.leaves_per_pod * s.links + own.links, s.core_links * s.cores_per_group);
    if (s.tiers == 2) return;
    f.spine_core_cables = f.planes * s.spines() * s.core_links * s.cores_per_group;
    f.core_oversubscription = static_cast<double>(f.tiers[1].down) / static_cast<double>(f.tiers[1].up);
    tier("core", s.cores(), s.pods * s.spines_per_group * s.core_links, 0);
  }

  // The first Ethernet fabric of in-band traffic whose ports take the management switches' uplinks: that of a network
  // with switches of its own, or of one that shares another's.
  int uplink_target(int network) const {
    const NetworkModel& n = c.networks[network];
    if (!has_uplink_ports(n)) return -1;
    for (std::size_t i = 0; i < c.networks.size(); ++i) {
      const NetworkModel& t = c.networks[i];
      const int host = t.shares >= 0 ? t.shares : static_cast<int>(i);
      const NetworkModel& on = c.networks[static_cast<std::size_t>(host)];
      if (static_cast<int>(i) == network || host == network || !own_switches(on) || on.kind != LinkKind::ethernet ||
          std::find(t.carries.begin(), t.carries.end(), Traffic::inband) == t.carries.end())
        continue;
      if (n.switch_part->uplink_rate && on.rate.value + 0.5 >= n.switch_part->uplink_rate->value) return host;
    }
    return -1;
  }

  // Two ports and one cable.
  void plan_cable(Fabric& f) const {
    add_ends(f, f.network, nullptr);
    count_ports(f);
    clear(f);
    f.planes = 1;
    f.direct = f.end_ports == 2 && f.end_ports_built_for == 2;
    f.node_cables = f.direct ? 1 : 0;
  }

  void all() const {
    plan.fabrics.resize(c.networks.size());
    for (std::size_t i = 0; i < c.networks.size(); ++i) {
      Fabric& f = plan.fabrics[i];
      f.network = static_cast<int>(i);
      f.name = c.networks[i].name;
      if (c.networks[i].direct && c.own_site) plan_cable(f);
      if (!own_switches(c.networks[i])) continue;
      add_ends(f, static_cast<int>(i), nullptr);
      for (std::size_t g = 0; g < c.networks.size(); ++g)
        if (c.networks[g].shares == static_cast<int>(i)) {
          const std::vector<FabricBlock> known = f.blocks;
          add_ends(f, static_cast<int>(g), &known);
        }
      if (!c.networks[i].everything) build(static_cast<int>(i));
    }
    // Management last: it counts the switches of the others, and its own uplinks may add to them. Counts hardly ever
    // fall, so this settles in two or three rounds.
    for (std::size_t i = 0; i < c.networks.size(); ++i) {
      if (!c.networks[i].everything || !own_switches(c.networks[i])) continue;
      const int network = static_cast<int>(i);
      Fabric& f = plan.fabrics[i];
      const std::vector<FabricBlock> ends = f.blocks;
      f.uplinks_to = uplink_target(network);
      std::int64_t before = -1;
      for (int round = 0; round < 8 && before != f.switch_count(); ++round) {
        before = f.switch_count();
        f.blocks = ends;
        add_equipment(f);
        build(network);
        if (f.uplinks_to < 0 || f.tiers.empty()) break;
        Fabric& target = plan.fabrics[f.uplinks_to];
        std::erase_if(target.blocks,
                      [&](const FabricBlock& b) { return b.what == FabricBlock::What::uplinks && b.of == network; });
        const std::int64_t n = f.switch_count();
        target.blocks.push_back({.what = FabricBlock::What::uplinks,
                                 .of = network,
                                 .members = n,
                                 .ports_each = f.tiers[0].up,
                                 .built_for = n});
        build(f.uplinks_to);
      }
    }
    std::int64_t number = 0;
    for (Fabric& f : plan.fabrics) {
      f.first_switch = number;
      number += f.switch_count();
    }
  }
};

}  // namespace

FabricDemand fabric_demand(const Plan& plan, const Fabric& fabric) {
  Fabric f = fabric;
  FabricDemand d =
      Builder::demand(*plan.cluster, f, f.leaves_per_unit, f.rail_optimised, f.tiers.size() > 2, f.tiers.size() == 2);
  d.may_be_single = false;
  // What the spec asks of the spines of a plane is nothing to those of a pod, nor what was not followed to anybody.
  if (f.tiers.size() != 2 || (d.spines > 0 && d.spines != f.spines_per_pod) ||
      (d.links > 0 && d.links != f.links_per_pair))
    d.spines = d.links = 0;
  return d;
}

void plan_fabrics(Plan& plan) { Builder{*plan.cluster, plan}.all(); }

}  // namespace clusterc
