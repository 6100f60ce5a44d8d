// What can be written and is hardly meant: a release that nobody published, a price ten times that of any country.
// Every one is a warning or less.
#pragma once
#include "diag/finding.h"
#include "spec/spec.h"

namespace clusterc {

void check_slips(const Spec&, Findings&);

}  // namespace clusterc
