#include "plan/diff_cables.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "base/format.h"
#include "base/index.h"
#include "plan/fabric/cabling.h"

namespace clusterc {
namespace {

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

// Cables join ports, so each is known by its ends: at a member of a block (a node, a PDU, a leaf of another network) or
// at the lower switch of two.
class CableDiffer {
 public:
  CableDiffer(const DiffedDevices& devices, std::size_t keep, PlanDiff& diff)
      : same_(devices),
        a_(devices.before),
        b_(devices.after),
        ca_(*a_.cluster),
        cb_(*b_.cluster),
        keep_(keep),
        d_(diff),
        links_a_(a_),
        links_b_(b_),
        ta_(a_, links_a_, runs_),
        tb_(b_, links_b_, runs_) {}

  void all() {
    std::map<std::string, int, std::less<>> old_fabrics;
    for (std::size_t f = 0; f < a_.fabrics.size(); ++f) old_fabrics.emplace(a_.fabrics[f].name, static_cast<int>(f));
    std::vector<bool> seen(a_.fabrics.size(), false);
    for (std::size_t f = 0; f < b_.fabrics.size(); ++f) {
      const auto found = old_fabrics.find(b_.fabrics[f].name);
      const int old = found == old_fabrics.end() ? -1 : found->second;
      if (old >= 0) seen[at(old)] = true;
      fabric(f, old);
    }
    for (std::size_t f = 0; f < a_.fabrics.size(); ++f) {
      if (seen[f]) continue;
      GrowingList gone = list(d_.cables_removed, a_.fabrics[f].name);
      lost_members(static_cast<int>(f), none_kept(f), gone);
      lost_switches(a_.fabrics[f], false, gone);
    }
  }

 private:
  struct Lists {
    GrowingList fresh, gone, moved, replaced;
  };
  using Kept = std::vector<std::vector<bool>>;  // by block of the old fabric and end in it: the new one has it, too

  GrowingList list(std::vector<ChangeList>& to, const std::string& network) {
    return {keep_, to, format("network '{}'", network)};
  }
  Kept none_kept(std::size_t fabric) const {
    Kept kept(ta_.blocks[fabric].size());
    for (std::size_t k = 0; k < kept.size(); ++k) kept[k].assign(ta_.blocks[fabric][k].ends.size(), false);
    return kept;
  }
  std::string far_of(const Plan& p, const LinkEnd& e) const {
    return e.far == kMember ? runs_.text(e.far_port) : switch_port(p, e.far, e.far_port);
  }
  template <class Name>
  void compare(const LinkEnd& was, const LinkEnd& is, Lists& lists, const Name& name) {
    if (was.far < 0 || is.far < 0) return;
    if ((is.far == kMember ? is.far : same_.switch_[at(is.far)]) != was.far || was.far_port != is.far_port)
      lists.moved.add([&] { return ObjectChange{name(), far_of(a_, was), far_of(b_, is)}; });
    else if (was.run != is.run)
      lists.replaced.add([&] { return ObjectChange{name(), runs_.text(was.run), runs_.text(is.run)}; });
  }

  // `old`: its number in the old plan, or -1.
  void fabric(std::size_t f, int old) {
    const Fabric& is = b_.fabrics[f];
    Lists lists{list(d_.cables_added, is.name), list(d_.cables_removed, is.name), list(d_.cables_moved, is.name),
                list(d_.cables_replaced, is.name)};
    std::map<std::string, int> old_blocks;
    if (old >= 0)
      for (std::size_t k = 0; k < a_.fabrics[at(old)].blocks.size(); ++k)
        old_blocks.emplace(block_key(a_, a_.fabrics[at(old)].blocks[k]), static_cast<int>(k));
    Kept kept = old < 0 ? Kept() : none_kept(at(old));
    for (std::size_t k = 0; k < is.blocks.size(); ++k) {
      const auto same = old_blocks.find(block_key(b_, is.blocks[k]));
      block(f, k, old, same == old_blocks.end() ? -1 : same->second, kept, lists);
    }
    if (old >= 0) lost_members(old, kept, lists.gone);
    for (std::int64_t s = is.first_switch; s < is.first_switch + is.switch_count(); ++s) uplinks(s, lists);
    if (old >= 0) lost_switches(a_.fabrics[at(old)], true, lists.gone);
  }

