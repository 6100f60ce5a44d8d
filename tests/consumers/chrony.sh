#!/usr/bin/env bash
# tested chrony: chronyd 4.3
# output chrony: chronyd -p 4.3 (Debian 12) prints every directive of every example, with time servers, and of the golden case; 2 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need chronyd python3

# read_back FILE: chronyd prints every directive of it and says nothing.
read_back() {
  chronyd -p -f "$1" > "$work/printed" 2> "$work/said" && [ ! -s "$work/said" ] || return 1
  grep -vE '^#|^$' "$1" > "$work/wanted"
  cmp -s "$work/wanted" "$work/printed" || { diff "$work/wanted" "$work/printed" >> "$work/said"; return 1; }
}
for spec in "${examples[@]}" "$src/tests/golden/compile/chrony/spec.yaml"; do
  example=$(basename "$spec" .yaml)
  [ "$example" != broken ] || continue
  python3 "$(dirname "$0")/lib/software.py" "$spec" time_servers "[10.9.0.3, ntp.example.org]" > "$work/$example.yaml"
  "$bin" compile "$work/$example.yaml" -o "$work/$example" --only chrony > "$work/$example.log" 2>&1 || { cat "$work/$example.log" >&2; fail "compile $example"; }
  read_back "$work/$example/chrony/chrony.conf" || { cat "$work/said" >&2; fail "$example: chronyd refuses chrony.conf"; }
  equal "$example: servers" "$(grep -c '^server ' "$work/printed")" 2
done

# Nodes that are time servers: each asks the others, and lets the cluster ask it
compile_case dnsmasq-beside-dns
for node in ctl n1; do read_back "$out/chrony/nodes/$node.conf" || { cat "$work/said" >&2; fail "chronyd refuses that of $node"; }; done
equal "ctl asks" "$(sed -n 's/^server //p' "$out/chrony/nodes/ctl.conf")" "10.1.0.17 iburst"
equal "ctl lets ask" "$(sed -n 's/^allow //p' "$out/chrony/nodes/ctl.conf" | sort | tr '\n' ' ')" "10.1.0.0/24 10.2.0.0/24 10.3.0.0/24 "
equal "n2 asks" "$(sed -n 's/^server //p' "$out/chrony/chrony.conf" | tr '\n' ' ')" "ctl iburst 10.1.0.17 iburst "
conf=$work/spec/chrony/chrony.conf
sed 's/^makestep.*/makestep soon/' "$conf" > "$work/broken"
if read_back "$work/broken"; then fail "chronyd takes makestep soon"; fi
say "a makestep that is no number is refused: $(grep -m1 -o 'Fatal error.*' "$work/said")"
sed 's/^rtcsync/rtcsink/' "$conf" > "$work/broken"
if read_back "$work/broken"; then fail "chronyd takes rtcsink"; fi
say "an unknown directive is refused: $(grep -m1 -o 'Fatal error.*\|Invalid.*' "$work/said")"
