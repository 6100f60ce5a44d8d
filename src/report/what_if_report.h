// What-if as text for people and as data (format "clusterc-what-if", version 1).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "plan/failures/what_if.h"

namespace clusterc {

// Single failures with the same outcome, as one row: the outcome of the first of them, and all their names as patterns.
struct WhatIfRow {
  WhatIf first;
  ComponentKind kind = ComponentKind::feed;
  std::int64_t count = 0;
  std::vector<std::string> names;  // "pdu/r[01-32]/{a,b,c}"
};
std::vector<WhatIfRow> single_failures(const WhatIfEngine&);  // worst first

std::string render_what_if_each_text(const WhatIfEngine&, const std::vector<WhatIfRow>&);
std::string render_what_if_each_json(const WhatIfEngine&, const std::vector<WhatIfRow>&, std::string_view spec_digest);
std::string render_what_if_text(const WhatIfEngine&, const WhatIf&);
std::string render_what_if_json(const WhatIfEngine&, const WhatIf&, std::string_view spec_digest);

// "pdu/r01/a", "pdu/r02/a", "pdu/r01/b", "pdu/r02/b" -> "pdu/r[01-02]/{a,b}"
std::vector<std::string> fold_objects(const std::vector<std::string>& names);

}  // namespace clusterc
