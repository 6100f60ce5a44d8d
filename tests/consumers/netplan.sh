#!/usr/bin/env bash
# tested netplan: netplan 0.106
# output netplan: netplan generate 0.106 (Debian 12): first and last node of every group of six examples and the golden case, addresses as in hosts, bonds, VLANs, extra.yaml merged, network-config of the group without netplan; 1 negative test
# netplan generates systemd-networkd's files from the first and the last node of every group of every example; what it understood is
# compared with the compiled hosts file.
. "$(dirname "$0")/lib/common.bash" "$@"
need netplan

# generate FILE: 0 when netplan takes it without a word; its output under $work/root/run/systemd/network
generate() {
  rm -rf "$work/root" && mkdir -p "$work/root/etc/netplan" "$work/root/usr/lib" "$work/root/run/systemd"
  cp "$1" "$work/root/etc/netplan/60-cluster.yaml" && chmod 600 "$work/root/etc/netplan/60-cluster.yaml"
  netplan generate --root-dir "$work/root" > "$work/netplan.log" 2>&1 && [ ! -s "$work/netplan.log" ]
}
addresses() { cat "$work"/root/run/systemd/network/*.network | sed -n 's/^Address=\([0-9.]*\).*/\1/p' | sort -u; }

for example in superpod four-virtual lab nvl72 cloud roce-16384 case-netplan case-extra-lines; do
  case $example in case-*) compile_case "${example#case-}" ;; *) compile $example ;; esac
  files=0
  for folder in "$out"/netplan/*/; do
    for file in $(ls "$folder" | sed -n '1p;$p' | sort -u); do
      generate "$folder/$file" || { cat "$work/netplan.log" >&2; fail "netplan refuses $example/$file"; }
      [ "$(stat -c %a "$folder/$file")" = 600 ] || fail "$example/$file is readable by others"
      node=${file%.yaml}
      # every address of the node in hosts, but for that of its BMC (network oob)
      awk -v n="$node" '!/^#/ { mine = 0; for (i = 2; i <= NF; ++i) { if ($i == n || index($i, n "-") == 1) mine = 1; if ($i == n "-oob") mine = 0 } if (mine) print $1 }' "$out/hosts/hosts" | sort -u > "$work/wanted"
      addresses > "$work/got"
      cmp -s "$work/wanted" "$work/got" || fail "$example/$node: netplan has $(tr '\n' ' ' < "$work/got"), hosts has $(tr '\n' ' ' < "$work/wanted")"
      files=$((files + 1))
    done
  done
  [ $files -gt 0 ] || fail "$example: no netplan files"
  say "$example: $files files, addresses as in hosts"
done
equal "roce-16384: files" "$(find "$work/roce-16384/netplan" -name '*.yaml' | wc -l)" 16387
equal "most files in a folder" "$(for d in "$work"/roce-16384/netplan/*; do ls "$d" | wc -l; done | sort -n | tail -1)" 512
# campus runs Rocky Linux, which has no netplan: its nodes get the same as cloud-init's network-config, version 2
compile campus
[ ! -e "$out/netplan" ] || fail "campus has netplan files"
generate "$out/cloud-init/cpu-0/c01/network-config" || { cat "$work/netplan.log" >&2; fail "network-config of campus"; }
say "campus: network-config reads as netplan"

# a guest over a bond: the bond has its two ports, the VLAN its tag and its own address (by hand in the golden case netplan)
generate "$work/case-netplan/netplan/cpu-0/n2.yaml" || fail "the golden case netplan"
units=$work/root/run/systemd/network
# by MAC where the inventory has it: three of its four ports
equal "names that are given on n2" "$(sed -n 's/^Name=//p' "$units"/*.link | tr '\n' ' ')" "data1 data2 rail1 "
equal "MAC of data2" "$(sed -n 's/^PermanentMACAddress=//p; s/^MACAddress=//p' "$units/10-netplan-data2.link")" 94:6d:ae:00:02:02
equal "ports of bond0" "$(grep -lx 'Bond=bond0' "$units"/*.network | wc -l)" 2
equal "VLAN on bond0" "$(sed -n 's/^VLAN=//p' "$units/10-netplan-bond0.network")" bond0.77
equal "tag" "$(sed -n 's/^Id=//p' "$units/10-netplan-bond0.77.netdev")" 77
equal "address of the guest" "$(sed -n 's/^Address=//p' "$units/10-netplan-bond0.77.network")" 10.2.0.18/24
equal "mode" "$(sed -n 's/^Mode=//p' "$units/10-netplan-bond0.netdev")" 802.3ad
# extra lines: netplan merges extra.yaml, put beside the node's file, into it
generate "$work/case-extra-lines/netplan/cpu-0/n1.yaml" && cp -p "$work/case-extra-lines/netplan/extra.yaml" "$work/root/etc/netplan/90-extra.yaml"
netplan generate --root-dir "$work/root" > "$work/netplan.log" 2>&1 && [ ! -s "$work/netplan.log" ] || { cat "$work/netplan.log" >&2; fail "netplan refuses extra.yaml"; }
equal "extra.yaml: DHCP of mgmt0" "$(sed -n 's/^DHCP=//p' "$units/10-netplan-mgmt0.network")" ipv4
equal "extra.yaml: eth0 keeps its address" "$(sed -n 's/^Address=//p' "$units/10-netplan-eth0.network")" 10.77.0.17/24
equal "extra.yaml: eth0 wakes" "$(sed -n 's/^WakeOnLan=//p' "$units"/10-netplan-eth0.link)" magic

# the broken twin: an address that is none
sed 's|- \(10\.[0-9.]*\)/16|- \1/99|' "$work/superpod/netplan/gpu-0/gpu001.yaml" > "$work/broken.yaml" && chmod 600 "$work/broken.yaml"
cmp -s "$work/broken.yaml" "$work/superpod/netplan/gpu-0/gpu001.yaml" && fail "the broken twin is not broken"
generate "$work/broken.yaml" && fail "netplan accepts a prefix length of 99"
say "a prefix length of 99 is refused"
