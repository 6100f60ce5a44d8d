// What becomes of the cluster when something fails: which breakers trip, which nodes throttle or die, what bandwidth is
// left, which limits are exceeded. Pure: Plan + what failed -> state.
//
// 1. What failed is taken out. Loads move to the supplies, PDUs, panels and feeds that are left
// (plan/power/power_chain.h).
// 2. What then carries more than its breaker holds trips, and load moves again, until nothing more trips. Breakers are
// taken to be selective: in
//    each round the level nearest to the load trips, PDUs before panels before UPS and feeds, and all that are
//    overloaded at that level together. A PDU trips by its fullest line: cords sit on its lines, or pairs of lines, as
//    plan/power/cords.h deals them. So do panels and feeds by theirs, where single-phase PDUs hang on them
//    (plan/power/feed_lines.h); three-phase PDUs, shelves and UPS load all lines of these alike. A breaker may bear
//    some excess for minutes or hours (UL 489, IEC 60947-2); here whatever lasts above its rating trips. Above the
//    continuous rating, yet within the breaker's, a limit is exceeded and nothing trips. A feed of which only a
//    capacity is known trips above that. A UPS of which too few modules are left drops its feed (no bypass is assumed).
// 3. Cooling: the heat of what still draws power against the units that are left and have a feed. Too little for full
// power but enough for the
//    idle power of all: servers throttle; less than that: everything in the zone stops. Too little air warms the inlets
//    (mixing with exhaust).
// 4. Network: switches that failed or died, links that failed. Members that lost all their ports are cut off.
// The mains (`mains`) fail for all feeds at once. A feed runs on where its UPS lasts until its generator has taken the
// load (`start`); without a UPS, or with one that is empty sooner, what hangs on it stops and starts anew, and without
// a generator it stays dark. What stops counts as dead. A generator that must supply more than its rating stops. A
// transfer switch takes its load from its other source when the preferred one is dead (spec/site.h). The state before
// the failure is the normal one, settled by the same steps: what has tripped there stays so, and is not counted again.
//
// Cost: racks that are alike are one class; a failure in one rack costs that rack, a failure of a feed costs the number
// of classes, each what it loses. All single failures of 16,384 nodes are some 130,000 runs.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"

