#!/usr/bin/env bash
# what `clusterc check` says of a slurm.conf and the files beside it is what slurmctld and slurmd 22.05 (Debian 12) do: compiled files have no finding that counts; nine faults are found, and Slurm refuses them, complains, or takes the node out of service
# lock: slurm-b
. "$(dirname "$0")/lib/common.bash" "$@"
need slurmctld slurmd scontrol python3
up=$src/tests/virtual-slurm/up down=$src/tests/virtual-slurm/down
running=()
trap 'for w in "${running[@]:-}"; do [ -n "$w" ] && "$down" "$w"; done' EXIT

sed 's/\(kind: slurm, version: \)[0-9.]*/\122.05/' "$src/tests/golden/compile/slurm/spec.yaml" > "$work/spec.yaml"
out=$work/compiled
"$bin" compile "$work/spec.yaml" -o "$out" > "$work/compile.log" 2>&1 || { cat "$work/compile.log" >&2; fail "clusterc compile"; }
found() { "$bin" check "$1/slurm/slurm.conf" 2>&1 | sed -n 's/^[^ ]*: \(error\|warning\): .*\[\(file-[a-z-]*\)\]$/\1 \2/p' | sort -u | tr '\n' ';'; }
equal "findings in the compiled files" "$(found "$out")" ""

twin() {   # NAME FILE SED-EXPRESSION FINDINGS: a copy with one fault, which check finds; $twin is its folder
  twin=$work/$1
  cp -r "$out" "$twin" && sed -i "$3" "$twin/slurm/$2" || fail "twin $1"
  cmp -s "$out/slurm/$2" "$twin/slurm/$2" && fail "the broken twin $1 is not broken"
  equal "check: $1" "$(found "$twin")" "$4"
}
controller() {   # TEXT: slurmctld refuses the twin, or starts and complains, with this text
  local run=$twin.run
  running+=("$run")
  "$up" "$twin" "$run" --controller-only --wait 20 > "$twin.log" 2>&1
  local rc=$?
  [ $rc -eq 77 ] && { tail -1 "$twin.log"; exit 77; }
  grep -hE "error|fatal" "$run"/log/*ctld* "$twin.log" | grep -qE "$1" || { tail -5 "$run"/log/* "$twin.log" >&2; fail "slurmctld does not say '$1'"; }
  say "slurmctld: $1"
  "$down" "$run"
}
twin twice slurm.conf '/^NodeName=g/a NodeName=g2 CPUs=4' 'error file-slurm-node-twice;'
controller "Duplicated NodeName g2"
twin unread slurm.conf 's/^NodeName=g\[1-2\] CPUs=128/NodeName=g[1-2] CPUs 128/' 'error file-slurm-unread;'
controller "Parse error|Parsing error"
twin cpus slurm.conf '/^NodeName=g/s/CPUs=128/CPUs=96/' 'error file-slurm-cpus-differ;'
controller "CPUs=96 match no Sockets"
twin partition slurm.conf 's/^PartitionName=gpu Nodes=g\[1-2\]/PartitionName=gpu Nodes=g[1-3]/' 'error file-slurm-node-unknown;'
controller "invalid node name.*g3|lookup failure for node .?g3"
twin switch topology.conf 's/leaf-lan-\[01-03\]/leaf-lan-[01-04]/' 'error file-slurm-topology-unknown;'
controller "invalid child \(leaf-lan-04\)"

# ---- gres.conf, as slurmd takes it ---------------------------------------------------------------------------------------------
mkdir -p "$work/dev"
for n in 0 1 2 3 4; do mknod -m 666 "$work/dev/nvidia$n" c 195 $n 2>/dev/null || : > "$work/dev/nvidia$n"; done
devices() {   # what slurmd of g1 hands out, and its warnings
  rm -rf "$work/etc"
  python3 "$src/tests/virtual-slurm/overlay.py" "$1/slurm" "$work/etc" --devices "$work/dev" slurm.conf:SlurmUser=root slurm.conf:SlurmdParameters=config_overrides \
    "slurm.conf:SlurmdSpoolDir=$work" "slurm.conf:SlurmdLogFile=$work/slurmd.log" slurm.conf:TaskPlugin=task/none slurm.conf:ProctrackType=proctrack/linuxproc slurm.conf:JobAcctGatherType=jobacct_gather/none || fail "overlay"
  timeout 60 slurmd -f "$work/etc/slurm.conf" -G -N g1 > "$work/gres.log" 2>&1
  awk '/Gres Name=gpu/ { for (i = 1; i <= NF; ++i) if ($i ~ /^Count=/) { split($i, c, "="); n += c[2] } } /more configured than expected/ { w = " ignored" } END { print n + 0 w }' "$work/gres.log"
}
equal "slurmd: the compiled devices" "$(devices "$out")" "4"
twin fewer gres.conf 's/nvidia\[2-3\]/nvidia2/' 'error file-slurm-gres-differs;'
equal "slurmd: fewer devices" "$(devices "$twin")" "3"
twin more gres.conf 's/nvidia\[2-3\]/nvidia[2-4]/' 'warning file-slurm-gres-differs;'
equal "slurmd: more devices" "$(devices "$twin")" "4 ignored"
twin type gres.conf 's/Type=l40s/Type=a100/' 'error file-slurm-gres-differs;'
equal "slurmd: another type" "$(devices "$twin")" "0 ignored"

# ---- a node with fewer devices registers, and slurmctld takes it out of service ----------------------------------------------
sed 's/c\[01-70\]/c01/; s/v\[01,03-04\]/v01/' "$work/spec.yaml" > "$work/small.yaml"
out=$work/small
"$bin" compile "$work/small.yaml" -o "$out" > "$work/small.log" 2>&1 || { cat "$work/small.log" >&2; fail "clusterc compile of the small cluster"; }
sed -i '/^HealthCheck/d' "$out/slurm/slurm.conf"   # which would say so first
twin drained gres.conf 's/nvidia\[2-3\]/nvidia2/' 'error file-slurm-gres-differs;'
run=$twin.run
running+=("$run")
"$up" "$twin" "$run" --wait 8 > "$twin.log" 2>&1
[ $? -eq 77 ] && { tail -1 "$twin.log"; exit 77; }
case $("$run/enter" sinfo -h -N -n g1 -o '%T %E' | sort -u) in
  inval*"gres/gpu"*"reported lower than configured"*) say "slurmctld: 3 of 4 devices: $("$run/enter" sinfo -h -N -n g1 -o '%T %E' | sort -u)" ;;
  *) fail "a node with 3 of 4 devices is '$("$run/enter" sinfo -h -N -n g1 -o '%T %E')'" ;;
esac
"$down" "$run"
