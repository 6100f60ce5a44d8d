// What templates of the spec's folder know of the cluster (docs/templates.md): the spec with all that was derived, its
// nodes, everything that has an address.
#pragma once
#include "compile/output.h"
#include "template/value.h"

namespace clusterc {

// `spec`, `nodes`, `hosts`: read from the cluster and the plan as they are asked for; both outlive the values.
std::vector<std::pair<std::string, TemplateValue>> template_names(const System&);

}  // namespace clusterc
