#!/usr/bin/env bash
# tested slurm: slurmctld, slurmd, slurmdbd 22.05 and 24.11; slurmctld 26.05 with topology.yaml
# output slurm: slurmctld and slurmd 22.05 (Debian 12): nothing in the log complains, nodes, GPUs and topology as in the plan, for SuperPOD, 16,384 nodes, four virtual nodes, the golden cases and extra lines; 5 negative tests
# A real slurmctld loads the compiled configuration in namespaces of its own (tests/virtual-slurm/up), with the addresses of the compiled
# hosts file; nothing in its log may complain of the configuration, and what it serves is compared with figures worked out by hand.
# slurmd reads gres.conf to its end, with fake device files.
# lock: slurm-b
# waits: 16 s of CPU time in two minutes
. "$(dirname "$0")/lib/common.bash" "$@"
need slurmctld slurmd scontrol sinfo python3
up=$src/tests/virtual-slurm/up down=$src/tests/virtual-slurm/down
# The examples name newer releases, and what is written follows the release: here they are compiled for the one that reads them.
mkdir -p "$work/specs" && cp -r "$src/examples" "$work/specs/" || fail "copy"
for case in slurm extra-lines slurm-partitions slurm-private-tmp; do cp "$src/tests/golden/compile/$case/spec.yaml" "$work/specs/examples/case-$case.yaml"; done
sed -i 's/\(kind: slurm, version: \)[0-9.]*/\122.05/' "$work"/specs/examples/*.yaml
compile() {
  out=$work/$1
  "$bin" compile "$work/specs/examples/$1.yaml" -o "$out" > "$work/$1.log" 2>&1 || { cat "$work/$1.log" >&2; fail "clusterc compile $1"; }
  grep -q '^# for Slurm 22.05$' "$out/slurm/slurm.conf" || fail "slurm.conf of $1 is not for 22.05"
}
running=()
trap 'for w in "${running[@]:-}"; do [ -n "$w" ] && "$down" "$w"; done' EXIT

controller() {   # EXAMPLE or case-GOLDEN [WARNING]: starts its slurmctld, which may say WARNING; $run is its work folder
  compile "$1"
  run=$work/run-$1
  running+=("$run")
  "$up" "$out" "$run" --controller-only --wait 150   # 16,384 nodes on a busy machine take most of a minute
  local rc=$?
  [ $rc -eq 77 ] && exit 77
  [ $rc -eq 0 ] || fail "slurmctld does not load the configuration of $1: $(grep -hE 'error|fatal' "$run"/log/* | head -5)"
  local errors
  errors=$(slurm_complaints "$run/log/slurmctld.log")
  [ -z "$errors" ] || fail "slurmctld of $1 complains: $errors"
  grep -i "warning" "$run/log/slurmctld.log" | grep -vF "${2:-no such text}" > "$run/warnings"
  [ ! -s "$run/warnings" ] || fail "slurmctld of $1 warns: $(cat "$run/warnings")"
}
stop() { "$down" "$run"; }
# by_plan EXAMPLE NETWORK GROUP: the lowest switches of the scheduler as plan.json has them, one "nodes of a unit" a line: its scalable
# units of nodes that share their leaves, filled in the order of the names.
by_plan() {
  "$bin" plan "$src/examples/$1.yaml" --format json 2> "$work/plan.err" | python3 -c '
import json, re, sys
plan = json.load(sys.stdin)
fabric, = (f for f in plan["fabrics"] if f["network"] == sys.argv[1])
group, = (g for g in plan["node_groups"] if g["name"] == sys.argv[2])
stem, first, last = re.fullmatch(r"(\w+?)\[(\d+)-(\d+)\]", group["names"]).groups()
assert int(last) - int(first) + 1 == group["count"]
unit, lines = fabric["unit"], 0
for at in range(int(first), int(last) + 1, unit):
    print("%s[%0*d-%0*d]" % (stem, len(first), at, len(last), min(at + unit - 1, int(last))))
    lines += 1
assert lines == fabric["units"], (lines, fabric["units"])' "$2" "$3"
}
leaves() { "$run/enter" scontrol show topology | sed -n 's/.*Level=0 .*Nodes=\([^ ]*\).*/\1/p' | sort; }
topology() { "$run/enter" scontrol show topology | sed 's/ *LinkSpeed=[0-9]*//; s/ *$//' | sort; }

