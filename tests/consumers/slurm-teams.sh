#!/usr/bin/env bash
# output slurm: slurmdbd with MariaDB, two slurmctld, four slurmd and srun 22.05 (Debian 12) as virtual nodes: teams as accounts.sh says, MPI jobs on fake GPUs bound to devices, environment and cores as planned, quotas of two teams, a job within one leaf, a drained and a failed node, a take-over; 4 negative tests
# One compiled cluster on this machine, used as its users would: tests/consumers/specs/slurm-teams.yaml, where the figures are worked out by hand.
# lock: slurm-b
# waits: 10 s of CPU time in two minutes
. "$(dirname "$0")/lib/common.bash" "$@"
need slurmctld slurmd slurmdbd sacctmgr mariadbd munged srun setpriv python3 shellcheck mpicc
compile_spec slurm-teams
for file in "$out"/slurm/*.sh "$out"/slurm/nodes/*.sh; do shellcheck -S style "$file" || fail "shellcheck does not like ${file##*/}"; done
equal "mode of slurmdbd.conf" "$(stat -c %a "$out/slurm/slurmdbd.conf")" 600
mpicc -O1 -o "$work/where" "$src/tests/consumers/lib/where.c" || fail "mpicc"
chmod 755 "$work"
run=$work/run
trap '"$src/tests/virtual-slurm/down" "$run"' EXIT
bring_up() {
  "$src/tests/virtual-slurm/up" "$out" "$run" --users "ada grace" --owner $$ "$@"
  rc=$?
  [ $rc -eq 77 ] && exit 77
  [ $rc -eq 0 ] || fail "the virtual Slurm did not come up"
}
bring_up --confined --backup
python3 "$src/tests/virtual-slurm/overlay.py" --compare "$out/slurm" "$run/etc" || fail "the overlay changed more than its keys"
from=ctl1   # where commands are given
ctl() { timeout 60 "$run/as" $from "$@"; }
as_user() { local user=$1; shift; ctl setpriv --reuid="$user" --regid=100 --clear-groups env -C / "$@"; }
batch() { local user=$1; shift; as_user "$user" sbatch --parsable --output=/dev/null "$@" --wrap="sleep 300"; }
field() { ctl scontrol show job "$1" | tr ' ' '\n' | sed -n "s/^$2=//p" | head -1; }
# wait_for SECONDS WHAT COMMAND WANTED
wait_for() {
  local until=$((SECONDS + 4 * $1)) got   # seconds as on an idle machine, four times that on one that is not
  while [ $SECONDS -le $until ]; do
    got=$(eval "$3")
    # shellcheck disable=SC2053
    [[ $got == $4 ]] && { say "$2: $got"; return; }
    sleep 0.2
  done
  fail "$2 is '$got' after $((4 * $1)) s, expected '$4'"
}

# ---- what the scheduler has is what the plan has, and each daemon what its file says -------------------------------------------------
"$bin" plan "$spec" -o "$work/book" > "$work/plan.log" 2>&1 || fail "clusterc plan"
"$bin" catalog generic-2u-pcie4 > "$work/part.yaml"
ctl scontrol show nodes -o > "$work/nodes"
ctl scontrol show topology > "$work/topology"
python3 "$src/tests/consumers/lib/slurm_agrees.py" "$work/book" "$out" "$work/part.yaml" "$work/nodes" "$work/topology" || fail "plan, files and daemons disagree"
equal "accounting is held by" "$(ctl scontrol show config | sed -n 's/^AccountingStorageHost *= //p')" ctl1

