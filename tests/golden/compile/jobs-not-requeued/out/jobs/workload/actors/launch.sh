#!/bin/bash
# made by clusterc from spec 'once'; do not edit: it follows from the spec
# One on each node: Ray's head on the first, workers on the others, and the script on the first once all have joined.
set -u
trap '' USR1
end=$CHECKPOINTS/.ended.$SLURM_JOB_ID.${SLURM_RESTART_COUNT:-0}
words=(ray symmetric-run --address "$MASTER_ADDR:$MASTER_PORT" --min-nodes "$SLURM_NNODES" --num-cpus "$PLAN_CPUS" --num-gpus "$PLAN_GPUS"
  -- "${PYTHON:-python3}" "$TRAIN" "$@")
if [ "$SLURM_NODEID" = 0 ]; then
  "${words[@]}"
  status=$?
  : > "$end"
  exit "$status"
fi
"${words[@]}" &
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
until [ -e "$end" ]; do
  kill -0 "$run" 2> /dev/null || { wait "$run"; exit; }
  sleep 5
done
for pid in $(children "$run"); do kill -TERM "$pid"; done
wait "$run"
exit 0
