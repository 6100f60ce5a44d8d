#include "plan/cost/purchases.h"

#include <algorithm>

namespace clusterc {

std::vector<PartChange> Purchases::step(const Plan* before, const Plan& now, RacksBought racks) {
  std::vector<PartChange> changes;
  const auto take = [&](Part& part, std::int64_t needed, std::int64_t spares) {
    const std::int64_t had = part.needed + part.spares, paid = part.paid;
    part.needed = needed;
    part.spares = std::max(part.spares, spares);
    part.listed = needed + spares;
    const std::int64_t has = needed + part.spares;
    part.paid = std::max(paid, has);
    const BillRow& r = part.row;
    if (part.paid > paid)
      changes.push_back({r.part, r.what, r.kind, r.length, paid, part.paid});
    else if (has < had)
      changes.push_back({r.part, r.what, r.kind, r.length, had, has});
  };
  std::vector<Part*> gone;
  for (auto& [key, part] : parts_) gone.push_back(&part);
  for (BillRow& r : bill_by_part(now, racks)) {
    Part& part = parts_[{r.part, r.what, r.length.value}];
    std::erase(gone, &part);
    const std::int64_t needed = r.count, spares = r.spares;
    part.row = std::move(r);
    take(part, needed, spares);
  }
  for (Part* part : gone) take(*part, 0, 0);
  diff_accessories(before, now, changes);
  return changes;
}

std::vector<BillRow> Purchases::paid_besides() const {
  std::vector<BillRow> rows;
  for (const auto& [key, part] : parts_) {
    if (part.paid <= part.listed) continue;
    rows.push_back(part.row);
    rows.back().what =
        part.needed + part.spares > part.listed ? "spare of an earlier phase" : "left over from an earlier phase";
    rows.back().count = part.paid - part.listed;
    rows.back().spares = 0;
    rows.back().fit = -1;
  }
  return rows;
}

}  // namespace clusterc
