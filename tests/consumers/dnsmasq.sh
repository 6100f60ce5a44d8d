#!/usr/bin/env bash
# tested dnsmasq: dnsmasq 2.90, leases over a wire
# output dnsmasq: dnsmasq --test 2.90 (Debian 12), and dnsmasq itself with the compiled files in a network namespace: every reservation and name of every example that calls for it and of the golden case; DHCP over a wire: who has a MAC of the inventory gets its address, who has a name gets the name's, a stranger none; 4 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need dnsmasq python3 unshare ip
lib=$(dirname "$0")/lib
unshare -n true 2> "$work/unshare.log" || cannot "no network namespaces here ($(head -1 "$work/unshare.log"))"

# installed TREE: the configuration with the folder it is installed to replaced
installed() { rm -rf "$work/etc" && mkdir "$work/etc" && cp "$1/dnsmasq/dhcp-hosts" "$1/hosts/hosts" "$work/etc" && sed "s|/etc/dnsmasq.cluster/|$work/etc/|" "$1/dnsmasq/dnsmasq.conf" > "$work/etc/dnsmasq.conf"; }
accepted() { dnsmasq --test -C "$work/etc/dnsmasq.conf" > "$work/test.log" 2>&1; }
# running: dnsmasq reads both files to the end and complains of nothing
running() {
  rm -f "$work/leases" "$work/run.log"
  unshare -n sh -c 'ip link set lo up; exec timeout 20 dnsmasq -k -C "$0/etc/dnsmasq.conf" --user=root --pid-file= --log-facility="$0/run.log" --port=5353 --dhcp-leasefile="$0/leases"' "$work" 2> "$work/err.log" &
  local daemon=$!
  for _ in $(seq 150); do grep -q "read $work/etc/dhcp-hosts" "$work/run.log" 2>/dev/null && break; kill -0 $daemon 2>/dev/null || break; sleep 0.1; done
  sleep 0.2
  kill -0 $daemon 2>/dev/null || { cat "$work/err.log" >> "$work/run.log"; return 1; }
  kill $daemon 2>/dev/null; wait $daemon 2>/dev/null
  grep -q "read $work/etc/dhcp-hosts" "$work/run.log" && [ ! -s "$work/err.log" ] && ! grep -iE "bad|error|duplicate|ignor|failed|cannot" "$work/run.log"
}

trees_with dnsmasq,hosts
compile_case dnsmasq
for name in $trees case-dnsmasq; do
  installed "$work/$name"
  accepted || { cat "$work/test.log" >&2; fail "$name: dnsmasq refuses the configuration"; }
  running || { tail -5 "$work/run.log" >&2; fail "$name: dnsmasq complains about the files"; }
  # Address and name of every reservation are a line of hosts, and none stands twice.
  python3 - "$work/etc" > "$work/counted" <<'PY' || fail "$name: reservations and hosts differ: $(cat "$work/counted")"
import re, sys
names = {}
for line in open(sys.argv[1] + "/hosts", encoding="utf-8"):
    words = line.split("#")[0].split()
    for name in words[1:]:
        names[name] = words[0]
