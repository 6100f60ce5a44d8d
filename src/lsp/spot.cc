// The way from the root of a sketch to a place, walked through the descriptors of the language. What a text there names
// is in no descriptor: the table below says it, and tests/unit/lsp holds it against what the examples name.
#include "catalog/types.h"
#include "lsp/cursor.h"
#include "spec/judgement.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/site.h"
#include "spec/software.h"
#include "spec/storage.h"
#include "spec/types.h"

namespace clusterc::lsp {
namespace {

using Of = Names::Of;

struct Row {
  const Type& (*owner)();
  std::string_view key;  // empty: the entries under names of the user's (`rest`)
  Names values;          // of a text there, of each item of a list, of each entry under a name
  Names keys = {};       // of the keys of a mapping there
};

constexpr Names part(PartKind kind) { return {Of::part, kind, {}}; }
constexpr Names of(Of what) { return {what, PartKind::server, {}}; }
constexpr Names words(std::string_view w) { return {Of::words, PartKind::server, w}; }

const Row kRows[] = {
    {type_of<Spec>, "site", words("cloud")},
    {type_of<Spec>, "rules", words("2026.11")},
    {type_of<Spec>, "severity", words("warning|error"), of(Of::rule)},
    {type_of<Spec>, "outputs", {}, of(Of::output)},
    {type_of<Acceptance>, "rule", of(Of::rule)},
    {type_of<UpsSet>, "model", part(PartKind::ups)},
    {type_of<Panel>, "feed", of(Of::feed)},
    {type_of<CoolingZone>, "model", part(PartKind::cooling)},
    {type_of<CoolingZone>, "feeds", of(Of::feed)},
    {type_of<CduSet>, "model", part(PartKind::cooling)},
    {type_of<CduSet>, "feeds", of(Of::feed)},
    {type_of<RackPdu>, "model", part(PartKind::pdu)},
    {type_of<RackPdu>, "feed", of(Of::feed)},
    {type_of<RackPdu>, "panel", of(Of::panel)},
    {type_of<RackGroup>, "model", part(PartKind::rack)},
    {type_of<RackGroup>, "cooling", of(Of::zone)},
    {type_of<RackGroup>, "liquid", of(Of::zone)},
    {type_of<AssemblyGroup>, "model", part(PartKind::assembly)},
    {type_of<AssemblyGroup>, "feeds", {}, of(Of::feed)},
    {type_of<AssemblyCooling>, "liquid", of(Of::zone)},
    {type_of<AssemblyCooling>, "air", of(Of::zone)},
    {type_of<NodeGroup>, "model", part(PartKind::server)},
    {type_of<NodeGroup>, "instance", part(PartKind::server)},
    {type_of<NodeGroup>, "server", part(PartKind::server)},
    {type_of<NodeGroup>, "from", of(Of::tray)},
    {type_of<NodeGroup>, "racks", of(Of::rack_group)},
    {type_of<NodeGroup>, "cpus", part(PartKind::cpu)},
    {type_of<NodeGroup>, "gpus", part(PartKind::gpu)},
    {type_of<NodeGroup>, "nics", part(PartKind::nic)},
    {type_of<ServerPart>, "like", part(PartKind::server)},
    {type_of<ServerPart>, "cpus", part(PartKind::cpu)},
    {type_of<ServerPart>, "gpus", part(PartKind::gpu)},
    {type_of<ServerPart>, "nics", part(PartKind::nic)},
    {type_of<VirtualMachine>, "host", of(Of::node_group)},
    {type_of<PcieSocket>, "", of(Of::device)},
    {type_of<PcieSlot>, "device", of(Of::device)},
    {type_of<PcieSlot>, "devices", of(Of::device)},
    {type_of<PcieSlot>, "through", of(Of::pcie_switch)},
    {type_of<PcieSwitch>, "through", of(Of::pcie_switch)},
    {type_of<PortGroup>, "nics", of(Of::nics_entry)},
    {type_of<Network>, "switch", part(PartKind::switch_)},
    {type_of<Network>, "tiers", part(PartKind::switch_), words("spine|core")},
    {type_of<Network>, "racks", of(Of::rack_group)},
    {type_of<Network>, "shares_switches_with", of(Of::network)},
    {type_of<Network>, "connects", words("everything"), of(Of::node_group_or_storage)},
    {type_of<Network>, "built_for", {}, of(Of::node_group)},
    {type_of<Connects>, "", words("all")},
    {type_of<Connection>, "ports", of(Of::port_set)},
    {type_of<NvlinkDomain>, "nodes", of(Of::node_group)},
    {type_of<Storage>, "servers", of(Of::node_group)},
    {type_of<Storage>, "on", of(Of::node_group)},
    {type_of<Storage>, "drives", of(Of::drives_entry)},
    {type_of<StorageServers>, "model", part(PartKind::storage)},
    {type_of<StorageServers>, "nodes", of(Of::node_group)},
    {type_of<StorageServers>, "racks", of(Of::rack_group)},
    {type_of<StorageTargetSet>, "nodes", of(Of::node_group)},
    {type_of<Scheduler>, "schedules", of(Of::node_group)},
    {type_of<Team>, "quota", {}, of(Of::node_group)},
    {type_of<Team>, "storage", {}, of(Of::storage)},
    {type_of<Workload>, "on", {}, of(Of::node_group)},
    {type_of<Workload>, "checkpoint_to", of(Of::storage)},
    {type_of<Targets>, "groups", {}, of(Of::node_group)},
};

const Row* row_of(const Type& owner, std::string_view key) {
  for (const Row& row : kRows)
    if (row.key == key && &row.owner() == &owner) return &row;
  return nullptr;
}

const Type* core_of(const Type& t) { return t.form == Type::Form::maybe ? core_of(t.element()) : &t; }

void step_into(Spot& spot, std::string_view key) {
  Spot next;
  const Type& t = *spot.type;
  if (t.form == Type::Form::map) {
    next = spot;
    next.type = core_of(t.element());
    next.entry = true;
    next.keys = {};
  } else if (t.form == Type::Form::record) {
    next.owner = &t;
    const Row* row = nullptr;
    if (const Field* f = t.field(key)) {
      next.field = f;
      next.type = core_of(f->type());
      row = row_of(t, key);
    } else if (t.rest) {
      next.field = &*t.rest;
      next.type = core_of(core_of(t.rest->type())->element());
      next.entry = true;
      row = row_of(t, "");
    }
    if (row) next.names = row->values, next.keys = row->keys;
    if (&t == &type_of<PartCount>() && key == "model")
      next.names = spot.names;  // `cpus: { count: 2, model: … }` as `cpus: 2 x …`
    // `connects` and the like: what stands around the record says whose names its free keys are.
    if (next.entry) next.keys = {};
  }
  if (t.form == Type::Form::value && key == "unknown") {  // `{ unknown: "the reason" }` stands for any value
    next.type = &type_of<Value<std::string>>();
    next.field = spot.field;
    next.owner = spot.owner;
  }
  spot = next;
}

}  // namespace

Spot item_of(Spot spot) {
  if (spot.type && spot.type->form == Type::Form::list) spot.type = core_of(spot.type->element());
  return spot;
}

Spot spot_of(const Sketch& s, SketchId n) {
  Spot spot;
  spot.type = &type_of<Spec>();
  for (const SketchId step : path_of(s, n)) {
    if (!spot.type) return spot;
    if (s[step].item) {
      if (spot.type->form != Type::Form::list) return {};
      spot = item_of(spot);
      continue;
    }
    spot = item_of(spot);  // one item without brackets
    step_into(spot, s.key(step));
  }
  return spot;
}

const Type* record_of(const Spot& spot) {
  const Spot item = item_of(spot);
  return item.type && item.type->form == Type::Form::record ? item.type : nullptr;
}

}  // namespace clusterc::lsp
