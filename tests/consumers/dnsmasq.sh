#!/usr/bin/env bash
# output dnsmasq: dnsmasq --test 2.90 (Debian 12), and dnsmasq itself with the compiled files in a network namespace: it reads every reservation of SuperPOD and of the golden case, whose MACs come from an inventory; 2 broken twins
. "$(dirname "$0")/lib/common.bash" "$@"
need dnsmasq python3

# installed TREE: the configuration with the folder it is installed to replaced
installed() { mkdir -p "$work/etc" && cp "$1/dnsmasq/dhcp-hosts" "$1/hosts/hosts" "$work/etc" && sed "s|/etc/dnsmasq.cluster/|$work/etc/|" "$1/dnsmasq/dnsmasq.conf" > "$work/etc/dnsmasq.conf"; }
accepted() { dnsmasq --test -C "$work/etc/dnsmasq.conf" > "$work/test.log" 2>&1; }
# read_all: dnsmasq runs from the files and says how many names it read; the count of names without an address complaint
running() {
  unshare -n true 2>/dev/null || return 2
  unshare -n sh -c 'ip link set lo up; ip link add d0 type dummy; ip addr add 10.0.0.0/32 dev d0 2>/dev/null; exec timeout 2 dnsmasq -k -C "$0" --user=root --pid-file= --log-facility=- --port=5353 --dhcp-leasefile="$1"' "$work/etc/dnsmasq.conf" "$work/leases" > "$work/run.log" 2>&1
  [ $? = 124 ] && ! grep -qiE "bad|error|duplicate|ignor|failed|cannot" "$work/run.log"
}

for example in superpod lab case-dnsmasq; do
  case $example in case-*) compile_case "${example#case-}" ;; *) compile $example ;; esac
  # the golden case is compiled alone: names come with hosts
  [ -d "$out/hosts" ] || { "$bin" compile "$src/tests/golden/compile/${example#case-}/spec.yaml" -o "$work/whole" > "$work/whole.log" 2>&1; out=$work/whole; }
  installed "$out"
  accepted || { cat "$work/test.log" >&2; fail "$example: dnsmasq refuses the configuration"; }
  running; status=$?
  if [ $status = 2 ]; then echo "note: no network namespace here, dnsmasq was not started"
  elif [ $status = 1 ]; then tail -5 "$work/run.log" >&2; fail "$example: dnsmasq complains about the files"
  else
    hosts=$(grep -cvE '^#|^$' "$work/etc/dhcp-hosts")
    # "read …/dhcp-hosts" follows when it is taken; every reservation is unique by address
    grep -q "read $work/etc/dhcp-hosts" "$work/run.log" || { tail -5 "$work/run.log" >&2; fail "$example: dnsmasq did not read the reservations"; }
    [ "$(grep -vE '^#|^$' "$work/etc/dhcp-hosts" | grep -oE '[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+$|,[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+,' | tr -d , | sort -u | wc -l)" = "$hosts" ] || fail "$example: an address is reserved twice"
    say "$example: $hosts reservations read"
  fi
  # Address and name of every reservation are a line of hosts
  python3 - "$work/etc" <<'PY' || fail "$example: reservations and hosts differ"
import re, sys
names = {}
for line in open(sys.argv[1] + "/hosts", encoding="utf-8"):
    words = line.split("#")[0].split()
    for name in words[1:]:
        names[name] = words[0]
count = 0
for line in open(sys.argv[1] + "/dhcp-hosts", encoding="utf-8"):
    if line.startswith("#") or not line.strip():
        continue
    words = line.strip().split(",")
    address = next(w for w in words if re.fullmatch(r"\d+\.\d+\.\d+\.\d+", w))
    name = next(w for w in words if w != address and not re.fullmatch(r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}", w))
    if names.get(name) != address:
        sys.exit(f"{name} has {names.get(name)} in hosts, {address} here")
    count += 1
sys.exit(0 if count else 1)
PY
done

# Broken twins
installed "$work/superpod"
sed -i 's/^dhcp-range=set:oob,[0-9.]*,/dhcp-range=set:oob,10.300.0.0,/' "$work/etc/dnsmasq.conf"
if accepted; then fail "dnsmasq takes the range 10.300.0.0"; fi
say "a range with the octet 300 is refused"
installed "$work/superpod"
sed -i '0,/^[a-z].*,10\./s/,10\./,10.999./' "$work/etc/dhcp-hosts"
if running; then fail "dnsmasq takes the reservation 10.999"; fi
if unshare -n true 2>/dev/null; then say "a reservation with the octet 999 is refused"; fi
