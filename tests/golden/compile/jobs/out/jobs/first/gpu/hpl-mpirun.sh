#!/bin/bash
# made by clusterc from spec 'work'; do not edit: it follows from the spec
# HPL over all nodes of the group, N and NB as in the HPL.dat beside it: 8 x 31 ranks, a GPU for each. HPL: the path of hpl.sh, of NVIDIA's HPC Benchmarks.
# Without Slurm, by Open MPI: HPL=/PATH/hpl.sh ./hpl-mpirun.sh HOSTFILE
# HOSTFILE: a line for each of 31 nodes, NODE slots=8
set -u
program=${HPL:?the program: HPL=/PATH/hpl.sh ./hpl-mpirun.sh HOSTFILE}
hosts=$(realpath -- "${1:?the file of the hosts}") || exit 2
shift
cd "$(dirname -- "$0")" || exit 1
exec mpirun -n 248 --hostfile "$hosts" --map-by ppr:8:node --bind-to none --wdir "$PWD" "$program" --dat "$PWD/HPL.dat" "$@"
