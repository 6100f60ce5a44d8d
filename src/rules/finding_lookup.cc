// A finding by its id, or a rule by its code too.
#include <algorithm>

#include "rules/finding_table.h"

namespace clusterc {

const FindingKind* find_finding_kind(std::string_view name) {
  const auto table = all_finding_kinds();
  const auto at = std::ranges::find_if(
      table, [&](const FindingKind& k) { return k.id == name || (!k.code.empty() && k.code == name); });
  return at == table.end() ? nullptr : &*at;
}

}  // namespace clusterc