# ---- accounts.sh, twice: the second time it changes nothing ----------------------------------------------------------------------------
dump() {
  ctl sacctmgr -nP list association format=cluster,account,user,partition,qos,defaultqos,fairshare,maxsubmitjobs | grep -v '|root|' | sort
  ctl sacctmgr -nP list qos format=name,grptres | sort
}
ctl /etc/slurm/accounts.sh > "$work/accounts.log" 2>&1 || fail "accounts.sh: $(tail -3 "$work/accounts.log")"
dump > "$work/dump.1"
ctl /etc/slurm/accounts.sh > "$work/accounts.log" 2>&1 || fail "accounts.sh, a second time: $(tail -3 "$work/accounts.log")"
dump > "$work/dump.2"
cmp "$work/dump.1" "$work/dump.2" || fail "accounts.sh is not the same twice"
equal "teams, shares, users and quotas" "$(grep -v '^shared|root\|^normal' "$work/dump.1" | tr '\n' ' ')" \
  "shared|nlp|ada|gpu|nlp.gpu|nlp.gpu|1|6 shared|nlp|grace|gpu|nlp.gpu|nlp.gpu|1|6 shared|nlp|||normal||400|6 shared|physics|ada|gpu|physics.gpu|physics.gpu|1|6 shared|physics|||normal||600|6 nlp.gpu|gres/gpu=6 physics.gpu|gres/gpu=4 "
as_user grace sbatch -A physics -N1 --wrap=true > "$work/stranger.log" 2>&1 && fail "grace ran a job for a team that is not hers"
say "a job for another team is refused: $(tail -1 "$work/stranger.log")"

# ---- MPI on fake GPUs: device files and environment, seen from inside --------------------------------------------------------------------
devices=$(echo "$run"/dev/nvidia{0,1,2,3})
# shellcheck disable=SC2086
where() { of_mpi as_user ada srun --mpi=pmix "$@" "$work/where" $devices; }
# A task with one GPU on each socket; the device that it may open (ENXIO: there is no driver behind it) is the one of its core; a task sees one GPU.
equal "two tasks a node, a GPU each" "$(where -A physics -N2 --ntasks-per-node=2 --gpus-per-task=1 2>&1)" \
"rank=0 host=n1 cpus=0 visible=0 switch=lan-spine.leaf-lan-01.n1 sum=6 open=ENXIO,EPERM,EPERM,EPERM
rank=1 host=n1 cpus=1 visible=0 switch=lan-spine.leaf-lan-01.n1 sum=6 open=EPERM,EPERM,ENXIO,EPERM
rank=2 host=n2 cpus=0 visible=0 switch=lan-spine.leaf-lan-01.n2 sum=6 open=ENXIO,EPERM,EPERM,EPERM
rank=3 host=n2 cpus=1 visible=0 switch=lan-spine.leaf-lan-01.n2 sum=6 open=EPERM,EPERM,ENXIO,EPERM"
equal "two GPUs in one task" "$(where -A physics -N1 -n1 --gpus=2 2>&1 | sed 's/host=n[1-4] //; s/switch=.* sum/sum/')" "rank=0 cpus=0 visible=0,1 sum=0 open=ENXIO,ENXIO,EPERM,EPERM"
equal "no GPU asked for" "$(where -A physics -N1 -n1 2>&1 | sed 's/.*visible/visible/; s/switch=.* sum/sum/')" "visible=- sum=0 open=EPERM,EPERM,EPERM,EPERM"

# ---- quotas: 4 GPUs for physics, 6 for nlp, though 16 are there -----------------------------------------------------------------------------
first=$(batch ada -A physics -N1 -n1 --gpus=4)
over=$(batch ada -A physics -N1 -n1 --gpus=1)
other=$(batch grace -A nlp -N2 -n2 --gpus-per-node=2)
third=$(batch grace -A nlp -N1 -n1 --gpus=3)
wait_for 20 "physics, 4 GPUs" 'field $first JobState' RUNNING
# By hand: a node has 2 threads, 1792 MiB and 4 GPUs, and counts as 2. One task has one thread and 896 MiB, each half of a node; the sum of the parts would be 4.
equal "4 GPUs and one thread are billed as" "$(field "$first" TRES | grep -o 'billing=[0-9]*')" "billing=2"
wait_for 20 "nlp, 4 GPUs" 'field $other JobState' RUNNING
wait_for 20 "physics, a fifth GPU" 'echo $(field $over JobState) $(field $over Reason)' "PENDING QOSGrpGRES"
wait_for 20 "nlp, 3 GPUs more" 'echo $(field $third JobState) $(field $third Reason)' "PENDING QOSGrpGRES"
ctl scancel "$first"
wait_for 20 "physics, when its first job is gone" 'field $over JobState' RUNNING
equal "longest time of a job" "$(field "$over" TimeLimit)" 01:00:00
for _ in 1 2 3 4 5; do batch grace -A nlp -N1 --gpus=1 > /dev/null 2>> "$work/submit.log"; done
grep -q "AssocMaxSubmitJobLimit" "$work/submit.log" || fail "a seventh job of one user in one team was taken: $(tail -1 "$work/submit.log")"
say "a seventh job of a user in a team is refused: $(tail -1 "$work/submit.log")"
ctl scancel --user=ada && ctl scancel --user=grace
wait_for 20 "jobs left" 'ctl squeue -h | wc -l' 0

