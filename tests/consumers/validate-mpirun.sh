#!/usr/bin/env bash
# `clusterc validate --launcher mpirun` over a real sshd in each of two virtual machines: programs by ssh, an MPI job by mpirun; a node whose host key is
# another one is not used; the validators are copied and compared; a program that hangs leaves nothing behind. Eight machines: tests/soak/validate_launchers.sh.
# packages: openssh-server
. "$(dirname "$0")/lib/common.bash" "$@"
need ssh scp sshd mpirun python3
validators=$(cd "$(dirname "$bin")/../libexec/clusterc" 2>/dev/null && pwd)
for v in probe mpi; do [ -x "$validators/clusterc-$v" ] || missing "clusterc-$v was not built"; done
compile_spec eight-virtual
run=$work/run
trap '"$src/tests/virtual-ssh/down" "$run"' EXIT
"$src/tests/virtual-ssh/up" "$out" "$run" 'n[12]'
rc=$?
[ $rc -eq 77 ] && exit 77
[ $rc -eq 0 ] || fail "the virtual machines did not come up"
# The machines share this one's processors: ranks that wait give them to the others.
export OMPI_MCA_mpi_yield_when_idle=1
validate() { # NAME [OPTIONS…]: report in NAME.json, exit status in $rc
  local name=$1
  shift
  "$run/enter" "$bin" validate "$spec" --launcher mpirun --ssh-config "$run/ssh_config" --nodes 'n[1-2]' --seconds 0.01 --max-size 1KiB --allow-busy \
    --journal "$work/$name.journal" -o "$work/$name.json" "$@" > "$work/$name.txt" 2> "$work/$name.err"
  rc=$?
}
judge() { # NAME, then Python on `d` (the report) and `v` (its verdicts): every line must be true
  python3 - "$work/$1.json" <<PY || { cat "$work/$1.txt" "$work/$1.err" >&2; fail "$1"; }
import json, sys
d = json.load(open(sys.argv[1]))
v = d["verdicts"]
$(cat)
PY
}

mkdir "$work/bundle" && cp -L "$validators/clusterc-probe" "$validators/clusterc-mpi" "$work/bundle" || exit 1
validate all --only probe,mpi --bundle "$work/bundle" --copy-bundle "$work/copied"
[ $rc -eq 0 ] || { cat "$work/all.txt" "$work/all.err" >&2; fail "exit status $rc"; }
judge all <<'PY'
assert d["launcher"] == "mpirun" and "--nodes n[1-2]" in d["selection"], d
assert {x["node"] for x in v if x["metric"] == "probe" and x["verdict"] == "pass"} == {"n1", "n2"}, v
world = [x for x in v if x["metric"] == "mpi.allreduce.busbw"]
assert world and all(x["node"] == "n[1-2]" and x["data_verified"] and x["value"] for x in world), world
PY
cmp -s "$work/bundle/clusterc-mpi" "$work/copied/clusterc-mpi" || fail "the validators were not copied"
say "copied, compared, probed by ssh, and an MPI job of two machines by mpirun"

validate other --only probe --hosts n1
judge other <<'PY'
assert {(x["node"], x["verdict"]) for x in v} == {("n1", "pass"), ("n2", "error")}, v
assert [x["reason"] for x in v if x["node"] == "n2"] == ["did not run: not named by --hosts"], v
PY
say "a node that --hosts does not name is not reached"

sed -i "s/^n2 .*/n2 $(sed -n 's/^n1 //p' "$run/known_hosts" | sed 's/[\/&]/\\&/g')/" "$run/known_hosts"
validate key --only probe
[ $rc -eq 1 ] || fail "exit status $rc with a host key that is not known"
judge key <<'PY'
n2 = [x for x in v if x["node"] == "n2"]
assert n2 and all(x["verdict"] == "error" and "not reached by ssh: Host key verification failed" in x["reason"] for x in n2), n2
assert [x["verdict"] for x in v if x["node"] == "n1"] == ["pass"], v
PY
say "a node with another host key is not used"

# A program that hangs: when validate is interrupted, ssh ends, and what ran on the machine with it.
printf '#!/bin/sh\nexec sleep 300.25\n' > "$work/bundle/clusterc-probe"
"$run/enter" "$bin" validate "$spec" --launcher mpirun --ssh-config "$run/ssh_config" --nodes n1 --only probe --bundle "$work/bundle" --journal "$work/hang.journal" \
  > "$work/hang.txt" 2> "$work/hang.err" &
hanging() { "$run/enter" sh -c 'cat /proc/[0-9]*/cmdline 2> /dev/null' | tr '\0' ' ' | grep -q 'sleep 300.25'; }
for _ in $(seq 100); do hanging && break; sleep 0.1; done
hanging || { cat "$work/hang.err" >&2; fail "the program did not start"; }
run_of_hang=$!
kill -INT "$(tr -d " " < "/proc/$run_of_hang/task/$run_of_hang/children")"   # nsenter hands no signal on
wait "$run_of_hang"
for _ in $(seq 100); do hanging || break; sleep 0.1; done
hanging && fail "the program outlived the run"
say "an interrupted run ends what it started on the machine"
