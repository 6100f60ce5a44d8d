#include "base/text.h"
#include "plan/cost/accessories.h"
#include "plan/cost/fitted.h"
#include "report/cable_exports.h"
#include "report/cord_rows.h"
#include "report/link_rows.h"
#include "write/workbook.h"

namespace clusterc {

std::string render_cabling_xlsx(const Cluster& cluster, const Plan& plan) {
  std::string out, count, spares, length, near_unit, far_unit;
  Workbook book(out);
  const auto number = [](std::string& text, std::int64_t n) {
    text.clear();
    if (n > 0) append_int(text, n);
  };
  book.sheet("Bill", {"#Count", "#Spares", "Part", "#Length m", "For", "Planning default"});
  for (const BillRow& b : bill_rows(plan)) {
    number(count, b.count);
    number(spares, b.spares);
    length.clear();
    if (b.length.value > 0) append_metres(length, b.length);
    book.row({count, spares, b.part, length, b.what, b.planning_default ? "yes" : ""});
  }
  for (const Accessory& a : accessories_of(plan)) {
    number(count, a.count);
    length.clear();
    if (a.length.value > 0) append_metres(length, a.length);
    book.row({count, "", a.part, length, a.what, a.planning_default ? "yes" : ""});
  }
  book.sheet("Point to point", {"Network", "A rack", "#A unit", "A device", "A port", "Z rack", "#Z unit", "Z device",
                                "Z port", "Rate", "Cable", "Part", "#Length m", "A module", "Z module"});
  std::string part;
  LinkRows(cluster, plan).each([&](const LinkRow& r) {
    part.clear();
    append_part(part, r.run);
    number(near_unit, r.link->near_at.unit);
    number(far_unit, r.link->far_at.unit);
    length.clear();
    if (r.run.cable) append_metres(length, r.run.length);
    book.row({*r.network, r.near_rack, near_unit, r.near_host, r.near.port, r.far_rack, far_unit, r.far_host,
              r.far.port, r.rate, r.cable, part, length, r.run.near_module ? r.run.near_module->id : "",
              r.run.far_module ? r.run.far_module->id : ""});
    return true;
  });
  std::string supply, outlet, bank;
  book.sheet("Cords", {"Device", "Rack", "#Unit", "#Supply", "PDU", "Feed", "Socket", "#Outlet", "Lines", "#Bank",
                       "Part", "#Length m"});
  each_cord(cluster, plan, [&](const CordRow& r) {
    number(near_unit, r.unit);
    number(supply, r.supply);
    number(outlet, r.outlet);
    number(bank, r.bank);
    length.clear();
    if (r.length.value > 0) append_metres(length, r.length);
    book.row({r.device, r.rack, near_unit, supply, r.pdu, r.feed, r.socket, outlet, r.lines, bank, r.part, length});
  });
  book.finish();
  return out;
}

}  // namespace clusterc
