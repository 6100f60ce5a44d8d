// Names that were almost certainly meant: what a fix may write in place of an unknown one.
#pragma once
#include <string_view>
#include <vector>

#include "diag/finding.h"

namespace clusterc {

// Few slips (two, in words of less than five letters one), none of them in a digit, and no second name of `known` as
// near.
bool almost_certainly(std::string_view word, std::string_view meant, const std::vector<std::string_view>& known);

// "did you mean 'x'?" where a name is near, "'x' or 'y'?" where two are as near, at most three; and what an editor
// offers in place of `word`. False: nothing is near.
bool offer_names(Finding&, std::string_view word, const std::vector<std::string_view>& known);

// The same, and the fix that writes it where it is almost certainly meant and `at` is the place of `word`
// alone (with its quotes, if it has some).
void suggest(Finding&, SourceSpan at, std::string_view word, const std::vector<std::string_view>& known);

// Where nothing is near: what there is, as long as that is few.
void list_known(Finding&, std::string_view word, const std::vector<std::string_view>& known);

}  // namespace clusterc
