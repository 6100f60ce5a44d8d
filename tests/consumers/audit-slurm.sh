#!/usr/bin/env bash
# audit of Slurm: slurmctld, four slurmd and scontrol 22.05 (Debian 12) as virtual nodes on one machine: what they print agrees with the plan; a drained node, another feature, a node more, a node less and another release are named, and what is new against an earlier audit; the probe through srun; 5 negative tests
# lock: slurm-a
. "$(dirname "$0")/lib/common.bash" "$@"
need slurmctld slurmd munged srun scontrol sinfo python3
compile four-virtual
run=$work/run spec=$src/examples/four-virtual.yaml
trap '"$src/tests/virtual-slurm/down" "$run"' EXIT
"$src/tests/virtual-slurm/up" "$out" "$run"
rc=$?
[ $rc -eq 77 ] && exit 77
[ $rc -eq 0 ] || fail "the virtual Slurm did not come up"
# told STATUS WHAT ARGUMENTS…: the messages of an audit, one a line, in $told
told() {
  local status=$1 what=$2
  shift 2
  "$bin" audit "$@" --format json > "$work/report.json" 2> "$work/complaints"
  equal "exit status: $what" $? "$status"
  told=$(python3 -c 'import json, sys
for f in json.load(open(sys.argv[1]))["findings"]: f["in_baseline"] or print(f["rule"], f["message"])' "$work/report.json" | sort)
}
"$run/enter" scontrol show nodes > "$work/nodes" && "$run/enter" scontrol show config > "$work/config" && "$run/enter" scontrol show nodes -o > "$work/lines" || fail "scontrol show"
told 0 "as planned" "$spec" --scontrol "$work/nodes" --scontrol "$work/config" --save "$work/first.json"
equal "as planned" "$told" ""
told 0 "one line for each node" "$spec" --scontrol "$work/lines"
"$bin" audit "$spec" --from "$work/first.json" > "$work/again" 2>&1
equal "exit status of what was saved" $? 0
grep -q "Slurm: 4 of 4 nodes as planned" "$work/again" || fail "the summary of what was saved: $(cat "$work/again")"

# the probe through srun: the virtual nodes are as planned, and the controller is no node of Slurm
"$run/enter" "$bin" audit "$spec" --nodes 'n[1-4]' --launcher slurm --bundle "$(dirname "$bin")/../libexec/clusterc" --save "$work/probed.json" > "$work/probed" 2>&1
equal "exit status of the probes" $? 0
grep -q "nodes: 4 of 4 compared; 4 as planned" "$work/probed" || fail "the probes: $(cat "$work/probed")"
told 0 "the probes, compared again" "$spec" --from "$work/probed.json"
equal "counts of the probes" "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["nodes"])' "$work/report.json")" \
  "{'asked': 4, 'read': 4, 'as_planned': 4, 'in_part': 0, 'differing': 0, 'unread': 0, 'nodes_not_asked': 1}"

"$run/enter" scontrol update nodename=n2 state=drain reason="a fan NodeName=n9 State=IDLE" || fail "drain"
"$run/enter" scontrol update nodename=n3 availablefeatures=odd activefeatures=odd || fail "features"
"$run/enter" scontrol show nodes > "$work/nodes.second"
told 1 "a drained node, another feature" "$spec" --scontrol "$work/nodes.second"
expected=$(sed -n 's/^   AvailableFeatures=//p' "$work/nodes" | head -1 | sed 's/(null)/none/')
equal "a drained node, another feature" "$(printf '%s\n' "$told" | sed 's/ \[root@.*//')" "audit-scheduler-differs 'n2' is IDLE+DRAIN in Slurm: a fan NodeName=n9 State=IDLE
audit-scheduler-differs 'n3' has Features odd in Slurm, planned $expected"
told 1 "new since the first audit" "$spec" --scontrol "$work/nodes.second" --against "$work/first.json"
equal "new since the first audit" "$(printf '%s\n' "$told" | wc -l)" 2
"$bin" audit "$spec" --scontrol "$work/nodes.second" --format json > "$work/second.json"
told 0 "nothing new since the second audit" "$spec" --scontrol "$work/nodes.second" --against "$work/second.json"
told 0 "what is gone is not counted" "$spec" --scontrol "$work/nodes" --against "$work/second.json"
equal "what is gone" "$(python3 -c 'import json, sys; print(*sorted(g["object"] for g in json.load(open(sys.argv[1]))["against"]["gone"]))' "$work/report.json")" "node/cpu/2 node/cpu/3"

sed 's/n\[1-4\]/n[1-3]/' "$spec" > "$work/three.yaml"
told 1 "a node more" "$work/three.yaml" --scontrol "$work/nodes"
equal "a node more" "$told" "audit-scheduler-differs Slurm has a node that the plan does not have: 'n4'"
sed 's/n\[1-4\]/n[1-5]/' "$spec" > "$work/five.yaml"
told 1 "a node less" "$work/five.yaml" --scontrol "$work/nodes"
equal "a node less" "$told" "audit-scheduler-differs 'n5' is missing in Slurm"
sed 's/version: 22.05/version: 24.11/' "$spec" > "$work/newer.yaml"
told 1 "another release" "$work/newer.yaml" --scontrol "$work/nodes" --scontrol "$work/config"
equal "another release" "$(printf '%s\n' "$told" | grep -c '22.05.8, planned 24.11')" 2

# compiled files as they lie on the nodes
(cd "$run/etc" && sha256sum slurm.conf | sed 's|  |  /etc/slurm/|') > "$work/n1.overlaid"
(cd "$out" && sha256sum slurm/slurm.conf hosts/hosts | sed 's|  |  /etc/|; s|/etc/hosts/hosts|/etc/hosts|') > "$work/as-compiled"
for node in n1 n2 n3 n4 ctl; do sed "s|^|$node: |" "$work/as-compiled"; done > "$work/sums"
told 0 "files as compiled" "$spec" --files "$work/sums"
mkdir "$work/files" && for node in n2 n3 n4 ctl; do cp "$work/as-compiled" "$work/files/$node"; done && cp "$work/n1.overlaid" "$work/files/n1"
told 1 "a changed file" "$spec" --files "$work/files"
equal "a changed file" "$told" "audit-file-differs 'n1' has a '/etc/slurm/slurm.conf' that is not as compiled: 'slurm/slurm.conf'"
