# For tests/consumers/slurm-run*.sh: what a cluster lives through, on a virtual Slurm (tests/consumers/specs/slurm-spares.yaml): spares, a file
# system that goes and comes back, nodes that somebody drained, a GPU that comes late.
# slurm_life RELEASE OPTIONS-OF-UP...
slurm_life() {
  local release=$1 rc
  shift
  kept=none   # the reason of a node that was resumed
  [ "$release" = 22.05 ] || kept='@(none|health: *|Prolog error*|new memory|ask Eve)'   # 24.11 still shows the last one that was set
  sed "s/version: 22.05/version: $release/" "$src/tests/consumers/specs/slurm-spares.yaml" > "$work/spec.yaml"
  cp -r "$src/tests/consumers/specs/slurm-parts" "$work"
  out=$work/tree
  "$bin" compile "$work/spec.yaml" -o "$out" > "$work/compile.log" 2>&1 || { cat "$work/compile.log" >&2; fail "clusterc compile slurm-spares.yaml"; }
  grep -q "^# for Slurm $release$" "$out/slurm/slurm.conf" || fail "slurm.conf is not for $release"
  run=$work/run
  trap '"$src/tests/virtual-slurm/down" "$run"' EXIT
  "$src/tests/virtual-slurm/up" "$out" "$run" --owner $$ --wait 150 "$@"
  rc=$?
  [ $rc -eq 77 ] && exit 77
  [ $rc -eq 0 ] || fail "the virtual Slurm did not come up"
  root=
  [ "${1:-}" = --root ] && root=$2
  # Fakes, where a node looks first: a file server that is gone keeps who looks waiting while run/hung.NODE is there; slurmctld does not answer
  # while run/mute.NODE is there.
  printf '#!/bin/sh\nif [ -e "%s/run/hung.$(hostname)" ]; then exec sleep 1000; fi\nexec /usr/bin/mountpoint "$@"\n' "$run" > "$run/bin/mountpoint"
  printf '#!/bin/sh\nif [ -e "%s/run/mute.$(hostname)" ]; then exit 1; fi\nexec /usr/bin/scontrol "$@"\n' "$run" > "$run/bin/scontrol"
  # Each look at the driver of a node is a check of it.
  printf '#!/bin/sh\ncase "$*" in *driver_version*) echo x >> "%s/run/looked.$(hostname)" ;; esac\nexec "%s/dev/nvidia-smi.all" "$@"\n' "$run" "$run" > "$work/nvidia-smi"
  mv "$run/dev/nvidia-smi" "$run/dev/nvidia-smi.all" && chmod +x "$work/nvidia-smi" && mv "$work/nvidia-smi" "$run/dev/nvidia-smi"
  chmod +x "$run"/bin/*
  spares_stay_in_service
  lost_mount_during_a_job
  hanging_mounts
  prolog_and_its_reason
  drained_by_an_administrator
  late_gpu
  "$src/tests/virtual-slurm/down" "$run"
}
ctl() { timeout 60 "$run/enter" "$@"; }
state() { ctl sinfo -h -n "$1" -o '%T %E' | head -1; }
job() { ctl scontrol show job "$1" | tr ' ' '\n' | sed -n "s/^$2=//p" | head -1; }
batch() { ctl sbatch --parsable --output=/dev/null "$@" --wrap="touch $run/run/started.\$SLURM_JOB_ID; sleep 600"; }
# A job RUNNING may still be in its prolog.
runs() { wait_for 20 "$1" "[ -e $run/run/started.$2 ] && job $2 JobState" RUNNING; }
# wait_for SECONDS WHAT COMMAND WANTED: seconds as on an idle machine, four times that on one that is not
wait_for() {
  local until=$((SECONDS + 4 * $1)) got
  while [ $SECONDS -le $until ]; do
    got=$(eval "$3")
    # shellcheck disable=SC2053
    [[ $got == $4 ]] && { say "$2: $got"; return; }
    sleep 0.5
  done
  fail "$2 is '$got' after $((4 * $1)) s, expected '$4'"
}
# stays WHAT COMMAND WANTED: over three checks
stays() {
  local checks
  checks=$(looked n2)
  wait_for 30 "checks of n2 meanwhile" "[ \$((\$(looked n2) - $checks)) -ge 3 ] && echo three" three
  equal "$1" "$(eval "$2")" "$3"
}
looked() { grep -c . "$run/run/looked.$1" 2> /dev/null; }
# in_node NODE COMMAND...: in the mount namespace of its slurmd
in_node() { local node=$1; shift; nsenter -m -t "$(pid_of slurmd "$node")" "$@"; }
pid_of() {   # PROGRAM NODE
  local pid argv0   # not comm: 24.11 calls its main thread otherwise
  for pid in $(awk -v p="$1" '$1 == "pid" && $3 == p { print $2 }' "$run/virtual-slurm.state"); do
    IFS= read -r -d '' argv0 2> /dev/null < "/proc/$pid/cmdline" || argv0=
    if [ "${argv0##*/}" = "$1" ] && { [ "$1" != slurmd ] || tr '\0' ' ' < "/proc/$pid/cmdline" | grep -q -- "-N $2 "; }; then echo "$pid"; return; fi
  done
}
unmount() { in_node "$1" umount "$root/home" || fail "umount on $1"; }
remount() { in_node "$1" mount --bind "$root/home" "$root/home" || fail "mount on $1"; }

