// Any bytes at all as a dump of each program that describes a fabric, compared with a small planned one: findings lie
// inside the text, each link joins two devices and no port has two, a planned device is one seen device at most, and
// every planned cable is right, not judged, moved, missing, seen by neither end, or of a device that is not there. A
// spec is written from it, or an error says why not.
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "audit/fabric_audit.h"
#include "audit/fabric_dump.h"
#include "audit/fabric_spec.h"
#include "audit/port_counters.h"
#include "base/format.h"
#include "broken.h"

namespace {

using namespace clusterc;

// Two leaves, one spine, three members on both leaves; called as the corpus calls them.
PlannedFabric small_fabric() {
  PlannedFabric out;
  out.network = "compute";
  out.rails = true;
  out.devices = {{"leaf/compute/u1/r1", "leaf-rail-1", 0, 0, 0},
                 {"leaf/compute/u1/r2", "leaf-compute-u1-r2", 0, 0, 0},
                 {"spine/compute/01", "spine-1", 1, 0, 0},
                 {"node/n/1", "n1", -1, 0, 2},
                 {"node/n/2", "n2", -1, 0, 2},
                 {"node/n/3", "m3", -1, 0, 2}};
  out.places.assign(out.devices.size(), "rack r1, unit 1");
  for (std::int32_t n = 0; n < 3; ++n)
    for (std::int32_t r = 0; r < 2; ++r)
      out.cables.push_back({3 + n, r, r, n + 1, BitsPerSecond(400e9), format("compute/{}", r + 1)});
  for (std::int32_t r = 0; r < 2; ++r)
    for (int k = 0; k < 2; ++k) out.cables.push_back({r, 2, 33 + k, 1, BitsPerSecond(400e9), {}});
  return out;
}

using Read = SeenFabric (*)(const Sources&, FileId, Findings&);

// As a dump of one program: devices, links and the comparison with a small plan agree with each other.
void as_dump(const std::string& text, Read read) {
  Sources sources;
  Findings findings;
  const FileId file = sources.add("fabric.txt", text);
  const SeenFabric seen = read(sources, file, findings);
  std::set<std::pair<std::int32_t, std::int64_t>> ports;
  const auto count = static_cast<std::int32_t>(seen.devices.size());
  for (const SeenLink& l : seen.links) {
    if (l.a < 0 || l.b < 0 || l.a >= count || l.b >= count) broken("a link without a device", text);
    if (!ports.emplace(l.a, l.a_port).second ||
        (!(l.a == l.b && l.a_port == l.b_port) && !ports.emplace(l.b, l.b_port).second))
      broken("two links of one port", text);
  }
  const PlannedFabric plan = small_fabric();
  const FabricMatch match = match_fabric(seen, plan);
  std::set<std::int32_t> switches;
  for (std::size_t d = 0; d < seen.devices.size(); ++d)
    if (const std::int32_t p = match.planned[d]; p >= 0 && plan.devices[static_cast<std::size_t>(p)].tier >= 0)
      if (!switches.insert(p).second) broken("two devices for one planned switch", text);
  AuditedFabric audited{seen, plan, match, compare_fabric(seen, plan, match), 0};
  const FabricDifferences& d = audited.differences;
  std::set<std::int32_t> absent(d.absent.begin(), d.absent.end());
  std::int64_t there = 0;
  std::set<std::int32_t> unseen(d.unseen.begin(), d.unseen.end());
  for (std::int32_t c = 0; c < static_cast<std::int32_t>(plan.cables.size()); ++c) {
    const PlannedCable& cable = plan.cables[static_cast<std::size_t>(c)];
    there += !unseen.contains(c) && !absent.contains(cable.near) && !absent.contains(cable.far);
  }
  if (d.right + d.unjudged + static_cast<std::int64_t>(d.moves.size() + d.missing.size()) != there)
    broken("a planned cable is lost, or counted twice", text);
  report_fabric(audited, file, findings);
  for (const Finding& f : findings.all())
    if (f.span.file != file || f.span.begin > f.span.end || f.span.end > text.size() || f.message.empty())
      broken("a finding without a place in the text", text);
  static Sources parts;
  static Findings of_parts;
  static Catalog catalog(parts, of_parts);
  std::string error;
  if (spec_of_fabric(seen, "fabric.txt", catalog, error).empty() == error.empty())
    broken("neither a spec nor an error, or both", text);
  report_counters(seen, findings);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const Read read : {Read(read_ibnetdiscover), Read(read_iblinkinfo), Read(read_ibdiagnet_lst),
                          Read(read_ibdiagnet_csv), Read(read_counters)})
    as_dump(text, read);
  return 0;
}

#include "fuzz_main.h"
