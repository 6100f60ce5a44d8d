#!/usr/bin/env bash
# output nftables: nft -c and, in a network namespace, nft -f of nftables 1.0 (Debian 12): every ruleset of every example that calls for one and of the golden case; packets between namespaces: ssh to a login node, nothing to a BMC from a node, root of a manager to a BMC; 1 broken twin
. "$(dirname "$0")/lib/common.bash" "$@"
need nft unshare ip
unshare -n nft list ruleset > /dev/null 2> "$work/nft.log" || { echo "skipped: no nftables in a network namespace here ($(head -1 "$work/nft.log"))"; exit 77; }

trees_with nftables
compile_case nftables
for name in $trees case-nftables; do
  for file in "$work/$name"/nftables/*.nft; do
    unshare -n nft -c -f "$file" > "$work/nft.log" 2>&1 || { head -5 "$work/nft.log" >&2; fail "$name: nft refuses ${file##*/}"; }
    # twice: the second load replaces the first
    unshare -n sh -c 'nft -f "$0" && nft -f "$0" && nft list ruleset' "$file" > "$work/rules" 2> "$work/nft.log" || { head -5 "$work/nft.log" >&2; fail "$name: ${file##*/} does not load"; }
    [ ! -s "$work/nft.log" ] || { head -5 "$work/nft.log" >&2; fail "$name: nft complains about ${file##*/}"; }
    [ "$(grep -c '^table' "$work/rules")" = 1 ] || fail "$name: ${file##*/}: more than one table after two loads"
    grep -q 'hook input priority filter; policy drop' "$work/rules" || fail "$name: ${file##*/} lets everything in"
    [ "$(stat -c %a "$file")" = 600 ] || fail "$name: ${file##*/} is readable by others"
  done
  say "$name: $(basename -a "$work/$name"/nftables/*.nft | tr '\n' ' ')"
done

# Packets. Three machines on one bridge: a node or login node or manager (10.1.0.17 and 10.2.0.17), somebody outside (192.0.2.9), a BMC (10.2.0.99). Subnets of the golden case: lan 10.1.0.0/24, oob 10.2.0.0/24.
# TRY FILE FROM TO PORT USER: "open" when a connection comes about
try() {
  unshare -n bash -c '
    file=$0 from=$1 to=$2 port=$3 user=$4
    ip link set lo up
    unshare -n sleep 30 & peer=$!
    for _ in $(seq 50); do [ "$(readlink /proc/$peer/ns/net)" != "$(readlink /proc/self/ns/net)" ] && break; sleep 0.02; done
    ip link add va type veth peer name vb netns $peer
    ip addr add 10.1.0.17/24 dev va; ip addr add 10.2.0.17/24 dev va; ip addr add 192.0.2.1/24 dev va; ip link set va up
    in_peer() { nsenter --net=/proc/$peer/ns/net "$@"; }
    in_peer ip addr add 10.1.0.18/24 dev vb; in_peer ip addr add 10.2.0.99/24 dev vb; in_peer ip addr add 192.0.2.9/24 dev vb; in_peer ip link set vb up; in_peer ip link set lo up
    nft -f "$file" || exit 9
    serve="import socket,sys; s=socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind((sys.argv[1], int(sys.argv[2]))); s.listen(); s.accept()"
    call="import socket,os,sys; os.setuid(int(sys.argv[4])); s=socket.socket(); s.settimeout(1); s.bind((sys.argv[1], 0)); s.connect((sys.argv[2], int(sys.argv[3])))"
    if [ "$from" = 10.1.0.17 ] || [ "$from" = 10.2.0.17 ]; then
      in_peer timeout 4 python3 -c "$serve" "$to" "$port" 2>/dev/null & s=$!
      sleep 0.3; python3 -c "$call" "$from" "$to" "$port" "$user" 2>/dev/null && echo open || echo shut
    else
      timeout 4 python3 -c "$serve" "$to" "$port" 2>/dev/null & s=$!
      sleep 0.3; in_peer python3 -c "$call" "$from" "$to" "$port" "$user" 2>/dev/null && echo open || echo shut
    fi
    kill $s $peer 2>/dev/null; wait 2>/dev/null' "$@" 2> "$work/try.log"
}
# By hand: nvl72 has no login nodes, so its managers are the way in; superpod has some.
grep -q 'tcp dport 22 accept' "$work/nvl72/nftables/manager.nft" || fail "nvl72: nobody comes in"
if grep -q 'tcp dport 22 accept' "$work/superpod/nftables/manager.nft"; then fail "superpod: everybody comes in at the managers"; fi

rules=$work/case-nftables/nftables
if [ "$(try /dev/null 192.0.2.9 192.0.2.1 22 0)" = open ]; then
  equal "outside to ssh of a login node" "$(try "$rules/login.nft" 192.0.2.9 192.0.2.1 22 0)" open
  equal "outside to another port of a login node" "$(try "$rules/login.nft" 192.0.2.9 192.0.2.1 8080 0)" shut
  equal "outside to ssh of a node" "$(try "$rules/node.nft" 192.0.2.9 192.0.2.1 22 0)" shut
  equal "inside to a node" "$(try "$rules/node.nft" 10.1.0.18 10.1.0.17 12345 0)" open
  equal "a node's root to a BMC" "$(try "$rules/node.nft" 10.2.0.17 10.2.0.99 443 0)" shut
  equal "a manager's root to a BMC" "$(try "$rules/manager.nft" 10.2.0.17 10.2.0.99 443 0)" open
  equal "a manager's user to a BMC" "$(try "$rules/manager.nft" 10.2.0.17 10.2.0.99 443 65534)" shut
  equal "a BMC to a manager" "$(try "$rules/manager.nft" 10.2.0.99 10.2.0.17 12345 0)" shut
else
  echo "note: no packets between namespaces here ($(head -1 "$work/try.log"))"
fi

sed 's/policy drop/policy dropp/' "$rules/node.nft" > "$work/broken.nft"
if unshare -n nft -c -f "$work/broken.nft" > /dev/null 2>&1; then fail "nft takes the policy dropp"; fi
say "a policy that does not exist is refused"
