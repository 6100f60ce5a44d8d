#include "report/power_json.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "model/nvlink.h"
#include "model/storage_path.h"
#include "plan/power/cords.h"
#include "plan/power/power.h"
#include "plan/power/rack_limits.h"
#include "spec/ha.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/site.h"
#include "spec/storage.h"

namespace clusterc {
namespace {

std::optional<double> known(double v) { return v < 0 ? std::nullopt : std::optional<double>(v); }

auto key_of(const SupplyLoad& l) {
  return std::tuple(l.watts, l.idle, l.output, l.efficiency, l.supplies, l.spare, l.throttles);
}

}  // namespace

PowerJson::PowerJson(const Plan& plan)
    : plan_(plan), c_(*plan.cluster), classes_(plan.power_classes()), class_of_(plan.racks.size(), 0), lines_(c_) {
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    for (const std::int32_t r : classes_[k].racks)
      class_of_[static_cast<std::size_t>(r)] = static_cast<std::int32_t>(k);
    const auto add = [&](const SupplyLoad& l) {
      if (load_of(l) == loads_.size()) loads_.push_back(l);
    };
    for (const SupplyLoad& l : classes_[k].rack.devices) add(l);
    for (const CordToCome& l : classes_[k].rack.to_come) add(l.load);
  }
}

std::size_t PowerJson::load_of(const SupplyLoad& l) const {
  return static_cast<std::size_t>(
      std::find_if(loads_.begin(), loads_.end(), [&](const SupplyLoad& o) { return key_of(o) == key_of(l); }) -
      loads_.begin());
}

void PowerJson::site(JsonWriter& json) const {
  const Meters altitude = c_.spec.site ? c_.spec.site->altitude.value_or(Meters(0)) : Meters(0);
  json.object("site", kLine)
      .field("power_factor", power_factor(c_))
      .field("altitude_m", altitude.value)
      .field("continuous_factor", c_.continuous_factor)
      .end_object();
}

void PowerJson::loads(JsonWriter& json) const {
  json.array("loads");
  for (const SupplyLoad& l : loads_)
    json.begin_object(kLine)
        .field("power_w", l.watts)
        .field("idle_w", known(l.idle))
        .field("throttles", l.throttles)
        .field("supplies", l.supplies)
        .field("spare", l.spare < 0 ? std::nullopt : std::optional<std::int64_t>(l.spare))
        .field("supply_w", l.output > 0 ? std::optional<double>(l.output) : std::nullopt)
        .field("efficiency", l.efficiency)
        .end_object();
  json.end_array();
}

void PowerJson::device(JsonWriter& json, std::int64_t rack, std::size_t device) const {
  const PowerRack& r = rack_of(rack);
  if (device >= r.devices.size()) return;
  json.field("load", load_of(r.devices[device]));
  std::string cords;
  for (const PowerCord& k : r.cords)
    if (k.device == static_cast<std::int16_t>(device)) cords += static_cast<char>('a' + k.position);
  if (!cords.empty()) json.field("cords", cords);
  if (r.from_busbar(device)) json.field("busbar_w", r.on_busbar[device]);
}

