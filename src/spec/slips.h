// What can be written and is hardly meant: a release that nobody published, a price ten times that of any country.
// Every one is a warning or less.
#pragma once
#include "diag/finding.h"
#include "spec/spec.h"
#include "yaml/document.h"

namespace clusterc {

void check_slips(const Spec&, Findings&);
// A size of LINPACK without a unit is the order N of HPL.dat: the finding that says so gets the size in bytes.
void help_with_orders(const Document&, Findings&);

}  // namespace clusterc
