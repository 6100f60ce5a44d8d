#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "base/format.h"
#include "base/printable.h"
#include "model/rounding.h"
#include "plan/cost/accessories.h"
#include "plan/cost/fitted.h"
#include "plan/fabric/fabric.h"
#include "plan/fabric/routing.h"
#include "plan/hints.h"
#include "plan/power/power.h"
#include "plan/power/power_chain.h"
#include "plan/power/power_gaps.h"
#include "plan/power/rack_limits.h"
#include "report/collective_report.h"
#include "report/cost_report.h"
#include "report/margins.h"
#include "report/plan_report.h"
#include "report/table.h"
#include "report/workload_report.h"
#include "spec/nodes.h"
#include "spec/prices.h"
#include "spec/site.h"
#include "spec/workload.h"
#include "targets/linpack_model.h"

namespace clusterc {
namespace {

std::string device_text(const Cluster& cluster, const Plan& plan, const RackedDevice& d) {
  switch (d.kind) {
    case DeviceKind::node:
      return cluster.node_name(d.index);
    case DeviceKind::storage:
      return cluster.storage[static_cast<std::size_t>(d.group)].name + "/" + std::to_string(d.index + 1);
    case DeviceKind::switch_: {
      const Fabric& f = plan.fabrics[static_cast<std::size_t>(d.group)];
      std::int64_t index = d.index;
      for (std::size_t t = 0; t < f.tiers.size(); ++t) {
        if (index < f.tiers[t].count) return plan.switch_name(d.group, {static_cast<int>(t), index});
        index -= f.tiers[t].count;
      }
      return f.name;
    }
    case DeviceKind::occupied:
      return "occupied";
    case DeviceKind::tray:
      return "tray";
  }
  return "?";
}

// Of the fabric's index-th switch.
const FabricTier& tier_of(const Fabric& f, std::int64_t index) {
  for (const FabricTier& t : f.tiers) {
    if (index < t.count) return t;
    index -= t.count;
  }
  return f.tiers.back();
}

std::string unplaced_name(const Cluster& cluster, const Plan& plan, const Unplaced& u) {
  const auto group = static_cast<std::size_t>(u.group);
  switch (u.kind) {
    case DeviceKind::node:
    case DeviceKind::tray:
      return cluster.nodes[group].name;
    case DeviceKind::storage:
      return cluster.storage[group].name;
    case DeviceKind::switch_:
      return plan.fabrics[group].name + " " + tier_of(plan.fabrics[group], u.first).word;
    case DeviceKind::occupied:
      return "existing equipment";
  }
  return "?";
}

// What a rack holds without the single names: racks that hold the same are one line.
std::string rack_signature(const Cluster& cluster, const Plan& plan, const RackPlan& rack) {
  std::vector<std::pair<std::string, int>> kinds;
  for (const RackedDevice& d : rack.devices) {
    std::string what;
    switch (d.kind) {
      case DeviceKind::node:
      case DeviceKind::tray:
        what = cluster.nodes[static_cast<std::size_t>(d.group)].name;
        break;
      case DeviceKind::storage:
        what = cluster.storage[static_cast<std::size_t>(d.group)].name;
        break;
      case DeviceKind::switch_: {
        what = device_text(cluster, plan, d);
        const auto first = what.find('/'), second = first == std::string::npos ? first : what.find('/', first + 1);
        what = second == std::string::npos ? what
                                           : what.substr(first + 1, second - first - 1) + " " + what.substr(0, first);
        break;
      }
      case DeviceKind::occupied:
        what = "existing equipment";
        break;
    }
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.first == what; });
    if (found == kinds.end())
      kinds.emplace_back(what, 1);
    else
      ++found->second;
  }
  std::string out;
  for (const auto& [what, count] : kinds) out += (out.empty() ? "" : ", ") + std::to_string(count) + " x " + what;
  return out.empty() ? "empty" : out;
}

// Behind a sum that lacks what nobody states.
std::string lacks(bool something) { return something ? " +?" : ""; }

