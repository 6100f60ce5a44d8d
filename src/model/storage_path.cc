#include "model/storage_path.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/format.h"
#include "base/text.h"
#include "model/group_ends.h"
#include "spec/ha.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/storage.h"
#include "spec/workload.h"

namespace clusterc {
namespace {

BytesPerSecond payload(BitsPerSecond r) { return bytes_of(r) * kPayloadShare; }

std::string counted(std::int64_t n, std::string_view word) { return format("{} {}{}", n, word, n == 1 ? "" : "s"); }

const EndPoints& end_of(const Cluster& c, GroupEnd at) {
  return c.networks[static_cast<std::size_t>(at.network)].ends[static_cast<std::size_t>(at.end)];
}
void sort_ends(std::vector<GroupEnd>& ends) {
  std::ranges::sort(ends, {}, [](const GroupEnd& at) { return std::pair(at.network, at.end); });
}

struct Sum {
  BitsPerSecond all{0};
  std::string formula;
  SourceSpan at;
  void add(const EndPoints& e, std::int64_t members) {
    all += e.rate * static_cast<double>(members * e.ports_each);
    formula +=
        format("{}{} x {} x {}", formula.empty() ? "" : " + ", members, counted(e.ports_each, "port"), to_text(e.rate));
    at = e.span;
  }
  void add_one_member(const EndPoints& e) {
    all += e.rate * static_cast<double>(e.ports_each);
    formula += format("{}{} x {}", formula.empty() ? "" : " + ", counted(e.ports_each, "port"), to_text(e.rate));
    at = e.span;
  }
  std::optional<StorageSide> side(std::string what) const {
    if (all.value <= 0) return std::nullopt;
    return StorageSide{std::move(what), formula + format(" x {:.2f} / 8", kPayloadShare), payload(all), at};
  }
};

}  // namespace

std::vector<GroupEnd> ends_of_servers(const Cluster& c, int storage) {
  std::vector<GroupEnd> ends = ends_of_storage(c, storage);
  const auto& nodes = ends_of_group(c, c.storage[static_cast<std::size_t>(storage)].nodes);
  ends.insert(ends.end(), nodes.begin(), nodes.end());
  sort_ends(ends);
  return ends;
}

bool mounted_by(const Storage& s, const NodeGroupModel& g) {
  return s.on.empty() ||
         std::any_of(s.on.begin(), s.on.end(), [&](const Value<std::string>& name) { return name.value == g.name; });
}

std::vector<int> groups_named_by(const Cluster& c, const Storage& s) {
  std::vector<int> groups;
  if (s.on.empty()) {
    groups.resize(c.nodes.size());
    std::iota(groups.begin(), groups.end(), 0);
    return groups;
  }
  for (const Value<std::string>& name : s.on)
    if (const int g = name ? c.find_node_group(*name) : -1; g >= 0) groups.push_back(g);
  std::ranges::sort(groups);
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  return groups;
}

std::vector<int> storage_of_group(const Cluster& c, int group) {
  struct ByGroup {
    std::vector<int> everywhere;
    std::vector<std::vector<int>> named;
  };
  const auto& storage = c.memo.get("storage that names groups", [&] {
    ByGroup by{{}, std::vector<std::vector<int>>(c.nodes.size())};
    for (int i = 0; const StorageModel& s : c.storage) {
      if (s.spec && s.spec->on.empty()) by.everywhere.push_back(i);
      if (s.spec && !s.spec->on.empty())
        for (const int g : groups_named_by(c, *s.spec)) by.named[static_cast<std::size_t>(g)].push_back(i);
      ++i;
    }
    return by;
  });
  std::vector<int> mounted, out;
  std::ranges::merge(storage.everywhere, storage.named[static_cast<std::size_t>(group)], std::back_inserter(mounted));
  std::ranges::set_union(mounted, storage_served_by(c, group), std::back_inserter(out));
  return out;
}

const std::vector<int>& storage_served_by(const Cluster& c, int group) {
  const auto& all = c.memo.get("storage that groups serve", [&] {
    std::vector<std::vector<int>> of_group(c.nodes.size());
    for (int i = 0; const StorageModel& s : c.storage) {
      if (s.nodes >= 0) of_group[static_cast<std::size_t>(s.nodes)].push_back(i);
      ++i;
    }
    return of_group;
  });
  return all[static_cast<std::size_t>(group)];
}

std::optional<HaMode> storage_ha(const Cluster& c, const StorageModel& s) {
  if (s.spec->servers && s.spec->servers->ha) return s.spec->servers->ha.value;
  return s.nodes >= 0 && c.nodes[s.nodes].spec ? c.nodes[s.nodes].spec->ha.value : std::nullopt;
}

std::int64_t serving_nodes(const Cluster& c, const StorageModel& s) {
  const std::int64_t all = s.nodes >= 0 ? c.nodes[s.nodes].count : 0;
  return all > 1 && storage_ha(c, s) == HaMode::active_passive ? all / 2 : all;
}

namespace {

bool holds_data(const StorageModel& s, const std::string& drive) {
  return s.spec->drives ? drive == *s.spec->drives : drive != "boot";
}

}  // namespace

bool data_on_shared_drives(const Cluster& c, const StorageModel& s) {
  if (s.nodes < 0) return false;
  const auto& drives = c.nodes[s.nodes].server.part.drives;
  const auto ours = [&](const auto& d) { return holds_data(s, d.name); };
  return std::any_of(drives.begin(), drives.end(), ours) &&
         std::all_of(drives.begin(), drives.end(),
                     [&](const auto& d) { return !ours(d) || d.value.shared.value_or(false); });
}

bool data_on_single_servers(const Cluster& c, const StorageModel& s) {
  if (data_on_shared_drives(c, s)) return false;
  if (s.nodes < 0 || !s.spec->kind || data_drives(c, s) == 0) return false;  // 0: what they serve from is not said
  const StorageKind k = *s.spec->kind;
  if (k != StorageKind::nfs && k != StorageKind::lustre && k != StorageKind::beegfs) return false;
  if (k == StorageKind::lustre && s.spec->targets && storage_ha(c, s)) return false;  // a pair reaches each of them
  if (!s.spec->protection) return true;
  const auto p = parse_protection(*s.spec->protection);
  return p &&
         p->kind ==
             Protection::Kind::raid;  // else copies; what is not understood is storage-fault-tolerance-impossible's
}

std::int64_t data_drives(const Cluster& c, const StorageModel& s) {
  std::int64_t n = 0;
  if (s.nodes >= 0)
    for (const auto& d : c.nodes[s.nodes].server.part.drives)
      if (holds_data(s, d.name)) n += d.value.count.value_or(1);
  return n;
}

std::optional<StorageSide> storage_servers_side(const Cluster& c, int storage) {
  const StorageModel& s = c.storage[storage];
  Sum sum;
  for (const GroupEnd& at : ends_of_servers(c, storage)) {
    const NetworkModel& n = c.networks[static_cast<std::size_t>(at.network)];
    if (n.everything || n.shares >= 0 || (s.nodes >= 0 && !n.carries_traffic(Traffic::storage))) continue;
    const EndPoints& e = end_of(c, at);
    sum.add(e, e.group >= 0 ? std::min(e.members, serving_nodes(c, s)) : e.members);
  }
  return sum.side("the servers' ports");
}

namespace {

// The ends of the networks over which those of these groups that are clients reach the system: networks on which its
// servers sit; for outside servers those that carry storage.
template <class Visit>
void for_each_client_end(const Cluster& c, int storage, const std::vector<int>& groups, const Visit& visit) {
  const StorageModel& s = c.storage[storage];
  const std::vector<GroupEnd> servers = ends_of_servers(c, storage);
  std::vector<GroupEnd> ends;
  for (const int g : groups) {
    if (g == s.nodes || !c.nodes[g].computes) continue;
    for (const GroupEnd& at : ends_of_group(c, g)) {
      const NetworkModel& n = c.networks[static_cast<std::size_t>(at.network)];
      if (!n.everything && n.carries_traffic(Traffic::storage) &&
          (servers.empty() || std::ranges::binary_search(servers, at.network, {}, &GroupEnd::network)))
        ends.push_back(at);
    }
  }
  sort_ends(ends);
  for (const GroupEnd& at : ends) visit(end_of(c, at));
}

}  // namespace

std::optional<StorageSide> storage_clients_side(const Cluster& c, int storage) {
  Sum sum;
  for_each_client_end(c, storage, groups_named_by(c, *c.storage[storage].spec),
                      [&](const EndPoints& e) { sum.add(e, e.members); });
  return sum.side("the clients' ports");
}

std::optional<StorageSide> storage_node_side(const Cluster& c, int storage, int group) {
  Sum sum;
  if (mounted_by(*c.storage[storage].spec, c.nodes[group]))
    for_each_client_end(c, storage, {group}, [&](const EndPoints& e) { sum.add_one_member(e); });
  return sum.side("the node's ports");
}

std::vector<int> groups_that_mount(const Cluster& c, int storage) {
  const Storage& s = *c.storage[storage].spec;
  std::vector<int> out;
  if (!s.mount || !s.kind || *s.kind == StorageKind::object) return out;
  for (const int g : groups_named_by(c, s))
    if (c.nodes[static_cast<std::size_t>(g)].computes) out.push_back(g);
  return out;
}

std::optional<StorageRate> storage_rate(const Cluster& c, int storage, StorageDirection direction) {
  const StorageModel& s = c.storage[storage];
  const bool read = direction == StorageDirection::read;
  std::optional<StorageRate> out;
  if (s.spec->demand && (read ? s.spec->demand->read : s.spec->demand->write)) {
    const auto& promised = read ? s.spec->demand->read : s.spec->demand->write;
    out = StorageRate{*promised, "promised", promised.span};
  } else if (s.part && (read ? s.part->read : s.part->write)) {
    const auto& each = read ? s.part->read : s.part->write;
    out = StorageRate{*each * static_cast<double>(s.count), format("{} x '{}'", s.count, s.model),
                      s.spec->servers ? s.spec->servers->model.span : s.span, each.confirmed};
  }
  if (!out) return out;
  for (const auto& side : {storage_servers_side(c, storage), storage_clients_side(c, storage)})
    if (side && side->carries < out->rate) out = StorageRate{side->carries, side->what, side->span};
  return out;
}

int fastest_shared_storage(const Cluster& c, const std::vector<int>& groups, StorageDirection direction) {
  int best = -1;
  BytesPerSecond most{0};
  for (std::size_t i = 0; i < c.storage.size(); ++i) {
    const Storage& s = *c.storage[i].spec;
    if (s.kind.value == StorageKind::local || s.kind.value == StorageKind::object) continue;
    if (!std::all_of(groups.begin(), groups.end(), [&](int g) { return mounted_by(s, c.nodes[g]); })) continue;
    const auto rate = storage_rate(c, static_cast<int>(i), direction);
    if (!rate || rate->rate <= most) continue;
    most = rate->rate;
    best = static_cast<int>(i);
  }
  return best;
}

int checkpoint_storage(const Cluster& c, const Workload& w, const std::vector<int>& groups,
                       StorageDirection direction) {
  if (!w.checkpoint_to) return fastest_shared_storage(c, groups, direction);
  for (std::size_t i = 0; i < c.storage.size(); ++i)
    if (c.storage[i].name == *w.checkpoint_to && storage_rate(c, static_cast<int>(i), direction))
      return static_cast<int>(i);
  return -1;
}

std::optional<Protection> parse_protection(std::string_view text) {
  const std::vector<std::string_view> words = split(trim(text), ' ');
  if (words.size() != 2) return std::nullopt;
  if (words[0] == "replica" || words[0] == "replicas") {
    const auto n = parse_uint(words[1]);
    if (!n || *n < 1 || *n > 100) return std::nullopt;
    return Protection{Protection::Kind::replica, 1, static_cast<std::int64_t>(*n) - 1};
  }
  const bool raid = words[0].starts_with("raid");
  if (!raid && words[0] != "erasure" && words[0] != "ec") return std::nullopt;
  const std::vector<std::string_view> parts = split(words[1], '+');
  if (parts.size() != 2) return std::nullopt;
  const auto k = parse_uint(parts[0]), m = parse_uint(parts[1]);
  if (!k || !m || *k < 1 || *k > 1000 || *m > 1000) return std::nullopt;
  return Protection{raid ? Protection::Kind::raid : Protection::Kind::erasure, static_cast<std::int64_t>(*k),
                    static_cast<std::int64_t>(*m)};
}

std::optional<StorageRoom> storage_room(const Cluster& c, int storage) {
  const StorageModel& s = c.storage[storage];
  if (s.part) {
    if (!s.part->capacity) return std::nullopt;
    return StorageRoom{*s.part->capacity * static_cast<double>(s.count),
                       format("{} x {}", s.count, to_text(*s.part->capacity)),
                       s.spec->servers ? s.spec->servers->model.span : s.span, s.part->capacity.confirmed};
  }
  if (s.nodes < 0) return std::nullopt;
  const NodeGroupModel& g = c.nodes[s.nodes];
  Bytes each{0};
  for (const auto& d : g.server.part.drives)
    if (d.value.size && holds_data(s, d.name)) each += *d.value.size * static_cast<double>(d.value.count.value_or(1));
  if (each.value <= 0) return std::nullopt;
  const auto p = s.spec->protection ? parse_protection(*s.spec->protection) : std::nullopt;
  // Shares that lie on several servers count them all; else what waits holds nothing of its own.
  const std::int64_t nodes = p && p->kind != Protection::Kind::raid ? g.count : serving_nodes(c, s);
  StorageRoom room{each * static_cast<double>(nodes) * (p ? p->share() : 1),
                   format("{} x {}", counted(nodes, "node"), to_text(each)), g.span};
  if (nodes < g.count) room.formula += format(" (of {}: active-passive)", g.count);
  if (p) room.formula += format(" x {} / {}", p->data, p->data + p->parity);
  return room;
}

}  // namespace clusterc
