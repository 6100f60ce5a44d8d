# shellcheck shell=bash disable=SC2089,SC2090  # quotes in texts of the spec belong to them
# made by clusterc from spec 'work'; do not edit: it follows from the spec
# Read by job.sbatch; launch.sh and the training script get the variables.
export PLAN_NODES=4
export PLAN_PROCESSES=8
export PLAN_GPUS=8
export PLAN_CPUS=224
export PLAN_WORLD=32
# tensor x pipeline x context x data = processes; data x micro batch x accumulation = batch, in sequences. Rank = tensor + TENSOR x (context + CONTEXT x (data + DATA x pipeline))
export PLAN_TENSOR=4
export PLAN_PIPELINE=2
export PLAN_CONTEXT=1
export PLAN_DATA=4
export PLAN_EXPERT=1
export PLAN_INTERLEAVE=2
export PLAN_MICRO_BATCH=2
export PLAN_ACCUMULATION=16
export PLAN_BATCH=128
export PLAN_SEQUENCE=8192
export PLAN_SHARDED=optimizer
export PLAN_RECOMPUTE=full
export PLAN_RECOMPUTE_LAYERS=4
export PLAN_CHECKPOINT_STEPS=795
export PLAN_CHECKPOINT_SECONDS=3580

if [ -z "${TRAIN:-}" ]; then TRAIN=/home/nlp/pretrain_gpt.py; fi
if [ -z "${CHECKPOINTS:-}" ]; then CHECKPOINTS=/scratch/"${USER:-$(id -un)}"/checkpoints/some; fi
export TRAIN CHECKPOINTS
if [ -z "${OMP_NUM_THREADS:-}" ]; then OMP_NUM_THREADS=14; fi
export OMP_NUM_THREADS
export CUDA_DEVICE_MAX_CONNECTIONS=1
