#include "plan/diff.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/format.h"
#include "base/index.h"
#include "plan/cost/accessories.h"
#include "plan/cost/cost.h"
#include "plan/equipment.h"
#include "plan/fabric/cabling.h"
#include "spec/network.h"
#include "spec/prices.h"

namespace clusterc {
namespace {

using Map = std::vector<std::int64_t>;  // of something of the new plan: its number in the old one, -1: there is none

// The other way round.
Map turned(const Map& map, std::int64_t count) {
  Map out(at(count), -1);
  for (std::size_t i = 0; i < map.size(); ++i)
    if (map[i] >= 0) out[at(map[i])] = static_cast<std::int64_t>(i);
  return out;
}

// Links of one plan as numbers: by fabric, block, member and port; and by switch and uplink. What joins two ports is a
// number that is the same in both plans for the same parts and length.
struct LinkEnd {
  std::int32_t far = -1, far_port = -1, run = -1;  // far: kMember where no switch is there; far_port is its name then
};
constexpr std::int32_t kMember = std::numeric_limits<std::int32_t>::max();
class RunNames {
 public:
  std::int32_t of(const Plan* plan, const Cabling::Run& run) {
    const Key key{plan, run.cable, run.length.value, run.near_module, run.far_module};
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    std::string text = run.cable ? run.cable->id : "no part that fits";
    if (run.length.value > 0) text += " " + to_text(run.length);
    if (run.near_module)
      text += format(" with {} and {}", run.near_module->id, run.far_module ? run.far_module->id : "nothing");
    return known_[key] = of(text);
  }
  std::int32_t of(const std::string& text) {
    const auto [found, fresh] = by_text_.try_emplace(text, static_cast<std::int32_t>(texts_.size()));
    if (fresh) texts_.push_back(text);
    return found->second;
  }
  const std::string& text(std::int32_t run) const { return texts_[at(run)]; }

 private:
  using Key = std::tuple<const Plan*, const CableModel*, double, const CableModel*, const CableModel*>;
  std::map<Key, std::int32_t> known_;
  std::map<std::string, std::int32_t> by_text_;
  std::vector<std::string> texts_;
};

struct LinkTable {
  struct Block {
    std::int64_t members = 0, ports = 0;
    std::vector<LinkEnd> ends;
  };
  struct Up {
    LinkEnd end;
    std::int32_t near_port = -1;
  };
  std::vector<std::vector<Block>> blocks;  // by fabric, block
  std::vector<std::vector<Up>> ups;        // by switch number over all fabrics

  LinkTable(const Plan& plan, const Links& links, RunNames& names) {
    std::int64_t switches = 0;
    for (const Fabric& f : plan.fabrics) switches += f.switch_count();
    ups.resize(at(switches));
    blocks.resize(plan.fabrics.size());
    const Cabling& cabling = plan.cabling();
    for (std::size_t f = 0; f < plan.fabrics.size(); ++f) {
      for (const FabricBlock& b : plan.fabrics[f].blocks) {
        const bool uplinks = b.what == FabricBlock::What::uplinks;
        blocks[f].push_back({.members = uplinks ? 0 : b.members,
                             .ports = b.ports_each,
                             .ends = std::vector<LinkEnd>(uplinks ? 0 : at(b.members * b.ports_each))});
      }
      links.each(static_cast<int>(f), [&](const PluggedLink& l) {
        LinkEnd end{static_cast<std::int32_t>(plan.switch_number(l.far_fabric, l.far)),
                    static_cast<std::int32_t>(l.far_port), names.of(&plan, cabling.run(l))};
        if (l.far_block >= 0) {
          CableEnd far;
          links.far_end(l, far);
          end.far = kMember;
          end.far_port = names.of(far.object + "/" + far.port);
        }
        if (l.block >= 0)
          blocks[f][at(l.block)].ends[at(l.member * blocks[f][at(l.block)].ports + l.port)] = end;
        else
          ups[at(plan.switch_number(l.fabric, l.near))].push_back({end, static_cast<std::int32_t>(l.near_port)});
        return true;
      });
    }
  }
};

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
    cables();
    addresses();
    return std::move(d_);
  }

