#include "plan/diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "base/format.h"
#include "base/index.h"
#include "plan/diff_cables.h"
#include "spec/network.h"

namespace clusterc {
namespace {

// The other way round.
NumberMap turned(const NumberMap& map, std::int64_t count) {
  NumberMap out(at(count), -1);
  for (std::size_t i = 0; i < map.size(); ++i)
    if (map[i] >= 0) out[at(map[i])] = static_cast<std::int64_t>(i);
  return out;
}

class Differ {
 public:
  Differ(const Plan& before, const Plan& after, std::size_t keep)
      : a_(before), b_(after), ca_(*before.cluster), cb_(*after.cluster), keep_(keep) {}

  PlanDiff all() {
    d_.parts = diff_bills(a_, b_);
    racks();
    nodes();
    switches();
    storage();
    pdus();
    diff_cables({a_, b_, rack_, node_, switch_, switch_back_}, keep_, d_);
    addresses();
    return std::move(d_);
  }

 private:
  GrowingList list(std::vector<ChangeList>& to, std::string what) { return {keep_, to, std::move(what)}; }

  static std::string place_text(const Plan& p, std::int64_t rack, std::int64_t unit) {
    return rack < 0 ? "no place" : format("{} U{}", p.cluster->rack_name(rack), unit);
  }
  void place(GrowingList& moved, const std::string& object, std::int64_t rack_a, std::int64_t unit_a,
             std::int64_t rack_b, std::int64_t unit_b) {
    if (rack_a < 0 && rack_b < 0) return;
    if (rack_a >= 0 && rack_b >= 0 && unit_a == unit_b && rack_[at(rack_b)] == rack_a) return;
    moved.add([&] { return ObjectChange{object, place_text(a_, rack_a, unit_a), place_text(b_, rack_b, unit_b)}; });
  }

  void racks() {
    std::unordered_map<std::string, std::int64_t> known;
    for (std::int64_t r = 0; r < ca_.rack_count; ++r) known.emplace(ca_.rack_name(r), r);
    rack_.assign(at(cb_.rack_count), -1);
    GrowingList fresh = list(d_.added, "racks"), changed = list(d_.refitted, "racks");
    const auto model = [](const Cluster& c, std::int64_t r) -> std::string {
      if (const int g = c.rack_group_of(r); g >= 0) return c.racks[at(g)].model;
      for (const AssemblyGroupModel& a : c.assemblies)
        if (r >= a.first && r < a.first + a.count) return a.model;
      return {};
    };
    for (std::int64_t r = 0; r < cb_.rack_count; ++r) {
      const std::string name = cb_.rack_name(r);
      const auto found = known.find(name);
      if (found == known.end())
        fresh.add([&] { return ObjectChange{"rack/" + name, "", model(cb_, r)}; });
      else if (rack_[at(r)] = found->second; model(ca_, found->second) != model(cb_, r))
        changed.add([&] { return ObjectChange{"rack/" + name, model(ca_, found->second), model(cb_, r)}; });
    }
    floor();
    rack_back_ = turned(rack_, ca_.rack_count);
    GrowingList gone = list(d_.removed, "racks");
    for (std::int64_t r = 0; r < ca_.rack_count; ++r)
      if (rack_back_[at(r)] < 0) gone.add([&] { return ObjectChange{"rack/" + ca_.rack_name(r), model(ca_, r), ""}; });
  }

  // Racks that stand elsewhere. Rows are filled in the order of the spec: a group that grows pushes those behind it to
  // other rows.
  struct Row {
    std::string name;
    std::int64_t first = 0, count = 0;
    double depth = 0;
  };  // of a group; depth: from its first row to its last
  static std::vector<Row> rows_of(const Plan& p) {
    std::vector<Row> rows;
    const auto add = [&](const auto& groups, std::string_view what) {
      for (const auto& g : groups) {
        Row row{format("{} '{}'", what, g.name), g.first, g.count, 0};
        if (g.count > 0 && at(g.first + g.count - 1) < p.racks.size())
          row.depth = p.racks[at(g.first + g.count - 1)].y - p.racks[at(g.first)].y;
        rows.push_back(std::move(row));
      }
    };
    add(p.cluster->racks, "racks");
    add(p.cluster->assemblies, "assemblies");
    return rows;
  }
  void floor() {
    const std::vector<Row> before = rows_of(a_), after = rows_of(b_);
    std::string reason;  // the first group that takes another number of rows, or is new or gone
    const auto known = [](const std::vector<Row>& rows, const Row& r) {
      return std::ranges::find(rows, r.name, &Row::name);
    };
    for (const Row& is : after) {
      const auto was = known(before, is);
      GrowingList moved = list(d_.moved, format("{} on the floor{}", is.name,
                                                reason.empty() ? std::string(", whose rows are arranged differently")
                                                               : ", because " + reason));
      for (std::int64_t r = is.first; r < is.first + is.count && at(r) < b_.racks.size(); ++r) {
        if (rack_[at(r)] < 0 || at(rack_[at(r)]) >= a_.racks.size()) continue;
        const RackPlan &then = a_.racks[at(rack_[at(r)])], &now = b_.racks[at(r)];
        if (then.x == now.x && then.y == now.y) continue;
        d_.floor_moves = true;
        moved.add([&] { return ObjectChange{"rack/" + cb_.rack_name(r), spot_text(then), spot_text(now)}; });
      }
      if (!reason.empty()) continue;
      if (was == before.end())
        reason = is.name + " before them are new";
      else if (std::abs(was->depth - is.depth) > 1e-3)
        reason = format("{} before them {} rows", is.name, is.depth > was->depth ? "take more" : "take fewer");
      for (const Row& gone : before)
        if (reason.empty() && gone.first < was->first && known(after, gone) == after.end())
          reason = gone.name + " before them are gone";
    }
  }
  static std::string spot_text(const RackPlan& r) {
    return format("{:.3g} m along row, {:.3g} m across", static_cast<double>(r.x), static_cast<double>(r.y));
  }

