#!/usr/bin/env bash
# output slurm: slurmctld and four slurmd 22.05 (Debian 12) as virtual nodes through what happens to a cluster: a spare put into service over reconfigure and start, mounts lost during a job and hanging, the prolog's reason, nodes drained by an administrator, a GPU that comes late; 1 negative test
# lock: slurm-b
. "$(dirname "$0")/lib/common.bash" "$@"
. "$(dirname "$0")/lib/slurm_run.bash"
need slurmctld slurmd munged python3 nsenter
slurm_life 22.05