# ---- SuperPOD: 127 nodes in scalable units of 32, two tiers --------------------------------------------------------------
controller superpod
equal "superpod: nodes" "$("$run/enter" sinfo -h -N -o %N | sort -u | wc -l)" 127
equal "superpod: GPUs" "$("$run/enter" scontrol show nodes -o | grep -o 'Gres=gpu:h100:[0-9]*' | awk -F: '{ n += $3 } END { print n }')" 1016
# 2 x 56 cores with 2 threads; 2 TiB = 2,097,152 MiB less 1/32 = 2,031,616 MiB
equal "superpod: CPUs and memory of gpu001" "$("$run/enter" sinfo -h -n gpu001 -o '%c %m')" "224 2031616"
equal "superpod: topology" "$(topology)" "$(sort <<'T'
SwitchName=compute-su1 Level=0 Nodes=gpu[001-032]
SwitchName=compute-su2 Level=0 Nodes=gpu[033-064]
SwitchName=compute-su3 Level=0 Nodes=gpu[065-096]
SwitchName=compute-su4 Level=0 Nodes=gpu[097-127]
SwitchName=compute-spine Level=1 Nodes=gpu[001-127] Switches=compute-su[1-4]
T
)"
by_plan superpod compute gpu | sort > "$work/plan.leaves"
leaves > "$work/slurm.leaves"
cmp -s "$work/plan.leaves" "$work/slurm.leaves" || fail "superpod: scontrol has $(tr '\n' ' ' < "$work/slurm.leaves"), plan.json has $(tr '\n' ' ' < "$work/plan.leaves")"
say "superpod: the $(wc -l < "$work/slurm.leaves") leaves of scontrol show topology are the units of plan.json"
stop
# gres.conf, as slurmd of one node reads it. The devices are fakes without a driver.
mkdir -p "$work/dev"
for i in 0 1 2 3 4 5 6 7; do mknod -m 666 "$work/dev/nvidia$i" c 195 $i 2>/dev/null || : > "$work/dev/nvidia$i"; done
python3 "$src/tests/virtual-slurm/overlay.py" "$work/superpod/slurm" "$work/etc" --devices "$work/dev" slurm.conf:SlurmUser=root slurm.conf:SlurmdParameters=config_overrides \
  "slurm.conf:SlurmdSpoolDir=$work" "slurm.conf:SlurmdLogFile=$work/slurmd.log" slurm.conf:TaskPlugin=task/none slurm.conf:ProctrackType=proctrack/linuxproc slurm.conf:JobAcctGatherType=jobacct_gather/none || fail "overlay"
slurmd -f "$work/etc/slurm.conf" -G -N gpu001 > "$work/gres.log" 2>&1
equal "slurmd: GPUs of gpu001" "$(grep -o 'Gres Name=gpu Type=h100 Count=[0-9]*' "$work/gres.log" | awk -F= '{ n += $NF } END { print n + 0 }')" 8
grep -E "error|fatal" "$work/gres.log" && fail "slurmd complains of gres.conf"

# ---- 16,384 nodes on three tiers --------------------------------------------------------------------------------------------
controller roce-16384
equal "roce-16384: nodes" "$("$run/enter" sinfo -h -o %D | awk '{ n += $1 } END { print n }')" 16384
by_plan roce-16384 compute gpu | sort > "$work/plan.leaves"
leaves > "$work/slurm.leaves"
cmp -s "$work/plan.leaves" "$work/slurm.leaves" || fail "roce-16384: scontrol's $(wc -l < "$work/slurm.leaves") leaves differ from plan.json's $(wc -l < "$work/plan.leaves"): $(diff "$work/plan.leaves" "$work/slurm.leaves" | head -4)"
say "roce-16384: the leaves of scontrol show topology are the units of plan.json"
# 64 of the 128 ports of a leaf face down: units of 64 nodes, 256 of them; every node once, the top reaches all
equal "roce-16384: leaves" "$("$run/enter" scontrol show topology | grep -c 'Level=0')" 256
equal "roce-16384: nodes below the top switch" "$("$run/enter" scontrol show topology | sed -n '/Level=2/s/.*Nodes=\([^ ]*\).*/\1/p')" "gpu[00001-16384]"
stop

# ---- virtual machines --------------------------------------------------------------------------------------------------------
controller four-virtual
equal "four-virtual: nodes" "$("$run/enter" sinfo -h -N -o %N | sort -u | tr '\n' ' ')" "n1 n2 n3 n4 "
stop

