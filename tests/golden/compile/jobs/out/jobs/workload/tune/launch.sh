#!/bin/bash
# made by clusterc from spec 'work'; do not edit: it follows from the spec
# shellcheck disable=SC2317,SC2329  # the trap calls the functions
# One on each node: DeepSpeed's own launcher, without ssh. Ranks follow Slurm's order of the nodes.
set -u
(trap '' USR1; exec deepspeed --hostfile "$CHECKPOINTS/hosts.$SLURM_JOB_ID" --no_ssh --node_rank "$SLURM_NODEID" \
  --master_addr "$MASTER_ADDR" --master_port "$MASTER_PORT" "$TRAIN" --deepspeed --deepspeed_config "$JOB_FOLDER/ds_config.json" "$@") &
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
  local pid inner
  for pid in $(children "$run"); do
    for inner in $(children "$pid"); do kill -USR1 "$inner"; done
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