std::string racks_text(const Cluster& cluster, const Plan& plan) {
  struct Line {
    std::vector<std::string> names;
    const RackPlan* one;
    std::int64_t rack;
  };
  std::vector<Line> lines;
  std::map<std::string, std::size_t> known;
  std::vector<std::size_t> first_pdu(plan.racks.size() + 1, plan.pdus.size());
  for (std::size_t i = plan.pdus.size(); i-- > 0;) first_pdu[static_cast<std::size_t>(plan.pdus[i].rack)] = i;
  for (std::size_t r = 0; r < plan.racks.size(); ++r) {
    const RackPlan& rack = plan.racks[r];
    const std::int64_t number = static_cast<std::int64_t>(r);
    const std::string key = std::to_string(cluster.rack_group_of(number)) + "|" + rack_signature(cluster, plan, rack) +
                            "|" + to_exact_text(rack.power.value, Dimension::power);
    const auto [at, fresh] = known.try_emplace(key, lines.size());
    if (fresh) lines.push_back({{}, &rack, number});
    lines[at->second].names.push_back(cluster.rack_name(number));
  }
  // What it may draw all the time, with everything alive and after the loss of any one feed: what the placement keeps
  // to.
  bool over = false;
  Table table({"racks", ">power", ">may draw", ">weight", ">U used", "holds"});
  for (const Line& line : lines) {
    const int group = cluster.rack_group_of(line.rack);
    const RackLimits limits =
        group >= 0 ? rack_limits(cluster, cluster.racks[static_cast<std::size_t>(group)]) : RackLimits{};
    const double may = std::min(limits.normal.value, limits.survives.value);
    std::string units = "-";  // a frame of an assembly is whole: shelves and switches fill it beside the trays
    if (group >= 0) {
      std::int64_t used = 0;
      for (const RackedDevice& d : line.one->devices) used += d.units;
      units = std::to_string(used);
      if (const RackPart* part = cluster.racks[static_cast<std::size_t>(group)].part; part && part->units)
        units += "/" + std::to_string(*part->units);
    }
    const bool too_much = above(line.one->power.value, may);
    over = over || too_much;
    table.row(
        {fold_names(line.names), (too_much ? "! " : "") + to_text(line.one->power) + lacks(!line.one->power_complete),
         std::isfinite(may) ? to_text(Watts(may)) : "-", to_text(line.one->weight) + lacks(!line.one->weight_complete),
         units, rack_signature(cluster, plan, *line.one)});
  }
  return table.text() + (over ? "  ! above the power limit after the loss of a feed: see `clusterc check`\n" : "");
}

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// A value of a table, with a mark where it is above its limit.
template <class Q>
std::string marked(Q value, double limit, bool& over) {
  const bool too_much = above(value.value, limit);
  over = over || too_much;
  return (too_much ? "! " : "") + to_text(value);
}

// Circuits of the building that nodes outside of racks are plugged into.
std::string wall_text(const Cluster& cluster, const NodeGroupModel& g) {
  const WallLoad w = wall_load(cluster, g);
  if (w.circuits == 0) return "";
  return format("  wall circuits of {}: {} with {}: {} each{}\n", g.name, w.circuits,
                w.nodes == 1 ? std::string("1 node") : format("{} nodes", w.nodes),
                w.load < 0 ? std::string("unknown") : to_text(VoltAmperes(w.load)),
                w.carries < 0 ? std::string() : " of " + to_text(VoltAmperes(w.carries)));
}

// Where the heat of nodes outside of racks goes.
std::string heat_outside_text(const Cluster& cluster, const NodeGroupModel& g) {
  const Watts heat = power_outside_racks(cluster, g);
  if (heat.value <= 0) return "";
  return g.cooling >= 0 ? format("  {}: {} of it from {}, outside of racks\n",
                                 cluster.zones[static_cast<std::size_t>(g.cooling)].name, to_text(heat), g.name)
                        : format("  no zone: {} from {}, into the room where its nodes stand\n", to_text(heat), g.name);
}

