#!/usr/bin/env bash
# tested networkmanager: NetworkManager 1.42
# output networkmanager: NetworkManager 1.42 (Debian 12) in a network namespace with a D-Bus of its own, from the compiled files of the golden case and of campus: every profile is loaded, addresses, MTU, routing tables and rules of every port are set; profiles of bonds and VLANs are read, and made where the kernel can; what they say is what netplan generate 0.106 makes for NetworkManager of the same node (golden case, first and last node of every group of campus); 4 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need NetworkManager nmcli netplan python3 ip unshare dbus-daemon
unshare -nm true 2> "$work/unshare.log" || cannot "no network namespaces here ($(head -1 "$work/unshare.log"))"
read_files="$src/tests/network_files.py"

# generate FILE: netplan's own profiles under $work/root/run/NetworkManager/system-connections
generate() {
  rm -rf "$work/root" && mkdir -p "$work/root/etc/netplan" "$work/root/usr/lib" "$work/root/run/systemd" "$work/root/run/NetworkManager"
  sed '/renderer:/d; s/^  version: 2$/&\n  renderer: NetworkManager/' "$1" > "$work/root/etc/netplan/60-cluster.yaml" && chmod 600 "$work/root/etc/netplan/60-cluster.yaml"
  netplan generate --root-dir "$work/root" > "$work/netplan.log" 2>&1 || { cat "$work/netplan.log" >&2; fail "netplan refuses $1"; }
  python3 "$read_files" "$work/root/run/NetworkManager/system-connections" > "$work/wanted" || fail "netplan's profiles of $1"
  [ -s "$work/wanted" ] || fail "netplan makes nothing of $1"
}
# as_netplan NETPLAN-FILE FOLDER…: the profiles in these folders say the same
as_netplan() {
  generate "$1"; shift
  python3 "$read_files" "$@" | sed 's/, "rules": \[\[[^]]*\]\(, \[[^]]*\]\)*\]//' > "$work/got"   # netplan 0.106 gives NetworkManager no rules
  cmp -s "$work/wanted" "$work/got" || { diff "$work/wanted" "$work/got" >&2; fail "NetworkManager's profiles in $1 and netplan's differ"; }
}

