// What the deployed cluster is, decided once between plan and outputs: outputs write it into files, reports print it,
// and none of them decides anything again. Each part has a header of its own in this folder.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/memo.h"
#include "plan/plan.h"
#include "system/inventory.h"

namespace clusterc {

struct System;

// What the system has to know of an output (compile/output.h): whether it is made, and for which groups it has files.
struct OutputKind {
  std::string_view id, summary;
  bool (*wanted)(const Cluster&) = nullptr;            // does this cluster call for it?
  bool (*serves)(const System&, int group) = nullptr;  // has it files for the nodes of this group? null: not asked
};

struct System {
  const Cluster& cluster;
  const Plan& plan;
  const Inventory* inventory = nullptr;  // MAC and GUID of single devices, where the spec names an inventory
  // SHA-256 of the spec's text and all it names. It marks places in texts, because no text of the spec can hold it.
  std::string_view spec_digest;
  std::vector<OutputKind> made;  // the outputs that this spec gets, whatever --only asks for today

  Memo memo;  // what several ask for is worked out once

  bool makes(std::string_view output_id) const;
  // Whether that output is made and has files for the nodes of a group.
  bool makes_for(std::string_view output_id, int group) const;
};

// `outputs`: all that clusterc has. Cluster, plan and inventory outlive the result.
System deploy(const Cluster&, const Plan&, std::span<const OutputKind> outputs, const Inventory* = nullptr,
              std::string_view spec_digest = {});

// `extra:` lines of the spec for one file of an output; null: none.
const std::vector<Value<std::string>>* extra_lines_of(const Cluster&, std::string_view output_id,
                                                      std::string_view file);

// Findings on names, addresses and the inventory: outputs rely on what these exclude.
void check_system(const System&, Findings&);
// What the compiled files need and do not contain. It is for whoever deploys them; nothing is wrong with the spec.
void note_what_is_left(const System&, Findings&);

}  // namespace clusterc
