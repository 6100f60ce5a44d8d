// An output: a family of compiled files for one consumer. Emitters are pure: Plan -> files in memory; they never touch
// the disk.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "compile/inventory.h"
#include "diag/finding.h"
#include "plan/plan.h"
#include "write/tree.h"

namespace clusterc {

struct CompileInput {
  const Cluster& cluster;
  const Plan& plan;
  std::string_view spec_digest;  // sha256 of the spec's text and all it names; not for what is written: each change of
                                 // the spec would change every file
  const OutputWish* wish = nullptr;      // `outputs:` of the spec for this output
  std::span<const Finding> accepted;     // stamped into what is compiled
  const Inventory* inventory = nullptr;  // MAC and GUID of single devices, where the spec names an inventory
  bool judging = false;  // only findings are asked for, nobody reads the files: what would stand there for each node
                         // may be left out
};

struct Output {
  std::string_view id;  // "slurm": name of its folder and of --only
  std::string_view summary;
  std::string_view consumers;                             // programs and versions that read it
  bool (*wanted)(const Cluster&);                         // does this cluster call for it?
  void (*emit)(const CompileInput&, Bundle&, Findings&);  // paths begin with "<id>/"
};

std::span<const Output* const> all_outputs();  // registry.cc, in the order users see
const Output* find_output(std::string_view id);

}  // namespace clusterc
