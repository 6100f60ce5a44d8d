// Rows of the table of findings that stand in files of their own; finding_table.cc puts them together.
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

// By id.
inline constexpr std::string_view kSystemReporter = "the view of the deployed cluster";
std::span<const FindingRow> slurm_finding_rows();
std::span<const FindingRow> audit_finding_rows();
inline constexpr std::string_view kFileReporter = "`check` of a file that is no spec";
std::span<const FindingRow> file_finding_rows();

}  // namespace clusterc
