#!/usr/bin/env bash
# output slurm: slurmctld, four slurmd and srun 24.11 (Debian 13, unpacked by scripts/newer-slurm) as virtual nodes: jobs, health check, blocks of NVLink domains, no complaint; 1 negative test
# The releases differ: the spec's decides what is written, and the Slurm of the next Debian reads it. Skipped where that one is not there.
# lock: slurm-b
# waits: for slurmctld
. "$(dirname "$0")/lib/common.bash" "$@"
need slurmctld slurmd munged python3
root=${CLUSTERC_NEWER_SLURM:-$src/build/newer-slurm/trixie}
[ -d "$root" ] || missing "no newer Slurm in build/newer-slurm/trixie: scripts/newer-slurm unpacks one"
release=$(chroot "$root" /usr/sbin/slurmctld -V | sed 's/.* //')
case $release in 24.11.*) ;; *) fail "'$root' holds Slurm '$release', this test knows 24.11" ;; esac
run=$work/run
trap '"$src/tests/virtual-slurm/down" "$run"' EXIT
up() {   # TREE OPTIONS…
  "$src/tests/virtual-slurm/up" "$1" "$run" --root "$root" --owner $$ "${@:2}" > "$work/up.log" 2>&1
  rc=$?
  [ $rc -eq 77 ] && { cat "$work/up.log"; exit 77; }
  return $rc
}
quiet() {
  local errors
  errors=$(slurm_complaints "$run"/log/slurmctld.log "$run"/log/n?.log 2>/dev/null)
  [ -z "$errors" ] || fail "$1: the daemons complain: $errors"
}

# ---- four nodes, written for 24.11 ----------------------------------------------------------------------------------------------
sed 's/version: 22.05/version: 24.11/' "$src/examples/four-virtual.yaml" > "$work/four.yaml"
"$bin" compile "$work/four.yaml" -o "$work/four" > "$work/four.log" 2>&1 || fail "clusterc compile for 24.11"
grep -q '^# for Slurm 24.11$' "$work/four/slurm/slurm.conf" || fail "slurm.conf does not say which release it is for"
up "$work/four" || fail "24.11 does not come up: $(tail -3 "$work/up.log")"
equal "release that answers" "$("$run/enter" scontrol -V)" "slurm-wlm $release"
equal "prolog flags" "$("$run/enter" scontrol show config | sed -n 's/^PrologFlags *= //p')" "Alloc,ForceRequeueOnFail"
equal "host names of a job on four nodes" "$(timeout 60 "$run/enter" srun -N4 -n4 hostname | sort | tr '\n' ' ')" "n1 n2 n3 n4 "
# As `clusterc validate` starts what is no MPI world: task i on the i-th node of the list, whatever the order of nodes in slurm.conf.
placed() { timeout 60 "$run/enter" srun --label --quiet --exclusive --nodelist="$1" --ntasks="$2" --distribution=arbitrary --mem=0 --cpu-bind=none --mpi=none --input=none --kill-on-bad-exit=0 sh -c 'echo "$SLURMD_NODENAME"' 2>&1 | sort | tr '\n' ' '; }
equal "tasks on listed nodes" "$(placed 'n[1-2,4]' 3)" "0: n1 1: n2 2: n4 "
equal "tasks on nodes in another order" "$(placed n4,n2,n1,n3 4)" "0: n4 1: n2 2: n1 3: n3 "
"$run/as" n1 /etc/slurm/healthcheck.sh --check || fail "the health check of a healthy node"
quiet four-virtual
"$src/tests/virtual-slurm/down" "$run"

# ---- blocks: 22.05 has none -------------------------------------------------------------------------------------------------------
mkdir -p "$work/specs" && sed 's/\(kind: slurm, version: \)25.05/\124.11/' "$src/examples/nvl72.yaml" > "$work/specs/nvl72.yaml"
out=$work/nvl72
"$bin" compile "$work/specs/nvl72.yaml" -o "$out" > "$work/nvl72.log" 2>&1 || fail "clusterc compile nvl72 for 24.11"
"$bin" plan "$src/examples/nvl72.yaml" --format json 2> /dev/null > "$work/plan.json"
run=$work/run-nvl72
up "$out" --controller-only || fail "24.11 does not load nvl72: $(tail -3 "$work/up.log")"
quiet nvl72
"$run/enter" scontrol show topology > "$work/topology"
# A block is an NVLink domain of 72 GPUs: as many nodes of it as the plan's group has GPUs in each.
python3 - "$work/plan.json" "$work/topology" <<'PY' || fail "blocks: $(head -3 "$work/topology")"
import json, re, sys
group, = (g for g in json.load(open(sys.argv[1]))["node_groups"] if g["computes"])
blocks = re.findall(r"BlockName=\S+ .*?Nodes=(\S+)", open(sys.argv[2]).read())
size = 72 // group["gpus_each"]
def count(text):
    return sum(int(h or l) - int(l) + 1 for r in re.findall(r"\[([^\]]*)\]", text) for l, h in re.findall(r"(\d+)(?:-(\d+))?", r))
assert len(blocks) * size == group["count"] and all(count(b) == size for b in blocks), (group, blocks)
print(f"ok: {len(blocks)} blocks of {size} nodes, {group['count']} nodes in all: as in the plan")
PY
"$src/tests/virtual-slurm/down" "$run"

# ---- broken twin: a block of a node that is not there ---------------------------------------------------------------------------------
cp -r "$out" "$work/twin"
sed -i '0,/^BlockName=\(\S*\) Nodes=\S*/s//BlockName=\1 Nodes=nobody[1-18]/' "$work/twin/slurm/topology.conf"
cmp -s "$work/twin/slurm/topology.conf" "$out/slurm/topology.conf" && fail "the broken twin is not broken"
run=$work/run-twin
up "$work/twin" --controller-only --wait 10
grep -hqE "fatal|error: .*nobody|lookup failure" "$run"/log/* || fail "a block of unknown nodes was taken"
say "a block of unknown nodes is refused: $(grep -hE "fatal|error: .*nobody|lookup failure" "$run"/log/* | head -1)"
