// A value that the reader rejected is absent for all that follows. What a rule then says of its absence, or computes
// from the default in its place, is no finding of the spec.
#pragma once
#include "diag/finding.h"

namespace clusterc {

// Takes out the findings of rules that follow from a rejected value: below the same object (networks.compute), warnings
// and notes, and errors that name its key. Key paths must be filled in (Finding::key_path).
void drop_what_follows_from_rejected(Findings&);

}  // namespace clusterc
