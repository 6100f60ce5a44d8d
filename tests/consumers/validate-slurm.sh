#!/usr/bin/env bash
# `clusterc validate --launcher slurm` on a real Slurm of four virtual nodes: the probe and the four validators run on all of them; with one
# node drained the report says so and the run is not passed; GPUs that are not there are errors and never a pass.
# lock: slurm-a
. "$(dirname "$0")/lib/common.bash" "$@"
need slurmctld slurmd munged srun scontrol sinfo python3
validators=$(cd "$(dirname "$bin")/../libexec/clusterc" 2>/dev/null && pwd)
for v in probe memory gemm hpl mpi storage; do [ -x "$validators/clusterc-$v" ] || missing "clusterc-$v was not built"; done
export OMPI_MCA_mpi_yield_when_idle=1   # ranks that wait leave the processors to those that work
# Four nodes share this machine's memory.
small_bundle "$validators" "$work/bundle"
validators=$work/bundle
run=$work/run
trap '"$src/tests/virtual-slurm/down" "$run"' EXIT
bring_up() {
  "$src/tests/virtual-slurm/up" "$out" "$run"
  rc=$?
  [ $rc -eq 77 ] && exit 77
  [ $rc -eq 0 ] || fail "the virtual Slurm did not come up"
}
# The virtual nodes share this machine's processors, so each is busy with the others' work: --allow-busy.
validate() { # SPEC NAME [OPTIONS…]: report in NAME.json, exit status in $rc
  local spec=$1 name=$2
  shift 2
  of_mpi validate_once "$spec" "$name" "$@" > /dev/null
  rc=$?
}
validate_once() {
  local spec=$1 name=$2 status
  shift 2
  rm -f "$work/$name.journal"
  "$run/enter" "$bin" validate "$spec" --bundle "$validators" --launcher slurm --seconds 0.01 --max-size 64KiB --allow-busy --journal "$work/$name.journal" -o "$work/$name.json" "$@" > "$work/$name.txt" 2> "$work/$name.err"
  status=$?
  cat "$work/$name.txt" "$work/$name.journal"
  return $status
}
judge() { # NAME, then Python on `d` (the report) and `v` (its verdicts): every line must be true
  local name=$1
  python3 - "$work/$name.json" <<PY || { cat "$work/$name.txt" "$work/$name.err" >&2; fail "$name: $(tail -1 "$work/$name.txt")"; }
import json, os, sys
d = json.load(open(sys.argv[1]))
v = d["verdicts"]
$(cat)
PY
}

hosts=probe,memory,gemm,hpl,mpi
compile four-virtual
bring_up
validate "$src/examples/four-virtual.yaml" all --only $hosts
[ $rc -eq 0 ] || { cat "$work/all.txt" "$work/all.err" >&2; fail "exit status $rc with all nodes up"; }
judge all <<'PY'
nodes = {"n1", "n2", "n3", "n4"}
assert {x["node"] for x in v if x["metric"] == "probe" and x["verdict"] == "pass"} == nodes, v
for metric in ("memory.triad", "gemm.fp64"):
    measured = [x for x in v if x["metric"] == metric and x["value"] and x["data_verified"]]
    assert {x["node"] for x in measured} == nodes, (metric, measured)
world = [x for x in v if x["metric"] == "mpi.allreduce.busbw"]
assert {x["node"] for x in world} == {"n[1-4]"} and len(world) == 2, world            # in place, and not
assert all(x["data_verified"] and x["size_bytes"] == 65536 for x in world), world       # judged at the largest size
linpack = [x for x in v if x["metric"] == "hpl.score"]
assert len(linpack) == 1 and linpack[0]["node"] == "n[1-4]" and linpack[0]["data_verified"] and linpack[0]["value"], linpack
assert not [x for x in v if x["verdict"] in ("fail", "error", "degraded")], v
PY
grep -q '"nodes":4' "$work/all.journal" || grep -q 'nodes\\":4' "$work/all.journal" || fail "the MPI world was not on four nodes"
say "the probe and four validators on four nodes: $(grep '^nothing wrong' "$work/all.txt")"

# Each virtual node has a folder mounted at /home in place of the file server's: it is written and read on all four at once, and nothing says what it should give.
# This machine's disk may give a node more than the 10 Gb/s port that the spec has between it and the server: then that is an error, with both figures.
validate "$src/examples/four-virtual.yaml" home --only storage
[ $rc = 1 ] || [ $rc = 2 ] || { cat "$work/home.txt" >&2; fail "exit status $rc of the file system"; }
export rc
judge home <<'PY'
of = [x for x in v if x["metric"] in ("storage.read", "storage.write")]
assert {x["node"] for x in of} == {"n1", "n2", "n3", "n4", "n[1-4]"} and all(x["data_verified"] and x["value"] for x in of), of
faster = [x for x in of if x["verdict"] == "error"]
assert all("that the hardware allows (1 port x 10 Gb/s" in x["reason"] and x["value"] > 10e9 * 0.98 / 8 for x in faster), faster
assert os.environ["rc"] == ("1" if faster else "2") and d["verdict"] == ("not passed" if faster else "nothing was judged"), d["verdict"]
assert {x["verdict"] for x in v} <= {"unjudged", "error"} and [x for x in v if x["verdict"] == "error"] == faster, v
PY
say "the file system of four nodes, measured at once, every block checked"

