#include "plan/cost/fitted.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "catalog/catalog.h"
#include "model/merge.h"
#include "plan/cost/cost.h"
#include "spec/nodes.h"
#include "spec/prices.h"
#include "spec/site.h"

namespace clusterc {
namespace {

constexpr std::size_t kNamed = 3;  // groups that a line names

// "1.92 TB" -> "1.92-tb": a name that `prices.parts` can have as a key.
std::string key_text(Bytes size) {
  std::string out = to_text(size);
  for (char& c : out) c = c == ' ' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// The difference of two lists of parts, whatever key or slot they are under.
class PartList {
 public:
  explicit PartList(Catalog& catalog) : catalog_(catalog) {}
  void add(const Fittings& f, std::int64_t sign, bool spec_only) {
    const auto counts = [&](const auto& v) { return !spec_only || v.origin == Origin::spec; };
    const auto part = [&](FittedKind kind, const PartCount& p, const auto* known) {
      if (p.model && counts(p.model))
        add(kind, known ? name_of(known, *p.model) : *p.model, sign * p.count.value_or(1));
    };
    if (f.gpus && f.gpus->model) part(FittedKind::gpu, *f.gpus, catalog_.gpu(*f.gpus->model));
    if (f.cpus && f.cpus->model) part(FittedKind::cpu, *f.cpus, catalog_.cpu(*f.cpus->model));
    if (f.memory && f.memory->count && f.memory->size && counts(f.memory->size))
      add(FittedKind::memory, "dimm-" + key_text(*f.memory->size), sign * *f.memory->count);
    for (const auto& n : f.nics)
      if (n.value.model) part(FittedKind::nic, n.value, catalog_.nic(*n.value.model));
    for (const auto& d : f.drives)
      if (d.value.size && counts(d.value.size) && !d.value.shared.value_or(false))  // else in no server
        add(FittedKind::drive,
            format("drive-{}-{}", enum_text(d.value.kind.value_or(DriveKind::nvme)), key_text(*d.value.size)),
            sign * d.value.count.value_or(1));
    if (f.nvlink_bridge && *f.nvlink_bridge > 1 && counts(f.nvlink_bridge) && f.gpus && f.gpus->model)
      add(FittedKind::nvlink_bridge, format("nvlink-bridge-{}-{}", *f.nvlink_bridge, *f.gpus->model),
          sign * (f.gpus->count.value_or(1) / *f.nvlink_bridge));
  }
  const std::vector<FittedPart>& parts() const { return parts_; }
  std::vector<FittedPart> take() {
    std::erase_if(parts_, [](const FittedPart& p) { return p.count == 0; });
    std::ranges::stable_sort(parts_, {}, &FittedPart::kind);
    return std::move(parts_);
  }

 private:
  void add(FittedKind kind, std::string id, std::int64_t count) {
    const auto known = std::ranges::find_if(parts_, [&](const FittedPart& p) { return p.kind == kind && p.id == id; });
    if (known == parts_.end())
      parts_.push_back({kind, std::move(id), count});
    else
      known->count += count;
  }
  // Two names of one part are one part: the name that came last is the one that the spec has.
  std::string name_of(const void* part, const std::string& name) {
    const auto known = names_.find(part);
    if (known == names_.end()) {
      names_.emplace(part, name);
      return name;
    }
    if (known->second != name)
      for (FittedPart& p : parts_)
        if (p.id == known->second) p.id = name;
    return known->second = name;
  }

  Catalog& catalog_;
  std::vector<FittedPart> parts_;
  std::map<const void*, std::string> names_;
};

constexpr int kDeepest = 32;  // parts that are like parts, as the resolver follows them

// What a part of the catalogue comes with. False: it is not there (one of the spec's own: it comes with what it states,
// which has no origin in the spec).
bool comes_with(Catalog& catalog, const ServerPart& part, Fittings& out, int depth = 0) {
  if (part.like) {
    const ServerPart* below = depth < kDeepest ? catalog.server(*part.like) : nullptr;
    if (!below || !comes_with(catalog, *below, out, depth + 1)) return false;
  }
  lay_over(out, static_cast<const Fittings&>(part));
  return true;
}
bool comes_with(Catalog& catalog, const std::string& id, Fittings& out) {
  const ServerPart* part = catalog.server(id);
  return part && comes_with(catalog, *part, out);
}

// What the servers of the group come with; false: only what the spec itself writes is known to be more.
bool base_of(const Cluster& c, Catalog& catalog, const NodeGroupModel& g, Fittings& base) {
  const NodeGroup& s = *g.spec;
  if (g.assembly >= 0) {
    const AssemblyGroupModel& a = c.assemblies[static_cast<std::size_t>(g.assembly)];
    const std::size_t dot = s.from ? s.from->find('.') : std::string::npos;
    if (!a.part || dot == std::string::npos) return false;
    const auto* tray = a.part->trays.find(std::string_view(*s.from).substr(dot + 1));
    return tray && tray->value.server && comes_with(catalog, *tray->value.server, base);
  }
  if (s.model) return comes_with(catalog, *s.model, base);
  if (s.server && s.server->like) return comes_with(catalog, *s.server->like, base);
  return true;  // written in full
}

std::string_view noun(FittedKind k) {
  switch (k) {
    case FittedKind::gpu:
      return "GPU";
    case FittedKind::cpu:
      return "processor";
    case FittedKind::memory:
      return "memory module";
    case FittedKind::nic:
      return "network adapter";
    case FittedKind::drive:
      return "drive";
    case FittedKind::nvlink_bridge:
      return "set of NVLink bridges";
  }
  return {};
}

std::string group_names(const Cluster& c, const std::vector<int>& groups) {
  std::string out;
  for (std::size_t i = 0; i < std::min(kNamed, groups.size()); ++i)
    out += format("{}'{}'", i ? ", " : "", c.nodes[static_cast<std::size_t>(groups[i])].name);
  if (groups.size() > kNamed) out += format(" and {} more", groups.size() - kNamed);
  return out;
}

std::vector<FittedPart> fitted_parts(const Cluster& c, Catalog& catalog, const NodeGroupModel& g) {
  if (!g.spec || !g.server.known || g.server.virtual_machine || g.server.instance) return {};
  Fittings base;
  const bool known = base_of(c, catalog, g, base);
  PartList list(catalog), written(catalog);
  if (known) list.add(base, -1, false);
  list.add(g.server.part, 1, !known);
  written.add(g.server.part, 1, true);
  // The spec changes only what it writes: what else differs is a part of its own that has the name of a built-in one.
  const auto is_written = [&](const FittedPart& p) {
    return std::ranges::any_of(written.parts(),
                               [&](const FittedPart& w) { return w.kind == p.kind && (p.count < 0 || w.id == p.id); });
  };
  if (is_planning_default(g.server)) {
    std::vector<FittedPart> all = written.take();
    std::erase_if(all, [](const FittedPart& p) { return p.count < 0; });
    return all;
  }
  std::vector<FittedPart> parts = list.take();
  std::erase_if(parts, [&](const FittedPart& p) { return !is_written(p); });
  return parts;
}

std::string machine_text(const NodeGroupModel& g) {
  std::string out = format("virtual machine '{}'", g.name);
  if (g.server.cores > 0) out += format(" of {} processors", g.server.cores);
  if (g.server.memory) out += format("{} {}", g.server.cores > 0 ? " and" : " of", to_text(*g.server.memory));
  return out;
}

}  // namespace

bool is_planning_default(const ServerModel& s) { return s.units && !s.units.confirmed; }

std::string_view fitted_kind_word(FittedKind k) {
  switch (k) {
    case FittedKind::gpu:
      return "gpu";
    case FittedKind::cpu:
      return "cpu";
    case FittedKind::memory:
      return "memory";
    case FittedKind::nic:
      return "nic";
    case FittedKind::drive:
      return "drive";
    case FittedKind::nvlink_bridge:
      return "nvlink-bridge";
  }
  return {};
}

std::vector<FittedPart> fitted_parts(const Cluster& c, const NodeGroupModel& g) {
  Sources sources;
  Findings findings;
  Catalog catalog(sources, findings);
  return fitted_parts(c, catalog, g);
}

std::vector<ServerFit> server_fits(const Cluster& c) {
  Sources sources;
  Findings findings;
  Catalog catalog(sources, findings);  // built-in parts, each read when it is asked for
  std::vector<ServerFit> fits;
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < c.nodes.size(); ++i) {
    const NodeGroupModel& g = c.nodes[i];
    const ServerModel& s = g.server;
    if (g.count <= 0) continue;
    if (s.virtual_machine) {
      if (c.own_site && !(c.spec.prices && c.spec.prices->nodes.find(g.name))) continue;
      fits.push_back({.groups = {static_cast<int>(i)}, .count = g.count, .what = machine_text(g), .server = &s});
      continue;
    }
    std::vector<FittedPart> parts = fitted_parts(c, catalog, g);
    std::string key = format("{}|{}{}", s.id, g.assembly >= 0 ? "tray" : "", s.instance ? "rented" : "");
    for (const FittedPart& p : parts) key += format("|{} {}", p.count, p.id);
    const auto [at, fresh] = known.try_emplace(std::move(key), fits.size());
    if (fresh) fits.push_back({.tray = g.assembly >= 0, .parts = std::move(parts), .server = &s});
    fits[at->second].groups.push_back(static_cast<int>(i));
    fits[at->second].count += g.count;
  }
  for (ServerFit& f : fits) {
    if (f.server->virtual_machine) continue;
    f.what = f.server->instance ? "instance"
             : f.parts.empty()  ? "server"
                                : "server, fitted for " + group_names(c, f.groups);
    std::string_view before = " without ";
    for (const FittedPart& p : f.parts)
      if (p.count < 0) {
        f.what += format("{}{} x {}", before, -p.count, p.id);
        before = ", ";
      }
  }
  return fits;
}

std::int64_t empty_racks(const Plan& plan, const RackGroupModel& g) {
  if (g.spec && !g.spec->occupied.empty()) return 0;  // something stands in them already
  std::int64_t empty = 0;
  for (std::int64_t r = g.first; r < g.first + g.count && r < static_cast<std::int64_t>(plan.racks.size()); ++r)
    empty += plan.racks[static_cast<std::size_t>(r)].devices.empty();
  return empty;
}

std::vector<BillRow> bill_rows(const Plan& plan, const std::vector<ServerFit>& fits, RacksBought racks) {
  const Cluster& c = *plan.cluster;
  std::vector<BillRow> rows;
  std::map<std::string_view, std::int64_t> later;  // racks and PDUs by model
  if (racks == RacksBought::used)
    for (const RackGroupModel& g : c.racks)
      if (const std::int64_t empty = empty_racks(plan, g); empty > 0) {
        later[g.model] += empty;
        for (const PduModel& p : g.pdus) later[p.model] += empty;
      }
  std::size_t next = 0;
  const auto put_in = [&](std::size_t i) {
    for (const FittedPart& p : fits[i].parts)
      if (p.count > 0)
        rows.push_back({.part = p.id,
                        .what = format("{} in {}", noun(p.kind), group_names(c, fits[i].groups)),
                        .kind = fitted_kind_word(p.kind),
                        .count = fits[i].count * p.count,
                        .fit = static_cast<int>(i),
                        .put_in = true});
  };
  for (const BillLine& line : plan.bill()) {
    const bool server = line.kind == BillKind::server ||
                        line.kind == BillKind::instance;  // one for each fit that is no tray, in this order
    const bool past = line.kind > BillKind::instance;
    while (next < fits.size() && (past || (server && fits[next].tray))) put_in(next++);
    std::int64_t count = line.count;
    if (line.kind == BillKind::rack || line.kind == BillKind::pdu)
      if (const auto some = later.find(line.part); some != later.end()) count -= some->second;
    if (count + line.spares <= 0) continue;
    rows.push_back({.part = line.part,
                    .what = line.what,
                    .kind = bill_kind_word(line.kind),
                    .count = count,
                    .spares = line.spares,
                    .length = line.length,
                    .planning_default = line.planning_default});
    if (!server || next >= fits.size()) continue;
    rows.back().fit = static_cast<int>(next);
    put_in(next++);
  }
  while (next < fits.size()) put_in(next++);
  return rows;
}

std::vector<BillRow> bill_rows(const Plan& plan, RacksBought racks) {
  return bill_rows(plan, server_fits(*plan.cluster), racks);
}

}  // namespace clusterc
