# shellcheck shell=bash disable=SC2089,SC2090  # quotes in texts of the spec belong to them
# made by clusterc from spec 'once'; do not edit: it follows from the spec
# Read by job.sbatch; launch.sh and the training script get the variables.
export PLAN_NODES=1
export PLAN_PROCESSES=4
export PLAN_GPUS=4
export PLAN_CPUS=224
export PLAN_WORLD=4
# tensor x pipeline x context x data = processes; data x micro batch x accumulation = batch, in sequences. Rank = tensor + TENSOR x (context + CONTEXT x (data + DATA x pipeline))
export PLAN_TENSOR=1
export PLAN_PIPELINE=1
export PLAN_CONTEXT=1
export PLAN_DATA=4
export PLAN_EXPERT=1
export PLAN_INTERLEAVE=1
export PLAN_MICRO_BATCH=1
export PLAN_ACCUMULATION=8
export PLAN_BATCH=32
export PLAN_SEQUENCE=2048
export PLAN_SHARDED=none
export PLAN_RECOMPUTE=none
export PLAN_CHECKPOINT_STEPS=4661
export PLAN_CHECKPOINT_SECONDS=1800

: "${TRAIN:?the program is not set: TRAIN=/PATH/train.py sbatch job.sbatch}"
: "${CHECKPOINTS:?the folder of the checkpoints is not set, and the nodes share no file system of the spec: CHECKPOINTS=/PATH sbatch job.sbatch}"
export TRAIN CHECKPOINTS
if [ -z "${OMP_NUM_THREADS:-}" ]; then OMP_NUM_THREADS=28; fi
export OMP_NUM_THREADS
