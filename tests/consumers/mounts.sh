#!/usr/bin/env bash
# output cloud-init: findmnt --verify (util-linux 2.38, Debian 12) of the fstab that its mounts make and of the one that Ansible's role mounts leaves in a copy of a Debian 12 system, the same lines for NFS, Lustre and BeeGFS, and a second run that changes nothing; no client of Lustre or BeeGFS is packed here: what they read is held against readers of the documented grammar of mount.lustre, of lnet's networks= and of BeeGFS's mount options, each LNet on interfaces whose addresses netplan has beside its servers; 5 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need findmnt cloud-init python3 ansible-playbook
export LC_ALL=C.UTF-8 HOME=$work
compile_spec mounts
equal "nobody installs the clients" "$(grep -c 'storage-client-uninstalled' "$work/mounts.log")" 2
grep -q "'scratch' is not mounted on 'lone': no network with a subnet connects them to its management servers" "$work/mounts.log" || fail "nothing is said of the node that reaches no server"
for node in gpu-0/n1 login-0/l1 lone-0/a1; do
  cloud-init schema --config-file "$out/cloud-init/$node/user-data" 2>&1 | grep -q Valid || fail "cloud-init refuses user-data of $node"
done
cat > "$work/read.py" <<'PY'
"""What clients read, by their documentation: mount.lustre(8), Lustre Operations Manual ("Configuring Lustre networking", networks), BeeGFS ("Mount options").
   read.py fstab USER-DATA             the lines that cloud-init makes of `mounts`
   read.py check FSTAB LNET NETPLAN    each line, and each LNet against the addresses of its interfaces"""
import ipaddress, re, sys, yaml
NID = re.compile(r"(\d+\.\d+\.\d+\.\d+)@((?:tcp|o2ib)\d*)")
lnet = lambda name: name if re.search(r"[1-9]\d*$", re.sub(r"^o2ib|^tcp", "", name)) else name.rstrip("0")
def data(path):
    return yaml.safe_load(open(path))
if sys.argv[1] == "fstab":
    for m in data(sys.argv[2]).get("mounts", []):
        assert len(m) == 6 and all(isinstance(x, str) and not re.search(r"\s", x) for x in m), m
        print(*m)
    sys.exit()
fstab, conf, netplan = sys.argv[2:]
devices = {}
plan = data(netplan)["network"]
for kind in ("ethernets", "bonds", "vlans"):
    for name, d in plan.get(kind, {}).items():
        devices[name] = [ipaddress.ip_interface(a).network for a in d.get("addresses", [])]
networks = {}
text = open(conf).read().strip()
if text:
    value = re.fullmatch(r'options lnet networks="([^"]+)"', text).group(1)
    assert re.fullmatch(r"(?:(?:tcp|o2ib)\d*\([\w.,-]+\))(?:,(?:tcp|o2ib)\d*\([\w.,-]+\))*", value), value
    for name, interfaces in re.findall(r"(\w+)\(([^)]*)\)", value):
        assert lnet(name) not in networks, name
        networks[lnet(name)] = interfaces.split(",")
used = set()
for line in open(fstab):
    source, path, kind, options, dump, order = line.split()
    assert path.startswith("/") and dump == order == "0" and "_netdev" in options.split(","), line
    if kind == "lustre":
        servers, _, name = source.partition(":/")
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,8}(/[A-Za-z0-9_-]+)*", name), source
        assert set(options.split(",")) <= {"flock", "_netdev"}, options
        reached = False
        for server in servers.split(":"):
            for nid in server.split(","):
                address, net = NID.fullmatch(nid).groups()
                if lnet(net) not in networks:
                    continue
                used.add(lnet(net))
                for interface in networks[lnet(net)]:
                    assert any(ipaddress.ip_address(address) in n for n in devices[interface]), (nid, interface)
                    reached = True
        assert reached, source
    elif kind == "beegfs":
        assert source == "beegfs_nodev", source
        keys = dict(o.split("=", 1) for o in options.split(",") if "=" in o)
        assert set(keys) == {"cfgFile", "sysMgmtdHost"} and keys["cfgFile"].startswith("/"), keys
        assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]*", keys["sysMgmtdHost"]), keys
    else:
        assert kind == "nfs" and re.fullmatch(r"[\w.-]+:/\S+", source), line
assert used == set(networks), (used, networks)
PY
file_of() { python3 -c 'import sys, yaml; print("".join(f["content"] for f in yaml.safe_load(open(sys.argv[1])).get("write_files", []) if f["path"] == "/etc/modprobe.d/lustre.conf"), end="")' "$1"; }
for node in gpu-0/n1 login-0/l1; do
  python3 "$work/read.py" fstab "$out/cloud-init/$node/user-data" > "$work/${node#*/}.fstab" || fail "mounts of $node"
  file_of "$out/cloud-init/$node/user-data" > "$work/${node#*/}.lnet"
  python3 "$work/read.py" check "$work/${node#*/}.fstab" "$work/${node#*/}.lnet" "$out/netplan/$node.yaml" || fail "$node: a client would not read this"
