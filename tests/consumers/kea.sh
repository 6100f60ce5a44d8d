#!/usr/bin/env bash
# tested kea: kea-dhcp4 2.2, leases over a wire
# output kea: kea-dhcp4 -t 2.2 (Debian 12): every example that calls for DHCP with kea named under `outputs`, and the golden case, the reservations those that dnsmasq has from the same spec; kea-dhcp4 itself in a network namespace: DHCP over a wire: who has a MAC of the inventory gets its address, who has a name gets the name's, a stranger none; 5 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need kea-dhcp4 python3 unshare ip
lib=$(dirname "$0")/lib
unshare -nm true 2> "$work/unshare.log" || cannot "no network namespaces here ($(head -1 "$work/unshare.log"))"

accepted() { kea-dhcp4 -t "$1" > "$work/test.log" 2>&1; }
# agree KEA DNSMASQ: both trees give the same names the same addresses, to the same MACs or, without one, by name; prints how many
agree() {
  python3 - "$1/kea/kea-dhcp4.conf" "$2/dnsmasq" > "$work/counted" <<'PY'
import json, re, sys
kea = json.load(open(sys.argv[1], encoding="utf-8"))["Dhcp4"]     # plain JSON, as any program reads it
found, names = {}, {c["name"]: re.fullmatch(r"option\[host-name\]\.text == '(.*)'", c["test"]).group(1) for c in kea["client-classes"] if c["name"].startswith("name-")}
for subnet in kea["subnet4"]:
    for r in subnet["reservations"]:
        found.setdefault((subnet["subnet"], r["ip-address"]), (r["hostname"], set()))[1].add(r["hw-address"])
    for p in subnet["pools"]:
        first, last = p["pool"].split("-")
        assert first == last and (subnet["subnet"], first) not in found, p
        found[subnet["subnet"], first] = (names.pop(p["client-class"]), set())
assert not names, names
wanted, subnet = {}, None
for line in open(sys.argv[2] + "/dhcp-hosts", encoding="utf-8"):
    if line.startswith("# network"):
        subnet = line.split()[-1]
    if line.startswith("#") or not line.strip():
        continue
    words = [w for w in line.strip().split(",") if not w.startswith("set:")]
    address = next(w for w in words if re.fullmatch(r"\d+\.\d+\.\d+\.\d+", w))
    macs = {w for w in words if re.fullmatch(r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}", w)}
    wanted[subnet, address] = (next(w for w in words if w != address and w not in macs), macs)
if found != wanted:
    print([(k, found.get(k), wanted.get(k)) for k in sorted(set(found) | set(wanted)) if found.get(k) != wanted.get(k)][:3])
    sys.exit(1)
conf = open(sys.argv[2] + "/dnsmasq.conf", encoding="utf-8").read()
routers = {s["subnet"]: [o["data"] for o in s["option-data"] if o["name"] == "routers"] for s in kea["subnet4"]}
for name, base in re.findall(r"^dhcp-range=set:([^,]*),([0-9.]*),static", conf, re.M):
    gateway = re.search(r"^dhcp-option=tag:" + re.escape(name) + r",option:router(?:,([0-9.]+))?$", conf, re.M).group(1)
    if next(v for k, v in routers.items() if k.split("/")[0] == base) != ([gateway] if gateway else []):
        print("the gateway of", name)
        sys.exit(1)
print(len(found))
PY
}

# Specs name files beside them, so all of them move together; in the copies Kea takes dnsmasq's place.
cp -r "$src/examples" "$work/" && find "$work/examples" -name '*.yaml' | while read -r spec; do
  if grep -qx 'outputs:' "$spec"; then sed -i 's/^outputs:$/&\n  kea: {}/' "$spec"; else printf 'outputs: { kea: {} }\n' >> "$spec"; fi
done
trees_with dnsmasq,hosts   # of the specs as they are
[ "$(echo "$trees" | wc -w)" -ge 3 ] || fail "only $trees call for DHCP"
for name in $trees; do
  spec=$(find "$work/examples" -name "$name.yaml" | head -1)
  if [ "$(grep -vc '^#' "$work/$name/dnsmasq/dhcp-hosts")" -gt 4096 ]; then
    "$bin" compile "$spec" -o "$work/kea-$name" > "$work/kea-$name.log" 2>&1 && fail "$name: Kea is to know too many machines by name"
    say "$name: $(grep -o '[0-9]* machines have no MAC.*' "$work/kea-$name.log")"
    continue
  fi
  "$bin" compile "$spec" -o "$work/kea-$name" > "$work/kea-$name.log" 2>&1 || { cat "$work/kea-$name.log" >&2; fail "clusterc compile $name with kea in outputs"; }
  [ ! -e "$work/kea-$name/dnsmasq" ] && [ ! -e "$work/$name/kea" ] || fail "$name: two servers for one network"
  accepted "$work/kea-$name/kea/kea-dhcp4.conf" || { tail -3 "$work/test.log" >&2; fail "$name: Kea refuses the configuration"; }
  agree "$work/kea-$name" "$work/$name" || fail "$name: Kea and dnsmasq differ: $(cat "$work/counted")"
  say "$name: $(cat "$work/counted") reservations, as dnsmasq's"
done
# Where the cluster has name servers of its own, who installs is told of the one that nodes are configured with: without it no installer finds its packages.
told() { python3 -c 'import json, sys; print(*sorted({o["data"] for s in json.load(open(sys.argv[1]))["Dhcp4"]["subnet4"] for o in s["option-data"] if o["name"] == "domain-name-servers"}))' "$1"; }
equal "name servers of a cluster without a domain" "$(told "$work/kea-superpod/kea/kea-dhcp4.conf")" ""
sed 's/^software:$/&\n  domain: pod.example/' "$work/examples/superpod.yaml" > "$work/examples/superpod-named.yaml"
"$bin" compile "$work/examples/superpod-named.yaml" -o "$work/named" --only kea,dns,netplan > "$work/named.log" 2>&1 || { cat "$work/named.log" >&2; fail "clusterc compile superpod with a domain"; }
server=$(told "$work/named/kea/kea-dhcp4.conf")
[ -n "$server" ] || fail "Kea tells nobody of the cluster's name server"
equal "name server that DHCP tells of" "$server" "$(python3 -c 'import glob, sys, yaml; print(*{a for p in glob.glob(sys.argv[1] + "/netplan/*/*.yaml") for k in ("ethernets", "bonds", "vlans") for d in yaml.safe_load(open(p))["network"].get(k, {}).values() for a in d.get("nameservers", {}).get("addresses", [])})' "$work/named")"

compile_case dnsmasq
compile_case kea
tree=$out conf=$out/kea/kea-dhcp4.conf
accepted "$conf" || { tail -3 "$work/test.log" >&2; fail "Kea refuses the golden case"; }
agree "$tree" "$work/case-dnsmasq" || fail "the golden cases of Kea and dnsmasq differ: $(cat "$work/counted")"
equal "reservations of the golden case" "$(cat "$work/counted")" 12
equal "an extra line" "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["Dhcp4"]["renew-timer"])' "$conf")" 900

# Clients, on a wire to a server that has the compiled file: who has n1's second MAC, who says that it is ctl, and a stranger.
ask() {   # ask MAC [NAME]: the address that is offered
  unshare -nm bash -c '
    work=$0
    mount -t tmpfs tmpfs /var/lib && mkdir /var/lib/kea && mount -t tmpfs tmpfs /run && ip link set lo up
    unshare -n sleep 30 & peer=$!
    for _ in $(seq 50); do [ "$(readlink /proc/$peer/ns/net)" != "$(readlink /proc/self/ns/net)" ] && break; sleep 0.02; done
    ip link add va type veth peer name vb netns $peer && ip addr add 10.1.0.1/24 dev va && ip link set va up
    nsenter --net=/proc/$peer/ns/net ip link set vb up
    KEA_PIDFILE_DIR=$work KEA_LOCKFILE_DIR=none kea-dhcp4 -c "$2" > "$work/run.log" 2>&1 & server=$!
    for _ in $(seq 100); do grep -q "DHCP4_STARTED" "$work/run.log" 2>/dev/null && break; kill -0 $server 2>/dev/null || break; sleep 0.1; done
    nsenter --net=/proc/$peer/ns/net python3 "$1" vb "${@:3}"
    kill $server $peer; wait 2>/dev/null' "$work" "$lib/dhcp_ask.py" "$@" 2>> "$work/ask.err"
}
equal "offered to n1's second port" "$(ask "$conf" 94:6d:ae:00:00:02)" "10.1.0.17 router 10.1.0.1 ntp 10.9.0.3"
equal "offered to who says it is ctl" "$(ask "$conf" 02:00:00:00:00:99 ctl)" "10.1.0.33 router 10.1.0.1 ntp 10.9.0.3"
equal "offered to a stranger" "$(ask "$conf" 02:00:00:00:00:98)" "nothing"

# A network that comes up behind the server, as the plays bring it up
late() {
  unshare -nm bash -c '
    work=$0
    mount -t tmpfs tmpfs /var/lib && mkdir /var/lib/kea && mount -t tmpfs tmpfs /run && ip link set lo up
    unshare -n sleep 40 & peer=$!
    for _ in $(seq 50); do [ "$(readlink /proc/$peer/ns/net)" != "$(readlink /proc/self/ns/net)" ] && break; sleep 0.02; done
    ip link add va type veth peer name vb netns $peer
    KEA_PIDFILE_DIR=$work KEA_LOCKFILE_DIR=none kea-dhcp4 -c "$2" > "$work/run.log" 2>&1 & server=$!
    for _ in $(seq 100); do grep -q "DHCP4_STARTED" "$work/run.log" 2>/dev/null && break; kill -0 $server 2>/dev/null || break; sleep 0.1; done
    ip addr add 10.1.0.1/24 dev va && ip link set va up; nsenter --net=/proc/$peer/ns/net ip link set vb up
    sleep 7; nsenter --net=/proc/$peer/ns/net python3 "$1" vb "${@:3}"
    kill $server $peer; wait 2>/dev/null' "$work" "$lib/dhcp_ask.py" "$@" 2>> "$work/ask.err"
}
equal "offered in a network that comes up behind the server" "$(late "$conf" 94:6d:ae:00:00:02)" "10.1.0.17 router 10.1.0.1 ntp 10.9.0.3"
sed '/service-sockets-/d; s/"interfaces": \["\*"\],/"interfaces": ["*"]/' "$conf" > "$work/once.conf"
accepted "$work/once.conf" || { tail -3 "$work/test.log" >&2; fail "Kea refuses the file without retries"; }
equal "without retries" "$(late "$work/once.conf" 94:6d:ae:00:00:02)" "nothing"

# Broken twins: an address outside its subnet, a MAC with a letter that is none, a pool that leaves its subnet, an unknown key; a class that no client is
# in is taken without a word, so the client is asked.
refused() {   # refused WHAT SED-EXPRESSION
  sed "$2" "$conf" > "$work/broken.conf"
  ! cmp -s "$work/broken.conf" "$conf" || fail "the broken twin is not broken: $1"
  if accepted "$work/broken.conf"; then fail "Kea takes $1"; fi
  say "refused: $(tail -1 "$work/test.log" | sed 's/.*: \(.*:.*\)/\1/' | cut -c 1-120)"
}
refused "a reservation outside its subnet" 's/"10\.1\.0\.17"/"10.7.0.17"/'
refused "a broken MAC" 's/94:6d:ae:00:00:02/94:6d:ae:00:00:0g/'
refused "a pool that leaves its subnet" 's/10\.1\.0\.33-10\.1\.0\.33/10.1.0.33-10.9.0.33/'
refused "an unknown key" 's/"authoritative"/"authoritatve"/'
sed "s/== 'ctl'/== 'ctr'/" "$conf" > "$work/broken.conf"
equal "offered to who says it is ctl with a broken class" "$(ask "$work/broken.conf" 02:00:00:00:00:99 ctl)" "nothing"
