#!/usr/bin/env bash
# output slurm: slurmctld and scontrol 26.05 (Debian sid, unpacked by scripts/newer-slurm) read topology.yaml: a tree and blocks side by side, the topology of each partition, block sizes; the audit of what scontrol prints; a spec from these files; 4 negative tests
# Skipped where that Slurm is not there.
# lock: slurm
. "$(dirname "$0")/lib/common.bash" "$@"
need slurmctld munged python3
root=${CLUSTERC_NEWEST_SLURM:-$src/build/newer-slurm/sid}
[ -d "$root" ] || missing "no Slurm of Debian sid in build/newer-slurm/sid: scripts/newer-slurm sid unpacks one"
release=$(chroot "$root" /usr/sbin/slurmctld -V | sed 's/.* //')
case $release in 2[5-9].*) ;; *) fail "'$root' holds Slurm '$release', which is older than topology.yaml" ;; esac
run=$work/run
trap 'for at in "$work"/run*; do "$src/tests/virtual-slurm/down" "$at"; done' EXIT
up() {   # TREE NAME: in $run
  "$src/tests/virtual-slurm/up" "$1" "$run" --root "$root" --owner $$ --controller-only --wait 30 > "$work/up-$2.log" 2>&1
  local rc=$?
  [ $rc -eq 77 ] && { cat "$work/up-$2.log"; exit 77; }
  return $rc
}
show() { "$run/enter" scontrol show topology "$@" | sed 's/ *LinkSpeed=[0-9]*//; s/ *BlockIndex=[0-9]*//; s/ *$//'; }
tree_of_case="SwitchName=leaf-lan-01 Level=0 Nodes=c[01-05],g[01-16]
SwitchName=leaf-lan-02 Level=0 Nodes=c[06-24]
SwitchName=lan-spine Level=1 Nodes=c[01-24],g[01-16] Switches=leaf-lan-[01-02]"
blocks_of_case="BlockName=gpu-block1 Nodes=g[01-08] BlockSize=8
BlockName=gpu-block2 Nodes=g[09-16] BlockSize=8"

# With one controller: scontrol waits for the answer of a second one, which no test starts.
spec=$work/spec.yaml out=$work/case
sed 's/"ctl\[1-2\]"/ctl1/' "$src/tests/golden/compile/slurm-topology-yaml/spec.yaml" > "$spec"
"$bin" compile "$spec" -o "$out" > "$work/case.log" 2>&1 || fail "clusterc compile: $(cat "$work/case.log")"
[ ! -e "$out/slurm/topology.conf" ] || fail "both topology.conf and topology.yaml were compiled"
up "$out" case || fail "$release does not load topology.yaml: $(tail -3 "$work/up-case.log")"
errors=$(slurm_complaints "$run/log/slurmctld.log" | grep -v "_fwd_tree_thread: Abandon tree forward")   # no slurmd runs
[ -z "$errors" ] || fail "slurmctld complains: $errors"
equal "the topology of the cluster" "$(show)" "$tree_of_case"
equal "the tree" "$(show fabric)" "$tree_of_case"
equal "the blocks" "$(show nvlink)" "$blocks_of_case"
equal "the topology of each partition" "$("$run/enter" scontrol show partition -o | sed -n 's/^PartitionName=\(\S*\) .*Topology=\(\S*\).*/\1:\2/p' | tr '\n' ' ')" "gpu:nvlink cpu:fabric all:fabric spread:fabric "

# ---- the audit of what this scontrol prints ---------------------------------------------------------------------------------------
"$run/enter" scontrol show topology > "$work/default.txt"
{ cat "$work/default.txt"; "$run/enter" scontrol show topology nvlink; } > "$work/both.txt"
sed 's/g\[09-16\] BlockSize/g[09-15] BlockSize/' "$work/both.txt" > "$work/moved.txt"
"$src/tests/virtual-slurm/down" "$run"
for seen in default both; do
  "$bin" audit "$spec" --scontrol "$work/$seen.txt" > "$work/$seen.audit" 2>&1 || fail "the audit of $seen.txt: $(tail -5 "$work/$seen.audit")"
done
say "the audit agrees with the topologies that $release prints"
"$bin" audit "$spec" --scontrol "$work/moved.txt" > "$work/moved.audit" 2>&1 && fail "the audit misses a block with a node less"
grep -q "'gpu-block2' has the nodes 'g\[09-15\]' in the topology of Slurm, planned 'g\[09-16\]'" "$work/moved.audit" || fail "the audit of a block with a node less: $(cat "$work/moved.audit")"
say "a block with a node less differs"

# ---- a spec from these files: the topologies have other names there -----------------------------------------------------------------
"$bin" init --from "slurm:$out/slurm/slurm.conf" -o "$work/init.yaml" > "$work/init.log" 2>&1 || fail "init --from slurm: $(cat "$work/init.log")"
sed -i 's/^    kind: slurm$/&\n    version: 25.05/' "$work/init.yaml"
"$bin" compile "$work/init.yaml" --only slurm -o "$work/init" > "$work/init.log" 2>&1 || fail "the spec from these files: $(cat "$work/init.log")"
grep -q "# - partition 'gpu' cannot have Topology=nvlink" "$work/init.yaml" || fail "the spec does not say that it has no Topology=: $(head -12 "$work/init.yaml")"
grep "^PartitionName" "$work/init/slurm/slurm.conf" | grep -q Topology= && fail "a partition has a topology of the old files"
say "a spec from these files compiles, and says what it does not take over"

# ---- broken twins, each with a slurmctld of its own at the same time ----------------------------------------------------------------
twin() {   # NAME FILE SED
  cp -r "$out" "$work/$1"
  sed -i "$3" "$work/$1/slurm/$2"
  cmp -s "$work/$1/slurm/$2" "$out/slurm/$2" && fail "twin $1 is not broken"
  (run=$work/run-$1 && up "$work/$1" "$1") & pids+=($!)
}
pids=()
twin child topology.yaml 's/leaf-lan-\[01-02\]/leaf-lan-[01-03]/'
twin name slurm.conf 's/Topology=nvlink/Topology=nvl/'
twin key topology.yaml 's/block_sizes:/block_size:/'
wait "${pids[0]}" && fail "slurmctld starts with a switch that is not there"
wait "${pids[1]}" && fail "slurmctld starts with a topology that is not there"
wait "${pids[2]}" || fail "a misspelt key: $release has become stricter: $(tail -3 "$work/up-key.log")"
reported() {   # NAME FINDING
  "$bin" check "$work/$1/slurm/slurm.conf" > "$work/$1.check" 2>&1
  grep -qF "[$2]" "$work/$1.check" || fail "twin $1: check does not report '$2': $(cat "$work/$1.check")"
}
for what in child name; do
  fatal=$(grep -hE "fatal:" "$work/run-$what"/log/* | head -1)
  [ -n "$fatal" ] || fail "twin $what: slurmctld does not say why: $(tail -3 "$work/up-$what.log")"
  reported $what file-slurm-topology-unknown
  say "twin $what is refused: ${fatal#*] }"
done
# Slurm ignores this key without a word, and has blocks of another size: only the comparison above finds it, and `clusterc check`.
run=$work/run-key
[ "$(show nvlink)" != "$blocks_of_case" ] || fail "a misspelt key changes nothing"
reported key file-slurm-unread
say "a misspelt key, which Slurm ignores, is reported by clusterc check"
