#include "report/device_names.h"

#include "base/index.h"
#include "plan/equipment.h"

namespace clusterc {

std::string_view device_word(DeviceKind k) {
  switch (k) {
    case DeviceKind::node:
      return "node";
    case DeviceKind::storage:
      return "storage";
    case DeviceKind::switch_:
      return "switch";
    case DeviceKind::occupied:
      return "occupied";
    case DeviceKind::tray:
      return "node";
  }
  return "?";
}

std::string device_name(const Cluster& cluster, const Plan& plan, const RackedDevice& d) {
  if (d.kind == DeviceKind::node || d.kind == DeviceKind::tray) return cluster.node_name(d.index);
  if (d.kind == DeviceKind::storage)
    return "storage/" + cluster.storage[at(d.group)].name + "/" + std::to_string(d.index + 1);
  if (d.kind == DeviceKind::switch_) {
    std::int64_t index = d.index;
    const Fabric& f = plan.fabrics[at(d.group)];
    for (std::size_t t = 0; t < f.tiers.size(); index -= f.tiers[t++].count)
      if (index < f.tiers[t].count) return plan.switch_name(d.group, {static_cast<int>(t), index});
  }
  return "";
}

std::string device_host(const Cluster& c, const Plan& p, const RackedDevice& d) {
  switch (d.kind) {
    case DeviceKind::node:
    case DeviceKind::tray:
      return c.node_name(d.index);
    case DeviceKind::switch_:
      return p.switch_host_name(d.group, p.switch_ref(d.group, d.index));
    case DeviceKind::storage:
      return host_name_of("storage/" + c.storage[at(d.group)].name + "/" + std::to_string(d.index + 1));
    case DeviceKind::occupied:
      break;
  }
  return {};
}

namespace {

// The tier of a switch; null: nothing stands there.
const FabricTier* tier_of(const Plan& p, const RackedDevice& d) {
  std::int64_t index = d.index;
  for (const FabricTier& t : p.fabrics[at(d.group)].tiers) {
    if (index < t.count) return &t;
    index -= t.count;
  }
  return nullptr;
}

}  // namespace

std::string device_model(const Cluster& c, const Plan& p, const RackedDevice& d) {
  switch (d.kind) {
    case DeviceKind::node:
    case DeviceKind::tray:
      return c.nodes[at(d.group)].server.id;
    case DeviceKind::storage:
      return c.storage[at(d.group)].model;
    case DeviceKind::switch_: {
      const FabricTier* t = tier_of(p, d);
      return t ? t->model : std::string();
    }
    case DeviceKind::occupied:
      return "already there";
  }
  return {};
}

std::optional<Kilograms> device_weight(const Cluster& c, const Plan& p, const RackedDevice& d) {
  const auto stated = [](const Value<Kilograms>& v) { return v ? std::optional<Kilograms>(*v) : std::nullopt; };
  switch (d.kind) {
    case DeviceKind::node:
      return stated(c.nodes[at(d.group)].server.part.weight);
    case DeviceKind::storage:
      if (c.storage[at(d.group)].part) return stated(c.storage[at(d.group)].part->weight);
      break;
    case DeviceKind::switch_:
      if (const FabricTier* t = tier_of(p, d); t && t->part) return stated(t->part->weight);
      break;
    case DeviceKind::tray:  // weighed with its assembly
    case DeviceKind::occupied:
      break;
  }
  return std::nullopt;
}

}  // namespace clusterc
