// Addresses of a subnet.
//
// Who gets addresses: the network's groups in the order of the spec, and on an out-of-band network the switches of each
// fabric, the PDUs and the shelves and trays of assemblies; on a routed network its own switches (loopbacks,
// plan/fabric/bgp.h). A member of a bond has one address, else one for each port, side by side; where leaves route each
// takes two, an even one for the leaf's end of the link and the odd one behind it (model/routed.h). The first of three
// schemes in which all fit (docs/names.md):
//   slots    the subnet is cut into 16 equal slots (8, 4, 2 where somebody needs more; 32 to 256 where there are more
//   than 15). Slot 0 is left for
//            gateway and services, groups take slots 1, 2, …, equipment takes them from the last one down. Nobody's
//            addresses move when another grows.
//   blocks   each takes a block of the least power of two that holds it, aligned to its size, in order: nobody moves
//   until somebody outgrows a block. packed   one after another, each member at a multiple of its addresses while that
//   fits.
// Nobody gets the gateway's address, nor one of a host outside that the spec names.
// In slots and blocks member i (from 0) has the (i+1)-th place, so that gpu001 of 10.10.0.0/16 is 10.10.16.1.
#include "plan/fabric/addresses.h"

#include <algorithm>
#include <bit>

#include "model/group_ends.h"
#include "model/named_hosts.h"
#include "model/routed.h"
#include "plan/fabric/bgp.h"
#include "spec/network.h"

