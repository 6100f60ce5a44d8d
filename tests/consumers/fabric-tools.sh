#!/usr/bin/env bash
# ibnetdiscover, iblinkinfo and ibqueryerrors of infiniband-diags on a planned fabric in ibsim: `audit` finds the same in the files of each, names one cable that
# ibsim has elsewhere, and the cables of two ports whose counters were set.
. "$(dirname "$0")/lib/common.bash" "$@"
need opensm ibsim ibnetdiscover iblinkinfo ibqueryerrors python3
so=$(ls /usr/lib/*/umad2sim/libumad2sim.so 2>/dev/null | head -1)
[ -n "$so" ] || missing "libumad2sim.so not installed"
spec=$src/tests/consumers/specs/fat-two-tiers.yaml
lib=$(cd "$(dirname "$0")/lib" && pwd)
cd "$work" || exit 1
"$bin" plan "$spec" -o plan > plan.log 2>&1 || { cat plan.log >&2; fail "clusterc plan"; }
# Adapters call themselves as rdma-ndd has it. The cables of two hosts on two leaves are swapped.
python3 "$lib/opensm.py" net plan compute | sed -E 's|(node/cpu/[0-9]+) compute/([0-9]+)"|\1 HCA-\2"|' > net || fail "no network"
python3 - net <<'P' || fail "no two cables to swap"
import re, sys
text = open(sys.argv[1]).read()
ends = [m for m in re.finditer(r'^Hca\t1 "(.*)"\n\[1\]\t"(leaf/[^"]*)"\[(\d+)\]$', text, re.M)]
one = ends[0]
two = next(m for m in ends if m[2] != one[2])
print(f"swapped: {one[1]} and {two[1]}")
a, b = f'"{one[2]}"[{one[3]}]', f'"{two[2]}"[{two[3]}]'
text = text.replace(f'[1]\t{a}', "[1]\tA").replace(f'[1]\t{b}', f"[1]\t{a}").replace("[1]\tA", f"[1]\t{b}")
x, y = f'"{one[1]}"[1]', f'"{two[1]}"[1]'
text = text.replace(x, "X").replace(y, x).replace("X", y)
open(sys.argv[1], "w").write(text)
P
mkfifo cmd
export IBSIM_SOCKNAME=clusterc-tools-$$ OSM_TMP_DIR=$work OSM_CACHE_DIR=$work
ibsim -s -N 8192 -S 1024 -P 131072 net < cmd > ibsim.log 2>&1 &
sim=$!
exec 9> cmd
trap 'kill $sim 2>/dev/null; wait $sim 2>/dev/null' EXIT
for _ in $(seq 100); do grep -q MaxMcastCap ibsim.log && break; sleep 0.1; done
grep -q MaxMcastCap ibsim.log || { tail -3 ibsim.log >&2; fail "ibsim did not start"; }
LD_PRELOAD=$so timeout 60 opensm -o -r -f "$work/osm.log" > opensm.out 2>&1 || fail "opensm did not run"
echo 'PerformanceSet "leaf/compute/05"[3] PortCounters.SymbolErrorCounter=17' >&9
echo 'PerformanceSet "node/cpu/95 HCA-1"[1] PortCounters.LinkDownedCounter=12' >&9
echo 'PerformanceSet "node/cpu/95 HCA-1"[1] PortCounters.PortXmitDiscards=900' >&9
for tool in ibnetdiscover iblinkinfo "iblinkinfo -l" "ibqueryerrors --skip-sl"; do
  LD_PRELOAD=$so timeout 60 $tool > "${tool// /}.txt" 2> tool.err || [ "$tool" = "ibqueryerrors --skip-sl" ] || { cat tool.err >&2; fail "$tool"; }
done
errors="ibqueryerrors--skip-sl.txt"
"$bin" check "$errors" > check.txt 2>&1 || fail "check of the counters"
grep -q "'node/cpu/95 HCA-1' port 1 has counted 12 times that the link went down \[audit-link-errors\]" check.txt || { cat check.txt >&2; fail "check does not name the port"; }
for dump in ibnetdiscover.txt iblinkinfo.txt iblinkinfo-l.txt; do
  "$bin" audit "$spec" --fabric $dump --fabric "$errors" --format json > $dump.json 2> audit.err
  [ $? -eq 1 ] || { cat audit.err >&2; fail "audit of $dump: status"; }
done
python3 - <<'P' || fail "the three dumps differ"
import json, sys
told = {}
for dump in ("ibnetdiscover", "iblinkinfo", "iblinkinfo-l"):
    report = json.load(open(f"{dump}.txt.json"))
    told[dump] = sorted((f["rule"], f["message"], str(f.get("objects"))) for f in report["findings"])
    rules = {}
    for f in report["findings"]:
        rules[f["rule"]] = rules.get(f["rule"], 0) + 1
    print(dump, rules)
# ibsim's links run at 10 Gb/s: each is slow, and which end is named first depends on the order of the file.
kept = {dump: [t for t in all if t[0] not in ("audit-link-slow", "audit-cable-misplaced")] for dump, all in told.items()}
assert kept["ibnetdiscover"] == kept["iblinkinfo"] == kept["iblinkinfo-l"], kept
for dump, all in told.items():
    assert sum(t[0] == "audit-cable-misplaced" for t in all) == 1, all
    errors = [t for t in all if t[0] == "audit-link-errors"]
    assert len(errors) == 2 and "cable/node/cpu/95/compute/1" in str(errors) and "17 symbol errors" in str(errors), errors
    assert {t[0] for t in all} <= {"audit-link-slow", "audit-cable-misplaced", "audit-link-errors"}, all[:5]
P
say "ibnetdiscover, iblinkinfo, iblinkinfo -l and ibqueryerrors of infiniband-diags $(ibnetdiscover --version 2>&1 | grep -o '[0-9.]*' | head -1) on ibsim: one swap and two ports with errors, the same in each"
