#!/usr/bin/env bash
# output jobs: bash -n, shellcheck; slurmctld 22.05 (Debian 12): sbatch --test-only of every compiled job; a torchrun job on virtual nodes: a node is killed, Slurm puts the job back, it goes on from its checkpoint on other nodes; the signal before the time limit: it saves, is put back, goes on, ends; tasks and ranks of JAX and MPI jobs equal the plan; torchrun and the training script are stand-ins here, and the real ones (PyTorch 2.6) in tests/soak/launchers.sh; 4 negative tests
# tested jobs: slurmctld, slurmd 22.05
# lock: slurm-a
# TORCH=COMMAND: the real torchrun, and TRAIN=SCRIPT for it
. "$(dirname "$0")/lib/common.bash" "$@"
need slurmctld slurmd munged python3 nsenter shellcheck
cp -r "$src/tests/consumers/specs/slurm-parts" "$work"
cp "$src/tests/consumers/specs/jobs.yaml" "$work/spec.yaml"
out=$work/tree run=$work/run ck=$work/checkpoints
"$bin" compile "$work/spec.yaml" -o "$out" > "$work/compile.log" 2>&1 || { cat "$work/compile.log" >&2; fail "clusterc compile jobs.yaml"; }
jobs=$out/jobs

# ---- the texts -----------------------------------------------------------------------------------------------------------
find "$jobs" -name '*.sh' -o -name '*.sbatch' > "$work/scripts"
while read -r script; do bash -n "$script" || fail "bash -n $script"; done < "$work/scripts"
xargs shellcheck < "$work/scripts" || fail "shellcheck"
say "shellcheck: $(wc -l < "$work/scripts") scripts"
equal "jobs" "$(cd "$jobs/workload" && echo *)" "actors ddp experts mesh plain ring solver split zero"
# The plan says the same.
"$bin" plan "$work/spec.yaml" --format json > "$work/plan.json" 2> "$work/plan.log" || fail "clusterc plan jobs.yaml: $(cat "$work/plan.log")"
python3 "$src/tests/consumers/lib/jobs_agree.py" "$work/plan.json" "$jobs/workload" || fail "the jobs differ from the plan"

# ---- a virtual Slurm -----------------------------------------------------------------------------------------------------
trap '"$src/tests/virtual-slurm/down" "$run"' EXIT
"$src/tests/virtual-slurm/up" "$out" "$run" --owner $$ --wait 150
rc=$?
[ $rc -eq 77 ] && exit 77
[ $rc -eq 0 ] || fail "the virtual Slurm did not come up"
mkdir -p "$work/bin" "$ck"
if [ -n "${TORCH:-}" ]; then
  ln -s "$TORCH" "$work/bin/torchrun"
else
  cp "$src/tests/consumers/lib/torchrun.py" "$work/bin/torchrun"
  cp "$src/tests/consumers/lib/torchrun.py" "$work/bin/train.py"
  TRAIN=$work/bin/train.py
fi
chmod +x "$work"/bin/*
export PATH=$work/bin:$PATH CHECKPOINTS=$ck TRAIN
ctl() { timeout 60 "$run/enter" "$@"; }
# in_folder FOLDER COMMAND...
in_folder() { local folder=$1; shift; (cd "$folder" && ctl "$@"); }
job() { ctl scontrol show job "$1" | tr ' ' '\n' | sed -n "s/^$2=//p" | head -1; }
# wait_for SECONDS WHAT COMMAND WANTED: seconds as on an idle machine, four times that on one that is not
wait_for() {
  local until=$((SECONDS + ${PATIENCE:-4} * $1)) got
  while [ $SECONDS -le $until ]; do
    got=$(eval "$3")
    # shellcheck disable=SC2053
    [[ $got == $4 ]] && { say "$2: $got"; return; }
    sleep 0.3
  done
  cat "$work"/*.out >&2
  fail "$2 is '$got' after $((${PATIENCE:-4} * $1)) s, expected '$4'"
}

tested=0
for script in "$jobs"/workload/*/job.sbatch "$jobs"/first/*/*.sbatch; do
  text=$(in_folder "$(dirname "$script")" sbatch --test-only "$(basename "$script")" 2>&1) || fail "sbatch --test-only ${script#"$jobs"/}: $text"
  tested=$((tested + 1))
done
say "sbatch --test-only: $tested jobs"
# negative tests: more GPUs than a node has, a partition that is not there
sed 's/^\(#SBATCH --gres=gpu:l40s:\)2/\13/' "$jobs/workload/ddp/job.sbatch" > "$work/gpus.sbatch"
ctl sbatch --test-only "$work/gpus.sbatch" > "$work/refused" 2>&1 && fail "three of two GPUs are accepted"
sed 's/^\(#SBATCH --partition=\).*/\1other/' "$jobs/workload/ddp/job.sbatch" > "$work/partition.sbatch"
ctl sbatch --test-only "$work/partition.sbatch" > "$work/refused" 2>&1 && fail "another partition is accepted"
say "refused: $(tail -1 "$work/refused")"

