// Node groups: the server of each with all changes made, its ports by name, its power.
#include "base/text.h"
#include "model/merge.h"
#include "model/power.h"
#include "model/power_cap.h"
#include "model/resolution.h"
#include "model/rounding.h"
#include "spec/nodes.h"
#include "spec/site.h"

namespace clusterc {

std::vector<NicSet> resolve_nics(Resolution& r, const NamedMap<PartCount>& nics) {
  std::vector<NicSet> sets;
  for (const auto& n : nics) {
    NicSet set{n.name, n.name_span, r.part(n.value.model, PartKind::nic, &Catalog::nic), n.value.model.value_or(""),
               n.value.count.value_or(1)};
    if (set.count > 0) sets.push_back(std::move(set));  // `data: 0 x …` takes an entry of the part away
  }
  return sets;
}

namespace {

// A part with everything that it is `like` below it.
struct Flattened {
  ServerPart part;
  std::optional<ServerPart> stated_for;  // as it was where `power` was last stated
};

Flattened stating(ServerPart whole, std::optional<ServerPart> below, bool states_power) {
  if (states_power) below = whole;
  return {std::move(whole), std::move(below)};
}

// A circle ends where it closes, with a finding. `known` becomes false where one of them does not exist.
Flattened flattened(Resolution& r, const ServerPart& part, bool& known, std::vector<const ServerPart*> above = {}) {
  const bool states_power = part.power.value.has_value();
  const auto alone = [&] { return stating(part, {}, states_power); };
  if (!part.like) return alone();
  above.push_back(&part);
  constexpr std::size_t kDeepest = 32;  // parts of parts of parts: nobody follows more, and each is a step of recursion
  if (above.size() > kDeepest) {
    r.error("spec-nested-too-deep", part.like.span, format("`like` goes more than {} parts deep", kDeepest));
    return alone();
  }
  const ServerPart* base = r.part(part.like, PartKind::server, &Catalog::server);
  if (!base) {
    known = false;
    return alone();
  }
  if (std::find(above.begin(), above.end(), base) != above.end()) {
    r.error("spec-part-like-itself", part.like.span, format("server '{}' is like itself", *part.like));
    return alone();
  }
  Flattened whole = flattened(r, *base, known, above);
  lay_over(whole.part, part);
  whole.part.span = part.span;
  return stating(std::move(whole.part), std::move(whole.stated_for), states_power);
}

struct TrayRef {
  int assembly = -1;
  const AssemblyTray* tray = nullptr;
  std::string_view name;
};

// "nvl.compute-trays"
TrayRef find_tray(Resolution& r, const Value<std::string>& from) {
  TrayRef ref;
  const std::size_t dot = from->find('.');
  if (dot == std::string::npos) {
    if (Finding* f = r.error("spec-unknown-name", from.span, format("'{}' names no trays", *from)))
      f->help("write the assembly group, a dot and its trays: `nvl.compute-trays`");
    return ref;
  }
  ref.name = std::string_view(*from).substr(dot + 1);
  ref.assembly = r.find(std::string_view(*from).substr(0, dot), from.span, r.cluster.assemblies, "assembly group");
  if (ref.assembly < 0) return ref;
  const AssemblyGroupModel& group = r.cluster.assemblies[ref.assembly];
  if (!group.part) return ref;
  std::vector<std::string_view> known;
  for (const auto& t : group.part->trays) {
    if (t.name == ref.name) ref.tray = &t.value;
    known.push_back(t.name);
  }
  if (!ref.tray) r.unknown_name(ref.name, from.span, known, format("trays of '{}'", group.model));
  return ref;
}

void fill_ports(Resolution& r, ServerModel& s) {
  for (const auto& g : s.part.ports) {
    PortSet set;
    set.name = g.name;
    set.span = g.name_span;
    if (!g.value.nics) continue;
    for (std::size_t i = 0; i < s.nics.size(); ++i)
      if (s.nics[i].name == *g.value.nics) set.nics = static_cast<int>(i);
    if (set.nics < 0) {
      // A catalogue part whose adapters the spec has taken away keeps a group of ports without adapters: only what the
      // user wrote is wrong.
      if (g.value.nics.origin == Origin::spec) r.find(g.value.nics, s.nics, "entry of nics");
      continue;
    }
    const NicSet& nics = s.nics[set.nics];
    const std::int64_t on_card = nics.part ? nics.part->ports.value_or(1) : 1;
    if (g.value.port) {
      set.first_port = *g.value.port;
      if (nics.part && set.first_port > on_card)
        r.error("spec-not-enough-ports", g.value.port.origin == Origin::spec ? g.value.port.span : nics.span,
                format("port {} is asked for, '{}' has {}", set.first_port, nics.model, on_card));
    }
    set.ports_each = g.value.port ? 1 : on_card;
    set.count = nics.count * set.ports_each;
    if (!g.value.cages.empty() && static_cast<std::int64_t>(g.value.cages.size()) != set.count) {
      r.error("spec-not-enough-ports",
              g.value.cages.front().origin == Origin::spec ? g.value.cages.front().span : nics.span,
              format("`cages` has a place for {} ports, '{}' has {}", g.value.cages.size(), g.name, set.count));
    } else {
      for (const auto& cage : g.value.cages) set.cages.push_back(static_cast<int>(cage.value_or(1) - 1));
    }
    set.rate = g.value.rate ? *g.value.rate
               : nics.part  ? nics.part->port_rate.value_or(BitsPerSecond{0})
                            : BitsPerSecond{0};
    s.ports.push_back(std::move(set));
  }
  for (std::size_t i = 0; i < s.nics.size(); ++i) {
    const NicSet& nics = s.nics[i];
    if (s.port_set(nics.name)) continue;
    const std::int64_t on_card = nics.part ? nics.part->ports.value_or(1) : 1;
    s.ports.push_back({nics.name, nics.span, static_cast<int>(i), 1, on_card, nics.count * on_card,
                       nics.part ? nics.part->port_rate.value_or(BitsPerSecond{0}) : BitsPerSecond{0}});
  }
}

// The GPUs, processors and adapters that the merged part names.
void look_up_parts(Resolution& r, ServerModel& s) {
  const ServerPart& p = s.part;
  if (p.gpus) {
    s.gpu = r.part(p.gpus->model, PartKind::gpu, &Catalog::gpu);
    s.gpu_model = p.gpus->model.value_or("");
    s.gpu_count = p.gpus->count.value_or(1) * (s.gpu ? s.gpu->devices.value_or(1) : 1);
  }
  if (p.cpus) {
    s.cpu = r.part(p.cpus->model, PartKind::cpu, &Catalog::cpu);
    s.cpu_model = p.cpus->model.value_or("");
    s.cpu_count = p.cpus->count.value_or(1);
    if (s.cpu) {
      s.cores = s.cpu->cores.value_or(0) * s.cpu_count;
      s.threads_per_core = s.cpu->threads_per_core.value_or(1);
    }
  }
  s.nics = resolve_nics(r, p.nics);
}

// Nothing draws more when it idles, or usually, than at its highest.
void check_least_powers(Resolution& r, const ServerModel& s, const Named<NodeGroup>& group) {
  const auto check = [&](std::string_view key, const Value<Watts>& watts) {
    if (!watts || s.virtual_machine || s.instance || watts.span.file != group.name_span.file) return;
    const Value<Watts> highest = uncapped_power(s);
    if (!highest || !above(watts->value, highest->value)) return;
    if (Finding* f = r.error("spec-out-of-range", watts.span,
                             format("`{}` of group '{}' is {}, but its highest power is {}", key, group.name,
                                    to_text(*watts), to_text(*highest))))
      f->help("both values are for a whole node at the wall").object("nodes." + group.name);
  };
  check("power_idle", s.part.power_idle);
  check("power_typical", s.part.power_typical);
}

// Everything that the merged part names, and the figures that follow.
void complete_server(Resolution& r, ServerModel& s, std::optional<ServerPart> stated_for, const Value<Watts>& cap,
                     const Named<NodeGroup>& group) {
  look_up_parts(r, s);
  if (stated_for) {
    const auto listed = std::make_shared<ServerModel>();
    listed->part = std::move(*stated_for);
    look_up_parts(r, *listed);
    s.stated_for = listed;
  }
  const ServerPart& p = s.part;
  if (p.memory && p.memory->count && p.memory->size) {
    s.memory =
        Value<Bytes>::derived(*p.memory->size * static_cast<double>(*p.memory->count),
                              format("{} x {}", *p.memory->count, to_text(*p.memory->size)), p.memory->size.span);
    s.memory.confirmed = p.memory->size.confirmed && p.memory->count.confirmed;
  }
  s.units = p.units;
  fill_ports(r, s);
  check_pcie_places(r, s, group.name, group.name_span);
  fill_server_power(s, cap);
  check_least_powers(r, s, group);
}

// `gpus: 8`, `gpus: 8 x h200`: a count alone, or a word of the name of the model's own GPU. True: it was said, and the
// model's own stand.
bool gpus_without_model(Resolution& r, const PartCount& written, const std::optional<PartCount>& of_model) {
  if (!written.model) return false;
  const std::string name = to_lower(*written.model);
  if (of_model && of_model->model && *of_model->model != name && !r.catalog.gpu(*written.model)) {
    const std::vector<std::string_view> words = split(*of_model->model, '-');
    if (std::find(words.begin(), words.end(), name) != words.end()) {
      if (Finding* f =
              r.error("spec-unknown-part", written.model.span, format("the catalogue has no gpu '{}'", *written.model)))
        f->help(format("the model has {}: write `gpus: {} x {}`", *of_model->model, written.count.value_or(1),
                       *of_model->model));
      return true;
    }
  }
  if (name.find_first_not_of("0123456789") != std::string::npos) return false;
  Finding* f = r.error("spec-unknown-part", written.model.span,
                       format("`gpus: {}` is a count without the GPU that is counted", *written.model));
  if (f && of_model && of_model->model)
    f->help(format("write `gpus: {} x {}`, or leave `gpus` out: the model has {}", *written.model, *of_model->model,
                   of_model->count.value_or(1)));
  else if (f)
    f->help(format("write it with a GPU of `clusterc catalog gpu`: `gpus: {} x nvidia-h100-sxm5-80`", *written.model));
  return true;
}

ServerModel resolve_server(Resolution& r, const Named<NodeGroup>& entry, NodeGroupModel& group) {
  const NodeGroup& g = entry.value;
  ServerModel s;
  std::optional<ServerPart> stated_for;
  const auto take = [&](const ServerPart& part) {
    Flattened whole = flattened(r, part, s.known);
    s.part = std::move(whole.part);
    stated_for = std::move(whole.stated_for);
  };
  s.span = entry.name_span;
  if (g.virtual_machine) {
    s.virtual_machine = true;
    s.id = "virtual machine";
    s.cores = g.virtual_machine->cpus.value_or(0);
    s.memory = g.virtual_machine->memory;
    s.part.bmc = Value<bool>::standard(false, "a virtual machine has no management port");
  } else if (g.from) {
    s.span = g.from.span;
    s.id = *g.from;
    const TrayRef ref = find_tray(r, g.from);
    s.known = ref.tray != nullptr;
    group.assembly = ref.assembly;
    if (ref.assembly >= 0) {
      const AssemblyGroupModel& a = r.cluster.assemblies[ref.assembly];
      s.id = a.model + "." + std::string(ref.name);
    }
    if (ref.tray) {
      if (ref.tray->server) take(*ref.tray->server);
      if (!s.part.units) s.part.units = ref.tray->units;
    }
  } else if (g.instance || g.model) {
    const Value<std::string>& id = g.instance ? g.instance : g.model;
    s.instance = static_cast<bool>(g.instance);
    s.span = id.span;
    s.id = *id;
    if (const ServerPart* p = r.part(id, PartKind::server, &Catalog::server))
      take(*p);
    else
      s.known = false;
    if (g.server) lay_over(s.part, *g.server);
  } else if (g.server) {
    s.span = g.server->span.valid() ? g.server->span : entry.name_span;
    if (g.server->like) s.span = g.server->like.span;
    s.id = g.server->like ? *g.server->like : entry.name + " (written in the spec)";
    take(*g.server);
  }
  const std::optional<PartCount> gpus_of_model = s.part.gpus;
  lay_over(static_cast<Fittings&>(s.part), static_cast<const Fittings&>(g));
  if (g.gpus && gpus_without_model(r, *g.gpus, gpus_of_model)) s.part.gpus = gpus_of_model;
  s.gpu_limit = g.gpu_power_limit;
  if (g.server && (g.server->power || g.server->power.unknown)) stated_for.reset();  // of what the group is fitted with
  complete_server(r, s, std::move(stated_for), g.power_cap, entry);
  return s;
}

// Groups take the trays of an assembly one after the other.
void check_trays(Resolution& r, const Named<NodeGroup>& entry, const NodeGroupModel& group,
                 std::unordered_map<std::string, std::int64_t>& taken) {
  const AssemblyGroupModel& a = r.cluster.assemblies[group.assembly];
  if (!a.part || a.count == 0 || group.count == 0) return;
  const std::string_view tray_name = std::string_view(*entry.value.from).substr(entry.value.from->find('.') + 1);
  const auto* tray = a.part->trays.find(tray_name);
  if (!tray || !tray->value.count) return;
  const auto used = taken.emplace(*entry.value.from, 0).first;
  used->second += group.count;
  const std::int64_t trays = a.count * *tray->value.count;
  if (used->second <= trays) return;
  if (Finding* f = r.error("spec-count-mismatch", entry.value.names.span,
                           format("{} nodes are to be '{}', {} x {} give {}", used->second, *entry.value.from, a.count,
                                  *tray->value.count, trays)))
    f->note(a.span, format("{} assemblies with {} such trays each", a.count, *tray->value.count));
}

}  // namespace

void resolve_nodes(Resolution& r) {
  Cluster& c = r.cluster;
  std::unordered_map<std::string, std::int64_t> trays_taken;
  c.nodes.reserve(c.spec.nodes.size());
  for (const auto& entry : c.spec.nodes) {
    const NodeGroup& g = entry.value;
    NodeGroupModel m;
    m.name = entry.name;
    m.span = entry.name_span;
    m.spec = &g;
    HostPattern::Error error;
    if (g.names)
      if (auto pattern = HostPattern::parse(*g.names, error)) m.names = *pattern;  // else reported by the reader
    m.first = c.node_count;
    m.count = m.names.count();
    m.racks = r.find(g.racks, c.racks, "rack group");
    if (g.wall) m.cooling = r.find(g.wall->cooling, c.zones, "cooling zone");
    m.server = resolve_server(r, entry, m);
    m.computes = g.roles.empty() || m.has_role(Role::compute);
    if (m.assembly >= 0) check_trays(r, entry, m, trays_taken);
    for (const auto& place : g.at) {
      if (m.count > 0 && m.names.index_of(place.name) < 0)
        r.error("spec-unknown-name", place.name_span,
                format("group '{}' has no node '{}' ({})", entry.name, place.name, m.names.text()));
      if (place.value.rack && m.racks >= 0 && c.racks[m.racks].names.index_of(*place.value.rack) < 0 &&
          c.racks[m.racks].count > 0)
        r.error("spec-unknown-name", place.value.rack.span.valid() ? place.value.rack.span : place.value.span,
                format("rack group '{}' has no rack '{}' ({})", c.racks[m.racks].name, *place.value.rack,
                       c.racks[m.racks].names.text()));
    }
    c.node_count += m.count;
    c.nodes.push_back(std::move(m));
  }
}

// Two patterns can share a name only where one's text before its first bracket begins with the other's: sorted by it,
// candidates are neighbours.
void check_host_names(Resolution& r) {
  struct Names {
    std::string_view prefix;
    const HostPattern* names;
    std::string_view what;
    std::string_view group;
    SourceSpan span;
    std::size_t order;
  };
  std::vector<Names> all;
  const auto add = [&](const auto& models, std::string_view what) {
    for (const auto& m : models)
      if (m.count > 0) {
        const std::string_view text = m.names.text();
        const SourceSpan at = m.spec->names.span.valid() ? m.spec->names.span : m.span;
        all.push_back({text.substr(0, text.find('[')), &m.names, what, m.name, at, all.size()});
      }
  };
  const auto report = [&](const Names& earlier, const Names& later, const std::string& first, std::int64_t shared) {
    const std::string more = shared > 1 ? format(" and {} more", shared - 1) : std::string();
    if (Finding* f = r.error("spec-duplicate-name", later.span,
                             format("'{}'{} is in {} '{}' and in {} '{}'", first, more, earlier.what, earlier.group,
                                    later.what, later.group)))
      f->note(earlier.span, "named here first");
  };
  // Of very many groups every name is written down: pairs would take time with their square.
  const auto check_many = [&] {
    std::unordered_map<std::string, std::size_t> owners;
    std::string name;
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::string first;
      std::size_t by = 0;
      std::int64_t shared = 0;
      for (std::int64_t k = 0; k < all[i].names->count(); ++k) {
        name.clear();
        all[i].names->append_name(k, name);
        const auto [owner, fresh] = owners.emplace(name, i);
        if (fresh || owner->second == i || (shared > 0 && owner->second != by)) continue;
        if (shared++ == 0) first = name, by = owner->second;
      }
      if (shared > 0) report(all[by], all[i], first, shared);
    }
    all.clear();
  };
  const auto check = [&] {
    constexpr std::size_t kManyGroups = 256;
    constexpr std::int64_t kMostNames = 1'000'000;
    std::int64_t count = 0;
    for (const Names& n : all) count += n.names->count();
    if (all.size() > kManyGroups && count <= kMostNames) return check_many();
    std::sort(all.begin(), all.end(),
              [](const Names& a, const Names& b) { return std::tie(a.prefix, a.order) < std::tie(b.prefix, b.order); });
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = i + 1; j < all.size() && all[j].prefix.substr(0, all[i].prefix.size()) == all[i].prefix;
           ++j) {
        const bool i_smaller = all[i].names->count() <= all[j].names->count();
        const HostPattern& few = *(i_smaller ? all[i] : all[j]).names;
        const HostPattern& many = *(i_smaller ? all[j] : all[i]).names;
        std::string name, first;
        std::int64_t shared = 0;
        for (std::int64_t k = 0; k < few.count(); ++k) {
          name.clear();
          few.append_name(k, name);
          if (many.index_of(name) < 0) continue;
          if (shared++ == 0) first = name;
        }
        if (shared == 0) continue;
        const Names& earlier = all[i].order < all[j].order ? all[i] : all[j];
        const Names& later = all[i].order < all[j].order ? all[j] : all[i];
        report(earlier, later, first, shared);
      }
    all.clear();
  };
  add(r.cluster.nodes, "group");
  check();
  add(r.cluster.racks, "rack group");
  add(r.cluster.assemblies, "assembly group");
  check();
}

}  // namespace clusterc
