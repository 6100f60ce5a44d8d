// Addresses of a network that hosts of the cluster have: those of the plan, and those of the inventory in their place.
#pragma once
#include <cstdint>
#include <vector>

#include "base/ip.h"
#include "plan/plan.h"

namespace clusterc {

class AddressesInUse {
 public:
  AddressesInUse(const Plan&, const AddressPlan&);

  // A host, the gateway or equipment of the network has it. What the plan would give to a port whose address is in the
  // inventory is free.
  bool contains(std::uint32_t) const;
  // Some host of one EndPoints has it.
  bool contains(int end_points, std::uint32_t) const;
  // Some address of this block behind the plan's own is in use, or is that of a host outside or of a service
  // (addresses_outside()); true of a block that begins before the plan's last address.
  bool any_in(const Ipv4Prefix&) const;
  // Of the plan's own scheme, with room for the members that the network is built for.
  std::uint32_t last_planned() const;

 private:
  std::int64_t members(std::size_t end) const;
  bool planned(std::size_t end, std::uint32_t) const;
  const Plan& plan_;
  const AddressPlan& a_;
  std::vector<std::uint32_t> given_;  // sorted
};

}  // namespace clusterc
