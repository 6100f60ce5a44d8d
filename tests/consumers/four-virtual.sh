#!/usr/bin/env bash
# output slurm: slurmctld, four slurmd and srun 22.05 (Debian 12) as virtual nodes on one machine: jobs run, a drained node is seen; 2 negative tests
# examples/four-virtual.yaml, compiled, is a real Slurm on this machine: munged, slurmctld and four slurmd, each machine in namespaces
# of its own. The overlay of tests/virtual-slurm changes listed keys and no other; jobs run, and a drained node is seen.
# lock: slurm-b
. "$(dirname "$0")/lib/common.bash" "$@"
need slurmctld slurmd munged srun scontrol sinfo python3
python3 "$src/tests/virtual-slurm/overlay.py" --self-test || fail "the overlay's own test"
compile four-virtual
run=$work/run
trap '"$src/tests/virtual-slurm/down" "$run"' EXIT
"$src/tests/virtual-slurm/up" "$out" "$run"
rc=$?
[ $rc -eq 77 ] && exit 77
[ $rc -eq 0 ] || fail "the virtual Slurm did not come up"
python3 "$src/tests/virtual-slurm/overlay.py" --compare "$out/slurm" "$run/etc" || fail "the overlay changed more than its keys"
say "the overlay changed listed keys only"
errors=$(slurm_complaints "$run"/log/slurmctld.log "$run"/log/n?.log)
[ -z "$errors" ] || fail "the daemons complain: $errors"
equal "host names of a job on four nodes" "$("$run/enter" srun -N4 -n4 hostname | sort | tr '\n' ' ')" "n1 n2 n3 n4 "
equal "CPUs of a node" "$("$run/enter" sinfo -h -n n1 -o '%c')" 2
equal "memory of a node (2 GiB less 256 MiB)" "$("$run/enter" sinfo -h -n n1 -o '%m')" 1792
"$run/enter" srun --mpi=list 2>&1 | grep -q pmix || fail "Slurm has no PMIx"
"$run/enter" scontrol update nodename=n2 state=drain reason=test || fail "drain"
idle() { "$run/enter" sinfo -h -N -o '%N %T' | awk '$2 == "idle" { print $1 }' | sort -u | tr '\n' ' '; }
for _ in $(seq 100); do [ "$(idle)" = "n1 n3 n4 " ] && break; sleep 0.2; done   # a node may still be completing the job
equal "idle nodes with one drained" "$(idle)" "n1 n3 n4 "
"$run/enter" srun -N4 -I hostname > /dev/null 2>&1 && fail "a job of four nodes ran on three"
"$run/enter" scontrol update nodename=n2 state=resume
"$src/tests/virtual-slurm/down" "$run"
[ -z "$(ip netns list | grep -F "$(printf %s "$run" | cksum | cut -d' ' -f1)")" ] || fail "namespaces were left behind"
say "stopped, nothing left behind"

# the broken twin: the key that the overlay must not touch is refused by it, and a compiled file with an unknown node by slurmctld
python3 "$src/tests/virtual-slurm/overlay.py" "$out/slurm" "$work/refused" slurm.conf:SelectType=select/linear 2> /dev/null && fail "the overlay took a key that is not listed"
cp -r "$out" "$work/twin"
sed -i 's/^\(PartitionName=.*Nodes=\)n\[1-4\]/\1n[1-5]/' "$work/twin/slurm/slurm.conf"
run=$work/run-twin
"$src/tests/virtual-slurm/up" "$work/twin" "$run" --wait 10 > "$work/twin.log" 2>&1 && fail "a partition with an unknown node was accepted"
grep -qhE "fatal" "$work/twin.log" "$run"/log/* || fail "no fatal: in the log of the broken twin"
say "a partition with an unknown node is refused"
