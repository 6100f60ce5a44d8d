#!/usr/bin/env bash
# tested nftables: nft 1.0, packets between namespaces
# output nftables: nft -c and, in a network namespace, nft -f of nftables 1.0 (Debian 12): every ruleset of every example that calls for one, of the golden case and of a pair of NFS servers; packets between namespaces: ssh to a login node, nothing to a BMC from a node, root of a manager to a BMC, a server to the BMC of its partner and to nothing else there, TFTP of a BMC, a port that a container publishes, extra lines before what drops; 3 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need nft unshare ip
unshare -n nft list ruleset > /dev/null 2> "$work/nft.log" || cannot "no nftables in a network namespace here ($(head -1 "$work/nft.log"))"

trees_with nftables
compile_case nftables
compile_case nfs-failover
for name in $trees case-nftables case-nfs-failover; do
  for file in "$work/$name"/nftables/*.nft; do
    unshare -n nft -c -f "$file" > "$work/nft.log" 2>&1 || { head -5 "$work/nft.log" >&2; fail "$name: nft refuses ${file##*/}"; }
    # twice: the second load replaces the first
    unshare -n sh -c 'nft -f "$0" && nft -f "$0" && nft list ruleset' "$file" > "$work/rules" 2> "$work/nft.log" || { head -5 "$work/nft.log" >&2; fail "$name: ${file##*/} does not load"; }
    [ ! -s "$work/nft.log" ] || { head -5 "$work/nft.log" >&2; fail "$name: nft complains about ${file##*/}"; }
    [ "$(grep -c '^table' "$work/rules")" = 1 ] || fail "$name: ${file##*/}: more than one table after two loads"
    grep -q 'hook input priority filter; policy drop' "$work/rules" || fail "$name: ${file##*/} lets everything in"
    # A device without a kind, as network adapters are, ends a rule that asks for it: no such rule may be what drops.
    grep -q 'iifkind.*drop' "$file" && fail "$name: ${file##*/} drops by the kind of a device, which adapters have none of"
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
  pair=$work/case-nfs-failover/nftables/fence.nft
  equal "a server's root to the BMC of its partner" "$(try "$pair" 10.2.0.17 10.2.0.99 443 0)" open
  equal "a server's root to another port of a BMC" "$(try "$pair" 10.2.0.17 10.2.0.99 22 0)" shut
  equal "a server's user to a BMC" "$(try "$pair" 10.2.0.17 10.2.0.99 443 65534)" shut
  equal "a BMC to a server" "$(try "$pair" 10.2.0.99 10.2.0.17 12345 0)" shut
  equal "outside to ssh of a server" "$(try "$pair" 192.0.2.9 192.0.2.1 22 0)" shut
  equal "inside to a server" "$(try "$pair" 10.1.0.18 10.1.0.17 2049 0)" open
else
  echo "note: no packets between namespaces here ($(head -1 "$work/try.log"))"
fi

