#include "base/index.h"
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

// Section after section, in the order of the file.
class PlanJson {
 public:
  PlanJson(JsonWriter& json, const Cluster& cluster, const Plan& plan, const ExpectedFigures& expected)
      : json_(json), cluster_(cluster), plan_(plan), expected_(expected), power_(plan) {}

  void all(std::string_view spec_digest, const PlanVerdict* verdict) {
    head(spec_digest, verdict);
    power_.site(json_);
    node_groups();
    unplaced();
    power_.storage(json_);
    power_.loads(json_);
    racks();
    pdus();
    feeds();
    power_.panels(json_);
    if (!cluster_.generators.empty()) power_.generators(json_);
    if (!cluster_.transfers.empty()) power_.transfers(json_);
    zones();
    fabrics();
    addresses();
    bill();
    accessories();
    if (const auto cost = cost_of(plan_)) {
      json_.object("cost");
      cost_json(json_, *cost);
      json_.end_object();
    }
    unbuilt();
    expected_figures();
    all_reduce_json(json_, cluster_);
    workloads_json(json_, plan_workloads(cluster_, plan_));
    json_.end_object();
  }

 private:
  void head(std::string_view spec_digest, const PlanVerdict* verdict) {
    json_.begin_object()
        .field("format", "clusterc-plan")
        .field("version", 1)
        .field("cluster", *cluster_.spec.name)
        .field("spec_sha256", spec_digest);
    if (verdict) write_verdict(json_, *verdict);
    const PowerGaps gaps = power_gaps(plan_);
    json_.object("totals", kLine)
        .field("nodes", cluster_.node_count)
        .field("gpus", plan_.gpu_count)
        .field("racks", cluster_.rack_count)
        .field("power_w", plan_.it_power.value)
        .field("power_typical_w", plan_.it_typical.value)
        .field("power_complete", gaps.power_known())
        .end_object();
    json_.array("power_unknown");
    for (const PowerlessPart& p : gaps.equipment)
      json_.begin_object(kLine).field("part", p.part).field("count", p.count).field("why", p.why).end_object();
    json_.end_array();
  }

  void node_groups() {
    json_.array("node_groups");
    for (const NodeGroupModel& g : cluster_.nodes) {
      json_.begin_object(kLine)
          .field("name", g.name)
          .field("names", g.names.text())
          .field("count", g.count)
          .field("server", g.server.id)
          .field("gpu", g.server.gpu_model)
          .field("gpus_each", g.server.gpu_count)
          .field("cores_each", g.server.cores);
      if (g.server.power)
        json_.field("power_w", g.server.power->value)
            .field("power_confirmed", g.server.power.confirmed)
            .field("power_complete", power_lacks(g).empty());
      if (const std::string_view mig = g.server.gpu_count > 0 ? cut_by_mig(g.software) : std::string_view();
          !mig.empty()) {
        json_.field("mig", mig);
        if (const auto layout = mig_layout(g.software))
          json_.field("gpu_instances_each", g.server.gpu_count * layout->count);
      }
      if (g.server.gpu_count > 0) json_.field("power_at_load_w", power_at_load(g.server).value);
      power_.node_group(json_, g);
      json_.end_object();
    }
    json_.end_array();
  }

  void unplaced() {
    json_.array("unplaced");
    for (const Unplaced& u : plan_.unplaced)
      json_.begin_object(kLine)
          .field("kind", device_word(u.kind))
          .field("count", u.count)
          .field("why", u.why)
          .end_object();
    json_.end_array();
  }

  void racks() {
    json_.array("racks");
    for (std::size_t r = 0; r < plan_.racks.size(); ++r) {
      const RackPlan& rack = plan_.racks[r];
      json_.begin_object(kLine)
          .field("name", cluster_.rack_name(static_cast<std::int64_t>(r)))
          .field("power_w", rack.power.value)
          .field("power_complete", rack.power_complete)
          .field("weight_kg", rack.weight.value)
          .field("weight_complete", rack.weight_complete)
          .field("airflow_m3_s", rack.airflow.value)
          .field("liquid_heat_w", rack.liquid_heat.value)
          .field("x_m", static_cast<double>(rack.x))
          .field("y_m", static_cast<double>(rack.y));
      power_.rack(json_, static_cast<std::int64_t>(r));
      json_.array("devices", kLine);
      for (std::size_t i = 0; i < rack.devices.size(); ++i) {
        const RackedDevice& d = rack.devices[i];
        json_.begin_object(kLine)
            .field("kind", device_word(d.kind))
            .field("name", device_name(cluster_, plan_, d))
            .field("unit", d.unit)
            .field("units", d.units);
        power_.device(json_, static_cast<std::int64_t>(r), i);
        json_.end_object();
      }
      json_.end_array().end_object();
    }
    json_.end_array();
  }

