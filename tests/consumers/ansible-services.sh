#!/usr/bin/env bash
# output ansible: BIND 9.18, nginx 1.22, dnsmasq 2.90, Kea 2.2, Prometheus 2.42 and syslog-ng 3.38 (Debian 12) in a copy of this system: the roles of what the whole cluster leans on, a second run that changes nothing, and BIND and nginx started as they were left: the cluster's network is answered, strangers are not; 2 negative tests
# heavy: 80 s of CPU time; consumer.dns, dnsmasq, kea, prometheus and syslog-ng read the same files
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-playbook named named-checkconf dnsmasq kea-dhcp4 nginx prometheus promtool syslog-ng python3 curl ip
export LC_ALL=C.UTF-8 HOME=$work
need_debian_12
mkdir "$work/spec" && cp "$src"/tests/golden/compile/nginx/*.csv "$work/spec/"
sed 's/roles: \[provisioning\]/roles: [provisioning, monitoring]/; s/^software: {/software: { monitoring: [prometheus, grafana, loki],/' "$src/tests/golden/compile/nginx/spec.yaml" > "$work/spec/dnsmasq.yaml"
sed 's/^outputs:$/outputs:\n  kea: {}/' "$work/spec/dnsmasq.yaml" > "$work/spec/kea.yaml"
for name in dnsmasq kea; do "$bin" compile "$work/spec/$name.yaml" -o "$work/$name" > "$work/$name.log" 2>&1 || { cat "$work/$name.log" >&2; fail "compile $name"; }; done
# names first: whoever has the cluster's network asks for them there; one node of the group does each
python3 - "$work/dnsmasq/ansible" <<'PY' || fail "the order of plays"
import sys, yaml
roles = [r["role"] for p in yaml.safe_load(open(sys.argv[1] + "/site.yml")) for r in p.get("roles", [])]
assert roles.index("name_server") < roles.index("dhcp") < roles.index("web_server") < roles.index("netplan"), roles
head, cpu = (yaml.safe_load(open(f"{sys.argv[1]}/group_vars/group_{g}.yaml")) for g in ("head", "cpu"))
assert {head["cluster_" + k] for k in ("name_server", "dhcp_server", "web_server", "monitor")} == {"ctl"}, head
assert not any(k in cpu for k in ("cluster_name_server", "cluster_dhcp_server")), cpu
PY
need_play_system -n
cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
work=$2
# served NAME: a system of its own, the tree in it, the roles twice
served() {
  system=$work/system-$1 root=$work/system-$1/root
  play_system "$system" || exit 9
  mkdir -p "$root/root/tree" && cp -r "$work/$1/." "$root/root/tree/"
  # what the run of another administrator leaves, on this machine, under a name that can be known
  mkdir "$root/tmp/cluster-bare-web.tar.gz" || exit 9
  for run in first second; do
    play "$system" --limit ctl --tags base,name_server,dhcp,web_server,syslog_ng,node_exporter,prometheus ${2:-} > "$work/$1-$run" 2>&1 || { grep -v '^$' "$work/$1-$run" | tail -25 >&2; fail "$1: the $run run"; }
  done
  grep -qE 'changed=0 +unreachable=0 +failed=0' "$work/$1-second" || { grep -B3 '^changed' "$work/$1-second" >&2; fail "$1: the second run changes something"; }
  echo "ok: $1: first run $(grep -o 'ok=.*failed=0' "$work/$1-first" | tr -s ' '), second $(grep -o 'ok=.*failed=0' "$work/$1-second" | tr -s ' ')"
}
served kea "--skip-tags node_exporter"
[ -z "$(find "$root/tmp" -type f -name '*.tar.gz')" ] || fail "the archive is left: $(find "$root/tmp" -type f -name '*.tar.gz')"
cmp "$work/kea/kea/kea-dhcp4.conf" "$root/etc/kea/kea-dhcp4.conf" || fail "Kea's file"
served dnsmasq "--skip-tags node_exporter"
for f in dnsmasq/dnsmasq.conf dnsmasq/dhcp-hosts; do cmp "$work/dnsmasq/$f" "$root/etc/dnsmasq.cluster/${f#*/}" || fail "$f"; done
systemd-analyze verify --root="$root" /etc/systemd/system/cluster-dnsmasq.service > "$work/unit" 2>&1 || { cat "$work/unit" >&2; fail "the unit of dnsmasq"; }
for f in prometheus.yml rules/alerts.yml targets/node.yml alertmanager.yml; do cmp "$work/dnsmasq/prometheus/$f" "$root/etc/prometheus/$f" || fail "prometheus/$f"; done
cmp "$work/dnsmasq/syslog-ng/head.conf" "$root/etc/syslog-ng/syslog-ng.conf" || fail "syslog-ng's file"
grep -q 'http://ctl:3100/' "$root/etc/syslog-ng/syslog-ng.conf" || fail "the logs go elsewhere"
for unit in named nginx prometheus cluster-dnsmasq syslog-ng; do chroot "$root" systemctl is-enabled --quiet "$unit" || fail "$unit does not start with the machine"; done
grep -q 'authorized_keys is not there' "$work/dnsmasq-first" || fail "nothing is said of the keys"

