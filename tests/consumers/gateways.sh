#!/usr/bin/env bash
# output netplan: the role gateway: netplan generate 0.106 and NetworkManager's keyfiles of the golden case (Debian 12) have the routes; packets between network namespaces with these addresses and routes, the gateway's own sysctl and nftables 1.0 ruleset: node to node over the gateway, both ways; nothing to a BMC, nothing begun by a stranger; 3 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need nft ip unshare nsenter python3 netplan
unshare -n nft list ruleset > /dev/null 2> "$work/nft.log" || cannot "no nftables in a network namespace here ($(head -1 "$work/nft.log"))"
compile_case gateways
# routes NODE: as netplan understands them, "DESTINATION GATEWAY" a line
routes() {
  rm -rf "$work/root" && mkdir -p "$work/root/etc/netplan" "$work/root/usr/lib" "$work/root/run/systemd"
  cp "$out"/netplan/*/"$1.yaml" "$work/root/etc/netplan/60-cluster.yaml" && chmod 600 "$work/root/etc/netplan/60-cluster.yaml"
  netplan generate --root-dir "$work/root" > "$work/netplan.log" 2>&1 && [ ! -s "$work/netplan.log" ] || { cat "$work/netplan.log" >&2; fail "netplan refuses $1"; }
  cat "$work"/root/run/systemd/network/*.network | awk -F= '/^\[Route\]/ { to = "default" } $1 == "Destination" { to = $2 } $1 == "Gateway" { print to, $2 }'  | sed 's|0.0.0.0/0|default|' | sort
}
keyfile() { sed -n 's/^route[0-9]*=\(.*\),/\1 /p' "$out"/networkmanager/*/"$1"/*; }
# By hand from the golden case's addresses: gateways .49 and .50 in lan and store, members by turns
for row in "n1 10.2.0.0/24 10.1.0.49" "n2 10.2.0.0/24 10.1.0.50" "n3 10.2.0.0/24 10.1.0.49" "b1 " "gw1 "; do
  equal "routes of ${row%% *}" "$(routes "${row%% *}" | grep -v '^default' | tr '\n' ';')" "$(echo "${row#* };" | sed 's/^;$//')"
done
equal "routes of f1" "$(keyfile f1 | tr '\n' ';')" "10.1.0.0/24 10.2.0.49;10.3.0.0/24 10.2.0.49;"
equal "routes of f2" "$(keyfile f2 | tr '\n' ';')" "10.1.0.0/24 10.2.0.50;10.3.0.0/24 10.2.0.50;"
vars=$out/ansible/group_vars
equal "who forwards" "$(cd "$vars" && grep -l 'net.ipv4.ip_forward = 1' -- *)" group_gate.yaml
grep -rq 'ip_forward' "$out/cloud-init" && fail "cloud-init, which brings no firewall, makes it forward"

# try RULES FORWARD FROM TO: "open" when FROM reaches a port of TO. gw1 is this namespace; n1 and f1 are as their files say, a BMC (10.8.0.99) and a stranger (192.0.2.9)
# know the way too. A cable is no veth, so that these are none of the rules' here.
routes n1 | sed 's|^|ip route add |; s| \([0-9.]*\)$| via \1|' | grep -v default > "$work/n1"
keyfile f1 | sed 's|^|ip route add |; s| \([0-9.]*\)$| via \1|' > "$work/f1"
try() {
  sed 's/"veth", //' "$1" > "$work/rules.nft"
  unshare -n bash -c '
    work=$0 forward=$1 from=$2 to=$3
    ip link set lo up; echo "$forward" > /proc/sys/net/ipv4/ip_forward
    # leg NAME OWN-ADDRESS ITS-ADDRESS
    leg() {
      unshare -n sleep 30 & eval "$1=\$!"
      for _ in $(seq 50); do [ "$(readlink "/proc/${!1}/ns/net")" != "$(readlink /proc/self/ns/net)" ] && break; sleep 0.02; done
      ip link add "$1" type veth peer name eth0 netns "${!1}"
      ip addr add "$2/24" dev "$1"; ip link set "$1" up
      in_ "$1" ip addr add "$3/24" dev eth0; in_ "$1" ip link set eth0 up
    }
    in_() { local at=$1; shift; nsenter --net="/proc/${!at}/ns/net" "$@"; }
    leg near 10.1.0.49 10.1.0.17; leg far 10.2.0.49 10.2.0.17; leg bmc 10.8.0.17 10.8.0.99; leg stranger 192.0.2.1 192.0.2.9
    while read -r line; do in_ near $line; done < "$work/n1"; while read -r line; do in_ far $line; done < "$work/f1"
    in_ near ip route add 10.8.0.0/24 via 10.1.0.49; in_ near ip route add 192.0.2.0/24 via 10.1.0.49
    in_ far ip route add 192.0.2.0/24 via 10.2.0.49; in_ bmc ip route add default via 10.8.0.17; in_ stranger ip route add default via 192.0.2.1
    nft -f "$work/rules.nft" || exit 9
    in_ "$to" timeout 4 python3 -c "import socket; s=socket.socket(); s.bind((\"\",80)); s.listen(); s.accept()" 2> /dev/null & s=$!
    address=$(in_ "$to" ip -4 -o addr show eth0 | sed "s|.*inet \([0-9.]*\)/.*|\1|")
    sleep 0.4; in_ "$from" python3 -c "import socket,sys; s=socket.socket(); s.settimeout(1); s.connect((sys.argv[1],80))" "$address" 2> /dev/null && echo open || echo shut
    kill $s $near $far $bmc $stranger 2> /dev/null; wait 2> /dev/null' "$work" "$2" "$3" "$4" 2> "$work/try.log"
}
rules=$out/nftables/node.nft
if [ "$(try /dev/null 1 near far)" = open ]; then
  equal "near to far" "$(try "$rules" 1 near far)" open
  equal "far to near" "$(try "$rules" 1 far near)" open
  equal "near to a stranger" "$(try "$rules" 1 near stranger)" open
  equal "a stranger to far" "$(try "$rules" 1 stranger far)" shut
  equal "near to a BMC" "$(try "$rules" 1 near bmc)" shut
  equal "a BMC to near" "$(try "$rules" 1 bmc near)" shut
  equal "near to far without the setting" "$(try "$rules" 0 near far)" shut
  grep -v '^    ct state new ip saddr != @inside drop' "$rules" > "$work/open.nft"
  equal "a stranger to far without the rule" "$(try "$work/open.nft" 1 stranger far)" open
  equal "near to a BMC without a firewall" "$(try /dev/null 1 near bmc)" open
else
  echo "note: no packets between namespaces here ($(head -1 "$work/try.log"))"
fi
# Nobody comes in from outside to a gateway; to managers, where no node is a login node
grep -q 'tcp dport 22 accept' "$rules" && fail "strangers reach ssh of a gateway"
grep -q 'tcp dport 22 accept' "$out/nftables/manager.nft" || fail "nobody comes in at all"

# Who shares the second of two networks with a head reaches it by its name, which means its address in the first
cat > "$work/legs.yaml" <<'YAML'
clusterc: 1
rules: 2026.11
name: legs
site: { region: iec, supply: { phases: 3, voltage: 400 V } }
nodes:
  near: { names: n1, virtual_machine: { cpus: 4, memory: 16 GiB } }
  far:  { names: f1, virtual_machine: { cpus: 4, memory: 16 GiB } }
  head: { names: ctl, virtual_machine: { cpus: 4, memory: 16 GiB }, roles: [scheduler] }
networks:
  lan:   { kind: ethernet, rate: 100 Gb/s, switch: nvidia-sn4600c, subnet: 10.1.0.0/24, gateway: 10.1.0.1, carries: [compute, inband], connects: { near: 1, head: 1 } }
  store: { kind: ethernet, rate: 100 Gb/s, switch: nvidia-sn4600c, subnet: 10.2.0.0/24, carries: [storage, inband], connects: { far: 1, head: 1 } }
software: { os: debian-12 }
YAML
"$bin" compile "$work/legs.yaml" -o "$work/legs" --only netplan,hosts > "$work/legs.log" 2>&1 || { cat "$work/legs.log" >&2; fail "compile a head with two legs"; }
out=$work/legs
equal "what the head's name means" "$(awk '$2 == "ctl" { print $1 }' "$out/hosts/hosts")" 10.1.0.33
equal "f1's way there" "$(routes f1)" "10.1.0.33/32 10.2.0.33"
equal "n1's" "$(routes n1)" "default 10.1.0.1"
legs() {
  unshare -n bash -c '
    ip link set lo up; ip addr add 10.1.0.33/32 dev lo
    unshare -n sleep 20 & f=$!
    for _ in $(seq 50); do [ "$(readlink "/proc/$f/ns/net")" != "$(readlink /proc/self/ns/net)" ] && break; sleep 0.02; done
    ip link add second type veth peer name eth0 netns $f; ip addr add 10.2.0.33/24 dev second; ip link set second up
    in_() { nsenter --net=/proc/$f/ns/net "$@"; }
    in_ ip addr add 10.2.0.17/24 dev eth0; in_ ip link set eth0 up
    [ -z "$0" ] || in_ ip route add "$0" via "$1"
    timeout 4 python3 -c "import socket; s=socket.socket(); s.bind((\"10.1.0.33\",80)); s.listen(); s.accept()" 2> /dev/null & s=$!
    sleep 0.4; in_ python3 -c "import socket; s=socket.socket(); s.settimeout(1); s.connect((\"10.1.0.33\",80))" 2> /dev/null && echo open || echo shut
    kill $s $f 2> /dev/null; wait 2> /dev/null' "$@" 2> "$work/legs.err"
}
# shellcheck disable=SC2046
equal "f1 to the head by its name" "$(legs $(routes f1))" open
equal "without that route" "$(legs "")" shut
out=$work/case-gateways

# Without the firewall a gateway among the BMCs does not forward, and it is said
{ cat "$src/tests/golden/compile/gateways/spec.yaml"; printf 'outputs: { nftables: { skip: true } }\n'; } > "$work/bare.yaml"
"$bin" compile "$work/bare.yaml" -o "$work/bare" > "$work/bare.log" 2>&1 || { cat "$work/bare.log" >&2; fail "compile without nftables"; }
grep -rq ip_forward "$work/bare/ansible/group_vars" && fail "a gateway among the BMCs forwards without a firewall"
grep -q 'gateway-unmade' "$work/bare.log" || fail "it is not said"
if sed -n '/routes:/,/nameservers/p' "$work/bare/netplan/near-0/n1.yaml" | grep -q 10.2.0.0; then fail "a route over a gateway that does not forward"; fi
say "without the firewall nobody forwards, and it is said"
