// Cables from rack to rack.
#pragma once
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "plan/fabric/cabling.h"
#include "plan/plan.h"

namespace clusterc {

struct RackPair {
  std::int64_t from = 0, to = 0;  // rack numbers, from <= to; the same: cables that stay in the rack
  std::int64_t copper = 0, optical = 0, unknown = 0;  // cables; unknown: no part of the catalogue makes them
  std::int64_t bundles = 0;                           // of at most `cabling.bundle` cables; 0 within a rack
  Meters longest{0};                                  // way, without the next length that is sold
  std::int64_t cables() const { return copper + optical + unknown; }
};
// Counts each cable once for each pair of racks that it runs between: of the links that share a cable, the first is
// told from the others.
class CablesOnce {
 public:
  // The cables that this link adds to those between its racks: 0 where an earlier link has the same cable; more than
  // one where a link is several fibres.
  std::int64_t add(const Cabling::Run&, const PluggedLink&);

 private:
  struct Tail {
    std::int64_t cage = 0;  // of the head
    unsigned place = 0;     // among that cage's cables
    std::uint64_t racks = 0;
    bool operator==(const Tail&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Tail& t) const {
      return static_cast<std::size_t>(((static_cast<std::uint64_t>(t.cage) * 8 + t.place) * 0x9e3779b97f4a7c15U) ^
                                      (t.racks * 0xc2b2ae3d27d4eb4fU));
    }
  };
  std::unordered_set<Tail, Hash> seen_;
};

// By number of the racks. A cable whose ends do not both stand in racks is in none of them; one that several links
// share counts once for each pair that it runs between: a splitter whose tails end in two racks lies in the bundles to
// both.
std::vector<RackPair> rack_pairs(const Cluster&, const Plan&);

}  // namespace clusterc
