#!/bin/bash
# made by clusterc from spec 'work'; do not edit: it follows from the spec
# HPL over all nodes of the group, N and NB as in the HPL.dat beside it: 8 x 16 ranks, a core for each. HPL: the path of xhpl.
# Without Slurm, by Open MPI: HPL=/PATH/xhpl ./hpl-mpirun.sh HOSTFILE
# HOSTFILE: a line for each of 2 nodes, NODE slots=64
set -u
program=${HPL:?the program: HPL=/PATH/xhpl ./hpl-mpirun.sh HOSTFILE}
hosts=$(realpath -- "${1:?the file of the hosts}") || exit 2
shift
cd "$(dirname -- "$0")" || exit 1
exec mpirun -n 128 --hostfile "$hosts" --map-by ppr:64:node --bind-to core -x OMP_NUM_THREADS=1 --wdir "$PWD" "$program" "$@"
