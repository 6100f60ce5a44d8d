// All outputs of one compile: which are made, and what is said of those that are not.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/output.h"

namespace clusterc {

struct SiteTemplates;  // compile/site_templates.h

struct CompileWish {
  std::span<const Finding> accepted = {};        // stamped into what is compiled
  std::set<std::string, std::less<>> only = {};  // ids of outputs; empty: all
  const SiteTemplates* templates = nullptr;      // null: the spec names none
};

// Fills the bundle; with an error among the findings it is not to be written. Returns the outputs that `only` names and
// this cluster does not call for.
std::vector<std::string_view> compile_outputs(const System&, const CompileWish&, Bundle&, Findings&);
// The findings of that alone, from the same code, at little cost. The cluster has no error so far: outputs rely on it.
void judge_outputs(const System&, const CompileWish&, Findings&);

}  // namespace clusterc
