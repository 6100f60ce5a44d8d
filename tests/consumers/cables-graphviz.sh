#!/usr/bin/env bash
# Graphviz draws every fabric of the SuperPOD, every switch of it.
. "$(dirname "$0")/lib/common.bash" "$@"
need dot

"$bin" plan "$src/examples/superpod.yaml" -o "$work/book" --exports dot > "$work/plan.txt" 2> "$work/plan.log" || { cat "$work/plan.log" >&2; fail "clusterc plan"; }
for row in "compute 48" "storage 13" "inband 15" "oob 7"; do   # switches, as the plan counts them
  set -- $row
  dot -Tsvg -Gsplines=line "$work/book/$1.dot" -o "$work/$1.svg" || fail "dot -Tsvg $1.dot"
  drawn=$(sed 's/&#45;/-/g' "$work/$1.svg" | grep -E "<title>(leaf|spine|switch)-$1-[a-z0-9-]+</title>" | grep -vc -- --)   # nodes; an edge has -- in its title
  equal "$1.svg: switches drawn" "$drawn" "$2"
done
sed '0,/ -- /s// -> /' "$work/book/compute.dot" > "$work/broken.dot"
dot -Tsvg "$work/broken.dot" -o "$work/broken.svg" 2> /dev/null && fail "a broken drawing was rendered"
say "a broken drawing is refused"