void PowerJson::rack(JsonWriter& json, std::int64_t rack) const {
  const PowerClass& k = classes_[static_cast<std::size_t>(class_of_[static_cast<std::size_t>(rack)])];
  const int air = k.assembly ? c_.assemblies[static_cast<std::size_t>(k.group)].air
                             : c_.racks[static_cast<std::size_t>(k.group)].cooling;
  const int liquid = k.assembly ? c_.assemblies[static_cast<std::size_t>(k.group)].liquid
                                : c_.racks[static_cast<std::size_t>(k.group)].liquid;
  const auto name = [&](int zone) { return zone < 0 ? std::string() : c_.zones[static_cast<std::size_t>(zone)].name; };
  json.field("group", k.assembly ? c_.assemblies[static_cast<std::size_t>(k.group)].name
                                 : c_.racks[static_cast<std::size_t>(k.group)].name)
      .field("cooling", name(air))
      .field("liquid", name(liquid));
  const std::size_t devices = plan_.racks[static_cast<std::size_t>(rack)].devices.size();
  if (k.assembly) {
    json.field("frame_load", load_of(k.rack.devices.back())).array("shelf_feeds", kLine);
    for (const PowerCord& cord : k.rack.cords)
      json.value(
          c_.feeds[static_cast<std::size_t>(k.rack.positions[static_cast<std::size_t>(cord.position)].feed)].name);
    json.end_array();
  } else if (k.rack.busbar >= 0) {
    const auto busbar = static_cast<std::size_t>(k.rack.busbar);
    if (busbar > devices)
      json.field("standing_w", k.rack.from_busbar(devices) ? k.rack.on_busbar[devices] : k.rack.devices[devices].watts)
          .field("standing_on_busbar", k.rack.from_busbar(devices));
    json.field("busbar_load", load_of(k.rack.devices[busbar])).array("shelf_feeds", kLine);
    for (const PowerCord& cord : k.rack.cords)
      if (cord.device == k.rack.busbar)
        json.value(
            c_.feeds[static_cast<std::size_t>(k.rack.positions[static_cast<std::size_t>(cord.position)].feed)].name);
    json.end_array();
  } else if (k.rack.devices.size() > devices) {
    json.field("standing_w", k.rack.devices.back().watts);
  }
  const std::vector<CordToCome>& coming = k.rack.to_come;
  if (coming.empty()) return;
  json.array("to_come", kLine);
  for (std::size_t i = 0; i < coming.size();) {
    const CordToCome& one = coming[i];
    std::string cords;
    for (; i < coming.size() && coming[i].device == one.device; ++i)
      cords += static_cast<char>('a' + coming[i].position);
    json.begin_object(kLine)
        .field("below", one.below)
        .field("load", load_of(one.load))
        .field("cords", cords)
        .end_object();
  }
  json.end_array();
}

void PowerJson::pdu(JsonWriter& json, const PduLoad& p) const {
  const int group = c_.rack_group_of(p.rack);
  const PduModel& m = c_.racks[static_cast<std::size_t>(group)].pdus[static_cast<std::size_t>(p.pdu)];
  if (m.panel >= 0) json.field("panel", c_.panels[static_cast<std::size_t>(m.panel)].name);
  if (m.transfer >= 0) json.field("transfer", c_.transfers[static_cast<std::size_t>(m.transfer)].name);
  if (m.other_feed >= 0) json.field("other_feed", c_.feeds[static_cast<std::size_t>(m.other_feed)].name);
  if (m.other_panel >= 0) json.field("other_panel", c_.panels[static_cast<std::size_t>(m.other_panel)].name);
  if (const int way = lines_.way(group, p.rack, static_cast<std::size_t>(p.pdu)); way >= 0)
    json.field("feed_line", line_name(lines_.between(group, static_cast<std::size_t>(p.pdu)), way));
  const Breaker b = m.part ? pdu_breaker(c_, *m.part) : Breaker{};
  json.field("continuous_va", known(b.continuous)).field("breaker_va", known(b.trip));
  if (!m.part || !m.part->phases || !m.part->voltage) return;
  json.field("phases", *m.part->phases)
      .field("between_lines", *m.part->phases >= 3 && *outlet_voltage(*m.part) == *m.part->voltage)
      .field("banks", m.part->banks.value_or(0));
}

void PowerJson::feed(JsonWriter& json, std::size_t feed) const {
  const FeedModel& f = c_.feeds[feed];
  const Breaker b = feed_breaker(c_, f);
  json.field("breaker_va", known(b.trip)).field("in_use_w", f.spec ? f.spec->in_use.value_or(Watts(0)).value : 0.0);
  if (const UpsModules u = ups_modules(f); u.modules > 0) {
    json.object("ups", kLine)
        .field("modules", u.modules)
        .field("spare", u.spare)
        .field("module_w", known(u.watts))
        .field("module_va", known(u.va))
        .field("drawn_over_load", at_breaker(f, VoltAmperes(1)).value);
    if (f.spec->ups->runtime) json.field("runtime_s", f.spec->ups->runtime->value);
    json.end_object();
  }
  if (f.generator >= 0) json.field("generator", c_.generators[static_cast<std::size_t>(f.generator)].name);
}