  // What a server is made of, as far as people would have to open it.
  static std::string fitting(const ServerModel& s) {
    std::string out = s.id;
    if (s.gpu_count) out += format(", {} x {}", s.gpu_count, s.gpu_model);
    if (s.cpu_count) out += format(", {} x {}", s.cpu_count, s.cpu_model);
    if (s.memory) out += ", " + to_text(*s.memory);
    for (const NicSet& n : s.nics) out += format(", {} x {}", n.count, n.model);
    return out;
  }

  void nodes() {
    node_.assign(at(cb_.node_count), -1);
    for (const NodeGroupModel& g : cb_.nodes) {
      const int old = ca_.find_node_group(g.name);
      GrowingList fresh = list(d_.added, format("nodes of '{}'", g.name)), changed = list(d_.refitted, fresh.what),
                  moved = list(d_.moved, fresh.what);
      const NodeGroupModel* was = old < 0 ? nullptr : &ca_.nodes[at(old)];
      const std::string is_made = fitting(g.server), was_made = was ? fitting(was->server) : std::string();
      const bool same_names = was && was->names.text() == g.names.text();
      for (std::int64_t i = 0; i < g.count; ++i) {
        const std::int64_t node = g.first + i;
        std::int64_t j = same_names ? i : was ? was->names.index_of(g.names.name(i)) : -1;
        if (j < 0) {
          fresh.add([&] { return ObjectChange{b_.node_object(node), "", g.server.id}; });
          continue;
        }
        j += was->first;
        node_[at(node)] = j;
        if (was_made != is_made) changed.add([&] { return ObjectChange{b_.node_object(node), was_made, is_made}; });
        const auto spot = [](const Plan& p, std::int64_t n) {
          return std::pair<std::int64_t, std::int64_t>(at(n) < p.node_rack.size() ? p.node_rack[at(n)] : -1,
                                                       at(n) < p.node_unit.size() ? p.node_unit[at(n)] : 0);
        };
        const auto [ra, ua] = spot(a_, j);
        const auto [rb, ub] = spot(b_, node);
        if (ra != rb || ua != ub || (rb >= 0 && rack_[at(rb)] != ra))
          place(moved, b_.node_object(node), ra, ua, rb, ub);
      }
    }
    node_back_ = turned(node_, ca_.node_count);
    for (const NodeGroupModel& g : ca_.nodes) {
      GrowingList gone = list(d_.removed, format("nodes of '{}'", g.name));
      for (std::int64_t n = g.first; n < g.first + g.count; ++n)
        if (node_back_[at(n)] < 0) gone.add([&] { return ObjectChange{a_.node_object(n), g.server.id, ""}; });
    }
  }

  static std::int64_t switch_total(const Plan& p) {
    std::int64_t n = 0;
    for (const Fabric& f : p.fabrics) n += f.switch_count();
    return n;
  }
  template <class Take>
  static void each_switch(const Plan& p, Take&& take) {
    for (std::size_t f = 0; f < p.fabrics.size(); ++f)
      for (std::size_t t = 0; t < p.fabrics[f].tiers.size(); ++t)
        for (std::int64_t i = 0; i < p.fabrics[f].tiers[t].count; ++i) {
          const SwitchRef ref{static_cast<int>(t), i};
          take(static_cast<int>(f), ref, p.switch_number(static_cast<int>(f), ref));
        }
  }