seen, macs = set(), set()
for line in open(sys.argv[1] + "/dhcp-hosts", encoding="utf-8"):
    if line.startswith("#") or not line.strip():
        continue
    words = [w for w in line.strip().split(",") if not w.startswith("set:")]
    address = next(w for w in words if re.fullmatch(r"\d+\.\d+\.\d+\.\d+", w))
    hardware = [w for w in words if re.fullmatch(r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}", w)]
    name = next(w for w in words if w != address and w not in hardware)
    if names.get(name) != address:
        print(f"{name} has {names.get(name)} in hosts, {address} here")
        sys.exit(1)
    if address in seen or macs & set(hardware):
        print(f"{address} or {hardware} twice")
        sys.exit(1)
    seen.add(address)
    macs.update(hardware)
print(len(seen))
PY
  say "$name: $(cat "$work/counted") reservations"
done
equal "reservations of the golden case" "$(cat "$work/counted")" 12

# Clients, on a wire to a server that has the compiled files of the golden case: who has n1's second MAC, who says that it is ctl, and a stranger.
installed "$work/case-dnsmasq"
ask() {   # ASK MAC [NAME]: the address that is offered
  unshare -n bash -c '
    work=$0
    ip link set lo up
    unshare -n sleep 30 & peer=$!
    for _ in $(seq 50); do [ "$(readlink /proc/$peer/ns/net)" != "$(readlink /proc/self/ns/net)" ] && break; sleep 0.02; done
    ip link add va type veth peer name vb netns $peer && ip addr add 10.1.0.1/24 dev va && ip link set va up
    nsenter --net=/proc/$peer/ns/net ip link set vb up
    dnsmasq -k -C "$work/etc/dnsmasq.conf" --user=root --pid-file= --log-facility="$work/ask.log" --port=0 --dhcp-leasefile="$work/leases" & server=$!
    for _ in $(seq 50); do grep -q "read .*dhcp-hosts" "$work/ask.log" 2>/dev/null && break; sleep 0.1; done
    nsenter --net=/proc/$peer/ns/net python3 "$1" vb "${@:2}"
    kill $server $peer; wait 2>/dev/null' "$work" "$lib/dhcp_ask.py" "$@" 2>> "$work/ask.err"
}
equal "offered to n1's second port" "$(ask 94:6d:ae:00:00:02)" "10.1.0.17 router 10.1.0.1 ntp 10.9.0.3"
equal "offered to who says it is ctl" "$(ask 02:00:00:00:00:99 ctl)" "10.1.0.33 router 10.1.0.1 ntp 10.9.0.3"
equal "offered to a stranger" "$(ask 02:00:00:00:00:98)" "nothing"

# Broken twins: a range with the octet 300, an address that two have, a file of reservations that is not there; a MAC with a letter that is none is
# taken for a name without a word, so the client is asked.
sed -i 's/^dhcp-range=set:oob,[0-9.]*,/dhcp-range=set:oob,10.300.0.0,/' "$work/etc/dnsmasq.conf"
if accepted; then fail "dnsmasq takes the range 10.300.0.0"; fi
say "refused: $(tail -1 "$work/test.log")"
installed "$work/case-dnsmasq"
sed -i 's/^ctl,.*/ctl,10.1.0.17/' "$work/etc/dhcp-hosts"
if running > /dev/null; then fail "dnsmasq takes one address for two"; fi
say "refused: $(grep -im1 duplicate "$work/run.log")"
installed "$work/case-dnsmasq"
rm "$work/etc/dhcp-hosts"
if running > /dev/null; then fail "dnsmasq runs without the reservations"; fi
say "refused: $(grep -im1 "cannot\|failed" "$work/run.log")"
installed "$work/case-dnsmasq"
sed -i 's/94:6d:ae:00:00:02/94:6d:ae:00:00:0g/' "$work/etc/dhcp-hosts"
equal "offered to n1's second port with a broken reservation" "$(ask 94:6d:ae:00:00:02)" "nothing"

# Beside BIND, which has port 53 of the same machine, dnsmasq answers no names
compile_case dnsmasq-beside-dns
sed 's|/etc/dnsmasq.cluster|'"$out/dnsmasq"'|' "$out/dnsmasq/dnsmasq.conf" > "$work/beside.conf"
cat > "$work/beside" <<'SCRIPT'
ip link set lo up
dnsmasq -k -C "$1" --user=root --pid-file= --log-facility="$2/beside.log" --dhcp-leasefile="$2/leases" & server=$!
sleep 1
kill -0 $server 2> /dev/null && python3 -c 'import socket
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
    s = socket.socket(socket.AF_INET, kind); s.bind(("0.0.0.0", 53))' && echo free
kill $server
SCRIPT
equal "port 53 beside dnsmasq" "$(unshare -n bash "$work/beside" "$work/beside.conf" "$work" 2>&1 | tail -1)" free
sed -i '/^port=0$/d' "$work/beside.conf"
case $(unshare -n bash "$work/beside" "$work/beside.conf" "$work" 2>&1 | tail -1) in free) fail "dnsmasq leaves port 53 alone by itself" ;; esac
say "without port=0 it is taken"
