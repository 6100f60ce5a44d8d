#!/usr/bin/env bash
# tested openchami: a reader of the documented format
# output openchami: OpenCHAMI is not packed here: a reader of ochami-discover(1), DATA STRUCTURE: the golden case and two examples with a MAC for each port, every node that has a BMC is listed, addresses as hosts has them, MACs as the inventory; 5 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
. "$(dirname "$0")/lib/node_lists.bash"
need python3

compile_case openchami
file=$out/openchami/nodes.yaml
read_list openchami "$file" || { cat "$work/read.log" >&2; fail "the golden case"; }
# by hand: n3 has no MAC and v1 no BMC; what comes over VLANs has no MAC of its own
cat > "$work/wanted" <<'END'
n1 - - 10.2.0.17 94:6d:ae:00:00:03 10.1.0.17,10.3.0.17
n2 - - 10.2.0.18 94:6d:ae:00:00:05 10.1.0.18
END
diff "$work/wanted" "$work/read" >&2 || fail "the golden case reads otherwise"
grep -q '2 nodes are not in the list' "$work/case-openchami.log" || fail "nobody is told of the two that are left out"
say "golden case: two nodes, and two that are left out"
for example in superpod nvl72; do
  example_with openchami $example
  read_list openchami "$out/openchami/nodes.yaml" || { cat "$work/read.log" >&2; fail "$example"; }
  n=$(as_planned) || fail "$example: the list and hosts differ"
  [ "$n" -ge 16 ] || fail "$example: only $n nodes"
  say "$example: $n nodes as planned"
done
refused "a MAC that is none" openchami "$file" 's/94:6d:ae:00:00:01/94:6d:ae:00:00:0g/'
refused "a node number twice" openchami "$file" 's/nid: 2/nid: 1/'
refused "an xname of a BMC" openchami "$file" 's/xname: \(.*\)n0$/xname: \1/'
refused "no address of the BMC" openchami "$file" '/bmc_ip:/d'
refused "one MAC of two interfaces" openchami "$file" 's/94:6d:ae:00:00:08/94:6d:ae:00:00:01/'