# Ctrl-C while the file system is measured: srun hands the signal on, and every node's validator removes its files.
files_of_storage() { find /home -mindepth 1 -maxdepth 1 -name 'clusterc-storage-n[1-4]-*'; }
"$run/enter" "$bin" validate "$src/examples/four-virtual.yaml" --bundle "$validators" --launcher slurm --only storage --seconds 2 --allow-busy --journal "$work/stopped.journal" \
  > "$work/stopped.txt" 2> "$work/stopped.err" &
stopped=$!
for _ in $(seq 300); do [ "$(files_of_storage | wc -l)" = 4 ] && break; sleep 0.1; done
[ "$(files_of_storage | wc -l)" = 4 ] || { cat "$work/stopped.err" >&2; fail "the storage test made no folders: $(files_of_storage)"; }
[ "$(cat "/proc/$stopped/comm")" = clusterc ] || fail "what is to be interrupted is $(cat "/proc/$stopped/comm"), not clusterc"   # what enters the network has become it
kill -INT $stopped
wait $stopped
[ -z "$(files_of_storage)" ] || fail "an interrupted storage test left $(files_of_storage | tr '\n' ' ')"
grep -q '^interrupted' "$work/stopped.txt" || { cat "$work/stopped.txt" >&2; fail "the report does not say that the run was interrupted"; }
say "Ctrl-C in a storage test leaves no file"

# Batch jobs: the probe as an array with an element for each node, the MPI job as one job. Inside a job: its nodes and no other.
mkdir "$work/jobs"
validate "$src/examples/four-virtual.yaml" batch --only probe,mpi --sbatch "$work/jobs"
[ $rc -eq 0 ] || { cat "$work/batch.txt" "$work/batch.err" >&2; fail "exit status $rc of batch jobs"; }
judge batch <<'PY'
assert {x["node"] for x in v if x["metric"] == "probe" and x["verdict"] == "pass"} == {"n1", "n2", "n3", "n4"}, v
assert [x for x in v if x["metric"] == "mpi.allreduce.busbw" and x["data_verified"] and x["node"] == "n[1-4]"], v
PY
[ -z "$(ls "$work/jobs")" ] || fail "output of jobs was left behind"
"$run/enter" salloc --quiet --exclusive --nodelist=n2 "$bin" validate "$src/examples/four-virtual.yaml" --bundle "$validators" --launcher slurm --only probe --allow-busy \
  --nodes 'n[1-2]' --journal "$work/inside.journal" -o "$work/inside.json" > "$work/inside.txt" 2> "$work/inside.err"
judge inside <<'PY'
assert {(x["node"], x["verdict"]) for x in v} == {("n1", "error"), ("n2", "pass")}, v
assert [x["reason"] for x in v if x["node"] == "n1"][0].startswith("did not run: not in job "), v
PY
say "batch jobs, and steps inside a job"

"$run/enter" scontrol update nodename=n3 state=drain reason=testing || fail "drain"
validate "$src/examples/four-virtual.yaml" drained --only $hosts
[ $rc -eq 1 ] || { cat "$work/drained.txt" >&2; fail "exit status $rc with a drained node"; }
judge drained <<'PY'
on_n3 = [x for x in v if x["node"] == "n3"]
assert {x["metric"] for x in on_n3} >= {"probe", "memory.triad", "gemm.fp64"}, on_n3
assert all(x["verdict"] == "error" and "drained (testing)" in x["reason"] for x in on_n3), on_n3
world = [x for x in v if x["metric"].startswith("mpi.")]
assert world and all(x["verdict"] == "error" and "3 of 4 nodes" in x["reason"] and "n3 is drained (testing)" in x["reason"] for x in world), world
assert {x["node"] for x in v if x["metric"] == "memory.triad" and x["value"]} == {"n1", "n2", "n4"}, v
assert not d["passed"]
PY
grep -q "^not passed" "$work/drained.txt" || fail "the text does not say that it did not pass"
say "one node drained: $(grep -m1 'n3' "$work/drained.txt")"
"$src/tests/virtual-slurm/down" "$run"

spec=$src/tests/consumers/specs/gpus-virtual.yaml
out=$work/gpus
"$bin" compile "$spec" -o "$out" > "$work/gpus.log" 2>&1 || { cat "$work/gpus.log" >&2; fail "clusterc compile gpus-virtual.yaml"; }
run=$work/run-gpus   # another cluster: slurmctld refuses the state of the first
bring_up
validate "$spec" gpus
[ $rc -eq 1 ] || { cat "$work/gpus.txt" >&2; fail "exit status $rc without the GPUs"; }
judge gpus <<'PY'
tests = [x for x in v if x["metric"].startswith(("memory.", "gemm.")) or x["metric"] == "gpus"]
assert {x["metric"] for x in tests} >= {"gpus", "memory.triad", "gemm.bf16"}, tests
assert {x["node"] for x in tests} == {"n1", "n2"}, tests
for x in tests:
    assert x["verdict"] == "error" and any(w in x["reason"] for w in ("no NVIDIA driver", "no GPU", "no device code", "back end not built")), x
assert not d["passed"]
PY
say "GPUs that are not there: $(grep -m1 'memory.triad' "$work/gpus.txt")"
"$src/tests/virtual-slurm/down" "$run"
[ -z "$(ip netns list | grep -F "$(printf %s "$run" | cksum | cut -d' ' -f1)")" ] || fail "namespaces were left behind"
say "stopped, nothing left behind"