spares_stay_in_service() {
  equal "n4 at the first start" "$(state n4)" "drained spare"
  ctl /etc/slurm/spares.sh > "$work/spares" 2>&1 || fail "spares.sh, a second time: $(cat "$work/spares")"
  equal "a second run says" "$(cat "$work/spares")" ""
  ctl scontrol update nodename=n4 state=resume
  local on_n4
  on_n4=$(batch -N1 --exclusive -w n4)
  runs "a job on the spare that was put into service" "$on_n4"
  ctl scontrol reconfigure
  sleep 3
  equal "n4 after scontrol reconfigure" "$(state n4)" "allocated none"
  restart_slurmctld
  wait_for 30 "n4 after a start of slurmctld" "state n4" "allocated none"
  ctl /etc/slurm/spares.sh > "$work/spares" 2>&1 || fail "spares.sh, a third time: $(cat "$work/spares")"
  equal "n4 after a third run" "$(state n4)" "allocated none"
  equal "its job" "$(job "$on_n4" JobState)" RUNNING
  ctl scancel "$on_n4"
  wait_for 20 "n4 without the job" "state n4" "idle none"
  # whoever puts it back takes it out again by hand, and nobody resumes it
  ctl scontrol update nodename=n4 state=drain reason=spare
  # broken twin: the line that was compiled before
  cp "$run/etc/slurm.conf" "$work/without"
  ctl scontrol update nodename=n4 state=resume
  echo 'DownNodes=n4 State=DRAIN Reason=spare' >> "$run/etc/slurm.conf"
  ctl scontrol reconfigure
  wait_for 10 "broken twin: with a DownNodes line n4 is" "state n4" "drained spare"
  cp "$work/without" "$run/etc/slurm.conf"
  ctl scontrol reconfigure
  sleep 2
  ctl scontrol update nodename=n4 state=resume
  wait_for 10 "n4 in service" "state n4" "idle *"   # 24.11 keeps the reason of the line that is gone
}
restart_slurmctld() {
  local old pid
  old=$(pid_of slurmctld ctl)
  kill "$old"
  for _ in $(seq 100); do [ -e "/proc/$old" ] || break; sleep 0.2; done
  setsid "$run/as" ctl slurmctld -D < /dev/null >> "$run/log/ctl.slurmctld.out" 2>&1 &
  pid=$!
  echo "pid $pid slurmctld" >> "$run/virtual-slurm.state"
  wait_for 30 "slurmctld, started again" 'ctl scontrol ping 2> /dev/null | grep -o "is UP"' "is UP"
  wait_for 30 "nodes that it has not heard" 'ctl sinfo -h -N -o %T | grep -c "\*"' 0
}

lost_mount_during_a_job() {
  local on_n1
  on_n1=$(batch -N1 --exclusive -w n1)
  runs "a job on n1" "$on_n1"
  unmount n1
  wait_for 20 "n1 without /home" "state n1" "draining health: /home is not mounted"
  equal "its job" "$(job "$on_n1" JobState)" RUNNING
  remount n1
  wait_for 20 "n1 with /home again" "state n1" "allocated $kept"
  equal "its job" "$(job "$on_n1" JobState)" RUNNING
  ctl scancel "$on_n1"
  wait_for 20 "n1 without the job" "state n1" "idle $kept"
}

hanging_mounts() {
  touch "$run/run/hung.n2"
  # 30 s for the looks; slurmctld never has to kill the check
  wait_for 50 "n2 when its file servers are gone" "state n2" "drained health: /home does not answer; /opt does not answer"
  rm "$run/run/hung.n2"
  wait_for 50 "n2 when they are back" "state n2" "idle $kept"
  grep -hE "health.*(timed out|killed|timeout)" "$run"/log/n2.log && fail "slurmd killed a health check"
  wait_for 30 "looks that are left" 'pgrep -fc "^sleep 1000"' 0
}