# What was left there, started: the head's own address, a node's and a stranger's
address=$(awk '{ for (i = 2; i <= NF; ++i) if ($i == "ctl") print $1 }' "$work/dnsmasq/hosts/hosts")
ip link set lo up && for a in "$address" 10.1.0.200 10.9.0.9; do ip addr add "$a/24" dev lo || exit 9; done
cat > "$work/ask.py" <<'PY'
# ask.py SERVER FROM NAME: what a name server says: the address, or its code
import socket, struct, sys
server, own, name = sys.argv[1:]
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind((own, 0)); s.settimeout(3)
question = b"".join(bytes([len(p)]) + p.encode() for p in name.split(".")) + b"\0" + struct.pack(">HH", 1, 1)
s.sendto(struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 0) + question, (server, 53))
answer = s.recv(512)
code, count = answer[3] & 15, struct.unpack(">H", answer[6:8])[0]
print(socket.inet_ntoa(answer[12 + len(question) + 12:][:4]) if count else {0: "nothing", 2: "failed", 3: "unknown", 5: "refused"}.get(code, code))
PY
named_is() { chroot "$root" named -f -u bind -c "${1:-/etc/bind/named.conf}" > "$work/named.log" 2>&1 & bind=$!; for _ in $(seq 50); do python3 "$work/ask.py" 127.0.0.1 127.0.0.1 ctl.bare.example > /dev/null 2>&1 && return; sleep 0.2; done; cat "$work/named.log" >&2; fail "BIND does not answer"; }
mkdir -p "$root/run/named" && chroot "$root" chown bind: /run/named
named_is
equal "a node asks" "$(python3 "$work/ask.py" "$address" 10.1.0.200 ctl.bare.example)" "$address"
equal "a stranger asks" "$(python3 "$work/ask.py" "$address" 10.9.0.9 ctl.bare.example)" refused
kill $bind; wait $bind 2> /dev/null
# Broken twin: what Red Hat's file says of itself
sed 's/allow-query { cluster; }/allow-query { 127.0.0.1; }/' "$root/etc/bind/named.conf" > "$root/etc/bind/twin.conf"
named_is /etc/bind/twin.conf
equal "a node asks where only the machine itself is answered" "$(python3 "$work/ask.py" "$address" 10.1.0.200 ctl.bare.example)" refused
kill $bind; wait $bind 2> /dev/null

mkdir -p "$root/var/log/nginx" "$root/var/lib/nginx" "$root/run"
chroot "$root" nginx -g 'daemon off;' > "$work/nginx.log" 2>&1 & web=$!
for _ in $(seq 50); do curl -s -o /dev/null "http://$address/" && break; sleep 0.2; done
get() { curl -s --interface "$1" -o "$work/got" -w '%{http_code}' "http://$address/cluster/$2"; }
equal "a node fetches its menu" "$(get 10.1.0.200 ipxe/cpu.ipxe)" 200
cmp "$work/got" "$work/dnsmasq/ipxe/cpu.ipxe" || fail "the menu"
equal "a stranger" "$(get 10.9.0.9 ipxe/cpu.ipxe)" 403
kill $web; wait $web 2> /dev/null
# Broken twin: a zone that BIND refuses does not take the place of one that works
sed -i 's/ A 10\.1\./ A 10.300./' "$root"/root/tree/dns/db.bare.example
sed -i 's/^options {/options { \/\/ another/' "$root/root/tree/ansible/roles/name_server/templates/named.conf.j2"
play "$system" --limit ctl --tags base,name_server > "$work/twin" 2>&1 && fail "a zone with the octet 300 is put in place"
grep -q 'another' "$root/etc/bind/named.conf" && fail "the file that works was replaced"
echo "ok: a zone that BIND refuses ends the play"
SCRIPT
unshare -m -u -n -p -f --propagation private bash "$work/for-real" "$src" "$work"
