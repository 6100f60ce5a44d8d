// The program that looks whether a machine has what it should have. Slurm's health check, its prolog and the role
// health_check of the plays run this one program: healthcheck.sh, with the group's list of looks as node.sh.
#pragma once
#include <string>
#include <string_view>

#include "compile/output.h"

namespace clusterc {

// Lines of node.sh: words of healthcheck.sh, which says what each of them looks for. `by_slurmd`: slurmd runs the
// program; it is not asked for, and how many GPUs answer stands beside their device files. What serves other machines
// from some of the group (slurmctld, slurmdbd, OpenSM) the role adds for its host: no job is kept away by it.
void append_looks(const CompileInput&, int group, bool by_slurmd, std::string& out);

// healthcheck.sh, with the header of the output that it is written for.
std::string health_check_script(const CompileInput&, std::string_view output_id);

// "#!/bin/sh", the header, the words on what it is for, and how PATH is set; `text` begins with a line end, has those
// words and "set -u" behind them.
std::string node_script(const CompileInput&, std::string_view output_id, std::string_view text);

}  // namespace clusterc
