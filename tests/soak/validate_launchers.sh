#!/usr/bin/env bash
# `clusterc validate` on eight virtual nodes, all stages that a machine without GPUs can run: by srun, by sbatch (arrays and jobs) and inside a job of a
# virtual Slurm that runs the compiled configuration, and over ssh and mpirun with a real sshd on each node. A job that is requeued continues from its journal.
#   tests/soak/validate_launchers.sh CLUSTERC SOURCE_DIR WORK_DIR      0 all as it should be, 1 not, 77 something is not here; 15 minutes on two processors
. "$(dirname "$0")/../consumers/lib/common.bash" "$@"
need slurmctld slurmd munged srun sbatch salloc ssh sshd mpirun python3
bin=$(realpath "$bin")
bundle=$(cd "$(dirname "$bin")/../libexec/clusterc" 2>/dev/null && pwd)
[ -x "$bundle/clusterc-nccl" ] || missing "the validators were not built"
compile_spec eight-virtual
slurm=$work/slurm machines=$work/machines
trap '"$src/tests/virtual-slurm/down" "$slurm"; "$src/tests/virtual-ssh/down" "$machines"' EXIT
# The nodes share this machine's processors: ranks that wait give them to the others.
export OMPI_MCA_mpi_yield_when_idle=1
small=(--seconds 0.01 --max-size 1KiB --allow-busy --only "probe,gemm,nccl,hpl,mpi")
# report NAME NODES: all of them passed the probe, every stage brought figures, all data was verified, nothing was wrong
report() {
  python3 - "$work/$1.json" "$2" <<'PY' || { cat "$work/$1.txt" "$work/$1.err" >&2; fail "$1"; }
import json, sys
d = json.load(open(sys.argv[1]))
v, nodes = d["verdicts"], set(sys.argv[2].split())
assert {x["node"] for x in v if x["metric"] == "probe" and x["verdict"] == "pass"} == nodes, v
figures = [x for x in v if x["value"] is not None]
assert all(x["data_verified"] for x in figures), figures
assert {x["test"].split("/")[0] for x in figures} == {"node", "pair", "group", "whole"}, figures
assert not [x for x in v if x["verdict"] in ("fail", "error", "degraded")], v
assert d["verdict"] == "nothing wrong was found"  # a spec without targets, and a part of the suite
PY
  say "$1: $(grep -E '^(passed|nothing wrong)' "$work/$1.txt")"
}
all="n1 n2 n3 n4 n5 n6 n7 n8"

"$src/tests/virtual-slurm/up" "$out" "$slurm" --wait 120 || exit $?
run_in_slurm() { of_mpi once "$1" "$slurm/enter" "$bin" validate "$spec" --launcher slurm "${@:2}" > /dev/null; } # NAME [OPTIONS…]
once() { # NAME COMMAND…
  local name=$1 status
  shift
  rm -f "$work/$name.journal"
  "$@" "${small[@]}" --journal "$work/$name.journal" -o "$work/$name.json" > "$work/$name.txt" 2> "$work/$name.err"
  status=$?
  cat "$work/$name.txt" "$work/$name.journal"
  return $status
}
run_in_slurm srun
report srun "$all"
mkdir "$work/jobs"
run_in_slurm sbatch --sbatch "$work/jobs"
report sbatch "$all"
[ -z "$(ls "$work/jobs")" ] || fail "output of jobs was left behind"
[ "$("$slurm/enter" squeue -h | wc -l)" = 0 ] || fail "jobs are left in the queue"
of_mpi once inside "$slurm/enter" salloc --quiet --exclusive --nodelist='n[2-5]' "$bin" validate "$spec" --launcher slurm --nodes 'n[2-5]' > /dev/null
report inside "n2 n3 n4 n5"

# A job that runs validate is requeued in its middle: the second start takes what had ended from the journal.
cat > "$work/requeued.sh" <<J
#!/bin/sh
export OMPI_MCA_mpi_yield_when_idle=1
exec "$bin" validate "$spec" --launcher slurm --seconds 0.01 --max-size 1KiB --allow-busy --only probe,gemm,nccl,hpl,mpi --nodes 'n[6-8]' \
  --journal "$work/requeued.journal" -o "$work/requeued.json" > "$work/requeued.txt" 2>> "$work/requeued.err"
J
job=$("$slurm/enter" sbatch --parsable --requeue --exclusive --nodes=3 --nodelist='n[6-8]' --output=/dev/null "$work/requeued.sh") || fail "sbatch"
for _ in $(seq 600); do grep -qs '"gemm' "$work/requeued.journal" && break; grep -qs 'clusterc-gemm\|/gemm' "$work/requeued.journal" && break; sleep 0.2; done
"$slurm/enter" scontrol requeue "$job" || fail "requeue"
# The first start writes a report, too, when it is stopped.
for _ in $(seq 3000); do grep -qs '"interrupted": false' "$work/requeued.json" && break; sleep 0.2; done
report requeued "n6 n7 n8"
python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); assert d["journal"]["tests_taken_over"] >= 1, d["journal"]' "$work/requeued.json" || fail "nothing was taken from the journal"
say "a requeued job continued from its journal"
"$src/tests/virtual-slurm/down" "$slurm"

"$src/tests/virtual-ssh/up" "$out" "$machines" 'n[1-8]' || exit $?
of_mpi once mpirun "$machines/enter" "$bin" validate "$spec" --launcher mpirun --ssh-config "$machines/ssh_config" > /dev/null
report mpirun "$all"
