#include "report/site_steps.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/index.h"
#include "base/ip.h"
#include "base/text.h"
#include "model/pcie.h"
#include "plan/fabric/links.h"
#include "plan/power/cords.h"
#include "plan/power/power.h"
#include "report/device_names.h"
#include "report/hoses.h"
#include "report/lifting.h"
#include "report/markdown.h"
#include "spec/network.h"
#include "spec/site.h"
#include "spec/software.h"
#include "system/dhcp.h"
#include "system/each_address.h"
#include "system/install.h"
#include "system/interfaces.h"
#include "system/switches.h"

namespace clusterc {
namespace {

std::string box(std::string_view text) { return format("- [ ] {}\n", text); }
std::string quoted(std::string_view text) { return markdown_text(text); }
std::string number_of(std::int64_t n, std::string_view one, std::string_view many) {
  return std::to_string(n) + " " + std::string(n == 1 ? one : many);
}

struct Delivered {
  std::string model;
  std::int64_t count = 0, units = 0;
  std::int64_t two = 0, lifted = 0, highest = 0;  // on a lift: how many, the lowest unit of the highest one
  std::optional<Kilograms> weight;
  // "one person; a lift, two people for 5 of 7"
  std::string carried() const {
    if (!weight) return "see its data sheet";
    std::string out;
    for (const auto& [how, n] : {std::pair(Lifting::one_person, count - two - lifted),
                                 std::pair(Lifting::two_people, two), std::pair(Lifting::lift, lifted)})
      if (n > 0)
        out += format("{}{}{}", out.empty() ? "" : "; ", lifting_text(how),
                      n < count ? format(" for {} of {}", n, count) : std::string());
    return out;
  }
};

// Devices that come in a box of their own, by model, the heaviest first.
std::vector<Delivered> deliveries(const Cluster& c, const Plan& p) {
  std::map<std::string, Delivered, std::less<>> models;
  for (const RackPlan& rack : p.racks)
    for (const RackedDevice& d : rack.devices) {
      if (d.kind == DeviceKind::occupied || d.kind == DeviceKind::tray) continue;
      Delivered& m = models[device_model(c, p, d)];
      if (m.count++ == 0) m.weight = device_weight(c, p, d), m.units = d.units;
      const auto how = lifting_of(c, p, d);
      m.two += how == Lifting::two_people;
      m.lifted += how == Lifting::lift;
      if (how == Lifting::lift) m.highest = std::max<std::int64_t>(m.highest, d.unit);
    }
  std::vector<Delivered> out;
  for (auto& [model, m] : models) out.push_back(m), out.back().model = model;
  std::stable_sort(out.begin(), out.end(), [](const Delivered& a, const Delivered& b) {
    return a.weight.value_or(Kilograms(0)) > b.weight.value_or(Kilograms(0));
  });
  return out;
}

bool is_liquid(const ZoneModel& z) { return z.spec->method && *z.spec->method == CoolingMethod::liquid; }

// The coldest of the limits that liquid-cooled equipment of this loop states.
Value<Celsius> warmest_coolant(const Cluster& c, int zone) {
  Value<Celsius> out;
  const auto take = [&](const Value<Celsius>& v) {
    if (v && (!out || *v < *out)) out = v;
  };
  for (const AssemblyGroupModel& a : c.assemblies)
    if (a.liquid == zone && a.part) take(a.part->coolant_max);
  for (const NodeGroupModel& g : c.nodes)
    if (g.racks >= 0 && c.racks[at(g.racks)].liquid == zone) take(g.server.part.coolant_max);
  return out;
}

std::string vlan_of(const NetworkModel& n) {
  return n.spec && n.spec->vlan ? format("VLAN {}", *n.spec->vlan)
                                : std::string("VLAN …… (its number: the network's owner)");
}
std::string switches_of(const Plan& p, const NetworkModel& n, int network) {
  for (std::size_t f = 0; f < p.fabrics.size(); ++f) {
    const Fabric& fabric = p.fabrics[f];
    if (fabric.network != (n.shares >= 0 ? n.shares : network) || fabric.switch_count() == 0) continue;
    const std::string first = quoted(p.switch_host_name(static_cast<int>(f), {0, 0}));
    return fabric.switch_count() == 1 ? first
                                      : format("{} and the other switches of network {}", first, quoted(fabric.name));
  }
  return "a switch";
}

// Clients ask by broadcast, which no router passes on: where the server has no port, the gateway relays.
std::string relay_step(const System& in, const DhcpNetwork& n, int server) {
  const Cluster& c = in.cluster;
  const std::string host = quoted(c.nodes[at(server)].names.name(0));
  if (n.gateway == 0)
    return format(
        "by hand: network {}: {} serves DHCP and has no port in it, and the spec names no `gateway` that could "
        "relay: `connects` of the network gets {}, or the network a `gateway`",
        quoted(n.network.name), host, quoted(c.nodes[at(server)].name));
  const Home home = home_of(c, in.plan, server);
  const std::uint32_t to = home.network >= 0 ? in.plan.address(home.network, home.end_points, 0, 0) : 0;
  return format(
      "network {}, {}, {}: its gateway {} relays DHCP (UDP ports 67 and 68) to {}{}, which serves it and has no "
      "port in it, and routes between both. The gateway is on …… ({}, or a router of your own); relay set up "
      "by ……",
      quoted(n.network.name), vlan_of(n.network), n.subnet.text(), ipv4_text(n.gateway), host,
      to != 0 ? " at " + ipv4_text(to) : std::string(), switches_of(in.plan, n.network, n.index));
}

// Host names of BMCs, switches and PDUs have their addresses there; without a server for them they are typed in.
void addresses(const System& in, std::string& out) {
  const Cluster& c = in.cluster;
  const int server = first_provisioner(c);
  for (std::size_t i = 0; i < c.networks.size(); ++i) {
    const NetworkModel& n = c.networks[i];
    if (!is_out_of_band(n) || !n.subnet) continue;
    bool reached = n.spec && n.spec->gateway;
    for (std::size_t g = 0; g < c.nodes.size(); ++g)
      reached |= end_points_of(c, static_cast<int>(i), static_cast<int>(g)) >= 0;
    if (!reached)
      out +=
          box(format("by hand: network {}: a machine that manages BMCs, switches and PDUs has a port in it: the spec "
                     "has no such node, and no `gateway` of it",
                     quoted(n.name)));
    if (!dhcp_server(c)) {
      out += box(
          format("network {}: no machine of the spec serves DHCP there: each BMC, switch and PDU has its address of {} "
                 "as a fixed one, typed in at its console, or given by a DHCP server of your own",
                 quoted(n.name), in.makes("hosts") ? "`hosts/hosts`, which `clusterc compile` writes" : "`plan.json`"));
      continue;
    }
  }
  if (!dhcp_server(c)) return;
  for (const DhcpNetwork& n : dhcp_networks(in))
    if (server < 0)
      out += box(format(
          "network {}, {}: a machine of your own serves DHCP with the compiled files: …… at ……. It has a port "
          "there, or the network's gateway{} relays DHCP (UDP ports 67 and 68) to it",
          quoted(n.network.name), vlan_of(n.network), n.gateway != 0 ? " " + ipv4_text(n.gateway) : std::string()));
    else if (end_points_of(c, n.index, server) < 0)
      out += box(relay_step(in, n, server));
}

// Work on switches that no output does.
void switches(const System& in, std::string& out) {
  const Cluster& c = in.cluster;
  const Plan& p = in.plan;
  for (std::size_t f = 0; f < p.fabrics.size(); ++f) {
    const Fabric& fabric = p.fabrics[f];
    const NetworkModel& n = c.networks[at(fabric.network)];
    if (fabric.switch_count() == 0 || makes_switches(in, fabric.network) || n.kind == LinkKind::infiniband) continue;
    std::vector<std::string> work{"management addresses (`switches.csv`)"};
    std::vector<std::string> vlans;
    for (const NetworkModel& v : c.networks)
      if (v.subnet && (&v == &n || v.shares == fabric.network))
        vlans.push_back(format("{} for {}", vlan_of(v), quoted(v.name)));
    if (!vlans.empty()) work.push_back(join(vlans, ", "));
    if (n.spec && n.spec->gateway)
      work.push_back(
          "the gateway " + quoted(*n.spec->gateway) +
          ", on …… (here, or a router of your own, whose cable, module and port here are not in the plan: ……)");
    out += box(format("by hand: switches of network {}: {}", quoted(fabric.name), join(work, "; ")));
    if (fabric.uplink_cables > 0 && fabric.uplinks_to >= 0) {
      const bool several = fabric.uplink_cables > fabric.tiers[0].count;
      out += box(format("by hand: network {}: {} to switches of network {}, a trunk with the VLAN of {}{}",
                        quoted(fabric.name), number_of(fabric.uplink_cables, "uplink", "uplinks"),
                        quoted(p.fabrics[at(fabric.uplinks_to)].name), quoted(fabric.name),
                        several ? "; the uplinks of one switch are one LAG (LACP): plug the second one when it is set "
                                  "up, or it is a loop"
                                : ""));
    }
  }
}

}  // namespace

std::vector<std::string> devices_without_cords(const Cluster& c, const Plan& p, std::int64_t rack) {
  std::vector<std::string> out;
  const int group = c.rack_group_of(rack);
  if (group < 0) return out;
  const RackGroupModel& g = c.racks[at(group)];
  if (g.pdus.empty() || (g.spec && g.spec->busbar)) return out;
  for (const RackedDevice& d : p.racks[at(rack)].devices)
    if (d.kind != DeviceKind::occupied && !supplies_of(p, d)) out.push_back(device_host(c, p, d));
  return out;
}

std::vector<std::int64_t> hard_wired_supplies(const Plan& p) {
  std::vector<std::int64_t> out(p.racks.size());
  for (const PowerClass& k : p.power_classes())
    if (!k.assembly)
      for (const std::int32_t r : k.racks) out[at(r)] = static_cast<std::int64_t>(k.rack.cords.size());
  for (const PduLoad& l : p.pdus) out[at(l.rack)] -= l.cords_c13 + l.cords_c19;
  for (std::int64_t& n : out) n = std::max<std::int64_t>(0, n);
  return out;
}

std::vector<NodeSocket> sockets_of(const NodeGroupModel& g) {
  std::vector<NodeSocket> out;
  const PcieTree tree = pcie_tree(g.server);
  for (const PortSet& set : g.server.ports) {
    if (set.nics < 0 || at(set.nics) >= g.server.nics.size()) continue;
    const NicSet& nics = g.server.nics[at(set.nics)];
    const std::int64_t each = std::max<std::int64_t>(1, set.ports_each);
    const std::int64_t of_adapter = nics.part ? nics.part->ports.value_or(each) : each;
    for (std::int64_t k = 0; k < set.count; ++k) {
      NodeSocket s{.port = format("{}/{}", set.name, k + 1), .adapter = nics.model};
      s.label = s.port;
      if (at(k) < set.cages.size())
        s.label = format("cage{}/{}", set.cages[at(k)] + 1,
                         std::count(set.cages.begin(), set.cages.begin() + k + 1, set.cages[at(k)]));
      const PcieDevice* adapter = tree.nic(set.nics, k / each);
      s.where = adapter && !adapter->slot_name.empty() ? adapter->slot_name
                                                       : format("adapter {} of '{}'", k / each + 1, nics.name);
      if (of_adapter > 1) s.where += format(", port {}", set.first_port + k % each);
      out.push_back(std::move(s));
    }
  }
  return out;
}

std::int64_t liquid_cooled_devices(const Cluster& c, const RackPlan& rack) {
  return std::count_if(rack.devices.begin(), rack.devices.end(), [&](const RackedDevice& d) {
    return d.kind == DeviceKind::node && c.nodes[at(d.group)].server.part.liquid_cooled.value_or(false);
  });
}

std::string delivery_steps(const Cluster& c, const Plan& p) {
  const std::vector<Delivered> all = deliveries(c, p);
  std::int64_t frames = 0;
  for (const AssemblyGroupModel& a : c.assemblies) frames += a.count;
  if (all.empty() && frames == 0) return {};
  std::string out;
  const Delivered *top = nullptr, *heaviest = nullptr;  // of those on a lift
  bool unknown = false;
  if (!all.empty()) {
    out += "| model | number | height | weight of one | carried by |\n| --- | ---: | ---: | ---: | --- |\n";
    for (const Delivered& m : all) {
      if (m.lifted > 0 && (!top || m.highest > top->highest)) top = &m;
      if (m.lifted > 0 && !heaviest) heaviest = &m;
      unknown |= !m.weight;
      out += markdown_row({m.model, std::to_string(m.count), m.units > 0 ? format("{} U", m.units) : "-",
                           m.weight ? to_text(*m.weight) : "not stated", m.carried()});
    }
    out += format(
        "\nOne person lifts at most {} close to the body with the hands at 0.75 m, less above and below, nothing above "
        "{:.2f} m "
        "(NIOSH lifting equation); two lift two thirds of their sum (HSE L23); two people work with a lift. Where a "
        "maker "
        "asks for more, the maker is right.\n\n",
        to_text(kOnePersonLifts), kHighestHands.value);
  }
  for (const AssemblyGroupModel& a : c.assemblies)
    if (a.count > 0)
      out += box(format("{} {} assembled, with their trays: the way from the truck to the place carries and passes {}",
                        number_of(a.count, "frame", "frames"), a.count == 1 ? "comes" : "come",
                        a.part && a.part->weight ? to_text(*a.part->weight) + " each" : "their weight"));
  out += box(
      "each box was looked at before the delivery was signed for: count, damage, shock and tilt indicators; damage is "
      "written on the delivery note. Boxes stand in the room until they have its temperature, then they are opened");
  if (top)
    out +=
        box(format("a lift is there that carries {} ({}) and, for {}, reaches {:.1f} m (unit {}); its plate: it "
                   "carries …… kg at …… m, its platform takes the longest device, and it passes doors and aisles",
                   to_text(*heaviest->weight), markdown_code(heaviest->model), markdown_code(top->model),
                   height_of_unit(static_cast<double>(top->highest)).value, top->highest));
  if (!all.empty())
    out +=
        box(format("each device has its rail kit, which fits the depth of the rack: the bill does not list rail "
                   "kits{}",
                   unknown ? "; the weights that the table lacks are known" : ""));
  out +=
      box("tools are there: torque screwdriver and wrench (torques: maker's documents), label printer, console cable, "
          "and for fibre "
          "an inspection scope and cleaners for MPO and LC");
  out +=
      box("the labels of `labels.csv` (one row for each end of each cable) and the last two columns of `cords.csv` are "
          "printed: one line of text, wrapped around the cable 5 cm behind the plug");
  return out;
}

std::string every_rack_steps(const Cluster& c, const Plan& p) {
  std::string out;
  int n = 0;
  const auto step = [&](const std::string& text) { out += format("{}. {}\n", ++n, text); };
  step(
      "Set the rack in its place (x along the row, y across the rows, from the corner of the first rack; the sheet "
      "shows "
      "the front: the cold aisle), level it, bolt it, and bond it to the earth bar of the room. Bolts, lug and "
      "torques: "
      "maker's documents.");
  if (!p.pdus.empty()) {
    bool vertical = false;
    for (const RackGroupModel& g : c.racks)
      for (const PduModel& m : g.pdus) vertical |= !m.part || m.part->units.value_or(0) == 0;
    std::map<std::string, std::string> inlets;
    for (const RackGroupModel& g : c.racks)
      for (const PduModel& m : g.pdus)
        if (m.part && m.part->inlet) inlets.emplace(m.model, *m.part->inlet);
    std::string plugs;
    for (const auto& [model, inlet] : inlets)
      plugs += format("{}{}: {}", plugs.empty() ? "" : ", ", quoted(model), quoted(inlet));
    step(format(
        "Mount the PDUs{}. An electrician connects them to their feeds{}; the breakers stay open.",
        vertical
            ? " at the rear, seen from there PDU a, c, … at the left and PDU b, d, … at the right in every rack; a "
              "rack whose manual has other places gets them in this book first"
            : "",
        plugs.empty() ? "" : " (" + plugs + ")"));
  }
  step(
      "Mount rails and devices from the bottom up, by the sheet, which says how each is lifted (rail kits, screws and "
      "torques: maker's documents); write down serial numbers, MAC addresses and GUIDs "
      "(labels of the devices) there.");
  step(
      "Plug cords, modules and cables by the sheet. A fibre end is inspected and cleaned before each plug. Read the "
      "label "
      "at both ends: it has ports as fronts do (27/1 is the first port of cage 27; 27/1+27/2 is one plug in both; the "
      "sheet has a table of the sockets of nodes). `cables.csv` counts ports at the rate in use.");
  return out + "\n";
}

std::string coolant_steps(const Cluster& c, const Plan& p) {
  std::string out;
  for (std::size_t i = 0; i < c.zones.size() && i < p.zones.size(); ++i) {
    const ZoneModel& z = c.zones[i];
    if (!is_liquid(z)) continue;
    const int zone = static_cast<int>(i);
    if (const auto& set = z.spec->cdus) {
      std::vector<std::string> feeds;
      for (const auto& f : set->feeds) feeds.push_back(f.value_or(""));
      out += box(
          format("loop {}: {} ({}) in place, each as the table says, connected to {} and to the management "
                 "network, set to {}. The plan has no places, cords and ports of CDUs: the planner of the room fills "
                 "in the places, an electrician cords and breakers by the maker's documents, the network's owner the "
                 "ports",
                 quoted(z.name), number_of(set->count.value_or(1), "CDU", "CDUs"), quoted(set->model.value_or("")),
                 feeds.empty() ? "power" : (feeds.size() == 1 ? "feed " : "feeds ") + quoted(join(feeds, ", ")),
                 z.spec->supply ? to_text(*z.spec->supply) : "the supply temperature of the loop"));
      out += cdu_table(c, p, zone);
    }
    std::int64_t devices = 0, racks = 0, frames = 0;
    for (std::size_t r = 0; r < p.racks.size(); ++r) {
      const int group = c.rack_group_of(static_cast<std::int64_t>(r));
      if (group < 0 || c.racks[at(group)].liquid != zone) continue;
      const std::int64_t here = liquid_cooled_devices(c, p.racks[r]);
      devices += here;
      racks += here > 0;
    }
    for (const AssemblyGroupModel& a : c.assemblies)
      if (a.liquid == zone) frames += a.count;
    if (devices > 0)
      out += box(format(
          "loop {}: {} in {} {} connected. **Hoses, manifolds and couplings of these racks are not planned (`+?` "
          "in the bill)**: order them by the table below and the maker's documents",
          quoted(z.name), number_of(devices, "liquid-cooled device", "liquid-cooled devices"),
          number_of(racks, "rack", "racks"), devices == 1 ? "is" : "are"));
    if (frames > 0)
      out +=
          box(format("loop {}: {} connected, supply and return, with {} (`coolant-hose` in the bill)", quoted(z.name),
                     number_of(frames, "frame is", "frames are"), number_of(2 * frames, "hose", "hoses")));
    if (const std::string hoses = hose_table(c, p, zone); !hoses.empty()) {
      out += box(format(
          "loop {}: each hose has its length and couplings in this table before it is ordered. Length: along floor or "
          "tray from coupling to coupling, measured once CDU and rack have their places, and the slack that the maker "
          "asks for. Hoses that the maker delivers with the device keep their length",
          quoted(z.name)));
      out += hoses;
    }
    const Fluid fluid = z.spec->fluid.value_or(Fluid::water);
    out +=
        box(format("loop {}: flushed until the filters stay clean, filled with {} and vented, as the maker of the "
                   "CDU prescribes; the analysis of the coolant is kept",
                   quoted(z.name), enum_text(fluid)));
    out +=
        box(format("loop {}: the pressure and leak test passed, at the pressure and for the time that the makers "
                   "state; its record is kept; leak detection raises an alarm",
                   quoted(z.name)));
    const Kelvins rise = z.spec->rise.value_or(kCoolantRise);
    std::string line =
        format("loop {}: coolant flows, with at least {} in all for {} at a rise of {}", quoted(z.name),
               to_text(coolant_for(p.zones[i].heat, rise, fluid)), to_text(p.zones[i].heat), to_text(rise));
    if (z.spec->supply) line += format("; it is supplied with {}", to_text(*z.spec->supply));
    if (const auto most = warmest_coolant(c, zone)) line += format(", {} at most", to_text(*most));
    if (z.spec->facility) {
      if (z.spec->facility->supply) line += format("; facility water with {}", to_text(*z.spec->facility->supply));
      if (z.spec->facility->flow) line += format(" and {}", to_text(*z.spec->facility->flow));
    }
    out += box(line);
    Value<Celsius> dew;
    for (const ZoneModel& other : c.zones)
      if (other.spec->dew_point && (!dew || *other.spec->dew_point > *dew)) dew = other.spec->dew_point;
    out += box(format("loop {}: the dew point of the room stays below the temperature of the supply{}", quoted(z.name),
                      dew ? format(" (the spec states {} at most)", to_text(*dew)) : ""));
  }
  if (!out.empty()) out += box("**no liquid-cooled device gets power before coolant flows through it**");
  return out;
}

std::string management_steps(const System& in) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return {};
  std::string out;
  addresses(in, out);
  switches(in, out);
  bool managed = false;
  for (const NetworkModel& n : c.networks) managed |= is_out_of_band(n);
  if (!managed) return out;
  out +=
      box("the makers' passwords of BMCs, switches and PDUs are changed; the new ones are kept where the site keeps "
          "secrets. "
          "No file of this book has a password: `clusterc` reads that of the BMCs with `--password-file` or "
          "`--password-env`");
  out += box(
      "the firmware of BMC, BIOS, adapters, switches and modules is the same within each model, at a version that its "
      "maker supports together: the plan states none. `clusterc audit SPEC --redfish plan --user NAME --password-file "
      "FILE --firmware` names nodes that differ from their group");
  std::vector<std::string> settings;
  for (std::size_t g = 0; g < c.nodes.size(); ++g) {
    const NodeGroupModel& group = c.nodes[g];
    if (group.count == 0 || group.server.virtual_machine || group.server.instance) continue;
    std::vector<std::string> of;
    const Software& s = *group.software;
    if (installer_of(c, static_cast<int>(g)))
      of.push_back("network " + quoted(c.networks[at(install_network(c, static_cast<int>(g)))].name) + " boots first");
    if (s.iommu) of.push_back("IOMMU " + std::string(*s.iommu == "off" ? "off" : "on"));
    if (s.secure_boot) of.push_back(std::string("Secure Boot ") + (*s.secure_boot ? "on" : "off"));
    if (s.nodes_per_socket) of.push_back(format("NUMA nodes per socket {}", *s.nodes_per_socket));
    if (!of.empty()) settings.push_back(quoted(group.name) + ": " + join(of, ", "));
  }
  out += box(settings.empty()
                 ? "the BIOS has its maker's settings for compute nodes: the spec asks for no other; power returns to "
                   "the last state after a loss"
                 : "the BIOS has what the spec asks for (" + join(settings, "; ") +
                       "); power returns to the last state after a loss");
  return out;
}

}  // namespace clusterc
