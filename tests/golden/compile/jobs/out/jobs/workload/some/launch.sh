#!/bin/bash
# made by clusterc from spec 'work'; do not edit: it follows from the spec
# shellcheck disable=SC2317,SC2329  # the trap calls the functions
# One on each node. torchrun starts a process for each GPU; ranks follow Slurm's order of the nodes.
set -u
arguments=()
while IFS= read -r word; do
  case $word in '' | '#'*) ;; *) arguments+=("$word") ;; esac
done < "$JOB_FOLDER/megatron.args"
arguments+=(--save "$CHECKPOINTS" --load "$CHECKPOINTS")
(trap '' USR1; exec torchrun --nnodes="$SLURM_NNODES" --nproc-per-node="$PLAN_PROCESSES" --node-rank="$SLURM_NODEID" \
  --master-addr="$MASTER_ADDR" --master-port="$MASTER_PORT" --max-restarts=0 "$TRAIN" "${arguments[@]}" "$@") &
run=$!
# children PID
children() {
  local stat line
  for stat in /proc/[0-9]*/stat; do
    { read -r line < "$stat"; } 2> /dev/null || continue
    line=${line##*) }        # state, parent, …: the name in front of it can hold anything
    line=${line#* }
    if [ "${line%% *}" = "$1" ]; then stat=${stat#/proc/}; echo "${stat%%/*}"; fi
  done
}
# The processes that train save and end when they get this signal.
tell() {
  local pid
  for pid in $(children "$run"); do
    kill -TERM "$pid"
  done
}
trap tell USR1
wait "$run"
status=$?
while kill -0 "$run" 2> /dev/null; do
  wait "$run"
  status=$?
done
exit "$status"