std::string feeds_text(const Cluster& cluster, const Plan& plan, const PowerGaps& gaps) {
  std::string walls;
  for (const NodeGroupModel& g : cluster.nodes) walls += wall_text(cluster, g);
  if (plan.feeds.empty()) return walls;
  bool over = false;
  Table table({"feed", ">normal", ">worst", "after losing", ">may carry"});
  for (std::size_t i = 0; i < plan.feeds.size() && i < cluster.feeds.size(); ++i) {
    const FeedLoad& load = plan.feeds[i];
    const FeedModel& feed = cluster.feeds[i];
    const std::string more = lacks(gaps.feeds[i]);
    const double may = feed.capacity ? feed.capacity->value : kNoLimit;
    table.row({feed.name, marked(at_breaker(feed, load.normal), may, over) + more,
               marked(at_breaker(feed, load.worst), may, over) + more,
               load.worst_lost_feed < 0 ? "-" : cluster.feeds[static_cast<std::size_t>(load.worst_lost_feed)].name,
               feed.capacity ? to_text(*feed.capacity) : "not stated"});
  }
  const std::vector<FeedLoad> panels = panel_loads(plan);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const double rating = panel_breaker(cluster, cluster.panels[i]).continuous;
    const std::string more = lacks(gaps.panels[i]);
    const double may = rating < 0 ? kNoLimit : rating;
    table.row(
        {"panel " + cluster.panels[i].name, marked(panels[i].normal, may, over) + more,
         marked(panels[i].worst, may, over) + more,
         panels[i].worst_lost_feed < 0 ? "-" : cluster.feeds[static_cast<std::size_t>(panels[i].worst_lost_feed)].name,
         rating < 0 ? "not stated" : to_text(VoltAmperes(rating))});
  }
  std::string out = table.text() + (over ? "  ! above the rating\n" : "");
  for (std::size_t i = 0; i < plan.feeds.size() && i < cluster.feeds.size(); ++i)
    if (const VoltAmperes load = plan.feeds[i].normal, drawn = at_breaker(cluster.feeds[i], load); drawn > load)
      out +=
          format("  feed {}: {} of the normal load is lost in its UPS\n", cluster.feeds[i].name, to_text(drawn - load));
  for (std::size_t g = 0; g < cluster.generators.size(); ++g) {
    const Generator& spec = *cluster.generators[g].spec;
    out += format("  generator {}: {}{}{}\n", cluster.generators[g].name,
                  to_text(generator_load(plan, static_cast<int>(g)).power),
                  spec.rating ? " of " + to_text(*spec.rating) : "",
                  spec.start ? ", takes the load after " + to_text(*spec.start) : "");
  }
  const std::vector<TransferLoad> transfers = transfer_loads(plan);
  for (std::size_t t = 0; t < transfers.size(); ++t) {
    const TransferLoad& load = transfers[t];
    out += format("  transfer switch {}{}: {}{}{}\n", cluster.transfers[t].name,
                  load.rack >= 0 ? format(" (before each PDU; {}/{} the most)", cluster.rack_name(load.rack),
                                          static_cast<char>('a' + load.pdu))
                                 : std::string(),
                  to_text(load.normal),
                  load.lost >= 0 ? format(", {} after losing {}", to_text(load.worst),
                                          cluster.feeds[static_cast<std::size_t>(load.lost)].name)
                                 : std::string(),
                  load.rating >= 0 ? " of " + to_text(VoltAmperes(load.rating)) : std::string());
  }
  out += walls;
  if (const Watts off = power_off_feeds(plan); off.value > 0) out += format("  not on a feed: {}\n", to_text(off));
  if (!gaps.others.empty()) out += format("  +?: plus the unknown power of {}\n", names_text(gaps.others));
  return out;
}

std::string cooling_text(const Cluster& cluster, const Plan& plan, const PowerGaps& gaps) {
  bool over = false;
  std::string outside;
  for (const NodeGroupModel& g : cluster.nodes) outside += heat_outside_text(cluster, g);
  if (plan.zones.empty()) return outside;
  Table table({"zone", "method", ">heat", ">removes", ">air needed", ">air given"});
  for (std::size_t i = 0; i < plan.zones.size() && i < cluster.zones.size(); ++i) {
    const ZoneModel& zone = cluster.zones[i];
    table.row(
        {zone.name, std::string(zone.spec && zone.spec->method ? enum_text(*zone.spec->method) : "-"),
         marked(plan.zones[i].heat, zone.heat ? zone.heat->value : kNoLimit, over) + lacks(gaps.zones[i]),
         zone.heat ? to_text(*zone.heat) : "not stated",
         plan.zones[i].airflow.value > 0
             ? marked(plan.zones[i].airflow, zone.airflow ? zone.airflow->value : kNoLimit, over) + lacks(gaps.air[i])
         : gaps.air[i] ? "unknown"
                       : "-",
         zone.airflow ? to_text(*zone.airflow) : (zone.airflow.unknown ? "unknown" : "not stated")});
  }
  std::string out = table.text() + (over ? "  ! above the limit of the zone\n" : "");
  for (std::size_t i = 0; i < plan.zones.size() && i < cluster.zones.size(); ++i) {
    const ZoneModel& zone = cluster.zones[i];
    if (!zone.spec || zone.spec->method.value != CoolingMethod::liquid || plan.zones[i].heat.value <= 0) continue;
    const Kelvins rise = zone.spec->rise.value_or(kCoolantRise);
    out +=
        format("  {}: {} of coolant, with a temperature rise of {}", zone.name,
               to_text(coolant_for(plan.zones[i].heat, rise, zone.spec->fluid.value_or(Fluid::water))), to_text(rise));
    if (const auto water = facility_water(zone, plan.zones[i].heat)) {
      out += format("; {} of facility water at least", to_text(water->least_flow));
      if (zone.spec->facility->flow) out += format(", of {}", to_text(*zone.spec->facility->flow));
    }
    out += "\n";
  }
  return out + outside;
}

