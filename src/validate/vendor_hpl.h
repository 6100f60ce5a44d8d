// LINPACK with a vendor's program in place of clusterc-hpl: NVIDIA's hpl.sh, AMD's run_rochpl, xhpl on hosts.
#pragma once
#include <string>
#include <vector>

#include "targets/targets.h"
#include "validate/suite.h"

namespace clusterc {

// Which one a node group takes.
LinpackProgram linpack_program(const NodeGroupModel&);

// Turns the test of clusterc-hpl into one of `program`: ranks, memory, how long it may take; `figure`: what is
// expected.
void take_vendor_hpl(SuiteTest&, const NodeGroupModel&, const ExpectedFigure* figure, const std::string& program);

// Of a run on so many nodes.
LinpackInput vendor_input(const SuiteTest&, std::size_t nodes);
// A shell that makes HPL.dat in a folder of its own and starts the program there: each rank one.
std::vector<std::string> vendor_command(const SuiteTest&, std::size_t nodes);

}  // namespace clusterc
