#include "base/json_writer.h"
#include "model/mig.h"
#include "plan/cost/accessories.h"
#include "plan/cost/fitted.h"
#include "plan/fabric/cabling.h"
#include "plan/fabric/routing.h"
#include "plan/hints.h"
#include "plan/power/power.h"
#include "plan/power/power_gaps.h"
#include "report/collective_report.h"
#include "report/cost_report.h"
#include "report/device_names.h"
#include "report/plan_report.h"
#include "report/power_json.h"
#include "report/workload_report.h"
#include "spec/prices.h"
#include "spec/site.h"
#include "spec/workload.h"

namespace clusterc {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

std::string equipment_owner(const Cluster& c, const EquipmentAddresses& e) {
  using What = FabricBlock::What;
  if (e.what == What::pdus) return "pdus";
  return e.what == What::switches ? "switches of " + c.networks[at(e.of)].name
                                  : "shelves of " + c.assemblies[at(e.of)].name;
}

void figure(JsonWriter& json, std::string_view key, const Figure& f) {
  json.object(key, JsonWriter::Layout::line)
      .field("value", f.value)
      .field("derivation", f.derivation)
      .field("source", f.source)
      .field("confirmed", f.confirmed)
      .end_object();
}

}  // namespace

std::string render_plan_json(const Cluster& cluster, const Plan& plan, const ExpectedFigures& expected,
                             std::string_view spec_digest, const PlanVerdict* verdict) {
  std::string out;
  JsonWriter json(out, {.indent = 1});
  constexpr auto kLine = JsonWriter::Layout::line;
  json.begin_object()
      .field("format", "clusterc-plan")
      .field("version", 1)
      .field("cluster", *cluster.spec.name)
      .field("spec_sha256", spec_digest);
  if (verdict) write_verdict(json, *verdict);
  const PowerGaps gaps = power_gaps(plan);
  json.object("totals", kLine)
      .field("nodes", cluster.node_count)
      .field("gpus", plan.gpu_count)
      .field("racks", cluster.rack_count)
      .field("power_w", plan.it_power.value)
      .field("power_typical_w", plan.it_typical.value)
      .field("power_complete", gaps.power_known())
      .end_object();
  json.array("power_unknown");
  for (const PowerlessPart& p : gaps.equipment)
    json.begin_object(kLine).field("part", p.part).field("count", p.count).field("why", p.why).end_object();
  json.end_array();

  const PowerJson power(plan);
  power.site(json);
  json.array("node_groups");
  for (const NodeGroupModel& g : cluster.nodes) {
    json.begin_object(kLine)
        .field("name", g.name)
        .field("names", g.names.text())
        .field("count", g.count)
        .field("server", g.server.id)
        .field("gpu", g.server.gpu_model)
        .field("gpus_each", g.server.gpu_count)
        .field("cores_each", g.server.cores);
    if (g.server.power)
      json.field("power_w", g.server.power->value)
          .field("power_confirmed", g.server.power.confirmed)
          .field("power_complete", power_lacks(g).empty());
    if (const std::string_view mig = g.server.gpu_count > 0 ? cut_by_mig(g.software) : std::string_view();
        !mig.empty()) {
      json.field("mig", mig);
      if (const auto layout = mig_layout(g.software))
        json.field("gpu_instances_each", g.server.gpu_count * layout->count);
    }
    if (g.server.gpu_count > 0) json.field("power_at_load_w", power_at_load(g.server).value);
    power.node_group(json, g);
    json.end_object();
  }
  json.end_array();

  json.array("unplaced");
  for (const Unplaced& u : plan.unplaced)
    json.begin_object(kLine)
        .field("kind", device_word(u.kind))
        .field("count", u.count)
        .field("why", u.why)
        .end_object();
  json.end_array();

  power.storage(json);
  power.loads(json);
  json.array("racks");
  for (std::size_t r = 0; r < plan.racks.size(); ++r) {
    const RackPlan& rack = plan.racks[r];
    json.begin_object(kLine)
        .field("name", cluster.rack_name(static_cast<std::int64_t>(r)))
        .field("power_w", rack.power.value)
        .field("power_complete", rack.power_complete)
        .field("weight_kg", rack.weight.value)
        .field("weight_complete", rack.weight_complete)
        .field("airflow_m3_s", rack.airflow.value)
        .field("liquid_heat_w", rack.liquid_heat.value)
        .field("x_m", static_cast<double>(rack.x))
        .field("y_m", static_cast<double>(rack.y));
    power.rack(json, static_cast<std::int64_t>(r));
    json.array("devices", kLine);
    for (std::size_t i = 0; i < rack.devices.size(); ++i) {
      const RackedDevice& d = rack.devices[i];
      json.begin_object(kLine)
          .field("kind", device_word(d.kind))
          .field("name", device_name(cluster, plan, d))
          .field("unit", d.unit)
          .field("units", d.units);
      power.device(json, static_cast<std::int64_t>(r), i);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();

  json.array("pdus");
  for (const PduLoad& p : plan.pdus) {
    json.begin_object(kLine)
        .field("name", "pdu/" + cluster.rack_name(p.rack) + "/" + std::string(1, static_cast<char>('a' + p.pdu)))
        .field("feed", p.feed < 0 ? std::string() : cluster.feeds[at(p.feed)].name)
        .field("normal_va", p.normal.value)
        .field("worst_va", p.worst.value)
        .field("cords_c13", p.cords_c13)
        .field("cords_c19", p.cords_c19);
    power.pdu(json, p);
    json.end_object();
  }
  json.end_array();
  json.array("feeds");
  for (std::size_t i = 0; i < plan.feeds.size(); ++i) {
    const FeedLoad& f = plan.feeds[i];
    json.begin_object(kLine)
        .field("name", cluster.feeds[i].name)
        .field("normal_va", f.normal.value)
        .field("worst_va", f.worst.value)
        .field("normal_at_breaker_va", at_breaker(cluster.feeds[i], f.normal).value)
        .field("worst_at_breaker_va", at_breaker(cluster.feeds[i], f.worst).value)
        .field("after_losing", f.worst_lost_feed < 0 ? std::string() : cluster.feeds[at(f.worst_lost_feed)].name);
    if (cluster.feeds[i].capacity) json.field("capacity_va", cluster.feeds[i].capacity->value);
    power.feed(json, i);
    json.end_object();
  }
  json.end_array();
  power.panels(json);
  if (!cluster.generators.empty()) power.generators(json);
  if (!cluster.transfers.empty()) power.transfers(json);
  json.array("cooling_zones");
  for (std::size_t i = 0; i < plan.zones.size(); ++i) {
    json.begin_object(kLine)
        .field("name", cluster.zones[i].name)
        .field("heat_w", plan.zones[i].heat.value)
        .field("airflow_m3_s", plan.zones[i].airflow.value);
    if (cluster.zones[i].heat) json.field("removes_w", cluster.zones[i].heat->value);
    power.zone(json, i);
    json.end_object();
  }
  json.end_array();

  json.array("fabrics");
  for (const Fabric& f : plan.fabrics) {
    json.begin_object()
        .field("network", cluster.networks[at(f.network)].name)
        .field("rail_optimised", f.rail_optimised)
        .field("rails", f.rails)
        .field("planes", f.planes)
        .field("unit", f.unit)
        .field("units", f.units)
        .field("end_ports", f.end_ports)
        .field("end_ports_built_for", f.end_ports_built_for)
        .field("end_point_cables", f.node_cables)
        .field("leaf_spine_cables", f.leaf_spine_cables)
        .field("spine_core_cables", f.spine_core_cables)
        .field("uplink_cables", f.uplink_cables)
        .field("links_per_leaf_spine_pair", f.links_per_pair)
        .field("oversubscription", f.oversubscription);
    if (!f.leaf_groups.empty()) {
      json.array("own_leaves");
      for (const LeafGroup& g : f.leaf_groups)
        json.begin_object(kLine)
            .field("name", g.name)
            .field("count", f.planes * g.count)
            .field("leaves_per_unit", g.each)
            .field("down", g.down)
            .field("up", g.up)
            .field("links_per_leaf_spine_pair", g.links_per_pair)
            .field("oversubscription", g.oversubscription)
            .end_object();
      json.end_array();
    }
    if (f.direct) json.field("direct", true);
    power.fabric(json, f);
    json.array("growth");
    for (const FabricBlock& b : f.blocks)
      if (!f.tiers.empty() && b.what == FabricBlock::What::ends && b.built_for > b.members) {
        const EndPoints& e = cluster.networks[at(b.network)].ends[at(b.end)];
        json.begin_object(kLine)
            .field("members_of", e.group >= 0 ? cluster.nodes[at(e.group)].name : cluster.storage[at(e.storage)].name)
            .field("members", b.members)
            .field("built_for", b.built_for)
            .field("room", b.room)
            .end_object();
      }
    json.end_array();
    json.array("tiers");
    for (const FabricTier& t : f.tiers)
      json.begin_object(kLine)
          .field("tier", t.word)
          .field("model", t.model)
          .field("count", t.count)
          .field("ports", t.part && t.part->ports ? std::optional<std::int64_t>(t.ports) : std::nullopt)
          .field("down", t.down)
          .field("up", t.up)
          .end_object();
    json.end_array();
    if (const std::vector<std::string> hints = fabric_hints(plan, f.network); !hints.empty()) {
      json.array("hints");
      for (const std::string& hint : hints) json.value(hint);
      json.end_array();
    }
    if (const std::vector<PatternLoad>& loads = plan.loads(f.network); !loads.empty()) {
      const Routing routing(plan, f.network);
      json.array("link_loads");
      for (const PatternLoad& l : loads)
        json.begin_object(kLine)
            .field("pattern", l.pattern)
            .field("worst", l.worst)
            .field("mean", l.mean)
            .field("link", routing.link_name(l.where))
            .end_object();
      json.end_array();
    }
    json.end_object();
  }
  json.end_array();

  json.array("addresses");
  for (const AddressPlan& a : plan.addresses) {
    const NetworkModel& network = cluster.networks[at(a.network)];
    json.begin_object()
        .field("network", network.name)
        .field("subnet", a.subnet.text())
        .field("gateway", a.gateway ? ipv4_text(a.gateway) : std::string())
        .field("needed", a.needed)
        .field("usable", a.usable)
        .array("blocks");
    for (std::size_t e = 0; e < network.ends.size() && e < a.first.size(); ++e) {
      const EndPoints& ends = network.ends[e];
      json.begin_object(kLine)
          .field("members_of", ends.group >= 0     ? cluster.nodes[at(ends.group)].name
                               : ends.storage >= 0 ? cluster.storage[at(ends.storage)].name
                                                   : std::string("equipment"))
          .field("first", a.first[e] ? ipv4_text(a.first[e]) : std::string())
          .field("stride", a.stride[e] * a.step)
          .field("members", ends.members);
      if (a.step > 1) json.field("per_link", a.step);
      json.end_object();
    }
    json.end_array().array("equipment");
    for (const EquipmentAddresses& e : a.equipment)
      json.begin_object(kLine)
          .field("members_of", equipment_owner(cluster, e))
          .field("first", e.first ? ipv4_text(e.first) : std::string())
          .field("stride", 1)
          .field("members", e.count)
          .end_object();
    json.end_array().end_object();
  }
  json.end_array();

  json.array("bill");
  for (const BillRow& b : bill_rows(plan)) {
    json.begin_object(kLine)
        .field("count", b.count)
        .field("part", b.part)
        .field("what", b.what)
        .field("kind", b.kind)
        .field("planning_default", b.planning_default);
    if (b.length.value > 0) json.field("length_m", b.length.value);
    if (b.spares > 0) json.field("spares", b.spares);
    json.end_object();
  }
  json.end_array();

  json.array("accessories");
  for (const Accessory& a : accessories_of(plan)) {
    json.begin_object(kLine)
        .field("count", a.count)
        .field("part", a.part)
        .field("what", a.what)
        .field("planning_default", a.planning_default);
    if (a.length.value > 0) json.field("length_m", a.length.value);
    if (a.unknown_for > 0) json.field("unknown_for", a.unknown_for);
    json.end_object();
  }
  json.end_array();

  if (const auto cost = cost_of(plan)) {
    json.object("cost");
    cost_json(json, *cost);
    json.end_object();
  }

  json.array("unbuilt_cables");
  for (const Cabling::Unbuilt& u : plan.cabling().unbuilt())
    json.begin_object(kLine)
        .field("links", u.what)
        .field("count", u.count)
        .field("longest_m", u.longest.value)
        .field("why", u.why)
        .field("first", u.near.object + "/" + u.near.port)
        .end_object();
  json.end_array();

  json.array("expected");
  for (const ExpectedFigure& f : expected.figures) {
    json.begin_object()
        .field("test", f.test)
        .field("group", f.group)
        .field("scope", f.scope)
        .field("dimension", dimension_name(f.dimension))
        .field("basis", f.basis)
        .field("missing", f.missing)
        .field("skip", f.skip)
        .field("algorithm", f.algorithm);
    figure(json, "ceiling", f.ceiling);
    figure(json, "typical", f.typical);
    figure(json, "floor", f.floor);
    json.end_object();
  }
  json.end_array();
  all_reduce_json(json, cluster);
  workloads_json(json, plan_workloads(cluster, plan));
  json.end_object();
  out += '\n';
  return out;
}

}  // namespace clusterc