// Node group or storage system.
const std::string& members_name(const Cluster& cluster, const FabricBlock& block) {
  const EndPoints& e =
      cluster.networks[static_cast<std::size_t>(block.network)].ends[static_cast<std::size_t>(block.end)];
  return e.group >= 0 ? cluster.nodes[static_cast<std::size_t>(e.group)].name
                      : cluster.storage[static_cast<std::size_t>(e.storage)].name;
}

std::string fabrics_text(const Cluster& cluster, const Plan& plan) {
  std::string out;
  const auto ratio = [](double o) { return std::round(o * 1000) / 1000; };
  for (const Fabric& f : plan.fabrics) {
    const NetworkModel& network = cluster.networks[static_cast<std::size_t>(f.network)];
    out += format("  {}: {} at {}", network.name, enum_text(network.kind), to_text(network.rate));
    if (network.shares >= 0)
      out += format(", on the switches of {}", cluster.networks[static_cast<std::size_t>(network.shares)].name);
    out += format(", {} end ports", f.end_ports);
    if (f.end_ports_built_for > f.end_ports) out += format(" (built for {})", f.end_ports_built_for);
    out += "\n";
    if (f.tiers.empty() && !f.unbuildable.empty())
      out += "    not planned, and not in any sum: " + f.unbuildable + "\n";
    for (const FabricBlock& b : f.blocks)
      if (!f.tiers.empty() && b.room < b.built_for)
        out += format("    built for {} '{}', but there is room for {}: more would move the ports of other members\n",
                      b.built_for, members_name(cluster, b), b.room);
    for (const FabricTier& t : f.tiers) {
      const bool counted = t.part && t.part->ports;
      out += format("    {} x {} ({}): {}, {} down", t.count, t.word, t.model,
                    counted ? format("{} ports", t.ports) : std::string("number of ports not stated"), t.down);
      if (t.up > 0)
        out += format(", {} up{}", t.up, f.uplink_rate > f.link_rate ? " at " + to_text(f.uplink_rate) : "");
      if (&t == f.tiers.data() && own_uplink_ports(f))
        out += format(" (of {} uplink ports)", t.part->uplinks.value_or(0));
      out += "\n";
    }
    for (const LeafGroup& g : f.leaf_groups)
      if (g.count > 0)
        out += format("      {} of the leaves for '{}' alone: {} down, {} up, oversubscription {} to 1\n",
                      f.planes * g.count, g.name, g.down, g.up, ratio(g.oversubscription));
    if (f.direct) out += "    one cable between its two ports, without a switch\n";
    if (f.planes > 1)
      out += format("    {} planes that share no switch: {} x {} in each\n", f.planes,
                    f.tiers.empty() ? 0 : f.per_plane(0), f.tiers.empty() ? "" : f.tiers[0].word);
    if (f.rail_optimised)
      out += format("    rail-optimised: {} rail{}, {} unit{} of up to {} node{}\n", f.rails, f.rails == 1 ? "" : "s",
                    f.units, f.units == 1 ? "" : "s", f.unit, f.unit == 1 ? "" : "s");
    if (f.single_beside) out += "    single ports: after the nodes' ports on the leaves of the last unit\n";
    if (f.rail_pods) out += format("    {} pods, each with the {} leaves of one rail\n", f.pods, f.leaves_per_pod);
    if (!f.tiers.empty()) {
      out += format("    cables: {} to end points", f.node_cables);
      if (f.leaf_spine_cables)
        out += format(", {} leaf to spine ({} from each leaf to each spine)", f.leaf_spine_cables, f.links_per_pair);
      if (f.spine_core_cables)
        out += format(", {} spine to core ({} each)", f.spine_core_cables, f.core_links_per_pair);
      if (f.uplink_cables)
        out += format(
            ", {} up to {}", f.uplink_cables,
            cluster.networks[static_cast<std::size_t>(plan.fabrics[static_cast<std::size_t>(f.uplinks_to)].network)]
                .name);
      out += format("; oversubscription {} to 1", ratio(f.oversubscription));
      if (f.core_oversubscription > 1) out += format(", between pods {} to 1", ratio(f.core_oversubscription));
      out += "\n";
      const std::vector<PatternLoad>& loads = plan.loads(f.network);
      if (!loads.empty()) out += "    load of the fullest link with routing by destination, in end ports:";
      for (const PatternLoad& l : loads)
        out += format("{} {} {:.3g}", &l == &loads.front() ? "" : ",", l.pattern, l.worst);
      if (!loads.empty()) out += "\n";
      for (const std::string& hint : fabric_hints(plan, static_cast<int>(&f - plan.fabrics.data())))
        out += format("    hint: {}\n", hint);
    }
  }
  return out;
}

