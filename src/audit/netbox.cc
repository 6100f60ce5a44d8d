#include "audit/netbox.h"

#include <algorithm>
#include <optional>
#include <set>

#include "audit/planned_fabric.h"
#include "base/format.h"
#include "base/host_pattern.h"
#include "base/index.h"
#include "base/text.h"
#include "plan/equipment.h"

namespace clusterc {
namespace {

constexpr std::size_t kMostShown = 20;

// The fields of one row (RFC 4180); `at` moves behind it. A field in quotes may have line ends.
std::vector<std::string> read_row(std::string_view text, std::size_t& at) {
  std::vector<std::string> out(1);
  bool in_quotes = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (in_quotes) {
      if (c != '"')
        out.back() += c;
      else if (text.substr(at + 1).starts_with('"'))
        out.back() += '"', ++at;
      else
        in_quotes = false;
    } else if (c == '"') {
      in_quotes = true;
    } else if (c == ',') {
      out.emplace_back();
    } else if (c == '\n') {
      ++at;
      break;
    } else if (c != '\r') {
      out.back() += c;
    }
  }
  return out;
}

struct PlannedThing {
  std::string name, object, rack;
  std::int64_t unit = 0;
};

std::vector<PlannedThing> planned_things(const Plan& p) {
  const Cluster& c = *p.cluster;
  std::vector<PlannedThing> out;
  for (const NodeGroupModel& g : c.nodes) {
    if (g.server.virtual_machine) continue;
    for (std::int64_t i = 0; i < g.count; ++i) {
      const std::size_t node = at(g.first + i);
      PlannedThing one{g.names.name(i), p.node_object(g.first + i), {}, 0};
      if (node < p.node_rack.size() && p.node_rack[node] >= 0) one.rack = c.rack_name(p.node_rack[node]);
      if (node < p.node_unit.size()) one.unit = p.node_unit[node];
      out.push_back(std::move(one));
    }
  }
  for (std::size_t r = 0; r < p.racks.size(); ++r)
    for (const RackedDevice& d : p.racks[r].devices) {
      std::string name, object;
      if (d.kind == DeviceKind::storage) {
        object = "storage/" + c.storage[at(d.group)].name + "/" + std::to_string(d.index + 1);
        name = host_name_of(object);
      } else if (d.kind == DeviceKind::switch_) {
        name = p.switch_host_name(d.group, p.switch_ref(d.group, d.index));
        object = p.switch_name(d.group, p.switch_ref(d.group, d.index));
      } else {
        continue;
      }
      out.push_back({std::move(name), std::move(object), c.rack_name(static_cast<std::int64_t>(r)), d.unit});
    }
  return out;
}

std::string place_text(const std::string& rack, std::int64_t unit) {
  if (rack.empty()) return "no rack";
  return unit > 0 ? format("rack {}, unit {}", rack, unit) : "rack " + rack;
}

class Comparison {
 public:
  Comparison(const Plan& plan, const SeenNetbox& seen, Findings& findings)
      : plan_(plan), seen_(seen), findings_(findings) {}

  NetboxCounts compare() {
    if (seen_.has_devices) devices();
    if (seen_.has_cables) cables();
    return counts_;
  }

 private:
  void devices() {
    std::vector<std::string> missing;
    std::set<std::string> known;
    std::size_t shown = 0, otherwise = 0;
    Finding* last = nullptr;
    for (const PlannedThing& t : planned_things(plan_)) {
      ++counts_.devices;
      known.insert(to_lower(t.name));
      const auto found = seen_.devices.find(to_lower(t.name));
      if (found == seen_.devices.end()) {
        missing.push_back(t.name);
        continue;
      }
      const SeenNetbox::Device& d = found->second;
      const bool rack = !seen_.has_racks || to_lower(d.rack) == to_lower(t.rack);
      const bool unit = !seen_.has_positions || d.unit == t.unit;
      if (rack && unit) {
        ++counts_.same_devices;
        continue;
      }
      if (++otherwise > kMostShown) continue;
      ++shown;
      const std::int64_t most = seen_.has_positions ? 1 : 0;
      findings_
          .warning("audit-netbox-differs", d.span,
                   format("NetBox has '{}' in {}, the plan in {}", t.name, place_text(one_line(d.rack), d.unit * most),
                          place_text(t.rack, t.unit * most)))
          .object(t.object)
          .help("look at the rack, and correct NetBox, or write the place into the spec (`at`)");
      last = &findings_.all().back();
    }
    if (last && otherwise > shown) last->note({}, format("{} more devices are elsewhere", otherwise - shown));
    if (!missing.empty())
      findings_
          .warning("audit-netbox-differs", {seen_.file, 0, 0},
                   format("NetBox lacks {} planned {}: '{}'", missing.size(),
                          missing.size() == 1 ? "device" : "devices", fold_names(missing)))
          .help("clusterc plan SPEC -o DIR writes DIR/netbox/ for NetBox's import");
    std::vector<std::string> more;
    SourceSpan first;
    for (const auto& [name, d] : seen_.devices)
      if (!known.contains(name)) {
        if (more.empty()) first = d.span;
        more.push_back(d.name);
      }
    if (!more.empty())
      findings_.note("audit-netbox-differs", first,
                     format("NetBox has {} that {} no planned node, switch or storage system: '{}'",
                            more.size() == 1 ? "1 device" : format("{} devices", more.size()),
                            more.size() == 1 ? "is" : "are", fold_names(more)));
  }

