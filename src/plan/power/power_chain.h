// The power chain from feed to supply, one rack at a time: which cord hangs on which PDU, and what every PDU carries
// while some of them, or some supplies, are dead. Rules, the plan's own figures and what-if all ask here.
//
// A rack (or the frame of an assembly) has positions: its PDUs, or for an assembly the power shelves of each feed taken
// together. The supplies of a device are dealt to positions device by device, those with the most power on a cord
// first, of equals from the bottom up. Each goes to the feed that has fewest of this device, there to a PDU with an
// outlet left for its plug, of these to the PDU that has fewest of the device, then to the one that is least loaded for
// its rating (in watts, where one of the rack's PDUs states none), as all draw when nothing has failed, then to the one
// with fewest cords of that plug, then to the first. Three PDUs on three feeds give six supplies two each; two PDUs on
// A and one on B give two supplies one on A and one on B. Example: cords of 3.5 and four times 2.1 kW on two PDUs of a
// feed: 3.5 + 2.1 on one, 3 x 2.1 on the other. A device whose supplies nobody states is spread evenly over the
// positions. Members to come that have a place kept free (RackPlan::kept) are dealt along, so that nobody's cord moves
// when they come. Racks of one group that hold the same kinds of device in the same order are one class, and behave
// alike: cost grows with the classes.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "model/power.h"
#include "plan/plan.h"

namespace clusterc {

struct PowerPosition {
  std::int16_t feed = -1, panel = -1;
  std::int16_t pdu = -1;     // index in the rack group's list; -1: shelves of an assembly
  std::int64_t shelves = 0;  // of an assembly on this feed
};
struct PowerCord {
  std::int16_t device = 0, supply = 0;  // supply counted from 0
  std::int16_t position = 0;
};
struct CordToCome {         // of a member whose place is kept free: nothing hangs on it yet, and its outlet is taken
  std::int32_t before = 0;  // stands before this one of PowerRack::cords
  std::int16_t below = 0;   // devices that stand below its own, of RackPlan::devices
  std::int16_t device = 0;  // of those to come, from 0: cords of one device stand together
  std::int16_t position = 0;
  InletKind inlet = InletKind::hardwired;
  SupplyLoad load;  // of its device
};
struct PowerRack {
  std::vector<PowerPosition> positions;
  std::vector<SupplyLoad>
      devices;  // as RackPlan::devices; then, where something draws power that is none of these (occupied units), that
  std::vector<PowerCord> cords;                    // by device, then supply
  std::vector<CordToCome> to_come;                 // from the bottom up
  std::vector<std::int16_t> cords_c13, cords_c19;  // by position
};
struct PowerClass {
  std::int64_t group = -1;  // rack group, or assembly group
  bool assembly = false;
  PowerRack rack;
  std::vector<std::int32_t> racks;  // numbers, ascending
};
// Every rack is in exactly one class. Devices of a class are alike by place: device i of one rack is of the kind of
// device i of another. The classes of a rack group stand together, in the order of the groups; assemblies' follow.
std::vector<PowerClass> power_classes_of(const Plan&);  // Plan::power_classes, worked out anew
std::span<const PowerClass> classes_of_group(std::span<const PowerClass>, std::int64_t rack_group);

// A rack of the group with such content, which is not (yet) the plan's.
PowerRack power_rack(const Plan&, const RackGroupModel&, const RackPlan&);
// The racks of such a class, not of assemblies, as they would be with each node of the group at no more than `cap`: its
// cords are dealt by what they carry then.
PowerRack capped_rack(const Plan&, const PowerClass&, int group, Watts cap);

// What a device is to its supplies, wherever it stands.
SupplyLoad supply_load(const Plan&, const RackedDevice&);

// What failed in a rack: positions as bits; single supplies by their place in `cords`; whole devices.
struct PowerFailure {
  std::uint64_t positions = 0;
  std::vector<std::int32_t> cords;
  std::vector<std::int16_t> devices;
  bool none() const { return positions == 0 && cords.empty() && devices.empty(); }
};
struct PowerState {
  std::vector<double> position_watts;  // at the wall
  std::vector<SupplyResult> devices;
};
void evaluate(const PowerRack&, const PowerFailure&, PowerState&);

// What a breaker may carry without end, and above what it trips, sooner or later, in VA; -1: nobody states it. Where no
// breaker is stated the continuous rating is all that is known, and counts as both.
struct Breaker {
  double continuous = -1, trip = -1;
};
Breaker pdu_breaker(const Cluster&, const PduPart&);  // trips above sqrt(3) x V x I
Breaker feed_breaker(const Cluster&, const FeedModel&);
Breaker panel_breaker(const Cluster&, const PanelModel&);
struct UpsModules {
  std::int64_t modules = 0, spare = 0;
  double watts = -1, va = -1;
};  // of one module; modules 0: no UPS
UpsModules ups_modules(const FeedModel&);

}  // namespace clusterc
