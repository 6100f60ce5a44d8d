// Two bills compared, part by part.
#include <algorithm>
#include <map>
#include <tuple>

#include "plan/cost/accessories.h"
#include "plan/cost/cost.h"
#include "plan/diff.h"
#include "plan/equipment.h"

namespace clusterc {

std::vector<BillRow> bill_by_part(const Plan& plan, RacksBought racks) {
  std::map<std::tuple<std::string, std::string, double>, std::size_t> known;
  std::vector<BillRow> rows;
  for (BillRow& r : bill_rows(plan, racks)) {
    if (r.put_in || r.kind == "cable" || r.kind == "module" || r.kind == "fibre" || r.kind == "server") r.what = r.kind;
    const auto [at, fresh] = known.try_emplace({r.part, r.what, r.length.value}, rows.size());
    if (fresh) {
      rows.push_back(std::move(r));
      continue;
    }
    rows[at->second].count += r.count;
    rows[at->second].spares += r.spares;
  }
  return rows;
}

void diff_accessories(const Plan* before, const Plan& after, std::vector<PartChange>& parts) {
  const std::vector<Accessory> small = accessories_of(after),
                               small_before = before ? accessories_of(*before) : std::vector<Accessory>();
  const auto count_in = [](const std::vector<Accessory>& list, const Accessory& a) {
    const auto at = std::ranges::find_if(list, [&](const Accessory& b) {
      return std::tie(b.part, b.what, b.length.value) == std::tie(a.part, a.what, a.length.value);
    });
    return at == list.end() ? 0 : at->count;
  };
  const auto changed = [&](const Accessory& a, std::int64_t was, std::int64_t is) {
    if (was != is)
      parts.push_back({.part = a.part,
                       .what = a.what,
                       .kind = "accessory",
                       .length = a.length,
                       .before = was,
                       .after = is,
                       .accessory = true});
  };
  for (const Accessory& a : small) changed(a, count_in(small_before, a), a.count);
  for (const Accessory& a : small_before)
    if (count_in(small, a) == 0) changed(a, a.count, 0);
}

std::vector<PartChange> diff_bills(const Plan& before, const Plan& after) {
  const std::vector<BillRow> old = bill_by_part(before), now = bill_by_part(after);
  const auto count_in = [](const std::vector<BillRow>& rows, const BillRow& r) {
    const auto at = std::ranges::find_if(rows, [&](const BillRow& o) {
      return o.part == r.part && o.what == r.what && o.length.value == r.length.value;
    });
    return at == rows.end() ? 0 : at->count + at->spares;
  };
  std::vector<PartChange> parts;
  for (const BillRow& r : now)
    if (const std::int64_t was = count_in(old, r), is = r.count + r.spares; was != is)
      parts.push_back({r.part, r.what, r.kind, r.length, was, is});
  for (const BillRow& r : old)
    if (count_in(now, r) == 0) parts.push_back({r.part, r.what, r.kind, r.length, r.count + r.spares, 0});
  diff_accessories(&before, after, parts);
  return parts;
}

}  // namespace clusterc