# ---- the golden case: three leaves of a fat tree, GPUs, spares, a group that stands apart; by hand in its spec ------------------
controller case-slurm "no switch can reach all nodes"   # the virtual machines are on another network: that is so
equal "case slurm: nodes" "$("$run/enter" sinfo -h -o %D | awk '{ n += $1 } END { print n }')" 75
equal "case slurm: CPUs, memory and GPUs of g1" "$("$run/enter" sinfo -h -n g1 -o '%c %m %G' | sort -u)" "128 761856 gpu:l40s:4"
equal "case slurm: the spare before spares.sh" "$("$run/enter" sinfo -h -n g2 -o '%E' | sort -u)" none
equal "case slurm: spares.sh says" "$("$run/enter" /etc/slurm/spares.sh 2>&1)" "g2 is a spare now"
equal "case slurm: drained are" "$("$run/enter" sinfo -h -N -t drain -o '%N %E' | sort -u)" "g2 spare"
equal "case slurm: a second run says" "$("$run/enter" /etc/slurm/spares.sh 2>&1)" ""
equal "case slurm: the third leaf" "$("$run/enter" scontrol show topology leaf-lan-03 | sed -n 's/.*SwitchName=leaf-lan-03 .*Nodes=\([^ ]*\).*/\1/p')" "c[65-70],g[1-2]"
stop
# extra lines: the controller that reads them has them
controller case-extra-lines
equal "case extra-lines: ReturnToService" "$("$run/enter" scontrol show config | sed -n 's/^ReturnToService *= //p')" 2
equal "case extra-lines: partitions have the limit of the DEFAULT line that stands before them" "$("$run/enter" sinfo -h -o '%R %l' | sort -u | tr '\n' ' ')" "$(sed -n 's/^PartitionName=\([^ ]*\) .*/\1/p' "$out/slurm/slurm.conf" | grep -v DEFAULT | sort -u | sed 's/$/ 2-00:00:00/' | tr '\n' ' ')"
equal "case extra-lines: nodes have what the DEFAULT line says" "$("$run/enter" sinfo -h -o %d | sort -u)" 1000
equal "case extra-lines: SchedulerParameters" "$("$run/enter" scontrol show config | sed -n 's/^SchedulerParameters *= //p')" "bf_continue,bf_max_job_test=1000"
stop

# ---- partitions of the spec; a /tmp of each job ------------------------------------------------------------------------------------
controller case-slurm-private-tmp
equal "case slurm-private-tmp: plugin and what it needs" "$("$run/enter" scontrol show config | sed -n 's/^\(JobContainerType\|PrologFlags\) *= //p' | tr '\n' ' ')" "job_container/tmpfs Alloc,Contain "
stop
# Without accounting: QOS and accounts would be looked up in a database.
sed -i -e '/^teams:/,/^software:/{/^software:/!d}' -e 's/, teams: \[Staff\]//; s/teams: \[Staff\]//; s/, allow_qos: [^}]* }/ }/; s/, }/ }/' "$work/specs/examples/case-slurm-partitions.yaml"
controller case-slurm-partitions
partition() { "$run/enter" scontrol show partition "$1" -o | tr ' ' '\n' | sed -n "s/^\($2\)=//p" | tr '\n' ' '; }
equal "case slurm-partitions: debug" "$(partition debug 'Nodes\|MaxTime\|DefaultTime\|PriorityTier\|PriorityJobFactor\|Hidden\|GraceTime\|DefMemPerNode')" "00:30:00 600 YES 00:30:00 c1,g1 10000 2 1000 "
equal "case slurm-partitions: the default partition" "$("$run/enter" sinfo -h -o %P | grep '[*]')" 'cpu*'
equal "case slurm-partitions: whole nodes" "$(partition gpu OverSubscribe)" "EXCLUSIVE "
equal "case slurm-partitions: all" "$(partition all 'Nodes\|MaxTime\|DefMemPerCPU')" "01:00:00 c[1-4],g[1-2] 1884 "
stop

# ---- the keys that extra lines may have (src/compile/slurm/conf_keys.cc), each asked of the installed Slurm: it refuses those of 24.11 alone, and a slip -----
refused=$(python3 - "$src/src/compile/slurm/conf_keys.cc" "$work" <<'END'
import os, re, subprocess, sys
keys = re.findall(r'"([A-Za-z0-9]+)"', open(sys.argv[1], encoding="utf-8").read().split("kKeys[] = {")[1].split("};")[0])
conf = os.path.join(sys.argv[2], "keys.conf")
for key in [*keys, "ReturnToServise"]:
    own = "" if key in ("ClusterName", "SlurmctldHost", "NodeName", "PartitionName") else f"{key}=1\n"
    with open(conf, "w", encoding="utf-8") as file:
        file.write("ClusterName=x\nSlurmctldHost=localhost\nNodeName=n1\nPartitionName=p Nodes=n1\n" + own)
    said = subprocess.run(["sinfo", "-V"], env={**os.environ, "SLURM_CONF": conf}, capture_output=True, text=True, timeout=20, check=False)
    if f"unrecognized key: {key}" in said.stderr:
        print(key, end=" ")
END
)
equal "keys that Slurm 22.05 refuses" "$refused" "CertmgrParameters CertmgrType DataParserParameters HashPlugin MaxBatchRequeue PreemptParameters SuspendExcStates TLSParameters TLSType ReturnToServise "

