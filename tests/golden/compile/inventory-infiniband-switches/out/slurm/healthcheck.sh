#!/bin/sh
# made by clusterc from spec 'cabled'; do not edit: use outputs.slurm.extra
# Checks this machine against the spec; node.sh beside it lists the checks. All checks run at the same time.
#   healthcheck.sh                 Slurm's HealthCheckProgram: drains the node while something is missing, with a reason
#                                  that begins with "health: ", and resumes it when nothing is missing. It does not
#                                  change a node with any other reason.
#   healthcheck.sh --prolog        the same before a job: drains, ends with status 1, and never resumes
#   healthcheck.sh --drain FAULT   drains the node because the prolog failed
#   healthcheck.sh --check [FILE]  only prints what is missing, one line each, and ends with status 1; FILE replaces
#                                  node.sh
#   healthcheck.sh --list [FILE]   the same on standard output, without the name of the node
#   healthcheck.sh --look ...      one check, for the other modes
# shellcheck disable=SC2317  # node.sh calls the functions
set -u
PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
here=/etc/slurm
# Slurm kills the program after 60 s (slurm.conf(5), HealthCheckProgram). A check without an answer `budget` seconds after
# the start counts as missing; the script waits for slurmctld three times `patience` seconds at most: 30 + 3 x 8 = 54.
budget=30 patience=8
node=${SLURMD_NODENAME:-$(uname -n | sed 's/[.].*//')}

# ---- checks: each prints what is missing, or nothing ---------------------------------------------------------------
# gpus COUNT TOOL: a GPU that fell off the bus keeps its device file and does not answer
look_gpus() {
  answers=$("$2" --query-gpu=index --format=csv,noheader 2> /dev/null | grep -c '^[0-9]')
  [ "$answers" -eq "$1" ] || echo "$answers of $1 GPUs answer"
}
# amd_gpus FOLDER COUNT NUMBER...: the driver's list of GPUs has renderD of each of these numbers, and COUNT entries in all (0: not compared).
# Other numbers mean that a GPU is partitioned or that gres.conf is wrong: Slurm confines no job to devices that
# gres.conf does not list.
look_amd_gpus() {
  list=$(cat "$1"/*/properties 2> /dev/null | sed -n 's/^drm_render_minor \([1-9][0-9]*\)$/\1/p')
  count=$2
  shift 2
  answers=0
  for number in "$@"; do printf '%s\n' "$list" | grep -qx "$number" && answers=$((answers + 1)); done
  [ "$answers" -eq "$#" ] || echo "$answers of $# GPUs answer"
  all=$(printf '%s\n' "$list" | grep -c .)
  [ "$count" -eq 0 ] || [ "$all" -eq "$count" ] || echo "the driver lists $all GPUs and not $count"
}
# gpu_instances COUNT TOOL PROFILE
look_gpu_instances() {
  answers=$("$2" -L 2> /dev/null | grep -c "^ *MIG $(printf %s "${3:-}" | sed 's/[.+]/[&]/g')")
  [ "$answers" -eq "$1" ] || echo "$answers MIG instances ${3:-} of $1"
}
# gpu_driver RELEASE TOOL
look_gpu_driver() {
  driver=$("$2" --query-gpu=driver_version --format=csv,noheader 2> /dev/null | sed -n 1p)
  case $driver. in "$1".*) ;; *) echo "GPU driver '$driver' and not $1" ;; esac
}
# mig_off TOOL: a GPU of the Ampere generation keeps the MIG mode over a reinstallation, and runs nothing without instances
look_mig_off() {
  [ "$("$1" --query-gpu=mig.mode.current --format=csv,noheader 2> /dev/null | grep -cx Enabled)" -eq 0 ] ||
    echo "MIG is on, and not asked for: cluster-mig off, or nvidia-smi -mig 0"
}
# gpu_fabric TOOL: GPUs behind NVSwitches work after the fabric manager has registered them, else CUDA returns error
# 802. Generations
# before Hopper have no such state, N/A; drivers before 525 do not show it.
look_gpu_fabric() {
  outside=$("$1" -q 2> /dev/null |
    sed -n '/^ *Fabric *$/,/^ *Status *:/{s/^ *State *: *//p; s/^ *Status *: *//p}' | grep -Evix 'Completed|Success|N/A|Not Supported' | sort | uniq -c | tr -s ' \n' ' ')
  [ -z "$outside" ] || echo "GPUs outside the NVLink fabric:${outside% }"
}
# memory MIB: at least so much; a failed module is missing after the next boot
look_memory() {
  kib=$(sed -n 's/^MemTotal: *\([0-9]*\) kB$/\1/p' /proc/meminfo)
  [ "$((${kib:-0} / 1024))" -ge "$1" ] || echo "$((${kib:-0} / 1024)) MiB of memory, $1 at least"
}
# link PORT
look_link() { [ "$(cat "/sys/class/net/$1/operstate" 2> /dev/null)" = up ] || echo "link $1 is not up"; }
# ib_ports COUNT RATE: COUNT InfiniBand ports are active at RATE Gb/s or more. The kernel does not tell which port is which.
look_ib_ports() {
  active=0 others=
  for port in /sys/class/infiniband/*/ports/*; do
    [ "$(cat "$port/link_layer" 2> /dev/null)" = InfiniBand ] || continue
    state=$(cat "$port/state" 2> /dev/null) rate=$(cat "$port/rate" 2> /dev/null)   # "4: ACTIVE", "400 Gb/sec (4X NDR)"
    rate=${rate%%[!0-9]*} device=${port%/ports/*}
    if [ "${state#*: }" = ACTIVE ] && [ "${rate:-0}" -ge "$2" ]; then active=$((active + 1)); continue; fi
    others="$others, ${device##*/} port ${port##*/} ${state#*: } ${rate:-0} Gb/s"
  done
  [ "$active" -ge "$1" ] || echo "$active of $1 InfiniBand ports active at $2 Gb/s$others"
}
# daemon UNIT [PROCESS]: without systemd, look for the process
look_daemon() {
  state=$(systemctl is-active "$1" 2> /dev/null)
  case $state in
    active | reloading) return ;;
    '') [ -n "${2:-}" ] || return ;;
    *) echo "$1 does not run"; return ;;
  esac
  for comm in /proc/[0-9]*/comm; do
    if read -r name < "$comm" && [ "$name" = "$2" ]; then return; fi
  done 2> /dev/null
  echo "$1 does not run"
}
# mounted FOLDER
look_mounted() { mountpoint -q "$1" || echo "$1 is not mounted"; }
# scratch FOLDER: is mounted, and a folder can be created in it, as the prolog does
look_scratch() {
  missing=$(look_mounted "$1")
  if [ -z "$missing" ]; then takes_folders "$1"; else echo "$missing"; fi
}
# scratch_folder FOLDER: the spec does not name its drives, so that its mount is not checked
look_scratch_folder() {
  [ "$(id -u)" = 0 ] || return
  mkdir -p "$1"
  takes_folders "$1"
}
takes_folders() {
  [ "$(id -u)" = 0 ] || return
  made=$(mktemp -d "$1/.health.XXXXXX") && rmdir "$made" || echo "no folder can be made in $1"
}