  void switches() {
    struct Known {
      std::int64_t number;
      const std::string* model;
    };
    std::unordered_map<std::string, Known> known;
    each_switch(a_, [&](int f, SwitchRef r, std::int64_t n) {
      known.emplace(a_.switch_name(f, r), Known{n, &a_.fabrics[at(f)].tiers[at(r.tier)].model});
    });
    switch_.assign(at(switch_total(b_)), -1);
    const auto spot = [](const Plan& p, std::int64_t n) {
      return std::pair<std::int64_t, std::int64_t>(at(n) < p.switch_rack.size() ? p.switch_rack[at(n)] : -1,
                                                   at(n) < p.switch_unit.size() ? p.switch_unit[at(n)] : 0);
    };
    std::vector<GrowingList> fresh, changed, moved;
    for (const Fabric& f : b_.fabrics) {
      const std::string what = format("switches of network '{}'", f.name);
      fresh.push_back(list(d_.added, what));
      changed.push_back(list(d_.refitted, what));
      moved.push_back(list(d_.moved, what));
    }
    each_switch(b_, [&](int f, SwitchRef r, std::int64_t n) {
      const std::string name = b_.switch_name(f, r);
      const std::string& model = b_.fabrics[at(f)].tiers[at(r.tier)].model;
      const auto found = known.find(name);
      if (found == known.end()) return fresh[at(f)].add([&] { return ObjectChange{name, "", model}; });
      switch_[at(n)] = found->second.number;
      if (*found->second.model != model)
        changed[at(f)].add([&] { return ObjectChange{name, *found->second.model, model}; });
      const auto [ra, ua] = spot(a_, found->second.number);
      const auto [rb, ub] = spot(b_, n);
      place(moved[at(f)], name, ra, ua, rb, ub);
    });
    switch_back_ = turned(switch_, switch_total(a_));
    std::vector<GrowingList> gone;
    for (const Fabric& f : a_.fabrics) gone.push_back(list(d_.removed, format("switches of network '{}'", f.name)));
    each_switch(a_, [&](int f, SwitchRef r, std::int64_t n) {
      if (switch_back_[at(n)] < 0)
        gone[at(f)].add([&] {
          return ObjectChange{a_.switch_name(f, r), a_.fabrics[at(f)].tiers[at(r.tier)].model, ""};
        });
    });
  }

  static std::map<std::pair<int, std::int64_t>, std::pair<std::int64_t, std::int64_t>> storage_spots(const Plan& p) {
    std::map<std::pair<int, std::int64_t>, std::pair<std::int64_t, std::int64_t>> spots;
    for (std::size_t r = 0; r < p.racks.size(); ++r)
      for (const RackedDevice& d : p.racks[r].devices)
        if (d.kind == DeviceKind::storage) spots[{d.group, d.index}] = {static_cast<std::int64_t>(r), d.unit};
    return spots;
  }
  static int find_storage(const Cluster& c, std::string_view name) {
    for (std::size_t i = 0; i < c.storage.size(); ++i)
      if (c.storage[i].name == name) return static_cast<int>(i);
    return -1;
  }
  static std::int64_t bought(const StorageModel& s) { return s.part && s.nodes < 0 ? s.count : 0; }

  void storage() {
    const auto before = storage_spots(a_), after = storage_spots(b_);
    const auto spot = [](const auto& spots, int s, std::int64_t i) {
      const auto found = spots.find({s, i});
      return found == spots.end() ? std::pair<std::int64_t, std::int64_t>(-1, 0) : found->second;
    };
    for (std::size_t s = 0; s < cb_.storage.size(); ++s) {
      const StorageModel& is = cb_.storage[s];
      const int old = find_storage(ca_, is.name);
      const StorageModel* was = old < 0 ? nullptr : &ca_.storage[at(old)];
      const std::string what = format("systems of storage '{}'", is.name);
      GrowingList fresh = list(d_.added, what), changed = list(d_.refitted, what), moved = list(d_.moved, what);
      for (std::int64_t i = 0; i < bought(is); ++i) {
        const std::string name = format("storage/{}/{}", is.name, i + 1);
        if (!was || i >= bought(*was)) {
          fresh.add([&] { return ObjectChange{name, "", is.model}; });
          continue;
        }
        if (was->model != is.model) changed.add([&] { return ObjectChange{name, was->model, is.model}; });
        const auto [ra, ua] = spot(before, old, i);
        const auto [rb, ub] = spot(after, static_cast<int>(s), i);
        place(moved, name, ra, ua, rb, ub);
      }
    }
    for (const StorageModel& was : ca_.storage) {
      const int now = find_storage(cb_, was.name);
      GrowingList gone = list(d_.removed, format("systems of storage '{}'", was.name));
      for (std::int64_t i = now < 0 ? 0 : bought(cb_.storage[at(now)]); i < bought(was); ++i)
        gone.add([&] { return ObjectChange{format("storage/{}/{}", was.name, i + 1), was.model, ""}; });
    }
  }