  void pdus() {
    json_.array("pdus");
    for (const PduLoad& p : plan_.pdus) {
      json_.begin_object(kLine)
          .field("name", "pdu/" + cluster_.rack_name(p.rack) + "/" + std::string(1, static_cast<char>('a' + p.pdu)))
          .field("feed", p.feed < 0 ? std::string() : cluster_.feeds[at(p.feed)].name)
          .field("normal_va", p.normal.value)
          .field("worst_va", p.worst.value)
          .field("cords_c13", p.cords_c13)
          .field("cords_c19", p.cords_c19);
      power_.pdu(json_, p);
      json_.end_object();
    }
    json_.end_array();
  }

  void feeds() {
    json_.array("feeds");
    for (std::size_t i = 0; i < plan_.feeds.size(); ++i) {
      const FeedLoad& f = plan_.feeds[i];
      json_.begin_object(kLine)
          .field("name", cluster_.feeds[i].name)
          .field("normal_va", f.normal.value)
          .field("worst_va", f.worst.value)
          .field("normal_at_breaker_va", at_breaker(cluster_.feeds[i], f.normal).value)
          .field("worst_at_breaker_va", at_breaker(cluster_.feeds[i], f.worst).value)
          .field("after_losing", f.worst_lost_feed < 0 ? std::string() : cluster_.feeds[at(f.worst_lost_feed)].name);
      if (cluster_.feeds[i].capacity) json_.field("capacity_va", cluster_.feeds[i].capacity->value);
      power_.feed(json_, i);
      json_.end_object();
    }
    json_.end_array();
  }

  void zones() {
    json_.array("cooling_zones");
    for (std::size_t i = 0; i < plan_.zones.size(); ++i) {
      json_.begin_object(kLine)
          .field("name", cluster_.zones[i].name)
          .field("heat_w", plan_.zones[i].heat.value)
          .field("airflow_m3_s", plan_.zones[i].airflow.value);
      if (cluster_.zones[i].heat) json_.field("removes_w", cluster_.zones[i].heat->value);
      power_.zone(json_, i);
      json_.end_object();
    }
    json_.end_array();
  }

  void fabrics() {
    json_.array("fabrics");
    for (const Fabric& f : plan_.fabrics) {
      json_.begin_object()
          .field("network", cluster_.networks[at(f.network)].name)
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
      own_leaves(f);
      if (f.direct) json_.field("direct", true);
      power_.fabric(json_, f);
      growth(f);
      tiers(f);
      if (const std::vector<std::string> hints = fabric_hints(plan_, f.network); !hints.empty()) {
        json_.array("hints");
        for (const std::string& hint : hints) json_.value(hint);
        json_.end_array();
      }
      link_loads(f);
      json_.end_object();
    }
    json_.end_array();
  }

  void own_leaves(const Fabric& f) {
    if (!f.leaf_groups.empty()) {
      json_.array("own_leaves");
      for (const LeafGroup& g : f.leaf_groups)
        json_.begin_object(kLine)
            .field("name", g.name)
            .field("count", f.planes * g.count)
            .field("leaves_per_unit", g.each)
            .field("down", g.down)
            .field("up", g.up)
            .field("links_per_leaf_spine_pair", g.links_per_pair)
            .field("oversubscription", g.oversubscription)
            .end_object();
      json_.end_array();
    }
  }

  void growth(const Fabric& f) {
    json_.array("growth");
    for (const FabricBlock& b : f.blocks)
      if (!f.tiers.empty() && b.what == FabricBlock::What::ends && b.built_for > b.members) {
        const EndPoints& e = cluster_.networks[at(b.network)].ends[at(b.end)];
        json_.begin_object(kLine)
            .field("members_of", e.group >= 0 ? cluster_.nodes[at(e.group)].name : cluster_.storage[at(e.storage)].name)
            .field("members", b.members)
            .field("built_for", b.built_for)
            .field("room", b.room)
            .end_object();
      }
    json_.end_array();
  }

  void tiers(const Fabric& f) {
    json_.array("tiers");
    for (const FabricTier& t : f.tiers)
      json_.begin_object(kLine)
          .field("tier", t.word)
          .field("model", t.model)
          .field("count", t.count)
          .field("ports", t.part && t.part->ports ? std::optional<std::int64_t>(t.ports) : std::nullopt)
          .field("down", t.down)
          .field("up", t.up)
          .end_object();
    json_.end_array();
  }