# ---- the keys behind NodeName, PartitionName, NodeSet and DownNodes, likewise: refused are those of newer releases alone -------------------------------------------
refused=$(python3 - "$src/src/compile/slurm/conf_keys.cc" "$work" <<'END'
import os, re, subprocess, sys
text = open(sys.argv[1], encoding="utf-8").read()
conf = os.path.join(sys.argv[2], "line-keys.conf")
for table, line in (("kNodeKeys", "NodeName=n2"), ("kPartitionKeys", "PartitionName=z Nodes=n1"), ("kNodeSetKeys", "NodeSet=s"), ("kDownNodesKeys", "DownNodes=n1")):
    for key in [*re.findall(r'"([A-Za-z0-9]+)"', re.search(table + r"\[\] = \{(.*?)\}", text, re.S)[1]), "Wieght"]:
        with open(conf, "w", encoding="utf-8") as file:
            file.write(f"ClusterName=x\nSlurmctldHost=localhost\nNodeName=n1\nPartitionName=p Nodes=n1\n{line} {key}=1\n")
        said = subprocess.run(["sinfo", "-V"], env={**os.environ, "SLURM_CONF": conf}, capture_output=True, text=True, timeout=20, check=False).stderr
        if "Parse error" in said or "unrecognized" in said:
            print(key, end=" ")
END
)
equal "keys of lines that Slurm 22.05 refuses" "$refused" "RestrictedCoresPerGPU Topology Wieght ExclusiveTopo MaxCPUsPerSocket PowerDownOnIdle Topology Wieght Wieght Wieght "

# ---- values (src/compile/slurm/conf_values.cc): of each key in its tables Slurm refuses what is refused here, and takes what is taken -----------------------------------
differ=$(python3 - "$src/src/compile/slurm/conf_values.cc" "$work" <<'END'
import os, re, subprocess, sys
text = open(sys.argv[1], encoding="utf-8").read()
conf = os.path.join(sys.argv[2], "values.conf")
def keys(table): return re.findall(r'"([a-z0-9]+)"', re.search(r"\b" + table + r"\[\] = \{(.*?)\}", text, re.S)[1])
def taken(line):
    with open(conf, "w", encoding="utf-8") as file:
        file.write(f"ClusterName=x\nSlurmctldHost=localhost\nNodeName=n1\nPartitionName=p Nodes=n1\n{line}\n")
    said = subprocess.run(["sinfo", "-V"], env={**os.environ, "SLURM_CONF": conf}, capture_output=True, text=True, timeout=20, check=False).stderr
    return "fatal" not in said
finite, count = keys("kFinite"), 0
def hold(line, wanted):
    global count
    count += 1
    if taken(line) != wanted: print(line, end="; ")
for first, tables in (("", ("kNumbers16", "kNumbers32", "kNumbers64", "kTruths")), ("NodeName=n2 ", ("kNode16", "kNode32", "kNode64")), ("PartitionName=z Nodes=n1 ", ("kPartition16", "kPartition32", "kPartition64", "kPartitionTruths"))):
    for table in tables:
        for key in keys(table):
            hold(f"{first}{key}=x", False)
            if table.endswith("Truths"):
                hold(f"{first}{key}=yes", True)
                continue
            most = {"16": 65535, "32": 4294967295, "64": 18446744073709551615}[table[-2:]]
            hold(f"{first}{key}={most + 1}", False)
            hold(f"{first}{key}=unlimited", key not in finite)
            if key not in ("slurmschedloglevel", "maxdbdmsgs", "maxnodecount"): hold(f"{first}{key}=0x1", True)   # these have a least value
for time, wanted in (("5", True), ("1:00:00", True), ("1-2", True), ("1-02:03:04", True), ("INFINITE", True), ("-1", True), ("1.5", False), ("1:00:00:00", False), ("5d", False)):
    hold(f"PartitionName=z Nodes=n1 MaxTime={time}", wanted)
for state, wanted in (("UP", True), ("drain", True), ("Inactive", True), ("gone", False)): hold(f"PartitionName=z Nodes=n1 State={state}", wanted)
hold("NodeName=DEFAULT NodeAddr=x", False)
hold("FrontendName=f1", False)
print(count if count > 300 else "too few")
END
)
case $differ in *" "* | "too few") fail "values that Slurm takes otherwise: $differ" ;; esac
say "$differ values of keys are taken and refused as Slurm does"

