#include "report/hoses.h"

#include <algorithm>

#include "base/format.h"
#include "base/index.h"
#include "base/text.h"
#include "report/device_names.h"
#include "report/markdown.h"
#include "spec/site.h"

namespace clusterc {
namespace {

// A row for each; above, one row for all of them: the sheets of the racks have each hose.
constexpr std::int64_t kMostRows = 64;

bool cooled_by_liquid(const Cluster& c, const RackedDevice& d) {
  return d.kind == DeviceKind::node && c.nodes[at(d.group)].server.part.liquid_cooled.value_or(false);
}

std::string place_of(const Cluster& c, const Plan& p, std::int64_t rack) {
  return format("{} (x {:.1f} m, y {:.1f} m)", c.rack_name(rack), p.racks[at(rack)].x, p.racks[at(rack)].y);
}

}  // namespace

int loop_of(const Cluster& c, std::int64_t rack) {
  for (const AssemblyGroupModel& a : c.assemblies)
    if (rack >= a.first && rack < a.first + a.count) return a.liquid;
  const int group = c.rack_group_of(rack);
  return group < 0 ? -1 : c.racks[at(group)].liquid;
}

std::vector<Hose> hoses_of(const Cluster& c, const Plan& p, std::int64_t rack) {
  std::vector<Hose> out;
  const int loop = loop_of(c, rack);
  if (loop < 0) return out;
  const std::string name = c.rack_name(rack), far = "CDU or row manifold of loop " + c.zones[at(loop)].name;
  const auto pair = [&](const std::string& label, const std::string& from, const std::string& to) {
    out.push_back({label + ":supply", from, to});
    out.push_back({label + ":return", from, to});
  };
  if (c.rack_group_of(rack) < 0) {
    pair(name, name, far);
    return out;
  }
  const std::string manifold = "manifold of " + name;
  for (const RackedDevice& d : p.racks[at(rack)].devices) {
    if (!cooled_by_liquid(c, d)) continue;
    if (out.empty()) pair(name, manifold, far);
    const std::string host = device_host(c, p, d);
    pair(host, host, manifold);
  }
  return out;
}

std::string cdu_table(const Cluster& c, const Plan&, int zone) {
  const ZoneModel& z = c.zones[at(zone)];
  if (!z.spec || !z.spec->cdus) return {};
  const CduSet& set = *z.spec->cdus;
  const std::int64_t count = set.count.value_or(1);
  std::vector<std::string> feeds;
  for (const auto& f : set.feeds) feeds.push_back(f.value_or(""));
  const std::string from = feeds.empty() ? std::string("the spec names none") : join(feeds, ", "),
                    draws = z.cdu && z.cdu->power ? to_text(*z.cdu->power) : std::string("not stated");
  std::string out =
      "\n| CDU | place (x, y) | feeds | draws | cords: number, plug, breaker and its place | management port: switch, "
      "port, address | facility water: valves | running |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  const std::string model = set.model.value_or("CDU");
  for (std::int64_t i = 1; i <= (count > kMostRows ? 1 : count); ++i)
    out += markdown_row(
        {count > kMostRows ? format("{} x {}", count, model) : format("{} {} of {} ({})", z.name, i, count, model), "",
         from, draws, "", "", "", ""});
  return out + "\n";
}

std::string hose_table(const Cluster& c, const Plan& p, int zone) {
  std::vector<std::int64_t> racks;
  for (std::size_t r = 0; r < p.racks.size(); ++r)
    if (const auto n = static_cast<std::int64_t>(r); loop_of(c, n) == zone && !hoses_of(c, p, n).empty())
      racks.push_back(n);
  const ZoneModel& z = c.zones[at(zone)];
  const std::int64_t cdus = z.spec && z.spec->cdus ? z.spec->cdus->count.value_or(1) : 0;
  if (racks.empty() && cdus == 0) return {};
  std::string out =
      "\n| from | to | hoses | length of one, as measured | coupling there, coupling here | hung, labelled, locked |\n"
      "| --- | --- | ---: | --- | --- | --- |\n";
  const std::string far = "CDU or row manifold of loop " + z.name;
  const auto row = [&](const std::string& from, const std::string& to, std::int64_t hoses) {
    out += markdown_row({from, to, std::to_string(hoses), "", "", ""});
  };
  std::int64_t long_ones = 0, short_ones = 0;
  for (const std::int64_t r : racks) {
    const auto devices = (static_cast<std::int64_t>(hoses_of(c, p, r).size()) - 2) / 2;
    long_ones += 2;
    short_ones += 2 * devices;
    if (static_cast<std::int64_t>(racks.size()) > kMostRows) continue;
    row(devices > 0 ? "manifold of " + place_of(c, p, r) : place_of(c, p, r), far, 2);
    if (devices > 0)
      row(format("{} {} of {}", devices, devices == 1 ? "device" : "devices", c.rack_name(r)),
          "manifold of " + c.rack_name(r), 2 * devices);
  }
  if (static_cast<std::int64_t>(racks.size()) > kMostRows) {
    row(format("{} racks and frames (sheets in racks/)", racks.size()), far, long_ones);
    if (short_ones > 0) row("their devices", "manifold of the rack", short_ones);
  }
  if (cdus > 0) {
    row(format("{} {} of loop {}", cdus, cdus == 1 ? "CDU" : "CDUs", z.name), "facility water of the building",
        2 * cdus);
    row(format("{} {} of loop {}", cdus, cdus == 1 ? "CDU" : "CDUs", z.name), "row manifold, where there is one",
        2 * cdus);
  }
  return out + "\n";
}

}  // namespace clusterc
