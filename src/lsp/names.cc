#include "lsp/names.h"

#include "base/format.h"
#include "base/text.h"
#include "catalog/embedded.h"
#include "compile/output.h"
#include "rules/finding_table.h"

namespace clusterc::lsp {
namespace {

using Of = Names::Of;

constexpr std::int64_t kMostDevices = 64;  // of one entry: a list that nobody reads further

void add_keys(const Sketch& s, SketchId below, std::string_view detail, std::vector<KnownName>& out) {
  if (below == kNoSketch) return;
  for (SketchId c = s[below].first; c != kNoSketch; c = s[c].next)
    if (!s[c].item && s[c].colon && s.key(c) != "<<") out.push_back({std::string(s.key(c)), std::string(detail), c});
}

// Entries of `nics` in a node group, as the spec has them: in the group itself and in its `server`.
void add_fittings(const Sketch& s, SketchId group, std::string_view key, std::vector<KnownName>& out) {
  if (group == kNoSketch) return;
  add_keys(s, s.find(group, key), key, out);
  if (const SketchId server = s.find(group, "server"); server != kNoSketch) add_keys(s, s.find(server, key), key, out);
}

bool known(const std::vector<KnownName>& names, std::string_view name) {
  for (const KnownName& n : names)
    if (n.name == name) return true;
  return false;
}

void add_devices(const NodeGroupModel& group, std::vector<KnownName>& out) {
  const auto add = [&](const std::string& what, std::int64_t count, std::string_view model) {
    if (count == 1) out.push_back({what, std::string(model), kNoSketch});
    for (std::int64_t i = 0; i < std::min(count, kMostDevices); ++i)
      out.push_back({format("{}[{}]", what, i), std::string(model), kNoSketch});
  };
  if (group.server.gpu_count > 0) add("gpus", group.server.gpu_count, group.server.gpu_model);
  for (const NicSet& nics : group.server.nics) add("nics." + nics.name, nics.count, nics.model);
  for (const auto& drives : group.server.part.drives)
    add("drives." + drives.name, drives.value.count.value_or(1), "drives");
}

// Aliases are understood, and not offered.
void add_parts(PartKind kind, const Analysis* good, std::vector<KnownName>& out) {
  const std::string word(part_kind_name(kind));
  if (good && good->run->catalog) {
    for (const PartInfo& part : good->run->catalog->list())
      if (part.kind == kind) out.push_back({std::string(part.id), part.own ? "own " + word : word, kNoSketch});
  } else {
    Sources sources;
    Findings findings;
    for (const PartInfo& part : Catalog(sources, findings).list())
      if (part.kind == kind) out.push_back({std::string(part.id), word, kNoSketch});
  }
}

void add_trays(const Sketch& s, const Analysis* good, std::vector<KnownName>& out) {
  if (!good || !good->good()) return;
  for (const AssemblyGroupModel& a : good->run->cluster->assemblies)
    if (a.part)
      for (const auto& tray : a.part->trays)
        out.push_back({a.name + "." + tray.name, "trays of " + a.model, s.find_path({"assemblies", a.name})});
}

// `gpu: { ports: … }`: the connection is an entry under the group's name.
void add_port_sets(const Sketch& s, SketchId context, const Analysis* good, std::vector<KnownName>& out) {
  const std::string_view group_name = s.key(context == 0 ? context : s[context].parent);
  const SketchId group = s.find_path({"nodes", group_name});
  if (group != kNoSketch)
    if (const SketchId server = s.find(group, "server"); server != kNoSketch)
      add_keys(s, s.find(server, "ports"), "ports", out);
  add_fittings(s, group, "nics", out);
  if (const NodeGroupModel* model = node_group_model(good, group_name))
    for (const PortSet& ports : model->server.ports)
      if (!known(out, ports.name))
        out.push_back({ports.name, format("{} ports of {}", ports.count, model->server.id), kNoSketch});
}

void add_nics_entries(const Sketch& s, SketchId context, const Analysis* good, std::vector<KnownName>& out) {
  const SketchId group = node_group_around(s, context);
  add_fittings(s, group, "nics", out);
  if (group == kNoSketch) return;
  if (const NodeGroupModel* model = node_group_model(good, s.key(group)))
    for (const NicSet& nics : model->server.nics)
      if (!known(out, nics.name)) out.push_back({nics.name, format("{} x {}", nics.count, nics.model), kNoSketch});
}

void add_drives_entries(const Analysis* good, std::vector<KnownName>& out) {
  if (!good || !good->good()) return;
  for (const NodeGroupModel& group : good->run->cluster->nodes)
    for (const auto& drives : group.server.part.drives)
      if (!known(out, drives.name)) out.push_back({drives.name, "drives of " + group.name, kNoSketch});
}

void add_pcie_switches(const Sketch& s, SketchId context, std::vector<KnownName>& out) {
  for (SketchId n = context; n != 0 && n != kNoSketch; n = s[n].parent)
    if (const SketchId switches = s.find(n, "switches"); switches != kNoSketch)
      return add_keys(s, switches, "PCIe switch", out);
}

}  // namespace

SketchId node_group_around(const Sketch& s, SketchId n) {
  const auto path = path_of(s, n);
  return path.size() >= 2 && s.key(path[0]) == "nodes" && !s[path[1]].item ? path[1] : kNoSketch;
}

const NodeGroupModel* node_group_model(const Analysis* good, std::string_view name) {
  if (!good || !good->good()) return nullptr;
  const int i = good->run->cluster->find_node_group(name);
  return i < 0 ? nullptr : &good->run->cluster->nodes[static_cast<std::size_t>(i)];
}

std::size_t part_begin(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
  if (i == 0) return 0;
  const std::size_t digits = i;
  while (i < text.size() && text[i] == ' ') ++i;
  if (i >= text.size() || text[i] != 'x' || i == digits) return 0;
  ++i;
  if (i < text.size() && text[i] != ' ') return 0;
  while (i < text.size() && text[i] == ' ') ++i;
  return i;
}

std::vector<KnownName> known_names(const Names& names, const Sketch& s, SketchId context, const Analysis* good) {
  std::vector<KnownName> out;
  switch (names.of) {
    case Of::nothing:
      break;
    case Of::words:
      for (const auto word : split(names.words, '|')) out.push_back({std::string(word), {}, kNoSketch});
      break;
    case Of::part:
      add_parts(names.part, good, out);
      break;
    case Of::feed:
      add_keys(s, s.find_path({"site", "feeds"}), "feed", out);
      break;
    case Of::panel:
      add_keys(s, s.find_path({"site", "panels"}), "panel", out);
      break;
    case Of::zone:
      add_keys(s, s.find_path({"site", "cooling"}), "cooling zone", out);
      break;
    case Of::rack_group:
      add_keys(s, s.find_path({"racks"}), "rack group", out);
      break;
    case Of::assembly_group:
      add_keys(s, s.find_path({"assemblies"}), "assembly group", out);
      break;
    case Of::network:
      add_keys(s, s.find_path({"networks"}), "network", out);
      break;
    case Of::storage:
      add_keys(s, s.find_path({"storage"}), "storage", out);
      break;
    case Of::node_group:
      add_keys(s, s.find_path({"nodes"}), "node group", out);
      break;
    case Of::node_group_or_storage:
      add_keys(s, s.find_path({"nodes"}), "node group", out);
      add_keys(s, s.find_path({"storage"}), "storage", out);
      break;
    case Of::tray:
      add_trays(s, good, out);
      break;
    case Of::port_set:
      add_port_sets(s, context, good, out);
      break;
    case Of::nics_entry:
      add_nics_entries(s, context, good, out);
      break;
    case Of::drives_entry:
      add_drives_entries(good, out);
      break;
    case Of::device:
      if (const SketchId group = node_group_around(s, context); group != kNoSketch)
        if (const NodeGroupModel* model = node_group_model(good, s.key(group))) add_devices(*model, out);
      break;
    case Of::pcie_switch:
      add_pcie_switches(s, context, out);
      break;
    case Of::rule:
      for (const FindingKind& kind : all_finding_kinds())
        out.push_back({std::string(kind.id), std::string(kind.summary), kNoSketch});
      break;
    case Of::output:
      for (const Output* output : all_outputs())
        out.push_back({std::string(output->id), std::string(output->summary), kNoSketch});
      break;
  }
  return out;
}

}  // namespace clusterc::lsp
