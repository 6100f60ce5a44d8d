// Findings that are no rules': of the reader, of the inventory, of the outputs. They have no page and no code, cannot
// be accepted, and each has one line here.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace clusterc {

struct OtherFinding {
  std::string_view name;       // "spec-unknown-key"; what stands before the first '-' says who reports it
  std::string_view means;      // one line
  std::string source() const;  // who reports it
};

std::span<const OtherFinding> other_findings();  // by name
const OtherFinding* find_other_finding(std::string_view name);

}  // namespace clusterc