// Of one node; trays draw what their assembly draws, and what an instance draws is its owner's business.
std::string power_each(const Cluster& cluster, const NodeGroupModel& g) {
  if (g.server.power)
    return g.server.power->value > 0 ? (power_lacks(g).empty() ? "" : "at least ") + to_text(*g.server.power) : "-";
  return cluster.own_site && g.assembly < 0 && !g.server.instance ? "unknown" : "-";
}

std::string addresses_text(const Cluster& cluster, const Plan& plan) {
  bool over = false;
  Table table({"network", "subnet", ">addresses", ">usable", "first", "end points"});
  for (const AddressPlan& a : plan.addresses) {
    const NetworkModel& network = cluster.networks[static_cast<std::size_t>(a.network)];
    for (std::size_t e = 0; e < network.ends.size() && e < a.first.size(); ++e) {
      const EndPoints& ends = network.ends[e];
      const std::string who = ends.group >= 0     ? cluster.nodes[static_cast<std::size_t>(ends.group)].name
                              : ends.storage >= 0 ? cluster.storage[static_cast<std::size_t>(ends.storage)].name
                                                  : "equipment";
      const bool too_many = std::cmp_greater(a.needed, a.usable);
      over = over || too_many;
      table.row({e == 0 ? network.name : "", e == 0 ? a.subnet.text() : "",
                 e == 0 ? (too_many ? "! " : "") + std::to_string(a.needed) : "",
                 e == 0 ? std::to_string(a.usable) : "", a.first[e] ? ipv4_text(a.first[e]) : "-", who});
    }
  }
  return table.text() + (over ? "  ! more addresses than the subnet has\n" : "");
}

// The validators' own LINPACK has no published figure: what is above it is of the vendors' programs.
std::string our_linpack_text(const Cluster& cluster) {
  std::string out;
  for (const NodeGroupModel& g : cluster.nodes)
    if (const auto p = g.computes ? predict_linpack(g) : std::nullopt)
      out += format("  clusterc-hpl on {}: {} to {} by a model ({}); it has never run on a GPU and is unjudged\n",
                    g.name, to_text(FlopsPerSecond(p->low)), to_text(FlopsPerSecond(p->high)), p->terms);
  return out;
}

}  // namespace

std::string render_expected_text(const ExpectedFigures& expected) {
  if (expected.figures.empty()) return "  none\n";
  Table table({"group", "test", "over", ">ceiling", ">typical", ">floor", "basis"});
  for (const ExpectedFigure& f : expected.figures) {
    std::string basis = f.basis == "gate" ? "pass limit" : f.basis;
    if (!f.skip.empty())
      basis = "skipped: " + f.skip;
    else if (f.floor_by_user)
      basis = "floor of the spec";
    else if (!f.missing.empty())
      basis = "unjudged: " + f.missing;
    const auto number = [&](const Figure& one) {
      return one.value ? to_text(*one.value, f.dimension) : std::string("-");
    };
    table.row({f.group.empty() ? "(all)" : f.group, f.test, f.scope.empty() ? "-" : f.scope, number(f.ceiling),
               number(f.typical), number(f.floor), basis});
  }
  return table.text();
}

