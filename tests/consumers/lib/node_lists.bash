# For the tests of node lists: source it behind common.bash.
node_lists="$src/tests/node_lists.py"
# read_list KIND FILE: what its reader makes of it, in $work/read; 1: refused, $work/read.log says why
read_list() { python3 "$node_lists" "$1" "$2" > "$work/read" 2> "$work/read.log"; }
# example_with OUTPUT EXAMPLE: the example with this output named, and an inventory that has a MAC of every port that a node starts from, and of every BMC; its tree in $out, the
# inventory in $devices
example_with() {
  devices=$work/examples/$2-devices.csv out=$work/$1-$2
  [ -d "$work/examples" ] || cp -r "$src/examples" "$work/"
  local spec=$work/examples/$1-$2.yaml
  cp "$work/examples/$2.yaml" "$spec"
  if grep -qx 'outputs:' "$spec"; then sed -i "s/^outputs:\$/&\n  $1: {}/" "$spec"; else printf 'outputs: { %s: {} }\n' "$1" >> "$spec"; fi
  "$bin" compile "$spec" -o "$work/$2-plain" --only hosts,netplan > "$work/$2.log" 2>&1 || { cat "$work/$2.log" >&2; fail "clusterc compile $2"; }
  python3 - "$work/$2-plain" "$devices" <<'PY' || fail "an inventory for $2"
import glob, os, sys, yaml
rows, n = ["name,port,mac"], 0
for path in sorted(glob.glob(os.path.join(sys.argv[1], "netplan", "*", "*.yaml"))):
    node, config = os.path.basename(path)[:-5], yaml.safe_load(open(path, encoding="utf-8"))["network"]
    for port in [*config["ethernets"], "bmc"]:
        n += 1
        rows.append(f"{node},{port},02:00:{n >> 24 & 255:02x}:{n >> 16 & 255:02x}:{n >> 8 & 255:02x}:{n & 255:02x}")
open(sys.argv[2], "w", encoding="utf-8").write("\n".join(rows) + "\n")
PY
  sed -i '/^inventory:/d' "$spec" && printf 'inventory: %s\n' "$2-devices.csv" >> "$spec"
  "$bin" compile "$spec" -o "$out" --only "$1,hosts" > "$work/$2.log" 2>&1 || { cat "$work/$2.log" >&2; fail "clusterc compile $2 with an inventory"; }
}
# as_planned: in what was read names and addresses are those of hosts, MACs those of the inventory
as_planned() {
  python3 - "$work/read" "$out/hosts/hosts" "$devices" <<'PY'
import csv, ipaddress, sys
hosts, rows = {}, list(csv.DictReader(open(sys.argv[3], encoding="utf-8")))
for line in open(sys.argv[2], encoding="utf-8"):
    if line.strip() and not line.startswith("#"):
        address, *names = line.split()
        for name in names:
            hosts.setdefault(name, address)
macs = {(r["name"], r["port"]): r["mac"] for r in rows}
of_node = {}
for (name, port), m in macs.items():
    if port != "bmc":
        of_node.setdefault(name, set()).add(m)
listed = 0
for line in open(sys.argv[1], encoding="utf-8"):
    name, ip, boots, bmc, bmc_mac, others = line.split()
    assert ip in ("-", hosts[name]), (name, ip, hosts[name])
    assert boots == "-" or set(boots.split(",")) <= of_node[name], (name, boots)
    assert bmc == "-" or hosts.get(name + "-oob") == bmc or bmc in [a for n, a in hosts.items() if n.startswith(name + "-")], (name, bmc)
    assert bmc_mac in ("-", macs[name, "bmc"]), (name, bmc_mac)
    for address in [] if others == "-" else others.split(","):
        assert any(a == address and (n == name or n.startswith(name + "-")) for n, a in hosts.items()), (name, address)
    listed += 1
print(listed)
PY
}
# refused WHAT KIND FILE SED-EXPRESSION: the reader refuses the file when it is broken this way
refused() {
  sed "$4" "$3" > "$work/broken"
  cmp -s "$work/broken" "$3" && fail "the broken twin is not broken: $1"
  read_list "$2" "$work/broken" && fail "$1 is taken"
  say "refused: $(tail -1 "$work/read.log" | sed 's/^[^ ]* //' | cut -c 1-120)"
}
