#!/usr/bin/env bash
# tested warewulf: a reader of the documented format
# output warewulf: Warewulf is not packed here: a reader of what its documentation says of files for `wwctl node import`, of bonds, VLANs and IPMI: the golden case and three examples with a MAC for each port, addresses as hosts has them; 4 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
. "$(dirname "$0")/lib/node_lists.bash"
need python3

compile_case warewulf
file=$out/warewulf/nodes.yaml
read_list warewulf "$file" || { cat "$work/read.log" >&2; fail "the golden case"; }
# by hand: the second place of a slot of 16 addresses is n1's; one MAC of n2's bond is known, none of n3's
cat > "$work/wanted" <<'END'
n1 10.1.0.17 94:6d:ae:00:00:01,94:6d:ae:00:00:02 10.2.0.17 - 10.1.0.17,10.3.0.17,10.4.0.17
n2 10.1.0.18 94:6d:ae:00:00:04 10.2.0.18 - 10.1.0.18,10.3.0.18,10.4.0.18
n3 10.1.0.19 - 10.2.0.19 - 10.1.0.19,10.3.0.19,10.4.0.19
v1 10.1.0.33 02:00:00:00:00:09 - - 10.1.0.33
END
diff "$work/wanted" "$work/read" >&2 || fail "the golden case reads otherwise"
say "golden case: four nodes"
for example in superpod lab nvl72; do
  example_with warewulf $example
  read_list warewulf "$out/warewulf/nodes.yaml" || { cat "$work/read.log" >&2; fail "$example"; }
  n=$(as_planned) || fail "$example: the list and hosts differ"
  say "$example: $n nodes as planned"
done
refused "a MAC that is none" warewulf "$file" 's/94:6d:ae:00:00:01/94:6d:ae:00:00:0g/'
refused "an unknown attribute" warewulf "$file" 's/"primary network"/"primary net"/'
refused "a bond that is none" warewulf "$file" 's/master: bond0/master: bond1/'
refused "an address that is none" warewulf "$file" 's/10\.2\.0\.17/10.2.0.170.1/'
