#!/bin/sh
# made by clusterc from spec 'quartet'; do not edit: use outputs.slurm.extra
# Slurm's HealthCheckProgram: looks for what the spec promises of this node (node.sh beside it).
#   healthcheck.sh           drains the node, with the reason, while something is missing; resumes it when all is there again. A node that
#                            somebody else drained stays drained.
#   healthcheck.sh --check   only says what is missing, and ends with 1
# shellcheck disable=SC2317  # node.sh calls the functions
set -u
PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
here=/etc/slurm
node=${SLURMD_NODENAME:-$(hostname -s)}
mark=/run/slurm/health.$node   # there while this script holds the node drained
asked=/run/slurm/asked.$node   # there once the controller was asked since the machine started: a start empties /run, and mends many a fault
found=
miss() { found=${found:-$1}; }
gpu_device() { [ -e "$1" ] || miss "$1 is missing"; }
# gpus COUNT TOOL: a GPU that fell off the bus keeps its device file and does not answer
gpus() {
  answers=$(timeout 30 "$2" --query-gpu=index --format=csv,noheader 2>/dev/null | grep -c '^[0-9]')
  [ "$answers" -eq "$1" ] || miss "$answers of $1 GPUs answer"
}
# amd_gpus FOLDER COUNT NUMBER...: the driver's list of GPUs has renderD of each of these numbers, and COUNT entries in all (0: not compared).
# Where it has others, a GPU is partitioned or the numbers are not those of gres.conf: Slurm keeps no job from what gres.conf does not list.
amd_gpus() {
  list=$(cat "$1"/*/properties 2>/dev/null | sed -n 's/^drm_render_minor \([1-9][0-9]*\)$/\1/p')
  count=$2
  shift 2
  answers=0
  for number in "$@"; do printf '%s\n' "$list" | grep -qx "$number" && answers=$((answers + 1)); done
  [ "$answers" -eq "$#" ] || miss "$answers of $# GPUs answer"
  all=$(printf '%s\n' "$list" | grep -c .)
  [ "$count" -eq 0 ] || [ "$all" -eq "$count" ] || miss "the driver lists $all GPUs and not $count"
}
gpu_instances() {
  answers=$(timeout 30 "$2" -L 2>/dev/null | grep -c '^ *MIG ')
  [ "$answers" -eq "$1" ] || miss "$answers of $1 MIG instances are there"
}
# mounted FOLDER: a server that is gone keeps whoever looks waiting, until it is killed
mounted() {
  { timeout -s KILL 20 mountpoint -q "$1"; } 2> /dev/null
  case $? in
    0) ;;
    124 | 137) miss "$1 does not answer" ;;
    *) miss "$1 is not mounted" ;;
  esac
}
scratch() { mounted "$1"; }
scratch_folder() { :; }
if [ -r "$here/node.sh" ]; then
  # shellcheck source=/dev/null
  . "$here/node.sh"
else
  miss "$here/node.sh is missing"
fi
if [ "${1:-}" = --check ]; then
  [ -z "$found" ] || { echo "$node: $found" >&2; exit 1; }
  exit 0
fi
reason() {
  shown=$(scontrol show node "$node") || return 1
  printf '%s\n' "$shown" | sed -n 's/^ *Reason=//p'
}
mkdir -p "${mark%/*}"
if [ -n "$found" ]; then
  case $(reason) in
    "health: $found"*) : > "$mark" ;;
    '' | "health: "*)
      scontrol update nodename="$node" state=drain reason="health: $found"
      : > "$mark" ;;
  esac
elif [ -e "$mark" ] || [ ! -e "$asked" ]; then
  why=$(reason) || exit 0   # nobody answers: next time
  case $why in
    "health: "*) scontrol update nodename="$node" state=resume ;;
  esac
  rm -f "$mark"
  : > "$asked"
fi