# tftp FILE: "open" when a BMC that asks a manager for a file gets the answer from another port (of a server that is not root's), and the server what the BMC says to that
tftp() {
  unshare -n bash -c '
    ip link set lo up
    unshare -n sleep 30 & peer=$!
    for _ in $(seq 50); do [ "$(readlink /proc/$peer/ns/net)" != "$(readlink /proc/self/ns/net)" ] && break; sleep 0.02; done
    ip link add va type veth peer name vb netns $peer
    ip addr add 10.2.0.17/24 dev va; ip link set va up
    in_peer() { nsenter --net=/proc/$peer/ns/net "$@"; }
    in_peer ip addr add 10.2.0.99/24 dev vb; in_peer ip link set vb up
    nft -f "$0" || exit 9
    serve="import os,socket; s=socket.socket(2,2); s.bind((\"\",69)); os.setuid(65534); s.settimeout(3); d,a=s.recvfrom(99); n=socket.socket(2,2); n.settimeout(2); n.sendto(b\"data\",a); n.recvfrom(99); print(\"open\")"
    ask="import socket; s=socket.socket(2,2); s.settimeout(2); s.bind((\"10.2.0.99\",40000)); s.sendto(b\"file\",(\"10.2.0.17\",69)); d,a=s.recvfrom(99); s.sendto(b\"ack\",a)"
    timeout 4 python3 -c "$serve" 2> /dev/null & s=$!
    sleep 0.5; in_peer python3 -c "$ask" 2> /dev/null
    wait $s || echo shut
    kill $peer 2> /dev/null; wait 2> /dev/null' "$@" 2> "$work/try.log"
}
# published FILE FROM: "open" when FROM, on a cable, reaches a port of this machine that leads to a container (10.88.0.2). A cable is no veth, so that these are none of the rules' here.
published() {
  sed 's/"veth", //' "$1" > "$work/published.nft"
  unshare -n bash -c '
    file=$0 from=$1
    ip link set lo up; echo 1 > /proc/sys/net/ipv4/ip_forward
    unshare -n sleep 30 & peer=$!; unshare -n sleep 30 & box=$!
    for p in $peer $box; do for _ in $(seq 50); do [ "$(readlink /proc/$p/ns/net)" != "$(readlink /proc/self/ns/net)" ] && break; sleep 0.02; done; done
    ip link add va type veth peer name vb netns $peer; ip link add ca type veth peer name cb netns $box
    ip addr add 10.1.0.17/24 dev va; ip addr add 192.0.2.1/24 dev va; ip link set va up; ip addr add 10.88.0.1/24 dev ca; ip link set ca up
    in_peer() { nsenter --net=/proc/$peer/ns/net "$@"; }; in_box() { nsenter --net=/proc/$box/ns/net "$@"; }
    in_peer ip addr add 10.1.0.18/24 dev vb; in_peer ip addr add 192.0.2.9/24 dev vb; in_peer ip link set vb up
    in_box ip addr add 10.88.0.2/24 dev cb; in_box ip link set cb up; in_box ip route add default via 10.88.0.1
    nft -f "$file" || exit 9
    nft add table ip nat; nft "add chain ip nat pre { type nat hook prerouting priority dstnat; }"; nft add rule ip nat pre tcp dport 8080 dnat to 10.88.0.2:80
    serve="import socket; s=socket.socket(); s.bind((\"\",80)); s.listen(); s.accept()"
    call="import socket,sys; s=socket.socket(); s.settimeout(1); s.bind((sys.argv[1],0)); s.connect((sys.argv[2],8080))"
    in_box timeout 4 python3 -c "$serve" 2> /dev/null & s=$!
    case $from in 10.*) to=10.1.0.17 ;; *) to=192.0.2.1 ;; esac
    sleep 0.3; in_peer python3 -c "$call" "$from" "$to" 2> /dev/null && echo open || echo shut
    kill $s $peer $box 2> /dev/null; wait 2> /dev/null' "$work/published.nft" "$2" 2> "$work/try.log"
}
if [ "$(tftp /dev/null)" = open ] && [ "$(published /dev/null 192.0.2.9)" = open ]; then
  equal "a BMC gets a file from a manager" "$(tftp "$rules/manager.nft")" open
  sed '/@tftp accept/d' "$rules/manager.nft" > "$work/broken.nft"
  equal "and not without the rule for the answer" "$(tftp "$work/broken.nft")" shut
  equal "outside to a port that a container publishes" "$(published "$rules/node.nft" 192.0.2.9)" shut
  equal "inside to it" "$(published "$rules/node.nft" 10.1.0.18)" open
  sed '/ct status dnat/d' "$rules/node.nft" > "$work/broken.nft"
  equal "outside to it without the rule" "$(published "$work/broken.nft" 192.0.2.9)" open
else
  echo "note: no datagrams or no translation between namespaces here ($(head -1 "$work/try.log"))"
fi
# A user's line stands before what drops
equal "the extra line of the golden case" "$(grep -n -e 'outputs.nftables.extra' -e 'saddr @bmc drop' "$rules/manager.nft" "$rules/node.nft" "$rules/login.nft" | cut -d: -f1,3- | awk -F: '!seen[$1]++' | grep -c extra)" "$(grep -l 'outputs.nftables.extra' "$rules"/*.nft | wc -l)"

sed 's/policy drop/policy dropp/' "$rules/node.nft" > "$work/broken.nft"
if unshare -n nft -c -f "$work/broken.nft" > /dev/null 2>&1; then fail "nft takes the policy dropp"; fi
say "a policy that does not exist is refused"