# ---- a job that fits one leaf stays in it: n1 is taken, n2 stands alone, n3 and n4 share a leaf ---------------------------------------------
blocker=$(batch root -A root -N1 --exclusive -w n1)
wait_for 20 "a job on n1" 'field $blocker JobState' RUNNING
pair=$(batch root -A root -N2 --exclusive)
wait_for 20 "two nodes" 'echo $(field $pair JobState) $(field $pair NodeList)' "RUNNING n?3-4?"
ctl scancel --user=root
wait_for 20 "jobs left" 'ctl squeue -h | wc -l' 0

# ---- health check: a GPU of n2 falls off the bus, and comes back; somebody else's drain stays ---------------------------------------------
state() { ctl sinfo -h -n "$1" -o '%T %E' | head -1; }
echo 2 > "$run/run/broken.n2"
wait_for 20 "n2 with a dead GPU" 'state n2' "drained health: 3 of 4 GPUs answer"
ctl srun -A root -N4 -I true > /dev/null 2>&1 && fail "a job of four nodes ran on three"
"$run/as" n2 env SLURM_JOB_ID=1 SLURM_JOB_UID=0 SLURMD_NODENAME=n2 /etc/slurm/prolog.sh 2> "$work/prolog.err" && fail "the prolog lets a job onto a broken node"
equal "the prolog says" "$(cat "$work/prolog.err")" "n2: 3 of 4 GPUs answer"
ctl scontrol update nodename=n2 state=resume
wait_for 20 "n2, resumed by hand and still broken" 'state n2' "drained health: 3 of 4 GPUs answer"
rm "$run/run/broken.n2"
wait_for 20 "n2 when it answers again" 'state n2' "idle* none"
echo 2 > "$run/run/broken.n2"
wait_for 20 "n2 with a dead GPU again" 'state n2' "drained health: 3 of 4 GPUs answer"
"$run/as" n2 sh -c 'rm -rf /run/cluster-health/n2' && rm "$run/run/broken.n2"   # a start of the machine, which mends it and empties /run
wait_for 20 "n2 when it has started again" 'state n2' "idle* none"
ctl scontrol update nodename=n2 state=drain reason="new memory"
echo 1 > "$run/run/broken.n2"
sleep 5
rm "$run/run/broken.n2"
sleep 5
equal "n2 drained by hand" "$(state n2)" "drained new memory"
ctl scontrol update nodename=n2 state=resume

# ---- the primary controller dies: the second has the queue -------------------------------------------------------------------------------------
kept=$(batch ada -A physics -N1 --gpus=1 -w n3)
lost=$(batch ada -A physics -N1 --gpus=1 -w n3 --no-requeue)
wait_for 20 "a job on n3" 'echo $(field $kept JobState) $(field $lost JobState)' "RUNNING RUNNING"
# What a controller has not yet written is lost with it, and it writes some seconds after a change (man slurm.conf, StateSaveLocation).
touch "$work/running"
wait_for 20 "the queue" '[ "$run/state/job_state" -nt "$work/running" ] && echo saved' saved
kill -9 "$(awk '$3 == "slurmctld" { print $2; exit }' "$run/virtual-slurm.state")"
from=ctl2
wait_for 60 "the second controller" 'ctl scontrol show job $kept 2>/dev/null | sed -n "s/.*JobState=\([A-Z]*\).*/\1/p"' RUNNING
ctl scontrol ping 2>/dev/null | grep -q "(backup) at ctl2 is UP" || fail "it is not the second that answers"