namespace clusterc {
namespace {

struct Wish {
  std::uint64_t members = 0, stride = 1;
  std::uint64_t unit = 1;  // its start is a multiple of it
  bool equipment = false;
  std::uint64_t start = 0;  // offset of member 0 in the subnet
  std::uint64_t places() const {
    return (members + 1) * stride + 1;
  }  // the place before the first, and one kept free at the end (broadcast)
};

// The first of these offsets that lies among a wish's own, ascending; 0: none.
std::uint64_t first_hit(const Wish& w, const std::vector<std::uint64_t>& taken) {
  const auto at = std::ranges::lower_bound(taken, w.start);
  return at != taken.end() && *at < w.start + w.members * w.stride ? *at : 0;
}

bool slots(std::vector<Wish>& all, std::uint64_t size, const std::vector<std::uint64_t>& taken) {
  for (const std::uint64_t n : {16, 8, 4, 2, 32, 64, 128, 256}) {
    const std::uint64_t slot = size / n;
    if (all.size() > n - 1 || std::ranges::any_of(all, [&](const Wish& w) { return w.places() > slot; })) continue;
    std::uint64_t up = 1, down = n - 1;
    for (Wish& w : all) w.start = (w.equipment ? down-- : up++) * slot + w.stride;
    if (std::ranges::none_of(all, [&](const Wish& w) { return first_hit(w, taken) != 0; })) return true;
  }
  return false;
}

bool blocks(std::vector<Wish>& all, std::uint64_t size, const std::vector<std::uint64_t>& taken) {
  std::uint64_t at = 16;  // gateway and services
  for (Wish& w : all) {
    const std::uint64_t block = std::bit_ceil(w.places());
    at = (at + block - 1) / block * block;
    w.start = at + w.stride;
    at += block;
    if (at > size || first_hit(w, taken) != 0) return false;
  }
  return true;
}

bool packed(std::vector<Wish>& all, std::uint64_t size, const std::vector<std::uint64_t>& taken, bool aligned) {
  std::uint64_t at = 1;
  for (Wish& w : all) {
    const std::uint64_t step = aligned ? w.stride : w.unit;
    w.start = (at + step - 1) / step * step;
    while (const std::uint64_t hit = first_hit(w, taken)) w.start = (hit + step) / step * step;
    at = w.start + w.members * w.stride;
    if (at > size - 1) return false;
  }
  return true;
}

}  // namespace

void plan_addresses(Plan& plan) {
  const Cluster& c = *plan.cluster;
  for (std::size_t i = 0; i < c.networks.size(); ++i) {
    const NetworkModel& n = c.networks[i];
    if (!n.subnet) continue;
    AddressPlan a;
    a.network = static_cast<int>(i);
    a.subnet = *n.subnet;
    const std::uint64_t size = n.subnet->size();
    a.usable = size >= 4 ? size - 2 : 0;

    // A guest comes over its host's bonds, unless it says otherwise itself.
    const Network* wires =
        n.shares >= 0 && !(n.spec && n.spec->bond.origin == Origin::spec) ? c.networks[n.shares].spec : n.spec;
    a.step = has_member_links(plan, a.network) ? 2 : 1;
    const std::int64_t bond = wires ? std::max<std::int64_t>(1, wires->bond.value_or(1)) : 1;
    std::vector<Wish> all;
    for (const EndPoints& e : n.ends) {
      const std::int64_t stride = std::max<std::int64_t>(1, e.ports_each / bond);
      all.push_back({.members = static_cast<std::uint64_t>(std::max(e.members, e.built_for)),
                     .stride = static_cast<std::uint64_t>(stride) * a.step,
                     .unit = a.step});
      a.stride.push_back(static_cast<std::uint32_t>(stride));
      a.needed += all.back().members * all.back().stride;  // at the size built for
    }
    if (n.everything) {
      for (const Fabric& f : plan.fabrics)
        if (f.switch_count() > 0)
          a.equipment.push_back({.what = FabricBlock::What::switches, .of = f.network, .count = f.switch_count()});
      if (!plan.pdus.empty())
        a.equipment.push_back({.what = FabricBlock::What::pdus, .count = static_cast<std::int64_t>(plan.pdus.size())});
      for (std::size_t f = 0; f < plan.fabrics.size(); ++f)
        for (const FabricBlock& b : plan.fabrics[f].blocks)
          if (b.what == FabricBlock::What::shelves && plan.fabrics[f].network == a.network)
            a.equipment.push_back({.what = b.what, .of = b.of, .count = b.members});
    }
    if (has_loopbacks(plan, a.network))
      a.equipment.push_back(
          {.what = FabricBlock::What::switches, .of = a.network, .count = plan.fabrics[i].switch_count()});
    for (const EquipmentAddresses& e : a.equipment) {
      all.push_back({.members = static_cast<std::uint64_t>(e.count), .equipment = true});
      a.needed += static_cast<std::uint64_t>(e.count);
    }

    const auto given = n.spec && n.spec->gateway ? parse_ipv4(*n.spec->gateway) : std::nullopt;
    // One cable leads to no gateway, unless the spec gives one of its two ends as such.
    a.gateway = given.value_or(n.direct ? 0 : a.subnet.base + 1);
    a.needed += a.gateway != 0;
    // The gateway's, and those of hosts outside that the spec names by address: nobody gets them.
    std::vector<std::uint64_t> taken;
    for (const std::uint32_t address : addresses_outside(c, a.subnet))
      if (address != a.gateway) taken.push_back(address - a.subnet.base), ++a.needed;
    if (a.gateway && a.subnet.contains(a.gateway)) taken.push_back(a.gateway - a.subnet.base);
    std::ranges::sort(taken);
    const bool fit = a.usable && (slots(all, size, taken) || blocks(all, size, taken) ||
                                  packed(all, size, taken, true) || packed(all, size, taken, false));
    std::size_t k = 0;
    auto start = [&] {
      const Wish& w = all[k++];
      return fit ? a.subnet.base + static_cast<std::uint32_t>(w.start) : 0;
    };
    for (std::size_t e = 0; e < n.ends.size(); ++e) {
      const std::uint32_t first = start();
      a.first.push_back(first ? first + a.step - 1 : 0);
    }
    for (EquipmentAddresses& e : a.equipment) e.first = start();
    plan.addresses.push_back(std::move(a));
  }
}

bool has_addresses(const AddressPlan& a) {
  return std::ranges::none_of(a.first, [](std::uint32_t first) { return first == 0; }) &&
         std::ranges::none_of(a.equipment, [](const EquipmentAddresses& e) { return e.first == 0; });
}

bool has_loopbacks(const Plan& plan, int network) {
  const NetworkModel& n = plan.cluster->networks[static_cast<std::size_t>(network)];
  return n.kind == LinkKind::ethernet && !n.everything && n.shares < 0 && n.subnet && n.spec && n.spec->asn &&
         plan.fabrics[static_cast<std::size_t>(network)].switch_count() > 0;
}

bool has_member_links(const Plan& plan, int network) {
  return has_loopbacks(plan, network) &&
         has_routed_leaves(*plan.cluster, plan.cluster->networks[static_cast<std::size_t>(network)]);
}

std::uint32_t loopback(const Plan& plan, int fabric, SwitchRef r) {
  const AddressPlan* a = plan.addresses_of(fabric);
  const std::int64_t number = plan.switch_number(fabric, r);
  if (!a || number < 0 || !has_loopbacks(plan, fabric)) return 0;
  for (const EquipmentAddresses& e : a->equipment)
    if (e.what == FabricBlock::What::switches && e.of == fabric && e.first)
      return e.first + static_cast<std::uint32_t>(number - plan.fabrics[static_cast<std::size_t>(fabric)].first_switch);
  return 0;
}

const AddressPlan* Plan::addresses_of(int network) const {
  const auto at = std::lower_bound(addresses.begin(), addresses.end(), network,
                                   [](const AddressPlan& a, int n) { return a.network < n; });  // made in their order
  return at != addresses.end() && at->network == network ? &*at : nullptr;
}

std::uint32_t Plan::address(int network, int end_points, std::int64_t member, std::int64_t port) const {
  const AddressPlan* a = addresses_of(network);
  if (!a || end_points < 0 || end_points >= static_cast<int>(a->first.size()) || a->first[end_points] == 0) return 0;
  const std::int64_t stride = a->stride[end_points];
  if (!a->given.empty())
    if (const auto at = a->given.find({end_points, member * stride + std::min(port, stride - 1)}); at != a->given.end())
      return at->second;
  return a->first[end_points] + a->step * static_cast<std::uint32_t>(member * stride + std::min(port, stride - 1));
}

std::uint32_t Plan::leaf_address(int network, int end_points, std::int64_t member, std::int64_t port) const {
  const AddressPlan* a = addresses_of(network);
  const std::uint32_t address = a && a->step == 2 ? this->address(network, end_points, member, port) : 0;
  return address ? address - 1 : 0;
}

std::uint32_t Plan::node_address(int network, std::int64_t node) const {
  const int group = cluster->node_group_of(node);
  for (const GroupEnd& at : ends_of_group(*cluster, group))
    if (at.network == network) return address(network, at.end, node - cluster->nodes[group].first);
  return 0;
}

std::uint32_t Plan::switch_address(int fabric, SwitchRef r) const {
  const std::int64_t number = switch_number(fabric, r);
  if (number < 0) return 0;
  for (const AddressPlan& a : addresses)
    for (const EquipmentAddresses& e : a.equipment)
      if (e.what == FabricBlock::What::switches && e.of == fabric && e.first &&
          (a.network != fabric || cluster->networks[a.network].everything))  // a routed network's own are loopbacks
        return e.first + static_cast<std::uint32_t>(number - fabrics[fabric].first_switch);
  return 0;
}

std::uint32_t Plan::pdu_address(std::int64_t pdu) const {
  for (const AddressPlan& a : addresses)
    for (const EquipmentAddresses& e : a.equipment)
      if (e.what == FabricBlock::What::pdus && e.first && pdu >= 0 && pdu < e.count)
        return e.first + static_cast<std::uint32_t>(pdu);
  return 0;
}

}  // namespace clusterc
