// The cabling of a running fabric against the planned one, and the fewest moves of cable ends that make it right.
//
// A cable joins two places: a port of a member and a switch, or two switches. Cables whose places are planned are
// right, whichever ports of the switches they take. Of the others, x are where none is planned, and y are missing. To
// turn a wrong cable into a missing one takes one move if they share a place, and two if not. So the fewest moves are
// those of a maximum matching between wrong and missing cables that share a place.
#pragma once
#include "audit/fabric_match.h"

namespace clusterc {

struct CableMove {
  std::int32_t link = -1;          // of SeenFabric
  std::int32_t cable = -1;         // of PlannedFabric: what it shall be
  bool near = false, far = false;  // which of its planned ends moves: the lower one, the upper one, or both
  std::int32_t swapped_with = -1;  // a later move of the list that takes this one's place, and the other way round
};

struct SlowLink {
  std::int32_t link = -1, cable = -1;
};

struct FabricDifferences {
  std::vector<CableMove> moves;
  std::vector<std::int32_t> missing;  // planned cables between devices that are there, which no move makes
  std::vector<std::int32_t> extra;    // links between planned devices where no cable is planned
  std::vector<SlowLink> slow;
  std::vector<std::int32_t> absent;     // planned devices that were not seen at all, with their cables
  std::vector<std::int32_t> unplanned;  // seen devices that are no planned one
  std::vector<std::int32_t> unseen;     // planned cables of which neither end says what it sees
  std::int64_t planned_cables = 0, right = 0;
  std::int64_t unjudged = 0;  // would be right, but their adapters name no host: each can be another one's
  bool too_many = false;      // more wrong cables than moves are sought for: each is in `extra` or `missing`
  bool rates_unread = false;  // the capture says of no link how fast it is
  bool unrecognised =
      false;  // less than a tenth of the cables belong to the plan: it is another fabric, or all names differ
  std::int64_t ends_to_move() const;
};

FabricDifferences compare_fabric(const SeenFabric&, const PlannedFabric&, const FabricMatch&);

}  // namespace clusterc
