#!/usr/bin/env bash
# tested autoinstall: cloud-init's schema; a reader of the reference; no installer
# output autoinstall: cloud-init schema 22.4 of user-data and of what is inside it, netplan generate 0.106 of its network, shellcheck of its scripts (Debian 12); Ubuntu's installer is not packed here: a reader of its reference manual and of curtin's storage actions; every example with Ubuntu that somebody provisions, and the golden case; the choice of disks run on folders as /sys/block is, the last script run on a copy of a Debian 12 system with the tree served over HTTP; no installer was run; which drives: tests/install_drives.py; 5 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
lib=$(dirname "$0")/lib
. "$lib/install.bash"
need cloud-init netplan shellcheck python3 curl unshare ip

valid() { cloud-init schema --config-file "$1" > "$work/schema.log" 2>&1; }
reads() { python3 "$lib/autoinstall.py" "$1" "$work" > "$work/read.out" 2> "$work/read.log"; }
network() {
  rm -rf "$work/root" && mkdir -p "$work/root/etc/netplan" "$work/root/usr/lib" "$work/root/run/systemd" && cp "$1" "$work/root/etc/netplan/50-install.yaml" && chmod 600 "$work/root/etc/netplan/50-install.yaml"
  netplan generate --root-dir "$work/root" > "$work/netplan.log" 2>&1 && [ ! -s "$work/netplan.log" ]
}
trees_with autoinstall,cloud-init,ipxe
compile_case autoinstall
golden=$out
for name in $trees case-autoinstall; do
  out=$work/$name
  for folder in "$out"/autoinstall/*/; do
    reads "$folder/user-data" || { cat "$work/read.log" >&2; fail "$folder is refused"; }
  done
  # cloud-init takes half a second to start: one group of each
  valid "$folder/user-data" && valid "$work/inner" || { cat "$work/schema.log" >&2; fail "cloud-init refuses $folder"; }
  network "$work/network.yaml" || { cat "$work/netplan.log" >&2; fail "netplan refuses $folder"; }
  shellcheck -s sh "$out"/autoinstall/*/*.sh || fail "shellcheck: $out"
  named "$out" "$out"/autoinstall/*/user-data "$out"/ipxe/*.ipxe
done
cp "$golden/autoinstall/web/user-data" "$work/installed.yaml"
reads "$work/installed.yaml"
equal "disks of the golden case" "$(cat "$work/read.out")" "1 single"
reads "$work/superpod/autoinstall/gpu/user-data"
equal "disks of SuperPOD's GPU nodes" "$(cat "$work/read.out")" "2 raid"
if grep -q 'password' "$golden/autoinstall/web/user-data"; then fail "a password"; fi

# Which disks: the one SATA drive of 480 GB, and no NVMe drive of that size.
disks sda:937703088 nvme0n1:937703088 sdb:7501476528
AUTOINSTALL=$work/installed.yaml sh "$golden/autoinstall/web/disks.sh" || fail "the disk is not chosen"
equal "disk" "$(sed -n 's/^ *path: \(\/dev.*\)/\1/p' "$work/installed.yaml")" /dev/sda

unshare -nm true 2> "$work/unshare.log" || cannot "no network namespaces here ($(head -1 "$work/unshare.log"))"
as_planned "$golden" "$golden/autoinstall/web/finish.sh" w1

# Broken twins: no version, an action on what is not there, two volumes of one partition, a network of another version; another disk of that size.
refused() {   # refused WHAT SED-EXPRESSION CHECK
  sed "$2" "$golden/autoinstall/web/user-data" > "$work/broken"
  cmp -s "$work/broken" "$golden/autoinstall/web/user-data" && fail "the broken twin is not broken: $1"
  if $3 "$work/broken"; then fail "$1 is taken"; fi
  if [ "$3" = valid ]; then log=schema; else log=read; fi
  say "refused: $1: $(tail -1 "$work/$log.log" | cut -c 1-120)"
}
refused "an action on what is not there" 's/device: system-format/device: system-forma/' reads
refused "an unknown key" 's/^  ssh:/  sshd:/' reads
refused "no version" 's/^  version: 1/  version: one/' valid
reads "$golden/autoinstall/web/user-data"
sed -i 's/dhcp4: true/dhcp4: perhaps/' "$work/network.yaml"
network "$work/network.yaml" && fail "netplan takes dhcp4: perhaps"
say "refused: $(grep -i error "$work/netplan.log" | head -1)"
disks sda:937703088 sdb:937703088
AUTOINSTALL=$work/installed.yaml sh "$golden/autoinstall/web/disks.sh" 2> "$work/disks.log" && fail "two disks are there, one is to be erased"
say "refused: $(cat "$work/disks.log")"