checks() {   # SECONDS: how often Slurm looks; 0: never
  sed -i "s/^HealthCheckInterval=.*/HealthCheckInterval=$1/" "$run/etc/slurm.conf"
  ctl scontrol reconfigure
  sleep 3
}
prolog_and_its_reason() {
  local queued
  checks 0
  unmount n1
  queued=$(ctl sbatch --parsable --output=/dev/null -N1 -w n1 --wrap=true)
  wait_for 20 "n1 when only the prolog looked" "state n1" "drained health: /home is not mounted"
  sleep 5   # what Slurm itself says of a prolog that failed comes after it
  equal "n1 some seconds later" "$(state n1)" "drained health: /home is not mounted"
  grep -q "Prolog launch failure" "$run/log/slurmctld.log" || fail "no prolog failed"
  equal "the job" "$(job "$queued" JobState)" PENDING
  ctl scancel "$queued"
  remount n1
  checks 2
  wait_for 20 "n1 with /home again" "state n1" "idle $kept"
  # slurmctld does not answer the prolog: the reason is Slurm's own, and the health check knows why
  checks 0
  unmount n1
  touch "$run/run/mute.n1"
  queued=$(ctl sbatch --parsable --output=/dev/null -N1 -w n1 --wrap=true)
  wait_for 30 "n1 when the prolog could not say why" "state n1" "drained Prolog error"
  rm "$run/run/mute.n1"
  ctl scancel "$queued"
  checks 2
  wait_for 20 "n1 once the health check may" "state n1" "drained health: /home is not mounted"
  remount n1
  wait_for 20 "n1 with /home again" "state n1" "idle $kept"
  # a prolog of somebody else that failed is not ours to mend
  ctl scontrol update nodename=n1 state=drain reason="Prolog error"
  stays "n1 after another prolog's error" "state n1" "drained Prolog error"
  ctl scontrol update nodename=n1 state=resume
}

drained_by_an_administrator() {
  ctl scontrol update nodename=n2 state=drain reason="new memory"
  stays "n2, drained by hand" "state n2" "drained new memory"
  unmount n2
  stays "n2, drained by hand, without /home" "state n2" "drained new memory"
  remount n2
  stays "n2, drained by hand, with /home again" "state n2" "drained new memory"
  ctl scontrol update nodename=n2 state=resume
  wait_for 10 "n2, resumed by hand" "state n2" "idle $kept"
  # a reason that an administrator gives behind the health check's
  unmount n2
  wait_for 20 "n2 without /home" "state n2" "drained health: /home is not mounted"
  ctl scontrol update nodename=n2 reason="health: /home is not mounted; ticket 7"
  remount n2
  stays "n2, whose reason somebody wrote on" "state n2" "drained health: /home is not mounted; ticket 7"
  ctl scontrol update nodename=n2 reason="ask Eve"
  stays "n2 with another reason" "state n2" "drained ask Eve"
  # the file server goes and comes back for all: only that node stays out
  local n
  for n in n1 n2 n3 n4; do touch "$run/run/hung.$n"; done
  for n in n1 n3 n4; do wait_for 50 "$n when the file servers are gone" "state $n" "drained health: /home does not answer; /opt does not answer"; done
  rm "$run"/run/hung.*
  for n in n1 n3 n4; do wait_for 50 "$n when they are back" "state $n" "idle $kept"; done
  equal "n2 after all that" "$(state n2)" "drained ask Eve"
  ctl scontrol update nodename=n2 state=resume
  wait_for 10 "n2, resumed by hand" "state n2" "idle $kept"
}

# As systemd does with the settings of the unit, where no systemd runs: again after RestartSec when it ended with an error, if Restart says so;
# with StartLimitIntervalSec=0 as often as it takes.
unit() { sed -n "s/^$1=//p" "$out/slurm/nodes/gpu.conf"; }
late_gpu() {
  local old
  mv "$run/dev/nvidia1" "$work/nvidia1"
  old=$(pid_of slurmd n3)
  kill "$old"
  for _ in $(seq 100); do [ -e "/proc/$old" ] || break; sleep 0.2; done
  printf '#!/bin/sh\nwhile true; do\n  "%s/as" n3 slurmd -D -N n3 && exit\n  [ "%s" = on-failure ] && [ "%s" = 0 ] || exit\n  echo ended; sleep %s\ndone\n' "$run" "$(unit Restart)" "$(unit StartLimitIntervalSec)" "$(unit RestartSec)" > "$work/unit"
  chmod +x "$work/unit"
  setsid "$work/unit" < /dev/null > "$work/unit.log" 2>&1 &
  local unit_pid=$!
  wait_for 40 "slurmd without one of its GPUs" 'grep -qs "fatal: can.t stat gres.conf file" "$run/log/n3.log" && grep -c ended "$work/unit.log" > /dev/null && echo ended' ended
  mv "$work/nvidia1" "$run/dev/nvidia1"
  wait_for 60 "n3 when the GPU is there" "state n3" "idle $kept"
  equal "GPUs of n3" "$(ctl scontrol show node n3 | grep -o 'Gres=gpu:l40s:[0-9]')" "Gres=gpu:l40s:2"
  kill -- -$unit_pid 2> /dev/null
  kill "$(pgrep -f "slurmd -D -N n3" | head -1)" 2> /dev/null
  for n in n1 n2 n4; do wait_for 20 "$n, which missed it too" "state $n" "idle $kept"; done
}
