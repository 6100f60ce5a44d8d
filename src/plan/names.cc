// Names of objects (docs/names.md). None depends on a count or on another object: two digits are the least that a
// number has, never the most that the plan needs now.
#include <charconv>

#include "plan/equipment.h"

namespace clusterc {
namespace {

void append_number(std::int64_t n, std::string& out) {  // 5 -> "05", 128 -> "128"
  char text[24];
  if (n < 10) out += '0';
  out.append(text, std::to_chars(text, text + sizeof text, n).ptr);
}
void append_plain(std::int64_t n, std::string& out) {
  char text[24];
  out.append(text, std::to_chars(text, text + sizeof text, n).ptr);
}

}  // namespace

std::string Plan::switch_name(int fabric, SwitchRef r) const {
  const Fabric& f = fabrics[fabric];
  if (r.tier < 0 || r.tier >= static_cast<int>(f.tiers.size())) return {};
  std::string out = f.tiers[r.tier].word;
  out += '/';
  out += f.name;
  out += '/';
  if (f.planes > 1) {
    out += "plane";
    append_plain(r.index / f.per_plane(r.tier) + 1, out);
    out += '/';
    r.index %= f.per_plane(r.tier);
  }
  switch (r.tier) {
    case 0:
      if (const LeafGroup* own = f.leaf_group(r.index)) {
        out += own->name;
        out += '/';
        if (own->each == 1) {
          append_number(r.index - own->first + 1, out);
        } else {
          out += 'u';
          append_plain((r.index - own->first) / own->each + 1, out);
          out += '/';
          out += static_cast<char>('a' + (r.index - own->first) % own->each);
        }
      } else if (f.leaves_per_unit == 1) {
        append_number(r.index + 1, out);
      } else {
        if (f.tiers[0].word != "switch") {
          out += 'u';
          append_plain(f.unit_of_leaf(r.index) + 1, out);
          out += '/';
        }
        if (f.rail_optimised) {
          out += 'r';
          append_plain(f.rail_of_leaf(r.index) + 1, out);
        } else {
          out += static_cast<char>('a' + f.rail_of_leaf(r.index));  // at most eight links in a bond
        }
      }
      break;
    case 1:
      if (f.tiers.size() > 2) {
        out += "pod";
        append_plain(r.index / f.spines_per_pod + 1, out);
        out += '/';
        append_number(r.index % f.spines_per_pod + 1, out);
      } else {
        append_number(r.index + 1, out);
      }
      break;
    default:
      out += 'p';
      append_plain(r.index / f.cores_per_group + 1, out);
      out += '/';
      append_number(r.index % f.cores_per_group + 1, out);
  }
  return out;
}

std::string Plan::switch_host_name(int fabric, SwitchRef r) const { return host_name_of(switch_name(fabric, r)); }

std::string Plan::node_object(std::int64_t node) const {
  const int group = cluster->node_group_of(node);
  if (group < 0) return {};
  const NodeGroupModel& g = cluster->nodes[static_cast<std::size_t>(group)];
  return "node/" + g.name + "/" + g.names.suffix(node - g.first);
}

}  // namespace clusterc
