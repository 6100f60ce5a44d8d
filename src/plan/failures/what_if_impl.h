// The inside of the what-if engine, shared by its files: what_if_power.cc (who carries what, what trips),
// what_if_effects.cc (what stops for lack of power, cooling, network), what_if_names.cc (components by name),
// what_if.cc (one state from beginning to end).
#pragma once
#include <algorithm>
#include <map>
#include <set>

#include "model/rounding.h"
#include "plan/failures/what_if.h"
#include "plan/failures/what_if_network.h"
#include "plan/power/cords.h"
#include "plan/power/feed_lines.h"
#include "plan/power/power.h"
#include "plan/power/power_chain.h"

namespace clusterc::what_if {

// One rack with failures of its own, or all racks of a class that have none.
struct Instance {
  std::size_t of = 0;      // class
  std::int32_t rack = -1;  // -1: all others of the class
  double count = 1;
  PowerFailure failure;
  PowerState state;
};

struct Electric {  // state of the chain
  std::vector<char> feed_dead, panel_dead, transfer_dead;
  std::vector<std::int64_t> ups_out;  // modules, by feed
  std::vector<std::int64_t>
      cdus_out;  // coolant distribution units that run no more, by zone: no less than all of a loop that failed
  std::vector<double> feed_va, panel_va;
  std::vector<Instance> all;  // one a class, in order
  std::vector<Instance> own;  // racks apart
  bool all_changed = false;   // against the state that this one began with
  std::vector<TripEvent> trips;
};

// The racks that an instance stands for: its own, or all of its class that have no instance of their own.
template <class Visit>
void each_rack(const PowerClass& k, const Instance& i, const Electric& e, const Visit& visit) {
  if (i.rack >= 0) return visit(i.rack);
  for (const std::int32_t r : k.racks)
    if (std::ranges::none_of(e.own, [&](const Instance& o) { return o.rack == r; })) visit(r);
}

}  // namespace clusterc::what_if

namespace clusterc {

using what_if::Electric;
using what_if::Instance;

struct WhatIfEngine::Impl {
  explicit Impl(const Plan& plan);

  // By feed and panel: the balanced load that would fill every line as much as the fullest is.
  struct LineLoads {
    std::vector<double> feeds, panels;
  };

  const Plan& plan;
  const Cluster& c;
  double pf;
  const std::vector<PowerClass>& classes;
  std::vector<std::int32_t> class_of;              // by rack
  std::vector<RackWiring> wirings;                 // by class
  std::vector<std::vector<Breaker>> pdu_breakers;  // by class, position
  std::vector<Breaker> feed_breakers, panel_breakers;
  std::vector<UpsModules> ups;
  mutable std::vector<std::unique_ptr<const FabricLoss>>
      fabrics;  // made when first asked for: a question of power alone needs none
  const FabricLoss& fabric(std::size_t f) const {
    if (!fabrics[f]) fabrics[f] = std::make_unique<const FabricLoss>(plan, static_cast<int>(f));
    return *fabrics[f];
  }
  std::vector<std::vector<std::pair<std::int32_t, std::int16_t>>> storage_place;  // system, number -> rack, device
  int compute_network = -1;
  FeedLines lines;
  std::vector<FeedLines::Counts> on_lines;  // by class
  Electric base;
  WhatIf normal;
  LineLoads base_lines;  // of `base`

  struct Hits;    // what fails: what_if.cc
  struct Finder;  // components by their name: what_if_names.cc

  // ---- electricity
  void settle(Electric& e, int first_round) const;
  void sum_all(Electric& e) const;
  void add(const Instance& i, double sign, Electric& e) const;
  LineLoads line_loads(const Electric& e) const;
  void upstream(Instance& i, const Electric& e) const;
  // What supplies a position now; dead: none of its sources lives, and they are the preferred ones.
  struct Source {
    std::int16_t feed = -1, panel = -1;
    bool dead = false;
  };
  Source source(const PowerPosition& at, const Electric& e) const;
  std::vector<MainsLeft> lose_mains(const std::set<std::int32_t>& generators_out, Electric& e, WhatIf& out) const;
  MayTrip may_trip(std::int32_t rack, std::size_t position) const;
  void spread(Electric& e) const;
  double cdu_load(const Electric& e, std::size_t feed) const;
  Instance& apart(Electric& e, std::int32_t rack) const;
  bool trip_pdus(Electric& e, int round) const;
  bool trip_panels(Electric& e, int round) const;
  bool trip_feeds(Electric& e, int round) const;
  void power_limits(const Electric& e, bool feed_failed, WhatIf& out) const;

  // ---- what follows
  void collect(const Instance& i, const PowerState* before, const std::set<std::int32_t>& skip, WhatIf& out) const;
  // What stops draws nothing from then on.
  void cooling(Electric& e, const std::map<std::pair<int, int>, std::int64_t>& units_out,
               const std::set<int>& loops_out, WhatIf& out) const;
  struct ZoneHeat {
    double heat = 0, idle = 0;  // W; idle: when everything that throttles idles
    bool idle_known = true;
  };
  ZoneHeat zone_heat(int id, const Electric& e) const;
  enum class HeatEffect { none, unsure, slow, stop };
  void hit_by_heat(const Instance& i, const Electric& e, const ZoneLeft& left, HeatEffect effect, WhatIf& out) const;
  // Gives the nodes that are cut off, ascending.
  std::vector<std::int64_t> network(const std::map<int, std::vector<std::int64_t>>& ends,
                                    const std::map<int, std::vector<FabricLoss::Cut>>& cuts, WhatIf& out) const;
  std::int64_t computing(const std::vector<std::int64_t>& dead, const std::vector<std::int64_t>& cut_off) const;
  void services(WhatIf& out) const;
  double rack_watts(const Instance& i) const;
  double share_in(const Instance& i, int zone) const;  // of the rack's heat
  void stop(Electric& e, const std::vector<int>& zones) const;
  void hit_site(const Component& f, Electric& e, Hits& hits) const;
  void hit_racks(const Component& f, std::span<const Component> failed, Hits& hits, WhatIf& out) const;
  void count_once(const Hits& hits, WhatIf& out) const;
  WhatIf outcome(Electric e, std::span<const Component> failed) const;
  std::int16_t device_in(std::int32_t rack, DeviceKind kind, std::int32_t group, std::int64_t index) const;
  const std::string& who(const FabricBlock& b) const {
    const EndPoints& p = c.networks[b.network].ends[b.end];
    return p.group >= 0 ? c.nodes[p.group].name : c.storage[p.storage].name;
  }
  std::int64_t gpus_of(std::int64_t node) const { return c.nodes[c.node_group_of(node)].server.gpu_count; }
};

}  // namespace clusterc
