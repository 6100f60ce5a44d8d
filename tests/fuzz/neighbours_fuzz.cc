// Any bytes at all as what a device sees by LLDP, and as a topology graph of NetQ: findings and links lie inside the
// text, no port has two links, and each planned cable of a small fabric is accounted for.
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "audit/fabric_audit.h"
#include "audit/neighbours.h"
#include "broken.h"

namespace {

using namespace clusterc;

// One leaf with two hosts, called as the corpus calls them.
PlannedFabric small_fabric() {
  PlannedFabric out;
  out.network = "compute";
  out.devices = {{"leaf/compute/01", "leaf1", 0, 0, 0}, {"node/h/1", "h1", -1, 0, 1}, {"node/h/2", "h2", -1, 0, 1}};
  out.places.assign(out.devices.size(), "rack r1, unit 1");
  for (std::int32_t n = 0; n < 2; ++n) out.cables.push_back({1 + n, 0, 0, n + 1, BitsPerSecond(400e9), "compute/1"});
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Sources sources;
  Findings findings;
  const FileId file = sources.add("leaf1.json", text);
  const SeenFabric seen = read_neighbours(sources, {{file, "leaf1"}}, {{"leaf1"}, {"h1", "h2"}, 1}, findings);
  std::set<std::pair<std::int32_t, std::string>> ports;
  const auto count = static_cast<std::int32_t>(seen.devices.size());
  for (const SeenLink& l : seen.links) {
    if (l.a < 0 || l.b < 0 || l.a >= count || l.b >= count) broken("a link without a device", text);
    if (l.span.end > text.size()) broken("a link outside the text", text);
    const bool loop = l.a == l.b && l.a_name == l.b_name;
    if (!ports.emplace(l.a, l.a_name).second || (!loop && !ports.emplace(l.b, l.b_name).second))
      broken("two links of one port", text);
  }
  const PlannedFabric plan = small_fabric();
  const FabricMatch match = match_fabric(seen, plan);
  AuditedFabric audited{seen, plan, match, compare_fabric(seen, plan, match), 0};
  const FabricDifferences& d = audited.differences;
  const std::set<std::int32_t> absent(d.absent.begin(), d.absent.end()), unseen(d.unseen.begin(), d.unseen.end());
  std::int64_t there = 0;
  for (std::int32_t c = 0; c < 2; ++c) there += !unseen.contains(c) && !absent.contains(0) && !absent.contains(1 + c);
  if (d.right + d.unjudged + static_cast<std::int64_t>(d.moves.size() + d.missing.size()) != there)
    broken("a planned cable is lost, or counted twice", text);
  report_fabric(audited, file, findings);
  for (const Finding& f : findings.all())
    if (f.span.file != file || f.span.begin > f.span.end || f.span.end > text.size() || f.message.empty())
      broken("a finding without a place in the text", text);
  return 0;
}

#include "fuzz_main.h"
