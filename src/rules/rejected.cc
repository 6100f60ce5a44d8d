#include "rules/rejected.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "rules/rule.h"

namespace clusterc {
namespace {

// Errors of the reader after which the value counts as absent.
constexpr std::array<std::string_view, 4> kRejections = {"spec-wrong-unit", "spec-wrong-type", "spec-missing-unit",
                                                         "spec-out-of-range"};

struct Rejected {
  std::string object;  // "networks.compute"
  std::string key;     // "mtu"
  std::string section = {};
};

// Sections whose entries are objects of their own.
constexpr std::array<std::string_view, 6> kOfObjects = {"networks",   "nodes",   "racks",
                                                        "assemblies", "storage", "workloads"};

// The section and the entry that a path lies in: "networks.compute.rate" -> "networks.compute". Empty: no such object.
std::string object_of(std::string_view path) {
  if (std::ranges::find(kOfObjects, path.substr(0, path.find('.'))) == kOfObjects.end()) return "";
  const std::size_t first = path.find('.');
  return std::string(path.substr(0, first == path.npos ? first : path.find('.', first + 1)));
}

bool lies_below(std::string_view path, std::string_view object) {
  return path.starts_with(object) && (path.size() == object.size() || path[object.size()] == '.');
}

bool names(const Finding& f, std::string_view key) {
  const std::string bare = format("`{}`", key), set = format("`{}:", key), inside = format("{{ {}:", key);
  const auto in = [&](std::string_view text) {
    return text.find(bare) != text.npos || text.find(set) != text.npos || text.find(inside) != text.npos;
  };
  const auto any = [&](const Remark& r) { return in(r.message) || in(r.label); };
  return in(f.message) || in(f.caret) || std::ranges::any_of(f.notes, any) || std::ranges::any_of(f.helps, any);
}

}  // namespace

void drop_what_follows_from_rejected(Findings& findings) {
  std::vector<Rejected> rejected;
  for (const Finding& f : findings.all())
    if (f.severity == Severity::error && !f.key_path.empty() &&
        std::ranges::find(kRejections, f.rule) != kRejections.end())
      rejected.push_back({object_of(f.key_path), f.key_path.substr(f.key_path.rfind('.') + 1),
                          f.key_path.substr(0, f.key_path.find('.'))});
  if (rejected.empty()) return;
  std::erase_if(findings.all(), [&](const Finding& f) {
    if (!find_rule(f.rule)) return false;
    return std::ranges::any_of(rejected, [&](const Rejected& r) {
      if (r.object.empty())
        return f.severity != Severity::error && names(f, r.key) && f.key_path.starts_with(r.section);
      return lies_below(f.key_path, r.object) && (f.severity != Severity::error || names(f, r.key));
    });
  });
}

}  // namespace clusterc
