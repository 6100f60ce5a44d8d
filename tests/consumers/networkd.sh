#!/usr/bin/env bash
# tested networkd: systemd-networkd 252
# output networkd: systemd-networkd 252 (Debian 12) in a network namespace, from the compiled files of the golden case and of SuperPOD: addresses, MTU, routing tables and rules of every device, name servers; netplan generate 0.106: its files for first and last node of every group of six examples say the same, bonds and VLANs too (a kernel without them: networkd reads the files, and makes none); 3 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need netplan python3 networkctl ip unshare dbus-daemon
[ -x /lib/systemd/systemd-networkd ] || missing "systemd-networkd not installed"
unshare -nm true 2> "$work/unshare.log" || cannot "no network namespaces here ($(head -1 "$work/unshare.log"))"
read_files="$src/tests/network_files.py"

# generate FILE: netplan's own files for networkd under $work/root/run/systemd/network
generate() {
  rm -rf "$work/root" && mkdir -p "$work/root/etc/netplan" "$work/root/usr/lib" "$work/root/run/systemd"
  cp "$1" "$work/root/etc/netplan/60-cluster.yaml" && chmod 600 "$work/root/etc/netplan/60-cluster.yaml"
  netplan generate --root-dir "$work/root" > "$work/netplan.log" 2>&1 || { cat "$work/netplan.log" >&2; fail "netplan refuses $1"; }
}

# The same spec with networkd named under `outputs`: specs name files beside them, so all of them move together.
cp -r "$src/examples" "$work/" && find "$work/examples" -name '*.yaml' | while read -r spec; do
  if grep -qx 'outputs:' "$spec"; then sed -i 's/^outputs:$/&\n  networkd: {}/' "$spec"; else printf 'outputs: { networkd: {} }\n' >> "$spec"; fi
done
for example in superpod four-virtual lab nvl72 cloud roce-fabric; do
  compile $example
  tree=$work/networkd-$example
  "$bin" compile "$work/examples/$example.yaml" -o "$tree" --only networkd,netplan > "$work/$example-networkd.log" 2>&1 || { cat "$work/$example-networkd.log" >&2; fail "clusterc compile $example with networkd in outputs"; }
  [ ! -e "$tree/netplan" ] && [ ! -e "$out/networkd" ] || fail "$example: two programs for one interface"
  nodes=0
  for folder in "$out"/netplan/*/; do
    for file in $(ls "$folder" | sed -n '1p;$p' | sort -u); do
      generate "$folder/$file"
      bucket=$(basename "$folder") node=${file%.yaml}
      python3 "$read_files" "$work/root/run/systemd/network" > "$work/wanted" || fail "netplan's files of $node"
      python3 "$read_files" "$tree/networkd/$bucket/$node" "$tree/networkd/group/${bucket%-*}" > "$work/got" || fail "files of $node"
      [ -s "$work/got" ] && cmp -s "$work/wanted" "$work/got" || { diff "$work/wanted" "$work/got" >&2; fail "$example/$node: networkd and netplan differ"; }
      nodes=$((nodes + 1))
    done
  done
  say "$example: $nodes nodes as netplan has them"
done

# run DEVICES FOLDER…: networkd on these devices, ends of wires, with the files of all folders; a line for each: name, addresses, MTU; rules and tables; its log
run() {
  unshare -nm --propagation private bash -c '
    work=$0 devices=$1; shift
    mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/netif /run/dbus && chown systemd-network: /run/systemd/netif
    mount -t tmpfs tmpfs /etc/systemd/network && mount -t sysfs -o ro sysfs /sys   # without udev devices are ready as they come
    for folder in "$@"; do cp "$folder"/* /etc/systemd/network/ || exit 1; done
    ip link set lo up
    for d in $devices; do ip link add "$d" type veth peer name "p$d" && ip link set "p$d" up || exit 1; done
    dbus-daemon --system --fork --nopidfile
    /lib/systemd/systemd-networkd > "$work/networkd.log" 2>&1 & server=$!
    for _ in $(seq 100); do
      waits=0
      for d in $devices; do networkctl --no-pager --no-legend list "$d" 2> /dev/null | grep -qE "configured|unmanaged|configuring.*$" || waits=1; done
      [ $waits = 0 ] && break
      sleep 0.1
    done
    sleep 1
    for d in $devices; do
      echo "$d $(ip -4 -o addr show dev "$d" | sed -n "s/.* inet \([0-9./]*\).*/\1/p" | sort | tr "\n" " ")mtu $(cat "/sys/class/net/$d/mtu")"
    done
    ip rule | sed -n "s/.*from \([0-9.]*\) lookup \([0-9]*\) .*/rule \1 \2/p" | sort
    for t in $(ip rule | sed -n "s/.*lookup \([0-9]\{3\}\) .*/\1/p" | sort -u); do ip route show table "$t" | sed "s/ proto static//; s/ *$//; s/^/table $t /"; done
    ip route show default | sed "s/ proto.*//; s/ *$//"
    for d in $devices; do networkctl --no-pager status "$d" 2> /dev/null | grep -A1 "DNS:" | sed "s/ *DNS://; s/^ *//; /:$/d"; done
    kill $server; wait $server 2> /dev/null; true' "$work" "$@"
}

