#!/usr/bin/env bash
# tested dns: named-checkconf (BIND 9.18)
# output dns: named-checkconf -z of BIND 9.18 (Debian 12): every zone of every example, with a domain, and of the golden case, records as many as hosts has names and addresses; names with underscores; 5 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need named-checkconf python3

checked() {   # TREE: every zone, and the file that names them
  (cd "$1/dns" && { printf 'options { directory "%s"; };\n' "$PWD"; cat named.conf.cluster; } > "$work/named.conf" && named-checkconf -z "$work/named.conf") > "$work/check.log" 2>&1 || return 1
  ! grep -qiE "error|warning|failed|not loaded" "$work/check.log"
}
# Every example that has an address, with a domain where it has none; roce-16384 has 200,000 of them.
for spec in "${examples[@]}" "$src/tests/golden/compile/dns/spec.yaml"; do
  example=$(basename "$spec" .yaml)
  [ "$example" != broken ] || continue
  tree=$work/$example
  python3 "$(dirname "$0")/lib/software.py" "$spec" domain cluster.example > "$work/$example.yaml"
  "$bin" compile "$work/$example.yaml" -o "$tree" --only dns,hosts > "$work/$example.log" 2>&1 || { cat "$work/$example.log" >&2; fail "compile $example"; }
  [ -d "$tree/dns" ] || { [ ! -d "$tree/hosts" ] || fail "$example has addresses and no zones"; continue; }
  checked "$tree" || { grep -iE "error|warn|fail" "$work/check.log" | head -5 >&2; fail "$example: named refuses a zone"; }
  # The same names and addresses as hosts, by another reader: a name an A record, an address a PTR.
  python3 - "$tree" <<'PY' || fail "$example: zones and hosts differ"
import glob, ipaddress, os, sys
tree = sys.argv[1]
names, addresses, domain = {}, {}, None
zones = [os.path.basename(f)[3:] for f in glob.glob(tree + "/dns/db.*")]
domain = next(z for z in zones if not z.endswith("in-addr.arpa"))
for line in open(tree + "/hosts/hosts", encoding="utf-8"):
    words = line.split("#")[0].split()
    if len(words) < 2 or words[0] in ("127.0.0.1", "::1"):
        continue
    for name in words[1:]:
        names[name.removesuffix("." + domain)] = words[0]
        addresses.setdefault(words[0], set()).add(name.removesuffix("." + domain))
records = dict(line.split(" A ") for line in open(f"{tree}/dns/db.{domain}", encoding="utf-8").read().split("\n") if " A " in line)
back = {}
for zone in zones:
    if zone.endswith("in-addr.arpa"):
        front = zone.removesuffix(".in-addr.arpa").split(".")[::-1]
        for line in open(f"{tree}/dns/db.{zone}", encoding="utf-8"):
            if " PTR " in line:
                tail, name = line.strip().split(" PTR ")
                back[".".join(front + tail.split(".")[::-1])] = name.removesuffix(f".{domain}.")
# No zone claims what is none of the cluster's: each lies in one of its subnets, or is the smallest that there is around one.
nets = [ipaddress.ip_network(line.split()[3]) for line in open(f"{tree}/dns/db.{domain}", encoding="utf-8") if line.startswith("; network ")]
for zone in zones:
    if zone.endswith("in-addr.arpa"):
        front = zone.removesuffix(".in-addr.arpa").split(".")[::-1]
        whole = ipaddress.ip_network(".".join(front + ["0"] * (4 - len(front))) + f"/{8 * len(front)}")
        if not any(whole.subnet_of(n) or (whole.prefixlen == 24 and n.subnet_of(whole)) for n in nets):
            sys.exit(f"{zone} is none of the cluster's subnets")
extra = {n for n in records if n not in names}
if {n: a for n, a in records.items() if n in names} != names:
    sys.exit(f"{len(records)} A records, {len(names)} names")
if extra - {"mail"}:
    sys.exit(f"names that hosts does not have: {sorted(extra)[:3]}")
if set(back) != set(addresses) or any(back[a] not in addresses[a] for a in back):
    sys.exit(f"{len(back)} PTR records, {len(addresses)} addresses")
print(f"ok: {len(records)} names, {len(back)} addresses in {len(zones)} zones, as in hosts")
PY
  say "$example: every zone loads"
done

# Broken twins: an address that is none, and a name server without an address
rm -rf "$work/twin" && cp -r "$work/lab" "$work/twin"
sed -i 's/ A 192\.168\./ A 192.300./' "$work/twin/dns/db.cluster.example"
if checked "$work/twin"; then fail "named takes the octet 300"; fi
say "an address with the octet 300 is refused"
rm -rf "$work/twin" && cp -r "$work/lab" "$work/twin"
sed -i 's/ IN NS .*/ IN NS nobody.cluster.example./' "$work/twin/dns/db.cluster.example"
if checked "$work/twin"; then fail "named takes a name server without an address"; fi
say "a name server without an address is refused"

# Underscores, which BIND refuses in the names of hosts unless the zone says otherwise: in the domain, in a network, in a node
for change in 's/named\.example/na_med.example/' 's/^  lan:/  l_an:/' 's/n\[1-2\]/n_[1-2]/'; do
  sed "$change" "$src/tests/golden/compile/dns/spec.yaml" > "$work/odd.yaml"
  rm -rf "$work/odd" && "$bin" compile "$work/odd.yaml" -o "$work/odd" --only dns > "$work/odd.log" 2>&1 || { cat "$work/odd.log" >&2; fail "compile with $change"; }
  checked "$work/odd" || { cat "$work/check.log" >&2; fail "named refuses zones with $change"; }
  sed -i 's/check-names ignore; //' "$work/odd/dns/named.conf.cluster"
  if checked "$work/odd"; then fail "named takes underscores by itself: $change"; fi
done
say "underscores: every zone loads"