# --look SINCE LOCK KIND WORD...: if another run makes the same check now, its answer counts if it is newer than the start
# of this run (SINCE). Each process of the check holds the lock.
if [ "${1:-}" = --look ]; then
  since=$2 lock=$3 kind=$4
  shift 4
  exec 9>> "$lock.lock"
  if ! flock -n 9; then
    flock 9
    # shellcheck disable=SC3013  # dash and bash have -nt
    if [ "$lock.answer" -nt "$since" ]; then cat "$lock.answer"; exit; fi
  fi
  rm -f "$lock.answer"
  "look_$kind" "$@" > "$lock.part"
  cat "$lock.part"
  mv -f "$lock.part" "$lock.answer"
  exit
fi

# ---- a run: all checks, until the last one has answered or the budget is used --------------------------------------
kept=/run/cluster-health/$node   # state that is kept until the next boot
if [ "$(id -u)" = 0 ]; then
  (umask 077; mkdir -p "$kept")
  find "$kept" -maxdepth 1 -name 'check.*' -mmin +10 -exec rm -rf {} + 2> /dev/null   # of runs that were killed
  out=$(mktemp -d "$kept/check.XXXXXX") || exit 1
else
  out=$(mktemp -d) || exit 1
  kept=$out
fi
trap 'rm -rf "$out"' EXIT
looks=0
: > "$out/0"
miss() { printf '%s\n' "$1" >> "$out/0"; }
# start FAULT KIND WORD...: a check in parallel with the others; until it has ended, its answer is FAULT
start() {
  looks=$((looks + 1))
  printf '%s\n' "$1" > "$out/$looks"
  shift
  lock=$kept/look.$(printf %s "$*" | cksum | tr -cd 0-9)
  { timeout -s KILL "$budget" sh "$0" --look "$out/$looks" "$lock" "$@" > "$out/$looks.part" && mv "$out/$looks.part" "$out/$looks"; } < /dev/null > /dev/null 2>&1 &
}
gpu_device() { [ -e "$1" ] || miss "$1 is missing"; }
gpus() { start "GPUs do not answer" gpus "$@"; }
amd_gpus() { start "GPUs do not answer" amd_gpus "$@"; }
gpu_instances() { start "MIG instances do not answer" gpu_instances "$@"; }
gpu_driver() { start "the GPU driver does not answer" gpu_driver "$@"; }
mig_off() { start "the MIG mode of GPUs is not known" mig_off "$@"; }
gpu_fabric() { start "the fabric state of GPUs is not known" gpu_fabric "$@"; }
memory() { start "the size of the memory is not known" memory "$@"; }
link() { start "link $1 does not answer" link "$@"; }
ib_ports() { start "InfiniBand ports do not answer" ib_ports "$@"; }
daemon() { start "$1 does not answer" daemon "$@"; }
mounted() { start "$1 does not answer" mounted "$@"; }
scratch() { start "$1 does not answer" scratch "$@"; }
scratch_folder() { start "$1 does not answer" scratch_folder "$@"; }
case ${1:-} in
  --drain) miss "$2" ;;
  *)
    list=$here/node.sh
    case ${1:-} in --check | --list) list=${2:-$list} ;; esac
    if [ -r "$list" ]; then
      # shellcheck source=/dev/null
      . "$list"
    else
      miss "$list is missing"
    fi ;;
