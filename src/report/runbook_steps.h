// The steps of runbook.md from power to acceptance: what lies where before the spec is compiled, the mirror, the
// machine that the others are installed from, nodes group by group, the plays, links, users and services. The cluster
// has no error: outputs rely on it. Only those that it calls for, in the order in which one rests on the other.
#pragma once
#include <string>

#include "system/system.h"

namespace clusterc {

std::string render_configuration_steps(
    const System&,
    int& section);  // section: the number of the last one before; then of the last one here

}  // namespace clusterc
