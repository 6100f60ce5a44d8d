// The files of the output slurm, each by a function of its own.
#pragma once
#include "compile/output.h"
#include "system/slurm.h"
#include "system/slurm_power.h"

namespace clusterc {

void emit_reservations(const CompileInput&, const SlurmFacts&, Bundle&);
// spares.sh, where nodes are held back.
void emit_spares(const CompileInput&, const SlurmFacts&, Bundle&);
// topology.yaml, or topology.conf; whether it is topology.conf, which takes extra lines.
bool emit_topology(const CompileInput&, const SlurmFacts&, Bundle&, Findings&);
// slurmdbd.conf and accounts.sh.
void emit_accounting(const CompileInput&, const SlurmFacts&, Bundle&, Findings&);
// Whether nodes of some group have scratch of their own, where each job has a folder.
bool has_scratch(const CompileInput&, const SlurmFacts&);
// Where the nodes of a group mount scratch of their own, the first of them; empty: they have none.
std::string scratch_of(const CompileInput&, const SlurmNodes&);
// prolog.sh, epilog.sh, healthcheck.sh, and for each node group what they look for.
void emit_node_scripts(const CompileInput&, const SlurmFacts&, Bundle&, Findings&);
// power/: programs that start and end instances, where the spec names none of its own.
void emit_power(const CompileInput&, const SlurmPower&, Bundle&);
// Says which nodes extra lines of slurm.conf name that it does not define; needs facts.nodes.
void check_extra_nodes(const CompileInput&, const SlurmFacts&, Findings&);

}  // namespace clusterc
