#!/usr/bin/env bash
# The cable files of a plan: the sheets agree with each other, the topology file carries every link and nothing else, NetBox's columns and references
# hold, the spreadsheet is a sound archive. (NetBox itself is not run: its columns are those of its import forms.)
. "$(dirname "$0")/lib/common.bash" "$@"
need python3
check() { python3 "$src/tests/consumers/lib/cables.py" "$@" || exit 1; }

for example in superpod lab nvl72 campus; do
  "$bin" plan "$src/examples/$example.yaml" -o "$work/$example" > "$work/$example.txt" 2> "$work/$example.log" || [ $? -eq 1 ] || { cat "$work/$example.log" >&2; fail "clusterc plan examples/$example.yaml"; }
  check "$work/$example"
done

# Fibres: 42 links of 800 Gb/s are 84 through twin-port modules; 160 ends on ports split in two are 80, 192 links between such ports 96.
"$bin" plan "$src/tests/consumers/specs/fibres.yaml" -o "$work/fibres" > "$work/fibres.txt" 2> "$work/fibres.log" || fail "clusterc plan fibres.yaml"
check "$work/fibres"
got=$(python3 - "$work/fibres" <<'END'
import csv, sys
cables = {}
for row in csv.DictReader(open(sys.argv[1] + "/cables.csv")):
    if row["part"]:
        kind = row["network"], row["from"].split("/")[0]
        cables.setdefault(kind, {})[row["cable"]] = int(row["part"].split(" x ")[0]) if " x " in row["part"] else 1
labelled = {row["cable"] for row in csv.DictReader(open(sys.argv[1] + "/labels.csv"))}
print(*(sum(cables[kind].values()) for kind in (("lan", "leaf"), ("compute", "node"), ("compute", "leaf"))), sum("/fibre" in name for name in labelled))
END
)
[ "$got" = "84 80 96 84" ] || fail "fibres between leaves and spines at 800 Gb/s, to nodes, between split ports, with a label of their own: $got"

# The front of a DGX H100 (catalog/servers/nvidia-dgx-h100.yaml, from its user guide): adapters of GPUs 0 to 7 in cages 4, 3, 3, 4, 1, 2, 2, 1.
got=$(python3 -c 'import csv, sys; print(*[r["A-Port"] for r in csv.DictReader(open(sys.argv[1])) if r["A-Node Name"] == "gpu001" and r["Network"] == "compute"])' "$work/superpod/point-to-point.csv")
[ "$got" = "cage4/1 cage3/1 cage3/2 cage4/2 cage1/1 cage2/1 cage2/2 cage1/2" ] || fail "cages of gpu001: $got"

# A capture of a live fabric, where the checkout has one beside it (data of others, not part of the product).
for capture in "$src"/shared/data/fabric/ibnetdiscover-*.out "$src"/../shared/data/fabric/ibnetdiscover-*.out; do
  [ -f "$capture" ] && check --capture "$capture"
done

# The broken twin: one cable less, and the check must say so.
cp -r "$work/superpod" "$work/broken"
sed -i '0,/^P7 /{/^P7 /d}' "$work/broken/compute.topo"
python3 "$src/tests/consumers/lib/cables.py" "$work/broken" > "$work/broken.log" 2>&1 && fail "a topology file without one cable passed"
say "a topology file without one cable is refused"