  using Pair = std::pair<std::string, std::string>;
  static Pair pair_of(std::string_view a, std::string_view b) {
    std::string x = to_lower(a), y = to_lower(b);
    return x < y ? Pair(std::move(x), std::move(y)) : Pair(std::move(y), std::move(x));
  }

  void cables() {
    std::map<Pair, std::int64_t> planned, seen;
    std::map<Pair, SourceSpan> places;
    std::set<std::string> members;
    for (std::size_t f = 0; f < plan_.fabrics.size(); ++f) {
      for (const auto& [a, b] : planned_pairs(plan_, static_cast<int>(f))) {
        ++planned[pair_of(a, b)];
        ++counts_.cables;
        members.insert(to_lower(a)), members.insert(to_lower(b));
      }
    }
    for (const SeenNetbox::Cable& c : seen_.cables) {
      if (!members.contains(to_lower(c.a)) || !members.contains(to_lower(c.b))) continue;
      const Pair pair = pair_of(c.a, c.b);
      ++seen[pair];
      places.emplace(pair, c.span);
    }
    std::set<Pair> all;
    for (const auto& [pair, n] : planned) all.insert(pair);
    for (const auto& [pair, n] : seen) all.insert(pair);
    std::size_t differ = 0;
    Finding* last = nullptr;
    for (const Pair& pair : all) {
      const auto p = planned.find(pair), s = seen.find(pair);
      const std::int64_t want = p == planned.end() ? 0 : p->second, have = s == seen.end() ? 0 : s->second;
      counts_.same_cables += std::min(want, have);
      if (want == have || ++differ > kMostShown) continue;
      const auto place = places.find(pair);
      findings_
          .warning("audit-netbox-differs", place == places.end() ? SourceSpan{seen_.file, 0, 0} : place->second,
                   format("NetBox has {} between '{}' and '{}', the plan {}",
                          have == 0 ? "no cable" : format("{} cable{}", have, have == 1 ? "" : "s"), pair.first,
                          pair.second, want))
          .help("look at the cable, and correct NetBox; clusterc audit --fabric compares the cables that are there");
      last = &findings_.all().back();
    }
    if (last && differ > kMostShown) last->note({}, format("{} more pairs of devices differ", differ - kMostShown));
  }

  const Plan& plan_;
  const SeenNetbox& seen_;
  Findings& findings_;
  NetboxCounts counts_;
};

}  // namespace

bool read_netbox(const Sources& sources, FileId file, SeenNetbox& to, Findings& findings) {
  std::string_view text = sources.text(file);
  std::size_t at_byte = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  std::map<std::string, std::size_t, std::less<>> titles;
  const auto head = read_row(text, at_byte);
  for (std::size_t i = 0; i < head.size(); ++i) titles.emplace(replace_all(to_lower(trim(head[i])), " ", "_"), i);
  const auto column = [&](std::initializer_list<std::string_view> names) -> std::optional<std::size_t> {
    for (const std::string_view name : names)
      if (const auto found = titles.find(name); found != titles.end()) return found->second;
    return std::nullopt;
  };
  // The titles of NetBox's tables, and the fields of its import forms.
  const auto a = column({"side_a_device", "device_a"}), b = column({"side_b_device", "device_b"});
  const auto name = column({"name"}), rack = column({"rack"}), position = column({"position"});
  const bool is_cables = a && b, is_devices = name && column({"site"}) && column({"role", "device_role"});
  if (!is_cables && !is_devices) return false;
  if (to.file == kNoFile) to.file = file;
  to.has_cables |= is_cables;
  to.has_devices |= !is_cables;
  to.has_racks |= !is_cables && rack.has_value();
  to.has_positions |= !is_cables && position.has_value();
  std::size_t unread = 0;
  while (at_byte < text.size()) {
    const auto begin = static_cast<std::uint32_t>(at_byte);
    const std::vector<std::string> row = read_row(text, at_byte);
    const SourceSpan span{file, begin,
                          static_cast<std::uint32_t>(begin + trim(text.substr(begin, at_byte - begin)).size())};
    const auto field = [&](std::optional<std::size_t> i) {
      return i && *i < row.size() ? std::string(trim(row[*i])) : std::string();
    };
    if (row.size() == 1 && trim(row[0]).empty()) continue;
    if (is_cables) {
      SeenNetbox::Cable cable{field(a), field(b), span};
      if (!cable.a.empty() && !cable.b.empty()) to.cables.push_back(std::move(cable));
      continue;  // a cable with a free end, or to a circuit
    }
    SeenNetbox::Device d{one_line(field(name)), field(rack), 0, span};
    const std::string unit = field(position);  // "5.0", "5"
    if (!unit.empty())
      d.unit = static_cast<std::int64_t>(parse_uint(std::string_view(unit).substr(0, unit.find('.'))).value_or(0));
    if (d.name.empty() || !to.devices.emplace(to_lower(d.name), d).second) {
      if (++unread == 1)
        findings
            .warning("audit-capture-unread", span,
                     d.name.empty() ? std::string("this device has no name: it was not compared")
                                    : format("device '{}' stands twice: the first row counts", d.name))
            .help("name the device in NetBox, and export again");
    }
  }
  return true;
}

NetboxCounts compare_netbox(const Plan& plan, const SeenNetbox& seen, Findings& findings) {
  return Comparison(plan, seen, findings).compare();
}

}  // namespace clusterc
