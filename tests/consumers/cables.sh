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