# The golden case, by hand in netplan's: the kernel may have no bonds, so that a wire stands for each, and what makes bonds and VLANs is left out.
compile_case networkd
tree=$out
mkdir "$work/node" && cp "$tree"/networkd/cpu-0/n2/* "$work/node" && cp "$tree"/networkd/group/cpu/*.network "$work/node"
sed -i '/^Bond=/d; /^VLAN=/d' "$work/node"/*
run "bond0 bond0.77 data1 rail1 rail2" "$work/node" > "$work/ran" || { cat "$work/networkd.log" >&2; fail "networkd"; }
cat > "$work/wanted" <<'END'
bond0 10.1.0.18/24 mtu 9000
bond0.77 10.2.0.18/24 mtu 1500
data1 mtu 9000
rail1 10.3.0.20/24 mtu 1500
rail2 10.3.0.21/24 mtu 1500
rule 10.3.0.20 101
rule 10.3.0.21 102
table 101 10.3.0.0/24 dev rail1 scope link
table 102 10.3.0.0/24 dev rail2 scope link
10.1.0.53
2001:db8::53
END
diff "$work/wanted" "$work/ran" >&2 || { cat "$work/networkd.log" >&2; fail "networkd made something else of the golden case"; }
say "golden case: addresses, MTU, rules, tables and name servers as planned"
complaints() { grep -v ': Configuring with ' "$work/networkd.log" | grep -E '/etc/systemd/network|Unknown|Failed to parse|[Ii]nvalid|ignoring'; }
complaints && fail "networkd complains"
run "eth0" "$tree/networkd/vm-0/v1" > "$work/ran"
equal "way out of v1" "$(grep '^default' "$work/ran")" "default via 10.4.0.254 dev eth0"
# What makes bonds and VLANs is read without a word; whether they are made is the kernel's business.
run "data1 data2" "$tree/networkd/cpu-0/n2" "$tree/networkd/group/cpu" > "$work/ran"
complaints && fail "networkd complains of bonds and VLANs"
made=$(grep -c 'bond0: netdev ready' "$work/networkd.log")
if [ "$made" = 0 ]; then grep -q 'bond0: netdev could not be created: Operation not supported' "$work/networkd.log" || { cat "$work/networkd.log" >&2; fail "networkd did not try to make bond0"; }; fi
say "bond0 and bond0.77 are read$([ "$made" = 0 ] && echo ', this kernel makes none')"
cp "$tree/networkd/90-extra.network" "$work/node/"
run "mgmt0 rail1" "$work/node" > "$work/ran"; complaints && fail "networkd complains of the extra file"
grep -q 'mgmt0: Configuring with /etc/systemd/network/90-extra.network' "$work/networkd.log" || { cat "$work/networkd.log" >&2; fail "the extra file is not taken"; }
equal "rail1 beside the extra file" "$(sed -n 's/^rail1 //p' "$work/ran")" "10.3.0.20/24 mtu 1500"
# A node of SuperPOD, every device that has an address
tree=$work/networkd-superpod/networkd
ports=$(python3 "$read_files" "$tree/gpu-0/gpu001" | cut -d' ' -f1 | tr '\n' ' ')
mkdir "$work/gpu" && cp "$tree"/gpu-0/gpu001/* "$work/gpu" && sed -i '/^Bond=/d; /^VLAN=/d' "$work/gpu"/*
run "$ports" "$work/gpu" > "$work/ran"; complaints && fail "networkd complains of SuperPOD"
python3 "$read_files" "$tree/gpu-0/gpu001" | python3 -c '
import json, sys
for line in sys.stdin:
    name, _, d = line.partition(" "); d = json.loads(d)
    print(name, *d["addresses"], "mtu", d.get("mtu", 1500))' > "$work/wanted"
grep ' mtu ' "$work/ran" | diff "$work/wanted" - >&2 || fail "gpu001 of SuperPOD"
say "gpu001 of SuperPOD: $(wc -l < "$work/wanted") devices"

# Broken twins: an address that is none, a table that is none, a mode that no bond has. networkd says so, and leaves the line out.
broken() {   # broken WHAT FILE SED-EXPRESSION DEVICES
  rm -rf "$work/broken" && cp -r "$work/node" "$work/broken" && cp "$work/case-networkd"/networkd/group/cpu/*.netdev "$work/broken/"
  sed -i "$3" "$work/broken/$2"
  cmp -s "$work/broken/$2" "$work/node/$2" && fail "the broken twin is not broken: $1"
  run "$4" "$work/broken" > "$work/ran"
  complaints > "$work/said" || { cat "$work/networkd.log" >&2; fail "networkd takes $1"; }
  say "refused: $(head -1 "$work/said" | cut -c 1-140)"
}
broken "a prefix of 99" 10-rail1.network 's|^Address=.*|Address=10.3.0.20/99|' "rail1 rail2"
grep -q '^rail1 mtu' "$work/ran" || fail "rail1 has an address all the same"
broken "a table that is none" 10-rail2.network 's|^Table=.*|Table=sideways|' "rail1 rail2"
broken "a mode that no bond has" 10-bond0.netdev 's|^Mode=.*|Mode=802.3zz|' "rail1 rail2"