# ---- a node fails; the time limit comes ----------------------------------------------------------------------------------
log=$work/ddp.out
newest() { find "$ck" -maxdepth 1 -name 'step-????????' -printf '%f\n' 2> /dev/null | sort | tail -1 | sed 's/step-0*//'; }
begins() { sed -n 's/^begin at step \([0-9]*\) .*/\1/p' "$log" 2> /dev/null | tr '\n' ' '; }
id=$(in_folder "$jobs/workload/ddp" sbatch --parsable --output="$log" job.sbatch --steps 60 --every 5 --pause "${PAUSE:-0.3}") || fail "sbatch"
wait_for 40 "a checkpoint" '[ -n "$(newest)" ] && echo saved' saved
first=$(job "$id" NodeList)
gone=$(ctl scontrol show hostnames "$first" | tail -1)
kept=$(newest)
[ -n "$gone" ] || fail "no node of '$first'"
tag=$(sed -n "s/^netns \(.*\)-$gone$/\1/p" "$run/virtual-slurm.state")
# shellcheck disable=SC2046
kill -9 $(ip netns pids "$tag-$gone")   # slurmd, slurmstepd, and all that runs there
ctl scontrol update nodename="$gone" state=down reason="killed by a test"
wait_for 60 "starts after $gone is gone" "grep -c '^start ' $log" 2
wait_for 60 "its second begin" 'begins | wc -w' 2
second=$(begins | cut -d' ' -f2)
[ "$second" -ge "$kept" ] && [ $((second % 5)) = 0 ] || fail "it went on from step $second, its checkpoint was of step $kept"
say "$first without $gone: it goes on from step $second on $(job "$id" NodeList)"
case $(job "$id" NodeList) in *"${gone#n}"*) fail "it runs on $gone" ;; esac
wait_for 40 "another checkpoint" "[ \"\$(newest)\" -gt $second ] && echo saved" saved
ctl scancel --batch --signal=USR1 "$id"   # what Slurm does before the limit
wait_for 30 "the signal" "grep -c '^the time limit is near' $log" 1
stopped=$(sed -n 's/^stopped at step \([0-9]*\),.*/\1/p' "$log")
[ -n "$stopped" ] || fail "the script did not save when it was told: $(tail -5 "$log")"
wait_for 60 "its third begin" 'begins | wc -w' 3
equal "it goes on from step" "$(begins | cut -d' ' -f3)" "$stopped"
wait_for 60 "the job" "job $id JobState" COMPLETED
equal "restarts" "$(job "$id" Restarts)" 2
equal "the end" "$(grep '^done at step' "$log" | cut -d, -f1)" "done at step 60"
# Each step was done; those after a checkpoint that the failure took are done again, none is left out.
equal "steps" "$(sed -n 's/^step \([0-9]*\) .*/\1/p' "$log" | sort -nu | tr '\n' ' ')" "$(seq 1 60 | tr '\n' ' ')"
python3 - "$ck" <<'END' || fail "ranks"
import glob, json, sys
world = json.load(open(sorted(glob.glob(sys.argv[1] + "/step-????????/world.json"))[-1]))
ranks = world["ranks"]
hosts = [r["host"] for r in ranks]
assert world["step"] == 60, world
assert [r["rank"] for r in ranks] == [0, 1, 2, 3], ranks
assert [r["device"] for r in ranks] == [0, 1, 0, 1], ranks
assert hosts[0] == hosts[1] != hosts[2] == hosts[3], hosts
print("ok: ranks 0 to 3 on", *sorted(set(hosts)), "with devices 0 and 1 on each")
END

# ---- tasks of the others -------------------------------------------------------------------------------------------------
printf '#!/bin/sh\necho "$PLAN_WORLD $SLURM_NTASKS $SLURM_PROCID $(hostname) $SLURM_LOCALID ${PMIX_RANK:-none}"\n' > "$work/bin/rank"
chmod +x "$work/bin/rank"
for name in mesh solver; do
  TRAIN=$work/bin/rank PYTHON=sh in_folder "$jobs/workload/$name" sbatch --wait --output="$work/$name.out" job.sbatch > /dev/null || fail "job $name: $(cat "$work/$name.out")"
  equal "tasks of $name" "$(sed -n 's/^4 4 \([0-9]\) n[0-9] \([01]\) .*/\1:\2/p' "$work/$name.out" | sort | tr '\n' ' ')" "0:0 1:1 2:0 3:1 "
done
equal "ranks of MPI" "$(awk '$1 == 4 { print $6 }' "$work/solver.out" | sort | tr '\n' ' ')" "0 1 2 3 "

# ---- negative tests: another folder; no script ---------------------------------------------------------------------------
in_folder "$work" sbatch --wait --output="$work/elsewhere.out" "$jobs/workload/ddp/job.sbatch" > /dev/null && fail "a job without its folder ran"
grep -q "submit the job in its own folder" "$work/elsewhere.out" || fail "elsewhere: $(cat "$work/elsewhere.out")"
(unset TRAIN; in_folder "$jobs/workload/ddp" sbatch --wait --output="$work/nothing.out" job.sbatch > /dev/null) && fail "a job without a script ran"
grep -q "the program is not set" "$work/nothing.out" || fail "no script: $(cat "$work/nothing.out")"
say "refused: another folder, no script"
