#include "rules/say.h"

#include "base/text.h"
#include "model/power.h"
#include "spec/nodes.h"
#include "spec/site.h"

namespace clusterc {

std::string plural(std::int64_t count, std::string_view word) {
  return format("{} {}{}", count, word, count == 1 ? "" : "s");
}

std::string name_list(const std::vector<std::string>& first_names, std::int64_t count) {
  constexpr std::size_t kNamed = 3;
  std::string out;
  const std::size_t shown = std::min(
      first_names.size(), count > static_cast<std::int64_t>(kNamed) ? kNamed : static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out += i + 1 == shown && static_cast<std::int64_t>(shown) == count ? " and " : ", ";
    out += format("'{}'", first_names[i]);
  }
  if (static_cast<std::int64_t>(shown) < count) out += format(" and {} more", count - static_cast<std::int64_t>(shown));
  return out;
}

std::string rack_list(const std::vector<std::string>& first_names, std::int64_t count) {
  return format("{} {}", count == 1 ? "rack" : "racks", name_list(first_names, count));
}

std::string percent(double share) { return format("{:.0f} %", share * 100); }

namespace {

void add(std::vector<Term>& terms, std::string what, DeviceKind kind, int group, double each) {
  for (Term& t : terms)
    if (t.kind == kind && t.group == group && t.what == what && t.each == each) {
      ++t.count;
      return;
    }
  terms.push_back({std::move(what), 1, each, kind, group});
}

// Calls add(what, kind, group, power, weight) for every device of the rack; what already stands there is counted once
// for each entry of the spec.
template <class Each>
void each_device(const RuleInput& in, std::int64_t rack, Each each) {
  const Cluster& c = in.cluster;
  for (const RackedDevice& d : in.plan.racks[rack].devices) {
    switch (d.kind) {
      case DeviceKind::node: {
        const NodeGroupModel& g = c.nodes[d.group];
        each(g.server.id, d.kind, d.group, g.server.power, g.server.part.weight);
        break;
      }
      case DeviceKind::storage: {
        const StorageModel& s = c.storage[d.group];
        if (s.part) each(s.model, d.kind, d.group, s.part->power, s.part->weight);
        break;
      }
      case DeviceKind::switch_: {
        const Fabric& f = in.plan.fabrics[d.group];
        std::int64_t first = 0;
        for (const FabricTier& t : f.tiers) {
          if (d.index < first + t.count) {
            if (t.part) each(t.model, d.kind, d.group, switch_power(*t.part), t.part->weight);
            break;
          }
          first += t.count;
        }
        break;
      }
      case DeviceKind::occupied:
      case DeviceKind::tray:
        break;
    }
  }
  const int group = c.rack_group_of(rack);
  if (group < 0) {
    for (const AssemblyGroupModel& a : c.assemblies)
      if (rack >= a.first && rack < a.first + a.count && a.part)
        each(a.model, DeviceKind::tray, -1, a.part->power, a.part->weight);
    return;
  }
  const RackGroupModel& g = c.racks[group];
  for (const Occupied& o : g.spec->occupied)
    if (const std::vector<std::int64_t> in_racks = g.racks_of(o);
        std::binary_search(in_racks.begin(), in_racks.end(), rack - g.first))
      each("already there", DeviceKind::occupied, group, o.power, o.weight);
}

}  // namespace

std::vector<Term> power_terms(const RuleInput& in, std::int64_t rack) {
  std::vector<Term> terms;
  each_device(
      in, rack,
      [&](const std::string& what, DeviceKind kind, int group, const Value<Watts>& power, const Value<Kilograms>&) {
        if (power && power->value > 0) add(terms, what, kind, group, power->value);
      });
  return terms;
}

namespace {

template <class Take>
void each_in(const RuleInput& in, std::int64_t rack, Take take) {
  if (rack >= 0) return each_device(in, rack, take);
  for (std::size_t r = 0; r < in.plan.racks.size(); ++r) each_device(in, static_cast<std::int64_t>(r), take);
}

}  // namespace

Watts unconfirmed_power(const RuleInput& in, std::int64_t rack) {
  double sum = 0;
  each_in(in, rack, [&](const std::string&, DeviceKind, int, const Value<Watts>& power, const Value<Kilograms>&) {
    if (power && !power.confirmed) sum += power->value;
  });
  return Watts(sum);
}

Kilograms unconfirmed_weight(const RuleInput& in, std::int64_t rack) {
  double sum = 0;
  each_in(in, rack, [&](const std::string&, DeviceKind, int, const Value<Watts>&, const Value<Kilograms>& weight) {
    if (weight && !weight.confirmed) sum += weight->value;
  });
  return Kilograms(sum);
}

std::vector<Term> weight_terms(const RuleInput& in, std::int64_t rack) {
  std::vector<Term> terms;
  each_device(
      in, rack,
      [&](const std::string& what, DeviceKind kind, int group, const Value<Watts>&, const Value<Kilograms>& weight) {
        if (weight && weight->value > 0) add(terms, what, kind, group, weight->value);
      });
  return terms;
}

std::string sum_text(const std::vector<Term>& terms, Dimension dimension) {
  std::string out;
  for (const Term& t : terms) {
    if (!out.empty()) out += " + ";
    if (t.count > 1) out += format("{} x ", t.count);
    out += format("{} ({})", to_text(t.each, dimension), t.what);
  }
  return out;
}

int heaviest_node_group(const std::vector<Term>& terms) {
  int group = -1;
  double most = 0;
  for (const Term& t : terms)
    if (t.kind == DeviceKind::node && t.each * static_cast<double>(t.count) > most) {
      most = t.each * static_cast<double>(t.count);
      group = t.group;
    }
  return group;
}

SourceSpan load_place(const NodeGroupModel& g) {
  return first_place(written(g.spec->per_rack), written(g.spec->racks), g.span);
}

std::span<const PduLoad> pdus_of(const RuleInput& in, const RackGroupModel& g) {
  // They lie in the order of the racks.
  const auto first = std::lower_bound(in.plan.pdus.begin(), in.plan.pdus.end(), g.first,
                                      [](const PduLoad& load, std::int64_t rack) { return load.rack < rack; });
  return std::span(first, static_cast<std::size_t>(g.count) * g.pdus.size());
}

bool draws_power(const RuleInput& in, const RackGroupModel& g) {
  return std::any_of(in.plan.racks.begin() + g.first, in.plan.racks.begin() + g.first + g.count,
                     [](const RackPlan& r) { return r.power.value > 0; });
}

std::string unplaced_name(const RuleInput& in, const Unplaced& u) {
  const Cluster& c = in.cluster;
  switch (u.kind) {
    case DeviceKind::node:
    case DeviceKind::tray:
      return format("{} of '{}'", plural(u.count, "node"), c.nodes[u.group].name);
    case DeviceKind::storage:
      return format("{} of storage '{}'", plural(u.count, "system"), c.storage[u.group].name);
    case DeviceKind::switch_: {
      const Fabric& f = in.plan.fabrics[u.group];
      const std::string& word = f.tiers[static_cast<std::size_t>(in.plan.switch_ref(u.group, u.first).tier)].word;
      return format("{} of network '{}'",
                    u.count == 1       ? "1 " + word
                    : word == "leaf"   ? format("{} leaves", u.count)
                    : word == "switch" ? format("{} switches", u.count)
                                       : plural(u.count, word),
                    c.networks[f.network].name);
    }
    case DeviceKind::occupied:
      break;
  }
  return plural(u.count, "device");
}

std::string unplaced_object(const RuleInput& in, const Unplaced& u) {
  const Cluster& c = in.cluster;
  switch (u.kind) {
    case DeviceKind::storage:
      return "storage." + c.storage[u.group].name;
    case DeviceKind::switch_:
      return "networks." + c.networks[in.plan.fabrics[u.group].network].name;
    default:
      return "nodes." + c.nodes[u.group].name;
  }
}

int unplaced_racks(const RuleInput& in, const Unplaced& u) {
  const Cluster& c = in.cluster;
  switch (u.kind) {
    case DeviceKind::node:
      return c.nodes[u.group].racks;
    case DeviceKind::storage:
      return c.storage[u.group].racks;
    case DeviceKind::switch_:
      return c.networks[in.plan.fabrics[u.group].network].racks;
    default:
      return -1;
  }
}

bool is_ours(const NodeGroupModel& g) { return g.server.known && !g.server.instance && !g.server.virtual_machine; }

}  // namespace clusterc
