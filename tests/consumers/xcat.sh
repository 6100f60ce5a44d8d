#!/usr/bin/env bash
# tested xcat: a reader of the documented format
# output xcat: xCAT is not packed here: a reader of xcatstanzafile(5) with the attributes that node(7), network(7) and nics(5) document: the golden case and three examples with a MAC for each port, addresses as hosts has them and each in its network; 5 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
. "$(dirname "$0")/lib/node_lists.bash"
need python3

compile_case xcat
file=$out/xcat/nodes.stanza
read_list xcat "$file" || { cat "$work/read.log" >&2; fail "the golden case"; }
# by hand: the second place of a slot of 16 addresses is n1's; the first port whose MAC is known
cat > "$work/wanted" <<'END'
n1 10.1.0.17 94:6d:ae:00:00:01 10.2.0.17 - 10.1.0.17,10.3.0.17,10.4.0.17
n2 10.1.0.18 94:6d:ae:00:00:04 10.2.0.18 - 10.1.0.18,10.3.0.18,10.4.0.18
n3 10.1.0.19 - 10.2.0.19 - 10.1.0.19,10.3.0.19,10.4.0.19
v1 10.1.0.33 02:00:00:00:00:09 - - 10.1.0.33
END
diff "$work/wanted" "$work/read" >&2 || fail "the golden case reads otherwise"
say "golden case: four nodes"
for example in superpod lab nvl72; do
  example_with xcat $example
  read_list xcat "$out/xcat/nodes.stanza" || { cat "$work/read.log" >&2; fail "$example"; }
  n=$(as_planned) || fail "$example: the list and hosts differ"
  say "$example: $n nodes as planned"
done
refused "a MAC that is none" xcat "$file" 's/94:6d:ae:00:00:01/94:6d:ae:00:00:0g/'
refused "an attribute that no object has" xcat "$file" 's/bmc=10.2.0.17/bcm=10.2.0.17/'
refused "an object of no type" xcat "$file" '0,/objtype=node/s//objtyp=node/'
refused "an address outside of its network" xcat "$file" 's/nicips.fast1=10.3.0.17/nicips.fast1=10.5.0.17/'
refused "two stanzas of one name" xcat "$file" 's/^n2:/n1:/'
