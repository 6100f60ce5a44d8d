// Two plans compared, object by object. Names are stable (docs/names.md), so what has the same name is the same thing:
// what is only in the new plan is bought, what is only in the old one is left over, what stands or is plugged elsewhere
// is moved. Cost: one pass over the nodes, the links and the addresses of both plans.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "plan/cost/fitted.h"

namespace clusterc {

struct ObjectChange {
  std::string object, before, after;
};  // before empty: new; after empty: gone

// Counted in full; the objects themselves only up to the number that was asked for, in a stable order.
struct ChangeList {
  std::string what;  // "nodes of 'gpu'", "cables of network 'compute'"
  std::int64_t count = 0;
  std::vector<ObjectChange> items;
};

struct PartChange {        // of the bill, spares included
  std::string part, what;  // what: as in the bill; of servers and what is in them, cables, modules and fibres the kind,
                           // for all uses together
  std::string_view kind = "missing";  // bill_kind_word, fitted_kind_word, or "accessory"
  Meters length{0};
  std::int64_t before = 0, after = 0;
  bool accessory = false;  // plan/cost/accessories.h: no line of the bill, and without a price
};

struct PlanDiff {
  std::vector<PartChange> parts;  // whose number changes: in the order of the new bill, then what is no longer there;
                                  // then cords, panels, trays
  std::vector<ChangeList> added, removed;  // nodes, switches, storage systems, racks
  std::vector<ChangeList> refitted;        // the same name, another model or other parts
  std::vector<ChangeList> moved;           // to another rack or unit; racks to another place on the floor
  bool floor_moves = false;                // there are such racks
  std::vector<ChangeList> repowered;       // PDUs on another feed or of another model
  std::vector<ChangeList> cables_added, cables_removed, cables_moved,
      cables_replaced;                 // by network; replaced: same ends, another part or length
  std::vector<ChangeList> renumbered;  // addresses of what is in both
  bool empty() const;
};

// What is bought, by part and length.
std::vector<PartChange> diff_bills(const Plan& before, const Plan& after);
// The bill with one row for each part and length, whatever it is for: of cables, modules, fibres, servers and what is
// in them `what` is the kind.
std::vector<BillRow> bill_by_part(const Plan&, RacksBought = RacksBought::all);
// Cords, panels and trays; `before` may be null: all of them.
void diff_accessories(const Plan* before, const Plan& after, std::vector<PartChange>&);
// `keep`: objects kept in each list. Both plans may have errors.
PlanDiff diff_plans(const Plan& before, const Plan& after, std::size_t keep);

}  // namespace clusterc