 private:
  // A list that is made when it has something in it.
  struct List {
    Differ& differ;
    std::vector<ChangeList>& to;
    std::string what;
    std::ptrdiff_t place = -1;
    template <class Make>
    void add(Make&& make) {
      if (place < 0) {
        place = static_cast<std::ptrdiff_t>(to.size());
        to.push_back({what, 0, {}});
      }
      ChangeList& list = to[static_cast<std::size_t>(place)];
      ++list.count;
      if (list.items.size() < differ.keep_) list.items.push_back(make());
    }
  };
  List list(std::vector<ChangeList>& to, std::string what) { return {*this, to, std::move(what)}; }

  static std::string place_text(const Plan& p, std::int64_t rack, std::int64_t unit) {
    return rack < 0 ? "no place" : format("{} U{}", p.cluster->rack_name(rack), unit);
  }
  void place(List& moved, const std::string& object, std::int64_t rack_a, std::int64_t unit_a, std::int64_t rack_b,
             std::int64_t unit_b) {
    if (rack_a < 0 && rack_b < 0) return;
    if (rack_a >= 0 && rack_b >= 0 && unit_a == unit_b && rack_[at(rack_b)] == rack_a) return;
    moved.add([&] { return ObjectChange{object, place_text(a_, rack_a, unit_a), place_text(b_, rack_b, unit_b)}; });
  }