# run DEVICES COMMAND FOLDER…: NetworkManager on these devices, ends of wires, with the profiles of all folders; what the command prints; its log
run() {
  unshare -nm --propagation private bash -c '
    work=$0 devices=$1 command=$2; shift 2
    mount -t tmpfs tmpfs /run && mkdir -p /run/dbus && mount -t sysfs -o ro sysfs /sys   # without udev devices are ready as they come
    mount -t tmpfs tmpfs /etc/NetworkManager && mkdir /etc/NetworkManager/system-connections && mount -t tmpfs tmpfs /var/lib/NetworkManager || exit 1
    printf "[main]\nplugins=keyfile\nno-auto-default=*\ndns=none\n" > /etc/NetworkManager/NetworkManager.conf
    for folder in "$@"; do cp -p "$folder"/*.nmconnection /etc/NetworkManager/system-connections/ || exit 1; done
    ip link set lo up
    for d in $devices; do ip link add "$d" type veth peer name "p$d" && ip link set "p$d" up || exit 1; done
    dbus-daemon --system --fork --nopidfile
    NetworkManager --debug > "$work/nm.log" 2>&1 & server=$!
    for _ in $(seq 100); do nmcli -t general > /dev/null 2>&1 && break; sleep 0.1; done
    for _ in $(seq 100); do
      waits=0
      for d in $devices; do nmcli -t -f DEVICE,STATE device | grep -qx "$d:\(connected\|disconnected\)" || waits=1; done
      [ $waits = 0 ] && break
      sleep 0.1
    done
    eval "$command"
    kill $server; wait $server 2> /dev/null; true' "$work" "$@"
}
complaints() { grep -E '<warn>.*keyfile|failed to load|invalid connection' "$work/nm.log"; }
seen='for d in $devices; do
    echo "$d $(ip -4 -o addr show dev "$d" | sed -n "s/.* inet \([0-9./]*\).*/\1/p" | sort | tr "\n" " ")mtu $(cat "/sys/class/net/$d/mtu")"
  done
  ip rule | sed -n "s/^\([0-9]*\):.*from \([0-9.]*\) lookup \([0-9]*\) .*/rule \1 \2 \3/p" | sort
  for t in 101 102; do ip route show table $t 2> /dev/null | sed "s/ proto static//; s/ metric [0-9]*//; s/ *$//; s/^/table $t /"; done
  ip route show default | sed "s/ proto.*//"'
# every profile that was loaded, in words of NetworkManager
profiles='nmcli -t -f NAME,TYPE,FILENAME connection | sed "s|/etc/NetworkManager/system-connections/||" | grep -v "^lo:" | sort'

compile_case netplan; planned=$out/netplan
compile_case networkmanager; tree=$out/networkmanager
# Names by MAC, where the inventory has it: as netplan writes them for udev.
generate "$planned/cpu-0/n2.yaml"
links=$(cd "$tree/cpu-0/n2" && ls -- *.link | tr '\n' ' ')
equal "names that are given on n2" "$links" "10-data1.link 10-data2.link 10-rail1.link "
for link in $links; do
  diff <(sed '/^#/d; /^$/d; /^WakeOnLan/d; /^MTUBytes/d' "$work/root/run/systemd/network/10-netplan-${link#10-}") <(sed '/^#/d; /^$/d' "$tree/cpu-0/n2/$link") >&2 || fail "$link is not what netplan has"
done
[ -z "$(ls "$tree"/cpu-0/n1/*.link 2> /dev/null)" ] || fail "n1 gets names by MACs that nobody knows"
[ "$(find "$tree" -type f ! -perm 600 | wc -l)" = 0 ] || fail "profiles are readable by others"
for node in cpu-0/n2 vm-0/v1; do   # its spec has a name server more
  sed 's/          - "10.1.0.53"/&\n          - "2001:db8::53"/' "$planned/$node.yaml" > "$work/$(basename $node).yaml"
done
as_netplan "$work/n2.yaml" "$tree/cpu-0/n2" "$tree/group/cpu"
as_netplan "$work/v1.yaml" "$tree/vm-0/v1"
say "golden case: as netplan has it"
run "rail1 rail2 mgmt0" "$seen; $profiles" "$tree/cpu-0/n2" "$tree/group/cpu" > "$work/ran" || { cat "$work/nm.log" >&2; fail "NetworkManager"; }
complaints && fail "NetworkManager complains"
cat > "$work/wanted" <<'END'
rail1 10.3.0.20/24 mtu 1500
rail2 10.3.0.21/24 mtu 1500
mgmt0 mtu 1500
rule 32765 10.3.0.20 101
rule 32765 10.3.0.21 102
table 101 10.3.0.0/24 dev rail1 scope link
table 102 10.3.0.0/24 dev rail2 scope link
bond0.77:vlan:bond0.77.nmconnection
bond0:bond:bond0.nmconnection
data1:802-3-ethernet:data1.nmconnection
data2:802-3-ethernet:data2.nmconnection
rail1:802-3-ethernet:rail1.nmconnection
rail2:802-3-ethernet:rail2.nmconnection
END
diff "$work/wanted" "$work/ran" >&2 || { cat "$work/nm.log" >&2; fail "NetworkManager made something else of the golden case"; }
say "golden case: six profiles, addresses, rules and tables as planned"
run "" 'nmcli -t -f bond.options,802-3-ethernet.mtu,ipv4.addresses,ipv4.dns,ipv4.dns-search,ipv6.dns connection show bond0; nmcli -t -f vlan.id,vlan.parent,802-3-ethernet.mtu,ipv4.addresses connection show bond0.77; nmcli -t -f connection.master,connection.slave-type connection show data2' "$tree/cpu-0/n2" "$tree/group/cpu" > "$work/ran"
cat > "$work/wanted" <<'END'
bond.options:mode=802.3ad,lacp_rate=fast,miimon=100,xmit_hash_policy=layer3+4
802-3-ethernet.mtu:9000
ipv4.addresses:10.1.0.18/24
ipv4.dns:10.1.0.53
ipv4.dns-search:cluster.example
ipv6.dns:2001:db8::53
vlan.id:77
vlan.parent:bond0
802-3-ethernet.mtu:1500
ipv4.addresses:10.2.0.18/24
connection.master:bond0
connection.slave-type:bond
END
sed -i 's/\\:/:/g' "$work/ran"   # nmcli -t
diff <(sort "$work/wanted") <(sed '/^$/d' "$work/ran" | sort) >&2 || fail "NetworkManager reads bonds and VLANs otherwise"
say "golden case: bond, its ports and the VLAN as planned"
run "eth0" "$seen" "$tree/vm-0/v1" > "$work/ran"
equal "way out of v1" "$(grep '^default' "$work/ran")" "default via 10.4.0.254 dev eth0"
mkdir "$work/extra" && cp -p "$tree/extra.nmconnection" "$work/extra/"
run "mgmt0" "$profiles" "$work/extra" > "$work/ran"; complaints && fail "NetworkManager complains of the extra file"
equal "the extra file" "$(cat "$work/ran")" "mgmt0:802-3-ethernet:extra.nmconnection"

# campus has Rocky Linux: the first and the last node of every group, against what cloud-init is given
compile campus
[ -d "$out/networkmanager" ] || fail "campus has no profiles"
nodes=0
for folder in "$out"/networkmanager/*-[0-9]*/; do
  bucket=$(basename "$folder") group=$out/networkmanager/group/${bucket%-*}
  for node in $(ls "$folder" | sed -n '1p;$p' | sort -u); do
    as_netplan "$out/cloud-init/$bucket/$node/network-config" "$folder$node" $([ -d "$group" ] && echo "$group")
    run "" "$profiles" "$folder$node" $([ -d "$group" ] && echo "$group") > "$work/ran"; complaints && fail "NetworkManager complains of $node"
    equal "profiles of $node" "$(wc -l < "$work/ran")" "$(find "$folder$node" $([ -d "$group" ] && echo "$group") -type f | wc -l)"
    nodes=$((nodes + 1))
  done
done
[ $nodes -ge 4 ] || fail "only $nodes nodes of campus"
say "campus: $nodes nodes as cloud-init has them, every profile loaded"

# Broken twins: a mode that no bond has, a name with 16 characters, an address where IPv4 is off, a file that others can read: not loaded.
broken() {   # broken WHAT FILE SED-EXPRESSION [MODE]
  rm -rf "$work/broken" && mkdir "$work/broken" && cp -p "$tree"/cpu-0/n2/* "$tree"/group/cpu/* "$work/broken/"
  sed -i "$3" "$work/broken/$2"; chmod "${4:-600}" "$work/broken/$2"
  [ -n "${4:-}" ] || ! cmp -s "$work/broken/$2" "$tree/cpu-0/n2/$2" || fail "the broken twin is not broken: $1"
  run "" "$profiles" "$work/broken" > "$work/ran"
  grep -q ":$2\$" "$work/ran" && { cat "$work/nm.log" >&2; fail "NetworkManager loads $1"; }
  equal "profiles beside $1" "$(wc -l < "$work/ran")" 5
  say "refused: $(grep -m1 "$2" "$work/nm.log" | sed 's/^[^"]*//' | cut -c 1-140)"
}
broken "a mode that no bond has" bond0.nmconnection 's/^mode=.*/mode=802.3zz/'
broken "a name that no interface can have" bond0.77.nmconnection 's/^interface-name=.*/interface-name=bond0.7777777777/'
broken "an address without IPv4" rail2.nmconnection 's/^method=manual/method=disabled/'
broken "a file that others can read" rail1.nmconnection '' 644
