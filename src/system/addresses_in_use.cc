#include "system/addresses_in_use.h"

#include <algorithm>

#include "model/named_hosts.h"

namespace clusterc {

AddressesInUse::AddressesInUse(const Plan& plan, const AddressPlan& a) : plan_(plan), a_(a) {
  for (const auto& [port, address] : a.given) given_.push_back(address);
  std::ranges::sort(given_);
}

std::int64_t AddressesInUse::members(std::size_t end) const {
  const EndPoints& e = plan_.cluster->networks[static_cast<std::size_t>(a_.network)].ends[end];
  return std::max(e.members, e.built_for);
}

bool AddressesInUse::planned(std::size_t end, std::uint32_t address) const {
  const std::uint32_t first = a_.first[end];
  if (first == 0 || address < first) return false;
  const std::int64_t number = (address - first) / a_.step;
  return number < members(end) * a_.stride[end] && !a_.given.contains({static_cast<int>(end), number});
}

bool AddressesInUse::contains(int end_points, std::uint32_t address) const {
  for (auto at = a_.given.lower_bound({end_points, 0}); at != a_.given.end() && at->first.first == end_points; ++at)
    if (at->second == address) return true;
  return planned(static_cast<std::size_t>(end_points), address);
}

bool AddressesInUse::contains(std::uint32_t address) const {
  if (address == a_.gateway || std::ranges::binary_search(given_, address)) return true;
  for (std::size_t e = 0; e < a_.first.size(); ++e)
    if (planned(e, address)) return true;
  return std::ranges::any_of(a_.equipment, [&](const EquipmentAddresses& e) {
    return e.first != 0 && address >= e.first && address - e.first < static_cast<std::uint64_t>(e.count);
  });
}

bool AddressesInUse::any_in(const Ipv4Prefix& block) const {
  const auto at = std::ranges::lower_bound(given_, block.base);
  return (at != given_.end() && block.contains(*at)) || (a_.gateway != 0 && block.contains(a_.gateway)) ||
         block.base <= last_planned() || !addresses_outside(*plan_.cluster, block).empty();
}

std::uint32_t AddressesInUse::last_planned() const {
  std::uint64_t last = a_.subnet.base;
  for (std::size_t e = 0; e < a_.first.size(); ++e)
    if (members(e) > 0 && a_.stride[e] > 0)
      last = std::max(
          last, std::uint64_t{a_.first[e]} + a_.step * (a_.stride[e] * static_cast<std::uint64_t>(members(e)) - 1));
  for (const EquipmentAddresses& q : a_.equipment)
    if (q.count > 0) last = std::max(last, std::uint64_t{q.first} + static_cast<std::uint64_t>(q.count) - 1);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(last, UINT32_MAX));
}

}  // namespace clusterc
