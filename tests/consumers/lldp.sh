#!/usr/bin/env bash
# `clusterc audit --fabric FOLDER`: a real lldpd on each device of a small Ethernet fabric, in network namespaces that are cabled as planned, then with two swapped
# cables and without what one leaf sees.
# packages: lldpd
. "$(dirname "$0")/lib/common.bash" "$@"
need ip nsenter unshare lldpd lldpcli python3
spec=$src/tests/consumers/specs/lldp.yaml
"$bin" plan "$spec" -o "$work/plan" > "$work/plan.log" 2>&1 || { cat "$work/plan.log" >&2; fail "clusterc plan"; }
python3 "$src/tests/consumers/lib/lldp.py" "$work/plan/cables.csv" "$work/planned" ""
status=$?
[ $status -eq 77 ] && exit 77
[ $status -eq 0 ] || fail "the fabric as planned did not come up"
python3 "$src/tests/consumers/lib/lldp.py" "$work/plan/cables.csv" "$work/swapped" "h1:1 h3:2" || fail "the fabric with two swapped cables did not come up"

audit() { # STATUS FOLDER [OPTIONS…]: in $told
  local want=$1 folder=$2
  shift 2
  told=$("$bin" audit "$spec" --fabric "$folder" "$@" 2>&1)
  local status=$?
  [ $status -eq "$want" ] || { printf '%s\n' "$told" >&2; fail "audit of $folder: exit status $status, expected $want"; }
}
has() { case $told in *"$1"*) say "$1" ;; *) printf '%s\n' "$told" >&2; fail "audit does not say: $1" ;; esac; }
audit 0 "$work/planned"
has "of 12 planned cables, 12 right"
audit 1 "$work/swapped"
has "the cables of 'h1' eth1 and 'h3' eth2 are swapped"
has "of 12 planned cables, 10 right, 2 misplaced; 2 moves of cable ends"
case $told in *audit-link-missing* | *audit-device-*) fail "more than the swap is told: $told" ;; esac
# Leaf 1, its hosts and the spine say nothing: what only they see is not called right, and not missing.
mkdir "$work/part" && cp "$work"/planned/{leaf-compute-02,h3,h4}.json "$work/part/" || exit 1
audit 2 "$work/part"
has "of 12 planned cables, 6 right, 6 not judged"
case $told in *missing*) fail "what nobody looked at is called missing: $told" ;; esac
# A host whose neighbour sees it, without a file of its own.
rm "$work/planned/h2.json"
audit 0 "$work/planned"
has "of 12 planned cables, 12 right"
