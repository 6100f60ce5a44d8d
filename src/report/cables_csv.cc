// Every link: its ends, its way, and the parts that make it. A cable with several ends has a row for each of its links,
// under one name.
#include "base/text.h"
#include "report/link_rows.h"
#include "report/plan_report.h"
#include "write/writers.h"

namespace clusterc {

std::string render_cables_csv(const Cluster& cluster, const Plan& plan) {
  std::string out, way, length, part;
  SheetWriter csv(out);
  csv.row({"network", "from", "from_port", "to", "to_port", "rate", "way_m", "cable", "part", "length_m", "from_module",
           "to_module"});
  LinkRows(cluster, plan).each_into({&out}, [&](const LinkRow& r) {
    way.clear();
    length.clear();
    part.clear();
    append_part(part, r.run);
    if (r.link->length > 0) append_metres(way, Meters(r.link->length));
    if (r.run.cable) append_metres(length, r.run.length);
    csv.row({*r.network, r.near.object, r.near.port, r.far.object, r.far.port, r.rate, way, r.cable, part, length,
             r.run.near_module ? r.run.near_module->id : "", r.run.far_module ? r.run.far_module->id : ""});
    return true;
  });
  return out;
}

}  // namespace clusterc