  // `before`: the block of the old fabric that is the same, or -1.
  void block(std::size_t f, std::size_t k, int old, int before, Kept& kept, Lists& lists) {
    const FabricBlock& is = b_.fabrics[f].blocks[k];
    const LinkTable::Block& block = tb_.blocks[f][k];
    for (std::int64_t m = 0; m < block.members; ++m) {
      const std::int64_t j = before < 0 ? -1 : old_member(is, a_.fabrics[at(old)].blocks[at(before)], m);
      for (std::int64_t p = 0; p < block.ports; ++p) {
        const LinkEnd& end = block.ends[at(m * block.ports + p)];
        if (end.far < 0) continue;
        const auto name = [&] { return cable_name(links_b_, static_cast<int>(f), static_cast<int>(k), m, p); };
        const LinkTable::Block* was = before < 0 ? nullptr : &ta_.blocks[at(old)][at(before)];
        const bool there = was && j >= 0 && p < was->ports && was->ends[at(j * was->ports + p)].far >= 0;
        if (!there) {
          lists.fresh.add([&] { return ObjectChange{name(), "", far_of(b_, end) + ", " + runs_.text(end.run)}; });
          continue;
        }
        kept[at(before)][at(j * was->ports + p)] = true;
        compare(was->ends[at(j * was->ports + p)], end, lists, name);
      }
    }
  }

  void lost_members(int old, const Kept& kept, GrowingList& gone) {
    for (std::size_t k = 0; k < kept.size(); ++k)
      for (std::size_t i = 0; i < kept[k].size(); ++i)
        if (const LinkTable::Block& was = ta_.blocks[at(old)][k]; !kept[k][i] && was.ends[i].far >= 0) {
          const auto place = static_cast<std::int64_t>(i);
          gone.add([&] {
            return ObjectChange{cable_name(links_a_, old, static_cast<int>(k), place / was.ports, place % was.ports),
                                far_of(a_, was.ends[i]) + ", " + runs_.text(was.ends[i].run), ""};
          });
        }
  }

  ObjectChange lost_uplink(std::int64_t number, const LinkTable::Up& up) const {
    return {"cable/" + switch_port(a_, number, up.near_port), switch_port(a_, up.end.far, up.end.far_port), ""};
  }
  // Between switches: by switch and port of the lower one, `s`.
  void uplinks(std::int64_t s, Lists& lists) {
    const std::int64_t was = same_.switch_[at(s)];
    static const std::vector<LinkTable::Up> kNone;
    const auto& before = was < 0 ? kNone : ta_.ups[at(was)];
    std::size_t i = 0;
    for (const LinkTable::Up& up : tb_.ups[at(s)]) {
      const auto name = [&] { return "cable/" + switch_port(b_, s, up.near_port); };
      for (; i < before.size() && before[i].near_port < up.near_port; ++i)
        lists.gone.add([&] { return lost_uplink(was, before[i]); });
      if (i < before.size() && before[i].near_port == up.near_port)
        compare(before[i++].end, up.end, lists, name);
      else
        lists.fresh.add([&] {
          return ObjectChange{name(), "", switch_port(b_, up.end.far, up.end.far_port) + ", " + runs_.text(up.end.run)};
        });
    }
    for (; i < before.size(); ++i) lists.gone.add([&] { return lost_uplink(was, before[i]); });
  }
  // Uplinks of switches that are gone. `gone_only`: the fabric is there still, and so are some of its switches.
  void lost_switches(const Fabric& was, bool gone_only, GrowingList& gone) {
    for (std::int64_t s = was.first_switch; s < was.first_switch + was.switch_count(); ++s)
      if (!gone_only || same_.switch_back[at(s)] < 0)
        for (const LinkTable::Up& up : ta_.ups[at(s)]) gone.add([&] { return lost_uplink(s, up); });
  }

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
        const std::int64_t node = same_.node[at(cb_.nodes[at(e.group)].first + member)];
        const EndPoints& old = ca_.networks[at(was.network)].ends[at(was.end)];
        if (node < 0 || old.group < 0) return -1;
        const std::int64_t i = node - ca_.nodes[at(old.group)].first;
        return i < was.members ? i : -1;
      }
      case FabricBlock::What::switches: {
        const Fabric& f = b_.fabrics[at(is.of)];
        const std::int64_t old = same_.switch_[at(f.first_switch + member)],
                           first = a_.fabrics[at(was.of)].first_switch;
        return old >= first && old < first + was.members ? old - first : -1;
      }
      case FabricBlock::What::pdus: {
        const PduLoad& pdu = b_.pdus[at(member)];
        const std::int64_t rack = same_.rack[at(pdu.rack)];
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

  const DiffedDevices& same_;
  const Plan &a_, &b_;
  const Cluster &ca_, &cb_;
  std::size_t keep_;
  PlanDiff& d_;
  RunNames runs_;
  Links links_a_, links_b_;
  LinkTable ta_, tb_;
};

}  // namespace

void diff_cables(const DiffedDevices& devices, std::size_t keep, PlanDiff& diff) {
  CableDiffer(devices, keep, diff).all();
}

}  // namespace clusterc
