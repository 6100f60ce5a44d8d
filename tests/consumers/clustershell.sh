#!/usr/bin/env bash
# tested clustershell: nodeset 1.9
# packages: clustershell
# output clustershell: nodeset 1.9 (Debian 12) with the compiled file alone: of the golden case every group, role and rack as worked out by hand; of four examples as many nodes in all groups as the plan has, and each of them in one rack; 4 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need nodeset python3

# use FILE: ClusterShell reads it, and nothing else
use() {
  mkdir -p "$work/etc/groups.d" && cp "$1" "$work/etc/groups.d/cluster.yaml"
  printf '[Main]\ndefault: cluster\nautodir: %s\n' "$work/etc/groups.d" > "$work/etc/groups.conf"
}
ask() { CLUSTERSHELL_CFGDIR=$work/etc nodeset "$@" 2> "$work/said"; }

compile_case clustershell
file=$out/clustershell/cluster.yaml
use "$file"
equal "@cpu" "$(ask -e @cpu)" "a1 a2 b01 b02 b03"
equal "a group that is called all" "$(ask -e @cluster:all)" "c1"
equal "@role:scheduler" "$(ask -e @role:scheduler)" "ctl"
equal "@role:login" "$(ask -e @role:login)" "c1"
# the plan fills r1 before r2: hosts of the spec, in their order
equal "racks" "$(ask -c @rack:r1,@rack:r2)" 6
equal "all groups; those of the spec need no source" "$(ask -L | sort | tr '\n' ' ')" "@all @cpu @ctl @rack:r1 @rack:r2 @role:login @role:provisioning @role:scheduler "
for example in superpod lab nvl72 campus; do
  spec=$work/$example.yaml
  sed '/^outputs:/d' "$src/examples/$example.yaml" > "$spec"
  grep -q '^outputs:' "$src/examples/$example.yaml" && fail "$example has outputs of its own: add clustershell there"
  echo 'outputs: { clustershell: {} }' >> "$spec"
  "$bin" compile "$spec" -o "$work/$example" --only clustershell > "$work/$example.log" 2>&1 || { cat "$work/$example.log" >&2; fail "$example"; }
  use "$work/$example/clustershell/cluster.yaml"
  nodes=$("$bin" plan "$src/examples/$example.yaml" --format json 2> "$work/plan.log" |
    python3 -c 'import json, sys; print(sum(g["count"] for g in json.load(sys.stdin)["node_groups"]))') || fail "$example: no plan"
  equal "$example: nodes of all groups" "$(ask -c @all)" "$nodes"
  racks=$(ask -s rack -l | tr '\n' ',')
  equal "$example: nodes in racks, each once" "$(ask -e -s rack ${racks%,} | tr ' ' '\n' | sort | uniq | grep -c .)" "$(for r in ${racks//,/ }; do ask -c "$r"; done | paste -sd+ | bc)"
done

# refused WHAT SED: nodeset finds other nodes, or none, in a file that was changed so
refused() {
  sed "$2" "$file" > "$work/broken.yaml"
  cmp -s "$file" "$work/broken.yaml" && fail "$1: nothing was changed"
  use "$work/broken.yaml"
  [ "$(ask -e @cpu)" != "a1 a2 b01 b02 b03" ] || fail "$1 is taken"
  say "refused: $1"
}
refused "a bracket that does not close" 's/\[01-03\]/[01-03/'
refused "a list in the place of names" 's/cpu: .*/cpu: [a1, b01]/'
refused "a group of another name" 's/cpu:/cpus:/'
refused "a tab before a key" 's/^  cpu:/\tcpu:/'
