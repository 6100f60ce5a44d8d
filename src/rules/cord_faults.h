// What the rules about cords share: devices of one kind that fail in the racks of a group, told once.
#pragma once
#include <optional>

#include "plan/power/cords.h"
#include "rules/say.h"
#include "spec/network.h"

namespace clusterc {

// One device of a class of racks, with its cords.
struct DeviceCords {
  const PowerClass* racks = nullptr;
  std::size_t index = 0;  // in PowerRack::devices
  const RackedDevice* device = nullptr;
  const PsuSet* psus = nullptr;
  std::vector<std::int64_t> on;  // cords on each PDU
  const SupplyLoad& load() const { return racks->rack.devices[index]; }
};

struct CordFault {
  DeviceCords cords;  // the one of its kind that fails most
  double most = 0;
  std::int64_t devices = 0;
};

// The state of one device after the loss of a feed that leaves some other PDU of the rack alive; nullopt where the feed
// is none of the rack's.
struct AfterLoss {
  SupplyResult result{SupplyState::runs, 0};
  std::int64_t alive = 0;
};
inline std::optional<AfterLoss> after_loss(const DeviceCords& d, int feed) {
  PowerFailure failure;
  if (!lose_feed(d.racks->rack, feed, failure)) return std::nullopt;
  AfterLoss out;
  for (std::size_t p = 0; p < d.on.size(); ++p) out.alive += (failure.positions >> p & 1) == 0 ? d.on[p] : 0;
  out.result = on_supplies(d.load(), out.alive);
  return out;
}

// `excess(cords)` says how much too much one device has, 0 for one that is right. One entry for each kind and part.
template <class Excess>
std::vector<CordFault> failing_cords(const RuleInput& in, const std::vector<PowerClass>& classes, std::int64_t group,
                                     Excess excess) {
  std::vector<CordFault> faults;
  for (const PowerClass& k : classes_of_group(classes, group)) {
    std::size_t cord = 0;
    for (std::size_t i = 0; i < k.rack.devices.size(); ++i) {
      DeviceCords d{&k, i, device_of(in.plan, k, i), nullptr, std::vector<std::int64_t>(k.rack.positions.size(), 0)};
      for (; cord < k.rack.cords.size() && static_cast<std::size_t>(k.rack.cords[cord].device) == i; ++cord)
        ++d.on[static_cast<std::size_t>(k.rack.cords[cord].position)];
      d.psus = d.device ? supplies_of(in.plan, *d.device) : nullptr;
      if (!d.psus) continue;
      const double e = excess(d);
      if (!(e > 0)) continue;
      auto at = std::find_if(faults.begin(), faults.end(), [&](const CordFault& f) {
        return f.cords.device->kind == d.device->kind && f.cords.device->group == d.device->group &&
               f.cords.psus == d.psus;
      });
      if (at == faults.end()) at = faults.insert(faults.end(), CordFault{d, 0, 0});
      at->devices += static_cast<std::int64_t>(k.racks.size());
      if (e > at->most * (1 + kRounding)) {
        at->most = e;
        at->cords = d;
      }
    }
  }
  return faults;
}

// "each node of 'gpu'", "each 'nvidia-qm9700' of network 'compute'"
inline std::string each_device_text(const RuleInput& in, const RackedDevice& d) {
  const std::string owner = device_owner(in.plan, d), name = owner.substr(owner.find('.') + 1);
  if (d.kind == DeviceKind::node) return format("each node of '{}'", name);
  return format("each '{}' of {} '{}'", device_model(in.plan, d), d.kind == DeviceKind::storage ? "storage" : "network",
                name);
}
// The place of the spec that chose it.
inline SourceSpan device_place(const RuleInput& in, const RackedDevice& d) {
  const Cluster& c = in.cluster;
  if (d.kind == DeviceKind::node)
    return first_place(in_spec(c.nodes[d.group].server.span, c.nodes[d.group]), c.nodes[d.group].span);
  if (d.kind == DeviceKind::storage) return c.storage[d.group].span;
  const NetworkModel& n = c.networks[in.plan.fabrics[d.group].network];
  return first_place(written(n.spec->switch_model), n.span);
}

}  // namespace clusterc
