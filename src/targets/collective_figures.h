// Expected figures of collectives: one metric has one in each scope (node, nvlink-domain, whole), and each is of a
// plateau that short messages do not reach.
#pragma once
#include <optional>
#include <string_view>

#include "targets/targets.h"

namespace clusterc {

// `scope` empty: the first of this test and group, whatever its scope. nullptr: none.
const ExpectedFigure* figure_in_scope(const ExpectedFigures&, std::string_view test, std::string_view group,
                                      std::string_view scope);

// The share of a published plateau that a healthy system reaches with so large a message; nothing where no curve of
// this collective is published.
std::optional<double> share_of_plateau(const Cluster&, const ExpectedFigure&, Bytes message);

}  // namespace clusterc