void PowerJson::generators(JsonWriter& json) const {
  json.array("generators");
  for (std::size_t g = 0; g < c_.generators.size(); ++g) {
    const Generator& spec = *c_.generators[g].spec;
    const GeneratorLoad load = generator_load(plan_, static_cast<int>(g));
    json.begin_object(kLine)
        .field("name", c_.generators[g].name)
        .field("rating_w", spec.rating ? std::optional<double>(spec.rating->value) : std::nullopt)
        .field("start_s", spec.start ? std::optional<double>(spec.start->value) : std::nullopt)
        .field("load_w", load.power.value)
        .field("after_losing", load.lost < 0 ? std::string() : c_.feeds[static_cast<std::size_t>(load.lost)].name)
        .end_object();
  }
  json.end_array();
}

void PowerJson::transfers(JsonWriter& json) const {
  json.array("transfer_switches");
  const std::vector<TransferLoad> loads = transfer_loads(plan_);
  for (std::size_t t = 0; t < c_.transfers.size(); ++t) {
    const TransferModel& m = c_.transfers[t];
    json.begin_object(kLine)
        .field("name", m.name)
        .field("kind", m.spec->kind ? enum_text(*m.spec->kind) : std::string_view())
        .field("each_pdu", m.spec->each_pdu.value_or(false))
        .field("bridges", m.bridges)
        .array("sources", kLine);
    for (const Value<std::string>& s : m.spec->sources)
      if (s) json.value(*s);
    json.end_array()
        .field("rating_va", known(loads[t].rating))
        .field("normal_va", loads[t].normal.value)
        .field("worst_va", loads[t].worst.value)
        .field("after_losing",
               loads[t].lost < 0 ? std::string() : c_.feeds[static_cast<std::size_t>(loads[t].lost)].name)
        .end_object();
  }
  json.end_array();
}

void PowerJson::panels(JsonWriter& json) const {
  json.array("panels");
  for (const PanelModel& p : c_.panels) {
    const Breaker b = panel_breaker(c_, p);
    json.begin_object(kLine)
        .field("name", p.name)
        .field("feed", p.feed < 0 ? std::string() : c_.feeds[static_cast<std::size_t>(p.feed)].name)
        .field("continuous_va", known(b.continuous))
        .field("breaker_va", known(b.trip));
    if (p.transfer >= 0) json.field("transfer", c_.transfers[static_cast<std::size_t>(p.transfer)].name);
    if (p.other_feed >= 0) json.field("other_feed", c_.feeds[static_cast<std::size_t>(p.other_feed)].name);
    json.end_object();
  }
  json.end_array();
}

void PowerJson::zone(JsonWriter& json, std::size_t zone) const {
  const ZoneModel& z = c_.zones[zone];
  if (!z.spec) return;
  const CoolingUnits u = cooling_units(z);
  json.field("liquid", z.spec->method.value == CoolingMethod::liquid)
      .field("cdus", u.cdu)
      .field("units", u.units)
      .field("unit_removes_w", known(u.heat))
      .field("unit_airflow_m3_s", known(u.airflow))
      .field("unit_power_w", u.cdu && z.cdu && z.cdu->power ? std::optional<double>(z.cdu->power->value) : std::nullopt)
      .field("supply_c", z.spec->supply ? std::optional<double>(z.spec->supply->value) : std::nullopt)
      .array("feeds", kLine);
  for (const Value<std::string>& name : u.feeds(z))
    if (name) json.value(*name);
  json.end_array();
}