namespace clusterc {

enum class ComponentKind : std::uint8_t {
  feed,
  ups,
  panel,
  pdu,
  shelf,
  supply,
  cooling,
  loop,
  cdu,
  leaf,
  spine,
  core,
  switch_,
  link,
  node,
  storage,
  transfer,
  mains,
  generator
};
std::string_view component_word(ComponentKind);  // "feed", "ups", "psu", "switch" …

// What each field means depends on the kind:
//   feed, panel: of = number          ups: of = feed (one module)      pdu: index = rack, part = letter from 0 shelf:
//   index = rack, part = cord supply: index = rack, of = device of the rack, part = number from 0 cooling, cdu: of =
//   zone (one unit)    loop: of = zone (all of it) leaf, spine, core, switch: of = fabric, index = of the tier    link:
//   of = fabric; part = 0: end point cable, index = entry of the leaf table; part = 1, 2: first uplink of leaf, spine
//   `index`               node: index = number     storage: of = system, index = number
//   transfer (switch), generator: of = number    mains: of all feeds
struct Component {
  ComponentKind kind = ComponentKind::feed;
  std::int32_t of = -1;
  std::int64_t index = -1;
  std::int32_t part = -1;
  auto operator<=>(const Component&) const = default;
};

struct TripEvent {  // one step of the cascade
  int round = 0;
  ComponentKind kind = ComponentKind::pdu;  // pdu, panel, ups, feed
  std::int32_t of = -1;                     // panel, feed
  std::vector<std::int32_t> racks;          // pdu: of these racks, ascending
  std::int32_t part = -1;                   // pdu: letter
  double load = 0, limit = 0;               // VA (ups: W where that is what it exceeds); pdu: the highest of them
  bool in_watts = false;
};

// A feed when the mains fail.
struct MainsLeft {
  enum class State : std::uint8_t {
    bridged,   // its UPS lasts until the generator has taken the load
    restarts,  // dark until then
    lost,      // no generator takes it: dark once its UPS is empty
    unjudged   // nobody states how long its UPS lasts, or when the generator takes the load
  };
  int feed = -1, generator = -1;  // generator: -1 also where it failed or is too small
  State state = State::lost;
};

struct LimitExceeded {
  std::string_view rule;                    // id of the rule whose limit it is
  ComponentKind kind = ComponentKind::pdu;  // pdu, panel, feed, ups; cooling (a zone)
  std::int32_t of = -1, part = -1;
  std::vector<std::int32_t> racks;  // pdu
  double load = 0, limit = 0;
  Dimension dimension = Dimension::apparent;
};

struct NetworkLeft {
  int network = -1;
  std::int64_t switches_dead = 0, links_dead = 0;
  std::vector<std::int64_t> cut_off_nodes;  // alive, and without a port in this network
  std::int64_t cut_off_storage = 0;
  std::int64_t degraded = 0;        // members with fewer ports than they had
  double bisection = 1;             // share of the normal state's
  BitsPerSecond bisection_rate{0};  // one way
  std::optional<double>
      all_reduce;  // likewise; of the network that carries compute traffic; 0: no computing node is left
};

struct ZoneLeft {
  int zone = -1;
  std::int64_t units = 0, units_left = 0;
  Watts heat{0}, removed{0};  // of what draws power now; what the units that are left remove
  bool removed_known = false;
  Kelvins inlet_rise{0};  // over the supply temperature, by exhaust that comes round
};

struct ServiceLeft {
  std::string name;
  std::int64_t left = 0, of = 0;
  bool lost = false, data_gone = false;
};  // "scheduler", "storage/home"; data_gone: what was on the drives of those that are out

struct WhatIf {
  std::vector<Component> failed;
  std::vector<TripEvent> trips;
  std::vector<std::int64_t> dead_nodes, throttled_nodes,
      unjudged_nodes;  // ascending; who is dead or cut off (but from management) is none of the others
  std::vector<std::pair<int, std::int64_t>> dead_switches, dead_storage, unjudged_switches;  // fabric or system, number
  std::int64_t dead_gpus = 0, throttled_gpus = 0, cut_off_gpus = 0, cut_off_nodes = 0;
  std::vector<LimitExceeded> limits;
  std::vector<NetworkLeft> networks;  // those that lost something
  std::vector<ZoneLeft> zones;        // those that lost a unit or are too small
  std::vector<ServiceLeft> services;  // those that lost a server
  std::vector<MainsLeft> mains;       // of every feed, where the mains failed
  std::vector<VoltAmperes>
      feeds;  // what the breaker of each carries: the load, and what its UPS loses (plan/power/power.h, at_breaker)
  bool nothing() const {
    return trips.empty() && dead_nodes.empty() && throttled_nodes.empty() && unjudged_nodes.empty() && limits.empty() &&
           dead_switches.empty() && dead_storage.empty() && networks.empty() && services.empty() &&
           unjudged_switches.empty();
  }
};

// The worse of two comes first: GPUs and nodes out (dead or cut off), those dead, services lost, throttled, bandwidth,
// trips, limits.
bool worse(const WhatIf&, const WhatIf&);

// Not for several threads at once.
class WhatIfEngine {
 public:
  explicit WhatIfEngine(const Plan&);
  ~WhatIfEngine();
  WhatIfEngine(const WhatIfEngine&) = delete;
  WhatIfEngine& operator=(const WhatIfEngine&) = delete;

  const WhatIf& normal() const;  // nothing failed: what trips and is exceeded all the same
  WhatIf run(std::span<const Component> failed)
      const;  // one named twice: two of what it is one of (UPS modules, cooling units)

  // What the loss of this PDU trips at first, found by its rack alone: other PDUs there, as bits; and, by bounds,
  // whether it may be a panel or a feed. For who asks of every rack: `run` looks at all of them each time.
  struct MayTrip {
    std::uint64_t pdus = 0;
    bool upstream = false;
  };
  MayTrip may_trip(std::int32_t rack, std::size_t pdu) const;

  // Every component that may fail, by kind. `times`: how many there are that are alike in everything (UPS modules,
  // units, links): one stands for all.
  struct Single {
    Component component;
    std::int64_t times = 1;
  };
  std::vector<Single> singles() const;
  std::int64_t alike(const Component& link) const;  // links that its name stands for

  std::string name(const Component&) const;     // "pdu/r07/b", "psu/node/gpu/017/3"
  std::string unit_range(const Single&) const;  // "ups/A/[1-2]", where one stands for several
  // "feed:A", "spine:3", "spine:compute/03", "pdu:r07/b", "node:gpu017", "psu:gpu017/3". Nothing, with what is wrong in
  // `error`.
  std::optional<Component> find(std::string_view word, std::string& error) const;

  const Plan& plan() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clusterc