  void link_loads(const Fabric& f) {
    if (const std::vector<PatternLoad>& loads = plan_.loads(f.network); !loads.empty()) {
      const Routing routing(plan_, f.network);
      json_.array("link_loads");
      for (const PatternLoad& l : loads)
        json_.begin_object(kLine)
            .field("pattern", l.pattern)
            .field("worst", l.worst)
            .field("mean", l.mean)
            .field("link", routing.link_name(l.where))
            .end_object();
      json_.end_array();
    }
  }

  void addresses() {
    json_.array("addresses");
    for (const AddressPlan& a : plan_.addresses) {
      const NetworkModel& network = cluster_.networks[at(a.network)];
      json_.begin_object()
          .field("network", network.name)
          .field("subnet", a.subnet.text())
          .field("gateway", a.gateway ? ipv4_text(a.gateway) : std::string())
          .field("needed", a.needed)
          .field("usable", a.usable)
          .array("blocks");
      for (std::size_t e = 0; e < network.ends.size() && e < a.first.size(); ++e) {
        const EndPoints& ends = network.ends[e];
        json_.begin_object(kLine)
            .field("members_of", ends.group >= 0     ? cluster_.nodes[at(ends.group)].name
                                 : ends.storage >= 0 ? cluster_.storage[at(ends.storage)].name
                                                     : std::string("equipment"))
            .field("first", a.first[e] ? ipv4_text(a.first[e]) : std::string())
            .field("stride", a.stride[e] * a.step)
            .field("members", ends.members);
        if (a.step > 1) json_.field("per_link", a.step);
        json_.end_object();
      }
      json_.end_array().array("equipment");
      for (const EquipmentAddresses& e : a.equipment)
        json_.begin_object(kLine)
            .field("members_of", equipment_owner(cluster_, e))
            .field("first", e.first ? ipv4_text(e.first) : std::string())
            .field("stride", 1)
            .field("members", e.count)
            .end_object();
      json_.end_array().end_object();
    }
    json_.end_array();
  }

  void bill() {
    json_.array("bill");
    for (const BillRow& b : bill_rows(plan_)) {
      json_.begin_object(kLine)
          .field("count", b.count)
          .field("part", b.part)
          .field("what", b.what)
          .field("kind", b.kind)
          .field("planning_default", b.planning_default);
      if (b.length.value > 0) json_.field("length_m", b.length.value);
      if (b.spares > 0) json_.field("spares", b.spares);
      json_.end_object();
    }
    json_.end_array();
  }

  void accessories() {
    json_.array("accessories");
    for (const Accessory& a : accessories_of(plan_)) {
      json_.begin_object(kLine)
          .field("count", a.count)
          .field("part", a.part)
          .field("what", a.what)
          .field("planning_default", a.planning_default);
      if (a.length.value > 0) json_.field("length_m", a.length.value);
      if (a.unknown_for > 0) json_.field("unknown_for", a.unknown_for);
      json_.end_object();
    }
    json_.end_array();
  }

  void unbuilt() {
    json_.array("unbuilt_cables");
    for (const Cabling::Unbuilt& u : plan_.cabling().unbuilt())
      json_.begin_object(kLine)
          .field("links", u.what)
          .field("count", u.count)
          .field("longest_m", u.longest.value)
          .field("why", u.why)
          .field("first", u.near.object + "/" + u.near.port)
          .end_object();
    json_.end_array();
  }

  void expected_figures() {
    json_.array("expected");
    for (const ExpectedFigure& f : expected_.figures) {
      json_.begin_object()
          .field("test", f.test)
          .field("group", f.group)
          .field("scope", f.scope)
          .field("dimension", dimension_name(f.dimension))
          .field("basis", f.basis)
          .field("missing", f.missing)
          .field("skip", f.skip)
          .field("algorithm", f.algorithm);
      figure(json_, "ceiling", f.ceiling);
      figure(json_, "typical", f.typical);
      figure(json_, "floor", f.floor);
      json_.end_object();
    }
    json_.end_array();
  }

  JsonWriter& json_;
  const Cluster& cluster_;
  const Plan& plan_;
  const ExpectedFigures& expected_;
  const PowerJson power_;
};

}  // namespace

std::string render_plan_json(const Cluster& cluster, const Plan& plan, const ExpectedFigures& expected,
                             std::string_view spec_digest, const PlanVerdict* verdict) {
  std::string out;
  JsonWriter json(out, {.indent = 1});
  PlanJson(json, cluster, plan, expected).all(spec_digest, verdict);
  out += '\n';
  return out;
}

}  // namespace clusterc
