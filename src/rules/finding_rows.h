// Rows of the table of findings that no rule brings.
#pragma once
#include <span>
#include <string_view>

#include "rules/finding_table.h"

namespace clusterc {

struct FindingRow {
  std::string_view id;
  Severity severity;
  std::string_view reporter;
  Standing standing;
  std::string_view summary;
};

std::span<const FindingRow> audit_finding_rows();  // by id

}  // namespace clusterc
