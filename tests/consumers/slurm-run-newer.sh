#!/usr/bin/env bash
# output slurm: the same with slurmctld and slurmd 24.11 (Debian 13, unpacked by scripts/newer-slurm); 1 negative test
# heavy: two minutes; slurm-run shows the same with Slurm 22.05, and slurm-newer starts this one
# Skipped where that one is not there.
# lock: slurm-a
. "$(dirname "$0")/lib/common.bash" "$@"
. "$(dirname "$0")/lib/slurm_run.bash"
need slurmctld slurmd munged python3 nsenter
root=${CLUSTERC_NEWER_SLURM:-$src/build/newer-slurm/trixie}
[ -d "$root" ] || missing "no newer Slurm in build/newer-slurm/trixie: scripts/newer-slurm unpacks one"
slurm_life 24.11 --root "$root"