esac
{ wait; } 2> /dev/null
n=0
found=$(while [ "$n" -le "$looks" ]; do cat "$out/$n"; n=$((n + 1)); done)
case ${1:-} in
  --list) [ -z "$found" ] || { printf '%s\n' "$found"; exit 1; }; exit 0 ;;
  --check | --prolog) [ -z "$found" ] || printf '%s\n' "$found" | sed "s|^|$node: |" >&2 ;;
esac
case ${1:-} in
  --check) [ -z "$found" ] || exit 1; exit 0 ;;
  --prolog) [ -n "$found" ] || exit 0 ;;
esac

# ---- slurmctld: queried and updated by one run at a time -----------------------------------------------------------
drained=$kept/drained   # the reason, while this script holds the node drained
prolog=$kept/prolog     # exists since the prolog rejected a job
asked=$kept/asked       # exists if slurmctld was queried since the boot: a boot empties /run, and clears many faults
control() { timeout -s KILL "$patience" scontrol "$@"; }
ask() {
  shown=$(control show node "$node" 2> /dev/null) || return 1
  state=$(printf '%s\n' "$shown" | sed -n 's/^ *State=\([^ ]*\).*/\1/p')
  reason=$(printf '%s\n' "$shown" | sed -n 's/^ *Reason=\(.*\)/\1/p' | sed 's/ *\[[^][ ]*@[^][ ]*\]$//')
}
# Is the reason one of this script? It is equal to the stored reason; after a boot it only begins like one. If slurmctld
# did not answer the prolog, it is the reason that Slurm gives a node whose prolog failed.
is_ours() {
  case $reason in
    "health: "*) [ ! -s "$drained" ] || [ "$reason" = "$(cat "$drained")" ] ;;
    "Prolog error") [ -e "$prolog" ] ;;
    *) false ;;
  esac
}
exec 8> "$kept/lock"
flock -w "$patience" 8 || [ -n "$found" ] || exit 0
if [ -n "$found" ]; then
  count=$(printf '%s\n' "$found" | grep -c .)
  why="health: $(printf '%s\n' "$found" | sed -n '1h; 2,3H; ${ g; s/\n/; /g; p; }' | tr -c 'A-Za-z0-9 ./:_,;()+@\n-' '?')"
  [ "$count" -le 3 ] || why="$why; and $((count - 3)) more"
  case ${1:-} in --prolog | --drain) : > "$prolog" ;; esac
  if ask; then
    told=no
    case $state in
      *DRAIN* | *DOWN* | *FAIL*) if [ -n "$reason" ] && { ! is_ours || [ "$reason" = "$why" ]; }; then told=yes; fi ;;
    esac
    if [ $told = no ]; then
      control update nodename="$node" state=drain reason="$why" && printf '%s\n' "$why" > "$drained"
    fi
  fi
  case ${1:-} in --prolog) exit 1 ;; esac
elif [ -e "$drained" ] || [ -e "$prolog" ] || [ ! -e "$asked" ]; then
  ask || exit 0   # slurmctld does not answer: next time
  case $state in
    *DRAIN*) if is_ours; then control update nodename="$node" state=resume || exit 0; fi ;;
  esac
  rm -f "$drained" "$prolog"
  : > "$asked"
fi
exit 0
