# shellcheck shell=bash disable=SC2089,SC2090  # quotes in texts of the spec belong to them
# made by clusterc from spec 'work'; do not edit: it follows from the spec
# Read by job.sbatch; launch.sh and the training script get the variables.
export PLAN_NODES=2
export PLAN_PROCESSES=64
export PLAN_GPUS=0
export PLAN_CPUS=128
export PLAN_WORLD=128

: "${TRAIN:?the program is not set: TRAIN=/PATH/program sbatch job.sbatch}"
export TRAIN
if [ -z "${IMAGE:-}" ]; then IMAGE=/home/solver.sif; fi
export SHARED_MOUNTS=/home:/home,/scratch:/scratch,
if [ -z "${OMP_NUM_THREADS:-}" ]; then OMP_NUM_THREADS=1; fi
export OMP_NUM_THREADS