std::string render_plan_text(const Cluster& cluster, const Plan& plan, const ExpectedFigures& expected,
                             const PlanVerdict* verdict) {
  std::string out = verdict ? render_verdict_text(*verdict) : std::string();
  out += format("{}: {} node{}, {} GPU{}", *cluster.spec.name, cluster.node_count, cluster.node_count == 1 ? "" : "s",
                plan.gpu_count, plan.gpu_count == 1 ? "" : "s");
  const PowerGaps gaps = power_gaps(plan);
  if (plan.it_power.value > 0)
    out += gaps.power_known() ? format(", {} at the wall at most", to_text(plan.it_power))
                              : format(", at least {} at the wall", to_text(plan.it_power));
  std::int64_t left = 0;
  for (const Unplaced& u : plan.unplaced) left += u.count;
  if (left > 0) out += format(", {} not placed", left == 1 ? "1 device" : std::to_string(left) + " devices");
  out += "\n";
  if (!gaps.power_known())
    out += format(
        "The power and heat of {} are unknown: they count as 0 W below, and all sums with them are lower bounds\n",
        names_text(gaps.equipment));
  if (!plan.unplaced.empty()) {
    out += "\nNot placed\n";
    for (const Unplaced& u : plan.unplaced)
      out += format("  {} x {}: {}\n", u.count, unplaced_name(cluster, plan, u), u.why);
  }
  const auto section = [&](const char* title, const std::string& text) {
    if (!text.empty()) out += format("\n{}\n{}", title, text);
  };
  section("Nodes", [&] {
    Table table({"group", ">count", "names", "server", "GPUs", ">power each"});
    for (const NodeGroupModel& g : cluster.nodes)
      table.row({g.name, std::to_string(g.count), g.names.text(), g.server.id,
                 g.server.gpu_count ? std::to_string(g.server.gpu_count) + " x " + g.server.gpu_model : "-",
                 power_each(cluster, g)});
    std::string text = table.text();
    for (const NodeGroupModel& g : cluster.nodes)
      if (g.server.power && g.server.power.origin == Origin::derived &&
          (g.server.refitted || g.server.gpu_limit || (g.spec && g.spec->power_cap)))
        text += format("  power of {}: {}\n", g.name, g.server.power.source);
    return text;
  }());
  if (!plan.racks.empty()) section("Racks", racks_text(cluster, plan));
  section("Power", feeds_text(cluster, plan, gaps));
  section("Cooling", cooling_text(cluster, plan, gaps));
  section("Fabrics", fabrics_text(cluster, plan));
  if (!plan.addresses.empty()) section("Addresses", addresses_text(cluster, plan));
  if (const std::vector<BillRow> bill = bill_rows(plan); !bill.empty())
    section("Bill of materials", [&] {
      Table table({">count", "part", ">length", "what"});
      for (const BillRow& b : bill)
        table.row({std::to_string(b.count + b.spares),
                   (b.put_in ? "  " : "") + b.part + (b.planning_default ? " (planning default)" : ""),
                   b.length.value > 0 ? to_text(b.length) : "", b.what});
      return table.text();
    }());
  if (const std::vector<Accessory> small = accessories_of(plan); !small.empty())
    section("Cords, panels and trays", [&] {
      Table table({">count", "part", ">length", "what"});
      for (const Accessory& a : small)
        table.row({a.unknown_for ? "+?" : std::to_string(a.count),
                   a.part + (a.planning_default ? " (planning default)" : ""),
                   a.length.value > 0 ? to_text(a.length) : "", a.what});
      return table.text();
    }());
  if (const auto cost = cost_of(plan)) section("Cost", render_cost_text(*cost));
  section("Expected figures", render_expected_text(expected) + our_linpack_text(cluster));
  section("All-reduce by message size: bus bandwidth of healthy systems", render_all_reduce_text(cluster));
  section("Workloads", render_workloads_text(plan_workloads(cluster, plan)));
  section("Tightest margins", render_margins_text(cluster, plan));
  return without_commands(std::move(out));
}

}  // namespace clusterc
