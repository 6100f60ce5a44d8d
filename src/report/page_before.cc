#include "report/page_before.h"

#include "base/index.h"
#include "base/json_writer.h"
#include "plan/power/power.h"
#include "report/device_names.h"

namespace clusterc {
namespace {

void racks(JsonWriter& json, const Cluster& c, const Plan& p) {
  const auto group = [&](std::string_view kind, const auto& g, std::int64_t units) {
    for (std::int64_t r = g.first; r < g.first + g.count && at(r) < p.racks.size(); ++r) {
      const RackPlan& rack = p.racks[at(r)];
      json.begin_object(kLine)
          .field("object", std::string(kind) + "/" + c.rack_name(r))
          .field("name", c.rack_name(r))
          .field("x_m", static_cast<double>(rack.x))
          .field("y_m", static_cast<double>(rack.y))
          .field("units", units)
          .field("power_w", rack.power.value);
      if (g.part && g.part->width) json.field("width_m", g.part->width->value);
      if (g.part && g.part->depth) json.field("depth_m", g.part->depth->value);
      json.array("devices", kLine);
      for (const RackedDevice& d : rack.devices) {
        const bool node = d.kind == DeviceKind::node || d.kind == DeviceKind::tray;
        json.begin_object(kLine)
            .field("kind", device_word(d.kind))
            .field("name", device_name(c, p, d))
            .field("object", node ? p.node_object(d.index) : device_name(c, p, d))
            .field("unit", d.unit)
            .field("units", d.units)
            .end_object();
      }
      json.end_array().end_object();
    }
  };
  json.array("racks");
  for (const RackGroupModel& g : c.racks) group("rack", g, g.part ? g.part->units.value_or(0) : 0);
  for (const AssemblyGroupModel& a : c.assemblies) group("frame", a, a.part ? a.part->units.value_or(0) : 0);
  json.end_array();
}

void loads(JsonWriter& json, const Cluster& c, const Plan& p) {
  json.array("feeds");
  for (std::size_t i = 0; i < p.feeds.size(); ++i)
    json.begin_object(kLine)
        .field("object", "feed/" + c.feeds[i].name)
        .field("worst_va", at_breaker(c.feeds[i], p.feeds[i].worst).value)
        .end_object();
  json.end_array().array("pdus");
  for (const PduLoad& pdu : p.pdus)
    json.begin_object(kLine)
        .field("object", "pdu/" + c.rack_name(pdu.rack) + "/" + std::string(1, static_cast<char>('a' + pdu.pdu)))
        .field("worst_va", pdu.worst.value)
        .end_object();
  json.end_array().array("zones");
  for (std::size_t i = 0; i < p.zones.size(); ++i)
    json.begin_object(kLine)
        .field("object", "zone/" + c.zones[i].name)
        .field("heat_w", p.zones[i].heat.value)
        .end_object();
  json.end_array();
}

}  // namespace

std::string render_page_before(const Cluster& cluster, const Plan& plan) {
  std::string out;
  JsonWriter json(out, {.html_safe = true});
  json.begin_object();
  racks(json, cluster, plan);
  loads(json, cluster, plan);
  json.end_object();
  return out;
}

}  // namespace clusterc