  static std::string pdu_text(const Cluster& c, const PduModel& p) {
    std::string out = p.model;
    if (p.feed >= 0) out += " on feed " + c.feeds[at(p.feed)].name;
    if (p.panel >= 0) out += " through " + c.panels[at(p.panel)].name;
    return out;
  }
  void pdus() {
    for (const RackGroupModel& g : cb_.racks) {
      GrowingList changed = list(d_.repowered, format("PDUs of racks '{}'", g.name));
      for (std::int64_t r = g.first; r < g.first + g.count; ++r) {
        const int old = rack_[at(r)] < 0 ? -1 : ca_.rack_group_of(rack_[at(r)]);
        if (old < 0) continue;
        const RackGroupModel& was = ca_.racks[at(old)];
        for (std::size_t p = 0; p < std::max(g.pdus.size(), was.pdus.size()); ++p) {
          std::string before = p < was.pdus.size() ? pdu_text(ca_, was.pdus[p]) : std::string(),
                      after = p < g.pdus.size() ? pdu_text(cb_, g.pdus[p]) : std::string();
          if (before == after) continue;
          changed.add([&] {
            return ObjectChange{format("pdu/{}/{}", cb_.rack_name(r), static_cast<char>('a' + p)), before, after};
          });
        }
      }
    }
  }

  void addresses() {
    const auto text = [](std::uint32_t address) { return address ? ipv4_text(address) : std::string("none"); };
    for (std::size_t n = 0; n < cb_.networks.size(); ++n) {
      const NetworkModel& is = cb_.networks[n];
      const int old = ca_.find_network(is.name);
      if (old < 0) continue;
      const AddressPlan *now = b_.addresses_of(static_cast<int>(n)), *then = a_.addresses_of(old);
      if (!now || !then) continue;
      GrowingList changed = list(d_.renumbered, format("network '{}'", is.name));
      if (now->subnet.text() != then->subnet.text())
        changed.add([&] { return ObjectChange{"subnet", then->subnet.text(), now->subnet.text()}; });
      if (now->gateway != then->gateway)
        changed.add([&] { return ObjectChange{"gateway", text(then->gateway), text(now->gateway)}; });
      for (std::size_t e = 0; e < is.ends.size() && e < now->first.size(); ++e) {
        const EndPoints& ends = is.ends[e];
        if (ends.group < 0) continue;
        const NodeGroupModel& g = cb_.nodes[at(ends.group)];
        for (std::int64_t i = 0; i < ends.members; ++i) {
          const std::int64_t node = g.first + i, before = node_[at(node)];
          if (before < 0) continue;
          const std::uint32_t was = a_.node_address(old, before), address = b_.node_address(static_cast<int>(n), node);
          if (was != address) changed.add([&] { return ObjectChange{b_.node_object(node), text(was), text(address)}; });
        }
      }
    }
    if (cb_.first_network_carrying(Traffic::oob) < 0 || ca_.first_network_carrying(Traffic::oob) < 0) return;
    GrowingList changed = list(d_.renumbered, "management addresses of switches");
    each_switch(b_, [&](int f, SwitchRef r, std::int64_t n) {
      const std::int64_t before = switch_[at(n)];
      if (before < 0) return;
      std::size_t of = 0;
      while (of + 1 < a_.fabrics.size() && (before < a_.fabrics[of].first_switch ||
                                            before >= a_.fabrics[of].first_switch + a_.fabrics[of].switch_count()))
        ++of;
      const std::uint32_t was = a_.switch_address(
                              static_cast<int>(of),
                              a_.switch_ref(static_cast<int>(of), before - a_.fabrics[of].first_switch)),
                          address = b_.switch_address(f, r);
      if (was != address) changed.add([&] { return ObjectChange{b_.switch_name(f, r), text(was), text(address)}; });
    });
  }

  const Plan &a_, &b_;
  const Cluster &ca_, &cb_;
  std::size_t keep_;
  PlanDiff d_;
  NumberMap rack_, rack_back_, node_, node_back_, switch_, switch_back_;
};

}  // namespace

bool PlanDiff::empty() const {
  if (!parts.empty()) return false;
  for (const auto* lists : {&added, &removed, &refitted, &moved, &repowered, &cables_added, &cables_removed,
                            &cables_moved, &cables_replaced, &renumbered})
    if (!lists->empty()) return false;
  return true;
}

PlanDiff diff_plans(const Plan& before, const Plan& after, std::size_t keep) {
  return Differ(before, after, keep).all();
}

}  // namespace clusterc
