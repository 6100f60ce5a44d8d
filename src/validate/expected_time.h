// How long a test of the suite is expected to take, for `--dry-run` and `--time-budget`. Estimates: what a run really
// takes depends on the machine; docs/validate.md says how far they are off.
#pragma once
#include "validate/suite.h"

namespace clusterc {

// seconds = start + figures x length of a measurement, where figures follow each other on a node and the nodes measure
// at the same time, rounded up to whole seconds. `seconds`: of `--seconds`, 0: the validator's own.
double expected_seconds(const SuiteTest&, double seconds);

// What memtest takes beside its start where no length is given: a round of all its sweeps over four fifths of each
// memory, one GPU after the other. Whole seconds.
double memtest_round_seconds(const NodeGroupModel&, const ExpectedFigures&);

// What storage takes beside its figures: each of so many nodes moves its files, however short the measurements are.
// Whole seconds.
double storage_file_seconds(const Cluster&, const ExpectedFigures&, int system, std::size_t nodes);

// Of the tests that run.
double expected_seconds(const std::vector<SuiteTest>&);

}  // namespace clusterc
