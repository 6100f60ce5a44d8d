// An output: a family of compiled files for one consumer. Emitters are pure: System -> files in memory; they never
// touch the disk.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/finding.h"
#include "system/system.h"
#include "write/tree.h"

namespace clusterc {

struct CompileInput {
  explicit CompileInput(const System& of, const OutputWish* asked = nullptr, std::span<const Finding> stamped = {},
                        bool only_findings = false)
      : system(of), cluster(of.cluster), plan(of.plan), wish(asked), accepted(stamped), judging(only_findings) {}

  const System& system;
  const Cluster& cluster;             // of the system
  const Plan& plan;                   // likewise
  const OutputWish* wish;             // `outputs:` of the spec for this output
  std::span<const Finding> accepted;  // stamped into what is compiled
  // Only the findings are wanted: an emitter may leave out the text of each single node.
  bool judging;
};

struct Output {
  std::string_view id;  // "slurm": name of its folder and of --only
  std::string_view summary;
  std::string_view consumers;                             // programs and versions that read it
  bool (*wanted)(const Cluster&);                         // does this cluster call for it?
  bool (*serves)(const System&, int group) = nullptr;     // has it files for the nodes of a group? null: not asked
  void (*emit)(const CompileInput&, Bundle&, Findings&);  // paths begin with "<id>/"
};

std::span<const Output* const> all_outputs();  // registry.cc, in the order users see
const Output* find_output(std::string_view id);
std::span<const OutputKind> output_kinds();  // of all outputs, as the system asks of them

}  // namespace clusterc