done
equal "LNets of a node with three ports" "$(cat "$work/n1.lnet")" 'options lnet networks="o2ib(fast1,fast2),tcp1(data1)"'
equal "LNets of a login node" "$(cat "$work/l1.lnet")" 'options lnet networks="tcp1(eth0)"'
equal "fstab of n1" "$(cat "$work/n1.fstab")" "10.80.0.250@o2ib,10.77.0.250@tcp1:10.80.0.251@o2ib0,10.77.0.251@tcp1:/scratch/users /scratch lustre flock,_netdev 0 0
beegfs_nodev /work beegfs cfgFile=/etc/beegfs/beegfs-client.conf,sysMgmtdHost=mgmt1.example.org,_netdev 0 0
nas.example.org:/home /home nfs hard,_netdev 0 0"
equal "kinds that l1 and a1 mount" "$(awk '{ print $3 }' "$work/l1.fstab" | tr '\n' ' ')$(python3 "$work/read.py" fstab "$out/cloud-init/lone-0/a1/user-data" | wc -l)" "lustre nfs 1"

# findmnt reads them; places that are not there would be its only complaint
verify() { awk '{ print $2 }' "$1" | while read -r at; do mkdir -p "$work/places$at"; done; sed "s| /\([^ ]*\) | $work/places/\1 |" "$1" > "$1.here"; findmnt --verify --tab-file "$1.here" > "$work/verify" 2>&1; }
for fstab in "$work/n1.fstab" "$work/l1.fstab"; do verify "$fstab" || { cat "$work/verify" >&2; fail "findmnt refuses $fstab"; }; done
say "findmnt --verify: $(tail -1 "$work/verify")"

# ---- broken twins -----------------------------------------------------------------------------------------------------------------------
sed 's/ 0 0$/ 0 0 0 x/; s/^beegfs_nodev/beegfs nodev more/' "$work/n1.fstab" > "$work/twin.fstab"
if verify "$work/twin.fstab"; then fail "findmnt takes a source with blanks"; fi
say "a source with blanks is refused: $(grep -m1 -iE 'error|parse' "$work/verify")"
refused() {   # NAME FILE SED-EXPRESSION
  cp "$work/n1.fstab" "$work/twin.fstab" && cp "$work/n1.lnet" "$work/twin.lnet"
  sed -i "$3" "$work/twin.$2"
  cmp -s "$work/twin.$2" "$work/n1.$2" && fail "the broken twin $1 is not broken"
  python3 "$work/read.py" check "$work/twin.fstab" "$work/twin.lnet" "$out/netplan/gpu-0/n1.yaml" > /dev/null 2>&1 && fail "broken twin $1 was accepted"
  say "broken twin $1 is refused"
}
refused interface-of-another-network lnet 's/tcp1(data1)/tcp1(fast1)/'
refused lnet-of-another-kind lnet 's/o2ib/gni/'
refused long-name fstab 's|:/scratch/users|:/scratch-of-all|'
refused unknown-option fstab 's/sysMgmtdHost/sysMgmtHost/'

# ---- what Ansible leaves in a copy of this system ----------------------------------------------------------------------------------------
need_debian_12
need_play_system
cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
work=$2
system=$work/system root=$work/system/root
play_system "$system" || exit 9
mkdir -p "$root/root/tree" && cp -r "$work/mounts/." "$root/root/tree/"
: > "$root/etc/fstab"
play_it() { play "$system" --limit n1 --tags base,mounts "${@:2}" > "$work/$1" 2>&1 || { tail -20 "$work/$1" >&2; fail "$1"; }; }
play_it check --check
[ ! -s "$root/etc/fstab" ] || fail "check mode changed fstab"
play_it first
cmp "$work/n1.fstab" "$root/etc/fstab" || fail "Ansible's fstab is not cloud-init's"
cmp "$work/n1.lnet" "$root/etc/modprobe.d/lustre.conf" || fail "Ansible's LNets are not cloud-init's"
chroot "$root" findmnt --verify > "$work/verify" 2>&1 || { cat "$work/verify" >&2; fail "findmnt refuses what Ansible left"; }
play_it second
grep -qE 'changed=0 +unreachable=0 +failed=0' "$work/second" || { grep -B3 '^changed' "$work/second" >&2; fail "the second run changes something"; }
echo "ok: Ansible leaves the same fstab and LNets; a second run: $(grep -o 'ok=.*failed=0' "$work/second")"
SCRIPT
unshare -m -u -p -f --propagation private bash "$work/for-real" "$src" "$work"