void PowerJson::node_group(JsonWriter& json, const NodeGroupModel& g) const {
  json.field("computes", g.computes).array("roles", kLine);
  if (g.spec)
    for (const Value<Role>& r : g.spec->roles)
      if (r) json.value(enum_text(*r));
  json.end_array();
  if (g.spec && g.spec->ha) json.field("ha", enum_text(*g.spec->ha));
  if (const WallLoad w = wall_load(c_, g); w.circuits > 0)
    json.object("wall", kLine)
        .field("circuits", w.circuits)
        .field("nodes_each", w.nodes)
        .field("load_va", known(w.load))
        .field("continuous_va", known(w.carries))
        .field("heat_w", power_outside_racks(c_, g).value)
        .field("idle_w", g.server.power_idle
                             ? std::optional<double>(g.server.power_idle->value * static_cast<double>(g.count))
                             : std::nullopt)
        .field("cooling", g.cooling < 0 ? std::string() : c_.zones[static_cast<std::size_t>(g.cooling)].name)
        .end_object();
  if (g.server.part.inlet_max) json.field("inlet_max_c", g.server.part.inlet_max->value);
  if (const std::int64_t nodes = nvlink_domain_nodes(*plan_.cluster, g); nodes > 0)
    json.field("nvlink_domain_nodes", nodes);
}

void PowerJson::storage(JsonWriter& json) const {
  json.array("storage");
  for (const StorageModel& s : c_.storage) {
    json.begin_object(kLine)
        .field("name", s.name)
        .field("systems", s.part && s.nodes < 0 ? s.count : 0)
        .field("nodes", s.nodes < 0 ? std::string() : c_.nodes[static_cast<std::size_t>(s.nodes)].name);
    if (s.spec && s.spec->servers && s.spec->servers->ha) json.field("ha", enum_text(*s.spec->servers->ha));
    if (s.spec && data_on_single_servers(c_, s)) json.field("data_on_single_servers", true);
    json.end_object();
  }
  json.end_array();
}

void PowerJson::fabric(JsonWriter& json, const Fabric& f) const {
  const NetworkModel& n = c_.networks[static_cast<std::size_t>(f.network)];
  json.array("carries", kLine);
  for (const Traffic t : n.carries) json.value(enum_text(t));
  json.end_array()
      .field("everything", n.everything)
      .field("link_bit_s", f.link_rate.value)
      .field("uplink_bit_s", f.uplink_rate.value)
      .field("leaves_per_unit", f.leaves_per_unit)
      .field("pods", f.pods)
      .field("leaves_per_pod", f.leaves_per_pod)
      .field("spines_per_pod", f.spines_per_pod)
      .field("links_per_spine_core_pair", f.core_links_per_pair)
      .field("cores_per_group", f.cores_per_group)
      .field("spines_per_group", f.spines_per_group);
  if (f.rail_pods) json.field("pods_of", "rails");
  if (f.single_beside) json.field("single_ports_beside", true);
  json.array("members");
  for (const FabricBlock& b : f.blocks) {
    if (b.what != FabricBlock::What::ends) continue;
    const EndPoints& e = c_.networks[static_cast<std::size_t>(b.network)].ends[static_cast<std::size_t>(b.end)];
    json.begin_object(kLine)
        .field("of", e.group >= 0 ? "nodes" : "storage")
        .field("name", e.group >= 0 ? c_.nodes[static_cast<std::size_t>(e.group)].name
                                    : c_.storage[static_cast<std::size_t>(e.storage)].name)
        .field("network", c_.networks[static_cast<std::size_t>(b.network)].name)
        .field("members", b.members)
        .field("ports_each", b.ports_each)
        .field("first_slot", b.first)
        .field("slots_each", b.width)
        .field("from_last", b.from_last);
    if (b.leaves >= 0 && !f.leaf_groups.empty())
      json.field("own_leaves", f.leaf_groups[static_cast<std::size_t>(b.leaves)].name);
    json.end_object();
  }
  json.end_array();
}

}  // namespace clusterc
