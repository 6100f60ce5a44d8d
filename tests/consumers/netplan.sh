#!/usr/bin/env bash
# netplan generates systemd-networkd's files from the first and the last node of every group of every example; what it understood is
# compared with the compiled hosts file.
. "$(dirname "$0")/lib/common.bash" "$@"
need netplan

# generate FILE: 0 when netplan takes it without a word; its output under $work/root/run/systemd/network
generate() {
  rm -rf "$work/root" && mkdir -p "$work/root/etc/netplan" "$work/root/usr/lib" "$work/root/run/systemd"
  cp -p "$1" "$work/root/etc/netplan/60-cluster.yaml"
  netplan generate --root-dir "$work/root" > "$work/netplan.log" 2>&1 && [ ! -s "$work/netplan.log" ]
}
addresses() { cat "$work"/root/run/systemd/network/*.network | sed -n 's/^Address=\([0-9.]*\).*/\1/p' | sort -u; }

for example in superpod four-virtual lab nvl72 cloud roce-16384; do
  compile $example
  files=0
  for folder in "$out"/netplan/*; do
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

# the broken twin: an address that is none
sed 's|- \(10\.[0-9.]*\)/16|- \1/99|' "$work/superpod/netplan/gpu-0/gpu001.yaml" > "$work/broken.yaml" && chmod 600 "$work/broken.yaml"
cmp -s "$work/broken.yaml" "$work/superpod/netplan/gpu-0/gpu001.yaml" && fail "the broken twin is not broken"
generate "$work/broken.yaml" && fail "netplan accepts a prefix length of 99"
say "a prefix length of 99 is refused"