  void racks() {
    std::unordered_map<std::string, std::int64_t> known;
    for (std::int64_t r = 0; r < ca_.rack_count; ++r) known.emplace(ca_.rack_name(r), r);
    rack_.assign(at(cb_.rack_count), -1);
    List fresh = list(d_.added, "racks"), changed = list(d_.refitted, "racks");
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
    List gone = list(d_.removed, "racks");
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
      List moved = list(d_.moved, format("{} on the floor{}", is.name,
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
      List fresh = list(d_.added, format("nodes of '{}'", g.name)), changed = list(d_.refitted, fresh.what),
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
      List gone = list(d_.removed, format("nodes of '{}'", g.name));
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
    std::vector<List> fresh, changed, moved;
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
    std::vector<List> gone;
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
      List fresh = list(d_.added, what), changed = list(d_.refitted, what), moved = list(d_.moved, what);
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
      List gone = list(d_.removed, format("systems of storage '{}'", was.name));
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
      List changed = list(d_.repowered, format("PDUs of racks '{}'", g.name));
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

  // ---- cables
  // ----------------------------------------------------------------------------------------------------------
  static std::string block_key(const Plan& p, const FabricBlock& b) {
    const Cluster& c = *p.cluster;
    switch (b.what) {
      case FabricBlock::What::ends: {
        const NetworkModel& n = c.networks[at(b.network)];
        const EndPoints& e = n.ends[at(b.end)];
        const std::string set = e.group >= 0 && e.ports >= 0 && at(e.ports) < c.nodes[at(e.group)].server.ports.size()
                                    ? c.nodes[at(e.group)].server.ports[at(e.ports)].name
                                    : std::string("-");
        return format("ends {} {} {} {}", n.name,
                      e.group >= 0     ? "node " + c.nodes[at(e.group)].name
                      : e.storage >= 0 ? "storage " + c.storage[at(e.storage)].name
                                       : std::string("?"),
                      set, e.first_port);
      }
      case FabricBlock::What::switches:
        return "switches " + p.fabrics[at(b.of)].name;
      case FabricBlock::What::pdus:
        return "pdus";
      case FabricBlock::What::shelves:
        return "shelves " + c.assemblies[at(b.of)].name;
      case FabricBlock::What::uplinks:
        return "uplinks";
    }
    return {};
  }
  // The member of the old block that is the same as this member of the new one.
  std::int64_t old_member(const FabricBlock& is, const FabricBlock& was, std::int64_t member) const {
    switch (is.what) {
      case FabricBlock::What::ends: {
        const EndPoints& e = cb_.networks[at(is.network)].ends[at(is.end)];
        if (e.group < 0) return member < was.members ? member : -1;
        const std::int64_t node = node_[at(cb_.nodes[at(e.group)].first + member)];
        const EndPoints& old = ca_.networks[at(was.network)].ends[at(was.end)];
        if (node < 0 || old.group < 0) return -1;
        const std::int64_t i = node - ca_.nodes[at(old.group)].first;
        return i < was.members ? i : -1;
      }
      case FabricBlock::What::switches: {
        const Fabric& f = b_.fabrics[at(is.of)];
        const std::int64_t old = switch_[at(f.first_switch + member)], first = a_.fabrics[at(was.of)].first_switch;
        return old >= first && old < first + was.members ? old - first : -1;
      }
      case FabricBlock::What::pdus: {
        const PduLoad& pdu = b_.pdus[at(member)];
        const std::int64_t rack = rack_[at(pdu.rack)];
        if (rack < 0) return -1;
        const auto found =
            std::lower_bound(a_.pdus.begin(), a_.pdus.end(), std::pair(rack, pdu.pdu),
                             [](const PduLoad& l, const auto& k) { return std::pair(l.rack, l.pdu) < k; });
        return found != a_.pdus.end() && found->rack == rack && found->pdu == pdu.pdu ? found - a_.pdus.begin() : -1;
      }
      case FabricBlock::What::shelves:
        return member < was.members ? member : -1;
      case FabricBlock::What::uplinks:
        break;
    }
    return -1;
  }

  static std::string cable_name(const Links& links, int fabric, int block, std::int64_t member, std::int64_t port) {
    PluggedLink l;
    l.fabric = l.far_fabric = fabric;
    l.block = block;
    l.member = member;
    l.port = port;
    CableEnd end;
    links.near_end(l, end);
    return "cable/" + end.object + "/" + end.port;
  }
  static std::string switch_port(const Plan& p, std::int64_t number, std::int64_t port) {
    for (std::size_t f = 0; f < p.fabrics.size(); ++f) {
      const Fabric& fabric = p.fabrics[f];
      if (number < fabric.first_switch || number >= fabric.first_switch + fabric.switch_count()) continue;
      return format("{}/{}",
                    p.switch_name(static_cast<int>(f), p.switch_ref(static_cast<int>(f), number - fabric.first_switch)),
                    port);
    }
    return "nothing";
  }

  void cables() {
    RunNames runs;
    const Links links_a(a_), links_b(b_);
    const LinkTable ta(a_, links_a, runs), tb(b_, links_b, runs);
    std::map<std::string, int, std::less<>> old_fabrics;
    for (std::size_t f = 0; f < a_.fabrics.size(); ++f) old_fabrics.emplace(a_.fabrics[f].name, static_cast<int>(f));
    std::vector<bool> seen(a_.fabrics.size(), false);
    const auto far_of = [&](const Plan& p, const LinkEnd& e) {
      return e.far == kMember ? runs.text(e.far_port) : switch_port(p, e.far, e.far_port);
    };
    const auto compare = [&](const LinkEnd& was, const LinkEnd& is, List& moved, List& replaced, const auto& name) {
      if (was.far < 0 || is.far < 0) return;
      if ((is.far == kMember ? is.far : switch_[at(is.far)]) != was.far || was.far_port != is.far_port)
        moved.add([&] { return ObjectChange{name(), far_of(a_, was), far_of(b_, is)}; });
      else if (was.run != is.run)
        replaced.add([&] { return ObjectChange{name(), runs.text(was.run), runs.text(is.run)}; });
    };
    for (std::size_t f = 0; f < b_.fabrics.size(); ++f) {
      const Fabric& is = b_.fabrics[f];
      const auto found = old_fabrics.find(is.name);
      const int old = found == old_fabrics.end() ? -1 : found->second;
      const std::string what = format("network '{}'", is.name);
      List fresh = list(d_.cables_added, what), gone = list(d_.cables_removed, what),
           moved = list(d_.cables_moved, what), replaced = list(d_.cables_replaced, what);
      std::map<std::string, int> old_blocks;
      if (old >= 0) {
        seen[at(old)] = true;
        for (std::size_t k = 0; k < a_.fabrics[at(old)].blocks.size(); ++k)
          old_blocks.emplace(block_key(a_, a_.fabrics[at(old)].blocks[k]), static_cast<int>(k));
      }
      std::vector<std::vector<bool>> kept(old < 0 ? 0 : ta.blocks[at(old)].size());
      for (std::size_t k = 0; k < kept.size(); ++k) kept[k].assign(ta.blocks[at(old)][k].ends.size(), false);
      for (std::size_t k = 0; k < is.blocks.size(); ++k) {
        const LinkTable::Block& block = tb.blocks[f][k];
        const auto same = old_blocks.find(block_key(b_, is.blocks[k]));
        const int before = same == old_blocks.end() ? -1 : same->second;
        for (std::int64_t m = 0; m < block.members; ++m) {
          const std::int64_t j = before < 0 ? -1 : old_member(is.blocks[k], a_.fabrics[at(old)].blocks[at(before)], m);
          for (std::int64_t p = 0; p < block.ports; ++p) {
            const LinkEnd& end = block.ends[at(m * block.ports + p)];
            if (end.far < 0) continue;
            const auto name = [&] { return cable_name(links_b, static_cast<int>(f), static_cast<int>(k), m, p); };
            const LinkTable::Block* was = before < 0 ? nullptr : &ta.blocks[at(old)][at(before)];
            const bool there = was && j >= 0 && p < was->ports && was->ends[at(j * was->ports + p)].far >= 0;
            if (!there) {
              fresh.add([&] { return ObjectChange{name(), "", far_of(b_, end) + ", " + runs.text(end.run)}; });
              continue;
            }
            kept[at(before)][at(j * was->ports + p)] = true;
            compare(was->ends[at(j * was->ports + p)], end, moved, replaced, name);
          }
        }
      }
      for (std::size_t k = 0; k < kept.size(); ++k)
        for (std::size_t i = 0; i < kept[k].size(); ++i)
          if (const LinkTable::Block& was = ta.blocks[at(old)][k]; !kept[k][i] && was.ends[i].far >= 0) {
            const auto place = static_cast<std::int64_t>(i);
            gone.add([&] {
              return ObjectChange{cable_name(links_a, old, static_cast<int>(k), place / was.ports, place % was.ports),
                                  far_of(a_, was.ends[i]) + ", " + runs.text(was.ends[i].run), ""};
            });
          }
      // Between switches: by switch and port of the lower one.
      for (std::int64_t s = is.first_switch; s < is.first_switch + is.switch_count(); ++s) {
        const std::int64_t was = switch_[at(s)];
        const auto& ups = tb.ups[at(s)];
        static const std::vector<LinkTable::Up> kNone;
        const auto& before = was < 0 ? kNone : ta.ups[at(was)];
        std::size_t i = 0;
        for (const LinkTable::Up& up : ups) {
          const auto name = [&] { return "cable/" + switch_port(b_, s, up.near_port); };
          for (; i < before.size() && before[i].near_port < up.near_port; ++i)
            gone.add([&] {
              return ObjectChange{"cable/" + switch_port(a_, was, before[i].near_port),
                                  switch_port(a_, before[i].end.far, before[i].end.far_port), ""};
            });
          if (i < before.size() && before[i].near_port == up.near_port)
            compare(before[i++].end, up.end, moved, replaced, name);
          else
            fresh.add([&] {
              return ObjectChange{name(), "",
                                  switch_port(b_, up.end.far, up.end.far_port) + ", " + runs.text(up.end.run)};
            });
        }
        for (; i < before.size(); ++i)
          gone.add([&] {
            return ObjectChange{"cable/" + switch_port(a_, was, before[i].near_port),
                                switch_port(a_, before[i].end.far, before[i].end.far_port), ""};
          });
      }
      if (old < 0) continue;
      const Fabric& was = a_.fabrics[at(old)];
      for (std::int64_t s = was.first_switch; s < was.first_switch + was.switch_count(); ++s)
        if (switch_back_[at(s)] < 0)
          for (const LinkTable::Up& up : ta.ups[at(s)])
            gone.add([&] {
              return ObjectChange{"cable/" + switch_port(a_, s, up.near_port),
                                  switch_port(a_, up.end.far, up.end.far_port), ""};
            });
    }
    for (std::size_t f = 0; f < a_.fabrics.size(); ++f) {
      if (seen[f]) continue;
      List gone = list(d_.cables_removed, format("network '{}'", a_.fabrics[f].name));
      for (std::size_t k = 0; k < ta.blocks[f].size(); ++k) {
        const LinkTable::Block& was = ta.blocks[f][k];
        for (std::int64_t m = 0; m < was.members; ++m)
          for (std::int64_t p = 0; p < was.ports; ++p)
            if (const LinkEnd& end = was.ends[at(m * was.ports + p)]; end.far >= 0)
              gone.add([&] {
                return ObjectChange{cable_name(links_a, static_cast<int>(f), static_cast<int>(k), m, p),
                                    far_of(a_, end) + ", " + runs.text(end.run), ""};
              });
      }
      const Fabric& was = a_.fabrics[f];
      for (std::int64_t s = was.first_switch; s < was.first_switch + was.switch_count(); ++s)
        for (const LinkTable::Up& up : ta.ups[at(s)])
          gone.add([&] {
            return ObjectChange{"cable/" + switch_port(a_, s, up.near_port),
                                switch_port(a_, up.end.far, up.end.far_port), ""};
          });
    }
  }

  // ---- addresses
  // -------------------------------------------------------------------------------------------------------
  void addresses() {
    const auto text = [](std::uint32_t address) { return address ? ipv4_text(address) : std::string("none"); };
    for (std::size_t n = 0; n < cb_.networks.size(); ++n) {
      const NetworkModel& is = cb_.networks[n];
      const int old = ca_.find_network(is.name);
      if (old < 0) continue;
      const AddressPlan *now = b_.addresses_of(static_cast<int>(n)), *then = a_.addresses_of(old);
      if (!now || !then) continue;
      List changed = list(d_.renumbered, format("network '{}'", is.name));
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
    List changed = list(d_.renumbered, "management addresses of switches");
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
  Map rack_, rack_back_, node_, node_back_, switch_, switch_back_;
};

}  // namespace

bool PlanDiff::empty() const {
  if (!parts.empty()) return false;
  for (const auto* lists : {&added, &removed, &refitted, &moved, &repowered, &cables_added, &cables_removed,
                            &cables_moved, &cables_replaced, &renumbered})
    if (!lists->empty()) return false;
  return true;
}

std::vector<BillRow> bill_by_part(const Plan& plan, RacksBought racks) {
  std::map<std::tuple<std::string, std::string, double>, std::size_t> known;
  std::vector<BillRow> rows;
  for (BillRow& r : bill_rows(plan, racks)) {
    if (r.put_in || r.kind == "cable" || r.kind == "module" || r.kind == "fibre" || r.kind == "server") r.what = r.kind;
    const auto [at, fresh] = known.try_emplace({r.part, r.what, r.length.value}, rows.size());
    if (fresh) {
      rows.push_back(std::move(r));
      continue;
    }
    rows[at->second].count += r.count;
    rows[at->second].spares += r.spares;
  }
  return rows;
}

void diff_accessories(const Plan* before, const Plan& after, std::vector<PartChange>& parts) {
  const std::vector<Accessory> small = accessories_of(after),
                               small_before = before ? accessories_of(*before) : std::vector<Accessory>();
  const auto count_in = [](const std::vector<Accessory>& list, const Accessory& a) {
    const auto at = std::ranges::find_if(list, [&](const Accessory& b) {
      return std::tie(b.part, b.what, b.length.value) == std::tie(a.part, a.what, a.length.value);
    });
    return at == list.end() ? 0 : at->count;
  };
  const auto changed = [&](const Accessory& a, std::int64_t was, std::int64_t is) {
    if (was != is)
      parts.push_back({.part = a.part,
                       .what = a.what,
                       .kind = "accessory",
                       .length = a.length,
                       .before = was,
                       .after = is,
                       .accessory = true});
  };
  for (const Accessory& a : small) changed(a, count_in(small_before, a), a.count);
  for (const Accessory& a : small_before)
    if (count_in(small, a) == 0) changed(a, a.count, 0);
}

std::vector<PartChange> diff_bills(const Plan& before, const Plan& after) {
  const std::vector<BillRow> old = bill_by_part(before), now = bill_by_part(after);
  const auto count_in = [](const std::vector<BillRow>& rows, const BillRow& r) {
    const auto at = std::ranges::find_if(rows, [&](const BillRow& o) {
      return o.part == r.part && o.what == r.what && o.length.value == r.length.value;
    });
    return at == rows.end() ? 0 : at->count + at->spares;
  };
  std::vector<PartChange> parts;
  for (const BillRow& r : now)
    if (const std::int64_t was = count_in(old, r), is = r.count + r.spares; was != is)
      parts.push_back({r.part, r.what, r.kind, r.length, was, is});
  for (const BillRow& r : old)
    if (count_in(now, r) == 0) parts.push_back({r.part, r.what, r.kind, r.length, r.count + r.spares, 0});
  diff_accessories(&before, after, parts);
  return parts;
}

PlanDiff diff_plans(const Plan& before, const Plan& after, std::size_t keep) {
  return Differ(before, after, keep).all();
}

}  // namespace clusterc
