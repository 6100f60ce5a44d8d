# shellcheck shell=bash disable=SC2089,SC2090  # quotes in texts of the spec belong to them
# made by clusterc from spec 'once'; do not edit: it follows from the spec
# Read by job.sbatch; launch.sh and the training script get the variables.
export PLAN_NODES=1
export PLAN_PROCESSES=8
export PLAN_GPUS=8
export PLAN_CPUS=224
export PLAN_WORLD=8
export PLAN_CHECKPOINT_SECONDS=1800

: "${TRAIN:?the program is not set: TRAIN=/PATH/train.py sbatch job.sbatch}"
: "${CHECKPOINTS:?the folder of the checkpoints is not set, and the nodes share no file system of the spec: CHECKPOINTS=/PATH sbatch job.sbatch}"
export TRAIN CHECKPOINTS
if [ -z "${OMP_NUM_THREADS:-}" ]; then OMP_NUM_THREADS=14; fi
export OMP_NUM_THREADS
