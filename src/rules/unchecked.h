// Notes that only say which key a check wants: many of them hide the findings of a spec. A reader gets one line for
// each section, with the keys; `--verbose` and the formats for machines have each note.
#pragma once
#include <string>
#include <vector>

#include "diag/finding.h"

namespace clusterc {

struct UncheckedSection {
  std::string section;            // "nodes"; first key of the places of its notes
  std::vector<std::string> keys;  // "`inlet_min`", each once, in the order of the notes
  std::size_t checks = 0;
  std::string text()
      const;  // "nodes: 3 checks were not made for want of `inlet_min` and `psus` (--verbose lists them)"
};

// Whether the note says only that something was not checked, and which key is missing.
bool wants_a_key(const Finding&);
// Takes such notes out, and gives what they were about, by section in the order of the findings.
std::vector<UncheckedSection> fold_unchecked(Findings&);

}  // namespace clusterc