# ---- a file server that is gone: whoever looks at the folder waits, here for a mountpoint that never answers; one that is not mounted, and one that is ------------
mkdir -p "$work/hung/bin"
printf 'mounted /data\n' > "$work/hung/node.sh"
health_check_in "$work/hung" "$work/superpod/slurm/healthcheck.sh"
sed -i 's/^budget=30 /budget=2 /' "$work/hung/healthcheck.sh"
for answer in 'exec sleep 60' 'exit 32' 'exit 0'; do
  printf '#!/bin/sh\n%s\n' "$answer" > "$work/hung/bin/mountpoint" && chmod +x "$work/hung/bin/mountpoint"
  SLURMD_NODENAME=n1 PATH=$work/hung/bin:$PATH timeout 30 sh "$work/hung/healthcheck.sh" --check 2>&1
  echo "status $?"
done > "$work/hung/said"
equal "the health check of a folder" "$(tr '\n' ';' < "$work/hung/said")" "n1: /data does not answer;status 1;n1: /data is not mounted;status 1;status 0;"

# ---- lines that are no Key=Value, as src/model/slurm_lines reads them: Slurm refuses the first seven from the same place on, and takes the others ------------------
: > "$work/lines.said"
while IFS= read -r text; do
  printf 'ClusterName=x\nSlurmctldHost=localhost\nNodeName=n1\n%b\n' "$text" > "$work/line.conf"
  SLURM_CONF=$work/line.conf timeout 20 sinfo -V 2>&1 | sed -n 's/.*Parse error in file .* line 4: "\(.*\)"$/refused:\1/p' > "$work/line.said"
  [ -s "$work/line.said" ] || echo taken > "$work/line.said"
  cat "$work/line.said" >> "$work/lines.said"
done <<'END'
PartitionName=p Nodes=
PartitionName=p Nodes=n1, n2
NodeName=a Reason="a b
NodeName=a Reason="a b"c
NodeName=a Reason=a b
PartitionName=p stray
PartitionName=p Nodes=n1 =x
PartitionName = p\tNodes= n1
NodeName=a Reason="a b" # why
NodeName=a Reason="a#b"
PartitionName=p Nodes=""
SchedulerParameters+=bf_continue,x=1
END
equal "lines that are no Key=Value" "$(tr '\n' '|' < "$work/lines.said")" 'refused: Nodes=|refused: n2|refused: b|refused: b"c|refused: b|refused: stray|refused: =x|taken|taken|taken|taken|taken|'

# ---- broken twins ------------------------------------------------------------------------------------------------------------
twin() {   # NAME FILE SED-EXPRESSION PATTERN: slurmctld ends, or says PATTERN
  cp -r "$work/superpod" "$work/twin-$1"
  sed -i "$3" "$work/twin-$1/slurm/$2"
  cmp -s "$work/twin-$1/slurm/$2" "$work/superpod/slurm/$2" && fail "the broken twin $1 is not broken"
  run=$work/run-twin-$1
  running+=("$run")
  "$up" "$work/twin-$1" "$run" --controller-only --wait 15 > "$work/twin-$1.log" 2>&1
  grep -qhE "$4" "$work/twin-$1.log" "$run"/log/* || fail "broken twin $1 was accepted: $(tail -3 "$work/twin-$1.log")"
  stop
  say "broken twin $1 is refused"
}
twin unknown-switch topology.conf 's/Switches=compute-su\[1-4\]/Switches=compute-su[1-5]/' "fatal"
twin misspelt-key slurm.conf 's/^SelectTypeParameters=/SelectTypeParametre=/' "unrecognized key|fatal"
twin cores-that-do-not-multiply slurm.conf 's/CoresPerSocket=56/CoresPerSocket=55/' "error:.*CPUs"
# what check refuses of extra lines, slurm-extra-node-unknown: the controller refuses it too
twin partition-of-unknown-nodes slurm.conf '$a PartitionName=q Nodes=nope[1-4]' "fatal: Invalid node names in partition q"
twin set-of-unknown-nodes slurm.conf '$a NodeSet=some Nodes=nope1\nPartitionName=q Nodes=some' "fatal: Invalid node names in partition q"