# Before it has heard every node its first round of pings may take minutes (slurmctld.log: "A node ping cycle took more than 100 seconds").
wait_for 60 "nodes that it has not heard" 'ctl sinfo -h -N -o %T | grep -c "\*"' 0

# ---- n3 dies: what may be requeued is, the other job has failed --------------------------------------------------------------------------------
kill -9 "$(awk '$3 == "slurmd" { print $2 }' "$run/virtual-slurm.state" | sed -n 3p)"
wait_for 150 "n3 without slurmd" 'ctl sinfo -h -n n3 -o %T' "down?"
wait_for 20 "its jobs" 'echo $(field $kept JobState) $(field $kept Restarts) $(field $lost JobState)' "PENDING 1 NODE_FAIL"
"$src/tests/virtual-slurm/down" "$run"
[ -z "$(ip netns list | grep -F "$(printf %s "$run" | cksum | cut -d' ' -f1)")" ] || fail "namespaces were left behind"
grep -rqF "$(sed -n 's/^StoragePass=//p' "$run/etc/slurmdbd.password.conf")" "$out" && fail "the password of the database stands in a compiled file"
say "stopped, nothing left behind, no password in the tree"

# ---- broken twins --------------------------------------------------------------------------------------------------------------------------------
# slurmdbd says no to a file that others may read, and to a key that it does not know; it needs no database for that.
refused() {   # NAME PATTERN: slurmdbd with what lies in $work/twin
  SLURM_CONF=$work/twin/slurm.conf timeout 10 slurmdbd -D > "$work/twin.log" 2>&1 && fail "broken twin $1 was accepted"
  grep -qE "$2" "$work/twin.log" || fail "broken twin $1: $(tail -2 "$work/twin.log")"
  say "broken twin $1 is refused: $(grep -m1 -E "$2" "$work/twin.log")"
}
cp -r "$run/etc" "$work/twin"
chmod 644 "$work/twin/slurmdbd.conf"
refused readable-by-all "slurmdbd.conf.*600"
chmod 600 "$work/twin/slurmdbd.conf"
sed -i 's/^StorageLoc=/StorageLocation=/' "$work/twin/slurmdbd.conf"
refused misspelt-key "unrecognized key"
# A file that is written for 24.11 is refused by 22.05: the releases differ.
sed 's/version: 22.05/version: 24.11/' "$spec" > "$work/newer.yaml"
cp -r "$src/tests/consumers/specs/slurm-parts" "$work"
"$bin" compile "$work/newer.yaml" -o "$work/newer" > "$work/newer.log" 2>&1 || fail "clusterc compile for 24.11"
SLURM_CONF=$work/newer/slurm/slurm.conf scontrol show hostnames 'n[1-2]' > "$work/twin.log" 2>&1 && fail "22.05 takes a file for 24.11"
say "22.05 refuses a file for 24.11: $(tail -1 "$work/twin.log")"
# Cores of the wrong socket in gres.conf: the test above would see it.
cp -r "$out" "$work/swapped"
sed -i 's/Cores=0-0/Cores=x/; s/Cores=1-1/Cores=0-0/; s/Cores=x/Cores=1-1/' "$work/swapped/slurm/gres.conf"
python3 "$src/tests/consumers/lib/slurm_agrees.py" "$work/book" "$work/swapped" "$work/part.yaml" "$work/nodes" "$work/topology" > "$work/twin.log" 2>&1 && fail "cores of the wrong socket agree with the plan"
say "cores of the wrong socket disagree with the plan: $(tail -1 "$work/twin.log")"
